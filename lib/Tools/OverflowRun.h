//===- OverflowRun.h - Overflow detection of npu-run -----------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_OVERFLOWRUN_H
#define NPU_LIB_TOOLS_OVERFLOWRUN_H

#include "npu/Execution/HalfRisk.h"
#include "npu/Execution/OverflowRecorder.h"
#include "npu/Execution/OverflowSummary.h"
#include "npu/Execution/Report.h"
#include "npu/Execution/SuspiciousValues.h"

namespace npu {

/// When a run that went well ends with exit code 2.
enum class FailOnOverflow { Never, Any, Persistent };

struct OverflowSettings {
  OverflowRecorderOptions recorder;
  FailOnOverflow failOn = FailOnOverflow::Never;
  /// Write records and dumps (enable_dump_debug).
  bool record = false;
  /// Follow overflows through the graph, for the report and the terminal.
  bool analyse = false;
  std::optional<LossScale> lossScale;
  std::optional<double> halfRiskThreshold;
  std::string halfRiskList; ///< file for the names of the candidates
  std::vector<double> suspiciousValues;

  /// Whether something is looked for.
  bool any() const {
    return record || analyse || halfRiskThreshold || !suspiciousValues.empty();
  }
};

/// The observers of a run that deal with overflow, and what they found.
class OverflowRun {
public:
  OverflowRun(OverflowSettings settings) : settings(std::move(settings)) {}

  /// \p writer is null unless records are written.
  Status prepare(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
                 const NumericConfig &config, dump::DumpWriter *writer);
  /// What writes records; null where nothing does.
  const OverflowRecorder *records() const { return recorder.get(); }
  /// To be told of every node, in this order.
  std::vector<ExecutionObserver *> observers();

  /// Adds "events", "overflows", "loss_scale" and "half_risk"
  /// and "suspicious".
  void addToReport(RunReport &report, const IterationRange &iterations) const;
  /// Prints what was found, the origins first. Writes the list of candidates.
  Status print(const IterationRange &iterations) const;
  /// 2 if the run is to fail for what was found, otherwise 0.
  int exitCode(const IterationRange &iterations) const;

private:
  OverflowSettings settings;
  std::unique_ptr<OverflowRecorder> recorder;
  std::unique_ptr<OverflowAnalysis> analysis;
  std::unique_ptr<HalfRisk> halfRisk;
  std::unique_ptr<SuspiciousValues> suspicious;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_OVERFLOWRUN_H
