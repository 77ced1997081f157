//===- FloatToIntegerTest.cpp - Floating point to integers ----------------===//

#include "npu/Numerics/FloatToInteger.h"

#include "Reference.h"
#include "npu/Numerics/Half.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <limits>

using namespace npu;
using namespace npu::numerics;

namespace {

constexpr RoundingMode AllRoundings[] = {
    RoundingMode::Rint, RoundingMode::Round, RoundingMode::Floor,
    RoundingMode::Ceil, RoundingMode::Trunc, RoundingMode::Odd};

/// \p x rounded to an integer by the functions of the C library.
double roundByLibrary(double x, RoundingMode rounding) {
  switch (rounding) {
  case RoundingMode::Rint:
    return std::nearbyint(x);
  case RoundingMode::Round:
    return std::round(x);
  case RoundingMode::Floor:
    return std::floor(x);
  case RoundingMode::Ceil:
    return std::ceil(x);
  case RoundingMode::Trunc:
    return std::trunc(x);
  case RoundingMode::Odd: {
    const double truncated = std::trunc(x);
    if (truncated == x || std::fmod(truncated, 2) != 0)
      return truncated;
    return truncated + std::copysign(1.0, x);
  }
  }
  return x;
}

template <typename Int>
Int expected(double x, RoundingMode rounding) {
  using Limits = std::numeric_limits<Int>;
  if (std::isnan(x))
    return 0;
  const double rounded = roundByLibrary(x, rounding);
  if (rounded >= std::ldexp(1.0, Limits::digits))
    return Limits::max();
  if (rounded < static_cast<double>(Limits::min()))
    return Limits::min();
  return static_cast<Int>(rounded);
}

template <typename Int>
class FloatToInteger : public testing::Test {};
using Ints = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t,
                            uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(FloatToInteger, Ints);

template <typename Int>
void check(double x, RoundingMode rounding) {
  StatusBits status = status::None;
  ASSERT_EQ(doubleToInt<Int>(x, rounding, status), expected<Int>(x, rounding))
      << x << " rounding " << int(rounding);
  const StatusBits expectedStatus = std::is_unsigned_v<Int> && x < 0
                                        ? status::NegativeToUnsigned
                                        : status::None;
  ASSERT_EQ(status, expectedStatus) << x;
  if (double(float(x)) != x && !std::isnan(x))
    return;
  ASSERT_EQ(floatToInt<Int>(static_cast<float>(x), rounding, status),
            expected<Int>(x, rounding))
      << x << " rounding " << int(rounding);
  ASSERT_EQ(status, expectedStatus) << x;
}

TYPED_TEST(FloatToInteger, ConvertsAllHalves) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    for (RoundingMode rounding : AllRoundings)
      check<TypeParam>(halfToFloat(Half{static_cast<uint16_t>(bits)}),
                       rounding);
}

TYPED_TEST(FloatToInteger, ConvertsAroundPowersOfTwo) {
  for (int exponent = -4; exponent <= 70; ++exponent)
    for (double offset : {-1.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5})
      for (double sign : {-1.0, 1.0})
        for (RoundingMode rounding : AllRoundings) {
          const double x = sign * (std::ldexp(1.0, exponent) + offset);
          check<TypeParam>(x, rounding);
          check<TypeParam>(static_cast<float>(x), rounding);
        }
  for (double x : {1e300, -1e300, 5e-324, -5e-324, double(INFINITY),
                   -double(INFINITY), double(NAN), -0.0})
    for (RoundingMode rounding : AllRoundings)
      check<TypeParam>(x, rounding);
}

TEST(FloatToIntegerWrap, KeepsTheLowByteOfInt32) {
  struct {
    float x;
    uint8_t bits;
  } const rows[] = {{127.9f, 127}, {128, 128},     {255, 255},      {256, 0},
                    {300.7f, 44},  {-1, 255},      {-128.9f, 128},  {-129, 127},
                    {65504, 0xE0}, {-65504, 0x20}, {-0.9f, 0},      {NAN, 0},
                    {1e10f, 0xFF}, {-1e10f, 0x00}, {INFINITY, 0xFF}};
  for (const auto &row : rows) {
    EXPECT_EQ(floatToUInt8Wrap(row.x), row.bits) << row.x;
    EXPECT_EQ(floatToInt8Wrap(row.x), static_cast<int8_t>(row.bits)) << row.x;
  }
}

} // namespace
