//===- ResolveCalls.cpp - Graphs that nodes call and run ------------------===//

#include "npu/Transforms/ResolveCalls.h"

#include "npu/Catalog/Catalog.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using namespace mlir;
using namespace npu;
using catalog::Role;
using ge::GraphOp;
using ge::NodeOp;

namespace {

/// A graph that was entered, as the file has it, and from where.
struct Frame {
  GraphOp graph;
  const Frame *caller = nullptr;

  bool isIn(GraphOp wanted) const {
    for (const Frame *frame = this; frame; frame = frame->caller)
      if (frame->graph == wanted)
        return true;
    return false;
  }
};

class CallResolver {
public:
  CallResolver(GraphOp root)
      : module(root->getParentOfType<ModuleOp>()), symbols(module),
        builder(root.getContext()), root(root) {}
  FailureOr<SetVector<GraphOp>> run();

private:
  LogicalResult inlineCalls(GraphOp graph);
  LogicalResult ownGraphs(NodeOp node, const Frame &frame);
  GraphOp copyGraph(GraphOp graph, NodeOp caller);
  const Frame &enter(GraphOp graph, const Frame *caller) {
    return frames.emplace_back(Frame{graph, caller});
  }

  ModuleOp module;
  SymbolTable symbols;
  Builder builder;
  GraphOp root;
  SetVector<GraphOp> graphs;
  std::deque<Frame> frames;
  llvm::DenseMap<Operation *, const Frame *> frameOf; // of a graph that is run
  /// Of nodes that came from a call; the others have that of their graph.
  llvm::DenseMap<Operation *, const Frame *> frameOfNode;
  llvm::StringSet<> copyNames; // of nodes in copies of graphs
};

/// Inlines the calls of a graph.
class CallInliner {
public:
  CallInliner(GraphOp graph) : builder(graph.getContext()) {
    for (NodeOp node : graph.getBody().getOps<NodeOp>()) {
      taken.insert(node.getNodeName());
      noteVariable(node);
    }
  }
  /// Inlines \p call of \p callee. \p made gets the nodes in its place.
  LogicalResult run(NodeOp call, GraphOp callee, SmallVectorImpl<NodeOp> &made);

  /// Whether \p node is one for all calls of its graph: a constant or variable.
  static bool isLasting(NodeOp node) {
    const Role role = catalog::getRole(node.getOpType());
    return (role == Role::Constant || role == Role::Variable) &&
           node->getNumOperands() == 0;
  }

private:
  void noteVariable(NodeOp node) {
    if (catalog::getRole(node.getOpType()) == Role::Variable)
      variables[node.getNodeName()] = node;
  }
  LogicalResult mapInput(NodeOp data);
  LogicalResult bindOutputs(NodeOp netOutput, SmallVectorImpl<Value> &results);
  NodeOp findLasting(NodeOp node) const;
  StringAttr nameNode(NodeOp node);
  InFlightDiagnostic fail() {
    return call.emitError() << "cannot inline the call '" << call.getNodeName()
                            << "' of graph '" << callee.getGraphName() << "': ";
  }

  OpBuilder builder;
  llvm::StringSet<> taken;
  /// Constants and variables by the node of a callee that they stand for.
  llvm::DenseMap<Operation *, NodeOp> lasting;
  llvm::StringMap<NodeOp> variables;
  NodeOp call;
  GraphOp callee;
  IRMapping mapping;
};

} // namespace

