//===- DumpFind.cpp - npu-dump find ---------------------------------------===//

#include "CommandLine.h"
#include "DumpCommands.h"
#include "GraphLoader.h"
#include "OneLineDiagnostics.h"

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"
#include "npu/Dump/DumpName.h"
#include "npu/Dump/FileList.h"
#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace npu;
namespace cl = llvm::cl;

/// The name of the first graph of \p module: the model that was loaded.
static std::string getModelName(ModuleOp module) {
  for (auto graph : module.getOps<ge::GraphOp>())
    return graph.getGraphName().str();
  return {};
}

/// The folders below \p root that are named after the model \p name.
static std::vector<std::string> findModelFolders(const std::string &root,
                                                 const std::string &name) {
  const std::string folderName = dump::replaceNameCharacters(name);
  std::vector<std::string> folders;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(root, error), end;
       it != end && !error; it.increment(error))
    if (llvm::sys::path::filename(it->path()) == folderName &&
        llvm::sys::fs::is_directory(it->path()))
      folders.push_back(it->path());
  llvm::sort(folders);
  return folders;
}

/// Whether \p node is named \p name, or was made of an operator of that name.
static bool isNamed(ge::NodeOp node, StringRef name) {
  return node.getNodeName() == name ||
         llvm::is_contained(
             cast<instr::InstrumentableOpInterface>(node.getOperation())
                 .getInstrumentationAliases(),
             name);
}

namespace {

/// npu-dump find: the graph that computes among the stage files of a run, and
/// the dumps that belong to it.
class FindCommand : public DumpCommand {
public:
  FindCommand()
      : DumpCommand("find", "Find the compute graph among stage files, its "
                            "dumps and operators") {}

  int run() override;

private:
  /// Prints what belongs to the graph of \p module and returns whether that is
  /// anything that was asked for.
  bool show(ModuleOp module) const;
  void showDumps(StringRef opName,
                 llvm::ArrayRef<std::string> modelFolders) const;

  cl::opt<std::string> folder{cl::Positional, cl::Required, cl::desc("FOLDER"),
                              cl::sub(subcommand)};
  cl::opt<std::string> dumps{cl::Positional, cl::desc("[DUMPFOLDER]"),
                             cl::sub(subcommand)};
  cl::opt<std::string> op{
      "op", cl::value_desc("NAME"),
      cl::desc("Show the operators of this name, or made of one of it"),
      cl::sub(subcommand)};
};

} // namespace

/// Lists the dump files of the operator \p opName.
void FindCommand::showDumps(StringRef opName,
                            llvm::ArrayRef<std::string> modelFolders) const {
  const std::string name = dump::replaceNameCharacters(opName.str());
  for (const std::string &modelFolder : modelFolders) {
    Expected<std::vector<dump::ListedFile>> files =
        dump::listDumpFiles(modelFolder, dump::ListedKinds::WithStatistics);
    if (!files)
      continue; // it has gone since it was found
    for (const dump::ListedFile &file : *files)
      if (std::optional<dump::DumpName> parsed = file.parseName();
          parsed && parsed->opName == name)
        llvm::outs() << "    " << file.path.string() << '\n';
  }
}

bool FindCommand::show(ModuleOp module) const {
  std::vector<std::string> folders;
  if (!dumps.empty())
    folders = findModelFolders(dumps, getModelName(module));
  for (const std::string &modelFolder : folders)
    llvm::outs() << "  dumps: " << modelFolder << '\n';
  if (!dumps.empty() && folders.empty())
    llvm::outs() << "  no dumps in " << dumps << '\n';
  if (op.empty())
    return dumps.empty() || !folders.empty();
  bool any = false;
  module.walk([&](ge::NodeOp node) {
    if (!isNamed(node, op))
      return;
    any = true;
    llvm::outs() << "  " << node.getOpType() << " " << node.getNodeName()
                 << '\n';
    showDumps(node.getNodeName(), folders);
  });
  if (!any)
    llvm::outs() << "  no operator " << op << '\n';
  return any;
}

int FindCommand::run() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerExternalModels(registry);
  MLIRContext context(registry);
  OneLineDiagnostics diagnostics(&context);
  Expected<GraphCandidates> found = findComputeGraphs(folder, &context);
  if (!found)
    return reportFailure(found.status());
  if (!dumps.empty() && !llvm::sys::fs::is_directory(dumps))
    return reportFailure(Status::error(dumps + ": expected a folder"));
  bool any = false;
  for (GraphCandidate &graph : found->graphs) {
    llvm::outs() << graph.file << ": " << getModelName(*graph.module) << " ("
                 << graph.numNodes << " ops)\n";
    any |= show(*graph.module);
  }
  return any && !found->anyFaulty ? 0 : 1;
}

std::unique_ptr<DumpCommand> npu::makeFindCommand() {
  return std::make_unique<FindCommand>();
}
