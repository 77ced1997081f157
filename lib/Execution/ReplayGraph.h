//===- ReplayGraph.h - A node as a graph of its own -------------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_REPLAYGRAPH_H
#define NPU_LIB_EXECUTION_REPLAYGRAPH_H

#include "npu/Execution/Session.h"

namespace npu {

/// Writes \p node, with \p inputs by anchor, to \p folder: graph.mlir, an array
/// for each input, and `options`, the command line that has npu-run compute it.
Status writeNodeGraph(const PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                      const std::string &folder);

} // namespace npu

#endif // NPU_LIB_EXECUTION_REPLAYGRAPH_H
