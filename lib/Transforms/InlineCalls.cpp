//===- InlineCalls.cpp - Graphs called by nodes ---------------------------===//

#include "npu/Transforms/InlineCalls.h"

#include "npu/Catalog/Catalog.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace npu;
using ge::GraphOp;
using ge::NodeOp;

namespace {

/// Inlines one call.
class CallInliner {
public:
  CallInliner(NodeOp call, GraphOp callee) : call(call), callee(callee) {}
  LogicalResult run();

private:
  InFlightDiagnostic fail() {
    return call.emitError() << "cannot inline the call '" << call.getNodeName()
                            << "' of graph '" << callee.getGraphName() << "': ";
  }
  LogicalResult mapInput(NodeOp data);
  LogicalResult bindOutputs(NodeOp netOutput, SmallVectorImpl<Value> &results);

  NodeOp call;
  GraphOp callee;
  IRMapping mapping;
};

} // namespace

/// The number of the input or output of the call that \p attr of a node or
/// descriptor of the callee names.
static std::optional<int64_t> getParentIndex(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  return std::nullopt;
}

LogicalResult CallInliner::mapInput(NodeOp data) {
  std::optional<int64_t> index =
      getParentIndex(data.getNodeAttr("_parent_node_index"));
  Value input = index && *index >= 0 && *index < call.getNumAnchors()
                    ? call.getAnchor(static_cast<unsigned>(*index))
                    : Value();
  if (!input || data.getOutputs().size() != 1)
    return fail() << "nothing is passed to its input '" << data.getNodeName()
                  << "'; expected _parent_node_index to name an input of the "
                     "call";
  mapping.map(data.getOutputs()[0], input);
  mapping.map(data.getControl(), input.getDefiningOp<NodeOp>().getControl());
  return success();
}

/// Finds what \p netOutput has for the outputs of the call.
LogicalResult CallInliner::bindOutputs(NodeOp netOutput,
                                       SmallVectorImpl<Value> &results) {
  results.assign(call.getOutputs().size(), Value());
  for (unsigned anchor = 0, e = netOutput.getNumAnchors(); anchor != e;
       ++anchor) {
    int64_t index = anchor;
    if (ge::DescAttr desc = netOutput.getInputDesc(anchor))
      if (auto attrs =
              dyn_cast_or_null<DictionaryAttr>(desc.getFields().get("attr")))
        if (auto parent = getParentIndex(attrs.get("_parent_node_index")))
          index = *parent;
    Value value = netOutput.getAnchor(anchor);
    if (!value || index < 0 || index >= static_cast<int64_t>(results.size()))
      continue;
    results[index] = mapping.lookupOrDefault(value);
  }
  for (auto [index, result] : llvm::enumerate(results))
    if (!result)
      return fail() << "its NetOutput has nothing for output " << index
                    << " of the call";
  return success();
}

LogicalResult CallInliner::run() {
  llvm::StringSet<> taken;
  for (NodeOp node : call->getBlock()->getOps<NodeOp>())
    taken.insert(node.getNodeName());
  NodeOp netOutput;
  SmallVector<NodeOp> nodes;
  for (NodeOp node : callee.getBody().getOps<NodeOp>()) {
    if (node.getOpType() == "NetOutput") {
      netOutput = node;
    } else if (node.getOpType() == "Data") {
      if (failed(mapInput(node)))
        return failure();
    } else {
      if (!taken.insert(node.getNodeName()).second)
        return fail() << "the name of its node '" << node.getNodeName()
                      << "' is taken";
      nodes.push_back(node);
    }
  }
  if (!netOutput)
    return fail() << "it has no NetOutput";

  // Nodes may come before what they read: operands are set when all are there.
  OpBuilder builder(call);
  SmallVector<Operation *> clones;
  for (NodeOp node : nodes)
    clones.push_back(builder.clone(*node, mapping));
  for (Operation *clone : clones)
    for (OpOperand &operand : clone->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));

  SmallVector<Value> results;
  if (failed(bindOutputs(netOutput, results)))
    return failure();
  SetVector<Value> waits(call.getControls().begin(), call.getControls().end());
  for (Value value : netOutput.getInputs())
    if (auto node = mapping.lookupOrDefault(value).getDefiningOp<NodeOp>())
      waits.insert(node.getControl());
  for (Value control : netOutput.getControls())
    waits.insert(mapping.lookupOrDefault(control));

  OperationState state(call.getLoc(), NodeOp::getOperationName());
  auto &properties = state.getOrAddProperties<NodeOp::Properties>();
  properties.op_type = builder.getStringAttr("NoOp");
  properties.node_name = call.getNodeNameAttr();
  properties.node_id = call.getNodeIdAttr();
  properties.stream_id = call.getStreamIdAttr();
  properties.attrs = builder.getDictionaryAttr({});
  properties.operandSegmentSizes = {0, static_cast<int32_t>(waits.size())};
  state.addOperands(waits.getArrayRef());
  state.addTypes(ge::ControlType::get(builder.getContext()));
  state.addRegion();
  auto joined = cast<NodeOp>(builder.create(state));
  results.push_back(joined.getControl());
  call->replaceAllUsesWith(results);
  call.erase();
  return success();
}

static NodeOp findCall(GraphOp graph) {
  for (NodeOp node : graph.getBody().getOps<NodeOp>())
    if (catalog::getRole(node.getOpType()) == catalog::Role::Call)
      return node;
  return {};
}

LogicalResult npu::inlineCalls(GraphOp graph) {
  auto module = graph->getParentOfType<ModuleOp>();
  // Graphs that call each other end at a name that is taken.
  while (NodeOp call = findCall(graph)) {
    ArrayAttr graphs = call.getSubgraphsAttr();
    auto symbol = graphs && graphs.size() == 1
                      ? dyn_cast<FlatSymbolRefAttr>(graphs[0])
                      : FlatSymbolRefAttr();
    auto callee =
        symbol ? module.lookupSymbol<GraphOp>(symbol.getAttr()) : GraphOp();
    if (!callee || callee == graph)
      return call.emitError()
             << "cannot inline the call '" << call.getNodeName()
             << "'; expected it to call one other graph of the file";
    if (failed(CallInliner(call, callee).run()))
      return failure();
  }
  return success();
}
