//===- GraphRun.cpp - A graph of a run of npu-run -------------------------===//

#include "GraphRun.h"

#include "GraphLoader.h"
#include "ShapeTable.h"

#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Transforms/ResolveCalls.h"
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

std::optional<StringRef> GraphRun::findName(StringRef given) {
  auto hasNode = [&](StringRef name) {
    return nodeNames.contains(name) ||
           nodeNames.contains(name.rsplit(':').first);
  };
  if (hasNode(given))
    return given;
  auto [name, graphName] = given.rsplit('@');
  if (graphName == this->name() && hasNode(name))
    return name;
  return std::nullopt;
}

/// Takes the files that are for this graph.
Status GraphRun::selectFiles() {
  sessionOptions = settings.session;
  sessionOptions.iterations = iterations;
  for (auto files : {&SessionOptions::inputs, &SessionOptions::bindings,
                     &SessionOptions::fallbacks}) {
    (sessionOptions.*files).clear();
    for (const auto &entry : settings.session.*files) {
      std::optional<StringRef> name = findName(entry.getKey());
      if (!name && options.graphs.size() > 1)
        continue;
      // The session says what is wrong with a name that nobody has.
      if (!(sessionOptions.*files)
               .try_emplace(name.value_or(entry.getKey()), entry.second)
               .second)
        return Status::error("node '" + name->str() + "' of graph '" +
                             this->name().str() +
                             "' is given twice, as NAME and as NAME@GRAPH");
    }
  }
  return {};
}

/// Finds the shapes that the inputs have in turn.
Status GraphRun::findShapes() {
  ShapeSourcesByIteration sources;
  sources.iterations = iterations.count;
  sources.inputs = sessionOptions.inputs;
  sources.constants = sessionOptions.bindings;
  for (const auto &entry : settings.inputShapes) {
    std::optional<StringRef> name = findName(entry.getKey());
    if (name || options.graphs.size() == 1)
      sources.shapes[name.value_or(entry.getKey())] = entry.second;
  }
  Expected<ShapeSequence> sequence = ShapeSequence::create(sources);
  if (!sequence)
    return sequence.takeStatus();
  shapes = std::move(*sequence);
  sessionOptions.shapes = shapes.byIteration;
  if (shapes.steps.size() > 1)
    openTypes.emplace(graph);
  return {};
}

/// Gives all tensors the shapes of the first iteration.
Status GraphRun::settleShapes(const kernels::Registry &kernels) {
  if (Status status = findShapes(); !status)
    return status;
  return inferShapes(graph, shapes.steps.front(), kernels,
                     settings.session.config);
}

/// Gives all tensors the shapes of \p step.
Status GraphRun::reshape(unsigned step, const kernels::Registry &kernels) {
  openTypes->restore();
  return inferShapes(graph, shapes.steps[step], kernels,
                     settings.session.config);
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

  for (ge::GraphOp part : this->graphs) {
    if (options.seed)
      llvm::append_range(seededNodes, seedRandomNodes(part, options.seed));
    for (auto node : part.getBody().getOps<ge::NodeOp>())
      nodeNames.insert(node.getNodeName());
  }
  OwningOpRef<ModuleOp> stage;
  if (!options.fusionSource.empty()) {
    std::string stagePath = options.fusionSource;
    Expected<OwningOpRef<ModuleOp>> source = loadGraph(stagePath, context);
    if (!source)
      return source.takeStatus();
    stage = std::move(*source);
  }
  for (ge::GraphOp part : this->graphs)
    if (failed(recoverFused(part,
                            stage ? findStage(part, *stage) : ge::GraphOp(),
                            settings.quant)))
      return Status::error("");
  if (Status status = selectFiles(); !status)
    return status;
  return settleShapes(kernels);
}

