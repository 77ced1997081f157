//===- Float8Test.cpp - The 8-bit floating-point types --------------------===//

#include "npu/Numerics/Float8.h"

#include "Reference.h"

#include "gtest/gtest.h"

#include <string>

using namespace npu;
using namespace npu::numerics;

namespace {

const reference::Format &e4m3() {
  static const reference::Format format(3, 7, 0x7F);
  return format;
}
const reference::Format &e5m2() {
  static const reference::Format format(2, 15, 0x7C);
  return format;
}

TEST(Float8, E4M3FNWidensAllPatterns) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = float8E4M3FNToFloat({static_cast<uint8_t>(bits)});
    EXPECT_EQ(std::signbit(value), bits >= 128) << bits;
    if ((bits & 0x7F) == 0x7F)
      EXPECT_TRUE(std::isnan(value)) << bits;
    else
      EXPECT_EQ(std::fabs(value), e4m3().values[bits & 0x7F]) << bits;
  }
  EXPECT_EQ(float8E4M3FNToFloat({0x7E}), 448.0f);
}

TEST(Float8, E5M2WidensAllPatterns) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = float8E5M2ToFloat({static_cast<uint8_t>(bits)});
    EXPECT_EQ(std::signbit(value), bits >= 128) << bits;
    if ((bits & 0x7F) > 0x7C)
      EXPECT_TRUE(std::isnan(value)) << bits;
    else if ((bits & 0x7F) == 0x7C)
      EXPECT_TRUE(std::isinf(value)) << bits;
    else
      EXPECT_EQ(std::fabs(value), e5m2().values[bits & 0x7F]) << bits;
  }
  EXPECT_EQ(float8E5M2ToFloat({0x7B}), 57344.0f);
}

/// HiFloat8 read from its bits as text.
double hiFloat8ByText(unsigned bits) {
  std::string text;
  for (int i = 7; i >= 0; --i)
    text += bits >> i & 1 ? '1' : '0';
  if (text == "10000000")
    return NAN;
  const double sign = text[0] == '1' ? -1 : 1;
  const std::string rest = text.substr(1);
  if (rest == "1101111")
    return sign * INFINITY;
  struct Code {
    const char *prefix;
    size_t exponentBits;
  };
  for (const Code &code : {Code{"11", 4}, Code{"10", 3}, Code{"01", 2},
                           Code{"001", 1}, Code{"0001", 0}}) {
    const std::string prefix = code.prefix;
    if (rest.compare(0, prefix.size(), prefix) != 0)
      continue;
    const std::string field = rest.substr(prefix.size(), code.exponentBits);
    const std::string mantissa = rest.substr(prefix.size() + code.exponentBits);
    int exponent = 0;
    if (!field.empty()) {
      exponent = std::stoi("1" + field.substr(1), nullptr, 2);
      if (field[0] == '1')
        exponent = -exponent;
    }
    const double fraction = std::stoi("1" + mantissa, nullptr, 2) /
                            std::ldexp(1.0, int(mantissa.size()));
    return sign * std::ldexp(fraction, exponent);
  }
  const int mantissa = std::stoi(rest.substr(4), nullptr, 2);
  return mantissa == 0 ? 0 : sign * std::ldexp(1.0, mantissa - 23);
}

TEST(Float8, HiFloat8WidensAllPatterns) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = hiFloat8ToFloat({static_cast<uint8_t>(bits)});
    const double expected = hiFloat8ByText(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << bits;
    else
      EXPECT_EQ(value, expected) << bits;
  }
}

TEST(Float8, HiFloat8Table) {
  EXPECT_EQ(hiFloat8ToFloat({0x00}), 0.0f);
  EXPECT_TRUE(std::isnan(hiFloat8ToFloat({0x80})));
  EXPECT_EQ(hiFloat8ToFloat({0x6F}), INFINITY);
  EXPECT_EQ(hiFloat8ToFloat({0xEF}), -INFINITY);
  EXPECT_EQ(hiFloat8ToFloat({0x08}), 1.0f);
  EXPECT_EQ(hiFloat8ToFloat({0x10}), 2.0f);
  EXPECT_EQ(hiFloat8ToFloat({0x6E}), 32768.0f);
}

