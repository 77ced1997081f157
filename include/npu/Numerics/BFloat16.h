//===- BFloat16.h - bfloat16 conversion ------------------------*- C++ -*-===//

#ifndef NPU_NUMERICS_BFLOAT16_H
#define NPU_NUMERICS_BFLOAT16_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/Rounding.h"
#include "npu/Numerics/StatusBits.h"

#include <bit>
#include <cstdint>

namespace npu::numerics {

/// The bits of a bfloat16: the upper half of an IEEE binary32.
struct BFloat16 {
  uint16_t bits = 0;

  friend bool operator==(BFloat16, BFloat16) = default; ///< of bits
};

constexpr BFloat16 BFloat16Max{0x7F7F};
constexpr BFloat16 BFloat16Infinity{0x7F80};
/// The NaN that arithmetic writes.
constexpr BFloat16 BFloat16NaN{0x7FC0};

/// Exact, NaNs included.
inline float bfloat16ToFloat(BFloat16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}

/// \name Conversions to bfloat16, rounded once.
/// As those to fp16 (Half.h): CastOverflow beyond 0x7F7F, CastUnderflow when a
/// nonzero value becomes zero. In Saturate mode an infinity becomes +-0x7F7F
/// and a NaN +0; in InfNan mode a NaN becomes quiet and keeps its sign and the
/// top of its payload.
/// @{
BFloat16 floatToBFloat16(float x, OverflowMode mode, StatusBits &status,
                         RoundingMode rounding = RoundingMode::Rint);
BFloat16 doubleToBFloat16(double x, OverflowMode mode, StatusBits &status,
                          RoundingMode rounding = RoundingMode::Rint);
BFloat16 intToBFloat16(int64_t x, OverflowMode mode, StatusBits &status,
                       RoundingMode rounding = RoundingMode::Rint);
BFloat16 uintToBFloat16(uint64_t x, OverflowMode mode, StatusBits &status,
                        RoundingMode rounding = RoundingMode::Rint);
/// @}

} // namespace npu::numerics

#endif // NPU_NUMERICS_BFLOAT16_H
