//===- NpuOptMain.cpp - npu-opt -------------------------------------------===//

#include "npu/Tools/Tools.h"

#include "Version.h"

#include "npu/InitAllDialects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

int npu::npuOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<mlir::func::FuncDialect, mlir::arith::ArithDialect>();
  mlir::registerTransformsPasses();
  llvm::cl::AddExtraVersionPrinter(printVersion);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "npu-mlir pass driver\n", registry));
}
