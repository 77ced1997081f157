//===- GraphRun.cpp - A graph of a run of npu-run -------------------------===//

#include "GraphRun.h"

#include "GraphLoader.h"

#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Transforms/InlineCalls.h"
#include "npu/Transforms/SeedRandom.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>

using namespace mlir;
using namespace npu;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// What is said of shapes in this graph: names may end in "@GRAPH".
ShapeSources GraphRun::selectShapes() {
  ShapeSources selected;
  selected.iterations = iterations;
  const std::string suffix = ("@" + name()).str();
  auto select = [&](const auto &all, auto &to, bool onlyNodes) {
    for (const auto &entry : all) {
      StringRef key = entry.getKey();
      key.consume_back(suffix);
      auto isNode = [&](StringRef wanted) {
        return llvm::any_of(
            graph.getBody().getOps<ge::NodeOp>(),
            [&](ge::NodeOp node) { return node.getNodeName() == wanted; });
      };
      if (!onlyNodes || isNode(key) || isNode(key.rsplit(':').first))
        to[key] = entry.second;
    }
  };
  // A shape may be of another graph.
  select(settings.shapes.shapes, selected.shapes, options.graphs.size() > 1);
  select(settings.shapes.inputs, selected.inputs, false);
  select(settings.shapes.constants, selected.constants, false);
  return selected;
}

Status GraphRun::load(MLIRContext *context, const kernels::Registry &kernels) {
  Expected<OwningOpRef<ModuleOp>> loaded = loadGraph(path, context);
  if (!loaded)
    return loaded.takeStatus();
  module = std::move(*loaded);
  auto graphs = module->getOps<ge::GraphOp>();
  if (graphs.empty())
    return Status::error(path + ": expected a ge.graph in the module");
  graph = *graphs.begin(); // the first one is the root

  for (ge::GraphOp other : graphs)
    allNames.push_back(other.getGraphName().str());
  if (Status status = collectGraphs(); !status)
    return status;

  OwningOpRef<ModuleOp> stage;
  if (!options.fusionSource.empty()) {
    std::string stagePath = options.fusionSource;
    Expected<OwningOpRef<ModuleOp>> source = loadGraph(stagePath, context);
    if (!source)
      return source.takeStatus();
    stage = std::move(*source);
  }
  for (ge::GraphOp part : this->graphs) {
    if (options.seed)
      llvm::append_range(seededNodes, seedRandomNodes(part, options.seed));
    // Branches have what is passed to them, and no inputs of their own.
    if (Status status =
            inferShapes(part, part == graph ? selectShapes() : ShapeSources(),
                        kernels, settings.session.config);
        !status)
      return status;
    if (failed(recoverFused(part,
                            stage ? findStage(part, *stage) : ge::GraphOp(),
                            settings.quant)))
      return Status::error("");
    for (auto node : part.getBody().getOps<ge::NodeOp>())
      nodeNames.insert(node.getNodeName());
  }
  return {};
}

/// Replaces calls and finds the graphs that nodes run. The others go.
Status GraphRun::collectGraphs() {
  graphs.insert(graph);
  for (size_t i = 0; i != graphs.size(); ++i) {
    ge::GraphOp part = graphs[i];
    if (failed(inlineCalls(part)))
      return Status::error("");
    for (auto node : part.getBody().getOps<ge::NodeOp>())
      if (ArrayAttr called = node.getSubgraphsAttr())
        for (auto symbol : called.getAsRange<FlatSymbolRefAttr>())
          if (auto other = module->lookupSymbol<ge::GraphOp>(symbol.getAttr()))
            graphs.insert(other);
  }
  for (auto other : llvm::make_early_inc_range(module->getOps<ge::GraphOp>()))
    if (!graphs.contains(other))
      other.erase();
  return {};
}

Operation *GraphRun::getAll() const {
  return graphs.size() == 1 ? graph.getOperation()
                            : module.get().getOperation();
}

Status GraphRun::instrument(MLIRContext *context) {
  if (Status status = insertDumps(context); !status)
    return status;
  return insertOverflowChecks(context);
}

