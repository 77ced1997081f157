//===- HalfRisk.h - What would overflow in half precision ------*- C++ -*-===//

#ifndef NPU_EXECUTION_HALFRISK_H
#define NPU_EXECUTION_HALFRISK_H

#include "npu/Execution/Session.h"

namespace npu {

/// Watches the fp32 results of a graph for values that fp16 cannot hold: what
/// would happen if the graph ran in half precision.
class HalfRisk : public ExecutionObserver {
public:
  /// The largest value of fp16, and the largest threshold that makes sense.
  static constexpr double HalfMaximum = 65504;

  struct Candidate {
    const PlannedNode *node = nullptr;
    double largest = 0;     ///< magnitude of the largest finite result
    bool isCertain = false; ///< beyond fp16; otherwise beyond the threshold
  };

  /// Fails for a threshold that is not above 0 and at most HalfMaximum.
  static Expected<HalfRisk> create(double threshold);

  Status nodeFinished(const NodeRun &run) override;

  /// In the order of execution, each node once with its largest value.
  const std::vector<Candidate> &candidates() const { return found; }

private:
  explicit HalfRisk(double threshold) : threshold(threshold) {}

  double threshold;
  std::vector<Candidate> found;
};

} // namespace npu

#endif // NPU_EXECUTION_HALFRISK_H
