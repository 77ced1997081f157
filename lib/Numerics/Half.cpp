//===- Half.cpp - IEEE binary16 by integer methods ------------------------===//

#include "npu/Numerics/Half.h"

#include "FloatFormat.h"

#include <cmath>

using namespace npu;
using namespace npu::numerics;

float numerics::halfToFloat(Half x) {
  const uint32_t sign = uint32_t(x.bits & 0x8000) << 16;
  const uint32_t magnitude = x.bits & 0x7FFF;
  uint32_t bits;
  if (magnitude < 0x400) // zero and subnormals: exact in float arithmetic
    bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  else if (magnitude < 0x7C00)
    bits = (magnitude << 13) + ((127 - 15) << 23);
  else
    bits = (magnitude << 13) | 0x7F800000 | (isNaN(x) ? 0x00400000 : 0);
  return std::bit_cast<float>(sign | bits);
}

Half numerics::floatToHalf(float x, OverflowMode mode, StatusBits &status,
                           RoundingMode rounding) {
  // Nearly always: a normal half that does not round beyond the type.
  constexpr uint32_t first = 0x38800000, end = 0x477FF000; // 2^-14, 65520
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (rounding == RoundingMode::Rint && magnitude >= first && magnitude < end) {
    // Half an ulp less one, one more if the kept part is odd: nearest even.
    const uint32_t odd = magnitude >> 13 & 1;
    const uint32_t half = (magnitude - ((127u - 15) << 23) + 0xFFF + odd) >> 13;
    return Half{static_cast<uint16_t>((bits >> 16 & 0x8000) | half)};
  }
  return Half{encodeFloat(HalfFormat, x, mode, rounding, status)};
}

Half numerics::doubleToHalf(double x, OverflowMode mode, StatusBits &status,
                            RoundingMode rounding) {
  return Half{encodeFloat(HalfFormat, x, mode, rounding, status)};
}

Half numerics::intToHalf(int64_t x, OverflowMode mode, StatusBits &status,
                         RoundingMode rounding) {
  return Half{encodeInt(HalfFormat, x, mode, rounding, status)};
}

Half numerics::uintToHalf(uint64_t x, OverflowMode mode, StatusBits &status,
                          RoundingMode rounding) {
  return Half{encodeUInt(HalfFormat, x, mode, rounding, status)};
}

/// \p x must be finite.
static ExactValue toExact(Half x) {
  const int exponent = (x.bits >> 10) & 0x1F;
  const uint64_t mantissa = x.bits & 0x3FF;
  if (exponent == 0)
    return {isNegative(x), mantissa, -24};
  return {isNegative(x), mantissa | 0x400, exponent - 25};
}

/// \p x in units of 2^-24, of which every finite half is a multiple.
static int64_t toUnits(Half x) {
  const ExactValue exact = toExact(x);
  const int64_t magnitude =
      static_cast<int64_t>(exact.significand << (exact.exponent + 24));
  return exact.negative ? -magnitude : magnitude;
}

static Half roundResult(const ExactValue &exact, OverflowMode mode,
                        StatusBits &status) {
  return Half{encode(HalfFormat, exact, mode, RoundingMode::Rint,
                     status::FloatOverflow, status::FloatUnderflow, status)};
}

static Half makeNaN(OverflowMode mode) {
  return mode == OverflowMode::Saturate ? Half{} : HalfNaN;
}

static Half makeInfinity(bool negative, OverflowMode mode) {
  return Half{encodeInfinity(HalfFormat, negative, mode)};
}

/// The result of an instruction for which \p x is IEEE's and is a half, an
/// infinity or NaN: nothing to round.
static Half exactResult(float x, OverflowMode mode) {
  if (std::isnan(x))
    return makeNaN(mode);
  StatusBits none = status::None;
  return floatToHalf(x, mode, none);
}

/// Whether an operand is infinite or NaN, which is also reported.
static bool anyNonFinite(Half a, Half b, StatusBits &status) {
  if (isFinite(a) && isFinite(b))
    return false;
  status |= status::VectorNanInfInput;
  return true;
}

Half numerics::add(Half a, Half b, OverflowMode mode, StatusBits &status) {
  if (anyNonFinite(a, b, status))
    return exactResult(halfToFloat(a) + halfToFloat(b), mode);
  const int64_t sum = toUnits(a) + toUnits(b);
  // A zero sum is negative only if both operands are.
  const bool negative = sum == 0 ? isNegative(a) && isNegative(b) : sum < 0;
  return roundResult(
      {negative, static_cast<uint64_t>(sum < 0 ? -sum : sum), -24}, mode,
      status);
}

