//===- Aipp.h - Shapes of images that are loaded ----------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_AIPP_H
#define NPU_LIB_KERNELS_AIPP_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The shape of what an Aipp gives: the window that it cuts out, with its
/// borders, and the channels that the output has, or else those of its pixels.
Expected<Shape> inferAippShape(const NodeSpec &spec);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_AIPP_H
