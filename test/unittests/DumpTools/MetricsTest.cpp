//===- MetricsTest.cpp - How far two arrays are apart ---------------------===//

#include "npu/DumpTools/Metrics.h"

#include "npu/Numerics/SimdTarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::dump;

template <typename Stored>
static Metrics compare(DataType dtype, const std::vector<Stored> &mine,
                       const std::vector<Stored> &golden,
                       const Tolerance &tolerance = {},
                       bool keepNonFinite = false) {
  EXPECT_EQ(mine.size(), golden.size());
  std::optional<ElementDecoder> decoder = ElementDecoder::create(dtype);
  auto bytes = [](const std::vector<Stored> &values) {
    return reinterpret_cast<const std::byte *>(values.data());
  };
  return computeMetrics({*decoder, bytes(mine)}, {*decoder, bytes(golden)},
                        mine.size(), tolerance, keepNonFinite);
}

static Metrics compareFloats(const std::vector<float> &mine,
                             const std::vector<float> &golden,
                             const Tolerance &tolerance = {},
                             bool keepNonFinite = false) {
  return compare(DataType::Float, mine, golden, tolerance, keepNonFinite);
}

// The numbers are those that Ascend's tool prints.
TEST(Metrics, KnownValues) {
  const Metrics m = compareFloats({1, 2, 3}, {1, 2, 4});
  EXPECT_NEAR(*m.cosine, 0.991460, 1e-6);
  EXPECT_EQ(m.maxAbsolute, 1);
  EXPECT_EQ(m.accumulatedRelative, 0.25);
  EXPECT_NEAR(*m.relativeEuclidean, 0.218218, 1e-6);
  EXPECT_NEAR(*m.kullbackLeibler, 0.017372, 1e-6);
  EXPECT_EQ(m.mineMoments.mean, 2);
  EXPECT_NEAR(m.mineMoments.deviation, 0.816497, 1e-6);
  EXPECT_NEAR(m.goldenMoments.deviation, 1.247219, 1e-6);
  EXPECT_NEAR(*m.meanAbsolute, 0.333333, 1e-6);
  EXPECT_NEAR(*m.rootMeanSquare, 0.577350, 1e-6);
  EXPECT_EQ(m.maxRelative, 0.25);
  EXPECT_NEAR(*m.meanRelative, 0.083333, 1e-6);
  EXPECT_EQ(m.numMismatches, 1u);
  EXPECT_EQ(m.first->index, 2u);
  EXPECT_EQ(m.first->mine, 3);
  EXPECT_EQ(m.first->golden, 4);
}

TEST(Metrics, ZerosOnOneSide) {
  const Metrics mine = compareFloats({0, 0, 0}, {1, 2, 3});
  EXPECT_FALSE(mine.cosine);
  EXPECT_EQ(mine.maxRelative, 1);
  EXPECT_EQ(mine.accumulatedRelative, 3);
  EXPECT_NEAR(*mine.kullbackLeibler, 4.852030, 1e-6);
  const Metrics golden = compareFloats({1, 2, 3}, {0, 0, 0});
  EXPECT_FALSE(golden.cosine);
  EXPECT_EQ(golden.accumulatedRelative, 0);
  EXPECT_EQ(golden.relativeEuclidean, 0);
  EXPECT_NEAR(*golden.kullbackLeibler, 0.462097, 1e-6);
  EXPECT_EQ(golden.numZeroReferences, 3u);
  EXPECT_EQ(compareFloats({0, 0}, {0, 0}).cosine, 1);
}

TEST(Metrics, ZeroReference) {
  const Metrics m =
      compare<uint16_t>(DataType::Float16, {0x3c00, 0, 0x3800}, {0, 0, 0x3c00});
  EXPECT_EQ(m.numZeroReferences, 1u);
  EXPECT_EQ(m.maxAbsolute, 1);
  EXPECT_EQ(m.maxRelative, 0.5); // of the pair that has one
  EXPECT_EQ(m.numMismatches, 2u);
}

TEST(Metrics, NumbersAgainstNanAndInf) {
  auto mismatches = [](float mine, float golden) {
    return compareFloats({mine}, {golden}).numMismatches;
  };
  EXPECT_EQ(mismatches(1, NAN), 1u);
  EXPECT_EQ(mismatches(NAN, 1), 1u);
  EXPECT_EQ(mismatches(NAN, NAN), 0u);
  EXPECT_EQ(mismatches(INFINITY, INFINITY), 0u);
  EXPECT_EQ(mismatches(INFINITY, -INFINITY), 1u);
  const Metrics saturated =
      compare<uint16_t>(DataType::Float16, {0x7c00, 0x7c00}, {0x7bff, 0x3c00});
  EXPECT_EQ(saturated.numMismatches, 2u);
  EXPECT_EQ(saturated.numSaturations, 1u);
  EXPECT_EQ(compareFloats({NAN}, {1}, {1e9, 1e9}).numMismatches, 1u);
}

TEST(Metrics, RestIsOverFiniteNumbers) {
  const Metrics m = compareFloats({1, NAN, 3, INFINITY}, {1, 2, 4, -INFINITY});
  EXPECT_EQ(m.numFinite, 2u);
  EXPECT_EQ(m.mine.nans, 1u);
  EXPECT_EQ(m.mine.firstNan, 1u);
  EXPECT_EQ(m.mine.positiveInfs, 1u);
  EXPECT_EQ(m.mine.firstInf, 3u);
  EXPECT_EQ(m.golden.negativeInfs, 1u);
  EXPECT_FALSE(m.golden.firstNan);
  EXPECT_EQ(m.maxAbsolute, 1);
  EXPECT_EQ(m.mineMoments.mean, 2);
  EXPECT_EQ(m.numMismatches, 3u);
  EXPECT_EQ(m.first->index, 1u);
}