Half numerics::sub(Half a, Half b, OverflowMode mode, StatusBits &status) {
  return add(a, Half{static_cast<uint16_t>(b.bits ^ 0x8000)}, mode, status);
}

Half numerics::mul(Half a, Half b, OverflowMode mode, StatusBits &status) {
  if (anyNonFinite(a, b, status))
    return exactResult(halfToFloat(a) * halfToFloat(b), mode);
  const ExactValue x = toExact(a), y = toExact(b);
  return roundResult({x.negative != y.negative, x.significand * y.significand,
                      x.exponent + y.exponent},
                     mode, status);
}

Half numerics::div(Half a, Half b, OverflowMode mode, StatusBits &status) {
  if (anyNonFinite(a, b, status))
    return exactResult(halfToFloat(a) / halfToFloat(b), mode);
  const bool negative = isNegative(a) != isNegative(b);
  if (isZero(b)) {
    if (isZero(a))
      return makeNaN(mode);
    status |= status::FloatOverflow;
    return makeInfinity(negative, mode);
  }
  // The quotient has at least 29 bits, unless it is zero.
  const ExactValue x = toExact(a), y = toExact(b);
  const uint64_t dividend = x.significand << 40;
  const uint64_t quotient = dividend / y.significand;
  const bool inexact = dividend % y.significand != 0;
  return roundResult(
      {negative, quotient | inexact, x.exponent - 40 - y.exponent}, mode,
      status);
}

Half numerics::sqrt(Half x, OverflowMode mode, StatusBits &status) {
  if (anyNonFinite(x, x, status))
    return exactResult(std::sqrt(halfToFloat(x)), mode);
  if (isZero(x))
    return x;
  if (isNegative(x))
    return makeNaN(mode);
  // An even exponent, and a root of at least 20 bits.
  ExactValue exact = toExact(x);
  const int shift = exact.exponent & 1 ? 41 : 40;
  const uint64_t square = exact.significand << shift;
  uint64_t root = static_cast<uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square)
    --root;
  const bool inexact = root * root != square;
  return roundResult({false, root | inexact, (exact.exponent - shift) / 2},
                     mode, status);
}

Half numerics::mulAdd(Half a, Half b, Half c, OverflowMode mode,
                      StatusBits &status) {
  const Half product = mul(a, b, mode, status);
  // An infinite product of finite operands is no infinite operand.
  StatusBits sumStatus = status::None;
  const Half sum = add(product, c, mode, sumStatus);
  if (isFinite(c))
    sumStatus &= ~status::VectorNanInfInput;
  status |= sumStatus;
  return sum;
}

Half numerics::max(Half a, Half b, OverflowMode mode, StatusBits &status) {
  const bool special = anyNonFinite(a, b, status);
  if (isNaN(a) || isNaN(b))
    return makeNaN(mode);
  const float x = halfToFloat(a), y = halfToFloat(b);
  const bool first = x == y ? isNegative(b) : x > y;
  const Half result = first ? a : b;
  return special ? exactResult(halfToFloat(result), mode) : result;
}

Half numerics::min(Half a, Half b, OverflowMode mode, StatusBits &status) {
  const bool special = anyNonFinite(a, b, status);
  if (isNaN(a) || isNaN(b))
    return makeNaN(mode);
  const float x = halfToFloat(a), y = halfToFloat(b);
  const bool first = x == y ? isNegative(a) : x < y;
  const Half result = first ? a : b;
  return special ? exactResult(halfToFloat(result), mode) : result;
}

Half numerics::abs(Half x, OverflowMode mode, StatusBits &status) {
  const Half result{static_cast<uint16_t>(x.bits & 0x7FFF)};
  return anyNonFinite(x, x, status) ? exactResult(halfToFloat(result), mode)
                                    : result;
}

Half numerics::neg(Half x, OverflowMode mode, StatusBits &status) {
  const Half result{static_cast<uint16_t>(x.bits ^ 0x8000)};
  return anyNonFinite(x, x, status) ? exactResult(halfToFloat(result), mode)
                                    : result;
}

Half numerics::relu(Half x, OverflowMode mode, StatusBits &status) {
  return max(x, Half{}, mode, status);
}
