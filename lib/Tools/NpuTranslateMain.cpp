//===- NpuTranslateMain.cpp - npu-translate -------------------------------===//

#include "npu/Tools/Tools.h"

#include "InputFile.h"
#include "OneLineDiagnostics.h"
#include "Version.h"

#include "npu/InitAllDialects.h"
#include "npu/Target/GE/Export.h"
#include "npu/Target/GE/Import.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"npu-translate options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE"), cl::init("-"),
                             cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Where to write the result"),
                              cl::value_desc("FILE"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<bool> importGE{"import-ge",
                         cl::desc("GE graph text (ge_proto_*.txt) to MLIR"),
                         cl::cat(category)};
  cl::opt<bool> exportGE{"export-ge", cl::desc("MLIR to GE graph text"),
                         cl::cat(category)};
  cl::opt<bool> strict{
      "strict", cl::desc("With --import-ge: an unknown field is an error"),
      cl::cat(category)};
  cl::opt<bool> bytecode{"emit-bytecode",
                         cl::desc("With --import-ge: write MLIR bytecode"),
                         cl::cat(category)};
};
} // namespace

static LogicalResult importFile(const Options &options,
                                llvm::MemoryBufferRef file,
                                MLIRContext *context, raw_ostream &os) {
  npu::ge::ImportOptions importOptions;
  importOptions.strict = options.strict;
  OwningOpRef<ModuleOp> module = npu::ge::importGE(
      file.getBuffer(), file.getBufferIdentifier(), context, importOptions);
  if (!module)
    return failure();
  if (options.bytecode)
    return writeBytecodeToFile(*module, os);
  module->print(os);
  os << '\n';
  return success();
}

static LogicalResult exportFile(std::unique_ptr<llvm::MemoryBuffer> file,
                                MLIRContext *context, raw_ostream &os) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  return module ? npu::ge::exportGE(*module, os) : failure();
}

int npu::npuTranslateMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // libLLVM's own options are not this tool's
  Options options;
  registerAsmPrinterCLOptions();
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(argc, argv,
                              "Translate between GE graph text and MLIR\n");
  if (options.importGE == options.exportGE) {
    llvm::errs() << "error: expected one of --import-ge and --export-ge\n";
    return 1;
  }

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      readInputFile(options.input, message);
  if (!file) {
    llvm::errs() << "error: " << message << '\n';
    return 1;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OneLineDiagnostics diagnostics(&context);

  // The output file only comes to be when there is something to put into it.
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(options.output, &message);
  if (!output) {
    llvm::errs() << "error: " << message << '\n';
    return 1;
  }
  LogicalResult result =
      options.importGE ? importFile(options, *file, &context, output->os())
                       : exportFile(std::move(file), &context, output->os());
  if (failed(result))
    return 1;
  output->os().flush();
  if (output->os().has_error()) {
    llvm::errs() << "error: " << options.output
                 << ": cannot write: " << output->os().error().message()
                 << '\n';
    output->os().clear_error();
    return 3;
  }
  output->keep();
  return 0;
}
