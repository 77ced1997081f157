//===- Manifest.cpp - The list of a run's files ---------------------------===//

#include "Manifest.h"

#include "Json.h"
#include "npu/Dump/Folder.h"

#include <cerrno>
#include <cstdio>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

/// Entries are handed to the file in pieces of about this many bytes.
static constexpr size_t flushSize = size_t(1) << 20;

/// Entries that stay in memory: their files can make room on a full disk.
static constexpr size_t numKept = 256;

static Json describeJob(const DumpJob &job) {
  Json json = {{"op_type", job.opType}, {"op_name", job.record.opName}};
  if (job.modelName)
    json["model_name"] = *job.modelName;
  if (job.modelId)
    json["model_id"] = *job.modelId;
  json["task_id"] = job.taskId;
  json["stream_id"] = job.streamId;
  if (job.dataIndex)
    json["data_index"] = *job.dataIndex;
  return json;
}

static Json describeParts(const DumpRecord &record, uint64_t offset) {
  Json parts = Json::array();
  auto add = [&](const char *io, size_t index, uint64_t size) -> Json & {
    parts.push_back(
        {{"io", io}, {"index", index}, {"size", size}, {"offset", offset}});
    offset += size;
    return parts.back();
  };
  auto addTensors = [&](const char *io,
                        const std::vector<DumpTensor> &tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const DumpTensor &tensor = tensors[i];
      Json &part = add(io, i, tensor.size);
      part["dtype"] = std::string(getName(tensor.dtype));
      part["format"] = std::string(getName(tensor.format));
      part["sub_format"] = tensor.subFormat;
      part["shape"] = tensor.shape;
      part["original_shape"] = tensor.originalShape;
    }
  };
  addTensors("input", record.inputs);
  addTensors("output", record.outputs);
  for (size_t i = 0; i < record.buffers.size(); ++i)
    add("buffer", i, record.buffers[i].size);
  for (size_t i = 0; i < record.spaces.size(); ++i)
    add("space", i, record.spaces[i].size);
  return parts;
}

ManifestWriter::ManifestWriter(std::string folder, const std::string &time,
                               uint32_t deviceId)
    : folder(std::move(folder)), deviceId(deviceId) {
  head = "{\"format\": \"npu-dump-manifest\", \"version\": 1,\n\"time\": " +
         toText(time) + ", \"device\": " + std::to_string(deviceId) +
         ",\n\"files\": [";
}

ManifestEntry npu::dump::makeManifestEntry(const DumpJob &job,
                                           const ManifestFile &file) {
  Json json = {{"path", file.path}};
  if (!file.originalName.empty())
    json["original_name"] = file.originalName;
  const Json described = describeJob(job);
  json.update(described);
  json["timestamp"] = job.record.dumpTime;
  Json parts = Json::array(); // none in a file of statistics
  uint64_t size = file.headerBytes;
  if (!job.csv) {
    parts = describeParts(job.record, file.headerBytes);
    job.record.forEachPart([&](ByteView data) { size += data.size(); });
  }
  char checksum[9];
  std::snprintf(checksum, sizeof(checksum), "%08x", file.crc32);
  json["size"] = size;
  json["crc32"] = checksum;
  json["tensors"] = std::move(parts);
  return {toText(json), file.path, toText(described)};
}

ManifestEntry npu::dump::makeMissingEntry(const DumpJob &job) {
  return {{}, {}, toText(describeJob(job))};
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
    fd = createHiddenFile(folderFd.get(), temporaryName);
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
