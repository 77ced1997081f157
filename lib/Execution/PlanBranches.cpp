//===- PlanBranches.cpp - Graphs that nodes run ---------------------------===//

#include "Planner.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace npu;
using catalog::Role;
using ge::GraphOp;
using ge::NodeOp;
using Kind = PlannedNode::Kind;

static Status makeError(const PlannedNode &node, const Twine &what) {
  return Status::error(node.describe() + ": " + what.str());
}

static bool isLoop(const PlannedNode &node) {
  return node.role == Role::While || node.role == Role::For;
}

unsigned npu::getFirstCarried(Role role) {
  switch (role) {
  case Role::While:
    return 0;
  case Role::For:
    return 3; // start, limit, delta
  default:
    return 1;
  }
}

//===----------------------------------------------------------------------===//
// The calling node
//===----------------------------------------------------------------------===//

/// A choice needs what it depends on, a range its numbers; what goes around in
/// a loop must not change its size.
Status Planner::checkCarried(const PlannedNode &node) const {
  const unsigned first = node.firstCarried();
  for (unsigned input = 0; input != first; ++input)
    if (input >= node.inputSlots.size() ||
        node.inputSlots[input] == PlannedNode::NoSlot)
      return makeError(
          node, "input " + Twine(input) + " is not connected, expected " +
                    (node.role == Role::For ? "start, limit and delta"
                                            : "what chooses a branch"));
  if (node.role == Role::For)
    for (unsigned input = 0; input != first; ++input)
      if (node.inputs[input]->dtype != DataType::Int32 ||
          node.inputs[input]->numElements() != 1)
        return makeError(node, "input " + Twine(input) + " is " +
                                   node.inputs[input]->toString() +
                                   "; expected one DT_INT32");
  if (!isLoop(node))
    return {};
  if (node.inputs.size() - first != node.outputs.size())
    return makeError(node, "carries " + Twine(node.inputs.size() - first) +
                               " inputs, but has " +
                               Twine(node.outputs.size()) +
                               " outputs, expected as many");
  for (auto [index, output] : llvm::enumerate(node.outputs)) {
    const unsigned slot = node.inputSlots[first + index];
    if (slot == PlannedNode::NoSlot || slotSizes[slot] != output.byteSize())
      return makeError(node, "input " + Twine(first + index) +
                                 " has another size than output " +
                                 Twine(index));
  }
  return {};
}

