//===- ImplMode.h - The implementation that a node asks for -----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_IMPLMODE_H
#define NPU_LIB_KERNELS_IMPLMODE_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

// Values of the attribute _op_impl_mode_enum.
constexpr int64_t HighPerformance = 0x2;
constexpr int64_t HighPrecision = 0x4;

/// The attribute, 0 where the node has none: the default of its operator.
inline Expected<int64_t> readImplMode(const NodeSpec &spec) {
  return spec.attrs.get<int64_t>("_op_impl_mode_enum", 0);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_IMPLMODE_H
