//===- KernelBinding.h - Kernels for nodes ---------------------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_KERNELBINDING_H
#define NPU_LIB_EXECUTION_KERNELBINDING_H

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Execution/Plan.h"

namespace npu {

/// The descriptors of a node's data inputs by anchor, and of its outputs.
struct NodeTensors {
  std::vector<std::optional<TensorDesc>> inputs;
  std::vector<TensorDesc> outputs;
};
Expected<NodeTensors> getNodeTensors(ge::NodeOp node);

/// The attributes of \p node that kernels can read.
kernels::Attributes getKernelAttributes(ge::NodeOp node);

/// The payload that the graph text has for a constant or variable; empty if it
/// was dumped without.
std::optional<ByteView> getPayload(ge::NodeOp node);

/// Follows \p value, of a member of a fused node, out of the nodes that pass it
/// on: to an input or output of the outermost one, or, where it goes no
/// further, to the value of a member.
mlir::Value getOuterValue(mlir::Value value);

/// The node that \p dump has as its subject, null for none.
ge::NodeOp getSubjectNode(instr::DumpOp dump);

/// Places for the values that every instr.dump among the members of \p node
/// asks for and that are no inputs or outputs of the node.
MemberValues getDumpedMemberValues(ge::NodeOp node);

/// Makes the kernel of \p node. A fused node has one that runs its members, and
/// leaves in \p memberValues those values that it has a place for.
/// \p constants has the bytes of inputs that never change, null for others.
/// Fails with ErrorKind::Incomplete where the registry has no kernel.
Expected<std::unique_ptr<kernels::Kernel>>
bindKernel(ge::NodeOp node, const NodeTensors &tensors,
           std::vector<const std::byte *> constants,
           const kernels::Registry &registry, const NumericConfig &config,
           BufferPool &pool, MemberValues &memberValues);

} // namespace npu

#endif // NPU_LIB_EXECUTION_KERNELBINDING_H
