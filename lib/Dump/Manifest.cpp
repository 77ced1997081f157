//===- Manifest.cpp - The list of a run's files ---------------------------===//

#include "Manifest.h"

#include "Json.h"
#include "npu/Dump/Folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <unistd.h>
#include <utility>

using namespace npu;
using namespace npu::dump;

/// Entries are handed to the file in pieces of about this many bytes.
static constexpr size_t flushSize = size_t(1) << 20;

/// Entries that stay in memory: their files can make room on a full disk.
static constexpr size_t numKept = 256;

namespace {
/// Appends a member of an object at a time, as toText writes it. A run can have
/// thousands of files, and objects of the library take longer than small files.
class ObjectText {
public:
  explicit ObjectText(std::string &text) : text(text) {}

  void add(std::string_view key, std::string_view value) {
    addKey(key);
    const auto isPlain = [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    };
    if (std::all_of(value.begin(), value.end(), isPlain))
      text.append(1, '"').append(value).append(1, '"');
    else
      text += toText(value);
  }
  template <std::integral T>
  void add(std::string_view key, T value) {
    addKey(key);
    addNumber(value);
  }
  void add(std::string_view key, const Shape &values) {
    addKey(key);
    char before = '[';
    for (int64_t value : values) {
      text += std::exchange(before, ',');
      addNumber(value);
    }
    text += values.empty() ? "[]" : "]";
  }
  /// What follows has to be a value.
  void addKey(std::string_view key) {
    if (!std::exchange(isFirst, false))
      text += ',';
    text.append(1, '"').append(key).append("\":");
  }

private:
  std::string &text;
  bool isFirst = true;

  template <std::integral T>
  void addNumber(T value) {
    char digits[24];
    text.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }
};
} // namespace

static void addJob(ObjectText &object, const DumpJob &job) {
  object.add("op_type", job.opType);
  object.add("op_name", job.record.opName);
  if (job.modelName)
    object.add("model_name", *job.modelName);
  if (job.modelId)
    object.add("model_id", *job.modelId);
  object.add("task_id", job.taskId);
  object.add("stream_id", job.streamId);
  if (job.dataIndex)
    object.add("data_index", *job.dataIndex);
}

static void addParts(std::string &text, const DumpRecord &record,
                     uint64_t offset) {
  auto begin = [&](const char *io, size_t index, uint64_t size) {
    if (text.back() == '}')
      text += ',';
    text += '{';
    ObjectText part(text);
    part.add("io", io);
    part.add("index", index);
    part.add("size", size);
    part.add("offset", offset);
    offset += size;
    return part;
  };
  auto addTensors = [&](const char *io,
                        const std::vector<DumpTensor> &tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const DumpTensor &tensor = tensors[i];
      ObjectText part = begin(io, i, tensor.size);
      part.add("dtype", getName(tensor.dtype));
      part.add("format", getName(tensor.format));
      part.add("sub_format", tensor.subFormat);
      part.add("shape", tensor.shape);
      part.add("original_shape", tensor.originalShape);
      text += '}';
    }
  };
  addTensors("input", record.inputs);
  addTensors("output", record.outputs);
  for (size_t i = 0; i < record.buffers.size(); ++i) {
    begin("buffer", i, record.buffers[i].size);
    text += '}';
  }
  for (size_t i = 0; i < record.spaces.size(); ++i) {
    begin("space", i, record.spaces[i].size);
    text += '}';
  }
}

ManifestEntry npu::dump::makeManifestEntry(const DumpJob &job,
                                           const ManifestFile &file) {
  ManifestEntry entry;
  entry.path = file.path;
  entry.text = "{";
  ObjectText object(entry.text);
  object.add("path", file.path);
  if (!file.originalName.empty())
    object.add("original_name", file.originalName);
  const size_t jobBegin = entry.text.size() + 1; // behind the comma
  addJob(object, job);
  entry.missing = '{' + entry.text.substr(jobBegin) + '}';
  object.add("timestamp", job.record.dumpTime);
  uint64_t size = file.headerBytes;
  if (!job.csv)
    job.record.forEachPart([&](ByteView data) { size += data.size(); });
  char checksum[9];
  std::snprintf(checksum, sizeof(checksum), "%08x", file.crc32);
  object.add("size", size);
  object.add("crc32", checksum);
  object.addKey("tensors");
  entry.text += '[';
  if (!job.csv) // there are none in a file of statistics
    addParts(entry.text, job.record, file.headerBytes);
  entry.text += "]}";
  return entry;
}

