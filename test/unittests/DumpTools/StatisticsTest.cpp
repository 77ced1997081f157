//===- StatisticsTest.cpp - Statistics of tensors -------------------------===//

#include "npu/DumpTools/Statistics.h"

#include "npu/Numerics/Half.h"
#include "npu/Numerics/SimdTarget.h"
#include "npu/Support/SmallFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

using namespace npu;
using namespace npu::dump;

constexpr double inf = std::numeric_limits<double>::infinity();

template <typename Stored>
static TensorStatistics compute(DataType dtype,
                                const std::vector<Stored> &values) {
  std::optional<TensorStatistics> statistics =
      computeStatistics(dtype, std::as_bytes(std::span(values)));
  EXPECT_TRUE(statistics.has_value());
  return statistics.value_or(TensorStatistics());
}

static uint16_t toHalf(double value) {
  StatusBits bits = 0;
  return numerics::doubleToHalf(value, OverflowMode::InfNan, bits).bits;
}

TEST(Statistics, SpecialValuesOfHalves) {
  const TensorStatistics statistics =
      compute<uint16_t>(DataType::Float16, {0x3c00, 0x7bff, 0xfc00, 0x7e00});
  EXPECT_EQ(statistics.maximum, Scalar(65504.0));
  EXPECT_EQ(statistics.minimum, Scalar(-inf));
  EXPECT_EQ(statistics.average, -inf); // no +inf: NaNs do not matter
  EXPECT_EQ(statistics.nans, 1u);
  EXPECT_EQ(statistics.negativeInfs, 1u);
  EXPECT_EQ(statistics.positiveInfs, 0u);
  EXPECT_TRUE(std::isnan(statistics.l2Norm.value_or(0)));
}

TEST(Statistics, InfinitiesOfBothSigns) {
  const TensorStatistics statistics =
      compute<float>(DataType::Float, {INFINITY, 1.f, -INFINITY});
  EXPECT_TRUE(std::isnan(*statistics.average));
  EXPECT_EQ(statistics.l2Norm, inf);
}

TEST(Statistics, NanInFrontHidesTheExtremes) {
  const TensorStatistics front = compute<float>(DataType::Float, {NAN, 2, 1});
  EXPECT_TRUE(std::isnan(std::get<double>(front.maximum)));
  EXPECT_TRUE(std::isnan(std::get<double>(front.minimum)));
  EXPECT_TRUE(std::isnan(*front.average));
  const TensorStatistics behind = compute<float>(DataType::Float, {2, NAN, 1});
  EXPECT_EQ(behind.maximum, Scalar(2.0));
  EXPECT_EQ(behind.minimum, Scalar(1.0));
}

TEST(Statistics, FirstZeroGivesTheSign) {
  auto isNegative = [](const Scalar &scalar) {
    return std::signbit(std::get<double>(scalar));
  };
  const TensorStatistics minus = compute<float>(DataType::Float, {-0.f, 0.f});
  EXPECT_TRUE(isNegative(minus.maximum));
  EXPECT_TRUE(isNegative(minus.minimum));
  const TensorStatistics plus = compute<float>(DataType::Float, {0.f, -0.f});
  EXPECT_FALSE(isNegative(plus.maximum));
  EXPECT_FALSE(isNegative(plus.minimum));
}

