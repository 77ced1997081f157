//===- FloatFormat.h - Exact values and their rounding ---------*- C++ -*-===//
//
// The integer methods behind the scalar conversions and the fp16 arithmetic: a
// value is a significand times a power of two, and one function rounds it to a
// format.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_NUMERICS_FLOATFORMAT_H
#define NPU_LIB_NUMERICS_FLOATFORMAT_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/Rounding.h"
#include "npu/Numerics/StatusBits.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace npu::numerics {

/// significand * 2^exponent, negated if negative. Whoever forms a value that
/// does not end (a quotient, a root) keeps more bits than any format and sets
/// the last one for what is cut off.
struct ExactValue {
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;
};

/// A binary floating-point format of up to 16 bits. Encodings are without sign.
struct FloatFormat {
  int width;        ///< bits in all; the first is the sign
  int mantissaBits; ///< stored ones
  int minExponent;  ///< of the smallest normal, 2^minExponent
  uint16_t maxFinite;
  uint16_t infinity; ///< what lies beyond; a NaN where there is no infinity
  uint16_t nan;      ///< quiet, payload zero
};

constexpr FloatFormat HalfFormat{16, 10, -14, 0x7BFF, 0x7C00, 0x7E00};
constexpr FloatFormat BFloat16Format{16, 7, -126, 0x7F7F, 0x7F80, 0x7FC0};
constexpr FloatFormat Float8E4M3FNFormat{8, 3, -6, 0x7E, 0x7F, 0x7F};
constexpr FloatFormat Float8E5M2Format{8, 2, -14, 0x7B, 0x7C, 0x7E};

/// \p significand * 2^-drop rounded to an integer. The result must fit.
inline uint64_t shiftAndRound(uint64_t significand, int drop, bool negative,
                              RoundingMode rounding) {
  if (drop <= 0)
    return significand << -drop;
  const uint64_t kept = drop < 64 ? significand >> drop : 0;
  const uint64_t lost = drop < 64 ? significand - (kept << drop) : significand;
  if (lost == 0)
    return kept;
  const uint64_t half = drop <= 64 ? uint64_t(1) << (drop - 1) : 0;
  const bool aboveHalf = half != 0 && lost > half;
  const bool tie = half != 0 && lost == half;
  switch (rounding) {
  case RoundingMode::Rint:
    return kept + (aboveHalf || (tie && (kept & 1)));
  case RoundingMode::Round:
    return kept + (aboveHalf || tie);
  case RoundingMode::Floor:
    return kept + negative;
  case RoundingMode::Ceil:
    return kept + !negative;
  case RoundingMode::Trunc:
    return kept;
  case RoundingMode::Odd:
    return kept | 1;
  }
  return kept;
}

/// \p bits with the sign of \p format set if \p negative.
inline uint16_t withSign(const FloatFormat &format, bool negative,
                         uint32_t bits) {
  return static_cast<uint16_t>(bits | uint32_t(negative) << (format.width - 1));
}

/// An infinity: \p format's own, or its largest value in Saturate mode.
inline uint16_t encodeInfinity(const FloatFormat &format, bool negative,
                               OverflowMode mode) {
  return withSign(format, negative,
                  mode == OverflowMode::Saturate ? format.maxFinite
                                                 : format.infinity);
}

/// \p value rounded once to \p format. Adds \p overflowBit if it rounds beyond
/// the largest finite value, whatever the rounding mode, and \p underflowBit if
/// a nonzero value becomes zero.
inline uint16_t encode(const FloatFormat &format, const ExactValue &value,
                       OverflowMode mode, RoundingMode rounding,
                       StatusBits overflowBit, StatusBits underflowBit,
                       StatusBits &status) {
  if (value.significand == 0)
    return withSign(format, value.negative, 0);
  const int leading =
      value.exponent + static_cast<int>(std::bit_width(value.significand)) - 1;
  const int exponent = std::max(leading, format.minExponent);
  const int drop = exponent - format.mantissaBits - value.exponent;
  const uint64_t rounded =
      shiftAndRound(value.significand, drop, value.negative, rounding);
  // The leading bit of a normal value adds one to the exponent field, and so
  // does the carry out of the mantissa.
  const uint64_t magnitude =
      (uint64_t(exponent - format.minExponent) << format.mantissaBits) +
      rounded;
  if (magnitude > format.maxFinite) {
    status |= overflowBit;
    return encodeInfinity(format, value.negative, mode);
  }
  if (magnitude == 0)
    status |= underflowBit;
  return withSign(format, value.negative, static_cast<uint32_t>(magnitude));
}

