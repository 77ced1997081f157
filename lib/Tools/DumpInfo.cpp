//===- DumpInfo.cpp - npu-dump info ---------------------------------------===//

#include "CommandLine.h"
#include "DumpCommands.h"

#include "npu/Dump/Info.h"

using namespace npu;
namespace cl = llvm::cl;

namespace {

/// npu-dump info FILE...: what is in dump files and folders. What cannot be
/// read does not keep the rest from being shown.
class InfoCommand : public DumpCommand {
public:
  InfoCommand()
      : DumpCommand("info", "Show what is in dump files and folders") {}

  int run() override {
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

private:
  cl::list<std::string> paths{cl::Positional, cl::OneOrMore,
                              cl::desc("FILE|FOLDER..."), cl::sub(subcommand)};
  cl::opt<bool> json{"json", cl::desc("Print JSON"), cl::sub(subcommand)};
};

} // namespace

std::unique_ptr<DumpCommand> npu::makeInfoCommand() {
  return std::make_unique<InfoCommand>();
}
