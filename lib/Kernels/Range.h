//===- Range.h - Shapes of ranges -------------------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_RANGE_H
#define NPU_LIB_KERNELS_RANGE_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The shape that Range gives, whose three inputs must be constants.
Expected<Shape> inferRangeShape(const NodeSpec &spec);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_RANGE_H
