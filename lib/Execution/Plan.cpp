//===- Plan.cpp - What a run does, worked out once ------------------------===//

#include "npu/Execution/Plan.h"

#include "KernelBinding.h"
#include "Planner.h"
#include "ScalarValue.h"

#include "npu/Dialect/Instr/IR/Instr.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PriorityQueue.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace npu;
using catalog::Role;
using ge::GraphOp;
using ge::NodeOp;
using Kind = PlannedNode::Kind;

std::string npu::describe(NodeOp node) {
  std::string text;
  if (auto loc = node.getLoc()->findInstanceOf<FileLineColLoc>())
    text = loc.getFilename().str() + ":" + std::to_string(loc.getLine()) + ": ";
  return text + node.getOpType().str() + " '" + node.getNodeName().str() + "'";
}

Kind npu::getKind(Role role) {
  switch (role) {
  case Role::Compute:
  case Role::Call: // replaced before
    return Kind::Compute;
  case Role::Input:
  case Role::Constant:
  case Role::Variable:
    return Kind::Source;
  case Role::Output:
    return Kind::Output;
  case Role::If:
  case Role::Case:
  case Role::While:
  case Role::For:
    return Kind::Control;
  case Role::Order:
    return Kind::Nothing;
  case Role::Streams:
    return Kind::Streams;
  case Role::Switch:
    return Kind::Switch;
  case Role::Merge:
    return Kind::Merge;
  case Role::FloatStatus:
    return Kind::FloatStatus;
  }
  return Kind::Compute;
}

/// The framework's own operators have the type FrameworkOp and theirs as an
/// attribute.
static Role getRole(NodeOp node) {
  if (node.getOpType() != "FrameworkOp")
    return catalog::getRole(node.getOpType());
  auto original =
      dyn_cast_or_null<StringAttr>(node.getNodeAttr("original_type"));
  if (!original)
    return Role::Compute;
  // Values that no run repeats: the framework has the seed.
  if (llvm::is_contained(
          {"RandomStandardNormal", "RandomUniform", "TruncatedNormal"},
          original.strref()))
    return Role::Input;
  return catalog::getRole(original.strref());
}

static bool hasTask(NodeOp node) {
  if (auto noTask = dyn_cast_or_null<BoolAttr>(node.getNodeAttr("_no_task")))
    if (noTask.getValue())
      return false;
  return catalog::isTask(catalog::lookup(node.getOpType()));
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
    if (waiting[index] != 0 && node.getOpType().ends_with("NextIteration"))
      return Status::error(npu::describe(node) +
                           ": loops of NextIteration are not executed; "
                           "expected the loop as a While");
  for (auto [index, node] : llvm::enumerate(nodes))
    if (waiting[index] != 0)
      return Status::error("graph '" + graph.getGraphName().str() +
                           "' has a cycle through op '" +
                           node.getNodeName().str() +
                           "'; expected an order of execution");
  return order;
}

bool npu::passesOn(const PlannedNode &node, size_t anchor) {
  const StringRef type = ge::NodeOp(node.op).getOpType();
  return (node.kind == Kind::Control && anchor >= node.firstCarried()) ||
         (type == "RefSwitch" && anchor == 0) || type == "RefMerge";
}

