//===- NpuDumpMain.cpp - npu-dump -----------------------------------------===//

#include "npu/Tools/Tools.h"

#include "CommandLine.h"
#include "Version.h"

#include "npu/Dump/Info.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace npu;
namespace cl = llvm::cl;

/// npu-dump info FILE...: what is in dump files and folders. What cannot be
/// read does not keep the rest from being shown.
static int runInfo(llvm::ArrayRef<std::string> paths, bool json) {
  int exitCode = 0;
  std::vector<dump::FileInfo> files;
  for (const std::string &path : paths) {
    Expected<std::vector<dump::FileInfo>> described = dump::describe(path);
    if (!described)
      exitCode = reportFailure(described.status());
    else if (described->empty())
      exitCode = reportFailure(Status::error(path + ": no dump file in it"));
    else
      files.insert(files.end(), std::make_move_iterator(described->begin()),
                   std::make_move_iterator(described->end()));
  }
  llvm::outs() << (json ? dump::toJson(files) : dump::toTable(files));
  const bool anyFault = llvm::any_of(
      files, [](const dump::FileInfo &file) { return !file.fault.empty(); });
  return anyFault ? 1 : exitCode;
}

int npu::npuDumpMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // libLLVM's own options are not this tool's
  cl::OptionCategory category("npu-dump options");
  cl::SubCommand info("info", "Show what is in dump files and folders");
  cl::list<std::string> paths(cl::Positional, cl::OneOrMore,
                              cl::desc("FILE|FOLDER..."), cl::sub(info),
                              cl::cat(category));
  cl::opt<bool> json("json", cl::desc("Print JSON"), cl::sub(info),
                     cl::cat(category));
  cl::SetVersionPrinter(printVersion);
  NormalizedArguments arguments(argc, argv);
  cl::ParseCommandLineOptions(
      arguments.count(), arguments.data(),
      "Read dump files of Ascend NPUs and of npu-run\n");
  if (info)
    return runInfo(paths, json);
  llvm::errs() << "error: expected a subcommand: info\n";
  return 1;
}
