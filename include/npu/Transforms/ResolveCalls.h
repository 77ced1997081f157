//===- ResolveCalls.h - Graphs that nodes call and run ---------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_RESOLVECALLS_H
#define NPU_TRANSFORMS_RESOLVECALLS_H

#include "npu/Dialect/GE/IR/GE.h"

#include "llvm/ADT/SetVector.h"

namespace npu {

/// Replaces every PartitionedCall of \p root, and those of what they call, by
/// the nodes of the graph that it calls; the call becomes a NoOp that waits for
/// them, for whoever waits for the call. A node that runs other graphs (If,
/// Case, While, For) gets graphs of its own, in which calls are replaced as
/// well. Returns \p root and these graphs; the callers of a graph come before
/// it.
///
/// Nodes keep their names the first time that their graph is called or run, and
/// have the caller's in front ("call/conv1") in further copies and where the
/// name is taken. A constant, a variable is one for all copies: it keeps its
/// name. A graph that is run several times keeps its name; the symbols of its
/// copies differ.
///
/// Fails, with a diagnostic, on a graph that is not there or calls itself, and
/// on inputs and outputs that do not correspond.
mlir::FailureOr<llvm::SetVector<ge::GraphOp>> resolveCalls(ge::GraphOp root);

} // namespace npu

#endif // NPU_TRANSFORMS_RESOLVECALLS_H
