//===- Plan.cpp - What a run does, worked out once ------------------------===//

#include "npu/Execution/Plan.h"

#include "KernelBinding.h"
#include "ScalarValue.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PriorityQueue.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace npu;
using ge::GraphOp;
using ge::NodeOp;
using Kind = PlannedNode::Kind;

std::string npu::describe(NodeOp node) {
  std::string text;
  if (auto loc = node.getLoc()->findInstanceOf<FileLineColLoc>())
    text = loc.getFilename().str() + ":" + std::to_string(loc.getLine()) + ": ";
  return text + node.getOpType().str() + " '" + node.getNodeName().str() + "'";
}

namespace {
/// How the executor treats an operator type that is no computation.
struct TypeRow {
  StringLiteral type;
  Kind kind;
  SourceRole role = SourceRole::Input;
  bool hasTask = false;
  /// Only if it is the framework's own operator, which has the type
  /// FrameworkOp and this one as its original.
  bool isFrameworks = false;
};
} // namespace

static constexpr TypeRow typeTable[] = {
    {"Data", Kind::Source, SourceRole::Input},
    {"RefData", Kind::Source, SourceRole::Input},
    {"AippData", Kind::Source, SourceRole::Input},
    {"AnnData", Kind::Source, SourceRole::Input},
    {"QueueData", Kind::Source, SourceRole::Input},
    {"Const", Kind::Source, SourceRole::Constant},
    {"Constant", Kind::Source, SourceRole::Constant},
    {"FileConstant", Kind::Source, SourceRole::Constant},
    {"ConstPlaceHolder", Kind::Source, SourceRole::Constant},
    {"Variable", Kind::Source, SourceRole::Variable},
    {"VariableV2", Kind::Source, SourceRole::Variable},
    // The data set.
    {"DeviceQueueDataset", Kind::Source, SourceRole::Input, true},
    {"DynamicGetNext", Kind::Source, SourceRole::Input, true},
    {"DynamicGetNextV2", Kind::Source, SourceRole::Input, true},
    {"FunctionOp", Kind::Source, SourceRole::Input, true},
    {"GetNext", Kind::Source, SourceRole::Input, true},
    {"GetNextFromQueue", Kind::Source, SourceRole::Input, true},
    {"GetNextV2", Kind::Source, SourceRole::Input, true},
    {"IteratorGetNext", Kind::Source, SourceRole::Input, true},
    {"IteratorV2", Kind::Source, SourceRole::Input, true},
    {"MakeIterator", Kind::Nothing, SourceRole::Input, true},
    // Values that no run repeats: the framework has the seed.
    {"RandomStandardNormal", Kind::Source, SourceRole::Input, true, true},
    {"RandomUniform", Kind::Source, SourceRole::Input, true, true},
    {"TruncatedNormal", Kind::Source, SourceRole::Input, true, true},
    {"NetOutput", Kind::Output, SourceRole::Input, true},
    {"If", Kind::Control},
    {"StatelessIf", Kind::Control},
    {"Case", Kind::Control},
    {"StatelessCase", Kind::Control},
    {"While", Kind::Control},
    {"StatelessWhile", Kind::Control},
    {"NoOp", Kind::Nothing},
    {"PlaceHolder", Kind::Nothing},
    {"End", Kind::Nothing},
    // Kernels start from zeroed accumulators by themselves.
    {"AtomicAddrClean", Kind::Nothing, SourceRole::Input, true},
    {"Send", Kind::Nothing, SourceRole::Input, true},
    {"Recv", Kind::Nothing, SourceRole::Input, true},
    {"StreamActive", Kind::Streams, SourceRole::Input, true},
    {"StreamSwitch", Kind::Streams, SourceRole::Input, true},
    {"StreamMerge", Kind::Merge, SourceRole::Input, true},
    {"NPUAllocFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUGetFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUClearFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUGetFloatStatusV2", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUClearFloatStatusV2", Kind::FloatStatus, SourceRole::Input, true},
};

/// The row of an operator of \p type, or of one that \p isFrameworks.
static const TypeRow *findType(StringRef type, bool isFrameworks) {
  const TypeRow *row = llvm::find_if(
      typeTable, [&](const TypeRow &row) { return row.type == type; });
  if (row == std::end(typeTable) || (row->isFrameworks && !isFrameworks))
    return nullptr;
  return row;
}

static const TypeRow *findType(NodeOp node) {
  const bool isFrameworks = node.getOpType() == "FrameworkOp";
  if (isFrameworks)
    if (auto original =
            dyn_cast_or_null<StringAttr>(node.getNodeAttr("original_type")))
      return findType(original.strref(), isFrameworks);
  return findType(node.getOpType(), isFrameworks);
}

Kind npu::getKind(StringRef type) {
  const TypeRow *row = findType(type, /*isFrameworks=*/false);
  return row ? row->kind : Kind::Compute;
}

static bool hasTask(NodeOp node) {
  if (auto noTask = dyn_cast_or_null<BoolAttr>(node.getNodeAttr("_no_task")))
    if (noTask.getValue())
      return false;
  const TypeRow *row = findType(node);
  return !row || row->hasTask;
}

Expected<std::vector<NodeOp>> npu::sortNodes(GraphOp graph) {
  std::vector<NodeOp> nodes(graph.getBody().getOps<NodeOp>().begin(),
                            graph.getBody().getOps<NodeOp>().end());
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [index, node] : llvm::enumerate(nodes))
    position[node] = index;
  std::vector<unsigned> waiting(nodes.size());
  llvm::PriorityQueue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [index, node] : llvm::enumerate(nodes)) {
    waiting[index] = node->getNumOperands();
    if (waiting[index] == 0)
      ready.push(index);
  }
  std::vector<NodeOp> order;
  while (!ready.empty()) {
    NodeOp node = nodes[ready.top()];
    ready.pop();
    order.push_back(node);
    for (OpOperand &use : node->getUses()) {
      auto it = position.find(use.getOwner());
      if (it != position.end() && --waiting[it->second] == 0)
        ready.push(it->second);
    }
  }
  if (order.size() == nodes.size())
    return order;
  for (auto [index, node] : llvm::enumerate(nodes))
    if (waiting[index] != 0)
      return Status::error("graph '" + graph.getGraphName().str() +
                           "' has a cycle through op '" +
                           node.getNodeName().str() +
                           "'; expected an order of execution");
  return order;
}

