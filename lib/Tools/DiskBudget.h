//===- DiskBudget.h - Whether the dumps of a run find room -----*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_DISKBUDGET_H
#define NPU_LIB_TOOLS_DISKBUDGET_H

#include "npu/Execution/DumpRecorder.h"
#include "npu/Execution/OverflowRecorder.h"

#include <string>

namespace npu {

/// What the dumps of a run may take.
struct DumpLimit {
  bool isIgnored = false;        ///< only warn
  std::optional<uint64_t> bytes; ///< besides what the disk has
};

/// Reads "any", or a number of bytes that K, M, G or T may follow, for the
/// powers of 1000.
Expected<DumpLimit> parseDumpLimit(llvm::StringRef text);

/// What the dumps will take, beside what there is.
class DiskBudget {
public:
  /// Asks the file system of \p folder.
  static Expected<DiskBudget> create(const std::string &folder,
                                     const DumpLimit &limit);

  /// The dumps of a graph that runs as \p session; of overflows as many as
  /// there can be.
  template <typename Recorder>
  void add(const Recorder &recorder, const Session &session) {
    DumpSize most;
    total += recorder.measure(session, blockSize, most);
    largest += most;
    numIterations = std::max(numIterations, session.iterations().count);
    isOfOverflows = std::is_same_v<Recorder, OverflowRecorder>;
  }

  /// Prints the numbers. Fails where there is not enough, or warns. What the
  /// disk has does not matter to dumps of overflows: seldom every node
  /// overflows.
  Status check() const;

private:
  std::string folder;
  DumpLimit limit;
  uint64_t blockSize = 1;
  uint64_t freeBytes = 0;
  std::optional<uint64_t> freeFiles; ///< none where there is no limit
  DumpSize total, largest;           ///< largest: of an iteration
  uint64_t numIterations = 0;
  bool isOfOverflows = false;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_DISKBUDGET_H
