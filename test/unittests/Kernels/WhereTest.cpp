// Where against the definition: the index of each element that is not zero.

#include "RandomTensor.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels;

TEST(WhereTest, FindsPlacesInTheOrderOfMemory) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape shape = randomShape(random, 1, 4, 6);
    const int64_t count = getNumElements(shape),
                  rank = static_cast<int64_t>(shape.size());
    std::vector<uint8_t> x;
    std::vector<int64_t> expected;
    forEachIndex(shape, [&](const std::vector<int64_t> &index, size_t) {
      x.push_back(random() % 3 == 0);
      if (x.back())
        expected.insert(expected.end(), index.begin(), index.end());
    });
    expected.resize(static_cast<size_t>(count * rank));
    auto result =
        runNode("Where", {tensor(plainDesc(DataType::Bool, shape), x)},
                {plainDesc(DataType::Int64, {count, rank})});
    EXPECT_EQ(result.values<int64_t>(), expected);
  }
}

TEST(WhereTest, ZerosHaveTwoSigns) {
  auto placesOf = [](TestTensor x) {
    return runNode("Where", {x}, {plainDesc(DataType::Int64, {4, 1})})
        .values<int64_t>();
  };
  const std::vector<int64_t> expected = {2, 3, 0, 0};
  EXPECT_EQ(placesOf(tensor<float>(plainDesc(DataType::Float, {4}),
                                   {0.0f, -0.0f, NAN, 1e-40f})),
            expected);
  EXPECT_EQ(placesOf(tensor<int32_t>(plainDesc(DataType::Int32, {4}),
                                     {0, 0, INT32_MIN, 1})),
            expected);
}

TEST(WhereTest, Refusals) {
  EXPECT_EQ(refusal("Where", {plainDesc(DataType::Bool, {2, 3})},
                    {plainDesc(DataType::Int64, {4, 2})}),
            "Where 'node': the places of DT_BOOL 2x3 ND do not fill a DT_INT64 "
            "4x2 ND; expected DT_INT64 with a row for each element");
}
