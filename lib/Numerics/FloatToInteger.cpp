//===- FloatToInteger.cpp - Floating point to integers --------------------===//

#include "npu/Numerics/FloatToInteger.h"

#include "FloatFormat.h"

#include <limits>

using namespace npu;
using namespace npu::numerics;

template <typename Int, typename Float>
static Int convert(Float x, RoundingMode rounding, StatusBits &status) {
  using Limits = std::numeric_limits<Int>;
  const UnpackedFloat unpacked = unpack(x);
  const ExactValue &value = unpacked.value;
  if (unpacked.kind == UnpackedFloat::NaN)
    return 0;
  if (!Limits::is_signed && x < 0) {
    status |= status::NegativeToUnsigned;
    return 0;
  }
  const uint64_t limit =
      value.negative
          ? uint64_t(0) - static_cast<uint64_t>(int64_t(Limits::min()))
          : static_cast<uint64_t>(Limits::max());
  const bool beyond64Bits =
      unpacked.kind == UnpackedFloat::Infinity ||
      value.exponent + static_cast<int>(std::bit_width(value.significand)) > 64;
  const uint64_t magnitude =
      beyond64Bits
          ? limit
          : std::min(limit, shiftAndRound(value.significand, -value.exponent,
                                          value.negative, rounding));
  return static_cast<Int>(value.negative ? -magnitude : magnitude);
}

template <typename Int>
Int numerics::floatToInt(float x, RoundingMode rounding, StatusBits &status) {
  return convert<Int>(x, rounding, status);
}

template <typename Int>
Int numerics::doubleToInt(double x, RoundingMode rounding, StatusBits &status) {
  return convert<Int>(x, rounding, status);
}

#define NPU_INSTANTIATE(INT)                                                   \
  template INT numerics::floatToInt<INT>(float, RoundingMode, StatusBits &);   \
  template INT numerics::doubleToInt<INT>(double, RoundingMode, StatusBits &);
NPU_INSTANTIATE(int8_t)
NPU_INSTANTIATE(uint8_t)
NPU_INSTANTIATE(int16_t)
NPU_INSTANTIATE(uint16_t)
NPU_INSTANTIATE(int32_t)
NPU_INSTANTIATE(uint32_t)
NPU_INSTANTIATE(int64_t)
NPU_INSTANTIATE(uint64_t)
#undef NPU_INSTANTIATE

int8_t numerics::floatToInt8Wrap(float x) {
  return static_cast<int8_t>(floatToUInt8Wrap(x));
}

uint8_t numerics::floatToUInt8Wrap(float x) {
  StatusBits none = status::None;
  return static_cast<uint8_t>(
      floatToInt<int32_t>(x, RoundingMode::Trunc, none));
}
