//===- InlineCalls.h - Graphs called by nodes ------------------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_INLINECALLS_H
#define NPU_TRANSFORMS_INLINECALLS_H

#include "npu/Dialect/GE/IR/GE.h"

namespace npu {

/// Replaces every PartitionedCall of \p graph, and those of what they call, by
/// the nodes of the graph that it calls. The nodes keep their names; the call
/// becomes a NoOp that waits for them, for whoever waits for the call. Fails,
/// with a diagnostic, on a graph that is not there or calls itself, on inputs
/// and outputs that do not correspond, and on names that are taken.
mlir::LogicalResult inlineCalls(ge::GraphOp graph);

} // namespace npu

#endif // NPU_TRANSFORMS_INLINECALLS_H
