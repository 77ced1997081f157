//===- HalfTest.cpp - Conversions to and from fp16 and bf16 ---------------===//

#include "npu/Numerics/Half.h"

#include "Reference.h"
#include "npu/Numerics/BFloat16.h"

#include "gtest/gtest.h"

#include <limits>

using namespace npu;
using namespace npu::numerics;

namespace {

constexpr RoundingMode AllRoundings[] = {
    RoundingMode::Rint, RoundingMode::Round, RoundingMode::Floor,
    RoundingMode::Ceil, RoundingMode::Trunc, RoundingMode::Odd};
constexpr OverflowMode AllModes[] = {OverflowMode::Saturate,
                                     OverflowMode::InfNan};

float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

struct Expectation {
  uint16_t bits;
  StatusBits status;
};

/// A finite value converted to \p format (fp16 or bf16).
Expectation expectFinite(const reference::Format &format, double x,
                         OverflowMode mode, RoundingMode rounding) {
  const bool negative = std::signbit(x);
  const uint32_t code = format.round(std::fabs(x), negative, rounding);
  const uint16_t sign = negative ? 0x8000 : 0;
  if (code == format.overflow())
    return {uint16_t(sign | (code - (mode == OverflowMode::Saturate))),
            status::CastOverflow};
  return {uint16_t(sign | code),
          code == 0 && x != 0 ? status::CastUnderflow : status::None};
}

TEST(Half, WidensAllPatterns) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = halfToFloat(half);
    if (isNaN(half)) {
      // Quiet, sign and payload kept.
      ASSERT_EQ(std::bit_cast<uint32_t>(value),
                (bits & 0x8000) << 16 | 0x7FC00000 | (bits & 0x3FF) << 13)
          << bits;
    } else if (isInfinity(half)) {
      ASSERT_EQ(value, bits & 0x8000 ? -INFINITY : INFINITY);
    } else {
      ASSERT_EQ(value, reference::halfValue(half.bits)) << bits;
      ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    }
  }
}

TEST(BFloat16, WidensAllPatterns) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(std::bit_cast<uint32_t>(
                  bfloat16ToFloat(BFloat16{static_cast<uint16_t>(bits)})),
              bits << 16);
}

TEST(Half, ClassifiesAllPatterns) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = halfToFloat(half);
    ASSERT_EQ(isNaN(half), std::isnan(value));
    ASSERT_EQ(isInfinity(half), std::isinf(value));
    ASSERT_EQ(isFinite(half), std::isfinite(value));
    ASSERT_EQ(isZero(half), value == 0);
    ASSERT_EQ(isNegative(half), std::signbit(value));
  }
}

/// One float of each 256, all rounding modes in turn and Rint always.
template <typename Convert>
void checkStratified(const reference::Format &format, const Convert &convert) {
  reference::forEachStratifiedFloat([&](uint32_t bits) {
    const float x = fromBits(bits);
    if (!std::isfinite(x))
      return;
    const uint64_t choice = reference::mix(bits);
    const OverflowMode mode = AllModes[choice & 1];
    for (RoundingMode rounding :
         {RoundingMode::Rint, AllRoundings[1 + (choice >> 1) % 5]}) {
      const Expectation expected = expectFinite(format, x, mode, rounding);
      StatusBits status = status::None;
      const uint16_t actual = convert(x, mode, status, rounding);
      if (actual != expected.bits || status != expected.status)
        ASSERT_EQ(actual, expected.bits)
            << std::hex << bits << " rounding " << int(rounding) << " status "
            << status << ", expected " << expected.status;
    }
  });
}

TEST(Half, NarrowsFloatsOfEveryExponent) {
  checkStratified(reference::half(),
                  [](float x, OverflowMode mode, StatusBits &status,
                     RoundingMode rounding) {
                    return floatToHalf(x, mode, status, rounding).bits;
                  });
}

TEST(BFloat16, NarrowsFloatsOfEveryExponent) {
  checkStratified(reference::bfloat16(),
                  [](float x, OverflowMode mode, StatusBits &status,
                     RoundingMode rounding) {
                    return floatToBFloat16(x, mode, status, rounding).bits;
                  });
}

