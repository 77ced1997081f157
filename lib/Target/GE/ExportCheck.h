//===- ExportCheck.h - What has a form in graph text -----------*- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_EXPORTCHECK_H
#define NPU_LIB_TARGET_GE_EXPORTCHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace npu::ge {

/// Whether exportGE can write \p module: it holds only what importGE could
/// have made. Otherwise there is an error that says what it cannot.
llvm::LogicalResult checkExportable(mlir::ModuleOp module);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_EXPORTCHECK_H
