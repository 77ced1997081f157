//===- Export.h - MLIR to GE graph text ------------------------*- C++ -*-===//

#ifndef NPU_TARGET_GE_EXPORT_H
#define NPU_TARGET_GE_EXPORT_H

#include "mlir/IR/BuiltinOps.h"

namespace npu::ge {

/// Prints \p module as GE graph text. For a module that importGE made the
/// result equals the imported text as a protobuf message. A module that holds
/// anything else than ge.graph and ge.node is refused with a diagnostic that
/// says what to do. Members of fused nodes are no part of the text.
mlir::LogicalResult exportGE(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace npu::ge

#endif // NPU_TARGET_GE_EXPORT_H
