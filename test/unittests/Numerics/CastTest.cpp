//===- CastTest.cpp - The Cast operator between data types ----------------===//

#include "npu/Numerics/Cast.h"

#include "Reference.h"
#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/Half.h"
#include "npu/Numerics/SimdTarget.h"

#include "gtest/gtest.h"

#include <limits>

using namespace npu;
using namespace npu::numerics;

namespace {

constexpr NumericConfig Ascend910A = NumericConfig{};
const NumericConfig Ascend910B = NumericConfig::forSoc(Soc::Ascend910B);

template <typename To>
struct Result {
  std::vector<To> values;
  StatusBits status;
};

template <typename To, typename From>
Result<To> castAll(DataType from, DataType to, const std::vector<From> &values,
                   const NumericConfig &config = Ascend910A) {
  Expected<CastFunction> function = getCast(from, to);
  EXPECT_TRUE(function.ok());
  Result<To> result{std::vector<To>(values.size()), status::None};
  result.status =
      (*function)(values.data(), result.values.data(), values.size(), config);
  return result;
}

std::vector<Half> allHalves() {
  std::vector<Half> halves(0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    halves[bits].bits = static_cast<uint16_t>(bits);
  return halves;
}

double valueOf(Half x) { return reference::halfValue(x.bits); }

TEST(Cast, HalfToInt32Truncates) {
  const std::vector<Half> halves = allHalves();
  const auto result =
      castAll<int32_t>(DataType::Float16, DataType::Int32, halves);
  for (Half x : halves) {
    const int32_t expected = isNaN(x) ? 0
                             : isInfinity(x)
                                 ? (isNegative(x) ? INT32_MIN : INT32_MAX)
                                 : static_cast<int32_t>(std::trunc(valueOf(x)));
    ASSERT_EQ(result.values[x.bits], expected) << x.bits;
  }
  EXPECT_EQ(result.status, status::None);
}

TEST(Cast, HalfToInt8KeepsTheLowByte) {
  const std::vector<Half> halves = allHalves();
  const auto result8 =
      castAll<int8_t>(DataType::Float16, DataType::Int8, halves);
  const auto resultU8 =
      castAll<uint8_t>(DataType::Float16, DataType::UInt8, halves);
  for (Half x : halves)
    if (isFinite(x)) {
      const int32_t modulo =
          (static_cast<int32_t>(std::trunc(valueOf(x))) % 256 + 256) % 256;
      ASSERT_EQ(resultU8.values[x.bits], modulo) << x.bits;
      ASSERT_EQ(result8.values[x.bits], modulo < 128 ? modulo : modulo - 256)
          << x.bits;
    }
  EXPECT_EQ(result8.status, status::None);
  EXPECT_EQ(resultU8.status, status::None);
}

TEST(Cast, FloatToInt8PassesHalfOnOldChips) {
  // 2.9999 is 3 as a half; 70000 saturates to 65504 = 0xFFE0.
  const std::vector<float> x = {2.9999f, -1.5f, 300, 127.99f, -129, 70000};
  auto old = castAll<int8_t>(DataType::Float, DataType::Int8, x);
  EXPECT_EQ(old.values,
            (std::vector<int8_t>{3, -1, 44, -128, 127, int8_t(0xE0)}));
  EXPECT_EQ(old.status, status::CastOverflow);
  auto a2 = castAll<int8_t>(DataType::Float, DataType::Int8, x, Ascend910B);
  EXPECT_EQ(a2.values,
            (std::vector<int8_t>{2, -1, 44, 127, 127, int8_t(0x70)}));
  EXPECT_EQ(a2.status, status::None);
}

TEST(Cast, FloatToIntegersTruncatesAndSaturates) {
  const std::vector<float> x = {-2.9f, 2.9f, 3e9f, -3e9f, 1e20f, NAN, -0.0f};
  EXPECT_EQ(
      castAll<int32_t>(DataType::Float, DataType::Int32, x).values,
      (std::vector<int32_t>{-2, 2, INT32_MAX, INT32_MIN, INT32_MAX, 0, 0}));
  EXPECT_EQ(
      castAll<int64_t>(DataType::Float, DataType::Int64, x).values,
      (std::vector<int64_t>{-2, 2, 3000000000, -3000000000, INT64_MAX, 0, 0}));
  EXPECT_EQ(
      castAll<int16_t>(DataType::Float, DataType::Int16, x).values,
      (std::vector<int16_t>{-2, 2, INT16_MAX, INT16_MIN, INT16_MAX, 0, 0}));
  const auto u32 = castAll<uint32_t>(DataType::Float, DataType::UInt32, x);
  EXPECT_EQ(u32.values,
            (std::vector<uint32_t>{0, 2, 3000000000, 0, UINT32_MAX, 0, 0}));
  EXPECT_EQ(u32.status, status::NegativeToUnsigned);
  EXPECT_EQ(castAll<uint64_t>(DataType::Float, DataType::UInt64, x).values[4],
            UINT64_MAX);
}

TEST(Cast, FloatToIntegersAtTheEndsOfTheRange) {
  const auto toInt32 = [](float x) {
    return castAll<int32_t>(DataType::Float, DataType::Int32,
                            std::vector<float>{x})
        .values[0];
  };
  EXPECT_EQ(toInt32(0x1p31f), INT32_MAX);
  EXPECT_EQ(toInt32(0x1.FFFFFEp30f), 2147483520);
  EXPECT_EQ(toInt32(-0x1p31f), INT32_MIN);
  EXPECT_EQ(toInt32(-0x1.FFFFFEp30f), -2147483520);
  EXPECT_EQ(castAll<int64_t>(DataType::Float, DataType::Int64,
                             std::vector<float>{0x1p63f, -0x1p63f})
                .values,
            (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(castAll<uint32_t>(DataType::Float, DataType::UInt32,
                              std::vector<float>{0x1p32f, 0x1.FFFFFEp31f})
                .values,
            (std::vector<uint32_t>{UINT32_MAX, 4294967040}));
  EXPECT_EQ(castAll<uint16_t>(DataType::Float, DataType::UInt16,
                              std::vector<float>{65536, 65535.9f})
                .values,
            (std::vector<uint16_t>{65535, 65535}));
}

TEST(Cast, IntegersToHalf) {
  std::vector<int32_t> x;
  for (int32_t i = -70000; i <= 70000; ++i)
    x.push_back(i);
  x.push_back(INT32_MIN);
  x.push_back(INT32_MAX);
  const auto result = castAll<Half>(DataType::Int32, DataType::Float16, x);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint32_t code =
        std::min(reference::half().round(std::fabs(double(x[i]))), 0x7BFFu);
    ASSERT_EQ(result.values[i].bits, (x[i] < 0 ? 0x8000 : 0) | code) << x[i];
  }
  EXPECT_EQ(result.status, status::CastOverflow);

  const std::vector<int64_t> wide = {1, INT64_MAX, INT64_MIN, 2049};
  EXPECT_EQ(castAll<Half>(DataType::Int64, DataType::Float16, wide, Ascend910B)
                .values,
            (std::vector<Half>{{0x3C00}, {0x7C00}, {0xFC00}, {0x6800}}));
  const std::vector<int8_t> bytes = {-128, 127, 0, -1};
  EXPECT_EQ(castAll<Half>(DataType::Int8, DataType::Float16, bytes).values,
            (std::vector<Half>{{0xD800}, {0x57F0}, {0x0000}, {0xBC00}}));
}

TEST(Cast, IntegersWrap) {
  const std::vector<int32_t> x = {0x12345678, -1, 128, 255};
  EXPECT_EQ(castAll<int8_t>(DataType::Int32, DataType::Int8, x).values,
            (std::vector<int8_t>{0x78, -1, -128, -1}));
  EXPECT_EQ(castAll<uint8_t>(DataType::Int32, DataType::UInt8, x).values,
            (std::vector<uint8_t>{0x78, 255, 128, 255}));
  const std::vector<int64_t> wide = {1ll << 32 | 5, -(1ll << 40)};
  EXPECT_EQ(castAll<int32_t>(DataType::Int64, DataType::Int32, wide).values,
            (std::vector<int32_t>{5, 0}));
  EXPECT_EQ(castAll<int32_t>(DataType::Int64, DataType::Int32, wide, Ascend910B)
                .values,
            (std::vector<int32_t>{INT32_MAX, INT32_MIN}));
}

TEST(Cast, Bools) {
  const std::vector<float> x = {0.0f, -0.0f, 1e-30f, NAN, -3};
  EXPECT_EQ(castAll<uint8_t>(DataType::Float, DataType::Bool, x).values,
            (std::vector<uint8_t>{0, 0, 1, 1, 1}));
  const std::vector<Half> halves = {{0x0000}, {0x8000}, {0x0001}, {0x7E00}};
  EXPECT_EQ(castAll<uint8_t>(DataType::Float16, DataType::Bool, halves).values,
            (std::vector<uint8_t>{0, 0, 1, 1}));
  const std::vector<int32_t> ints = {0, 256, -1};
  EXPECT_EQ(castAll<uint8_t>(DataType::Int32, DataType::Bool, ints).values,
            (std::vector<uint8_t>{0, 1, 1}));
  const std::vector<uint8_t> bools = {0, 1, 7};
  EXPECT_EQ(castAll<Half>(DataType::Bool, DataType::Float16, bools).values,
            (std::vector<Half>{{0}, {0x3C00}, {0x3C00}}));
  EXPECT_EQ(castAll<int64_t>(DataType::Bool, DataType::Int64, bools).values,
            (std::vector<int64_t>{0, 1, 1}));
}

TEST(Cast, PairIsARoundingBarrier) {
  const std::vector<float> x = {-2.643845f};
  const auto half = castAll<Half>(DataType::Float, DataType::Float16, x);
  EXPECT_EQ(half.values[0], Half{0xC14A});
  EXPECT_EQ(
      castAll<float>(DataType::Float16, DataType::Float, half.values).values[0],
      -2.64453125f);
}

TEST(Cast, FloatToHalfFollowsTheMode) {
  const std::vector<float> x = {70000, 1, -1e15f, NAN};
  const auto saturated = castAll<Half>(DataType::Float, DataType::Float16, x);
  EXPECT_EQ(saturated.values,
            (std::vector<Half>{{0x7BFF}, {0x3C00}, {0xFBFF}, {0x0000}}));
  EXPECT_EQ(saturated.status, status::CastOverflow);
  const auto infNan =
      castAll<Half>(DataType::Float, DataType::Float16, x, Ascend910B);
  EXPECT_EQ(infNan.values,
            (std::vector<Half>{{0x7C00}, {0x3C00}, {0xFC00}, {0x7E00}}));
  EXPECT_EQ(infNan.status, status::CastOverflow);
  EXPECT_EQ(castAll<Half>(DataType::Float, DataType::Float16,
                          std::vector<float>{1e-8f})
                .status,
            status::CastUnderflow);
}

TEST(Cast, BFloat16) {
  const std::vector<BFloat16> x = {{0x3F80}, {0x4780}, {0xC2FF}};
  const auto half =
      castAll<Half>(DataType::BFloat16, DataType::Float16, x, Ascend910B);
  EXPECT_EQ(half.values, (std::vector<Half>{{0x3C00}, {0x7C00}, {0xD7F8}}));
  EXPECT_EQ(half.status, status::CastOverflow);
  EXPECT_EQ(castAll<int32_t>(DataType::BFloat16, DataType::Int32, x).values,
            (std::vector<int32_t>{1, 65536, -127}));
  const std::vector<Half> halves = {{0x3C01}, {0x7BFF}};
  EXPECT_EQ(
      castAll<BFloat16>(DataType::Float16, DataType::BFloat16, halves).values,
      (std::vector<BFloat16>{{0x3F80}, {0x4780}}));
}

// The AI CPU rounds once, has infinities and reports nothing.
TEST(Cast, Doubles) {
  const std::vector<double> x = {1 + 0x1p-11 + 0x1p-40, 1e5, -1e300, NAN};
  const auto half = castAll<Half>(DataType::Double, DataType::Float16, x);
  EXPECT_EQ(half.values,
            (std::vector<Half>{{0x3C01}, {0x7C00}, {0xFC00}, {0x7E00}}));
  EXPECT_EQ(half.status, status::None);
  EXPECT_EQ(castAll<int32_t>(DataType::Double, DataType::Int32, x).values,
            (std::vector<int32_t>{1, 100000, INT32_MIN, 0}));
  const std::vector<int64_t> wide = {(1ll << 53) + 1};
  EXPECT_EQ(castAll<double>(DataType::Int64, DataType::Double, wide).values[0],
            0x1p53);
}

TEST(Cast, LongArraysUseEveryElement) {
  for (size_t count : {0u, 1u, 1023u, 1024u, 1025u, 5000u}) {
    std::vector<uint8_t> x(count);
    for (size_t i = 0; i < count; ++i)
      x[i] = static_cast<uint8_t>(i * 7);
    const auto half = castAll<Half>(DataType::UInt8, DataType::Float16, x);
    EXPECT_EQ(castAll<uint8_t>(DataType::Float16, DataType::UInt8, half.values)
                  .values,
              x);
  }
}

TEST(Cast, RefusesOtherTypes) {
  const Expected<CastFunction> function =
      getCast(DataType::String, DataType::Float);
  ASSERT_FALSE(function.ok());
  EXPECT_EQ(function.status().message(),
            "cannot cast DT_STRING to DT_FLOAT: expected float, float16, "
            "bfloat16, double, an integer of 8 to 64 bits or bool");
  EXPECT_FALSE(getCast(DataType::Float, DataType::Complex64).ok());
  EXPECT_TRUE(getCast(DataType::UInt64, DataType::Bool).ok());
}

} // namespace
