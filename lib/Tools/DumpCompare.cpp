//===- DumpCompare.cpp - npu-dump compare ---------------------------------===//

#include "CommandLine.h"
#include "CompareReport.h"
#include "DumpCommands.h"
#include "OriginalGraphLoader.h"

#include "npu/DumpTools/Compare.h"

#include <algorithm>
#include <ctime>

using namespace npu;
namespace cl = llvm::cl;

namespace {

/// An option of Ascend's tool that only says what to do instead.
class RefusedOption {
public:
  RefusedOption(const char *name, cl::ValueExpected value, const char *advice,
                cl::SubCommand &subcommand)
      : option(llvm::StringRef(name), cl::Hidden, value, cl::sub(subcommand)),
        advice(advice) {}

  Status check() const {
    if (option.getNumOccurrences() == 0)
      return {};
    return Status::error("-" + option.ArgStr.str() +
                         ": not supported by npu-dump; " + advice);
  }

private:
  cl::opt<std::string> option;
  const char *advice;
};

/// npu-dump compare: a dump against another, or against arrays.
class CompareCommand : public DumpCommand {
public:
  CompareCommand()
      : DumpCommand("compare",
                    "Compare dumps or their statistics, or with .npy files") {}

  int run() override;

private:
  Expected<dump::MetricSet> readMetrics() const;
  Expected<dump::CompareSelection> readSelection() const;
  int report(const dump::CompareSummary &summary) const;
  std::string summarize(const dump::CompareSummary &summary) const;

  cl::opt<std::string> mine{
      "m", cl::Required, cl::value_desc("PATH"),
      cl::desc("A dump, statistics, or a folder with them"),
      cl::sub(subcommand)};
  cl::alias mineName{"my-dump-path", cl::desc("Same as -m"),
                     cl::aliasopt(mine)};
  cl::opt<std::string> golden{"g", cl::Required, cl::value_desc("PATH"),
                              cl::desc("What is right: the same, or .npy"),
                              cl::sub(subcommand)};
  cl::alias goldenName{"golden-dump-path", cl::desc("Same as -g"),
                       cl::aliasopt(golden)};
  cl::opt<std::string> output{"out", cl::init("."), cl::value_desc("FOLDER"),
                              cl::desc("Where compare.csv and .json go"),
                              cl::sub(subcommand)};
  cl::alias outputName{"output", cl::desc("Same as -out"),
                       cl::aliasopt(output)};
  cl::opt<std::string> graph{
      "f", cl::value_desc("GRAPH"),
      cl::desc("Graph text, .mlir or fusion .json with the original names"),
      cl::sub(subcommand)};
  cl::alias graphName{"fusion-rule-file", cl::desc("Same as -f"),
                      cl::aliasopt(graph)};
  cl::opt<double> rtol{"rtol", cl::init(0), cl::value_desc("R"),
                       cl::desc("Difference allowed, relative to golden"),
                       cl::sub(subcommand)};
  cl::opt<double> atol{"atol", cl::init(0), cl::value_desc("A"),
                       cl::desc("Difference allowed"), cl::sub(subcommand)};
  cl::opt<unsigned> worst{"top", cl::init(20), cl::value_desc("N"),
                          cl::desc("Rows of the printed table (20)"),
                          cl::sub(subcommand)};
  cl::opt<std::string> metrics{
      "alg", cl::value_desc("NAME,..."),
      cl::desc("Metrics that get columns, by name or by number from 0 to 9"),
      cl::sub(subcommand)};
  cl::alias metricsName{"algorithm", cl::desc("Same as --alg"),
                        cl::aliasopt(metrics)};
  cl::opt<std::string> op{
      "op", cl::value_desc("NAME"),
      cl::desc("Only this operator, and the pairs of its tensors with the "
               "largest errors"),
      cl::sub(subcommand)};
  cl::alias opName{"op-name", cl::desc("Same as --op"), cl::aliasopt(op)};
  cl::opt<unsigned> outputTensor{"o", cl::value_desc("INDEX"),
                                 cl::desc("Of --op only this output"),
                                 cl::sub(subcommand)};
  cl::alias outputTensorName{"output-tensor", cl::desc("Same as -o"),
                             cl::aliasopt(outputTensor)};
  cl::opt<unsigned> inputTensor{"i", cl::value_desc("INDEX"),
                                cl::desc("Of --op only this input"),
                                cl::sub(subcommand)};
  cl::alias inputTensorName{"input-tensor", cl::desc("Same as -i"),
                            cl::aliasopt(inputTensor)};
  cl::opt<unsigned> numPairs{
      "n", cl::init(20), cl::value_desc("N"),
      cl::desc("How many pairs of --op (20; at most 10000)"),
      cl::sub(subcommand)};
  cl::alias numPairsName{"topn", cl::desc("Same as -n"),
                         cl::aliasopt(numPairs)};
  const RefusedOption refused[9] = {
      {"map", cl::ValueDisallowed,
       "compare.csv says what each tensor is compared with", subcommand},
      {"q", cl::ValueRequired, "expected the graph with -f", subcommand},
      {"cf", cl::ValueRequired, "expected the graph with -f", subcommand},
      {"c", cl::ValueRequired, "scripts are not run", subcommand},
      {"a", cl::ValueRequired, "expected --rtol and --atol", subcommand},
      {"r", cl::ValueRequired, "expected --op for one operator", subcommand},
      {"s", cl::ValueRequired, "expected --op for one operator", subcommand},
      {"max", cl::ValueRequired, "tensors of any size are compared",
       subcommand},
      {"advisor", cl::ValueDisallowed,
       "expected --html, and what compare prints", subcommand}};
  cl::opt<unsigned> version{"v", cl::Hidden, cl::init(2),
                            cl::desc("Version of the dump files"),
                            cl::sub(subcommand)};
  cl::opt<bool> overflow{"overflow-detection",
                         cl::desc("Add the column OverFlow of float16"),
                         cl::sub(subcommand)};
  cl::opt<bool> html{"html",
                     cl::desc("Write compare.html, with a picture of the "
                              "differences"),
                     cl::sub(subcommand)};
  cl::opt<bool> resume{"resume", cl::desc("Go on after an interruption"),
                       cl::sub(subcommand)};
  cl::opt<bool> compat{"compat",
                       cl::desc("Write what msaccucmp compare writes"),
                       cl::sub(subcommand)};
  cl::opt<unsigned> threads{"threads", cl::init(0), cl::value_desc("N"),
                            cl::desc("Threads; 0: one for each processor"),
                            cl::sub(subcommand)};
};

} // namespace

