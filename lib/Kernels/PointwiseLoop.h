//===- PointwiseLoop.h - All elements of a pointwise kernel -----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_POINTWISELOOP_H
#define NPU_LIB_KERNELS_POINTWISELOOP_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// Computes all of \p output, \p grain elements at a time, and tells \p context
/// of each part that is finished.
NodeStatus runPointwise(Pointwise &kernel, RunContext &context,
                        std::span<const ConstTensor> inputs,
                        const MutableTensor &output, int64_t grain);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_POINTWISELOOP_H