ManifestWriter::ManifestWriter(std::string folder, const std::string &time,
                               uint32_t deviceId)
    : folder(std::move(folder)), deviceId(deviceId) {
  head = "{\"format\": \"npu-dump-manifest\", \"version\": 1,\n\"time\": " +
         toText(time) + ", \"device\": " + std::to_string(deviceId) +
         ",\n\"files\": [";
}

ManifestEntry npu::dump::makeMissingEntry(const DumpJob &job) {
  ManifestEntry entry;
  entry.missing = "{";
  ObjectText object(entry.missing);
  addJob(object, job);
  entry.missing += '}';
  return entry;
}

void ManifestWriter::add(ManifestEntry entry) {
  if (entry.text.empty())
    return addMissing(std::move(entry.missing));
  entries.push_back(std::move(entry));
  entryBytes += entries.back().text.size();
  // A fault here is not lost: the entries stay, and finish meets it.
  if (entryBytes >= flushSize && entries.size() > numKept)
    flush(entries.size() - numKept, "");
}

void ManifestWriter::addMissing(std::string text) {
  missing += (missing.empty() ? "\n" : ",\n") + std::move(text);
}

void ManifestWriter::dropNewest() {
  ManifestEntry &entry = entries.back();
  ::unlink((folder + "/" + entry.path).c_str());
  addMissing(std::move(entry.missing));
  entryBytes -= entry.text.size();
  entries.pop_back();
}

/// Returns 0 or an errno value; a failed flush leaves all as it was.
int ManifestWriter::flush(size_t count, const std::string &tail) {
  if (!fd) {
    FileDescriptor folderFd = openFolder(folder);
    if (!folderFd)
      return errno;
    fd = HiddenFiles().create(folderFd.get(), temporaryName);
    if (!fd)
      return errno;
  }
  std::string text = head;
  for (size_t i = 0; i < count; ++i)
    text += (hasFiles || i > 0 ? ",\n" : "\n") + entries[i].text;
  text += tail;
  const off_t start = ::lseek(fd.get(), 0, SEEK_CUR);
  if (int error = writeAll(fd.get(), asBytes(text))) {
    if (::ftruncate(fd.get(), start) != 0)
      return errno;
    ::lseek(fd.get(), start, SEEK_SET);
    return error;
  }
  head.clear();
  hasFiles |= count != 0;
  for (; count != 0; --count) {
    entryBytes -= entries.front().text.size();
    entries.pop_front();
  }
  return 0;
}

int ManifestWriter::publish(int folderFd) {
  const std::string stem = "manifest." + std::to_string(deviceId);
  std::string name = stem + ".json";
  for (unsigned i = 1;; ++i) {
    const int error = renameNoReplace(folderFd, temporaryName, name);
    if (error != EEXIST)
      return error;
    name = stem + "." + std::to_string(i) + ".json";
  }
}

Status ManifestWriter::finish(std::string reason) {
  auto describe = [&](int error) {
    return errnoStatus(ErrorKind::Incomplete, folder + ": the manifest", error);
  };
  auto isFull = [](int error) { return error == ENOSPC || error == EDQUOT; };
  Status lost;
  int error = 0;
  while (true) {
    std::string tail = "\n],\n\"missing\": [" + missing + "\n],\n\"status\": ";
    if (reason.empty())
      tail += "\"complete\"}\n";
    else
      tail += "\"incomplete\", \"reason\": " + toText(reason) + "}\n";
    error = flush(entries.size(), tail);
    if (!isFull(error) || entries.empty())
      break;
    if (reason.empty()) {
      lost = describe(error);
      reason = lost.message();
    }
    dropNewest();
  }
  FileDescriptor folderFd;
  if (fd) {
    if (int closeError = fd.close(); error == 0)
      error = closeError;
    folderFd = openFolder(folder);
    if (!folderFd && error == 0)
      error = errno;
    if (error == 0)
      error = publish(folderFd.get());
    if (error != 0)
      ::unlinkat(folderFd.get(), temporaryName.c_str(), 0);
  }
  return error == 0 ? std::move(lost) : describe(error);
}
