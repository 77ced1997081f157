//===- GraphLoader.cpp - Graphs in any of their forms ---------------------===//

#include "GraphLoader.h"

#include "InputFile.h"

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Target/GE/Import.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace npu;

using Module = OwningOpRef<ModuleOp>;

/// Whether \p text starts as MLIR does. A '#' starts an alias there, and a
/// comment in graph text.
static bool startsLikeMLIR(StringRef text) {
  text = text.ltrim();
  if (text.consume_front("#")) {
    StringRef name = text.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; });
    return !name.empty() &&
           text.drop_front(name.size()).ltrim().starts_with("=");
  }
  return llvm::any_of(
      ArrayRef<StringRef>{"module", "ge.graph", "\"builtin.module\"", "//"},
      [&](StringRef start) { return text.starts_with(start); });
}

static bool isMLIR(llvm::MemoryBufferRef file, StringRef path) {
  return isBytecode(file) || path.ends_with(".mlir") ||
         startsLikeMLIR(file.getBuffer());
}

static Expected<Module> loadFile(const std::string &path,
                                 MLIRContext *context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = readInputFile(path, message);
  if (!file)
    return Status::error(message);
  Module module;
  if (isMLIR(*file, path)) {
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  } else {
    module = ge::importGE(file->getBuffer(), path, context);
  }
  if (!module)
    return Status::error("");
  return module;
}

/// Whether an iterator feeds a graph of \p module: the mark of the graph that
/// does a training step.
static bool hasIterator(ModuleOp module) {
  bool found = false;
  module.walk([&](ge::NodeOp node) {
    found |= node.getOpType().contains("Iterator") ||
             node.getNodeName().contains("Iterator") ||
             node.getOpType() == "GetNext";
  });
  return found;
}

Expected<GraphCandidates> npu::findComputeGraphs(const std::string &folder,
                                                 MLIRContext *context) {
  std::vector<std::string> files, onnxFiles;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    if (StringRef(it->path()).ends_with("_Build.txt"))
      files.push_back(it->path());
    else if (StringRef(it->path()).ends_with("_Build.pbtxt"))
      onnxFiles.push_back(it->path());
  }
  if (error)
    return Status::error(folder + ": cannot list: " + error.message());
  // GE writes most graphs twice. The ge_proto text of one says more.
  for (std::string &file : onnxFiles) {
    StringRef name = llvm::sys::path::filename(file);
    StringRef stem = name.drop_back(StringRef(".pbtxt").size());
    stem.consume_front("ge_onnx_");
    SmallString<128> twin(llvm::sys::path::parent_path(file));
    llvm::sys::path::append(twin, "ge_proto_" + stem + ".txt");
    if (!llvm::is_contained(files, twin.str()))
      files.push_back(std::move(file));
  }
  llvm::sort(files);

  if (files.empty())
    return Status::error(folder +
                         ": no *_Build.txt and no *_Build.pbtxt in the folder");
  GraphCandidates found;
  std::vector<GraphCandidate> fed;
  for (const std::string &file : files) {
    Expected<Module> module = loadFile(file, context);
    if (!module) {
      if (!module.status().message().empty())
        return module.takeStatus();
      found.anyFaulty = true;
      continue;
    }
    GraphCandidate candidate{file, std::move(*module)};
    candidate.module->walk([&](ge::NodeOp) { ++candidate.numNodes; });
    (hasIterator(*candidate.module) ? fed : found.graphs)
        .push_back(std::move(candidate));
  }
  if (!fed.empty())
    found.graphs = std::move(fed);
  return found;
}

static Expected<Module> findInFolder(std::string &path, MLIRContext *context) {
  Expected<GraphCandidates> found = findComputeGraphs(path, context);
  if (!found)
    return found.takeStatus();
  if (found->anyFaulty) // that may be the one
    return Status::error("");
  std::vector<GraphCandidate> &candidates = found->graphs;
  if (candidates.size() > 1) {
    std::string message = path + ": several graphs may be the compute graph:";
    const char *separator = " ";
    for (const GraphCandidate &candidate : candidates) {
      message += separator + llvm::sys::path::filename(candidate.file).str() +
                 " (" + std::to_string(candidate.numNodes) + " ops)";
      separator = ", ";
    }
    return Status::error(message + "; name one of them");
  }
  path = candidates.front().file;
  return std::move(candidates.front().module);
}

Expected<Module> npu::loadGraph(std::string &path, MLIRContext *context) {
  return llvm::sys::fs::is_directory(path) ? findInFolder(path, context)
                                           : loadFile(path, context);
}
