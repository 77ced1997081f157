//===- NpuLspServerMain.cpp - npu-lsp-server ------------------------------===//

#include "npu/Tools/Tools.h"

#include "ToolRegistry.h"
#include "Version.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

int npu::npuLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerToolDialects(registry);
  llvm::cl::AddExtraVersionPrinter(printVersion);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
