//===- ToolRegistry.h - What npu-opt and the server can read ---*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_TOOLREGISTRY_H
#define NPU_LIB_TOOLS_TOOLREGISTRY_H

#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// The dialects of this project, and those of MLIR that show its passes on
/// other operations.
inline void registerToolDialects(mlir::DialectRegistry &registry) {
  registerAllDialects(registry);
  registerExternalModels(registry);
  registry.insert<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
}

} // namespace npu

#endif // NPU_LIB_TOOLS_TOOLREGISTRY_H