/// The numbers or names of metrics: "0,3", "CosineSimilarity".
Expected<dump::MetricSet> CompareCommand::readMetrics() const {
  if (metrics.empty() || metrics == "all")
    return dump::MetricSet().set();
  dump::MetricSet chosen;
  for (const std::string &part : splitAtCommas(metrics)) {
    const llvm::StringRef name = llvm::StringRef(part).trim();
    size_t index = 0;
    if (name.getAsInteger(10, index))
      index = static_cast<size_t>(
          std::ranges::find(dump::MetricNames, std::string_view(name)) -
          std::begin(dump::MetricNames));
    if (index >= chosen.size())
      return Status::error("--alg " + part +
                           ": expected all, numbers from 0 to 9 or names such "
                           "as CosineSimilarity");
    chosen.set(index);
  }
  return chosen;
}

Expected<dump::CompareSelection> CompareCommand::readSelection() const {
  dump::CompareSelection selection;
  selection.opName = op;
  if (inputTensor.getNumOccurrences() > 0)
    selection.input = inputTensor;
  if (outputTensor.getNumOccurrences() > 0)
    selection.output = outputTensor;
  if (selection.input && selection.output)
    return Status::error("-i and -o: expected one of them");
  if (op.empty() &&
      (selection.input || selection.output || numPairs.getNumOccurrences() > 0))
    return Status::error("-i, -o and -n: expected with --op");
  if (numPairs < 1 || numPairs > 10000)
    return Status::error("-n " + std::to_string(numPairs) +
                         ": expected 1 to 10000");
  if (!op.empty())
    selection.numWorst = numPairs;
  return selection;
}

static std::string getTime() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32];
  return std::string(text,
                     std::strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local));
}

static uint64_t count(const dump::CompareSummary &summary,
                      dump::Verdict verdict) {
  auto it = summary.numTensors.find(verdict);
  return it == summary.numTensors.end() ? 0 : it->second;
}

