//===- Float8.h - The 8-bit floating-point types ---------------*- C++ -*-===//

#ifndef NPU_NUMERICS_FLOAT8_H
#define NPU_NUMERICS_FLOAT8_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/Rounding.h"
#include "npu/Numerics/StatusBits.h"

#include <cstdint>

namespace npu::numerics {

/// 1 sign, 4 exponent, 3 mantissa bits, bias 7. No infinity; S.1111.111 is
/// NaN, so the largest value is 448 (0x7E).
struct Float8E4M3FN {
  uint8_t bits = 0;
};

/// 1 sign, 5 exponent, 2 mantissa bits, bias 15, with infinities and NaNs: the
/// upper half of a binary16. The largest value is 57344 (0x7B).
struct Float8E5M2 {
  uint8_t bits = 0;
};

/// Ascend HiFloat8: sign, then a prefix code (11, 10, 01, 001, 0001, 0000)
/// that tells the width of the exponent (4, 3, 2, 1, 0 bits and the denormal
/// form), the exponent as sign and magnitude without its leading one, and the
/// mantissa (1, 2, 3, 3, 3, 3 bits). A denormal is 2^(mantissa - 23). 0x80 is
/// NaN, 0x6F and 0xEF are the infinities; there is no -0.
struct HiFloat8 {
  uint8_t bits = 0;
};

float float8E4M3FNToFloat(Float8E4M3FN x); ///< Exact; NaNs keep their sign.
float float8E5M2ToFloat(Float8E5M2 x);     ///< Exact; NaNs keep their sign.
float hiFloat8ToFloat(HiFloat8 x);         ///< Exact.

/// \name Conversions to 8-bit floats, rounded once.
/// Beyond the largest finite value CastOverflow is raised and the result is
/// that value (Saturate), or the infinity or, for lack of one, NaN (InfNan).
/// An infinite \p x becomes the same without a status bit. NaN stays NaN in
/// both modes and keeps its sign. CastUnderflow when a nonzero value becomes
/// zero.
/// @{
Float8E4M3FN floatToFloat8E4M3FN(float x, OverflowMode mode, StatusBits &status,
                                 RoundingMode rounding = RoundingMode::Rint);
Float8E5M2 floatToFloat8E5M2(float x, OverflowMode mode, StatusBits &status,
                             RoundingMode rounding = RoundingMode::Rint);
/// @}

} // namespace npu::numerics

#endif // NPU_NUMERICS_FLOAT8_H
