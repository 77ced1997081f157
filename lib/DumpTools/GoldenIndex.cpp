//===- GoldenIndex.cpp - The tensors to compare with ----------------------===//

#include "GoldenIndex.h"

#include <algorithm>
#include <charconv>
#include <limits>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

std::string npu::dump::getDataIndexFolder(const std::string &subfolder) {
  const std::string name = fs::path(subfolder).filename().string();
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

namespace {
struct ArrayName {
  std::string opName;
  bool isInput = false;
  size_t index = 0;
  uint64_t timestamp = 0;
};
} // namespace

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

/// Reads a name without its .npy: that of a converted dump, or
/// {op name}.{output index}.{timestamp} of front ends.
static std::optional<ArrayName> parseArrayName(std::string_view name) {
  if (std::optional<ArrayName> converted = parseConvertedName(name))
    return converted;
  std::optional<uint64_t> timestamp = takeNumber<uint64_t>(name);
  std::optional<size_t> index =
      timestamp ? takeNumber<size_t>(name) : std::nullopt;
  if (!index || name.empty())
    return std::nullopt;
  return ArrayName{replaceNameCharacters(name), false, *index, *timestamp};
}

void GoldenIndex::add(InputFile input) {
  std::string folder = getDataIndexFolder(input.subfolder);
  if (input.file.path.extension() == ".npy")
    return addArray(std::move(input.file), folder);
  std::optional<DumpName> name = parseFileName(input.file.fullName);
  if (!name)
    return;
  dumps.emplace(
      std::pair(OpKey(std::move(folder), name->opName), name->timestamp),
      Entry(std::move(input.file), name->timestamp, false));
}

void GoldenIndex::addArray(ListedFile file, const std::string &folder) {
  const std::string stem = fs::path(file.fullName).stem().string();
  if (std::optional<ArrayName> name = parseArrayName(stem))
    arrays.emplace(ArrayKey(folder, name->opName, name->isInput, name->index),
                   Entry(std::move(file), name->timestamp, true));
}

Expected<GoldenIndex> GoldenIndex::create(
    const std::string &path,
    const std::function<void(const std::string &text)> &warning) {
  Expected<std::vector<InputFile>> inputs =
      collectInput({&path, 1}, /*recursive=*/true, warning);
  if (!inputs)
    return inputs.takeStatus();
  GoldenIndex index;
  for (InputFile &input : *inputs)
    index.add(std::move(input));
  return index;
}

GoldenPlace GoldenIndex::find(const TensorKey &key, size_t occurrence) const {
  auto use = [&](const Entry &entry) {
    entry.isUsed = true;
    return GoldenPlace{&entry.file, entry.isArray, key.isInput, key.index};
  };
  const OpKey op(key.folder, key.opName);
  auto dump = dumps.lower_bound({op, 0});
  const auto end =
      dumps.upper_bound({op, std::numeric_limits<uint64_t>::max()});
  for (size_t i = 0; dump != end; ++dump, ++i)
    if (i == occurrence)
      return use(dump->second);
  auto [array, last] =
      arrays.equal_range({key.folder, key.opName, key.isInput, key.index});
  for (size_t i = 0; array != last; ++array, ++i)
    if (i == occurrence)
      return use(array->second);
  return {};
}

uint64_t GoldenIndex::numUnused() const {
  auto isUnused = [](const auto &entry) { return !entry.second.isUsed; };
  return static_cast<uint64_t>(
      std::count_if(dumps.begin(), dumps.end(), isUnused) +
      std::count_if(arrays.begin(), arrays.end(), isUnused));
}
