//===- Plan.cpp - What a run does, worked out once ------------------------===//

#include "npu/Execution/Plan.h"

#include "InPlaceUpdates.h"
#include "KernelBinding.h"

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

std::string PlannedNode::describe() const {
  std::string text;
  NodeOp node = op;
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
    // The data set, and values that no run repeats. Frameworks' own operators
    // are here by their original type.
    {"FunctionOp", Kind::Source, SourceRole::Input, true},
    {"IteratorV2", Kind::Source, SourceRole::Input, true},
    {"RandomStandardNormal", Kind::Source, SourceRole::Input, true},
    {"RandomUniform", Kind::Source, SourceRole::Input, true},
    {"TruncatedNormal", Kind::Source, SourceRole::Input, true},
    {"NetOutput", Kind::Output, SourceRole::Input, true},
    {"NoOp", Kind::Nothing},
    {"PlaceHolder", Kind::Nothing},
    {"End", Kind::Nothing},
    // Kernels start from zeroed accumulators by themselves.
    {"AtomicAddrClean", Kind::Nothing, SourceRole::Input, true},
    {"Send", Kind::Nothing, SourceRole::Input, true},
    {"Recv", Kind::Nothing, SourceRole::Input, true},
    {"StreamActive", Kind::Nothing, SourceRole::Input, true},
    // A session runs an iteration; how many there are is not up to the graph.
    {"StreamSwitch", Kind::Nothing, SourceRole::Input, true},
    {"NPUAllocFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUGetFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUClearFloatStatus", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUGetFloatStatusV2", Kind::FloatStatus, SourceRole::Input, true},
    {"NPUClearFloatStatusV2", Kind::FloatStatus, SourceRole::Input, true},
};

static const TypeRow *findType(NodeOp node) {
  StringRef type = node.getOpType();
  if (type == "FrameworkOp")
    if (auto original =
            dyn_cast_or_null<StringAttr>(node.getNodeAttr("original_type")))
      type = original;
  const TypeRow *row = llvm::find_if(
      typeTable, [&](const TypeRow &row) { return row.type == type; });
  return row == std::end(typeTable) ? nullptr : row;
}

static bool hasTask(NodeOp node) {
  if (auto noTask = dyn_cast_or_null<BoolAttr>(node.getNodeAttr("_no_task")))
    if (noTask.getValue())
      return false;
  const TypeRow *row = findType(node);
  return !row || row->hasTask;
}

/// The nodes in an order in which every producer comes first. Ready nodes are
/// taken in the order of the file.
static Expected<std::vector<NodeOp>> sortNodes(GraphOp graph) {
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

/// Numbers the tasks.
static llvm::DenseMap<Operation *, uint32_t>
numberTasks(const std::vector<NodeOp> &order) {
  std::vector<NodeOp> byId;
  for (NodeOp node : order)
    if (hasTask(node))
      byId.push_back(node);
  llvm::stable_sort(byId, [](NodeOp a, NodeOp b) {
    return static_cast<int64_t>(a.getNodeId()) <
           static_cast<int64_t>(b.getNodeId());
  });
  llvm::DenseMap<Operation *, uint32_t> tasks;
  for (NodeOp node : byId)
    tasks.try_emplace(node, tasks.size() + 1);
  return tasks;
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
  for (const InPlaceUpdate &update : getInPlaceUpdates(node.op.getOpType())) {
    // The kernel says what is wrong with a node that lacks one of them.
    if (update.input >= node.inputs.size() || !node.inputs[update.input])
      continue;
    const bool isHidden = update.output == InPlaceUpdate::Hidden;
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

Expected<Plan> Plan::create(GraphOp graph, const llvm::StringSet<> &fed) {
  Expected<std::vector<NodeOp>> order = sortNodes(graph);
  if (!order)
    return order.takeStatus();
  llvm::DenseMap<Operation *, uint32_t> tasks = numberTasks(*order);

  Plan plan;
  llvm::DenseMap<Value, unsigned> slots;
  std::vector<uint64_t> slotSizes;
  std::vector<unsigned> writers; // by slot: the place of the node
  for (NodeOp node : *order) {
    PlannedNode planned;
    planned.op = node;
    if (const TypeRow *row = findType(node)) {
      planned.kind = row->kind;
      planned.role = row->role;
    }
    planned.taskId = tasks.lookup(node);
    const bool isOperator =
        planned.kind == Kind::Compute ||
        (planned.kind == Kind::Source && planned.taskId != 0);
    if (isOperator && fed.contains(node.getNodeName())) {
      planned.kind = Kind::Source;
      planned.isFed = true;
    }
    const auto stream = static_cast<int64_t>(node.getStreamId());
    planned.streamId = stream < 0 ? 0 : static_cast<uint32_t>(stream);

    Expected<NodeTensors> tensors = getNodeTensors(node);
    if (!tensors)
      return tensors.takeStatus().withContext(planned.describe());
    planned.inputs = std::move(tensors->inputs);
    // What NetOutput has as outputs only mirrors its inputs.
    if (planned.kind != Kind::Output)
      planned.outputs = std::move(tensors->outputs);

    for (unsigned anchor = 0; anchor != planned.inputs.size(); ++anchor) {
      Value value = node.getAnchor(anchor);
      if (!value) {
        planned.inputSlots.push_back(PlannedNode::NoSlot);
        continue;
      }
      const unsigned slot = slots.lookup(value);
      planned.inputSlots.push_back(slot);
      std::vector<unsigned> &readers = plan.nodes[writers[slot]].readers;
      if (readers.empty() || readers.back() != plan.nodes.size())
        readers.push_back(plan.nodes.size());
      const TensorDesc &wanted = *planned.inputs[anchor];
      if (!holds(slotSizes[slot], wanted))
        return Status::error(
            planned.describe() + ": input " + std::to_string(anchor) + " has " +
            std::to_string(wanted.byteSize()) + " bytes (" +
            planned.inputs[anchor]->toString() + "), but its producer gives " +
            std::to_string(slotSizes[slot]));
    }
    if (planned.kind == Kind::Compute && !node.isFused())
      if (Status status = planUpdates(planned, slotSizes); !status)
        return status;
    for (auto [index, desc] : llvm::enumerate(planned.outputs)) {
      const auto update =
          llvm::find_if(planned.updates, [&](const InPlaceUpdate &update) {
            return update.output == index;
          });
      if (update != planned.updates.end()) {
        const unsigned slot = planned.inputSlots[update->input];
        slots[node.getOutputs()[index]] = slot;
        planned.outputSlots.push_back(slot);
        writers[slot] = plan.nodes.size();
        continue;
      }
      slots[node.getOutputs()[index]] = plan.numSlots;
      planned.outputSlots.push_back(plan.numSlots++);
      slotSizes.push_back(desc.byteSize());
      writers.push_back(plan.nodes.size());
      plan.persistent.push_back(planned.kind == Kind::Source &&
                                planned.role != SourceRole::Input);
    }
    plan.nodes.push_back(std::move(planned));
  }

  // A slot is released after its last reader, or at once if it has none.
  std::vector<bool> read(plan.numSlots);
  for (PlannedNode &node : llvm::reverse(plan.nodes)) {
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
  return plan;
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
    for (const InPlaceUpdate &update : node.updates)
      if (update.output == InPlaceUpdate::Hidden)
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
