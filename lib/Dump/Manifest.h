//===- Manifest.h - The list of a run's files ------------------*- C++ -*-===//

#ifndef NPU_LIB_DUMP_MANIFEST_H
#define NPU_LIB_DUMP_MANIFEST_H

#include "npu/Dump/DumpWriter.h"

#include <deque>

namespace npu::dump {

/// A file that was written.
struct ManifestFile {
  std::string path;         ///< below the {time} folder
  std::string originalName; ///< where the file has a name of digits
  uint64_t headerBytes = 0; ///< offset of the first tensor, or all of a CSV
  uint32_t crc32 = 0;       ///< of the whole file, as zlib computes it
};

/// A job as the manifest lists it.
struct ManifestEntry {
  std::string text;    ///< of its file; empty if it was not written
  std::string path;    ///< below the {time} folder
  std::string missing; ///< its text without the file
};

/// Describes a written job.
ManifestEntry makeManifestEntry(const DumpJob &job, const ManifestFile &file);
/// Describes one that was not written.
ManifestEntry makeMissingEntry(const DumpJob &job);

/// Writes manifest.{device}.json. It grows under a hidden name while the run
/// goes on, so that a run of any length takes little memory, and gets its name
/// at the end.
class ManifestWriter {
public:
  /// \p folder is {dump_path}/{time}, of the name \p time; it need not exist
  /// before finish, nor before 1 MiB of entries.
  ManifestWriter(std::string folder, const std::string &time,
                 uint32_t deviceId);

  /// Lists a job.
  void add(ManifestEntry entry);

  /// Whether anything was listed.
  bool empty() const { return !hasFiles && entries.empty() && missing.empty(); }

  /// Completes the manifest; an empty \p reason means that the run is complete.
  /// Where the disk has no room for it, the newest files make some: they are
  /// removed and listed as missing. Fails if there is no manifest, or if a
  /// complete run lost files.
  Status finish(std::string reason);

private:
  /// Writes the oldest \p count entries and \p tail.
  int flush(size_t count, const std::string &tail);
  int publish(int folderFd);
  /// Removes the newest file.
  void dropNewest();
  void addMissing(std::string text);

  std::string folder;
  uint32_t deviceId;
  FileDescriptor fd;
  std::string temporaryName;
  std::string head;                  ///< empty once it is written
  std::deque<ManifestEntry> entries; ///< listed in memory only
  size_t entryBytes = 0;
  std::string missing;
  bool hasFiles = false; ///< some are written
};

} // namespace npu::dump

#endif // NPU_LIB_DUMP_MANIFEST_H