std::string
CompareCommand::summarize(const dump::CompareSummary &summary) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << count(summary, dump::Verdict::Pass) << " equal, "
     << count(summary, dump::Verdict::Fail) << " different, "
     << count(summary, dump::Verdict::Skip) << " skipped, "
     << count(summary, dump::Verdict::Missing) << " without golden, "
     << count(summary, dump::Verdict::Error) << " unreadable";
  if (summary.numResumed != 0)
    os << "; " << summary.numResumed << " of them from before";
  if (summary.numGoldenUnused != 0)
    os << "; " << summary.numGoldenUnused << " golden files without mine";
  return text;
}

/// Prints the outcome and returns the exit code.
int CompareCommand::report(const dump::CompareSummary &summary) const {
  const std::string text = summarize(summary);
  if (!compat) {
    Expected<CompareReport> made =
        makeCompareReport(summary, worst, output + "/compare.json");
    if (!made)
      return reportFailure(made.status());
    llvm::outs() << made->table;
    if (!made->firstDifference.empty())
      llvm::outs() << made->firstDifference << '\n';
    if (!made->firstNonFinite.empty())
      llvm::outs() << made->firstNonFinite << '\n';
    if (html) {
      const std::string page = made->plot.toHtml(text, made->table);
      const ByteView bytes = asBytes(page);
      if (Status status = writeFile(output + "/compare.html", {&bytes, 1});
          !status)
        return reportFailure(status);
    }
  }
  llvm::outs() << text << ": " << summary.path << '\n';
  const uint64_t numFailed = count(summary, dump::Verdict::Fail);
  const uint64_t numPassed = count(summary, dump::Verdict::Pass);
  if (numFailed != 0)
    return static_cast<int>(ErrorKind::Difference);
  if (count(summary, dump::Verdict::Error) != 0)
    return static_cast<int>(ErrorKind::Usage);
  if (numPassed == 0)
    return reportFailure(Status::error("nothing to compare: no tensor of " +
                                       mine +
                                       (count(summary, dump::Verdict::Skip) == 0
                                            ? " has a golden one in "
                                            : " has numbers to compare with ") +
                                       golden));
  return 0;
}

int CompareCommand::run() {
  if (Status status = checkThreads(threads); !status)
    return reportFailure(status);
  if (Status status = checkOutputFolder(output.getValue(), {mine, golden});
      !status)
    return reportFailure(status);
  if (!(rtol >= 0) || !(atol >= 0))
    return reportFailure(
        Status::error("--rtol and --atol: expected numbers from 0 on"));
  if (resume && compat)
    return reportFailure(Status::error(
        "--resume and --compat: expected one of them; the file of --compat "
        "has another name each time"));
  if (html && compat)
    return reportFailure(Status::error(
        "--html and --compat: expected one of them; the page is ours"));
  for (const RefusedOption &option : refused)
    if (Status status = option.check(); !status)
      return reportFailure(status);
  if (version != 1 && version != 2)
    return reportFailure(
        Status::error("-v " + std::to_string(version) + ": expected 1 or 2"));
  Expected<dump::MetricSet> chosen = readMetrics();
  if (!chosen)
    return reportFailure(chosen.status());
  Expected<dump::CompareSelection> selection = readSelection();
  if (!selection)
    return reportFailure(selection.status());
  std::optional<dump::OriginalGraph> originals;
  if (!graph.empty()) {
    Expected<dump::OriginalGraph> loaded = loadOriginalGraph(graph);
    if (!loaded)
      return reportFailure(loaded.status());
    originals = std::move(*loaded);
  }
  dump::CompareOptions options;
  options.mine = mine;
  options.golden = golden;
  options.folder = output;
  options.graph = originals ? &*originals : nullptr;
  options.tolerance = {rtol, atol};
  options.overflowColumn = overflow;
  options.metrics = *chosen;
  options.selection = std::move(*selection);
  options.resume = resume;
  options.compat = compat;
  options.time = getTime();
  options.numThreads = threads;
  FileProgress progress;
  dump::CompareObserver observer;
  observer.warning = [](const std::string &text) {
    llvm::errs() << "warning: " << text << '\n';
  };
  observer.fileDone = [&](size_t numDone, size_t numFiles) {
    progress.draw(numDone, numFiles);
  };
  Expected<dump::CompareSummary> summary =
      dump::compareDumps(options, observer);
  progress.clear();
  if (!summary)
    return reportFailure(summary.status());
  return report(*summary);
}

std::unique_ptr<DumpCommand> npu::makeCompareCommand() {
  return std::make_unique<CompareCommand>();
}