bool npu::isAssignTo(const PlannedNode &node, size_t anchor) {
  return node.op.getOpType() == "Assign" && anchor == 0;
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

/// Checks \p node, a Switch: the output of each branch, and what decides.
static Status checkSwitch(const PlannedNode &node) {
  const bool isComplete = node.inputs.size() == 2 && node.inputs[0] &&
                          node.inputs[1] && node.outputs.size() == 2;
  if (!isComplete || node.inputs[1]->numElements() != 1 ||
      !isControlType(node.inputs[1]->dtype))
    return Status::error(node.describe() +
                         ": expected data, one value that decides, and two "
                         "outputs");
  for (const TensorDesc &output : node.outputs)
    if (output.byteSize() != node.inputs[0]->byteSize())
      return Status::error(node.describe() + ": output " + output.toString() +
                           " is not of the size of " +
                           node.inputs[0]->toString());
  return {};
}

/// Checks \p node, a merge: its output, and the number of the input that it is.
static Status checkMerge(const PlannedNode &node) {
  ge::NodeOp op = node.op;
  if (auto next =
          dyn_cast_or_null<StringAttr>(op.getNodeAttr("_next_iteration_node")))
    return Status::error(node.describe() + ": loops of NextIteration ('" +
                         next.str() +
                         "') are not executed; expected the loop as a While");
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

bool npu::holds(uint64_t bytes, const TensorDesc &wanted) {
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

/// The node as it is, without what connects it.
Expected<PlannedNode> Planner::describe(NodeOp node, const Call &call) const {
  PlannedNode planned;
  planned.op = node;
  planned.role = getRole(node);
  planned.kind = getKind(planned.role);
  planned.taskId = tasks.lookup(node);
  const bool isOperator = planned.kind == Kind::Compute ||
                          planned.kind == Kind::Control ||
                          (planned.kind == Kind::Source && planned.taskId != 0);
  if (isOperator && fed.contains(node.getNodeName())) {
    planned.kind = Kind::Source;
    planned.role = Role::Input;
    planned.isFed = true;
  }
  if (call.caller != PlannedNode::NoSlot && planned.kind == Kind::Source &&
      node.getParentInput())
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

/// The slot that output \p index of \p node shares, NoSlot for one of its own:
/// of an input that is changed in place, or of a reference that is passed on.
static unsigned findSharedSlot(const PlannedNode &node, unsigned index) {
  const auto update =
      llvm::find_if(node.updates, [&](const catalog::Update &update) {
        return update.output == index;
      });
  if (update != node.updates.end())
    return node.inputSlots[update->input];
  const StringRef type = ge::NodeOp(node.op).getOpType();
  if (type == "RefSwitch" ||
      (type == "RefMerge" && index == 0 && llvm::all_equal(node.inputSlots)))
    return node.inputSlots.front();
  return PlannedNode::NoSlot;
}

void Planner::addOutputs(PlannedNode &node) {
  for (auto [index, desc] : llvm::enumerate(node.outputs)) {
    const unsigned slot = findSharedSlot(node, index);
    if (slot != PlannedNode::NoSlot) {
      slots[node.op.getOutputs()[index]] = slot;
      node.outputSlots.push_back(slot);
      writers[slot] = plan.nodes.size();
      continue;
    }
    slots[node.op.getOutputs()[index]] = plan.numSlots;
    node.outputSlots.push_back(plan.numSlots++);
    slotSizes.push_back(desc.byteSize());
    makers.push_back(plan.nodes.size());
    writers.push_back(plan.nodes.size());
    plan.persistent.push_back(node.kind == Kind::Source &&
                              node.role != Role::Input);
  }
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
    if (planned->kind == Kind::Switch)
      if (Status status = checkSwitch(*planned); !status)
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
    if (planned->kind == Kind::Control)
      if (Status status = addCalls(*planned); !status)
        return status;
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
  planArguments();
  return std::move(plan);
}

Expected<Plan> Plan::create(GraphOp graph, const llvm::StringSet<> &fed) {
  return Planner(fed).run(graph);
}

/// The members of \p fused that are dumped. One without tensors is left out:
/// its kernel has the same to say.
static std::vector<PlannedNode> planDumpedMembers(const PlannedNode &fused) {
  std::vector<PlannedNode> members;
  llvm::SmallPtrSet<Operation *, 4> seen;
  fused.op.getBody().walk([&](instr::DumpOp dump) {
    NodeOp op = getSubjectNode(dump);
    if (!op || !seen.insert(op).second)
      return;
    Expected<NodeTensors> tensors = getNodeTensors(op);
    if (!tensors)
      return;
    PlannedNode &member = members.emplace_back();
    member.op = op;
    member.taskId = fused.taskId;
    member.streamId = fused.streamId;
    member.inputs = std::move(tensors->inputs);
    member.outputs = std::move(tensors->outputs);
  });
  return members;
}

const PlannedNode *PlannedNode::findMember(Operation *member) const {
  auto it = llvm::find_if(dumpedMembers, [&](const PlannedNode &node) {
    return node.op.getOperation() == member;
  });
  return it == dumpedMembers.end() ? nullptr : &*it;
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
    node.dumpedMembers = planDumpedMembers(node);
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
