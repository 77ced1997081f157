//===- Streams.cpp - Which streams run in an iteration --------------------===//

#include "npu/Execution/Streams.h"

#include "npu/Execution/Plan.h"

using namespace npu;

/// The stream that \p node runs on; none of what is no task, and before streams
/// are assigned.
static std::optional<int64_t> getStream(const PlannedNode &node) {
  const auto stream = static_cast<int64_t>(node.op.getStreamId());
  const bool isData =
      node.kind == PlannedNode::Kind::Source && node.taskId == 0;
  if (stream < 0 || isData)
    return std::nullopt;
  return stream;
}

StreamPlan StreamPlan::create(llvm::ArrayRef<PlannedNode> nodes) {
  StreamPlan plan;
  for (auto [place, node] : llvm::enumerate(nodes))
    if (std::optional<int64_t> stream = getStream(node))
      plan.firstPlaces.try_emplace(*stream, place);
  for (auto [place, node] : llvm::enumerate(nodes))
    for (int64_t stream : node.startedStreams) {
      auto first = plan.firstPlaces.find(stream);
      if (first != plan.firstPlaces.end() && place < first->second)
        plan.waiting.insert(stream);
    }
  return plan;
}

void StreamState::beginIteration(const StreamPlan &plan) {
  inactive = plan.waiting;
  if (!next.empty())
    for (int64_t stream : llvm::make_first_range(plan.firstPlaces))
      if (!next.contains(stream))
        inactive.insert(stream);
  for (int64_t stream : next)
    inactive.erase(stream);
  next.clear();
}

bool StreamState::isActive(const PlannedNode &node) const {
  std::optional<int64_t> stream = getStream(node);
  return !stream || !inactive.contains(*stream);
}

void StreamState::start(int64_t stream, unsigned place,
                        const StreamPlan &plan) {
  auto first = plan.firstPlaces.find(stream);
  if (first == plan.firstPlaces.end())
    return; // nothing runs on it
  if (place < first->second)
    inactive.erase(stream);
  else
    next.insert(stream);
}