TEST(Metrics, NansStayWhereAsked) {
  const Metrics m = compareFloats({1, NAN, 3}, {1, 2, 4}, {}, true);
  EXPECT_TRUE(std::isnan(*m.maxAbsolute));
  EXPECT_TRUE(std::isnan(*m.cosine));
  EXPECT_EQ(m.numMismatches, 2u);
  // A NaN reference makes the masked metrics 0.
  EXPECT_EQ(compareFloats({1}, {NAN}, {}, true).maxRelative, 0);
  // An infinity is as far from itself as from anything.
  const Metrics same = compareFloats({1, INFINITY}, {1, INFINITY}, {}, true);
  EXPECT_TRUE(same.equal());
  EXPECT_TRUE(std::isnan(*same.maxAbsolute));
  EXPECT_TRUE(std::isnan(*same.meanAbsolute));
}

TEST(Metrics, NothingFinite) {
  const Metrics m = compareFloats({NAN}, {NAN});
  EXPECT_EQ(m.numFinite, 0u);
  EXPECT_FALSE(m.cosine);
  EXPECT_FALSE(m.maxAbsolute);
  EXPECT_TRUE(m.equal());
}

TEST(Metrics, Tolerance) {
  EXPECT_EQ(compareFloats({1.1f, 0.01f}, {1, 0}, {0.2, 0.1}).numMismatches, 0u);
  EXPECT_EQ(compareFloats({1.1f, 0.01f}, {1, 0}, {0.2, 0}).numMismatches, 1u);
}

TEST(Metrics, Ulp) {
  EXPECT_EQ(compareFloats({1, 2}, {std::nextafter(1.f, 2.f), 2}).maxUlp, 1u);
  EXPECT_EQ(compare<uint16_t>(DataType::Float16, {0x0001}, {0x8001}).maxUlp,
            2u);
  EXPECT_EQ(compare<double>(DataType::Double, {-1e308}, {1e308}).maxUlp,
            2 * std::bit_cast<uint64_t>(1e308));
  EXPECT_EQ(compareFloats({NAN}, {1}).maxUlp, 0u); // no distance
  EXPECT_FALSE(compare<int32_t>(DataType::Int32, {1}, {2}).maxUlp);
}

TEST(Metrics, IntegersBeyondFloat) {
  const Metrics m = compare<int32_t>(DataType::Int32, {16777217}, {16777216});
  EXPECT_EQ(m.numMismatches, 1u);
  EXPECT_EQ(m.maxAbsolute, 1);
}

// Half precision needs wide sums.
TEST(Metrics, DeviationOfHalves) {
  std::vector<float> ramp(512 * 512);
  for (size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = static_cast<float>(i % 1024);
  const Metrics m = compareFloats(ramp, ramp);
  EXPECT_EQ(m.mineMoments.mean, 511.5);
  EXPECT_NEAR(m.mineMoments.deviation, 295.603197, 3e-4);
  EXPECT_EQ(m.kullbackLeibler, 0);
  EXPECT_EQ(m.cosine, 1);
}

/// All metrics in one loop, with long double sums.
static void checkAgainstLoop(const std::vector<float> &x,
                             const std::vector<float> &y, const Metrics &m) {
  long double xy = 0, xx = 0, yy = 0, absolute = 0, squares = 0, relative = 0;
  double maxRelative = 0, maxAbsolute = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], b = y[i];
    xy += a * b;
    xx += a * a;
    yy += b * b;
    absolute += std::fabs(a - b);
    squares += (a - b) * (a - b);
    const double r = std::fabs(b) > 2.2e-16 ? std::fabs(a / b - 1) : 0;
    relative += r;
    maxRelative = std::max(maxRelative, r);
    maxAbsolute = std::max(maxAbsolute, std::fabs(a - b));
  }
  auto near = [](double value, long double expected) {
    EXPECT_NEAR(value, static_cast<double>(expected),
                1e-12 * std::fabs(static_cast<double>(expected)) + 1e-15);
  };
  near(*m.cosine, xy / std::sqrt(xx) / std::sqrt(yy));
  near(*m.meanAbsolute, absolute / x.size());
  near(*m.rootMeanSquare, std::sqrt(squares / x.size()));
  near(*m.relativeEuclidean, std::sqrt(squares / yy));
  near(*m.accumulatedRelative, relative);
  EXPECT_EQ(m.maxRelative, maxRelative);
  EXPECT_EQ(m.maxAbsolute, maxAbsolute);
}

// Blocks, vectors and their rests; every instruction set gives the same bits.
TEST(Metrics, AgainstOneLoop) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (size_t count : {1, 7, 8, 9, 1023, 1024, 1025, 5003}) {
    std::vector<float> x(count), y(count);
    for (size_t i = 0; i < count; ++i) {
      x[i] = normal(random);
      y[i] = x[i] + 0.1f * normal(random);
    }
    std::optional<Metrics> first;
    for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
      numerics::setTargetForTest(target);
      const Metrics m = compareFloats(x, y);
      checkAgainstLoop(x, y, m);
      if (!first)
        first = m;
      EXPECT_EQ(m.cosine, first->cosine);
      EXPECT_EQ(m.accumulatedRelative, first->accumulatedRelative);
      EXPECT_EQ(m.mineMoments.deviation, first->mineMoments.deviation);
    }
    numerics::setTargetForTest(std::nullopt);
  }
}

TEST(Metrics, ComplexNumbersAreTheirParts) {
  const Metrics m =
      compare<std::array<float, 2>>(DataType::Complex64, {{1, 2}}, {{1, 3}});
  EXPECT_EQ(m.count, 2u);
  EXPECT_EQ(m.first->index, 1u);
}
