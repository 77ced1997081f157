// TopK and running sums of random shapes, axes and types.

#include "FloatTester.h"

#include <algorithm>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

namespace {

/// A random shape with an axis; line(l)[i] is the place of element i of line l.
struct Lines {
  Shape shape;
  int64_t axis, before = 1, length, behind = 1;

  explicit Lines(std::mt19937 &random) {
    const size_t rank = 1 + random() % 4;
    for (size_t i = 0; i < rank; ++i)
      shape.push_back(1 + random() % 9);
    axis = static_cast<int64_t>(random() % rank);
    length = shape[axis];
    for (size_t i = 0; i < rank; ++i)
      if (static_cast<int64_t>(i) != axis)
        (static_cast<int64_t>(i) < axis ? before : behind) *= shape[i];
  }
  int64_t count() const { return before * behind; }
  size_t place(int64_t line, int64_t element, int64_t ofLength) const {
    return static_cast<size_t>((line / behind * ofLength + element) * behind +
                               line % behind);
  }
  /// Counted from the end now and then.
  int64_t number(std::mt19937 &random) const {
    return axis - (random() % 2 ? static_cast<int64_t>(shape.size()) : 0);
  }
};

} // namespace

TEST(LineOrderTest, TopK) {
  std::mt19937 random(5);
  for (const char *type : {"TopK", "TopKV2"})
    for (DataType dtype : {DataType::Float16, DataType::BFloat16,
                           DataType::Float, DataType::Int32})
      for (int repeat = 0; repeat < 25; ++repeat) {
        const Lines lines(random);
        const int64_t k = 1 + random() % lines.length;
        const bool largest = random() % 2;
        // Few different values, so that equal ones meet.
        Floats values(lines.count() * lines.length);
        for (float &value : values)
          value = float(int(random() % 7)) - 3;
        Shape part = lines.shape;
        part[lines.axis] = k;
        Attributes attrs;
        attrs.set("dim", lines.number(random));
        attrs.set("largest", largest);
        auto make = [&](const Shape &shape, const Floats &from) {
          return dtype == DataType::Int32
                     ? tensor(plainDesc(dtype, shape),
                              std::vector<int32_t>(from.begin(), from.end()))
                     : floatTensor(dtype, shape, from);
        };
        auto result = runNode(
            type,
            {make(lines.shape, values),
             tensor<int32_t>(plainDesc(DataType::Int32, {}), {int32_t(k)})},
            {plainDesc(dtype, part), plainDesc(DataType::Int32, part)}, attrs,
            {}, 2);
        Floats expected(lines.count() * k);
        std::vector<int32_t> indices(expected.size());
        for (int64_t line = 0; line < lines.count(); ++line) {
          std::vector<std::pair<float, int32_t>> order;
          for (int64_t i = 0; i < lines.length; ++i) {
            const float value = values[lines.place(line, i, lines.length)];
            order.push_back({largest ? -value : value, int32_t(i)});
          }
          std::sort(order.begin(), order.end());
          for (int64_t i = 0; i < k; ++i) {
            const size_t to = lines.place(line, i, k);
            indices[to] = order[i].second;
            expected[to] =
                values[lines.place(line, order[i].second, lines.length)];
          }
        }
        EXPECT_EQ(result.outputs[0].bytes, make(part, expected).bytes);
        EXPECT_EQ(result.values<int32_t>(1), indices);
      }
}

TEST(LineOrderTest, TopKOfSpecialValues) {
  const double nan = std::nan("");
  Attributes attrs;
  auto indices = [&](bool largest) {
    attrs.set("largest", largest);
    return runNode("TopKV2",
                   {halves({6}, {1, nan, INFINITY, -INFINITY, nan, 2}),
                    tensor<int32_t>(plainDesc(DataType::Int32, {}), {6})},
                   {plainDesc(DataType::Float16, {6}),
                    plainDesc(DataType::Int32, {6})},
                   attrs)
        .values<int32_t>(1);
  };
  EXPECT_EQ(indices(true), (std::vector<int32_t>{1, 4, 2, 5, 0, 3}));
  EXPECT_EQ(indices(false), (std::vector<int32_t>{3, 0, 5, 2, 1, 4}));
  const TensorDesc x = plainDesc(DataType::Float, {2}),
                   y = plainDesc(DataType::Float, {3}),
                   k = plainDesc(DataType::Int32, {});
  EXPECT_EQ(refusal("TopK", {x, k}, {y, plainDesc(DataType::Int32, {3})}),
            "TopK 'node': " + y.toString() + " is not a part of the lines of " +
                x.toString());
}

TEST(LineOrderTest, RunningSums) {
  std::mt19937 random(7);
  for (const std::string type : {"Cumsum", "CumsumD"})
    for (DataType dtype : {DataType::Float16, DataType::BFloat16,
                           DataType::Float, DataType::Int32})
      for (int repeat = 0; repeat < 25; ++repeat) {
        const Lines lines(random);
        const bool exclusive = random() % 2, reverse = random() % 2;
        Floats values(lines.count() * lines.length);
        for (float &value : values)
          value = dtype == DataType::Int32
                      ? float(int(random() % 2000)) - 1000
                      : halfValue(halfBits(random() % 1000 / 7.0 - 70));
        auto make = [&](const Floats &from) {
          return dtype == DataType::Int32
                     ? tensor(plainDesc(dtype, lines.shape),
                              std::vector<int32_t>(from.begin(), from.end()))
                     : floatTensor(dtype, lines.shape, from);
        };
        TestTensor x = make(values);
        if (dtype != DataType::Int32)
          values = floatsOf(x);
        Attributes attrs;
        attrs.set("exclusive", exclusive);
        attrs.set("reverse", reverse);
        std::vector<TestTensor> inputs = {x};
        if (type == "CumsumD")
          attrs.set("axis", lines.number(random));
        else
          inputs.push_back(tensor<int64_t>(plainDesc(DataType::Int64, {}),
                                           {lines.number(random)}));
        auto result = runNode(type, inputs, {x.desc}, attrs, {}, 2);
        Floats expected(values.size());
        for (int64_t line = 0; line < lines.count(); ++line) {
          float sum = 0;
          for (int64_t i = 0; i < lines.length; ++i) {
            const size_t at = lines.place(
                line, reverse ? lines.length - 1 - i : i, lines.length);
            float next = sum + values[at];
            if (dtype == DataType::Float16)
              next = toHalfAndBack(next);
            expected[at] = exclusive ? sum : next;
            sum = next;
          }
        }
        EXPECT_EQ(result.outputs[0].bytes, make(expected).bytes)
            << type << " " << x.desc.toString();
      }
}