/// Replaces calls and finds the graphs that nodes run. The others go.
Status GraphRun::collectGraphs() {
  FailureOr<SetVector<ge::GraphOp>> resolved = resolveCalls(graph);
  if (failed(resolved))
    return Status::error("");
  graphs = std::move(*resolved);
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
    bool any = false;
    for (ge::GraphOp part : graphs) // a graph that is run twice is there twice
      if (part.getGraphName() == *entry.modelName) {
        selections.push_back({pass, part.getOperation()});
        any = true;
      }
    if (!any && llvm::is_contained(allNames, *entry.modelName))
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
  return iterations.count > 1 ? outputFolder + "/" + std::to_string(iteration)
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
  for (uint64_t iteration = iterations.first; iteration != iterations.end();
       ++iteration) {
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

/// The iterations that have the shapes \p step.
std::vector<uint64_t> GraphRun::listIterations(unsigned step) const {
  std::vector<uint64_t> numbers;
  for (auto [index, other] : llvm::enumerate(shapes.byIteration))
    if (other == step)
      numbers.push_back(iterations.first + index);
  return numbers;
}

/// The shapes of inputs and outputs, with the iterations that have them.
llvm::json::Array GraphRun::listShapes() const {
  using llvm::json::Array;
  using llvm::json::Object;
  Array shapes;
  for (auto [step, plan] : llvm::enumerate(session->allPlans())) {
    Array inputs, outputs;
    for (const PlannedNode &node : plan->nodes) {
      if (node.kind == PlannedNode::Kind::Source &&
          node.role == catalog::Role::Input)
        for (auto [index, desc] : llvm::enumerate(node.outputs))
          inputs.push_back(Object{{"name", node.op.getNodeName()},
                                  {"output", index},
                                  {"tensor", desc.toString()}});
      if (node.kind == PlannedNode::Kind::Output)
        for (const std::optional<TensorDesc> &desc : node.inputs)
          if (desc)
            outputs.push_back(desc->toString());
    }
    shapes.push_back(Object{{"iterations", Array(listIterations(step))},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)}});
  }
  return shapes;
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
  report->set("iterations", iterations.count);
  report->set("first_iteration", iterations.first);
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
  if (session->allPlans().size() > 1)
    report->set("shapes", listShapes());
  overflow.addToReport(*report, iterations);
  if (replay)
    addReplayToReport();
  for (const std::string &assumption : settings.assumptions)
    report->addAssumption(assumption);
  for (const std::string &node : seededNodes)
    report->addAssumption("seed " + std::to_string(options.seed) + " for " +
                          node);
  return report->toJson(*session, outcome.ok() ? "" : outcome.message());
}

void GraphRun::addReplayToReport() const {
  llvm::json::Array differences;
  for (const Replay::Difference &difference : replay->differences()) {
    ge::NodeOp op = difference.node->op;
    llvm::json::Object object{
        {"node", op.getNodeName()},          {"type", op.getOpType()},
        {"iteration", difference.iteration}, {"output", difference.output},
        {"difference", difference.what},
    };
    if (!difference.exported.empty())
      object["graph"] = difference.exported;
    differences.push_back(std::move(object));
  }
  report->set("replay",
              llvm::json::Object{{"compared", replay->numCompared()},
                                 {"agree", replay->numAgreeing()},
                                 {"differences", std::move(differences)}});
}

void GraphRun::printReplay() const {
  if (!replay)
    return;
  constexpr size_t maxPrinted = 10;
  const auto &differences = replay->differences();
  for (size_t i = 0; i != std::min(differences.size(), maxPrinted); ++i) {
    const Replay::Difference &difference = differences[i];
    ge::NodeOp op = difference.node->op;
    llvm::outs() << "differs: " << op.getOpType() << " '" << op.getNodeName()
                 << "' output " << difference.output;
    if (iterations.count != 1)
      llvm::outs() << " in iteration " << difference.iteration;
    llvm::outs() << ": " << difference.what << '\n';
    if (!difference.exported.empty())
      llvm::outs() << "  to see it: npu-run " << difference.exported
                   << "/graph.mlir @" << difference.exported << "/options\n";
  }
  if (differences.size() > maxPrinted)
    llvm::outs() << "and " << differences.size() - maxPrinted
                 << " more; --report lists them\n";
  llvm::outs() << "replay: " << countText(replay->numCompared(), "node")
               << " against the dump, each by itself: " << replay->numAgreeing()
               << " equal, " << replay->numCompared() - replay->numAgreeing()
               << " different\n";
}