// Half precision needs wide sums.
TEST(Statistics, SumsBeyondHalf) {
  std::vector<uint16_t> ramp(512 * 512);
  for (size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = toHalf(static_cast<double>(i % 1024));
  EXPECT_EQ(compute(DataType::Float16, ramp).average, 511.5);
  const std::vector<uint16_t> ones(65520, 0x3c00);
  const TensorStatistics statistics = compute(DataType::Float16, ones);
  EXPECT_EQ(statistics.average, 1.0);
  EXPECT_EQ(statistics.l2Norm, std::sqrt(65520.0));
}

TEST(Statistics, MeanOfHalvesIsExact) {
  // 65504 and 2^-24 many times: a float or an ordered double mean loses bits.
  std::vector<uint16_t> values;
  for (int i = 0; i < 10000; ++i) {
    values.push_back(0x7bff);
    values.push_back(0x0001);
    values.push_back(0xfbff);
  }
  EXPECT_EQ(compute(DataType::Float16, values).average, 0x1p-24 / 3);
}

TEST(Statistics, Integers) {
  const TensorStatistics bytes = compute<int8_t>(DataType::Int8, {-128, 127});
  EXPECT_EQ(bytes.maximum, Scalar(int64_t(127)));
  EXPECT_EQ(bytes.minimum, Scalar(int64_t(-128)));
  EXPECT_EQ(bytes.average, -0.5);
  const TensorStatistics wide =
      compute<uint64_t>(DataType::UInt64, {UINT64_MAX, UINT64_MAX});
  EXPECT_EQ(wide.maximum, Scalar(uint64_t(UINT64_MAX)));
  EXPECT_EQ(wide.average, static_cast<double>(UINT64_MAX));
  EXPECT_EQ(compute<uint8_t>(DataType::Bool, {0, 7}).average, 0.5);
}

TEST(Statistics, OtherFloats) {
  const TensorStatistics brain =
      compute<uint16_t>(DataType::BFloat16, {0x3f80, 0xc040});
  EXPECT_EQ(brain.maximum, Scalar(1.0));
  EXPECT_EQ(brain.minimum, Scalar(-3.0));
  EXPECT_EQ(brain.average, -1.0);
  const TensorStatistics wide =
      compute<double>(DataType::Double, {1e308, 1e308});
  EXPECT_EQ(wide.average, 1e308);
  const TensorStatistics small =
      compute<uint8_t>(DataType::Float8E4M3FN, {0x7e, 0x7f});
  EXPECT_EQ(small.maximum, Scalar(448.0));
  EXPECT_EQ(small.nans, 1u);
  const TensorStatistics nibbles = compute<uint8_t>(DataType::Int4, {0x81});
  EXPECT_EQ(nibbles.count, 2u);
  EXPECT_EQ(nibbles.maximum, Scalar(int64_t(1)));
  EXPECT_EQ(nibbles.minimum, Scalar(int64_t(-8)));
}

TEST(Statistics, NothingToCount) {
  const TensorStatistics empty =
      compute<uint16_t>(DataType::Float16, std::vector<uint16_t>());
  EXPECT_EQ(empty.count, 0u);
  EXPECT_EQ(empty.maximum, Scalar());
  EXPECT_FALSE(empty.average);
  EXPECT_FALSE(computeStatistics(DataType::String, {}));
  EXPECT_FALSE(computeStatistics(DataType::Complex64, {}));
}

/// The statistics of \p halves, which are the same without the norm.
static TensorStatistics computeBothWays(const std::vector<uint16_t> &halves) {
  const auto with = compute(DataType::Float16, halves);
  for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
    numerics::setTargetForTest(target);
    const auto without = computeStatistics(
        DataType::Float16, std::as_bytes(std::span(halves)), false);
    EXPECT_EQ(without->maximum, with.maximum);
    EXPECT_EQ(without->minimum, with.minimum);
    EXPECT_EQ(without->count, with.count);
    EXPECT_EQ(without->nans, with.nans);
    EXPECT_EQ(without->positiveInfs, with.positiveInfs);
    EXPECT_EQ(std::bit_cast<uint64_t>(*without->average),
              std::bit_cast<uint64_t>(*with.average));
  }
  numerics::setTargetForTest(std::nullopt);
  return with;
}

// Without the norm halves below 128 add up in whole numbers.
TEST(Statistics, NothingElseChangesWithoutTheNorm) {
  std::mt19937 random(2);
  for (double limit : {1.0, 127.9, 128.0, 65504.0, inf})
    for (size_t count : {1, 16, 100, 4096, 4112, 10000})
      for (uint16_t sign : {0, 1, 2}) { // positive, negative, either
        SCOPED_TRACE(std::to_string(count) + " up to " + std::to_string(limit) +
                     " of sign " + std::to_string(sign));
        std::vector<uint16_t> values(count);
        double sum = 0; // exact
        for (uint16_t &value : values) {
          do
            value = static_cast<uint16_t>(random());
          while (!(std::abs(halfToFloat(value)) <= limit));
          if (sign < 2)
            value = static_cast<uint16_t>((value & 0x7fff) | sign << 15);
          sum += halfToFloat(value);
        }
        const TensorStatistics statistics = computeBothWays(values);
        if (std::isfinite(sum)) {
          EXPECT_EQ(statistics.average, sum / static_cast<double>(count));
        }
      }
}

// The largest halves of which that is so, and one of the next.
TEST(Statistics, LargestSumsWithoutTheNorm) {
  for (uint16_t sign : {0, 0x8000}) {
    const uint16_t half = 0x57ff | sign;
    std::vector<uint16_t> values(4096, half);
    EXPECT_EQ(computeBothWays(values).average, halfToFloat(half));
    values[100] = half + 1;
    computeBothWays(values);
  }
}

TEST(Statistics, NanWithoutTheNorm) {
  for (uint16_t others : {0x0000, 0x3c00, 0xbc00})
    for (uint16_t nan : {0x7e00, 0xfe00, 0x7c01})
      for (size_t place : {1, 33, 4095}) {
        std::vector<uint16_t> values(4096, others);
        values[place] = nan;
        EXPECT_EQ(computeBothWays(values).nans, 1u);
      }
}

// Blocks, vectors and their rests against one loop; every instruction set.
TEST(Statistics, SameBitsOnEveryTarget) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (size_t count : {1, 15, 16, 17, 4095, 4096, 4097, 10007}) {
    std::vector<float> values(count);
    double sum = 0, squares = 0;
    for (float &value : values) {
      value = normal(random);
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    std::optional<TensorStatistics> first;
    for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
      numerics::setTargetForTest(target);
      const TensorStatistics statistics = compute(DataType::Float, values);
      EXPECT_EQ(statistics.maximum,
                Scalar(static_cast<double>(
                    *std::max_element(values.begin(), values.end()))));
      EXPECT_NEAR(*statistics.average, sum / static_cast<double>(count), 1e-12);
      EXPECT_NEAR(statistics.l2Norm.value_or(0), std::sqrt(squares), 1e-9);
      if (!first)
        first = statistics;
      EXPECT_EQ(statistics.average, first->average);
      EXPECT_EQ(statistics.l2Norm, first->l2Norm);
    }
    numerics::setTargetForTest(std::nullopt);
  }
}
