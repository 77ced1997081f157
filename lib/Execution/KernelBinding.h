//===- KernelBinding.h - Kernels for nodes ---------------------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_KERNELBINDING_H
#define NPU_LIB_EXECUTION_KERNELBINDING_H

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Execution/BufferPool.h"
#include "npu/Kernels/Registry.h"

namespace npu {

/// The descriptors of a node's data inputs by anchor, and of its outputs.
struct NodeTensors {
  std::vector<std::optional<TensorDesc>> inputs;
  std::vector<TensorDesc> outputs;
};
Expected<NodeTensors> getNodeTensors(ge::NodeOp node);

/// Makes the kernel of \p node. A fused node has one that runs its members.
/// \p constants has the bytes of inputs that never change, null for others.
/// Fails with ErrorKind::Incomplete where the registry has no kernel.
Expected<std::unique_ptr<kernels::Kernel>>
bindKernel(ge::NodeOp node, const NodeTensors &tensors,
           std::vector<const std::byte *> constants,
           const kernels::Registry &registry, const NumericConfig &config,
           BufferPool &pool);

} // namespace npu

#endif // NPU_LIB_EXECUTION_KERNELBINDING_H