LogicalResult CallInliner::mapInput(NodeOp data) {
  std::optional<int64_t> index = data.getParentInput();
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
    const int64_t index = netOutput.getParentOutput(anchor);
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

/// The node that \p node of the callee is already: another call has brought it,
/// or a variable has its name.
NodeOp CallInliner::findLasting(NodeOp node) const {
  if (!isLasting(node))
    return {};
  if (NodeOp same = lasting.lookup(node))
    return same;
  NodeOp variable = variables.lookup(node.getNodeName());
  return variable && variable.getOpType() == node.getOpType() &&
                 variable->getResultTypes() == node->getResultTypes()
             ? variable
             : NodeOp();
}

/// The name of \p node, of the callee, in the graph.
StringAttr CallInliner::nameNode(NodeOp node) {
  std::string name = node.getNodeName().str();
  for (unsigned i = 0; !taken.insert(name).second; ++i)
    name = (call.getNodeName() + "/" + node.getNodeName() +
            (i ? "_" + Twine(i) : Twine()))
               .str();
  return builder.getStringAttr(name);
}

LogicalResult CallInliner::run(NodeOp theCall, GraphOp theCallee,
                               SmallVectorImpl<NodeOp> &made) {
  call = theCall;
  callee = theCallee;
  mapping.clear();
  NodeOp netOutput;
  SmallVector<NodeOp> nodes;
  for (NodeOp node : callee.getBody().getOps<NodeOp>()) {
    if (node.getOpType() == "NetOutput") {
      netOutput = node;
    } else if (node.getOpType() == "Data") {
      if (failed(mapInput(node)))
        return failure();
    } else if (NodeOp same = findLasting(node)) {
      mapping.map(node->getResults(), same->getResults());
    } else {
      nodes.push_back(node);
    }
  }
  if (!netOutput)
    return fail() << "it has no NetOutput";

  // Nodes may come before what they read: operands are set when all are there.
  builder.setInsertionPoint(call);
  for (NodeOp node : nodes) {
    auto clone = cast<NodeOp>(builder.clone(*node, mapping));
    clone.setNodeNameAttr(nameNode(node));
    if (isLasting(node)) {
      lasting[node] = clone;
      noteVariable(clone);
    }
    made.push_back(clone);
  }
  for (NodeOp clone : made)
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

//===----------------------------------------------------------------------===//
// All graphs
//===----------------------------------------------------------------------===//

static GraphOp findGraph(SymbolTable &symbols, Attribute symbol) {
  auto name = dyn_cast<FlatSymbolRefAttr>(symbol);
  return name ? symbols.lookup<GraphOp>(name.getAttr()) : GraphOp();
}

LogicalResult CallResolver::inlineCalls(GraphOp graph) {
  const Frame *frame = frameOf.at(graph);
  std::deque<NodeOp> calls;
  auto addCalls = [&](auto nodes) {
    for (NodeOp node : nodes)
      if (catalog::getRole(node.getOpType()) == Role::Call)
        calls.push_back(node);
  };
  addCalls(graph.getBody().getOps<NodeOp>());
  if (calls.empty())
    return success();
  CallInliner inliner(graph);
  for (; !calls.empty(); calls.pop_front()) {
    NodeOp call = calls.front();
    auto it = frameOfNode.find(call);
    const Frame *from = it == frameOfNode.end() ? frame : it->second;
    ArrayAttr called = call.getSubgraphsAttr();
    GraphOp callee = called && called.size() == 1
                         ? findGraph(symbols, called[0])
                         : GraphOp();
    if (!callee || from->isIn(callee))
      return call.emitError()
             << "cannot inline the call '" << call.getNodeName()
             << "'; expected it to call one other graph of the file";
    const Frame &entered = enter(callee, from);
    frameOfNode.erase(call);
    SmallVector<NodeOp> made;
    if (failed(inliner.run(call, callee, made)))
      return failure();
    for (NodeOp node : made)
      frameOfNode[node] = &entered;
    addCalls(made);
  }
  return success();
}

/// A copy of \p graph for \p caller.
GraphOp CallResolver::copyGraph(GraphOp graph, NodeOp caller) {
  auto copy = cast<GraphOp>(graph->clone());
  copy.setOriginalName(graph.getGraphName());
  symbols.insert(copy); // gives it a symbol of its own
  for (NodeOp node : copy.getBody().getOps<NodeOp>()) {
    if (CallInliner::isLasting(node))
      continue;
    std::string name = (caller.getNodeName() + "/" + node.getNodeName()).str();
    for (unsigned i = 1; !copyNames.insert(name).second; ++i)
      name = (caller.getNodeName() + "/" + node.getNodeName() + "_" + Twine(i))
                 .str();
    node.setNodeName(name);
  }
  return copy;
}

/// Gives \p node graphs that no other node runs.
LogicalResult CallResolver::ownGraphs(NodeOp node, const Frame &frame) {
  SmallVector<Attribute> own;
  for (Attribute symbol : node.getSubgraphsAttr()) {
    own.push_back(symbol);
    GraphOp graph = findGraph(symbols, symbol);
    if (!graph)
      continue; // the plan says what is missing
    auto known = frameOf.find(graph);
    GraphOp original =
        known == frameOf.end() ? graph : GraphOp(known->second->graph);
    if (frame.isIn(original))
      return node.emitError() << node.getOpType() << " '" << node.getNodeName()
                              << "' runs graph '" << graph.getGraphName()
                              << "', which it is in; expected another graph";
    if (known != frameOf.end()) {
      graph = copyGraph(graph, node);
      own.back() = FlatSymbolRefAttr::get(graph.getSymNameAttr());
    }
    frameOf[graph] = &enter(original, &frame);
    graphs.insert(graph);
  }
  node.setSubgraphsAttr(builder.getArrayAttr(own));
  return success();
}

FailureOr<SetVector<GraphOp>> CallResolver::run() {
  graphs.insert(root);
  frameOf[root] = &enter(root, nullptr);
  for (size_t i = 0; i != graphs.size(); ++i) {
    GraphOp graph = graphs[i];
    if (failed(inlineCalls(graph)))
      return failure();
    for (NodeOp node : graph.getBody().getOps<NodeOp>()) {
      if (!node.getSubgraphsAttr())
        continue;
      auto it = frameOfNode.find(node);
      if (failed(ownGraphs(node, it == frameOfNode.end() ? *frameOf.at(graph)
                                                         : *it->second)))
        return failure();
    }
  }
  return std::move(graphs);
}

FailureOr<SetVector<GraphOp>> npu::resolveCalls(GraphOp root) {
  return CallResolver(root).run();
}
