// Unique against a search from the front.

#include "KernelTester.h"

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;

TEST(UniqueTest, FindsValuesInTheOrderOfTheirFirstPlace) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    const int64_t count = 1 + random() % 50;
    std::vector<int32_t> x(count), values, places;
    for (int32_t &value : x) {
      value = static_cast<int32_t>(random() % 9) - 4;
      const auto known = std::find(values.begin(), values.end(), value);
      places.push_back(static_cast<int32_t>(known - values.begin()));
      if (known == values.end())
        values.push_back(value);
    }
    values.resize(count);
    const TensorDesc desc = plainDesc(DataType::Int32, {count});
    auto result = runNode("Unique", {tensor(desc, x)}, {desc, desc});
    EXPECT_EQ(result.values<int32_t>(0), values);
    EXPECT_EQ(result.values<int32_t>(1), places);
  }
}

TEST(UniqueTest, FloatsCompareByValue) {
  const TensorDesc desc = plainDesc(DataType::Float, {5});
  auto result = runNode(
      "Unique", {tensor<float>(desc, {0.0f, -0.0f, NAN, NAN, INFINITY})},
      {desc, plainDesc(DataType::Int64, {5})});
  EXPECT_EQ(result.values<int64_t>(1), (std::vector<int64_t>{0, 0, 1, 2, 3}));
  EXPECT_EQ(result.values<float>(0)[3], INFINITY);
  EXPECT_EQ(result.values<float>(0)[4], 0.0f);
}
