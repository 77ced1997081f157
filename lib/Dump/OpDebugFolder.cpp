//===- OpDebugFolder.cpp - The overflow records of a dump -----------------===//

#include "npu/Dump/OverflowRecords.h"

#include "npu/Dump/FileList.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

using namespace npu;
using namespace npu::dump;

namespace fs = std::filesystem;

namespace {
struct NamedFile {
  ListedFile file;
  DumpName name;
};
} // namespace

/// The number that the folder of \p file is named by.
static std::optional<uint64_t> getDataIndex(const fs::path &file) {
  std::error_code error;
  const std::string name =
      fs::absolute(file, error).lexically_normal().parent_path().filename();
  uint64_t index = 0;
  const char *end = name.data() + name.size();
  auto [next, fault] = std::from_chars(name.data(), end, index);
  if (fault != std::errc() || next != end)
    return std::nullopt;
  return index;
}

/// Whether the file of \p name is a dump of the operator in \p record.
static bool isDumpOf(const DumpName &name, const OpDebugRecord &record) {
  constexpr uint64_t wholeOp = OpDebugRecord().contextId;
  auto matches = [](uint64_t wanted, uint64_t id) {
    return wanted == wholeOp || wanted == id;
  };
  const bool sameSlice = getLayout(record.unit) == OpDebugLayout::Old ||
                         !name.slice ||
                         (matches(record.contextId, name.slice->contextId) &&
                          matches(record.threadId, name.slice->threadId));
  return !isOpDebug(name) && name.taskId == record.taskId &&
         (!name.streamId || *name.streamId == record.streamId) && sameSlice;
}

/// Files by folder and task id.
using FileIndex =
    std::multimap<std::pair<fs::path, uint32_t>, const NamedFile *>;

/// The dump that \p record of \p debugFile is about; null for none.
static const NamedFile *findDump(const FileIndex &index,
                                 const NamedFile &debugFile,
                                 const OpDebugRecord &record) {
  if (record.taskId > UINT32_MAX)
    return nullptr;
  const uint64_t time = debugFile.name.timestamp;
  // The last that is not younger than the record, else the first.
  auto isBetter = [&](uint64_t candidate, uint64_t best) {
    return candidate <= time ? best > time || candidate > best
                             : candidate < best;
  };
  auto [next, end] = index.equal_range({debugFile.file.path.parent_path(),
                                        static_cast<uint32_t>(record.taskId)});
  const NamedFile *best = nullptr;
  for (; next != end; ++next)
    if (const NamedFile *file = next->second;
        isDumpOf(file->name, record) &&
        (!best || isBetter(file->name.timestamp, best->name.timestamp)))
      best = file;
  return best;
}

static std::optional<FileInfo> describeOne(const ListedFile &file) {
  Expected<std::vector<FileInfo>> files = describe(file.path.string());
  if (!files) // it has gone since it was listed
    return std::nullopt;
  return std::move(files->front());
}

/// Adds the other files of the folder of \p path.
static void addNeighbours(const fs::path &path,
                          std::vector<ListedFile> &files) {
  const fs::path folder = path.parent_path();
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const fs::path file = folder / entry->path().filename();
    if (file == path || !entry->is_regular_file(error))
      continue;
    if (Expected<std::vector<ListedFile>> one = listDumpFiles(file.string()))
      files.push_back(std::move(one->front()));
  }
}

Expected<std::vector<OverflowRecord>>
npu::dump::collectOverflowRecords(const std::string &path) {
  Expected<std::vector<ListedFile>> listed = listDumpFiles(path);
  if (!listed)
    return listed.takeStatus();
  std::error_code error;
  const bool isFolder = fs::is_directory(path, error);
  if (!isFolder) // the operator's dump is beside it
    addNeighbours(path, *listed);
  std::vector<NamedFile> files;
  for (ListedFile &file : *listed)
    if (std::optional<DumpName> name = parseFileName(file.fullName))
      files.push_back({std::move(file), std::move(*name)});
  FileIndex index;
  for (const NamedFile &file : files)
    index.emplace(std::pair(file.file.path.parent_path(), file.name.taskId),
                  &file);

  std::vector<OverflowRecord> records;
  for (const NamedFile &file : files) {
    if (!isOpDebug(file.name) || (!isFolder && file.file.path != path))
      continue;
    std::optional<FileInfo> info = describeOne(file.file);
    if (!info)
      continue;
    OverflowRecord &record = records.emplace_back();
    record.file = std::move(*info);
    record.dataIndex = getDataIndex(file.file.path);
    if (record.file.opDebug)
      if (const NamedFile *op = findDump(index, file, *record.file.opDebug))
        record.op = describeOne(op->file);
  }
  auto order = [](const OverflowRecord &record) {
    return std::tuple(record.dataIndex, record.file.name->timestamp,
                      std::string_view(record.file.path));
  };
  std::sort(records.begin(), records.end(),
            [&](const OverflowRecord &left, const OverflowRecord &right) {
              return order(left) < order(right);
            });
  return records;
}
