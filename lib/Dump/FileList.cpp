//===- FileList.cpp - The dump files of a folder --------------------------===//

#include "npu/Dump/FileList.h"

#include "npu/Dump/DumpName.h"

#include <algorithm>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

static bool isDumpFile(const fs::directory_entry &entry) {
  std::error_code error;
  const std::string extension = entry.path().extension().string();
  return !entry.path().filename().string().starts_with('.') &&
         extension != ".csv" && extension != ".json" &&
         entry.is_regular_file(error);
}

/// The names that mapping.csv gives; a mapping that cannot be read gives none,
/// and its files keep their digits.
static std::map<std::string, std::string> getMapping(const fs::path &folder) {
  Expected<std::map<std::string, std::string>> mapping =
      readMapping(folder.empty() ? "." : folder.string());
  return mapping ? std::move(*mapping) : std::map<std::string, std::string>();
}

Expected<std::vector<ListedFile>>
npu::dump::listDumpFiles(const std::string &path) {
  std::vector<fs::path> paths;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (fs::recursive_directory_iterator entry(path, error), end;
         !error && entry != end; entry.increment(error))
      if (isDumpFile(*entry))
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
    if (isShortName(name)) {
      if (!mapping || file.parent_path() != folder) {
        folder = file.parent_path();
        mapping = getMapping(folder);
      }
      if (auto row = mapping->find(name); row != mapping->end())
        name = row->second;
    }
    files.push_back({std::move(file), std::move(name)});
  }
  return files;
}
