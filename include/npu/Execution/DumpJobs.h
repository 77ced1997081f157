//===- DumpJobs.h - Dump files of nodes ------------------------*- C++ -*-===//

#ifndef NPU_EXECUTION_DUMPJOBS_H
#define NPU_EXECUTION_DUMPJOBS_H

#include "npu/Dump/DumpWriter.h"
#include "npu/Execution/Session.h"

namespace npu {

/// The model that dump folders are named after.
struct DumpedModel {
  std::string name; ///< of the root graph
  uint32_t id = 0;
};

/// The dump of a node that has run: its inputs at \p anchors, all connected,
/// and its outputs \p outputs, with the node's task and the iteration as
/// data_index. Buffers are kept, not copied. A job without owners has nothing
/// to dump.
dump::DumpJob makeDumpJob(const NodeRun &run, llvm::ArrayRef<unsigned> anchors,
                          llvm::ArrayRef<unsigned> outputs,
                          const DumpedModel &model);

/// The same with everything the node has.
dump::DumpJob makeDumpJob(const NodeRun &run, const DumpedModel &model);

} // namespace npu

#endif // NPU_EXECUTION_DUMPJOBS_H