/// Notes the graphs that \p node runs.
Status Planner::addCalls(PlannedNode &node) {
  if (Status status = checkCarried(node); !status)
    return status;
  ArrayAttr graphs = node.op.getSubgraphsAttr();
  const size_t count = graphs ? graphs.size() : 0;
  const size_t expected = node.role == Role::For ? 1 : 2;
  if (node.role == Role::Case ? count == 0 : count != expected)
    return makeError(node,
                     "runs " + Twine(count) + " graphs, expected " +
                         (node.role == Role::Case ? "at least 1"
                                                  : std::to_string(expected)));
  auto module = node.op->getParentOfType<ModuleOp>();
  node.branches.resize(count);
  for (unsigned branch = 0; branch != count; ++branch) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(graphs[branch]);
    auto graph =
        symbol ? module.lookupSymbol<GraphOp>(symbol.getAttr()) : GraphOp();
    if (!graph)
      return makeError(node,
                       "the file does not have its graph " + Twine(branch));
    auto isSame = [&](const Call &call) { return call.graph == graph; };
    if (llvm::is_contained(plan.graphs, graph) || llvm::any_of(calls, isSame))
      return makeError(node, "its graph '" + graph.getGraphName() +
                                 "' is run by another node as well");
    calls.push_back({graph, static_cast<unsigned>(plan.nodes.size()), branch});
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What is passed
//===----------------------------------------------------------------------===//

Expected<unsigned> npu::findParentInput(NodeOp data, NodeOp caller) {
  const auto input = static_cast<size_t>(data.getParentInput().value_or(-1));
  // The body of a For has its index in place of the start.
  const bool isCounted = catalog::getRole(caller.getOpType()) == Role::For &&
                         (input == 1 || input == 2);
  if (input < caller.getNumAnchors() && !isCounted && caller.getAnchor(input) &&
      data.getOutputs().size() == 1)
    return static_cast<unsigned>(input);
  return Status::error(npu::describe(data) +
                       ": nothing is passed to it; expected _parent_node_index "
                       "to name an input of " +
                       npu::describe(caller));
}

Status Planner::bindArgument(PlannedNode &node, const Call &call) {
  const PlannedNode &caller = plan.nodes[call.caller];
  Expected<unsigned> anchor = findParentInput(node.op, caller.op);
  if (!anchor)
    return anchor.takeStatus();
  node.callerSlot = caller.inputSlots[*anchor];
  if (!holds(slotSizes[node.callerSlot], node.outputs[0]))
    return makeError(node, "is " + Twine(node.outputs[0].toString()) +
                               ", but input " + Twine(*anchor) + " of " +
                               caller.describe() + " has only " +
                               Twine(slotSizes[node.callerSlot]) + " bytes");
  return {};
}

/// Finds arguments and results of the graph of \p call, whose nodes have been
/// planned.
Status Planner::bindResults(const Call &call) {
  PlannedNode &caller = plan.nodes[call.caller];
  PlannedBranch &branch = caller.branches[call.branch];
  const bool isCondition = caller.role == Role::While && call.branch == 0;
  const size_t numResults = isCondition ? 1 : caller.outputs.size();
  branch.results.assign(numResults, PlannedNode::NoSlot);
  branch.resultDescs.resize(numResults);
  for (unsigned i = branch.begin; i != branch.end; ++i) {
    PlannedNode &node = plan.nodes[i];
    if (node.kind == Kind::Argument)
      branch.arguments.push_back(
          {static_cast<unsigned>(*node.op.getParentInput()),
           node.outputSlots[0]});
    if (node.kind != Kind::Output)
      continue;
    for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
      const int64_t index = node.op.getParentOutput(anchor);
      if (index < 0 || static_cast<size_t>(index) >= numResults ||
          !node.inputs[anchor])
        continue;
      branch.results[static_cast<size_t>(index)] = node.inputSlots[anchor];
      branch.resultDescs[static_cast<size_t>(index)] = *node.inputs[anchor];
    }
  }
  for (auto [index, slot] : llvm::enumerate(branch.results)) {
    GraphOp graph = call.graph;
    const std::string what =
        "its graph '" + graph.getGraphName().str() + "' has ";
    if (slot == PlannedNode::NoSlot)
      return makeError(caller,
                       Twine(what) + "nothing for output " + Twine(index));
    if (!isCondition && slotSizes[slot] != caller.outputs[index].byteSize())
      return makeError(caller, Twine(what) + Twine(slotSizes[slot]) +
                                   " bytes for output " + Twine(index) +
                                   ", expected those of " +
                                   caller.outputs[index].toString());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What is shared
//===----------------------------------------------------------------------===//

/// Whether the body of \p loop gives back its argument for \p input, changed in
/// place or not, or a copy of it.
bool Planner::isReturned(const PlannedNode &loop, unsigned input) const {
  if (input < loop.firstCarried())
    return false;
  const PlannedBranch &body = loop.branches.back();
  unsigned slot = body.results[input - loop.firstCarried()];
  while (true) {
    const PlannedNode &maker = plan.nodes[makers[slot]];
    if (maker.kind == Kind::Argument)
      return llvm::any_of(
          body.arguments, [&](const PlannedBranch::Argument &argument) {
            return argument.slot == slot && argument.input == input;
          });
    NodeOp op = maker.op;
    if (!llvm::is_contained(
            {"Identity", "IdentityN", "MemcpyAsync", "MemcpyAddrAsync"},
            op.getOpType()))
      return false;
    slot = maker.inputSlots[llvm::find(maker.outputSlots, slot) -
                            maker.outputSlots.begin()];
  }
}

/// Whether a graph that \p node runs has, for \p argument, the tensor of the
/// caller, which is that of \p owner. Constants never change; what goes around
/// in a loop is a copy, except for a variable or an input that comes back.
bool Planner::isShared(const PlannedNode &node,
                       const PlannedBranch::Argument &argument,
                       unsigned owner) const {
  const PlannedNode &maker = plan.nodes[makers[owner]];
  if (slotSizes[argument.slot] != slotSizes[owner] ||
      (maker.kind == Kind::Source && maker.role == Role::Constant))
    return false;
  return !isLoop(node) ||
         (maker.kind == Kind::Source && isReturned(node, argument.input));
}

/// Says of arguments what they share, and finds the slots that have the same
/// tensor.
void Planner::planArguments() {
  std::vector<unsigned> owners(plan.numSlots);
  std::iota(owners.begin(), owners.end(), 0);
  llvm::StringMap<unsigned> variables;
  for (PlannedNode &node : plan.nodes) {
    // A variable is the same in all graphs.
    if (node.kind == Kind::Source && node.role == Role::Variable)
      for (unsigned slot : node.outputSlots)
        owners[slot] =
            variables.try_emplace(node.op.getNodeName(), slot).first->second;
    for (PlannedBranch &branch : node.branches)
      for (PlannedBranch::Argument &argument : branch.arguments) {
        const unsigned owner = owners[node.inputSlots[argument.input]];
        argument.isShared = isShared(node, argument, owner);
        if (argument.isShared)
          owners[argument.slot] = owner;
        if (isLoop(node) && argument.input >= node.firstCarried())
          plan.nodes[makers[argument.slot]].carriedSlot =
              node.branches.back()
                  .results[argument.input - node.firstCarried()];
      }
  }
  llvm::MapVector<unsigned, std::vector<unsigned>> sharers; // by owner
  for (auto [slot, owner] : llvm::enumerate(owners))
    if (owner != slot)
      sharers[owner].push_back(slot);
  plan.aliases.resize(plan.numSlots);
  for (auto &[owner, others] : sharers) {
    others.push_back(owner);
    for (unsigned slot : others)
      for (unsigned other : others)
        if (other != slot)
          plan.aliases[slot].push_back(other);
  }
}
