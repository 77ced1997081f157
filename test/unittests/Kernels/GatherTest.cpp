// Rows by index: Gather, one-hot rows, sums by segment.

#include "KernelTester.h"

#include <numeric>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

Attributes attr(const char *name, AttributeValue value) {
  Attributes result;
  result.set(name, std::move(value));
  return result;
}

TestTensor ints(Shape shape, std::vector<int32_t> values) {
  return tensor(plainDesc(DataType::Int32, std::move(shape)), values);
}

TestTensor counting(Shape shape) {
  std::vector<int32_t> values(getNumElements(shape));
  std::iota(values.begin(), values.end(), 1);
  return ints(std::move(shape), values);
}

} // namespace

TEST(GatherTest, TakesRowsAlongAnAxis) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const int64_t outer = 1 + random() % 3, extent = 1 + random() % 6,
                  inner = 1 + random() % 4, count = 1 + random() % 5;
    const TestTensor x = counting({outer, extent, inner});
    std::vector<int32_t> indices;
    for (int64_t i = 0; i < count; ++i)
      indices.push_back(int32_t(random() % (extent + 4)) - 2);
    std::vector<int32_t> expected;
    for (int64_t o = 0; o < outer; ++o)
      for (int32_t index : indices)
        for (int64_t i = 0; i < inner; ++i)
          expected.push_back(
              index < 0 || index >= extent
                  ? 0
                  : int32_t((o * extent + index) * inner + i + 1));
    const TensorDesc y = plainDesc(DataType::Int32, {outer, count, inner});
    EXPECT_EQ(runNode("GatherV2D", {x, ints({count}, indices)}, {y},
                      attr("axis", int64_t(1)), {}, 3)
                  .values<int32_t>(),
              expected);
    const std::vector<int64_t> wide(indices.begin(), indices.end());
    EXPECT_EQ(runNode("GatherV2",
                      {x, tensor(plainDesc(DataType::Int64, {count}), wide),
                       ints({}, {-2})},
                      {y})
                  .values<int32_t>(),
              expected);
  }
}

TEST(GatherTest, SharesBatchAxes) {
  auto x = counting({2, 3});
  EXPECT_EQ(runNode("Gather", {x, ints({2, 2}, {2, 0, 1, 1})},
                    {plainDesc(DataType::Int32, {2, 2})},
                    attr("batch_dims", int64_t(1)))
                .values<int32_t>(),
            (std::vector<int32_t>{3, 1, 5, 5}));
}

TEST(GatherTest, CountsNegativeIndicesFromTheEndIfAsked) {
  EXPECT_EQ(runNode("GatherV2",
                    {counting({3}), ints({2}, {-1, -4}), ints({}, {0})},
                    {plainDesc(DataType::Int32, {2})},
                    attr("negative_index_support", true))
                .values<int32_t>(),
            (std::vector<int32_t>{3, 0}));
}

TEST(GatherTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Int32, {3, 2});
  const TensorDesc i = plainDesc(DataType::Int32, {4});
  EXPECT_EQ(refusal("GatherV2D", {x, i}, {plainDesc(DataType::Int32, {4, 3})},
                    attr("axis", int64_t(0))),
            "GatherV2D 'node': taking 4 along axis 0 of DT_INT32 3x2 ND does "
            "not give DT_INT32 4x3 ND");
  EXPECT_EQ(refusal("GatherV2D", {x, i}, {plainDesc(DataType::Int32, {4, 2})},
                    attr("axis", int64_t(2))),
            "GatherV2D 'node': axis 2 is not one of a tensor of 2 dimensions");
}

