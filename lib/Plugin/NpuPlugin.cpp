//===- NpuPlugin.cpp - Dialects and passes as a plugin --------------------===//
//
//   mlir-opt --load-dialect-plugin=libNpuPlugin.so
//     --pass-pipeline='any(npu-insert-dump{layer=conv1})'
//
// The dialect plugin brings the passes as well. A program that has them already
// is left as it is: two copies of a dialect or a pass end the process.
//
//===----------------------------------------------------------------------===//

#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"
#include "npu/InitAllPasses.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

static void registerPasses() {
  if (!mlir::PassInfo::lookup("npu-insert-dump"))
    npu::registerAllPasses();
}

static void registerDialects(mlir::DialectRegistry *registry) {
  if (registry->getDialectAllocator("ge") ||
      registry->getDialectAllocator("instr")) {
    llvm::errs() << "warning: NpuPlugin is not needed: the program has the "
                    "dialects ge and instr already\n";
    return;
  }
  npu::registerAllDialects(*registry);
  npu::registerExternalModels(*registry);
  registerPasses();
}

extern "C" mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "NpuPlugin", NPU_VERSION, registerDialects};
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "NpuPlugin", NPU_VERSION, registerPasses};
}
