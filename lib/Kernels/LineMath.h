//===- LineMath.h - exp of many values --------------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_LINEMATH_H
#define NPU_LIB_KERNELS_LINEMATH_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"

#include <span>

namespace npu::kernels {

/// Replaces \p values by their exp, with \p throughHalf as an fp16 instruction.
/// Returns the status bits raised.
StatusBits expInPlace(std::span<float> values, bool throughHalf,
                      OverflowMode mode);

/// The largest of \p values, at least one; NaN if there is one. With
/// \p throughHalf every value is narrowed on the way, and so is the result;
/// CastOverflow is added to \p bits where that overflows.
float largestOf(std::span<const float> values, bool throughHalf,
                OverflowMode mode, StatusBits &bits);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_LINEMATH_H