TEST(OneHotTest, PlacesTheDepthAxis) {
  auto x = ints({2, 2}, {0, 2, 5, -1});
  auto on = ints({1}, {7}), off = ints({1}, {3});
  auto run = [&](int64_t axis, Shape shape) {
    Attributes attributes = attr("axis", axis);
    attributes.set("depth", int64_t(3));
    return runNode("OneHotD", {x, on, off},
                   {plainDesc(DataType::Int32, std::move(shape))}, attributes)
        .values<int32_t>();
  };
  EXPECT_EQ(run(-1, {2, 2, 3}),
            (std::vector<int32_t>{7, 3, 3, 3, 3, 7, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(run(0, {3, 2, 2}),
            (std::vector<int32_t>{7, 3, 3, 3, 3, 3, 3, 3, 3, 7, 3, 3}));
  EXPECT_EQ(run(1, {2, 3, 2}),
            (std::vector<int32_t>{7, 3, 3, 3, 3, 7, 3, 3, 3, 3, 3, 3}));
}

TEST(SegmentSumTest, AddsInTheOrderOfTheRows) {
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    const int64_t rows = 1 + random() % 200, width = 1 + random() % 5,
                  segments = 1 + random() % 9;
    std::vector<float> x(rows * width);
    for (float &value : x)
      value = std::ldexp(float(random() % 1000) - 500, int(random() % 30) - 15);
    std::vector<int32_t> ids(rows);
    for (int32_t &id : ids)
      id = int32_t(random() % (segments + 3)) - 1;
    std::vector<float> expected(segments * width);
    for (int64_t row = 0; row < rows; ++row)
      if (ids[row] >= 0 && ids[row] < segments)
        for (int64_t i = 0; i < width; ++i)
          expected[ids[row] * width + i] += x[row * width + i];
    for (unsigned threads : {1, 4})
      EXPECT_EQ(runNode("UnsortedSegmentSumD",
                        {tensor(plainDesc(DataType::Float, {rows, width}), x),
                         ints({rows}, ids)},
                        {plainDesc(DataType::Float, {segments, width})},
                        attr("num_segments", segments), {}, threads)
                    .values<float>(),
                expected);
  }
}

TEST(SegmentSumTest, SortedIds) {
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    const int64_t rows = 1 + random() % 50, width = 1 + random() % 5;
    std::vector<int32_t> x(rows * width), ids(rows);
    for (int32_t &value : x)
      value = int32_t(random() % 1000) - 500;
    for (int64_t row = 1; row < rows; ++row) // some have no rows
      ids[row] = ids[row - 1] + int32_t(random() % 3);
    std::vector<int32_t> expected((ids.back() + 1) * width);
    for (int64_t i = 0; i < rows * width; ++i)
      expected[ids[i / width] * width + i % width] += x[i];
    EXPECT_EQ(runNode("SegmentSum", {ints({rows, width}, x), ints({rows}, ids)},
                      {plainDesc(DataType::Int32, {ids.back() + 1, width})})
                  .values<int32_t>(),
              expected);
  }
}

TEST(SegmentSumTest, RoundsEveryHalf) {
  // 2048 + 1 is 2048 in fp16, whatever comes before it.
  auto x = halves({4}, {2048, 1, 1, 60000});
  auto result = runNode("UnsortedSegmentSumD", {x, ints({4}, {0, 0, 0, 1})},
                        {plainDesc(DataType::Float16, {2})},
                        attr("num_segments", int64_t(2)));
  EXPECT_EQ(result.values<uint16_t>(),
            (std::vector{halfBits(2048), halfBits(60000)}));
  EXPECT_EQ(result.status.valid, status::None);
  auto over = runNode(
      "UnsortedSegmentSumD", {halves({2}, {60000, 60000}), ints({2}, {0, 0})},
      {plainDesc(DataType::Float16, {1})}, attr("num_segments", int64_t(1)));
  EXPECT_EQ(over.values<uint16_t>()[0], 0x7BFF);
  EXPECT_EQ(over.status.valid, status::FloatOverflow);
}

// Words: one stays zero, and each gradient may count by how often its word
// comes.
TEST(SegmentSumTest, Words) {
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const bool toHalf = random() % 2, byFrequency = random() % 2;
    const int64_t words = 1 + random() % 6, width = 1 + random() % 5,
                  padding = int64_t(random() % (words + 1)) - 1;
    const Shape indices{int64_t(1 + random() % 4), int64_t(1 + random() % 5)};
    std::vector<int32_t> ids;
    std::vector<double> gradients;
    for (int64_t i = 0, e = getNumElements(indices); i != e; ++i) {
      ids.push_back(static_cast<int32_t>(random() % words));
      for (int64_t j = 0; j != width; ++j)
        gradients.push_back(double(int(random() % 4000) - 2000) / 256);
    }
    auto instruction = [&](double value) {
      return toHalf ? double(halfValue(halfBits(value))) : double(float(value));
    };
    std::vector<double> expected(words * width);
    for (size_t row = 0; row != ids.size(); ++row) {
      if (ids[row] == padding)
        continue;
      const auto count = std::count(ids.begin(), ids.end(), ids[row]);
      const double share =
          byFrequency ? instruction(1.0f / static_cast<float>(count)) : 1;
      for (int64_t j = 0; j != width; ++j) {
        double &sum = expected[ids[row] * width + j];
        sum =
            instruction(sum + instruction(gradients[row * width + j] * share));
      }
    }
    const Shape shape{indices[0], indices[1], width};
    TestTensor x = halves(shape, gradients);
    if (!toHalf)
      x = tensor(plainDesc(DataType::Float, shape),
                 std::vector<float>(gradients.begin(), gradients.end()));
    Attributes attrs;
    attrs.set("num_weights", words);
    attrs.set("padding_idx", padding);
    attrs.set("scale_grad_by_freq", byFrequency);
    auto result = runNode("EmbeddingDenseGrad", {x, ints(indices, ids)},
                          {plainDesc(x.desc.dtype, {words, width})}, attrs);
    for (size_t i = 0; i != expected.size(); ++i)
      EXPECT_EQ(toHalf ? double(halfValue(result.outputs[0].as<uint16_t>()[i]))
                       : double(result.outputs[0].as<float>()[i]),
                expected[i])
          << i;
  }
  Attributes attrs;
  attrs.set("num_weights", int64_t(2));
  const TensorDesc x = plainDesc(DataType::Int32, {1, 3});
  EXPECT_EQ(refusal("EmbeddingDenseGrad", {x, plainDesc(DataType::Int32, {1})},
                    {plainDesc(DataType::Int32, {2, 3})}, attrs),
            "EmbeddingDenseGrad 'node': DT_INT32 1x3 ND is no gradient");
}

TEST(SegmentSumTest, IntegersWrapAndReport) {
  auto result = runNode(
      "UnsortedSegmentSumD", {ints({2}, {INT32_MAX, 1}), ints({2}, {0, 0})},
      {plainDesc(DataType::Int32, {1})}, attr("num_segments", int64_t(1)));
  EXPECT_EQ(result.values<int32_t>()[0], INT32_MIN);
  EXPECT_EQ(result.status.valid, status::IntegerOverflow);
}
