//===- DumpSize.h - What dumps take on a disk ------------------*- C++ -*-===//

#ifndef NPU_EXECUTION_DUMPSIZE_H
#define NPU_EXECUTION_DUMPSIZE_H

#include "npu/Dump/DumpWriter.h"
#include "npu/Execution/Session.h"

namespace npu {

/// What dumps take on a disk.
struct DumpSize {
  uint64_t files = 0;
  uint64_t bytes = 0; ///< whole blocks, with the share of the manifest
  /// Whether there may be less: of statistics and of overflows only a bound is
  /// known.
  bool isBound = false;
  /// Whether there may be more or less: each branch of the graph counts once.
  bool isGuess = false;

  /// All are at most 2^64 - 1.
  DumpSize &operator+=(const DumpSize &other);
  DumpSize operator*(uint64_t times) const;
};

/// What the file of \p job takes on a disk with blocks of \p blockSize bytes.
/// Its tensors have sizes, but no data.
DumpSize measureJob(dump::DumpJob job, uint64_t blockSize);

/// The dumps of all iterations of \p session, if they run to their ends and
/// each branch once: \p measureNode adds those of a node to what it is given.
/// \p starts has the iterations at which something else begins to be dumped.
/// \p largest gets the dumps of the iteration with the most.
DumpSize measureIterations(
    const Session &session, llvm::SmallVector<uint64_t> starts,
    llvm::function_ref<void(const NodeRun &run, DumpSize &size)> measureNode,
    DumpSize &largest);

} // namespace npu

#endif // NPU_EXECUTION_DUMPSIZE_H