/// Reads what \p node, a StreamActive or StreamSwitch, starts.
static Status planStreams(PlannedNode &node) {
  ge::NodeOp op = node.op;
  if (auto list =
          dyn_cast_or_null<DenseI64ArrayAttr>(op.getNodeAttr("active_stream_"
                                                             "list")))
    node.startedStreams.assign(list.asArrayRef().begin(),
                               list.asArrayRef().end());
  const bool isSwitch = op.getOpType() == "StreamSwitch";
  if (isSwitch && node.startedStreams.empty())
    if (auto stream =
            dyn_cast_or_null<IntegerAttr>(op.getNodeAttr("true_branch_stream")))
      node.startedStreams.push_back(stream.getInt());
  if (!isSwitch)
    return {};
  auto condition =
      dyn_cast_or_null<IntegerAttr>(op.getNodeAttr("switch_condition"));
  if (!condition || condition.getInt() < 0 || condition.getInt() > 5)
    return Status::error(node.describe() +
                         ": expected switch_condition from 0 to 5 (==, !=, >, "
                         ">=, <, <=)");
  const bool comparesTwo =
      node.inputs.size() == 2 && node.inputs[0] && node.inputs[1] &&
      node.inputs[0]->dtype == node.inputs[1]->dtype &&
      isControlType(node.inputs[0]->dtype) &&
      node.inputs[0]->numElements() == 1 && node.inputs[1]->numElements() == 1;
  if (!comparesTwo)
    return Status::error(node.describe() +
                         ": expected two numbers of one type to compare");
  return {};
}

