//===- DumpWriter.h - Writes dump files in the background ------*- C++ -*-===//
//
// A thread writes what the run hands over, and threads of the run help when
// they have nothing else to do, each with a file of its own. Memory is bounded,
// no file is ever overwritten or appended to, and the manifest, which comes
// last, says whether everything is there. The rules are in docs/DumpFormat.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_DUMPWRITER_H
#define NPU_DUMP_DUMPWRITER_H

#include "npu/Dump/DumpFile.h"
#include "npu/Dump/DumpName.h"

#include <ctime>
#include <functional>
#include <memory>
#include <sys/types.h>
#include <sys/uio.h>

namespace npu::dump {

/// Where time comes from.
struct DumpClock {
  /// Microseconds since 1970.
  std::function<uint64_t()> microseconds;
  /// Local time, for the {time} folder.
  std::function<std::tm()> localTime;

  /// The clock of the system.
  static DumpClock system();
};

struct DumpWriterOptions {
  std::string dumpPath; ///< an existing folder
  uint32_t deviceId = 0;
  /// Overflow dumps of the documents have no {model_name} level.
  bool modelNameInFolder = true;
  DumpClock clock = DumpClock::system();
  /// Bytes of tensors that may wait to be written. A larger job is taken when
  /// nothing else waits.
  uint64_t bytesInFlightLimit = uint64_t(256) << 20;
  /// Somebody calls help() whenever a processor is free. The writer's own
  /// thread then waits until an eighth of bytesInFlightLimit is queued: where
  /// all processors compute, one more thread takes them away in the middle of
  /// work that others wait for.
  bool isHelped = false;
  /// Writes tensor files, with the contract of writev(2), and from several
  /// threads where there is help. For tests of slow and full disks.
  std::function<ssize_t(int fd, const iovec *parts, int count)> write =
      ::writev;
  /// Told by whoever writes, one at a time, after each piece of at most 1 MiB,
  /// how many bytes are written and how many wait. Must not call the writer.
  std::function<void(uint64_t written, uint64_t queued)> progress;
};

/// One execution of one operator, to become one file.
struct DumpJob {
  std::string opType;
  /// What stands for record.opName in the name of the file; record.opName
  /// itself where empty.
  std::string nameInFile;
  uint32_t taskId = 0;
  uint32_t streamId = 0;
  /// Each is a level of the folder, left out where absent.
  std::optional<std::string> modelName;
  std::optional<uint32_t> modelId;
  std::optional<uint64_t> dataIndex;
  /// dumpTime and all sizes are set by the writer, the sizes from data.
  DumpRecord record;
  /// Where set, the file is {name}.csv with the text that this makes of the
  /// record when it is written, and not a dump file. Of the data only the sizes
  /// are left then.
  std::function<std::string(const DumpRecord &)> csv;
  /// What keeps the data alive until it is written; with \c copy, nothing has
  /// to. A job to copy that is above the limit is not copied: enqueue returns
  /// when it is written.
  std::vector<std::shared_ptr<const void>> owners;
  bool copy = false;
};

/// Writes the files of one run: those of one process and device.
class DumpWriter {
public:
  /// Takes the {time} folder's name from the clock, once. Makes no folder yet:
  /// a run without files leaves nothing behind. Fails where dumpPath is not a
  /// writable folder.
  static Expected<std::unique_ptr<DumpWriter>>
  create(DumpWriterOptions options);

  /// Without finish(), the manifest says that the run ended early, if it has
  /// begun to dump.
  ~DumpWriter();

  /// Takes \p job, waiting while too much is in flight. A job without bytes
  /// makes no file. Fails with ErrorKind::Usage on a job that cannot become a
  /// correct file (which is all that happens), and with ErrorKind::Incomplete
  /// once writing failed: then with the first fault, for every job, at once.
  Status enqueue(DumpJob job);

  /// Writes one queued job in the calling thread. Returns false, at once, if
  /// none is queued or two threads are writing.
  bool help();

  /// Notes in the manifest that the run stops early: "stopped at op3: ...".
  /// What is queued is still written.
  void abort(std::string reason);

  /// Writes what is queued, then the manifest; where there is help, the calling
  /// thread does. Returns the first fault of writing. Nothing can be queued
  /// afterwards.
  Status finish();

  /// {dump_path}/{time}, which all files are below.
  const std::string &timeFolder() const;

private:
  struct Impl;
  explicit DumpWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace npu::dump

#endif // NPU_DUMP_DUMPWRITER_H
