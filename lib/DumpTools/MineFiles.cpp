//===- MineFiles.cpp - What compare compares ------------------------------===//

#include "MineFiles.h"

#include <algorithm>
#include <set>

using namespace npu;
using namespace npu::dump;

static MineFile describeMine(InputFile &input) {
  MineFile file;
  file.folder = getDataIndexFolder(input.subfolder);
  file.ownFolder = getDataIndexFolder(
      std::filesystem::absolute(input.file.path).parent_path());
  file.name = (input.subfolder.empty() ? "" : input.subfolder + "/") +
              input.file.fullName;
  if (input.file.isArray())
    file.array = parseArrayName(
        std::filesystem::path(input.file.fullName).stem().string());
  else
    file.parsed = input.file.parseName();
  file.file = std::move(input.file);
  return file;
}

/// Counts the dumps of each operator in each folder.
static void countOccurrences(std::vector<MineFile> &files) {
  std::map<std::tuple<std::string_view, std::string_view, bool>, size_t> dumps;
  std::map<std::tuple<std::string_view, std::string_view, bool, size_t>, size_t>
      arrays;
  for (MineFile &file : files)
    if (file.array)
      file.occurrence = arrays[{file.folder, file.array->opName,
                                file.array->isInput, file.array->index}]++;
    else if (file.parsed)
      file.occurrence =
          dumps[{file.folder, file.parsed->opName, file.file.isStatistics()}]++;
}

/// Leaves the files of the operator that is looked at.
static Status selectOp(const CompareOptions &options,
                       std::vector<MineFile> &files) {
  const std::string &wanted = options.selection.opName;
  if (wanted.empty())
    return {};
  std::set<std::string> names = {replaceNameCharacters(wanted)};
  if (options.graph)
    for (const auto &[name, originals] : options.graph->fusedNames)
      if (std::find(originals.begin(), originals.end(), wanted) !=
          originals.end())
        names.insert(replaceNameCharacters(name));
  std::erase_if(files, [&](const MineFile &file) {
    if (file.array)
      return !names.contains(file.array->opName);
    return !file.parsed || !names.contains(file.parsed->opName);
  });
  if (files.empty())
    return Status::error(options.mine + ": no dump of operator '" + wanted +
                         "'");
  return {};
}

Expected<std::vector<MineFile>> npu::dump::collectMine(
    const CompareOptions &options,
    const std::function<void(const std::string &text)> &warning) {
  Expected<std::vector<InputFile>> inputs = collectInput(
      {&options.mine, 1}, /*recursive=*/true, warning, ListedKinds::WithArrays);
  if (!inputs)
    return inputs.takeStatus();
  auto isArray = [](const InputFile &input) { return input.file.isArray(); };
  if (!std::all_of(inputs->begin(), inputs->end(), isArray))
    std::erase_if(*inputs, isArray);
  std::vector<MineFile> files;
  std::error_code error;
  const bool isOneFile = !std::filesystem::is_directory(options.mine, error);
  for (InputFile &input : *inputs) {
    files.push_back(describeMine(input));
    files.back().isOneFile = isOneFile;
  }
  auto order = [](const MineFile &file) {
    return std::tuple(file.folder.size(), std::string_view(file.folder),
                      file.timestamp(), std::string_view(file.name));
  };
  std::sort(files.begin(), files.end(),
            [&](const MineFile &left, const MineFile &right) {
              return order(left) < order(right);
            });
  countOccurrences(files);
  if (Status status = selectOp(options, files); !status)
    return status;
  return files;
}