/// Checks \p node, a StreamMerge: its output, and the number of the input that
/// it is.
static Status checkMerge(const PlannedNode &node) {
  auto isInput = [&](const std::optional<TensorDesc> &input) {
    return !input || input->byteSize() == node.outputs[0].byteSize();
  };
  if (node.outputs.empty() || node.outputs.size() > 2 ||
      !llvm::all_of(node.inputs, isInput))
    return Status::error(node.describe() +
                         ": expected one output of the size of the inputs, and "
                         "the number of one");
  if (node.outputs.size() == 2 && (node.outputs[1].dtype != DataType::Int32 ||
                                   node.outputs[1].numElements() != 1))
    return Status::error(node.describe() + ": output 1 is " +
                         node.outputs[1].toString() +
                         "; expected the number of an input, one DT_INT32");
  return {};
}

/// Adds the numbers of the tasks of \p order, which is one graph.
static void numberTasks(const std::vector<NodeOp> &order,
                        llvm::DenseMap<Operation *, uint32_t> &tasks) {
  std::vector<NodeOp> byId;
  for (NodeOp node : order)
    if (hasTask(node))
      byId.push_back(node);
  llvm::stable_sort(byId, [](NodeOp a, NodeOp b) {
    return static_cast<int64_t>(a.getNodeId()) <
           static_cast<int64_t>(b.getNodeId());
  });
  for (NodeOp node : byId)
    tasks.try_emplace(node, tasks.size() + 1);
}

/// Whether a buffer of \p bytes holds what is read as \p wanted. The blocks of
/// a vector in a private format may reach beyond the vector that its producer
/// gives: zeros follow.
static bool holds(uint64_t bytes, const TensorDesc &wanted) {
  if (wanted.byteSize() <= bytes)
    return true;
  return wanted.originShape.size() == 1 &&
         getByteSize(wanted.dtype, getNumElements(wanted.originShape)) <=
             bytes &&
         wanted.byteSize() <= llvm::alignTo(bytes, BufferAlignment);
}

/// Finds the inputs that \p node, whose input slots are known, changes in
/// place. \p slotSizes has the bytes of slots.
static Status planUpdates(PlannedNode &node,
                          const std::vector<uint64_t> &slotSizes) {
  const catalog::Row *row = catalog::lookup(node.op.getOpType());
  if (!row)
    return {};
  for (const catalog::Update &update : catalog::getUpdates(*row)) {
    // The kernel says what is wrong with a node that lacks one of them.
    if (update.input >= node.inputs.size() || !node.inputs[update.input])
      continue;
    const bool isHidden = update.output == catalog::Update::Hidden;
    if (!isHidden && update.output >= node.outputs.size())
      continue;
    const TensorDesc &from = *node.inputs[update.input];
    const TensorDesc &to = isHidden ? from : node.outputs[update.output];
    const uint64_t held = slotSizes[node.inputSlots[update.input]];
    if (to.byteSize() != held)
      return Status::error(
          node.describe() + ": input " + std::to_string(update.input) +
          ", which it changes in place, becomes " + to.toString() + ", " +
          std::to_string(to.byteSize()) + " bytes; expected the " +
          std::to_string(held) + " bytes that its producer gives");
    node.updates.push_back(update);
  }
  return {};
}

namespace {

/// Plans a graph, then those that its nodes run.
class Planner {
public:
  Planner(const llvm::StringSet<> &fed) : fed(fed) {}
  Expected<Plan> run(GraphOp root);

private:
  /// A graph to plan, and the node that runs it; none for the root.
  struct Call {
    GraphOp graph;
    unsigned caller = PlannedNode::NoSlot;
    unsigned branch = 0;
  };

  Status addGraph(const Call &call);
  Expected<PlannedNode> describe(NodeOp node, const Call &call) const;
  Status connectInputs(PlannedNode &node);
  void addOutputs(PlannedNode &node);
  Status addCalls(PlannedNode &node);
  Status bindArgument(PlannedNode &node, const Call &call);
  Status bindResults(const Call &call);
  Status checkBranches(const PlannedNode &node) const;
  void planReleases(unsigned begin, unsigned end);
  const llvm::StringSet<> &fed;
  Plan plan;
  llvm::DenseMap<Operation *, uint32_t> tasks;
  llvm::DenseMap<Value, unsigned> slots;
  std::vector<uint64_t> slotSizes;
  std::vector<unsigned> writers; // by slot: the place of the node
  std::vector<Call> calls;       // what is still to be planned
};

} // namespace