std::vector<GraphRun::DumpSelection> GraphRun::getDumpSelections() {
  const dump::DumpConfig &config = settings.dump;
  InsertDumpOptions pass;
  pass.mode = config.mode == dump::DumpMode::Input    ? DumpMode::Input
              : config.mode == dump::DumpMode::Output ? DumpMode::Output
                                                      : DumpMode::All;
  pass.step = config.steps.str();
  pass.data = config.data == dump::DumpData::Stats ? instr::DumpData::Stats
                                                   : instr::DumpData::Tensor;
  pass.members = options.dumpMembers;
  pass.layer = llvm::join(config.layers, " ");
  if (config.list.empty())
    return {{pass, getAll()}};

  std::vector<DumpSelection> selections;
  for (const dump::DumpListEntry &entry : config.list) {
    pass.layer = llvm::join(entry.layers, " ");
    // The root's name is that of all its graphs.
    if (!entry.modelName || *entry.modelName == graph.getGraphName()) {
      selections.push_back({pass, getAll()});
      continue;
    }
    const auto *part = llvm::find_if(graphs, [&](ge::GraphOp part) {
      return part.getGraphName() == *entry.modelName;
    });
    if (part != graphs.end())
      selections.push_back({pass, ge::GraphOp(*part).getOperation()});
    else if (llvm::is_contained(allNames, *entry.modelName))
      llvm::errs() << "warning: " << options.dumpConfig << ": graph '"
                   << *entry.modelName << "' is a part of '"
                   << graph.getGraphName()
                   << "' once calls are replaced; expected that name\n";
  }
  return selections;
}

