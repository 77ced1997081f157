//===- Convolution.h - Factories of the convolutions -----------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_CONVOLUTION_H
#define NPU_LIB_KERNELS_CUBE_CONVOLUTION_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels::cube {

/// Conv2D: inputs x, filter, bias?, offset_w?.
Expected<std::unique_ptr<Kernel>> createConv2D(const NodeSpec &spec,
                                               const NumericConfig &config);

/// DepthwiseConv2D: the same with one group for each channel of x.
Expected<std::unique_ptr<Kernel>>
createDepthwiseConv2D(const NodeSpec &spec, const NumericConfig &config);

/// Conv2DBackpropInputD (inputs filter, out_backprop) and
/// DepthwiseConv2DBackpropInputD.
Expected<std::unique_ptr<Kernel>>
createConv2DBackpropInput(const NodeSpec &spec, const NumericConfig &config);

/// Conv2DTransposeD, Deconvolution: inputs x, filter, bias?, offset_w?.
Expected<std::unique_ptr<Kernel>>
createConv2DTranspose(const NodeSpec &spec, const NumericConfig &config);

/// FullyConnection of an image: a convolution whose window is the image.
Expected<std::unique_ptr<Kernel>>
createImageFullyConnection(const NodeSpec &spec, const NumericConfig &config);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_CONVOLUTION_H
