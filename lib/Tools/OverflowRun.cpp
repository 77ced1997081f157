//===- OverflowRun.cpp - Overflow detection of npu-run --------------------===//

#include "OverflowRun.h"

#include "npu/Support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;
using Kind = OverflowEvent::Kind;

/// Events of a kind that are printed; the report has all.
static constexpr size_t MaxPrinted = 10;

Status OverflowRun::prepare(ge::GraphOp graph, const Plan &plan,
                            uint32_t modelId, const NumericConfig &config,
                            dump::DumpWriter *writer) {
  if (settings.record) {
    Expected<std::unique_ptr<OverflowRecorder>> made = OverflowRecorder::create(
        graph, plan, modelId, config.soc, settings.recorder, *writer);
    if (!made)
      return made.takeStatus();
    recorder = std::move(*made);
  }
  if (settings.analyse)
    analysis = std::make_unique<OverflowAnalysis>(plan, config,
                                                  settings.recorder.mask);
  if (settings.halfRiskThreshold) {
    Expected<HalfRisk> made = HalfRisk::create(*settings.halfRiskThreshold);
    if (!made)
      return made.takeStatus().withContext("--half-risk");
    halfRisk = std::make_unique<HalfRisk>(std::move(*made));
  }
  if (!settings.suspiciousValues.empty())
    suspicious = std::make_unique<SuspiciousValues>(settings.suspiciousValues);
  return {};
}

std::vector<ExecutionObserver *> OverflowRun::observers() {
  std::vector<ExecutionObserver *> all;
  for (ExecutionObserver *observer :
       {static_cast<ExecutionObserver *>(recorder.get()),
        static_cast<ExecutionObserver *>(analysis.get()),
        static_cast<ExecutionObserver *>(halfRisk.get()),
        static_cast<ExecutionObserver *>(suspicious.get())})
    if (observer)
      all.push_back(observer);
  return all;
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

void OverflowRun::addToReport(RunReport &report,
                              const IterationRange &iterations) const {
  using llvm::json::Array;
  using llvm::json::Object;
  if (analysis) {
    report.set("events", analysis->toJson());
    std::vector<NodeOverflows> nodes =
        summarizeOverflows(analysis->events(), iterations);
    Array rows;
    for (const NodeOverflows &node : nodes)
      rows.push_back(
          Object{{"node", node.name},
                 {"iterations", Array(node.iterations)},
                 {"of", iterations.count},
                 {"class", node.isPersistent ? "persistent" : "sporadic"}});
    report.set("overflows", std::move(rows));
    if (settings.lossScale)
      report.set("loss_scale", Array(simulateLossScale(nodes, iterations,
                                                       *settings.lossScale)));
  }
  if (halfRisk) {
    Array rows;
    for (const HalfRisk::Candidate &candidate : halfRisk->candidates())
      rows.push_back(
          Object{{"node", candidate.node->op.getNodeName()},
                 {"type", candidate.node->op.getOpType()},
                 {"largest", candidate.largest},
                 {"class", candidate.isCertain ? "certain" : "at risk"}});
    report.set("half_risk", std::move(rows));
  }
  if (suspicious) {
    Array rows;
    for (const SuspiciousValues::Finding &finding : suspicious->findings())
      rows.push_back(Object{{"node", finding.node->op.getNodeName()},
                            {"iteration", finding.iteration},
                            {"count", finding.count}});
    report.set("suspicious", std::move(rows));
  }
}

//===----------------------------------------------------------------------===//
// Terminal
//===----------------------------------------------------------------------===//

static void printEvents(const OverflowAnalysis &analysis, Kind kind) {
  size_t printed = 0;
  for (const OverflowEvent &event : analysis.events()) {
    if (event.kind != kind)
      continue;
    if (printed == MaxPrinted) {
      llvm::outs() << "  and " << analysis.count(kind) - MaxPrinted
                   << " more; --report lists them\n";
      return;
    }
    llvm::outs() << "  " << OverflowAnalysis::describe(event) << '\n';
    ++printed;
  }
}

static void printAnalysis(const OverflowAnalysis &analysis,
                          const IterationRange &iterations,
                          const std::optional<LossScale> &lossScale) {
  if (analysis.events().empty()) {
    llvm::outs() << "no overflow\n";
    return;
  }
  llvm::outs() << "overflow:";
  const char *separator = " ";
  for (Kind kind :
       {Kind::Origin, Kind::Propagated, Kind::PaddingOnly, Kind::Flushed})
    if (size_t count = analysis.count(kind)) {
      llvm::outs() << separator << count << ' ' << getName(kind);
      separator = ", ";
    }
  llvm::outs() << '\n';
  for (Kind kind :
       {Kind::Origin, Kind::Flushed, Kind::PaddingOnly, Kind::Propagated})
    printEvents(analysis, kind);
  std::vector<NodeOverflows> nodes =
      summarizeOverflows(analysis.events(), iterations);
  if (iterations.count > 1)
    for (const NodeOverflows &node : nodes)
      llvm::outs() << "  " << node.name << ": "
                   << (node.isPersistent ? "persistent" : "sporadic") << ", "
                   << node.iterations.size() << " of " << iterations.count
                   << " iterations\n";
  if (!lossScale)
    return;
  std::vector<std::string> scales;
  for (double scale : simulateLossScale(nodes, iterations, *lossScale)) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%g", scale);
    scales.push_back(std::move(text));
  }
  llvm::outs() << "  loss scale: " << llvm::join(scales, " ") << '\n';
}

Status OverflowRun::print(const IterationRange &iterations) const {
  if (recorder)
    llvm::outs() << "wrote " << recorder->recordsQueued()
                 << " overflow record(s)\n";
  if (analysis)
    printAnalysis(*analysis, iterations, settings.lossScale);
  if (suspicious)
    for (const SuspiciousValues::Finding &finding : suspicious->findings())
      llvm::outs() << "suspicious: " << finding.node->describe()
                   << " (iteration " << finding.iteration << "), "
                   << finding.count << " of the values asked for\n";
  if (!halfRisk)
    return {};
  std::string names;
  llvm::outs() << "half precision: " << halfRisk->candidates().size()
               << " nodes would overflow or come close\n";
  for (const HalfRisk::Candidate &candidate : halfRisk->candidates()) {
    llvm::outs() << "  " << (candidate.isCertain ? "certain" : "at risk")
                 << ": " << candidate.node->describe() << ", largest "
                 << llvm::format("%.9g", candidate.largest) << '\n';
    names += candidate.node->op.getNodeName().str() + '\n';
  }
  if (settings.halfRiskList.empty())
    return {};
  const ByteView part = asBytes(names);
  return writeFile(settings.halfRiskList, {&part, 1});
}

int OverflowRun::exitCode(const IterationRange &iterations) const {
  if (!analysis || settings.failOn == FailOnOverflow::Never)
    return 0;
  std::vector<NodeOverflows> nodes =
      summarizeOverflows(analysis->events(), iterations);
  const bool fails = llvm::any_of(nodes, [&](const NodeOverflows &node) {
    return settings.failOn == FailOnOverflow::Any || node.isPersistent;
  });
  return fails ? 2 : 0;
}
