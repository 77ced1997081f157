#include "npu/Kernels/LaneMap.h"

#include <gtest/gtest.h>

using namespace npu;
using namespace npu::kernels;

namespace {
TensorDesc describe(Format format, int64_t groups, Format originFormat,
                    Shape origin) {
  auto shape =
      physicalShape(format, groups, DataType::Float16, originFormat, origin);
  EXPECT_TRUE(shape.ok()) << shape.status().message();
  return {DataType::Float16, format, groups, *shape, originFormat, origin};
}

std::string runsOf(const LaneMap &map, int64_t begin, int64_t end) {
  std::string text;
  int64_t at = begin;
  map.forEachRun(begin, end, [&](int64_t b, int64_t e, bool valid) {
    EXPECT_EQ(b, at);
    at = e;
    text += (valid ? "+" : "-") + std::to_string(e - b) + " ";
  });
  EXPECT_EQ(at, end);
  return text;
}
} // namespace

TEST(LaneMapTest, Channels) {
  auto map =
      LaneMap::create(describe(Format::NC1HWC0, 0, Format::NCHW, {1, 3, 1, 2}));
  ASSERT_TRUE(map.ok());
  EXPECT_TRUE(map->hasPadding());
  EXPECT_EQ(runsOf(*map, 0, 32), "+3 -13 +3 -13 ");
  EXPECT_EQ(runsOf(*map, 1, 18), "+2 -13 +2 ");
}

TEST(LaneMapTest, WholeBlocksAreOneRun) {
  auto map = LaneMap::create(
      describe(Format::NC1HWC0, 0, Format::NHWC, {1, 7, 7, 20}));
  ASSERT_TRUE(map.ok());
  // Block 0 is data throughout and continues into the first row of block 1.
  EXPECT_EQ(runsOf(*map, 0, 49 * 16 + 16), "+788 -12 ");
}

TEST(LaneMapTest, PlainHasNoPadding) {
  auto map = LaneMap::create(describe(Format::ND, 0, Format::ND, {5, 3}));
  ASSERT_TRUE(map.ok());
  EXPECT_FALSE(map->hasPadding());
  EXPECT_EQ(runsOf(*map, 0, 15), "+15 ");
}

// Each format: a lane is valid if and only if some logical index lies there.
TEST(LaneMapTest, AgreesWithTheLayout) {
  for (const TensorDesc &desc :
       {describe(Format::FRACTAL_NZ, 0, Format::ND, {3, 20, 37}),
        describe(Format::FRACTAL_NZ, 0, Format::ND, {40}),
        describe(Format::FRACTAL_Z, 0, Format::HWCN, {3, 2, 20, 35}),
        describe(Format::FRACTAL_Z, 2, Format::NCHW, {10, 3, 2, 2}),
        describe(Format::FRACTAL_Z_C04, 0, Format::NCHW, {20, 3, 3, 3}),
        describe(Format::C1HWNCoC0, 0, Format::HWCN, {2, 2, 20, 1}),
        describe(Format::NDC1HWC0, 0, Format::NDHWC, {2, 2, 3, 3, 17})}) {
    SCOPED_TRACE(desc.toString());
    auto layout = Layout::create(desc);
    auto map = LaneMap::create(desc);
    ASSERT_TRUE(layout.ok() && map.ok());
    std::vector<bool> expected(desc.numElements());
    std::vector<int64_t> index(layout->axes().size());
    for (int64_t i = 0; i < layout->numLogical(); ++i) {
      expected[layout->elementAt(index)] = true;
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < layout->axes()[axis].extent)
          break;
        index[axis] = 0;
      }
    }
    std::vector<bool> actual;
    map->forEachRun(0, desc.numElements(), [&](int64_t b, int64_t e, bool v) {
      actual.insert(actual.end(), e - b, v);
    });
    EXPECT_EQ(actual, expected);
  }
}