template <typename Convert>
void checkNarrowing(const reference::Format &format, uint8_t maxFinite,
                    uint8_t beyond, const Convert &convert) {
  for (size_t code = 0; code + 1 < format.values.size(); ++code) {
    const float value = static_cast<float>(format.values[code]);
    const float middle =
        static_cast<float>((format.values[code] + format.values[code + 1]) / 2);
    for (float center : {value, middle})
      for (float x : {std::nextafter(center, -1.0f), center,
                      std::nextafter(center, INFINITY), -center, center * 1e6f})
        for (RoundingMode rounding :
             {RoundingMode::Rint, RoundingMode::Round, RoundingMode::Floor,
              RoundingMode::Ceil, RoundingMode::Trunc, RoundingMode::Odd}) {
          const bool negative = std::signbit(x);
          const uint8_t sign = negative ? 0x80 : 0;
          const uint32_t rounded =
              format.round(std::fabs(x), negative, rounding);
          const bool over = rounded == format.overflow();
          StatusBits expectedStatus =
              over ? status::CastOverflow
                   : (rounded == 0 && x != 0 ? status::CastUnderflow
                                             : status::None);
          for (OverflowMode mode :
               {OverflowMode::Saturate, OverflowMode::InfNan}) {
            const uint8_t expected =
                sign | (!over                            ? uint8_t(rounded)
                        : mode == OverflowMode::Saturate ? maxFinite
                                                         : beyond);
            StatusBits status = status::None;
            ASSERT_EQ(convert(x, mode, status, rounding), expected)
                << x << " rounding " << int(rounding);
            ASSERT_EQ(status, expectedStatus) << x;
          }
        }
  }
}

uint8_t toE4M3(float x, OverflowMode mode, StatusBits &status,
               RoundingMode rounding = RoundingMode::Rint) {
  return floatToFloat8E4M3FN(x, mode, status, rounding).bits;
}
uint8_t toE5M2(float x, OverflowMode mode, StatusBits &status,
               RoundingMode rounding = RoundingMode::Rint) {
  return floatToFloat8E5M2(x, mode, status, rounding).bits;
}

TEST(Float8, E4M3FNNarrowsAtAllBoundaries) {
  checkNarrowing(e4m3(), 0x7E, 0x7F, toE4M3);
}

TEST(Float8, E5M2NarrowsAtAllBoundaries) {
  checkNarrowing(e5m2(), 0x7B, 0x7C, toE5M2);
}

TEST(Float8, NarrowsOutOfRange) {
  struct {
    float x;
    uint8_t saturate, infNan;
  } const e4m3Rows[] = {{448, 0x7E, 0x7E},    {464, 0x7E, 0x7E},
                        {465, 0x7E, 0x7F},    {3e10f, 0x7E, 0x7F},
                        {-3e10f, 0xFE, 0xFF}, {INFINITY, 0x7E, 0x7F},
                        {NAN, 0x7F, 0x7F}},
          e5m2Rows[] = {
              {57344, 0x7B, 0x7B}, {61440, 0x7B, 0x7C}, {1e6f, 0x7B, 0x7C}};
  StatusBits status = status::None;
  for (const auto &row : e4m3Rows) {
    EXPECT_EQ(toE4M3(row.x, OverflowMode::Saturate, status), row.saturate);
    EXPECT_EQ(toE4M3(row.x, OverflowMode::InfNan, status), row.infNan);
  }
  for (const auto &row : e5m2Rows) {
    EXPECT_EQ(toE5M2(row.x, OverflowMode::Saturate, status), row.saturate);
    EXPECT_EQ(toE5M2(row.x, OverflowMode::InfNan, status), row.infNan);
  }
}

} // namespace
