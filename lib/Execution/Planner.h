//===- Planner.h - Making a plan ---------------------------------*- C++
//-*-===//

#ifndef NPU_LIB_EXECUTION_PLANNER_H
#define NPU_LIB_EXECUTION_PLANNER_H

#include "npu/Execution/Plan.h"

namespace npu {

/// Plans a graph, then those that its nodes run.
class Planner {
public:
  Planner(const llvm::StringSet<> &fed) : fed(fed) {}
  Expected<Plan> run(ge::GraphOp root);

private:
  /// A graph to plan, and the node that runs it; none for the root.
  struct Call {
    ge::GraphOp graph;
    unsigned caller = PlannedNode::NoSlot;
    unsigned branch = 0;
  };

  Status addGraph(const Call &call);
  Expected<PlannedNode> describe(ge::NodeOp node, const Call &call) const;
  Status connectInputs(PlannedNode &node);
  void addOutputs(PlannedNode &node);
  void planReleases(unsigned begin, unsigned end);

  // PlanBranches.cpp
  Status addCalls(PlannedNode &node);
  Status checkCarried(const PlannedNode &node) const;
  Status bindArgument(PlannedNode &node, const Call &call);
  Status bindResults(const Call &call);
  bool isReturned(const PlannedNode &loop, unsigned input) const;
  bool isShared(const PlannedNode &node,
                const PlannedBranch::Argument &argument, unsigned owner) const;
  void planArguments();

  const llvm::StringSet<> &fed;
  Plan plan;
  llvm::DenseMap<mlir::Operation *, uint32_t> tasks;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  std::vector<uint64_t> slotSizes;
  // By slot: the places of the node that made it, and of the last that wrote
  // it.
  std::vector<unsigned> makers, writers;
  std::vector<Call> calls; // what is still to be planned
};

/// Whether a buffer of \p bytes holds what is read as \p wanted. The blocks of
/// a vector in a private format may reach beyond the vector that its producer
/// gives: zeros follow.
bool holds(uint64_t bytes, const TensorDesc &wanted);

/// The input of \p caller, which runs the graph of \p data, that it passes to
/// \p data. Fails if there is none.
Expected<unsigned> findParentInput(ge::NodeOp data, ge::NodeOp caller);

} // namespace npu

#endif // NPU_LIB_EXECUTION_PLANNER_H
