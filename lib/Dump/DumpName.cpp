//===- DumpName.cpp - Names of dump files and folders ---------------------===//

#include "npu/Dump/DumpName.h"

#include "npu/Dump/CsvText.h"
#include "npu/Support/File.h"

#include <algorithm>
#include <charconv>
#include <unistd.h>
#include <vector>

using namespace npu;
using namespace npu::dump;

/// The task type that FFTS+ puts behind the time stamp.
static constexpr std::string_view fftsPlusTaskType = "4";

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads all of \p text as a decimal number without a sign.
template <typename Integer>
static bool parseNumber(std::string_view text, Integer &value) {
  const char *end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && next == end;
}

std::string npu::dump::replaceNameCharacters(std::string_view name) {
  std::string replaced(name);
  for (char &c : replaced)
    if (c == ' ' || c == '.' || c == '/' || c == '\\')
      c = '_';
  return replaced;
}

std::string npu::dump::toFileName(const DumpName &name) {
  std::string text = replaceNameCharacters(name.opType);
  text += '.' + replaceNameCharacters(name.opName);
  text += '.' + std::to_string(name.taskId);
  if (name.streamId)
    text += '.' + std::to_string(*name.streamId);
  text += '.' + std::to_string(name.timestamp);
  if (name.slice) {
    text += '.';
    text += fftsPlusTaskType;
    text += '.' + std::to_string(name.slice->contextId);
    text += '.' + std::to_string(name.slice->threadId);
    text += '.' + std::to_string(name.slice->deviceId);
  }
  return text;
}

std::optional<DumpName> npu::dump::parseFileName(std::string_view fileName) {
  std::vector<std::string_view> fields;
  for (size_t start = 0; start <= fileName.size();) {
    const size_t end = std::min(fileName.find('.', start), fileName.size());
    fields.push_back(fileName.substr(start, end - start));
    start = end + 1;
  }
  if (fields.size() != 4 && fields.size() != 5 && fields.size() != 9)
    return std::nullopt;
  if (fields[0].empty() || fields[1].empty())
    return std::nullopt;

  DumpName name;
  name.opType = fields[0];
  name.opName = fields[1];
  bool valid = parseNumber(fields[2], name.taskId);
  size_t next = 3;
  if (fields.size() > 4)
    valid &= parseNumber(fields[next++], name.streamId.emplace());
  valid &= parseNumber(fields[next++], name.timestamp);
  if (fields.size() == 9) {
    DumpName::Slice &slice = name.slice.emplace();
    valid &= fields[5] == fftsPlusTaskType &&
             parseNumber(fields[6], slice.contextId) &&
             parseNumber(fields[7], slice.threadId) &&
             parseNumber(fields[8], slice.deviceId);
  }
  if (!valid)
    return std::nullopt;
  return name;
}

std::string npu::dump::makeShortName(std::string_view path) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a: offset basis, then the prime
  for (char c : path)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return std::to_string(hash);
}

bool npu::dump::isShortName(std::string_view fileName) {
  return !fileName.empty() &&
         std::all_of(fileName.begin(), fileName.end(), isDigit);
}

std::string npu::dump::formatMappingRow(std::string_view shortName,
                                        std::string_view fileName) {
  return std::string(shortName) + ',' + quoteCsv(fileName) + '\n';
}

/// Takes a quoted field off \p text, whose first character is the quote. Fails,
/// and leaves \p text as it was, where the quote does not end at the end of a
/// row: then it is part of a bare name.
static std::optional<std::string> takeQuoted(std::string_view &text) {
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      name += text[i];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == '"') {
      name += text[++i];
      continue;
    }
    std::string_view rest = text.substr(i + 1);
    if (rest.starts_with("\r\n"))
      rest.remove_prefix(2);
    else if (rest.starts_with('\n'))
      rest.remove_prefix(1);
    else if (!rest.empty())
      return std::nullopt;
    text = rest;
    return name;
  }
  return std::nullopt;
}

static std::string_view takeLine(std::string_view &text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

std::map<std::string, std::string>
npu::dump::parseMapping(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  std::map<std::string, std::string> names;
  while (!text.empty()) {
    const size_t comma = std::min(text.find_first_of(",\r\n"), text.size());
    std::string shortName(text.substr(0, comma));
    const bool isName = isShortName(shortName) || shortName.ends_with(".npy");
    if (!isName || comma == text.size() || text[comma] != ',') {
      takeLine(text);
      continue;
    }
    text.remove_prefix(comma + 1);
    std::optional<std::string> name;
    if (text.starts_with('"'))
      name = takeQuoted(text);
    if (!name)
      name = std::string(takeLine(text));
    names.insert_or_assign(std::move(shortName), std::move(*name));
  }
  return names;
}

Expected<std::map<std::string, std::string>>
npu::dump::readMapping(const std::string &folder) {
  const std::string path = folder + "/" + std::string(MappingFileName);
  if (::access(path.c_str(), F_OK) != 0)
    return std::map<std::string, std::string>();
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  const ByteView bytes = file->bytes();
  return parseMapping(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

std::string npu::dump::toPath(const DumpFolder &folder) {
  std::string path = std::to_string(folder.deviceId);
  if (folder.modelName)
    path += '/' + replaceNameCharacters(*folder.modelName);
  if (folder.modelId)
    path += '/' + std::to_string(*folder.modelId);
  if (folder.dataIndex)
    path += '/' + std::to_string(*folder.dataIndex);
  return path;
}
