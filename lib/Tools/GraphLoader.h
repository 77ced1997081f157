//===- GraphLoader.h - Graphs in any of their forms ------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_GRAPHLOADER_H
#define NPU_LIB_TOOLS_GRAPHLOADER_H

#include "npu/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace npu {

/// A graph of a folder of stage files that may be the one that computes.
struct GraphCandidate {
  std::string file;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t numNodes = 0;
};

struct GraphCandidates {
  std::vector<GraphCandidate> graphs; ///< by the names of their files
  /// Whether a file has faults inside, which are diagnostics of the context.
  bool anyFaulty = false;
};

/// The compute graphs of a folder of stage files: those *_Build.txt that an
/// iterator feeds, or else all. Fails where there is no such file.
Expected<GraphCandidates> findComputeGraphs(const std::string &folder,
                                            mlir::MLIRContext *context);

/// Loads GE graph text, MLIR text or bytecode, told apart by content, or finds
/// the compute graph in a folder of stage files: the only *_Build.txt that an
/// iterator feeds, or else the only *_Build.txt. \p path becomes the file that
/// was taken. Faults inside a file are diagnostics of \p context; the message
/// of the failure is then empty.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
loadGraph(std::string &path, mlir::MLIRContext *context);

} // namespace npu

#endif // NPU_LIB_TOOLS_GRAPHLOADER_H
