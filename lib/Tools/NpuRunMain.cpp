//===- NpuRunMain.cpp - npu-run -------------------------------------------===//

#include "npu/Tools/Tools.h"

#include "CommandLine.h"
#include "GraphLoader.h"
#include "OneLineDiagnostics.h"
#include "ProgressLine.h"
#include "RunOptions.h"
#include "Version.h"

#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Execution/DumpRecorder.h"
#include "npu/Execution/Report.h"
#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"
#include "npu/Transforms/InlineCalls.h"
#include "npu/Transforms/Passes.h"
#include "npu/Transforms/RecoverFused.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>

using namespace mlir;
using namespace npu;
namespace cl = llvm::cl;

namespace {

/// A run from the command line.
class Run {
public:
  Run(const RunOptions &options, RunSettings settings)
      : options(options), settings(std::move(settings)),
        overflow(this->settings.overflow) {}
  int main();

private:
  Status prepareGraph();
  Status insertDumps();
  Status insertOverflowChecks();
  std::vector<InsertDumpOptions> getDumpSelections();
  Status execute();
  Status prepareDump();
  Status checkKernels() const;
  Status prepareOutputs();
  Status writeOutputs(uint64_t iteration) const;
  Status writeReport(const Status &outcome);
  void printSummary();

  /// Folder of the outputs of an iteration.
  std::string getOutputFolder(uint64_t iteration) const;

  const RunOptions &options;
  const RunSettings settings;

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<OneLineDiagnostics> diagnostics;
  std::string graphPath;
  OwningOpRef<ModuleOp> module;
  ge::GraphOp graph;

  kernels::Registry kernels = kernels::Registry::withBuiltins();
  std::unique_ptr<Session> session;
  std::vector<std::string> outputFiles; // by output of the graph
  std::unique_ptr<RunReport> report;
  std::unique_ptr<ProgressLine> progress; // outlives the writer, who calls it
  std::unique_ptr<dump::DumpWriter> writer;
  std::unique_ptr<DumpRecorder> recorder;
  OverflowRun overflow;
};

} // namespace

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

Status Run::prepareGraph() {
  registerAllDialects(registry);
  registerExternalModels(registry);
  context = std::make_unique<MLIRContext>(registry);
  diagnostics = std::make_unique<OneLineDiagnostics>(context.get());

  graphPath = options.graph;
  Expected<OwningOpRef<ModuleOp>> loaded = loadGraph(graphPath, context.get());
  if (!loaded)
    return loaded.takeStatus();
  module = std::move(*loaded);
  auto graphs = module->getOps<ge::GraphOp>();
  if (graphs.empty())
    return Status::error(graphPath + ": expected a ge.graph in the module");
  graph = *graphs.begin(); // the first one is the root

  if (failed(inlineCalls(graph)))
    return Status::error("");
  boundDynamicOutputs(graph);

  OwningOpRef<ModuleOp> stage;
  if (!options.fusionSource.empty()) {
    std::string path = options.fusionSource;
    Expected<OwningOpRef<ModuleOp>> source = loadGraph(path, context.get());
    if (!source)
      return source.takeStatus();
    stage = std::move(*source);
  }
  if (failed(recoverFused(graph,
                          stage ? findStage(graph, *stage) : ge::GraphOp(),
                          settings.quant)))
    return Status::error("");

  if (Status status = insertDumps(); !status)
    return status;
  return insertOverflowChecks();
}

/// What npu-insert-dump is to select, run by run of the pass.
std::vector<InsertDumpOptions> Run::getDumpSelections() {
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
    return {pass};

  std::vector<InsertDumpOptions> selections;
  llvm::SetVector<StringRef> known, unknown;
  for (auto other : module->getOps<ge::GraphOp>())
    known.insert(other.getGraphName());
  for (const dump::DumpListEntry &entry : config.list) {
    if (entry.modelName && !known.contains(*entry.modelName))
      unknown.insert(*entry.modelName);
    if (entry.modelName && *entry.modelName != graph.getGraphName())
      continue;
    pass.layer = llvm::join(entry.layers, " ");
    selections.push_back(pass);
  }
  auto list = [](const llvm::SetVector<StringRef> &names) {
    return "'" + llvm::join(names, "', '") + "'";
  };
  if (!unknown.empty())
    llvm::errs() << "warning: " << options.dumpConfig << ": no graph "
                 << list(unknown) << " in " << graphPath << ", which has "
                 << list(known) << '\n';
  return selections;
}