/// Asks for dumps in the IR, which alone says what is dumped.
Status GraphRun::insertDumps(MLIRContext *context) {
  const dump::DumpConfig &config = settings.dump;
  const bool hasDumps =
      getAll()
          ->walk([](instr::DumpOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!config.enableDump) {
    if (options.dumpMembers)
      llvm::errs() << "warning: --dump-members without --enable-dump: no "
                      "members are dumped\n";
    if (hasDumps)
      llvm::errs() << "warning: " << path
                   << ": has instr.dump, but without --enable-dump nothing is "
                      "dumped\n";
    return {};
  }
  // A graph that says what it wants gets no more than it is asked for.
  if (hasDumps && config.layers.empty() && config.list.empty())
    return {};
  for (const DumpSelection &selection : getDumpSelections()) {
    PassManager passes(context, selection.where->getName().getStringRef());
    passes.addPass(createInsertDump(selection.options));
    if (failed(passes.run(selection.where)))
      return Status::error("");
  }
  return {};
}

Status GraphRun::insertOverflowChecks(MLIRContext *context) {
  if (!settings.overflow.record)
    return {};
  InsertOverflowCheckOptions pass;
  switch (settings.dump.debugMode) {
  case dump::DumpDebugMode::AicoreOverflow:
    pass.mode = instr::OverflowUnits::AicoreOverflow;
    break;
  case dump::DumpDebugMode::AtomicOverflow:
    pass.mode = instr::OverflowUnits::AtomicOverflow;
    break;
  case dump::DumpDebugMode::All:
    pass.mode = instr::OverflowUnits::All;
    break;
  }
  pass.step = settings.dump.steps.str();
  pass.layer = llvm::join(settings.dump.layers, " ");
  PassManager passes(context, getAll()->getName().getStringRef());
  passes.addPass(createInsertOverflowCheck(pass));
  return failed(passes.run(getAll())) ? Status::error("") : Status();
}

std::string npu::countText(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

std::string GraphRun::getOutputFolder(uint64_t iteration) const {
  return iterations > 1 ? outputFolder + "/" + std::to_string(iteration)
                        : outputFolder;
}

Status GraphRun::prepareOutputs(std::string folder) {
  outputFolder = std::move(folder);
  constexpr StringLiteral extension = ".npy";
  llvm::StringSet<> taken;
  for (const GraphOutput &output : session->outputs()) {
    const std::string name = dump::replaceNameCharacters(output.name) + "." +
                             std::to_string(output.index);
    std::string stem = name;
    if (name.size() + extension.size() > dump::MaxFileNameBytes)
      stem = dump::makeShortName(name);
    // Names may only differ in characters that are replaced.
    std::string file = stem + extension.str();
    for (unsigned i = 1; !taken.insert(file).second; ++i)
      file = stem + "." + std::to_string(i) + extension.str();
    outputFiles.push_back(std::move(file));
  }
  for (uint64_t iteration = 0; iteration != iterations; ++iteration) {
    const std::string iterationFolder = getOutputFolder(iteration);
    if (!llvm::sys::fs::exists(iterationFolder))
      continue;
    for (const std::string &file : outputFiles)
      if (Status status =
              checkNoInput(iterationFolder + "/" + file, settings.inputFiles);
          !status)
        return status;
  }
  return {};
}

Status GraphRun::writeOutputs(uint64_t iteration) const {
  if (outputFiles.empty())
    return {};
  const std::string folder = getOutputFolder(iteration);
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Status::error(ErrorKind::Incomplete,
                         folder +
                             ": cannot make the folder: " + error.message());
  for (auto [output, file] : llvm::zip_equal(session->outputs(), outputFiles)) {
    if (!output.data)
      return Status::error(ErrorKind::Incomplete,
                           "output '" + output.name +
                               "' was not computed in iteration " +
                               std::to_string(iteration) +
                               ": the stream of the NetOutput is not active");
    NpyView array{output.desc.dtype, output.desc.shape,
                  ByteView(output.data.get(), output.desc.byteSize())};
    if (Status status = writeNpy(folder + "/" + file, array); !status)
      return status;
  }
  return {};
}

llvm::json::Value GraphRun::makeReport(const Status &outcome, double seconds,
                                       const std::string &timeFolder) {
  const NumericConfig &config = settings.session.config;
  report->set("graph_file", path);
  report->set("graph", graph.getGraphName());
  report->set("model_id", modelId);
  report->set("soc", std::string(getName(config.soc)));
  report->set("overflow_mode", std::string(getName(config.overflow)));
  report->set("threads", settings.session.threads);
  report->set("iterations", iterations);
  report->set("seconds", seconds);
  report->set("buffer_bytes", session->bufferBytes());
  if (filesQueued())
    report->set("dump_folder", timeFolder);
  llvm::json::Array outputs;
  for (size_t i = 0; i != outputFiles.size(); ++i) {
    const GraphOutput &output = session->outputs()[i];
    outputs.push_back(llvm::json::Object{{"name", output.name},
                                         {"output", output.index},
                                         {"tensor", output.desc.toString()},
                                         {"file", outputFiles[i]}});
  }
  report->set("outputs", std::move(outputs));
  overflow.addToReport(*report, iterations);
  for (const std::string &assumption : settings.assumptions)
    report->addAssumption(assumption);
  for (const std::string &node : seededNodes)
    report->addAssumption("seed " + std::to_string(options.seed) + " for " +
                          node);
  return report->toJson(*session, outcome.ok() ? "" : outcome.message());
}

void GraphRun::printSummary() const {
  const NumericConfig &config = settings.session.config;
  llvm::outs() << "ran " << countText(report->numExecuted(), "node") << " of '"
               << graph.getGraphName() << "' (" << getName(config.soc) << ", "
               << getName(config.overflow) << ")\n";
  if (report->numInferredNodes())
    llvm::outs() << "inferred " << countText(report->numInferredFacts(), "fact")
                 << " of "
                 << countText(report->numInferredNodes(), "fused node")
                 << "; --report lists them\n";
  if (!session->randomSources().empty())
    llvm::outs() << "random values for "
                 << countText(session->randomSources().size(), "tensor")
                 << "; --report lists them\n";
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status GraphRun::createSession(SessionOptions files,
                               const kernels::Registry &kernels) {
  files.iterations = iterations;
  Expected<std::unique_ptr<Session>> created =
      Session::create(graph, kernels, std::move(files));
  if (!created)
    return created.takeStatus();
  session = std::move(*created);
  report = std::make_unique<RunReport>(session->plan());
  return {};
}

Status GraphRun::prepareObservers(dump::DumpWriter *writer) {
  if (writer)
    session->threadPool().setIdleWork([writer] { return writer->help(); });
  if (settings.dump.enableDump) {
    dump::StatisticsFormat
        statistics; // one of the device's programs can choose
    statistics.statistics = settings.dump.stats;
    if (!settings.dump.stats.empty())
      statistics.writer = dump::StatisticsWriter::Kfc;
    Expected<std::unique_ptr<DumpRecorder>> recording = DumpRecorder::create(
        graph, session->plan(), modelId, *writer, statistics);
    if (!recording)
      return recording.takeStatus();
    recorder = std::move(*recording);
  }
  return overflow.prepare(graph, session->plan(), modelId,
                          settings.session.config, writer);
}

Status GraphRun::checkKernels() const {
  size_t missing = 0;
  for (const PlannedNode &node : session->plan().nodes) {
    if (node.failure)
      continue;
    ++missing;
    llvm::errs() << "error: " << node.failure.message() << '\n';
  }
  if (!missing)
    return {};
  return Status::error(ErrorKind::Incomplete,
                       countText(missing, "node") +
                           " cannot be computed; outputs can be given with "
                           "--fallback NAME=FILE.npy");
}

Status GraphRun::run(ProgressLine *progress) {
  isStarted = true;
  std::vector<ExecutionObserver *> observers{report.get()};
  if (recorder)
    observers.push_back(recorder.get());
  llvm::append_range(observers, overflow.observers());
  if (progress) {
    progress->begin(numNodes(), iterations);
    observers.push_back(progress);
  }
  using Clock = std::chrono::steady_clock;
  for (uint64_t iteration = 0; iteration != iterations; ++iteration) {
    const Clock::time_point begin = Clock::now();
    if (Status status = session->run(iteration, observers); !status)
      return status;
    report->addIteration(
        std::chrono::duration<double>(Clock::now() - begin).count());
    if (Status status = writeOutputs(iteration); !status)
      return status;
  }
  return {};
}
