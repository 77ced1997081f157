// StridedSliceV2 with random axes and steps, StridedRead of larger tensors and
// Bitcast, against the definitions.

#include "RandomTensor.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

using List = std::vector<int64_t>;
using Ints = std::vector<int32_t>;

namespace {

/// The places of an axis of \p extent that a slice takes.
List placesOf(int64_t extent, int64_t begin, int64_t end, int64_t step) {
  auto place = [&](int64_t value) {
    value = value < 0 ? value + extent : value;
    return step > 0 ? std::clamp<int64_t>(value, 0, extent)
                    : std::clamp<int64_t>(value, -1, extent - 1);
  };
  List places;
  for (int64_t i = place(begin), last = place(end);
       step > 0 ? i < last : i > last; i += step)
    places.push_back(i);
  return places;
}

} // namespace

TEST(StridedSliceV2Test, Axes) {
  std::mt19937 random(3);
  int slices = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Shape shape = randomShape(random, 1, 4, 6);
    const bool hasAxes = random() % 2, hasSteps = hasAxes && random() % 2;
    List axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (hasAxes)
      std::shuffle(axes.begin(), axes.end(), random);
    axes.resize(1 + random() % axes.size());
    std::vector<List> taken;
    for (int64_t extent : shape)
      taken.push_back(placesOf(extent, 0, extent, 1));
    List begin, end, steps;
    for (int64_t &axis : axes) {
      const int64_t extent = shape[axis];
      auto anywhere = [&] { return int64_t(random() % 20) - 10; };
      begin.push_back(anywhere());
      // As far as there is something.
      end.push_back(random() % 4 ? anywhere() : INT64_MAX);
      steps.push_back(hasSteps ? int64_t(random() % 3) + 1 : 1);
      if (hasSteps && random() % 2) {
        steps.back() = -steps.back();
        end.back() = end.back() == INT64_MAX ? INT64_MIN : end.back();
      }
      taken[axis] = placesOf(extent, begin.back(), end.back(), steps.back());
      if (hasAxes && random() % 2)
        axis -= static_cast<int64_t>(shape.size());
    }
    Shape counts;
    for (const List &places : taken)
      counts.push_back(static_cast<int64_t>(places.size()));
    if (getNumElements(counts) == 0)
      continue;
    ++slices;
    Ints expected;
    forEachIndex(counts, [&](const List &index, size_t) {
      List from(index.size());
      for (size_t i = 0; i < index.size(); ++i)
        from[i] = taken[i][index[i]];
      expected.push_back(static_cast<int32_t>(placeOf(from, shape)) + 1);
    });
    std::vector<TestTensor> inputs = {numbered(shape), indexTensor(begin),
                                      indexTensor(end)};
    if (hasAxes)
      inputs.push_back(indexTensor(axes));
    if (hasSteps)
      inputs.push_back(indexTensor(steps));
    auto result =
        runNode("StridedSliceV2", inputs, {plainDesc(DataType::Int32, counts)});
    EXPECT_EQ(result.values<int32_t>(), expected);
  }
  EXPECT_GT(slices, 80);
}

TEST(BitcastTest, KeepsTheBytes) {
  const TestTensor words = numbered({2, 3});
  for (const auto &[dtype, shape] :
       {std::pair{DataType::Float, Shape{2, 3}},
        std::pair{DataType::UInt16, Shape{2, 3, 2}},
        std::pair{DataType::UInt8, Shape{2, 3, 4}}}) {
    const TensorDesc seen = plainDesc(dtype, shape);
    EXPECT_EQ(runNode("Bitcast", {words}, {seen}).outputs[0].bytes,
              words.bytes);
    EXPECT_EQ(runNode("Bitcast", {{seen, words.bytes}}, {words.desc})
                  .outputs[0]
                  .bytes,
              words.bytes);
  }
  EXPECT_EQ(refusal("Bitcast", {words.desc}, {plainDesc(DataType::Int64, {2})}),
            "Bitcast 'node': input DT_INT32 2x3 ND and output DT_INT64 2 ND "
            "differ in type");
}

TEST(StridedReadTest, TakesTheFirstOfAnAxis) {
  std::mt19937 random(4);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape whole = randomShape(random, 1, 4, 5);
    const size_t axis = random() % whole.size();
    Shape part = whole;
    part[axis] = 1 + random() % whole[axis];
    Ints expected;
    forEachIndex(part, [&](const List &index, size_t) {
      expected.push_back(static_cast<int32_t>(placeOf(index, whole)) + 1);
    });
    Attributes attrs;
    attrs.set("axis", static_cast<int64_t>(axis));
    attrs.set("stride", whole[axis]);
    auto result = runNode("StridedRead", {numbered(whole)},
                          {plainDesc(DataType::Int32, part)}, attrs);
    EXPECT_EQ(result.values<int32_t>(), expected);
  }
  Attributes attrs;
  attrs.set("axis", int64_t(0));
  EXPECT_EQ(refusal("StridedRead", {plainDesc(DataType::Int32, {2, 3})},
                    {plainDesc(DataType::Int32, {2, 2})}, attrs),
            "StridedRead 'node': cannot read DT_INT32 2x2 ND from DT_INT32 2x3 "
            "ND");
}