static std::optional<int64_t> getInteger(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  return std::nullopt;
}

/// The node as it is, without what connects it.
Expected<PlannedNode> Planner::describe(NodeOp node, const Call &call) const {
  PlannedNode planned;
  planned.op = node;
  if (const TypeRow *row = findType(node)) {
    planned.kind = row->kind;
    planned.role = row->role;
  }
  planned.taskId = tasks.lookup(node);
  const bool isOperator = planned.kind == Kind::Compute ||
                          planned.kind == Kind::Control ||
                          (planned.kind == Kind::Source && planned.taskId != 0);
  if (isOperator && fed.contains(node.getNodeName())) {
    planned.kind = Kind::Source;
    planned.isFed = true;
  }
  if (call.caller != PlannedNode::NoSlot && planned.kind == Kind::Source &&
      node.getNodeAttr("_parent_node_index"))
    planned.kind = Kind::Argument;
  const auto stream = static_cast<int64_t>(node.getStreamId());
  planned.streamId = stream < 0 ? 0 : static_cast<uint32_t>(stream);

  Expected<NodeTensors> tensors = getNodeTensors(node);
  if (!tensors)
    return tensors.takeStatus().withContext(planned.describe());
  planned.inputs = std::move(tensors->inputs);
  // What NetOutput has as outputs only mirrors its inputs.
  if (planned.kind != Kind::Output)
    planned.outputs = std::move(tensors->outputs);
  return planned;
}

Status Planner::connectInputs(PlannedNode &node) {
  for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
    Value value = node.op.getAnchor(anchor);
    if (!value) {
      node.inputSlots.push_back(PlannedNode::NoSlot);
      continue;
    }
    const unsigned slot = slots.lookup(value);
    node.inputSlots.push_back(slot);
    std::vector<unsigned> &readers = plan.nodes[writers[slot]].readers;
    if (readers.empty() || readers.back() != plan.nodes.size())
      readers.push_back(plan.nodes.size());
    const TensorDesc &wanted = *node.inputs[anchor];
    if (!holds(slotSizes[slot], wanted))
      return Status::error(
          node.describe() + ": input " + std::to_string(anchor) + " has " +
          std::to_string(wanted.byteSize()) + " bytes (" + wanted.toString() +
          "), but its producer gives " + std::to_string(slotSizes[slot]));
  }
  return {};
}