/// A float or double taken apart.
struct UnpackedFloat {
  enum Kind : uint8_t { Finite, Infinity, NaN } kind = Finite;
  ExactValue value;     ///< negative also for the other kinds
  uint64_t payload = 0; ///< mantissa of a NaN, moved to the top
};

template <typename UInt, int MantissaBits>
inline UnpackedFloat unpackBits(UInt bits) {
  constexpr int ExponentBits = sizeof(UInt) * 8 - 1 - MantissaBits;
  constexpr int MaxExponent = (1 << ExponentBits) - 1;
  constexpr int Bias = MaxExponent / 2;
  const uint64_t mantissa = bits & ((UInt(1) << MantissaBits) - 1);
  const int exponent = static_cast<int>(bits >> MantissaBits) & MaxExponent;
  UnpackedFloat result;
  result.value.negative = bits >> (sizeof(UInt) * 8 - 1);
  if (exponent == MaxExponent) {
    result.kind = mantissa ? UnpackedFloat::NaN : UnpackedFloat::Infinity;
    result.payload = mantissa << (64 - MantissaBits);
    return result;
  }
  result.value.significand =
      exponent == 0 ? mantissa : mantissa | (uint64_t(1) << MantissaBits);
  result.value.exponent = std::max(exponent, 1) - Bias - MantissaBits;
  return result;
}

inline UnpackedFloat unpack(float x) {
  return unpackBits<uint32_t, 23>(std::bit_cast<uint32_t>(x));
}
inline UnpackedFloat unpack(double x) {
  return unpackBits<uint64_t, 52>(std::bit_cast<uint64_t>(x));
}

/// Conversion of a float or double to fp16 or bf16.
template <typename Float>
inline uint16_t encodeFloat(const FloatFormat &format, Float x,
                            OverflowMode mode, RoundingMode rounding,
                            StatusBits &status) {
  const UnpackedFloat unpacked = unpack(x);
  switch (unpacked.kind) {
  case UnpackedFloat::Finite:
    break;
  case UnpackedFloat::Infinity:
    return encodeInfinity(format, unpacked.value.negative, mode);
  case UnpackedFloat::NaN:
    if (mode == OverflowMode::Saturate)
      return 0;
    return withSign(format, unpacked.value.negative,
                    format.nan |
                        static_cast<uint32_t>(unpacked.payload >>
                                              (64 - format.mantissaBits)));
  }
  return encode(format, unpacked.value, mode, rounding, status::CastOverflow,
                status::CastUnderflow, status);
}

inline uint16_t encodeInt(const FloatFormat &format, int64_t x,
                          OverflowMode mode, RoundingMode rounding,
                          StatusBits &status) {
  const uint64_t bits = static_cast<uint64_t>(x);
  return encode(format, {x < 0, x < 0 ? -bits : bits, 0}, mode, rounding,
                status::CastOverflow, status::CastUnderflow, status);
}

inline uint16_t encodeUInt(const FloatFormat &format, uint64_t x,
                           OverflowMode mode, RoundingMode rounding,
                           StatusBits &status) {
  return encode(format, {false, x, 0}, mode, rounding, status::CastOverflow,
                status::CastUnderflow, status);
}

} // namespace npu::numerics

#endif // NPU_LIB_NUMERICS_FLOATFORMAT_H
