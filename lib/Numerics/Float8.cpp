//===- Float8.cpp - The 8-bit floating-point types ------------------------===//

#include "npu/Numerics/Float8.h"

#include "FloatFormat.h"
#include "npu/Numerics/Half.h"

#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::numerics;

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

static float applySign(float magnitude, bool negative) {
  return std::copysign(magnitude, negative ? -1.0f : 1.0f);
}

float numerics::float8E4M3FNToFloat(Float8E4M3FN x) {
  const int exponent = (x.bits >> 3) & 0xF;
  const int mantissa = x.bits & 7;
  float magnitude = NaN;
  if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(mantissa), -9);
  else if ((x.bits & 0x7F) != 0x7F)
    magnitude = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return applySign(magnitude, x.bits & 0x80);
}

float numerics::float8E5M2ToFloat(Float8E5M2 x) {
  return halfToFloat(Half{static_cast<uint16_t>(x.bits << 8)});
}

float numerics::hiFloat8ToFloat(HiFloat8 x) {
  const bool negative = x.bits & 0x80;
  const int magnitude = x.bits & 0x7F;
  if (magnitude == 0)
    return negative ? NaN : 0.0f;
  if (magnitude == 0x6F)
    return applySign(Infinity, negative);
  if (magnitude < 8) // prefix 0000
    return applySign(std::ldexp(1.0f, magnitude - 23), negative);

  // The place of the leading one gives the prefix code and so the widths.
  int exponentBits, mantissaBits = 3;
  switch (std::bit_width(static_cast<unsigned>(magnitude))) {
  case 4: // 0001
    exponentBits = 0;
    break;
  case 5: // 001
    exponentBits = 1;
    break;
  case 6: // 01
    exponentBits = 2;
    break;
  default: // 10 and 11
    exponentBits = magnitude & 0x20 ? 4 : 3;
    mantissaBits = magnitude & 0x20 ? 1 : 2;
    break;
  }
  const int mantissa = magnitude & ((1 << mantissaBits) - 1);
  int exponent = 0;
  if (exponentBits > 0) {
    const int leadingOne = 1 << (exponentBits - 1);
    const int field = magnitude >> mantissaBits;
    exponent = leadingOne | (field & (leadingOne - 1));
    if (field & leadingOne) // where the sign of the exponent is
      exponent = -exponent;
  }
  return applySign(
      std::ldexp(static_cast<float>((1 << mantissaBits) + mantissa),
                 exponent - mantissaBits),
      negative);
}

/// Unlike fp16 and bf16, a NaN stays one in Saturate mode.
static uint8_t encodeFloat8(const FloatFormat &format, float x,
                            OverflowMode mode, RoundingMode rounding,
                            StatusBits &status) {
  if (std::isnan(x))
    return static_cast<uint8_t>(withSign(format, std::signbit(x), format.nan));
  return static_cast<uint8_t>(encodeFloat(format, x, mode, rounding, status));
}

Float8E4M3FN numerics::floatToFloat8E4M3FN(float x, OverflowMode mode,
                                           StatusBits &status,
                                           RoundingMode rounding) {
  return Float8E4M3FN{
      encodeFloat8(Float8E4M3FNFormat, x, mode, rounding, status)};
}

Float8E5M2 numerics::floatToFloat8E5M2(float x, OverflowMode mode,
                                       StatusBits &status,
                                       RoundingMode rounding) {
  return Float8E5M2{encodeFloat8(Float8E5M2Format, x, mode, rounding, status)};
}
