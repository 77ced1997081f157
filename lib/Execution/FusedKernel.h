//===- FusedKernel.h - The members of a fused node --------------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_FUSEDKERNEL_H
#define NPU_LIB_EXECUTION_FUSEDKERNEL_H

#include "KernelBinding.h"

namespace npu {

/// Makes the kernel of a fused node, which runs the kernels of its members; as
/// bindKernel, which makes these.
Expected<std::unique_ptr<kernels::Kernel>>
makeFusedKernel(ge::NodeOp node, const NodeTensors &tensors,
                const std::vector<const std::byte *> &constants,
                const kernels::Registry &registry, const NumericConfig &config,
                BufferPool &pool, MemberValues &memberValues);

} // namespace npu

#endif // NPU_LIB_EXECUTION_FUSEDKERNEL_H