/// Around each value of the format and each midpoint, in all modes.
template <typename Convert>
void checkBoundaries(const reference::Format &format, const Convert &convert) {
  for (size_t code = 0; code + 1 < format.values.size(); ++code) {
    const double value = format.values[code];
    const double middle = (value + format.values[code + 1]) / 2;
    for (double center : {value, middle})
      for (double x : {std::nextafter(center, -1.0), center,
                       std::nextafter(center, INFINITY), -center})
        for (OverflowMode mode : AllModes)
          for (RoundingMode rounding : AllRoundings) {
            const Expectation expected =
                expectFinite(format, x, mode, rounding);
            StatusBits status = status::None;
            ASSERT_EQ(convert(x, mode, status, rounding), expected.bits)
                << x << " rounding " << int(rounding);
            ASSERT_EQ(status, expected.status) << x;
          }
  }
}

// The neighbours of a midpoint as doubles are the midpoint as floats: rounding
// by way of float fails here.
TEST(Half, NarrowsDoublesOnce) {
  checkBoundaries(reference::half(),
                  [](double x, OverflowMode mode, StatusBits &status,
                     RoundingMode rounding) {
                    return doubleToHalf(x, mode, status, rounding).bits;
                  });
  StatusBits status = status::None;
  EXPECT_EQ(doubleToHalf(1 + 0x1p-11 + 0x1p-40, OverflowMode::InfNan, status),
            Half{0x3C01});
  EXPECT_EQ(doubleToHalf(5e-324, OverflowMode::InfNan, status), Half{});
  EXPECT_EQ(status, status::CastUnderflow);
  EXPECT_EQ(doubleToHalf(-1e300, OverflowMode::InfNan, status), Half{0xFC00});
}

TEST(BFloat16, NarrowsDoublesOnce) {
  checkBoundaries(reference::bfloat16(),
                  [](double x, OverflowMode mode, StatusBits &status,
                     RoundingMode rounding) {
                    return doubleToBFloat16(x, mode, status, rounding).bits;
                  });
}

TEST(Half, NarrowsIntegers) {
  for (int64_t x = -70000; x <= 70000; ++x)
    for (OverflowMode mode : AllModes)
      for (RoundingMode rounding : AllRoundings) {
        const Expectation expected = expectFinite(
            reference::half(), static_cast<double>(x), mode, rounding);
        StatusBits status = status::None;
        ASSERT_EQ(intToHalf(x, mode, status, rounding).bits, expected.bits)
            << x;
        ASSERT_EQ(status, expected.status) << x;
        if (x >= 0) {
          ASSERT_EQ(
              uintToHalf(static_cast<uint64_t>(x), mode, status, rounding).bits,
              expected.bits);
        }
      }
  StatusBits status = status::None;
  EXPECT_EQ(intToHalf(INT64_MIN, OverflowMode::Saturate, status), Half{0xFBFF});
  EXPECT_EQ(uintToHalf(UINT64_MAX, OverflowMode::InfNan, status), Half{0x7C00});
  EXPECT_EQ(status, status::CastOverflow);
}

TEST(BFloat16, NarrowsIntegers) {
  StatusBits status = status::None;
  const OverflowMode mode = OverflowMode::Saturate;
  EXPECT_EQ(intToBFloat16(-257, mode, status), BFloat16{0xC380}); // ties even
  EXPECT_EQ(intToBFloat16(259, mode, status), BFloat16{0x4382});
  EXPECT_EQ(intToBFloat16(INT64_MIN, mode, status), BFloat16{0xDF00});
  EXPECT_EQ(uintToBFloat16(UINT64_MAX, mode, status), BFloat16{0x5F80});
  // Just above the midpoint of 2^40 and its successor; a float has lost it.
  EXPECT_EQ(uintToBFloat16((1ull << 40) + (1ull << 32) + 1, mode, status),
            BFloat16{0x5381});
  EXPECT_EQ(status, status::None);
}

struct Row {
  uint32_t from;
  uint16_t infNan;
  uint16_t saturate;
  StatusBits status;
};

