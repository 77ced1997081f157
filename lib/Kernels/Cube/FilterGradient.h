//===- FilterGradient.h - Factory of gradients to filters ------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_FILTERGRADIENT_H
#define NPU_LIB_KERNELS_CUBE_FILTERGRADIENT_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels::cube {

/// Conv2DBackpropFilterD and DepthwiseConv2DBackpropFilterD: inputs x and
/// out_backprop, output the gradient of the filter.
Expected<std::unique_ptr<Kernel>>
createFilterGradient(const NodeSpec &spec, const NumericConfig &config);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_FILTERGRADIENT_H
