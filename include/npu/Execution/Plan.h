//===- Plan.h - What a run does, worked out once ---------------*- C++ -*-===//

#ifndef NPU_EXECUTION_PLAN_H
#define NPU_EXECUTION_PLAN_H

#include "npu/Catalog/Catalog.h"
#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Execution/BufferPool.h"
#include "npu/Execution/Sources.h"
#include "npu/Execution/Streams.h"
#include "npu/Kernels/Registry.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <limits>
#include <string>
#include <vector>

namespace npu {

/// Values between the members of a fused node that an instr.dump asks for. They
/// have buffers while observers see the run of the node.
using MemberValues = llvm::DenseMap<mlir::Value, Buffer>;

/// "graph.txt:12: Conv2D 'conv1'", for messages.
std::string describe(ge::NodeOp node);

/// The nodes of \p graph in an order in which every producer comes first. Ready
/// nodes are taken in the order of the file. Fails on a cycle.
Expected<std::vector<ge::NodeOp>> sortNodes(ge::GraphOp graph);

/// The first input of a node with \p role that goes around in a loop or is only
/// passed to a branch: before it comes what a For counts, or what an If or Case
/// chooses by.
unsigned getFirstCarried(catalog::Role role);

/// A graph that a node runs: a branch of an If or Case, the condition or body
/// of a While, the body of a For.
struct PlannedBranch {
  /// An argument of the graph.
  struct Argument {
    unsigned input; ///< of the calling node
    unsigned slot;  ///< that the graph has it in
    /// It is the tensor that the caller has, so that both see what changes in
    /// place; otherwise a copy.
    bool isShared = false;
  };
  unsigned begin = 0, end = 0; ///< its nodes in the plan, in their order
  std::vector<Argument> arguments;
  /// By output of the calling node, or one for a condition: the slot, and the
  /// tensor in it.
  std::vector<unsigned> results;
  std::vector<TensorDesc> resultDescs;
};

/// A node of the graph in the order of execution.
struct PlannedNode {
  enum class Kind {
    Source,      ///< has its outputs from outside: Data, Const, Variable...
    Argument,    ///< a Data node of a branch: has what the caller passes
    Control,     ///< runs other graphs: If, Case, While, For
    Compute,     ///< a kernel computes it
    Nothing,     ///< only orders others: Send, Recv, NoOp...
    Streams,     ///< starts streams: StreamActive, StreamSwitch
    Switch,      ///< passes its input on to one of two outputs
    Merge,       ///< passes on the input that was computed
    FloatStatus, ///< reads or clears the overflow flag of the device
    Output,      ///< NetOutput
  };
  static constexpr unsigned NoSlot = std::numeric_limits<unsigned>::max();

  mutable ge::NodeOp op; ///< a handle, whose accessors are not const
  Kind kind = Kind::Compute;
  catalog::Role role = catalog::Role::Compute;
  bool isFed = false; ///< a source in place of the computation of its type
  /// Numbers of the device task. Nodes with a task are numbered from 1 in the
  /// order of their ids; the numbers of a real device are not in the graph.
  uint32_t taskId = 0;
  uint32_t streamId = 0;

  /// Descriptors by anchor and by output.
  std::vector<std::optional<TensorDesc>> inputs;
  std::vector<TensorDesc> outputs;
  /// Slots of the values, NoSlot for an unconnected anchor. An output that is
  /// an input changed in place has the slot of that input.
  std::vector<unsigned> inputSlots;
  std::vector<unsigned> outputSlots;
  /// The inputs changed in place, hidden ones last: for these the kernel has
  /// outputs after those of the node.
  std::vector<catalog::Update> updates;
  /// Slots that nobody reads after this node.
  std::vector<unsigned> released;
  /// Places in the plan of the nodes that read an output, ascending.
  std::vector<unsigned> readers;

  std::vector<PlannedBranch> branches; ///< of a control node
  /// Of an argument: where it is outside, and where a loop has it from the
  /// second trip on.
  unsigned callerSlot = NoSlot, carriedSlot = NoSlot;
  /// Streams that a StreamActive starts, or a StreamSwitch if its condition
  /// holds.
  std::vector<int64_t> startedStreams;

  MemberValues memberValues;
  /// The members, at any depth, that an instr.dump has as its subject: each as
  /// a node with the task of this one, in the shapes of this plan.
  std::vector<PlannedNode> dumpedMembers;
  std::unique_ptr<kernels::Kernel> kernel;
  /// Why there is no kernel; then a run stops at this node.
  Status failure;

  /// "graph.txt:12: Conv2D 'conv1'", for messages.
  std::string describe() const { return npu::describe(op); }
  unsigned firstCarried() const { return getFirstCarried(role); }
  /// That of dumpedMembers which \p member is, or null.
  const PlannedNode *findMember(mlir::Operation *member) const;
};

/// Whether \p node passes what it has at \p anchor on as it is, the reference
/// and not the value: to the graphs that it runs, or by RefSwitch and RefMerge.
bool passesOn(const PlannedNode &node, size_t anchor);
/// Whether \p node is an Assign that sets what it has at \p anchor.
bool isAssignTo(const PlannedNode &node, size_t anchor);

/// What nodes with \p role are, unless they are fed.
PlannedNode::Kind getKind(catalog::Role role);
/// What operators of \p type are.
inline PlannedNode::Kind getKind(llvm::StringRef type) {
  return getKind(catalog::getRole(type));
}

/// Order, slots and kernels of a graph and of the graphs that its nodes run.
/// Each data result of a node has a slot.
class Plan {
public:
  /// Orders the nodes of \p graph by data and control edges; among those that
  /// are ready the first in the file goes first. Nodes named in \p fed are not
  /// computed, but sources. Fails on a cycle, on tensors whose size is not
  /// known, on inputs that are larger than what they get, and on branches that
  /// do not fit the node that runs them. Kernels come with bindKernels.
  static Expected<Plan> create(ge::GraphOp graph, const llvm::StringSet<> &fed);

  /// Makes the kernels. \p slotBytes has the bytes of slots that never change,
  /// null for all others. A node without kernel keeps the reason.
  void bindKernels(const kernels::Registry &registry,
                   const NumericConfig &config,
                   const std::vector<const std::byte *> &slotBytes,
                   BufferPool &pool);

  /// The graph, and those that its nodes run.
  std::vector<ge::GraphOp> graphs;
  /// The nodes of the graph itself, then those of the others.
  std::vector<PlannedNode> nodes;
  unsigned numRootNodes = 0;
  StreamPlan streams;
  unsigned numSlots = 0;
  /// Slots that live as long as the plan: of constants and variables.
  std::vector<bool> persistent;
  /// By slot: the other slots of the same tensor. A branch has a slot of its
  /// own for what it shares with its caller, and each graph for a variable.
  std::vector<std::vector<unsigned>> aliases;
};

} // namespace npu

#endif // NPU_EXECUTION_PLAN_H
