//===- Streams.h - Which streams run in an iteration -----------*- C++ -*-===//

#ifndef NPU_EXECUTION_STREAMS_H
#define NPU_EXECUTION_STREAMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <cstdint>

namespace npu {

struct PlannedNode;

/// Where the streams of a graph begin, from its nodes in the order of
/// execution.
struct StreamPlan {
  /// By stream: the place of its first node.
  llvm::DenseMap<int64_t, unsigned> firstPlaces;
  /// Streams that do nothing until a StreamActive or StreamSwitch starts them:
  /// one that comes before all their nodes. A later one restarts them, which is
  /// the loop of a graph that does several iterations by itself.
  llvm::DenseSet<int64_t> waiting;

  static StreamPlan create(llvm::ArrayRef<PlannedNode> nodes);
};

/// The streams that are active as an iteration goes on. What is started before
/// its first node runs in this iteration, what is restarted in the next one. An
/// iteration that restarts nothing ends the loop: the next one is a new launch
/// of the graph.
class StreamState {
public:
  void beginIteration(const StreamPlan &plan);
  /// Nodes without a stream, and what is no task (constants), are active.
  bool isActive(const PlannedNode &node) const;
  /// The node at \p place starts \p stream.
  void start(int64_t stream, unsigned place, const StreamPlan &plan);
  /// Nothing more of \p stream runs in this iteration.
  void end(int64_t stream) { inactive.insert(stream); }

private:
  llvm::DenseSet<int64_t> inactive, next;
};

} // namespace npu

#endif // NPU_EXECUTION_STREAMS_H
