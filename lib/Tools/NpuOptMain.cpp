//===- NpuOptMain.cpp - npu-opt -------------------------------------------===//

#include "npu/Tools/Tools.h"

#include "InputFile.h"
#include "ToolRegistry.h"
#include "Version.h"

#include "npu/InitAllPasses.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

int npu::npuOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerToolDialects(registry);
  mlir::registerTransformsPasses();
  registerAllPasses();
  llvm::cl::AddExtraVersionPrinter(printVersion);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "npu-mlir pass driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));

  llvm::InitLLVM init(argc, argv);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = readInputFile(input, message);
  std::unique_ptr<llvm::ToolOutputFile> result =
      file ? mlir::openOutputFile(output, &message) : nullptr;
  if (!result) {
    llvm::errs() << "error: " << message << '\n';
    return EXIT_FAILURE;
  }
  if (failed(
          mlir::MlirOptMain(result->os(), std::move(file), registry, config)))
    return EXIT_FAILURE;
  result->keep();
  return EXIT_SUCCESS;
}
