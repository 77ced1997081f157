//===- Slice.h - Shapes of slices -------------------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_SLICE_H
#define NPU_LIB_KERNELS_SLICE_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The logical shape that Slice, SliceD, StridedSlice, StridedSliceD or
/// StridedSliceV2 gives.
Expected<Shape> inferSliceShape(const NodeSpec &spec);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_SLICE_H
