//===- ConvertTest.cpp - Array conversions on all targets -----------------===//

#include "npu/Numerics/Convert.h"

#include "Reference.h"
#include "npu/Numerics/SimdTarget.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::numerics;

namespace {

class ConvertTest : public testing::TestWithParam<SimdTarget> {
protected:
  void SetUp() override { setTargetForTest(GetParam()); }
  void TearDown() override { setTargetForTest(std::nullopt); }
};

uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }

TEST_P(ConvertTest, WidensAllPatterns) {
  std::vector<Half> halves(0x10000);
  std::vector<BFloat16> bfloats(0x10000);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    halves[bits].bits = bfloats[bits].bits = static_cast<uint16_t>(bits);
  std::vector<float> wide(0x10000);
  numerics::halfToFloat(halves, wide);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(bitsOf(wide[bits]), bitsOf(numerics::halfToFloat(halves[bits])))
        << std::hex << bits;
  numerics::bfloat16ToFloat(bfloats, wide);
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(bitsOf(wide[bits]), bits << 16);
}

/// Compares \p array with \p scalar, bits and status, on a float of each 256,
/// in blocks of lengths 0 to 200.
template <typename Small, typename Array, typename Scalar>
void checkNarrowing(const Array &array, const Scalar &scalar) {
  std::vector<float> from;
  std::vector<Small> to;
  size_t length = 0;
  reference::forEachStratifiedFloat([&](uint32_t bits) {
    from.push_back(std::bit_cast<float>(bits));
    if (from.size() <= length)
      return;
    length = reference::mix(bits) % 200;
    to.assign(from.size(), Small{});
    for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan}) {
      const StatusBits status = array(from, to, mode);
      StatusBits expectedStatus = status::None;
      for (size_t i = 0; i < from.size(); ++i) {
        const Small expected = scalar(from[i], mode, expectedStatus);
        if (to[i].bits != expected.bits)
          ASSERT_EQ(to[i].bits, expected.bits)
              << std::hex << bitsOf(from[i]) << " mode " << getName(mode);
      }
      ASSERT_EQ(status, expectedStatus) << std::hex << bitsOf(from[0]);
    }
    from.clear();
  });
}

TEST_P(ConvertTest, NarrowsToHalfLikeScalar) {
  checkNarrowing<Half>(
      [](std::span<const float> from, std::span<Half> to, OverflowMode mode) {
        return floatToHalf(from, to, mode);
      },
      [](float x, OverflowMode mode, StatusBits &status) {
        return floatToHalf(x, mode, status);
      });
}

TEST_P(ConvertTest, NarrowsToBFloat16LikeScalar) {
  checkNarrowing<BFloat16>(
      [](std::span<const float> from, std::span<BFloat16> to,
         OverflowMode mode) { return floatToBFloat16(from, to, mode); },
      [](float x, OverflowMode mode, StatusBits &status) {
        return floatToBFloat16(x, mode, status);
      });
}

TEST_P(ConvertTest, TellsOverflowOfFiniteInputs) {
  // An infinity in another lane neither hides nor makes an overflow.
  for (size_t count : {1u, 3u, 16u, 33u})
    for (size_t place = 0; place < count; ++place) {
      std::vector<float> from(count, INFINITY);
      std::vector<Half> to(count);
      const OverflowMode mode = OverflowMode::Saturate;
      EXPECT_EQ(floatToHalf(from, to, mode), status::None);
      from[place] = 65519.996f;
      EXPECT_EQ(floatToHalf(from, to, mode), status::None);
      from[place] = -65520;
      EXPECT_EQ(floatToHalf(from, to, mode), status::CastOverflow);
      from[place] = 0x1p-25f;
      EXPECT_EQ(floatToHalf(from, to, mode), status::CastUnderflow);
      from[place] = 0x1.000002p-25f;
      EXPECT_EQ(floatToHalf(from, to, mode), status::None);
      from[place] = -0.0f;
      EXPECT_EQ(floatToHalf(from, to, mode), status::None);
    }
}

TEST_P(ConvertTest, WritesNothingBeyondTheEnd) {
  for (size_t count = 0; count < 40; ++count) {
    std::vector<float> from(count, 1.0f);
    std::vector<Half> halves(count + 1, Half{0xABCD});
    floatToHalf(from, {halves.data(), count}, OverflowMode::InfNan);
    EXPECT_EQ(halves[count].bits, 0xABCD);
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(halves[i].bits, 0x3C00);
    std::vector<float> wide(count + 1, -7.0f);
    halfToFloat({halves.data(), count}, {wide.data(), count});
    EXPECT_EQ(wide[count], -7.0f);
    for (size_t i = 0; i < count; ++i)
      EXPECT_EQ(wide[i], 1.0f);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ConvertTest,
                         testing::ValuesIn(getSupportedTargets()),
                         [](const testing::TestParamInfo<SimdTarget> &info) {
                           return std::string(getName(info.param));
                         });

TEST(SimdTarget, PortableIsAlwaysThere) {
  const std::vector<SimdTarget> targets = getSupportedTargets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.front(), SimdTarget::Portable);
}

} // namespace
