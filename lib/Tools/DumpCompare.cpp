//===- DumpCompare.cpp - npu-dump compare ---------------------------------===//

#include "CommandLine.h"
#include "CompareReport.h"
#include "DumpCommands.h"
#include "OriginalGraphLoader.h"

#include "npu/DumpTools/Compare.h"

#include <ctime>

using namespace npu;
namespace cl = llvm::cl;

namespace {

/// npu-dump compare: a dump against another, or against arrays.
class CompareCommand : public DumpCommand {
public:
  CompareCommand()
      : DumpCommand("compare",
                    "Compare dumps or their statistics, or with .npy files") {}

  int run() override;

private:
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
