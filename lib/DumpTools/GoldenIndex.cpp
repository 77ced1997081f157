//===- GoldenIndex.cpp - The tensors to compare with ----------------------===//

#include "GoldenIndex.h"

#include <algorithm>
#include <charconv>
#include <limits>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

std::string npu::dump::getDataIndexFolder(const fs::path &path) {
  const std::string name =
      (path.has_filename() ? path : path.parent_path()).filename().string();
  return isShortName(name) ? name : std::string();
}

/// Takes the number behind the last '.' of \p text off it.
template <typename Integer>
static std::optional<Integer> takeNumber(std::string_view &text) {
  const size_t dot = text.find_last_of('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  const std::string_view digits = text.substr(dot + 1);
  Integer value = 0;
  auto [next, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || next != digits.data() + digits.size())
    return std::nullopt;
  text = text.substr(0, dot);
  return value;
}

/// Reads {dump file}.{input|output}.{index}[.{shape}].npy.
static std::optional<ArrayName> parseConvertedName(std::string_view name) {
  for (bool isInput : {true, false}) {
    const std::string_view mark = isInput ? ".input." : ".output.";
    const size_t at = name.rfind(mark);
    if (at == std::string_view::npos)
      continue;
    std::optional<DumpName> dump = parseFileName(name.substr(0, at));
    std::string_view rest = name.substr(at + mark.size());
    rest = rest.substr(0, rest.find('.'));
    size_t index = 0;
    auto [next, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (dump && error == std::errc() && next == rest.data() + rest.size())
      return ArrayName{dump->opName, isInput, index, dump->timestamp};
  }
  return std::nullopt;
}

ArrayName npu::dump::parseArrayName(std::string_view name) {
  if (std::optional<ArrayName> converted = parseConvertedName(name))
    return *converted;
  std::string_view rest = name;
  std::optional<uint64_t> timestamp = takeNumber<uint64_t>(rest);
  std::optional<size_t> index =
      timestamp ? takeNumber<size_t>(rest) : std::nullopt;
  if (index && !rest.empty())
    return {replaceNameCharacters(rest), false, *index, *timestamp};
  return {replaceNameCharacters(name), false, 0, 0};
}

void GoldenIndex::add(InputFile input) {
  std::string folder = getDataIndexFolder(input.subfolder);
  if (input.file.isArray())
    return addArray(std::move(input.file), folder);
  std::optional<DumpName> name = input.file.parseName();
  if (!name)
    return;
  OpFiles &files = input.file.isStatistics() ? statistics : dumps;
  files.emplace(
      std::pair(OpKey(std::move(folder), name->opName), name->timestamp),
      Entry(std::move(input.file)));
}

void GoldenIndex::addArray(ListedFile file, const std::string &folder) {
  const std::string stem = fs::path(file.fullName).stem().string();
  ArrayName name = parseArrayName(stem);
  arrays.emplace(
      ArrayKey(folder, std::move(name.opName), name.isInput, name.index),
      Entry(std::move(file)));
}

Expected<GoldenIndex> GoldenIndex::create(
    const std::string &path,
    const std::function<void(const std::string &text)> &warning) {
  Expected<std::vector<InputFile>> inputs = collectInput(
      {&path, 1}, /*recursive=*/true, warning, ListedKinds::WithArrays);
  if (!inputs)
    return inputs.takeStatus();
  GoldenIndex index;
  std::error_code error;
  const fs::path whole = fs::absolute(path);
  index.isOneFile = !fs::is_directory(whole, error);
  index.ownFolder =
      getDataIndexFolder(index.isOneFile ? whole.parent_path() : whole);
  for (InputFile &input : *inputs)
    index.add(std::move(input));
  return index;
}

const GoldenIndex::Entry *GoldenIndex::findFile(const OpFiles &files,
                                                const OpKey &op,
                                                size_t occurrence) {
  auto file = files.lower_bound({op, 0});
  const auto end =
      files.upper_bound({op, std::numeric_limits<uint64_t>::max()});
  for (; file != end; ++file)
    if (occurrence-- == 0)
      return &file->second;
  return nullptr;
}

GoldenPlace GoldenIndex::find(const TensorKey &key, size_t occurrence,
                              bool likesStatistics) const {
  GoldenPlace place = findIn(key, occurrence, likesStatistics);
  if (place.file || key.folder.empty() || key.folder != ownFolder)
    return place;
  TensorKey direct = key; // the path is that of the iteration
  direct.folder.clear();
  return findIn(direct, occurrence, likesStatistics);
}

GoldenPlace GoldenIndex::findIn(const TensorKey &key, size_t occurrence,
                                bool likesStatistics) const {
  const OpKey op(key.folder, key.opName);
  const Entry *dump = findFile(dumps, op, occurrence);
  const Entry *summary = findFile(statistics, op, occurrence);
  auto [first, last] =
      arrays.equal_range({key.folder, key.opName, key.isInput, key.index});
  const Entry *array = nullptr;
  for (size_t i = 0; first != last; ++first, ++i)
    if (i == occurrence)
      array = &first->second;

  if (dump && summary) // of the same tensors
    dump->isUsed = summary->isUsed = true;
  auto use = [&](const Entry *entry, GoldenKind kind) {
    entry->isUsed = true;
    return GoldenPlace{&entry->file, kind, key.isInput, key.index};
  };
  if (summary && likesStatistics)
    return use(summary, GoldenKind::Statistics);
  if (dump)
    return use(dump, GoldenKind::Dump);
  if (array)
    return use(array, GoldenKind::Array);
  if (summary)
    return use(summary, GoldenKind::Statistics);
  return {};
}

GoldenPlace GoldenIndex::onlyArray() const {
  if (!isOneFile || arrays.empty())
    return {};
  const auto &[key, entry] = *arrays.begin();
  entry.isUsed = true;
  return {&entry.file, GoldenKind::Array, std::get<2>(key), std::get<3>(key)};
}

uint64_t GoldenIndex::numUnused() const {
  auto isUnused = [](const auto &entry) { return !entry.second.isUsed; };
  return static_cast<uint64_t>(
      std::count_if(dumps.begin(), dumps.end(), isUnused) +
      std::count_if(statistics.begin(), statistics.end(), isUnused) +
      std::count_if(arrays.begin(), arrays.end(), isUnused));
}