int GraphRun::exitCode() const {
  if (replay && replay->numCompared() != replay->numAgreeing())
    return 2;
  return overflow.exitCode(iterations);
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

void GraphRun::setReshape(const kernels::Registry &kernels) {
  sessionOptions.reshape = [&](unsigned step) {
    return reshape(step, kernels);
  };
}

Expected<std::string>
GraphRun::makeShapeTable(const kernels::Registry &kernels) {
  setReshape(kernels);
  Expected<std::vector<std::unique_ptr<Plan>>> plans =
      planShapes(graph, sessionOptions);
  if (!plans)
    return plans.takeStatus();
  std::string text;
  for (auto [shape, plan] : llvm::enumerate(*plans)) {
    ShapeTable table{name().str(), modelId, listIterations(shape)};
    for (const PlannedNode &node : plan->nodes)
      text += table.makeRows(node);
  }
  return text;
}

Status GraphRun::createSession(std::shared_ptr<DeviceState> device,
                               const kernels::Registry &kernels) {
  sessionOptions.device = std::move(device);
  setReshape(kernels);
  Expected<std::unique_ptr<Session>> created =
      Session::create(graph, kernels, std::move(sessionOptions));
  if (!created)
    return created.takeStatus();
  session = std::move(*created);
  report = std::make_unique<RunReport>(session->plan());
  return {};
}

Status GraphRun::prepareObservers(dump::DumpWriter *writer) {
  const dump::DumpSteps &steps = settings.dump.steps;
  if (writer && !steps.containsAny(iterations.first, iterations.end()))
    llvm::errs() << "warning: --dump-step " << steps.str()
                 << ": has none of the iterations of '" << name() << "', "
                 << iterations.first << " to " << iterations.end() - 1 << '\n';
  if (writer)
    session->threadPool().setIdleWork([writer] { return writer->help(); });
  if (settings.dump.enableDump) {
    dump::StatisticsFormat
        statistics; // one of the device's programs can choose
    statistics.statistics = settings.dump.stats;
    if (!settings.dump.stats.empty())
      statistics.writer = dump::StatisticsWriter::Kfc;
    Expected<std::unique_ptr<DumpRecorder>> recording =
        DumpRecorder::create(graph, session->plan(), modelId, *writer,
                             statistics, &session->threadPool());
    if (!recording)
      return recording.takeStatus();
    recorder = std::move(*recording);
  }
  if (settings.replay) {
    Expected<std::unique_ptr<Replay>> made =
        Replay::create(*settings.replay, [](const std::string &text) {
          llvm::errs() << "warning: " << text << '\n';
        });
    if (!made)
      return made.takeStatus();
    replay = std::move(*made);
  }
  return overflow.prepare(graph, session->plan(), modelId,
                          settings.session.config, writer);
}

void GraphRun::addTo(DiskBudget &budget) const {
  if (recorder)
    budget.add(*recorder, *session);
  if (const OverflowRecorder *records = overflow.records())
    budget.add(*records, *session);
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
  if (replay)
    observers.push_back(replay.get());
  if (recorder)
    observers.push_back(recorder.get());
  llvm::append_range(observers, overflow.observers());
  if (progress) {
    progress->begin(numNodes(), iterations);
    observers.push_back(progress);
  }
  using Clock = std::chrono::steady_clock;
  for (uint64_t iteration = iterations.first; iteration != iterations.end();
       ++iteration) {
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
