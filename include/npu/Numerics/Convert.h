//===- Convert.h - Conversion of arrays of floats --------------*- C++ -*-===//
//
// Vector forms of the conversions of Half.h and BFloat16.h: the same bits and
// the same status. Source and destination have the same length (checked by
// assertion) and do not overlap.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_NUMERICS_CONVERT_H
#define NPU_NUMERICS_CONVERT_H

#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/Half.h"

#include <span>

namespace npu::numerics {

/// Exact; NaNs become quiet.
void halfToFloat(std::span<const Half> from, std::span<float> to);

/// Exact.
void bfloat16ToFloat(std::span<const BFloat16> from, std::span<float> to);

/// Rounds to nearest even; returns CastOverflow and CastUnderflow.
StatusBits floatToHalf(std::span<const float> from, std::span<Half> to,
                       OverflowMode mode);

/// Rounds to nearest even; returns CastOverflow and CastUnderflow.
StatusBits floatToBFloat16(std::span<const float> from, std::span<BFloat16> to,
                           OverflowMode mode);

} // namespace npu::numerics

#endif // NPU_NUMERICS_CONVERT_H
