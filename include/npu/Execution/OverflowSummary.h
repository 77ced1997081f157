//===- OverflowSummary.h - Overflows over many iterations ------*- C++ -*-===//

#ifndef NPU_EXECUTION_OVERFLOWSUMMARY_H
#define NPU_EXECUTION_OVERFLOWSUMMARY_H

#include "npu/Execution/OverflowAnalysis.h"

namespace npu {

/// How often a node was the origin of an overflow.
struct NodeOverflows {
  std::string name;
  std::vector<uint64_t> iterations; ///< ascending
  /// In at least half of the iterations: loss scaling does not cure it.
  /// Otherwise it is sporadic, as dynamic loss scaling expects.
  bool isPersistent = false;
};

/// The origins among \p events, by node in the order of first appearance.
std::vector<NodeOverflows>
summarizeOverflows(const std::vector<OverflowEvent> &events,
                   const IterationRange &iterations);

/// A dynamic loss scale, as loss-scaling optimisers keep it.
struct LossScale {
  double scale = 65536;
  double factor = 2;
  uint64_t growthInterval = 1000; ///< clean steps before the scale grows
};

/// Reads "START", "START:FACTOR" or "START:FACTOR:INTERVAL".
Expected<LossScale> parseLossScale(llvm::StringRef text);

/// The scale after each iteration: divided by the factor after one with an
/// overflow, multiplied after growthInterval clean ones in a row.
std::vector<double> simulateLossScale(const std::vector<NodeOverflows> &nodes,
                                      const IterationRange &iterations,
                                      LossScale scale);

} // namespace npu

#endif // NPU_EXECUTION_OVERFLOWSUMMARY_H
