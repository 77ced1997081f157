//===- OverflowAnalysis.h - Where an overflow started ----------*- C++ -*-===//

#ifndef NPU_EXECUTION_OVERFLOWANALYSIS_H
#define NPU_EXECUTION_OVERFLOWANALYSIS_H

#include "npu/Execution/Session.h"
#include "npu/Execution/ValueSummary.h"

#include "llvm/Support/JSON.h"

namespace npu {

/// Something that happened to a node, and why.
struct OverflowEvent {
  enum class Kind {
    /// The node overflowed although all its inputs are normal: an overflow
    /// begins here.
    Origin,
    /// Infinities, NaNs or saturated values came in with an input, and the node
    /// overflowed, too, or passed them on.
    Propagated,
    /// Only lanes overflowed that pad a private format: no data is affected.
    PaddingOnly,
    /// A constant became zero because it is too small for its type.
    Flushed,
  };
  Kind kind;
  uint64_t iteration = 0;
  const PlannedNode *node = nullptr;
  NodeStatus status;
  /// The nodes from the cause to this one, this one last.
  std::vector<std::string> chain;
  /// By anchor; without elements where unconnected.
  std::vector<ValueSummary> inputs;
  std::vector<ValueSummary> outputs;
  /// The results were cut off at the largest finite value: no infinity shows
  /// that they are wrong.
  bool isSaturated = false;
};

llvm::StringRef getName(OverflowEvent::Kind kind);

/// Follows overflows through a graph. An overflow is told by the status bits of
/// a node; what spreads is told by values: a tensor is tainted if it has
/// infinities or NaNs, or, after an overflow in saturation mode, saturated
/// values. Events come in the order of execution.
class OverflowAnalysis : public ExecutionObserver {
public:
  /// \p mask has the status bits that count as overflow.
  OverflowAnalysis(const Plan &plan, const NumericConfig &config,
                   StatusBits mask = status::Documented);

  Status nodeFinished(const NodeRun &run) override;

  const std::vector<OverflowEvent> &events() const { return found; }
  size_t count(OverflowEvent::Kind kind) const;

  /// The events with status words, ranges and chains.
  llvm::json::Array toJson() const;
  /// One line for an event, for the terminal.
  static std::string describe(const OverflowEvent &event);

private:
  /// Why a value is tainted: the node that computed it, and the taint that it
  /// got it from, null for the cause. A slot may be written again; what was
  /// said of its older values stays.
  struct TaintRecord {
    const PlannedNode *node;
    std::shared_ptr<const TaintRecord> from;
  };
  using Taint = std::shared_ptr<const TaintRecord>;

  /// The taint of the first input of \p node that has one.
  static Taint findCause(const PlannedNode &node,
                         const std::vector<Taint> &causes);
  /// The taint that \p node passes on, with the \p cause that it has from an
  /// input; null where it is the first.
  static Taint passOn(const PlannedNode &node, const Taint &cause);
  void visitSource(const NodeRun &run);
  void visitArgument(const NodeRun &run);
  void visitControl(const NodeRun &run);
  void visitPassedOn(const NodeRun &run, size_t input, unsigned slot);
  void visitMerge(const NodeRun &run);
  void visitCompute(const NodeRun &run);
  void visitFlushes(const NodeRun &run);
  OverflowEvent makeEvent(OverflowEvent::Kind kind, const NodeRun &run,
                          Taint cause) const;
  /// Whether a result has what an overflow leaves behind.
  bool isTainted(const ValueSummary &summary) const;

  const Plan &plan;
  NumericConfig config;
  StatusBits mask;
  std::optional<uint64_t> iteration;
  std::vector<Taint> taints;  ///< by slot
  std::vector<Taint> flushed; ///< by slot: constants that became zero
  /// Whether a constant was found tainted; constants are looked at once.
  std::vector<bool> taintedConstants;
  bool sawConstants = false;
  std::vector<OverflowEvent> found;
};

} // namespace npu

#endif // NPU_EXECUTION_OVERFLOWANALYSIS_H
