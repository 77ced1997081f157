//===- InferBranches.cpp - Shapes of graphs that nodes run ----------------===//

#include "Planner.h"
#include "ShapePropagation.h"

#include "npu/Execution/TensorTypes.h"

using namespace mlir;
using namespace npu;
using catalog::Role;
using ge::GraphOp;
using ge::NodeOp;

/// Gives \p data the shape of what the caller passes.
Status ShapePropagation::bindArgument(NodeOp data) {
  Expected<unsigned> input = findParentInput(data, caller);
  if (!input)
    return input.takeStatus();
  Value passed = caller.getAnchor(*input), argument = data.getOutputs()[0];
  const bool isSettled = outside->settled.contains(passed);
  if (isSettled || isOpen(argument.getType())) {
    Expected<TensorDesc> desc = getTensorDesc(caller.getAnchorType(*input));
    if (!desc)
      return desc.takeStatus().withContext(describe(caller) + ": input " +
                                           std::to_string(*input));
    if (Status status = setShape(data, 0, desc->originShape); !status)
      return status;
  }
  if (isSettled)
    settled.insert(argument);
  // In a loop it has other values in each trip.
  const Role role = catalog::getRole(caller.getOpType());
  if (const std::byte *bytes = outside->valueOf(passed);
      bytes && (role == Role::If || role == Role::Case))
    values[argument] = outside->values.at(passed);
  return {};
}

/// The shapes that the graph has for \p count outputs of its caller.
std::vector<std::optional<Shape>>
ShapePropagation::getResults(size_t count) const {
  std::vector<std::optional<Shape>> results(count);
  for (NodeOp node : GraphOp(graph).getBody().getOps<NodeOp>()) {
    if (catalog::getRole(node.getOpType()) != Role::Output)
      continue;
    for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
      const auto output = static_cast<size_t>(node.getParentOutput(anchor));
      if (output >= count || !node.getAnchor(anchor))
        continue;
      if (Expected<TensorDesc> desc = getTensorDesc(node.getAnchorType(anchor)))
        results[output] = desc->originShape;
    }
  }
  return results;
}

/// Infers the graphs that \p node runs from its inputs, and its outputs from
/// them.
Status ShapePropagation::inferBranches(NodeOp node) {
  const Role role = catalog::getRole(node.getOpType());
  const bool isLoop = role == Role::While || role == Role::For;
  const unsigned first = getFirstCarried(role);
  const size_t count = node.getOutputs().size();
  std::vector<std::optional<Shape>> shapes(count);
  std::string from = "its input";
  if (isLoop)
    for (size_t index = 0; index != count; ++index)
      if (node.getAnchor(first + index))
        if (Expected<TensorDesc> desc =
                getTensorDesc(node.getAnchorType(first + index)))
          shapes[index] = desc->originShape;

  auto module = graph->getParentOfType<ModuleOp>();
  ArrayAttr graphs = node.getSubgraphsAttr();
  for (auto [place, symbol] : llvm::enumerate(
           graphs ? graphs.getValue() : llvm::ArrayRef<Attribute>())) {
    auto name = dyn_cast<FlatSymbolRefAttr>(symbol);
    auto branch =
        name ? module.lookupSymbol<GraphOp>(name.getAttr()) : GraphOp();
    if (!branch)
      continue; // the plan says what is missing
    ShapePropagation inside(branch, sources, registry, config);
    inside.isWithoutShapes = isWithoutShapes;
    inside.caller = node;
    inside.outside = this;
    if (Status status = inside.propagate(); !status)
      return status;
    if (role == Role::While && place == 0)
      continue; // the condition
    const std::string graphName = "graph '" + branch.getGraphName().str() + "'";
    for (auto [index, shape] : llvm::enumerate(inside.getResults(count))) {
      if (shapes[index] && shape && *shapes[index] != *shape)
        return Status::error(
            describe(node) + ": output " + std::to_string(index) + " is " +
            toString(*shape) + " by its " + graphName + ", but " +
            toString(*shapes[index]) + " by " + from + "; expected the same");
      if (!shapes[index])
        shapes[index] = shape;
    }
    from = graphName;
  }
  for (auto [index, shape] : llvm::enumerate(shapes))
    if (shape && isOpen(node.getOutputs()[index].getType()))
      if (Status status = setShape(node, index, *shape); !status)
        return status;
  return {};
}
