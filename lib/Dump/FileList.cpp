//===- FileList.cpp - The dump files of a folder --------------------------===//

#include "npu/Dump/FileList.h"

#include <algorithm>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

static constexpr std::string_view statisticsExtension = ".csv";

static constexpr std::string_view arrayExtension = ".npy";

bool ListedFile::isArray() const { return fullName.ends_with(arrayExtension); }

bool ListedFile::isStatistics() const {
  return fullName.ends_with(statisticsExtension);
}

std::optional<DumpName> ListedFile::parseName() const {
  std::string_view name = fullName;
  if (isStatistics())
    name.remove_suffix(statisticsExtension.size());
  return parseFileName(name);
}

static bool isVisibleFile(const fs::directory_entry &entry) {
  std::error_code error;
  return !entry.path().filename().string().starts_with('.') &&
         entry.is_regular_file(error);
}

/// Whether \p name is that of a file that the tools make of a dump file.
static bool isMade(std::string_view name) {
  for (std::string_view extension : {".json", ".txt", ".html"})
    if (name.ends_with(extension))
      return true;
  if (!name.ends_with(".bin"))
    return false;
  for (std::string_view part : {".input.", ".output.", ".l1buffer.", ".space."})
    if (name.find(part) != std::string_view::npos)
      return true;
  return false;
}

/// Whether \p file, of a folder, is wanted.
static bool isWanted(const ListedFile &file, ListedKinds kinds) {
  if (file.isStatistics())
    return kinds != ListedKinds::Dumps && file.parseName();
  if (file.isArray())
    return kinds == ListedKinds::WithArrays;
  return !isMade(file.fullName);
}

/// The names that mapping.csv gives; a mapping that cannot be read gives none,
/// and its files keep their digits.
static std::map<std::string, std::string> getMapping(const fs::path &folder) {
  Expected<std::map<std::string, std::string>> mapping =
      readMapping(folder.empty() ? "." : folder.string());
  return mapping ? std::move(*mapping) : std::map<std::string, std::string>();
}

Expected<std::vector<ListedFile>>
npu::dump::listDumpFiles(const std::string &path, ListedKinds kinds) {
  std::vector<fs::path> paths;
  std::error_code error;
  const bool isFolder = fs::is_directory(path, error);
  if (isFolder) {
    for (fs::recursive_directory_iterator entry(path, error), end;
         !error && entry != end; entry.increment(error))
      if (isVisibleFile(*entry))
        paths.push_back(entry->path());
    std::sort(paths.begin(), paths.end());
  } else {
    paths.push_back(path);
  }
  if (error)
    return Status::error(path + ": " + error.message());

  std::vector<ListedFile> files;
  fs::path folder;
  std::optional<std::map<std::string, std::string>> mapping;
  for (fs::path &file : paths) {
    std::string name = file.filename().string();
    if (isShortName(name) || name.ends_with(arrayExtension)) {
      if (!mapping || file.parent_path() != folder) {
        folder = file.parent_path();
        mapping = getMapping(folder);
      }
      if (auto row = mapping->find(name); row != mapping->end())
        name = row->second;
    }
    ListedFile listed{std::move(file), std::move(name)};
    if (!isFolder || isWanted(listed, kinds))
      files.push_back(std::move(listed));
  }
  return files;
}
