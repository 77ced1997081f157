//===- Window.h - Strides, pads and dilations of a node --------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_WINDOW_H
#define NPU_LIB_KERNELS_CUBE_WINDOW_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels::cube {

/// How a window moves over an image. Output point (h, w) and tap (i, j) meet
/// input point (h * strideH - top + i * dilationH, w * strideW - left +
/// j * dilationW).
struct Window {
  int64_t kernelH = 1, kernelW = 1;
  int64_t strideH = 1, strideW = 1;
  int64_t dilationH = 1, dilationW = 1;
  int64_t top = 0, left = 0;
};

/// Reads strides, pads and dilations of \p spec: 4 numbers each, strides and
/// dilations in the order of data_format (or, without it, of the image's origin
/// format), pads top, bottom, left, right; four times -1 means SAME. Fails
/// unless the window takes an image of \p inputH x \p inputW to \p outputH x
/// \p outputW.
Expected<Window> readWindow(const NodeSpec &spec, const TensorDesc &image,
                            int64_t kernelH, int64_t kernelW, int64_t inputH,
                            int64_t inputW, int64_t outputH, int64_t outputW);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_WINDOW_H
