//===- SmallFloatTest.cpp - 16-bit floats to float ------------------------===//

#include "npu/Support/SmallFloat.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace npu;

TEST(SmallFloat, EveryHalf) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float value = halfToFloat(static_cast<uint16_t>(bits));
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    if (exponent == 31 && fraction != 0) {
      ASSERT_EQ(std::bit_cast<uint32_t>(value) & 0x7fffff,
                static_cast<uint32_t>(fraction) << 13)
          << bits;
      ASSERT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    const double magnitude = exponent == 31 ? HUGE_VAL
                             : exponent == 0
                                 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(std::fabs(value), magnitude) << bits;
  }
}

TEST(SmallFloat, BFloat16IsTheUpperHalf) {
  EXPECT_EQ(bfloat16ToFloat(0x3fc0), 1.5f);
  EXPECT_EQ(bfloat16ToFloat(0xff80), -HUGE_VALF);
  EXPECT_EQ(bfloat16ToFloat(0x0001), 0x1p-133f);
}
