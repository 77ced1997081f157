//===- OverflowSummary.cpp - Overflows over many iterations ---------------===//

#include "npu/Execution/OverflowSummary.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

std::vector<NodeOverflows>
npu::summarizeOverflows(const std::vector<OverflowEvent> &events,
                        const IterationRange &iterations) {
  // A node is the same one whatever the shapes of its tensors.
  llvm::MapVector<mlir::Operation *, NodeOverflows> nodes;
  for (const OverflowEvent &event : events) {
    if (event.kind != OverflowEvent::Kind::Origin)
      continue;
    NodeOverflows &node = nodes[event.node->op];
    node.name = event.node->op.getNodeName().str();
    if (node.iterations.empty() || node.iterations.back() != event.iteration)
      node.iterations.push_back(event.iteration);
  }
  std::vector<NodeOverflows> result;
  for (auto &[key, node] : nodes) {
    node.isPersistent = 2 * node.iterations.size() >= iterations.count;
    result.push_back(std::move(node));
  }
  return result;
}

Expected<LossScale> npu::parseLossScale(llvm::StringRef text) {
  LossScale scale;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ':');
  const bool wrong =
      parts.size() > 3 || parts[0].getAsDouble(scale.scale) ||
      (parts.size() > 1 && parts[1].getAsDouble(scale.factor)) ||
      (parts.size() > 2 && parts[2].getAsInteger(10, scale.growthInterval)) ||
      !(scale.scale > 0) || !(scale.factor > 1) || scale.growthInterval == 0;
  if (wrong)
    return Status::error("'" + text.str() +
                         "': expected START, START:FACTOR or "
                         "START:FACTOR:INTERVAL with START > 0, FACTOR > 1 and "
                         "INTERVAL > 0");
  return scale;
}

std::vector<double>
npu::simulateLossScale(const std::vector<NodeOverflows> &nodes,
                       const IterationRange &iterations, LossScale scale) {
  std::vector<double> scales;
  uint64_t clean = 0;
  for (uint64_t iteration = iterations.first; iteration != iterations.end();
       ++iteration) {
    const bool overflowed = llvm::any_of(nodes, [&](const NodeOverflows &node) {
      return llvm::is_contained(node.iterations, iteration);
    });
    if (overflowed) {
      scale.scale /= scale.factor;
      clean = 0;
    } else if (++clean == scale.growthInterval) {
      scale.scale *= scale.factor;
      clean = 0;
    }
    scales.push_back(scale.scale);
  }
  return scales;
}
