//===- DumpInput.cpp - The dump files a command works on ------------------===//

#include "npu/DumpTools/DumpInput.h"

#include "npu/Dump/CsvText.h"
#include "npu/Dump/DumpName.h"
#include "npu/Support/File.h"
#include "npu/Support/Uuid.h"

#include <algorithm>
#include <map>
#include <set>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

using Warning = std::function<void(const std::string &text)>;

std::string npu::dump::describeFile(const ListedFile &file) {
  std::string text = file.path.string();
  if (file.path.filename() != file.fullName)
    text += " (" + file.fullName + ")";
  return text;
}

/// Warns where the files of \p folder and its mapping.csv do not agree.
static void checkMapping(const fs::path &folder,
                         const std::set<std::string> &shortNames,
                         const Warning &warning) {
  const std::string path = folder.empty() ? "." : folder.string();
  Expected<std::map<std::string, std::string>> mapping = readMapping(path);
  if (!mapping)
    return warning(mapping.status().message());
  for (const std::string &name : shortNames)
    if (!mapping->contains(name))
      warning(path + "/" + name + ": no row in mapping.csv says what it is");
  for (const auto &[name, fullName] : *mapping)
    if (!shortNames.contains(name) &&
        ::access((path + "/" + name).c_str(), F_OK) != 0)
      warning(path + "/mapping.csv: there is no file " + name + " (" +
              fullName + ")");
}

Expected<std::vector<InputFile>>
npu::dump::collectInput(std::span<const std::string> paths, bool recursive,
                        const Warning &warning, ListedKinds kinds) {
  std::vector<InputFile> files;
  for (const std::string &path : paths) {
    Expected<std::vector<ListedFile>> listed = listDumpFiles(path, kinds);
    if (!listed)
      return listed.takeStatus();
    std::error_code error;
    const bool isFolder = fs::is_directory(path, error);
    const fs::path root(path);
    std::map<fs::path, std::set<std::string>> shortNames;
    for (ListedFile &file : *listed) {
      const fs::path parent = file.path.parent_path();
      std::string subfolder;
      if (isFolder)
        subfolder = parent
                        .lexically_relative(
                            root.has_filename() ? root : root.parent_path())
                        .string();
      if (subfolder == ".")
        subfolder.clear();
      if (!recursive && !subfolder.empty())
        continue;
      std::set<std::string> &names = shortNames[parent];
      if (isShortName(file.path.filename().string()))
        names.insert(file.path.filename().string());
      files.push_back({std::move(file), std::move(subfolder)});
    }
    if (isFolder)
      for (const auto &[folder, names] : shortNames)
        checkMapping(folder, names, warning);
  }
  if (files.empty()) {
    std::string all;
    for (const std::string &path : paths)
      all += (all.empty() ? "" : ", ") + path;
    return Status::error(all + ": no dump file in it");
  }
  return files;
}

std::string npu::dump::shortenName(const std::string &name, size_t limit,
                                   ShortNames &shortNames) {
  if (name.size() <= limit)
    return name;
  std::string shortName =
      makeNameUuid(name) + name.substr(name.find_last_of('.'));
  shortNames.emplace_back(shortName, name);
  return shortName;
}

Status npu::dump::addToMapping(const std::string &folder,
                               const ShortNames &names) {
  if (names.empty())
    return Status();
  const std::string path = folder + "/" + std::string(MappingFileName);
  std::map<std::string, std::string> rows(names.begin(), names.end());
  if (::access(path.c_str(), F_OK) == 0) {
    Expected<MappedFile> file = MappedFile::open(path);
    if (!file)
      return file.takeStatus();
    std::string_view text(reinterpret_cast<const char *>(file->bytes().data()),
                          file->bytes().size());
    std::vector<std::string> cells;
    while (takeCsvRow(text, cells))
      if (cells.size() == 2)
        rows.emplace(cells[0], cells[1]);
  }
  std::string text;
  for (const auto &[shortName, name] : rows)
    text += formatMappingRow(shortName, name);
  const ByteView bytes = asBytes(text);
  return writeFile(path, {&bytes, 1});
}