/// Asks for dumps in the IR, which alone says what is dumped.
Status Run::insertDumps() {
  const dump::DumpConfig &config = settings.dump;
  const bool hasDumps =
      graph.walk([](instr::DumpOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!config.enableDump) {
    if (options.dumpMembers)
      llvm::errs() << "warning: --dump-members without --enable-dump: no "
                      "members are dumped\n";
    if (hasDumps)
      llvm::errs() << "warning: " << graphPath
                   << ": has instr.dump, but without --enable-dump nothing is "
                      "dumped\n";
    return {};
  }
  // A graph that says what it wants gets no more than it is asked for.
  if (hasDumps && config.layers.empty() && config.list.empty())
    return {};
  PassManager passes(context.get());
  for (const InsertDumpOptions &selection : getDumpSelections())
    passes.nest<ge::GraphOp>().addPass(createInsertDump(selection));
  return failed(passes.run(*module)) ? Status::error("") : Status();
}

Status Run::insertOverflowChecks() {
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
  PassManager passes(context.get());
  passes.nest<ge::GraphOp>().addPass(createInsertOverflowCheck(pass));
  return failed(passes.run(*module)) ? Status::error("") : Status();
}

/// "1 node", "2 nodes".
static std::string count(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

std::string Run::getOutputFolder(uint64_t iteration) const {
  std::string folder = options.outputDir;
  return options.iterations > 1 ? folder + "/" + std::to_string(iteration)
                                : folder;
}

/// Names the files of the graph's outputs, and makes sure that they replace
/// nothing but older outputs.
Status Run::prepareOutputs() {
  if (options.outputDir.empty())
    return {};
  if (session->outputs().empty())
    return Status::error("--output-dir: graph '" + graph.getGraphName().str() +
                         "' has no outputs; expected a NetOutput with inputs");
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
  for (uint64_t iteration = 0; iteration != options.iterations; ++iteration) {
    const std::string folder = getOutputFolder(iteration);
    if (!llvm::sys::fs::exists(folder))
      continue;
    for (const std::string &file : outputFiles)
      if (Status status =
              checkNoInput(folder + "/" + file, settings.inputFiles);
          !status)
        return status;
  }
  return {};
}

Status Run::writeOutputs(uint64_t iteration) const {
  if (options.outputDir.empty())
    return {};
  const std::string folder = getOutputFolder(iteration);
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Status::error(ErrorKind::Incomplete,
                         folder +
                             ": cannot make the folder: " + error.message());
  for (auto [output, file] : llvm::zip_equal(session->outputs(), outputFiles)) {
    NpyView array{output.desc.dtype, output.desc.shape,
                  ByteView(output.data.get(), output.desc.byteSize())};
    if (Status status = writeNpy(folder + "/" + file, array); !status)
      return status;
  }
  return {};
}

Status Run::writeReport(const Status &outcome) {
  if (options.report.empty() || !session)
    return {};
  const NumericConfig &config = settings.session.config;
  report->set("graph_file", graphPath);
  report->set("graph", graph.getGraphName());
  report->set("model_id", options.modelId.getValue());
  report->set("soc", std::string(getName(config.soc)));
  report->set("overflow_mode", std::string(getName(config.overflow)));
  report->set("threads", settings.session.threads);
  report->set("iterations", options.iterations.getValue());
  report->set("buffer_bytes", session->bufferBytes());
  if (recorder && recorder->filesQueued())
    report->set("dump_folder", writer->timeFolder());
  llvm::json::Array outputs;
  for (size_t i = 0; i != outputFiles.size(); ++i) {
    const GraphOutput &output = session->outputs()[i];
    outputs.push_back(llvm::json::Object{{"name", output.name},
                                         {"output", output.index},
                                         {"tensor", output.desc.toString()},
                                         {"file", outputFiles[i]}});
  }
  report->set("outputs", std::move(outputs));
  overflow.addToReport(*report, options.iterations);
  for (const std::string &assumption : settings.assumptions)
    report->addAssumption(assumption);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv(
      "{0:2}\n",
      report->toJson(*session, outcome.ok() ? "" : outcome.message()));
  const ByteView part = asBytes(text);
  return writeFile(options.report, {&part, 1});
}

void Run::printSummary() {
  const NumericConfig &config = settings.session.config;
  llvm::outs() << "ran " << count(report->numExecuted(), "node") << " of '"
               << graph.getGraphName() << "' (" << getName(config.soc) << ", "
               << getName(config.overflow) << ")\n";
  if (report->numInferredNodes())
    llvm::outs() << "inferred " << count(report->numInferredFacts(), "fact")
                 << " of " << count(report->numInferredNodes(), "fused node")
                 << "; --report lists them\n";
  if (!session->randomSources().empty())
    llvm::outs() << "random values for "
                 << count(session->randomSources().size(), "tensor")
                 << "; --report lists them\n";
  if (!recorder)
    return;
  llvm::outs() << "wrote " << count(recorder->filesQueued(), "dump file");
  if (recorder->filesQueued())
    llvm::outs() << " to " << writer->timeFolder();
  llvm::outs() << '\n';
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Run::prepareDump() {
  dump::DumpWriterOptions writerOptions;
  writerOptions.dumpPath = settings.dump.dumpPath;
  writerOptions.deviceId = options.deviceId;
  writerOptions.modelNameInFolder = settings.modelNameInFolder;
  if (progress)
    writerOptions.progress = [this](uint64_t written, uint64_t queued) {
      progress->dumpProgressed(written, queued);
    };
  Expected<std::unique_ptr<dump::DumpWriter>> made =
      dump::DumpWriter::create(std::move(writerOptions));
  if (!made)
    return made.takeStatus();
  writer = std::move(*made);
  if (!settings.dump.enableDump)
    return {};
  dump::StatisticsFormat statistics; // one of the device's programs can choose
  statistics.statistics = settings.dump.stats;
  if (!settings.dump.stats.empty())
    statistics.writer = dump::StatisticsWriter::Kfc;
  Expected<std::unique_ptr<DumpRecorder>> recording = DumpRecorder::create(
      graph, session->plan(), options.modelId, *writer, statistics);
  if (!recording)
    return recording.takeStatus();
  recorder = std::move(*recording);
  return {};
}

/// Says at once all that a run lacks.
Status Run::checkKernels() const {
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
                       count(missing, "node") +
                           " cannot be computed; outputs can be given with "
                           "--fallback NAME=FILE.npy");
}

Status Run::execute() {
  Expected<std::unique_ptr<Session>> created =
      Session::create(graph, kernels, settings.session);
  if (!created)
    return created.takeStatus();
  session = std::move(*created);
  report = std::make_unique<RunReport>(graph);
  if (Status status = prepareOutputs(); !status)
    return status;
  if (ProgressLine::isWanted())
    progress = std::make_unique<ProgressLine>(session->plan().nodes.size(),
                                              options.iterations);
  if (settings.dump.enableDump || settings.overflow.record) {
    if (Status status = prepareDump(); !status)
      return status;
  } else if (Status status = checkKernels(); !status) {
    // Nothing would be left of a run that stops half way. With dumps it goes
    // as far as it can.
    return status;
  }

  std::vector<ExecutionObserver *> observers{report.get()};
  if (Status status = overflow.prepare(graph, session->plan(), options.modelId,
                                       settings.session.config, writer.get());
      !status)
    return status;
  if (recorder)
    observers.push_back(recorder.get());
  llvm::append_range(observers, overflow.observers());
  if (progress)
    observers.push_back(progress.get());
  using Clock = std::chrono::steady_clock;
  const auto secondsSince = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const Clock::time_point begin = Clock::now();
  const auto runAll = [&]() -> Status {
    for (uint64_t iteration = 0; iteration != options.iterations; ++iteration) {
      const Clock::time_point iterationBegin = Clock::now();
      if (Status status = session->run(iteration, observers); !status)
        return status;
      report->addIteration(secondsSince(iterationBegin));
      if (Status status = writeOutputs(iteration); !status)
        return status;
    }
    return {};
  };
  Status outcome = runAll();
  if (writer)
    if (Status status = writer->finish(); !status && outcome)
      outcome = std::move(status);
  report->set("seconds", secondsSince(begin));
  return outcome;
}

int Run::main() {
  if (Status status = prepareGraph(); !status)
    return reportFailure(status);
  Status outcome = execute();
  // A dump that never began leaves nothing behind.
  if (writer)
    if (Status status = writer->finish(); !status && outcome)
      outcome = std::move(status);
  if (progress)
    progress->clear();
  if (Status status = writeReport(outcome); !status && outcome)
    outcome = std::move(status);
  if (!outcome)
    return reportFailure(outcome);
  printSummary();
  if (Status status = overflow.print(options.iterations); !status)
    return reportFailure(status);
  return overflow.exitCode(options.iterations);
}

int npu::npuRunMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // libLLVM's own options are not this tool's
  RunOptions options;
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  NormalizedArguments arguments(argc, argv);
  cl::ParseCommandLineOptions(
      arguments.count(), arguments.data(),
      "Run a GE graph with the arithmetic of an Ascend NPU\n");
  Expected<RunSettings> settings = readRunOptions(options);
  if (!settings)
    return reportFailure(settings.status());
  return Run(options, std::move(*settings)).main();
}
