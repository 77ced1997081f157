//===- NpuDumpMain.cpp - npu-dump -----------------------------------------===//

#include "npu/Tools/Tools.h"

#include "CommandLine.h"
#include "DumpCommands.h"
#include "Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"

using namespace npu;
namespace cl = llvm::cl;

std::vector<std::string> npu::splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (llvm::StringRef part : llvm::split(text, ','))
    parts.push_back(part.str());
  return parts;
}

int npu::npuDumpMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // libLLVM's own options are not this tool's
  const std::unique_ptr<DumpCommand> commands[] = {
      makeInfoCommand(),     makeConvertCommand(), makeCompareCommand(),
      makeOverflowCommand(), makeFindCommand(),    makeStatsCommand()};
  // --help lists nothing but categories.
  cl::OptionCategory category("Options");
  for (const std::unique_ptr<DumpCommand> &command : commands)
    command->addOptionsTo(category);
  cl::SetVersionPrinter(printVersion);
  NormalizedArguments arguments(argc, argv);
  cl::ParseCommandLineOptions(
      arguments.count(), arguments.data(),
      "Read dump files of Ascend NPUs and of npu-run\n");
  for (const std::unique_ptr<DumpCommand> &command : commands)
    if (command->isChosen())
      return command->run();
  llvm::errs() << "error: expected a subcommand: info, convert, compare, "
                  "overflow, find or stats\n";
  return 1;
}
