//===- NpuRunMain.cpp - npu-run -------------------------------------------===//

#include "npu/Tools/Tools.h"

#include "CommandLine.h"
#include "GraphLoader.h"
#include "OneLineDiagnostics.h"
#include "Version.h"

#include "npu/Dump/DumpConfig.h"
#include "npu/Execution/DumpRecorder.h"
#include "npu/Execution/Report.h"
#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"
#include "npu/Numerics/SimdTarget.h"
#include "npu/Transforms/Passes.h"
#include "npu/Transforms/RecoverFused.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <thread>

using namespace mlir;
using namespace npu;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"npu-run options"};
  cl::opt<std::string> graph{
      cl::Positional, cl::Required,
      cl::desc("GRAPH (graph text, MLIR, or a folder of stage files)"),
      cl::cat(category)};

  // Data.
  cl::list<std::string> inputs{
      "input", cl::desc("Data for an input of the graph"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::list<std::string> bindings{
      "bind", cl::desc("Data for a constant or variable"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::list<std::string> fallbacks{
      "fallback", cl::desc("Output of a node that has no kernel"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::opt<std::string> init{
      "init",
      cl::desc("What inputs and constants without data get: fail (default) or "
               "random:SEED"),
      cl::value_desc("fail|random:SEED"), cl::init("fail"), cl::cat(category)};

  // Execution.
  cl::opt<uint64_t> iterations{"iterations", cl::desc("How often to run"),
                               cl::value_desc("N"), cl::init(1),
                               cl::cat(category)};
  cl::opt<std::string> soc{"soc",
                           cl::desc("Ascend310, Ascend310P, Ascend910A "
                                    "(default) or Ascend910B"),
                           cl::value_desc("NAME"), cl::init("Ascend910A"),
                           cl::cat(category)};
  cl::opt<std::string> overflowMode{
      "overflow-mode", cl::desc("saturate or infnan; default by SoC"),
      cl::value_desc("MODE"), cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads", cl::desc("Threads; 0 (default) is one a processor"),
      cl::value_desc("N"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> simd{
      "simd",
      cl::desc("Instruction set: portable, avx2 or avx512; the best by "
               "default. All give the same bits"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> fusionSource{
      "fusion-source",
      cl::desc("A stage of the graph from before fusion, for the members of "
               "fused nodes"),
      cl::value_desc("FILE"), cl::cat(category)};

  // Dumps.
  cl::opt<std::string> enableDump{"enable-dump", cl::ValueOptional,
                                  cl::desc("Write dump files"),
                                  cl::cat(category)};
  cl::opt<std::string> dumpPath{"dump-path", cl::desc("Folder for dumps"),
                                cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> dumpStep{"dump-step",
                                cl::desc("Iterations to dump, as in 0|3-5|10"),
                                cl::value_desc("STEPS"), cl::cat(category)};
  cl::opt<std::string> dumpMode{"dump-mode",
                                cl::desc("input, output (default) or all"),
                                cl::value_desc("MODE"), cl::cat(category)};
  cl::opt<std::string> dumpLayer{
      "dump-layer", cl::desc("Nodes to dump: names or patterns with spaces"),
      cl::value_desc("LAYERS"), cl::cat(category)};
  cl::opt<std::string> dumpConfig{
      "dump-config", cl::desc("acl JSON file with the dump options"),
      cl::value_desc("FILE.json"), cl::cat(category)};
  cl::opt<unsigned> deviceId{"device-id", cl::desc("Names the dump folder"),
                             cl::value_desc("N"), cl::init(0),
                             cl::cat(category)};
  cl::opt<unsigned> modelId{"model-id", cl::desc("Names the dump folder"),
                            cl::value_desc("N"), cl::init(1),
                            cl::cat(category)};

  // Results.
  cl::opt<std::string> outputDir{"output-dir",
                                 cl::desc("Folder for the graph's outputs"),
                                 cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("Where to write what ran"),
                              cl::value_desc("FILE.json"), cl::cat(category)};
};

/// A run from the command line.
class Run {
public:
  Run(const Options &options) : options(options) {}
  int main();

private:
  Status readOptions();
  Status prepareGraph();
  Status execute();
  Status writeOutputs(uint64_t iteration);
  Status writeReport(const Status &outcome);

  const Options &options;
  SessionOptions sessionOptions;
  dump::DumpConfig dumpConfig;

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<OneLineDiagnostics> diagnostics;
  std::string graphPath;
  OwningOpRef<ModuleOp> module;
  ge::GraphOp graph;

  kernels::Registry kernels = kernels::Registry::withBuiltins();
  std::unique_ptr<Session> session;
  std::unique_ptr<RunReport> report;
  std::unique_ptr<dump::DumpWriter> writer;
  std::unique_ptr<DumpRecorder> recorder;
};

} // namespace

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The dump options that were given, as the Ascend documents call them.
static std::vector<dump::DumpOption> getDumpOptions(const Options &options) {
  std::vector<dump::DumpOption> given;
  auto add = [&](const char *name, const cl::opt<std::string> &option) {
    if (option.getNumOccurrences() > 0)
      given.emplace_back(name, option);
  };
  if (options.enableDump.getNumOccurrences() > 0)
    given.emplace_back("enable_dump", options.enableDump.empty()
                                          ? "1"
                                          : options.enableDump.getValue());
  add("dump_path", options.dumpPath);
  add("dump_step", options.dumpStep);
  add("dump_mode", options.dumpMode);
  add("dump_layer", options.dumpLayer);
  return given;
}

static Expected<dump::DumpConfig> readDumpConfig(const Options &options) {
  std::vector<dump::DumpOption> given = getDumpOptions(options);
  dump::ParsedDumpConfig parsed;
  if (options.dumpConfig.empty()) {
    parsed = dump::parseDumpOptions(given);
  } else {
    if (!given.empty())
      return Status::error("--dump-config and --" + given.front().first +
                           " are both given; expected one way to say it");
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
        llvm::MemoryBuffer::getFile(options.dumpConfig);
    if (!file)
      return Status::error(options.dumpConfig +
                           ": cannot read: " + file.getError().message());
    llvm::StringRef text = (*file)->getBuffer();
    parsed = dump::parseDumpJson({text.data(), text.size()});
  }
  if (parsed.faults.empty())
    return std::move(parsed.config);
  // One line a fault; the caller prints the last one.
  for (size_t i = 0; i + 1 < parsed.faults.size(); ++i)
    llvm::errs() << "error: " << parsed.faults[i] << '\n';
  return Status::error(parsed.faults.back());
}

static Expected<NumericConfig> readNumericConfig(const Options &options) {
  std::optional<Soc> soc = parseSoc(options.soc);
  if (!soc)
    return Status::error("--soc " + options.soc +
                         ": expected Ascend310, Ascend310P, Ascend910A or "
                         "Ascend910B");
  NumericConfig config = NumericConfig::forSoc(*soc);
  if (options.overflowMode.empty())
    return config;
  std::optional<OverflowMode> mode = parseOverflowMode(options.overflowMode);
  if (!mode)
    return Status::error("--overflow-mode " + options.overflowMode +
                         ": expected saturate or infnan");
  config.overflow = *mode;
  return config;
}

static Status selectSimdTarget(llvm::StringRef name) {
  if (name.empty())
    return {};
  std::string supported;
  for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
    if (name == llvm::StringRef(getName(target))) {
      numerics::setTargetForTest(target);
      return {};
    }
    supported += (supported.empty() ? "" : ", ") + std::string(getName(target));
  }
  return Status::error("--simd " + name.str() +
                       ": expected one of this processor's: " + supported);
}

static Expected<std::optional<uint64_t>> readSeed(llvm::StringRef init) {
  if (init == "fail")
    return std::optional<uint64_t>();
  uint64_t seed = 0;
  if (!init.consume_front("random:") || init.getAsInteger(10, seed))
    return Status::error("--init: expected fail or random:SEED with a number");
  return std::optional<uint64_t>(seed);
}

Status Run::readOptions() {
  if (Status status =
          parseFileMap("input", options.inputs, sessionOptions.inputs);
      !status)
    return status;
  if (Status status =
          parseFileMap("bind", options.bindings, sessionOptions.bindings);
      !status)
    return status;
  if (Status status =
          parseFileMap("fallback", options.fallbacks, sessionOptions.fallbacks);
      !status)
    return status;
  Expected<NumericConfig> config = readNumericConfig(options);
  if (!config)
    return config.takeStatus();
  sessionOptions.config = *config;
  if (Status status = selectSimdTarget(options.simd.getValue()); !status)
    return status;
  Expected<std::optional<uint64_t>> seed = readSeed(options.init);
  if (!seed)
    return seed.takeStatus();
  sessionOptions.randomSeed = *seed;
  sessionOptions.threads =
      options.threads ? options.threads
                      : std::max(1u, std::thread::hardware_concurrency());
  Expected<dump::DumpConfig> dump = readDumpConfig(options);
  if (!dump)
    return dump.takeStatus();
  dumpConfig = std::move(*dump);
  return {};
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// The selection of npu-insert-dump for what the options select.
static InsertDumpOptions getInsertDumpOptions(const Options &options,
                                              const dump::DumpConfig &config,
                                              llvm::StringRef graphName) {
  InsertDumpOptions pass;
  std::vector<std::string> layers = config.layers;
  for (const dump::DumpListEntry &entry : config.list)
    if (!entry.modelName || *entry.modelName == graphName)
      llvm::append_range(layers, entry.layers);
  pass.layer = llvm::join(layers, " ");
  pass.mode = config.mode == dump::DumpMode::Input    ? DumpMode::Input
              : config.mode == dump::DumpMode::Output ? DumpMode::Output
                                                      : DumpMode::All;
  pass.step = options.dumpStep;
  return pass;
}

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

  OwningOpRef<ModuleOp> stage;
  if (!options.fusionSource.empty()) {
    std::string path = options.fusionSource;
    Expected<OwningOpRef<ModuleOp>> source = loadGraph(path, context.get());
    if (!source)
      return source.takeStatus();
    stage = std::move(*source);
  }
  if (failed(recoverFused(graph,
                          stage ? findStage(graph, *stage) : ge::GraphOp())))
    return Status::error("");

  if (!dumpConfig.enableDump)
    return {};
  PassManager passes(context.get());
  passes.nest<ge::GraphOp>().addPass(createInsertDump(
      getInsertDumpOptions(options, dumpConfig, graph.getGraphName())));
  return failed(passes.run(*module)) ? Status::error("") : Status();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Status Run::writeOutputs(uint64_t iteration) {
  if (options.outputDir.empty())
    return {};
  std::string folder = options.outputDir;
  if (options.iterations > 1)
    folder += "/" + std::to_string(iteration);
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Status::error(folder +
                         ": cannot make the folder: " + error.message());
  for (const GraphOutput &output : session->outputs()) {
    std::string path = folder + "/" + dump::replaceNameCharacters(output.name) +
                       "." + std::to_string(output.index) + ".npy";
    NpyView array{output.desc.dtype, output.desc.shape,
                  ByteView(output.data.get(), output.desc.byteSize())};
    if (Status status = writeNpy(path, array); !status)
      return status;
  }
  return {};
}

Status Run::writeReport(const Status &outcome) {
  if (options.report.empty() || !session)
    return {};
  report->set("graph_file", graphPath);
  report->set("graph", graph.getGraphName());
  report->set("model_id", options.modelId.getValue());
  report->set("soc", std::string(getName(sessionOptions.config.soc)));
  report->set("overflow_mode",
              std::string(getName(sessionOptions.config.overflow)));
  report->set("threads", sessionOptions.threads);
  report->set("iterations", options.iterations.getValue());
  report->set("buffer_bytes", session->bufferBytes());
  if (writer)
    report->set("dump_folder", writer->timeFolder());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv(
      "{0:2}\n",
      report->toJson(*session, outcome.ok() ? "" : outcome.message()));
  const ByteView part = asBytes(text);
  return writeFile(options.report, {&part, 1});
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Run::execute() {
  Expected<std::unique_ptr<Session>> created =
      Session::create(graph, kernels, sessionOptions);
  if (!created)
    return created.takeStatus();
  session = std::move(*created);
  report = std::make_unique<RunReport>(graph);

  SmallVector<ExecutionObserver *> observers{report.get()};
  if (dumpConfig.enableDump) {
    dump::DumpWriterOptions writerOptions;
    writerOptions.dumpPath = dumpConfig.dumpPath;
    writerOptions.deviceId = options.deviceId;
    Expected<std::unique_ptr<dump::DumpWriter>> made =
        dump::DumpWriter::create(std::move(writerOptions));
    if (!made)
      return made.takeStatus();
    writer = std::move(*made);
    Expected<std::unique_ptr<DumpRecorder>> recording =
        DumpRecorder::create(graph, session->plan(), options.modelId, *writer);
    if (!recording)
      return recording.takeStatus();
    recorder = std::move(*recording);
    observers.push_back(recorder.get());
  } else {
    // Nothing would be left of a run that stops half way: say at once all that
    // it lacks. With dumps the run goes as far as it can.
    size_t missing = 0;
    for (const PlannedNode &node : session->plan().nodes) {
      if (node.failure)
        continue;
      ++missing;
      llvm::errs() << "error: " << node.failure.message() << '\n';
    }
    if (missing)
      return Status::error(ErrorKind::Incomplete,
                           std::to_string(missing) +
                               " nodes cannot be computed; their outputs can "
                               "be given with --fallback NAME=FILE.npy");
  }
  for (uint64_t iteration = 0; iteration != options.iterations; ++iteration) {
    if (Status status = session->run(iteration, observers); !status)
      return status;
    if (Status status = writeOutputs(iteration); !status)
      return status;
  }
  return {};
}

int Run::main() {
  if (Status status = readOptions(); !status)
    return reportFailure(status);
  if (Status status = prepareGraph(); !status)
    return reportFailure(status);
  Status outcome = execute();
  if (writer)
    if (Status status = writer->finish(); !status && outcome)
      outcome = std::move(status);
  if (Status status = writeReport(outcome); !status && outcome)
    outcome = std::move(status);
  if (!outcome)
    return reportFailure(outcome);

  llvm::outs() << "ran " << report->numExecuted() << " nodes of '"
               << graph.getGraphName() << "' ("
               << getName(sessionOptions.config.soc) << ", "
               << getName(sessionOptions.config.overflow) << ")\n";
  if (report->numInferredNodes())
    llvm::outs() << "inferred " << report->numInferredFacts() << " facts of "
                 << report->numInferredNodes()
                 << " fused nodes; --report lists them\n";
  if (!session->randomSources().empty())
    llvm::outs() << "random values for " << session->randomSources().size()
                 << " inputs and constants\n";
  if (recorder)
    llvm::outs() << "wrote " << recorder->filesQueued() << " dump files to "
                 << writer->timeFolder() << '\n';
  return 0;
}

int npu::npuRunMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // libLLVM's own options are not this tool's
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  NormalizedArguments arguments(argc, argv);
  cl::ParseCommandLineOptions(
      arguments.count(), arguments.data(),
      "Run a GE graph with the arithmetic of an Ascend NPU\n");
  return Run(options).main();
}
