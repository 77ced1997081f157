//===- FloatToInteger.h - Floating point to integers -----------*- C++ -*-===//

#ifndef NPU_NUMERICS_FLOATTOINTEGER_H
#define NPU_NUMERICS_FLOATTOINTEGER_H

#include "npu/Numerics/Rounding.h"
#include "npu/Numerics/StatusBits.h"

#include <cstdint>

namespace npu::numerics {

/// The conversion instructions: \p x rounded to an integer, saturated to the
/// range of Int; NaN gives 0. Int is one of the 8, 16, 32 and 64 bit integers.
/// For an unsigned Int a negative \p x gives 0 and raises NegativeToUnsigned;
/// saturation raises nothing. An fp16 value is widened first (halfToFloat),
/// which is exact.
template <typename Int>
Int floatToInt(float x, RoundingMode rounding, StatusBits &status);
template <typename Int>
Int doubleToInt(double x, RoundingMode rounding, StatusBits &status);

/// The form of the GE Cast operator for 8 bits: \p x truncated to int32
/// (saturating, NaN gives 0), of which the low 8 bits are kept. No status.
int8_t floatToInt8Wrap(float x);
uint8_t floatToUInt8Wrap(float x);

} // namespace npu::numerics

#endif // NPU_NUMERICS_FLOATTOINTEGER_H
