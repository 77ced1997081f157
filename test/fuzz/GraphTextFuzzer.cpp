//===- GraphTextFuzzer.cpp - Any bytes as a graph text --------------------===//

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Target/GE/Export.h"
#include "npu/Target/GE/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>

using namespace mlir;

static std::string exportText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(npu::ge::exportGE(module, os)))
    std::abort();
  return text;
}

/// What was imported can be exported, and the export is a text that imports
/// to the same.
static void check(llvm::StringRef text, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = npu::ge::importGE(text, "fuzz", context);
  if (!module)
    return;
  std::string exported = exportText(*module);
  OwningOpRef<ModuleOp> again = npu::ge::importGE(exported, "again", context);
  if (!again || exportText(*again) != exported)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context takes longer to make than a text to import, but keeps every
  // attribute it has seen.
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 1024 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  check({reinterpret_cast<const char *>(data), size}, context.get());
  return 0;
}