TEST(Half, NarrowsTable) {
  const StatusBits over = status::CastOverflow, under = status::CastUnderflow;
  auto f = [](float x) { return std::bit_cast<uint32_t>(x); };
  const Row rows[] = {
      // Carry out of the mantissa.
      {0x3EFFF2E5, 0x3800, 0x3800, 0},
      {f(-2.643845f), 0xC14A, 0xC14A, 0},
      // The end of the range.
      {f(65504), 0x7BFF, 0x7BFF, 0},
      {f(65519.996f), 0x7BFF, 0x7BFF, 0},
      {f(65520), 0x7C00, 0x7BFF, over},
      {f(65536), 0x7C00, 0x7BFF, over},
      {f(65600), 0x7C00, 0x7BFF, over},
      {f(98304), 0x7C00, 0x7BFF, over},
      {f(131072), 0x7C00, 0x7BFF, over},
      {f(1048576), 0x7C00, 0x7BFF, over},
      {f(3.4e38f), 0x7C00, 0x7BFF, over},
      {f(-65520), 0xFC00, 0xFBFF, over},
      {f(-1e15f), 0xFC00, 0xFBFF, over},
      {f(INFINITY), 0x7C00, 0x7BFF, 0},
      {f(-INFINITY), 0xFC00, 0xFBFF, 0},
      // NaNs.
      {0x7F800001, 0x7E00, 0x0000, 0},
      {0x7FC00000, 0x7E00, 0x0000, 0},
      {0xFF800001, 0xFE00, 0x0000, 0},
      {0xFFFFFFFF, 0xFFFF, 0x0000, 0},
      // Small constants.
      {f(1e-8f), 0x0000, 0x0000, under},
      {f(-1e-8f), 0x8000, 0x8000, under},
      {f(5.96e-8f), 0x0001, 0x0001, 0},
      {f(0x1p-25f), 0x0000, 0x0000, under},
      {f(0x1.000002p-25f), 0x0001, 0x0001, 0},
      {f(1e-7f), 0x0002, 0x0002, 0},
      {f(1e-6f), 0x0011, 0x0011, 0},
      {f(1e-5f), 0x00A8, 0x00A8, 0},
      {f(1e-4f), 0x068E, 0x068E, 0},
  };
  for (const Row &row : rows) {
    StatusBits status = 0;
    EXPECT_EQ(
        floatToHalf(fromBits(row.from), OverflowMode::InfNan, status).bits,
        row.infNan)
        << std::hex << row.from;
    EXPECT_EQ(status, row.status) << std::hex << row.from;
    status = 0;
    EXPECT_EQ(
        floatToHalf(fromBits(row.from), OverflowMode::Saturate, status).bits,
        row.saturate)
        << std::hex << row.from;
    EXPECT_EQ(status, row.status) << std::hex << row.from;
  }
  EXPECT_EQ(halfToFloat(Half{0xC14A}), -2.64453125f);
}

TEST(BFloat16, NarrowsTable) {
  const Row rows[] = {
      {0x3F7FFFFF, 0x3F80, 0x3F80, 0},
      {0x3F808000, 0x3F80, 0x3F80, 0},
      {0x3F818000, 0x3F82, 0x3F82, 0},
      {0x3F808001, 0x3F81, 0x3F81, 0},
      {0x7F7F7FFF, 0x7F7F, 0x7F7F, 0},
      {0x7F7FFFFF, 0x7F80, 0x7F7F, status::CastOverflow},
      {0xFF7FFFFF, 0xFF80, 0xFF7F, status::CastOverflow},
      {0x7F800001, 0x7FC0, 0x0000, 0},
      {0x7FC00000, 0x7FC0, 0x0000, 0},
      {0xFF800001, 0xFFC0, 0x0000, 0},
      {0x7F800000, 0x7F80, 0x7F7F, 0},
      {0x00000001, 0x0000, 0x0000, status::CastUnderflow},
      {0x00008000, 0x0000, 0x0000, status::CastUnderflow},
      {0x00008001, 0x0001, 0x0001, 0},
      {0x80000000, 0x8000, 0x8000, 0},
  };
  for (const Row &row : rows) {
    StatusBits status = 0;
    EXPECT_EQ(
        floatToBFloat16(fromBits(row.from), OverflowMode::InfNan, status).bits,
        row.infNan)
        << std::hex << row.from;
    EXPECT_EQ(status, row.status) << std::hex << row.from;
    status = 0;
    EXPECT_EQ(
        floatToBFloat16(fromBits(row.from), OverflowMode::Saturate, status)
            .bits,
        row.saturate)
        << std::hex << row.from;
    EXPECT_EQ(status, row.status) << std::hex << row.from;
  }
}

} // namespace