void Planner::addOutputs(PlannedNode &node) {
  for (auto [index, desc] : llvm::enumerate(node.outputs)) {
    const auto update =
        llvm::find_if(node.updates, [&](const catalog::Update &update) {
          return update.output == index;
        });
    if (update != node.updates.end()) {
      const unsigned slot = node.inputSlots[update->input];
      slots[node.op.getOutputs()[index]] = slot;
      node.outputSlots.push_back(slot);
      writers[slot] = plan.nodes.size();
      continue;
    }
    slots[node.op.getOutputs()[index]] = plan.numSlots;
    node.outputSlots.push_back(plan.numSlots++);
    slotSizes.push_back(desc.byteSize());
    writers.push_back(plan.nodes.size());
    plan.persistent.push_back(node.kind == Kind::Source &&
                              node.role != SourceRole::Input);
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static Status makeBranchError(const PlannedNode &node, const Twine &what) {
  return Status::error(node.describe() + ": " + what.str());
}

/// Notes the graphs that \p node runs.
Status Planner::addCalls(PlannedNode &node) {
  const StringRef type = node.op.getOpType();
  ArrayAttr graphs = node.op.getSubgraphsAttr();
  const size_t count = graphs ? graphs.size() : 0;
  if (type.contains("Case") ? count == 0 : count != 2)
    return makeBranchError(node,
                           "runs " + Twine(count) + " graphs, expected " +
                               (type.contains("Case") ? "at least 1" : "2"));
  auto module = node.op->getParentOfType<ModuleOp>();
  node.branches.resize(count);
  for (unsigned branch = 0; branch != count; ++branch) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(graphs[branch]);
    auto graph =
        symbol ? module.lookupSymbol<GraphOp>(symbol.getAttr()) : GraphOp();
    if (!graph)
      return makeBranchError(node, "the file does not have its graph " +
                                       Twine(branch));
    auto isSame = [&](const Call &call) { return call.graph == graph; };
    if (llvm::is_contained(plan.graphs, graph) || llvm::any_of(calls, isSame))
      return makeBranchError(node, "its graph '" + graph.getGraphName() +
                                       "' is run by another node as well");
    calls.push_back({graph, static_cast<unsigned>(plan.nodes.size()), branch});
  }
  return {};
}

Status Planner::bindArgument(PlannedNode &node, const Call &call) {
  const PlannedNode &caller = plan.nodes[call.caller];
  const std::optional<int64_t> index =
      getInteger(node.op.getNodeAttr("_parent_node_index"));
  const auto anchor = static_cast<size_t>(index.value_or(-1));
  if (anchor >= caller.inputSlots.size() ||
      caller.inputSlots[anchor] == PlannedNode::NoSlot ||
      node.outputs.size() != 1)
    return makeBranchError(node, "nothing is passed to it; expected "
                                 "_parent_node_index to name an input of " +
                                     Twine(caller.describe()));
  node.callerSlot = caller.inputSlots[anchor];
  if (!holds(slotSizes[node.callerSlot], node.outputs[0]))
    return makeBranchError(
        node, "is " + Twine(node.outputs[0].toString()) + ", but input " +
                  Twine(anchor) + " of " + caller.describe() + " has only " +
                  Twine(slotSizes[node.callerSlot]) + " bytes");
  return {};
}

/// Finds the results of the graph of \p call, whose nodes have been planned.
Status Planner::bindResults(const Call &call) {
  PlannedNode &caller = plan.nodes[call.caller];
  PlannedBranch &branch = caller.branches[call.branch];
  const bool isCondition =
      caller.op.getOpType().contains("While") && call.branch == 0;
  const size_t numResults = isCondition ? 1 : caller.outputs.size();
  branch.results.assign(numResults, PlannedNode::NoSlot);
  branch.resultDescs.resize(numResults);
  for (unsigned i = branch.begin; i != branch.end; ++i) {
    PlannedNode &node = plan.nodes[i];
    if (node.kind == Kind::Argument)
      branch.arguments.push_back(
          {static_cast<unsigned>(
               *getInteger(node.op.getNodeAttr("_parent_node_index"))),
           node.outputSlots[0]});
    if (node.kind != Kind::Output)
      continue;
    for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
      int64_t index = anchor;
      if (ge::DescAttr desc = node.op.getInputDesc(anchor))
        if (auto attrs = desc.getFields().getAs<DictionaryAttr>("attr"))
          index = getInteger(attrs.get("_parent_node_index")).value_or(index);
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
      return makeBranchError(caller, Twine(what) + "nothing for output " +
                                         Twine(index));
    if (!isCondition && slotSizes[slot] != caller.outputs[index].byteSize())
      return makeBranchError(caller, Twine(what) + Twine(slotSizes[slot]) +
                                         " bytes for output " + Twine(index) +
                                         ", expected those of " +
                                         caller.outputs[index].toString());
  }
  return {};
}

/// A choice needs what it depends on; what goes around in a loop must not
/// change its size.
Status Planner::checkBranches(const PlannedNode &node) const {
  if (!node.op.getOpType().contains("While")) {
    if (node.inputSlots.empty() || node.inputSlots[0] == PlannedNode::NoSlot)
      return makeBranchError(node, "input 0 is not connected, expected what "
                                   "chooses a branch");
    return {};
  }
  if (node.inputs.size() != node.outputs.size())
    return makeBranchError(
        node, "has " + Twine(node.inputs.size()) + " inputs and " +
                  Twine(node.outputs.size()) + " outputs, expected as many");
  for (auto [index, slot] : llvm::enumerate(node.inputSlots))
    if (slot == PlannedNode::NoSlot ||
        slotSizes[slot] != node.outputs[index].byteSize())
      return makeBranchError(node, "input " + Twine(index) +
                                       " has another size than the output");
  return {};
}

//===----------------------------------------------------------------------===//
// All graphs
//===----------------------------------------------------------------------===//

/// A slot is released after its last reader, or at once if it has none. The
/// results of branches are taken when their NetOutput runs.
void Planner::planReleases(unsigned begin, unsigned end) {
  std::vector<bool> read(plan.numSlots);
  for (unsigned i = end; i != begin; --i) {
    PlannedNode &node = plan.nodes[i - 1];
    auto release = [&](unsigned slot) {
      if (slot == PlannedNode::NoSlot || read[slot])
        return;
      read[slot] = true;
      if (!plan.persistent[slot])
        node.released.push_back(slot);
    };
    llvm::for_each(node.inputSlots, release);
    llvm::for_each(node.outputSlots, release);
  }
}

Status Planner::addGraph(const Call &call) {
  Expected<std::vector<NodeOp>> order = sortNodes(call.graph);
  if (!order)
    return order.takeStatus();
  numberTasks(*order, tasks);
  plan.graphs.push_back(call.graph);
  const auto begin = static_cast<unsigned>(plan.nodes.size());
  for (NodeOp node : *order) {
    Expected<PlannedNode> planned = describe(node, call);
    if (!planned)
      return planned.takeStatus();
    if (Status status = connectInputs(*planned); !status)
      return status;
    if (planned->kind == Kind::Streams)
      if (Status status = planStreams(*planned); !status)
        return status;
    if (planned->kind == Kind::Merge)
      if (Status status = checkMerge(*planned); !status)
        return status;
    if (planned->kind == Kind::Compute && !node.isFused())
      if (Status status = planUpdates(*planned, slotSizes); !status)
        return status;
    if (planned->kind == Kind::Argument)
      if (Status status = bindArgument(*planned, call); !status)
        return status;
    if (planned->kind == Kind::Control) {
      if (Status status = checkBranches(*planned); !status)
        return status;
      if (Status status = addCalls(*planned); !status)
        return status;
    }
    addOutputs(*planned);
    plan.nodes.push_back(std::move(*planned));
  }
  const auto end = static_cast<unsigned>(plan.nodes.size());
  planReleases(begin, end);
  if (call.caller == PlannedNode::NoSlot) {
    plan.numRootNodes = end;
    plan.streams = StreamPlan::create(plan.nodes);
    return {};
  }
  PlannedBranch &branch = plan.nodes[call.caller].branches[call.branch];
  branch.begin = begin;
  branch.end = end;
  return bindResults(call);
}

Expected<Plan> Planner::run(GraphOp root) {
  calls.push_back({root});
  for (size_t i = 0; i != calls.size(); ++i)
    if (Status status = addGraph(Call(calls[i])); !status)
      return status;
  return std::move(plan);
}

Expected<Plan> Plan::create(GraphOp graph, const llvm::StringSet<> &fed) {
  return Planner(fed).run(graph);
}

void Plan::bindKernels(const kernels::Registry &registry,
                       const NumericConfig &config,
                       const std::vector<const std::byte *> &slotBytes,
                       BufferPool &pool) {
  for (PlannedNode &node : nodes) {
    if (node.kind != Kind::Compute)
      continue;
    std::vector<const std::byte *> constants;
    for (unsigned slot : node.inputSlots)
      constants.push_back(slot == PlannedNode::NoSlot ? nullptr
                                                      : slotBytes[slot]);
    node.memberValues = getDumpedMemberValues(node.op);
    NodeTensors tensors{node.inputs, node.outputs};
    for (const catalog::Update &update : node.updates)
      if (update.output == catalog::Update::Hidden)
        tensors.outputs.push_back(*node.inputs[update.input]);
    Expected<std::unique_ptr<kernels::Kernel>> kernel =
        bindKernel(node.op, tensors, std::move(constants), registry, config,
                   pool, node.memberValues);
    if (kernel)
      node.kernel = std::move(*kernel);
    else
      node.failure = kernel.takeStatus().withContext(node.describe());
  }
}
