//===- Report.h - What a run did -------------------------------*- C++ -*-===//

#ifndef NPU_EXECUTION_REPORT_H
#define NPU_EXECUTION_REPORT_H

#include "npu/Execution/Session.h"

#include "llvm/Support/JSON.h"

namespace npu {

/// Collects what the report of a run says: what ran and how long, the status
/// bits of every node, and everything that was inferred or assumed.
class RunReport : public ExecutionObserver {
public:
  /// Reads what was inferred for the nodes of \p plan.
  explicit RunReport(const Plan &plan);

  /// A value of the head of the report ("soc", "dump_path"...).
  void set(llvm::StringRef key, llvm::json::Value value) {
    head[key] = std::move(value);
  }
  /// What was assumed beside the numbers of tasks: defaults of options.
  void addAssumption(llvm::StringRef text) {
    assumptions.push_back(text.str());
  }

  /// An iteration that ended, and what it took: dumps may still be written.
  void addIteration(double seconds) { iterationSeconds.push_back(seconds); }

  Status nodeFinished(const NodeRun &run) override;
  void nodeSkipped(const PlannedNode &node) override;
  Status nodeFailed(const NodeRun &run, const Status &why) override;

  /// Number of nodes of which a fact was inferred, and of the facts.
  unsigned numInferredNodes() const { return inferred.size(); }
  size_t numInferredFacts() const;
  /// Nodes that a kernel computed, over all iterations.
  uint64_t numExecuted() const { return executed; }

  /// The report as JSON. \p outcome is empty for a run that ended well.
  llvm::json::Value toJson(const Session &session,
                           llvm::StringRef outcome) const;

private:
  struct Row {
    StatusBits valid = 0, padding = 0;
    double seconds = 0;
    uint64_t runs = 0, skips = 0;
  };
  llvm::json::Object head;
  std::vector<std::string> assumptions;
  std::vector<std::pair<std::string, std::vector<std::string>>> inferred;
  llvm::DenseMap<mlir::Operation *, Row> rows;
  std::vector<double> iterationSeconds;
  std::string failedNode;
  uint64_t executed = 0;
};

} // namespace npu

#endif // NPU_EXECUTION_REPORT_H
