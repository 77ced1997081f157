//===- NpuRunMain.cpp - npu-run -------------------------------------------===//

#include "npu/Tools/Tools.h"

#include "CommandLine.h"
#include "DiskBudget.h"
#include "GraphRun.h"
#include "OneLineDiagnostics.h"
#include "ShapeTable.h"
#include "Version.h"

#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace npu;
namespace cl = llvm::cl;

namespace {

/// A run from the command line.
class Run {
public:
  Run(const RunOptions &options, RunSettings settings)
      : options(options), settings(std::move(settings)) {}
  int main();

private:
  Status loadGraphs();
  void checkModelNames();
  Status checkFileNames();
  Status createSessions();
  Status prepareOutputs();
  Status prepareDumps();
  Status checkBudget() const;
  Status prepare();
  Status execute();
  Status writeReport(const Status &outcome);
  void printSummary();
  Status writeShapes();

  /// "'a', 'b'": the graphs.
  std::string listGraphs();

  const RunOptions &options;
  const RunSettings settings;

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<OneLineDiagnostics> diagnostics;
  kernels::Registry kernels = kernels::Registry::withBuiltins();
  std::unique_ptr<ProgressLine> progress; // outlives the writer, who calls it
  std::unique_ptr<dump::DumpWriter> writer;
  std::vector<std::unique_ptr<GraphRun>> graphs; // in the order they run
  double seconds = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The graphs
//===----------------------------------------------------------------------===//

Status Run::loadGraphs() {
  registerAllDialects(registry);
  registerExternalModels(registry);
  context = std::make_unique<MLIRContext>(registry);
  diagnostics = std::make_unique<OneLineDiagnostics>(context.get());
  for (const auto &[index, path] : llvm::enumerate(options.graphs)) {
    const std::vector<uint64_t> &counts = settings.iterations;
    graphs.push_back(std::make_unique<GraphRun>(
        options, settings, path, options.modelId + static_cast<uint32_t>(index),
        IterationRange{settings.firstIteration,
                       counts[std::min(index, counts.size() - 1)]}));
    if (Status status = graphs.back()->load(context.get(), kernels); !status)
      return status;
  }
  checkModelNames();
  for (auto &graph : graphs)
    if (Status status = graph->instrument(context.get()); !status)
      return status;
  return {};
}

static std::string quoteAll(llvm::ArrayRef<StringRef> names) {
  return "'" + llvm::join(names, "', '") + "'";
}

/// Warns of models in a dump list that are no graphs.
void Run::checkModelNames() {
  llvm::SetVector<StringRef> known, unknown;
  for (auto &graph : graphs)
    known.insert_range(graph->graphNames());
  for (const dump::DumpListEntry &entry : settings.dump.list)
    if (entry.modelName && !known.contains(*entry.modelName))
      unknown.insert(*entry.modelName);
  if (!unknown.empty())
    llvm::errs() << "warning: " << options.dumpConfig << ": no graph "
                 << quoteAll(unknown.getArrayRef()) << " in "
                 << llvm::join(options.graphs, ", ") << ", which has "
                 << quoteAll(known.getArrayRef()) << '\n';
}

std::string Run::listGraphs() {
  llvm::SetVector<StringRef> names;
  for (auto &graph : graphs)
    names.insert(graph->name());
  return quoteAll(names.getArrayRef());
}

//===----------------------------------------------------------------------===//
// Files for nodes
//===----------------------------------------------------------------------===//

/// Fails on files for a node that none of several graphs has.
Status Run::checkFileNames() {
  if (graphs.size() == 1)
    return {};
  auto check = [&](const char *option, StringRef name) {
    if (llvm::any_of(graphs, [&](auto &graph) {
          return graph->findName(name).has_value();
        }))
      return Status();
    return Status::error("--" + std::string(option) + " " + name.str() +
                         ": none of the graphs has such a node; expected "
                         "NAME or NAME@GRAPH with a graph of " +
                         listGraphs());
  };
  for (auto [option, files] :
       {std::pair("input", &SessionOptions::inputs),
        std::pair("bind", &SessionOptions::bindings),
        std::pair("fallback", &SessionOptions::fallbacks)})
    for (const auto &entry : settings.session.*files)
      if (Status status = check(option, entry.getKey()); !status)
        return status;
  for (const auto &entry : settings.inputShapes)
    if (Status status = check("input-shape", entry.getKey()); !status)
      return status;
  return {};
}

Status Run::createSessions() {
  if (Status status = checkFileNames(); !status)
    return status;
  auto device = std::make_shared<DeviceState>();
  for (auto &graph : graphs) {
    if (Status status = graph->createSession(device, kernels); !status)
      return status;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Status Run::prepareOutputs() {
  if (options.outputDir.empty())
    return {};
  if (llvm::none_of(graphs, [](auto &graph) { return graph->hasOutputs(); }))
    return Status::error(std::string("--output-dir: ") +
                         (graphs.size() == 1
                              ? "graph " + listGraphs() + " has"
                              : "the graphs " + listGraphs() + " have") +
                         " no outputs; expected a NetOutput with inputs");
  for (auto [index, graph] : llvm::enumerate(graphs)) {
    std::string folder = options.outputDir;
    if (graphs.size() > 1) // as dumps have it
      folder += "/" + dump::replaceNameCharacters(graph->name().str()) + "/" +
                std::to_string(options.modelId + index);
    if (Status status = graph->prepareOutputs(std::move(folder)); !status)
      return status;
  }
  return {};
}

Status Run::writeReport(const Status &outcome) {
  if (options.report.empty())
    return {};
  const std::string timeFolder = writer ? writer->timeFolder() : "";
  const bool hasRun =
      llvm::any_of(graphs, [](auto &graph) { return graph->wasRun(); });
  const Status notRun = Status::error("not run");
  llvm::json::Array reports;
  for (auto &graph : graphs)
    reports.push_back(graph->makeReport(
        graph->wasRun() || !hasRun ? outcome : notRun, seconds, timeFolder));
  llvm::json::Value report = graphs.size() == 1
                                 ? std::move(reports.front())
                                 : llvm::json::Value(std::move(reports));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", report);
  const ByteView part = asBytes(text);
  return writeFile(options.report, {&part, 1});
}

/// What --list-shapes asks for.
Status Run::writeShapes() {
  if (Status status = checkFileNames(); !status)
    return status;
  std::string text = ShapeTable::header;
  for (auto &graph : graphs) {
    Expected<std::string> rows = graph->makeShapeTable(kernels);
    if (!rows)
      return rows.takeStatus();
    text += *rows;
  }
  if (options.listShapes == "-") {
    llvm::outs() << text;
    return {};
  }
  const ByteView part = asBytes(text);
  return writeFile(options.listShapes, {&part, 1});
}

void Run::printSummary() {
  uint64_t numFiles = 0;
  for (auto &graph : graphs) {
    graph->printSummary();
    numFiles += graph->filesQueued();
  }
  if (!settings.dump.enableDump)
    return;
  llvm::outs() << "wrote " << countText(numFiles, "dump file");
  if (numFiles)
    llvm::outs() << " to " << writer->timeFolder();
  llvm::outs() << '\n';
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One writer, since a process has one folder for its time.
Status Run::prepareDumps() {
  if (settings.dump.enableDump || settings.overflow.record) {
    dump::DumpWriterOptions writerOptions;
    writerOptions.dumpPath = settings.dump.dumpPath;
    writerOptions.deviceId = options.deviceId;
    writerOptions.modelNameInFolder = settings.modelNameInFolder;
    writerOptions.isHelped = settings.session.threads > 1;
    if (progress)
      writerOptions.progress = [this](uint64_t written, uint64_t queued) {
        progress->dumpProgressed(written, queued);
      };
    Expected<std::unique_ptr<dump::DumpWriter>> made =
        dump::DumpWriter::create(std::move(writerOptions));
    if (!made)
      return made.takeStatus();
    writer = std::move(*made);
  } else {
    // Nothing would be left of a run that stops half way. With dumps it goes
    // as far as it can.
    for (auto &graph : graphs)
      if (Status status = graph->checkKernels(); !status)
        return status;
  }
  for (auto &graph : graphs)
    if (Status status = graph->prepareObservers(writer.get()); !status)
      return status;
  return {};
}

Status Run::checkBudget() const {
  if (!writer)
    return {};
  Expected<DiskBudget> budget =
      DiskBudget::create(settings.dump.dumpPath, settings.dumpLimit);
  if (!budget)
    return budget.takeStatus();
  for (auto &graph : graphs)
    graph->addTo(*budget);
  return budget->check();
}

Status Run::prepare() {
  if (Status status = prepareOutputs(); !status)
    return status;
  if (ProgressLine::isWanted())
    progress = std::make_unique<ProgressLine>();
  if (Status status = prepareDumps(); !status)
    return status;
  return checkBudget();
}

/// Makes the C library keep the memory that a kernel has needed in between for
/// the next one: fresh pages cost more than most operators. Until here it gives
/// back to the system what loading has needed.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most that it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

Status Run::execute() {
  Status outcome = prepare();
  if (!outcome)
    return outcome;
  keepFreedMemory();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (auto &graph : graphs)
    if (outcome)
      outcome = graph->run(progress.get());
  if (writer)
    if (Status status = writer->finish(); !status && outcome)
      outcome = std::move(status);
  seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

int Run::main() {
  Status loaded = loadGraphs();
  const bool runsNothing = !options.listShapes.empty();
  if (loaded)
    loaded = runsNothing ? writeShapes() : createSessions();
  if (!loaded)
    return reportFailure(loaded);
  if (runsNothing)
    return 0;
  Status outcome = execute();
  if (progress)
    progress->clear();
  if (Status status = writeReport(outcome); !status && outcome)
    outcome = std::move(status);
  if (!outcome)
    return reportFailure(outcome);
  printSummary();
  int exitCode = 0;
  for (auto &graph : graphs) {
    if (graphs.size() > 1 && settings.overflow.any())
      llvm::outs() << "graph '" << graph->name() << "':\n";
    graph->printReplay();
    if (Status status = graph->printOverflow(); !status)
      return reportFailure(status);
    exitCode = std::max(exitCode, graph->exitCode());
  }
  return exitCode;
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
      "Run GE graphs with the arithmetic of an Ascend NPU\n");
  Expected<RunSettings> settings = readRunOptions(options);
  if (!settings)
    return reportFailure(settings.status());
  return Run(options, std::move(*settings)).main();
}
