// Gathering and scattering by random indices against the definitions.

#include "RandomTensor.h"

using namespace npu;
using namespace npu::kernels;

using List = std::vector<int64_t>;
using Ints = std::vector<int32_t>;

namespace {

Ints valuesOf(TestTensor &tensor) {
  auto span = tensor.as<int32_t>();
  return {span.begin(), span.end()};
}

/// Coordinates of the first axes of \p shape, some outside of it.
struct Coordinates {
  Shape batch;   ///< of the pieces
  int64_t depth; ///< numbers for a piece
  List numbers;
  Shape rest; ///< of a piece

  Coordinates(std::mt19937 &random, const Shape &shape)
      : batch(randomShape(random, 1, 2, 4)), depth(1 + random() % shape.size()),
        rest(shape.begin() + depth, shape.end()) {
    for (int64_t i = 0, e = getNumElements(batch) * depth; i < e; ++i)
      numbers.push_back(int64_t(random() % (shape[i % depth] + 1)) -
                        int64_t(random() % 9 == 0));
  }
  TestTensor tensor() const {
    Shape shape = batch;
    shape.push_back(depth);
    return kernels::tensor(plainDesc(DataType::Int64, shape), numbers);
  }
  Shape pieces() const {
    Shape shape = batch;
    shape.insert(shape.end(), rest.begin(), rest.end());
    return shape;
  }
  /// Where piece \p number lies in a tensor of \p shape, or -1.
  int64_t place(int64_t number, const Shape &shape) const {
    int64_t place = 0;
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t index = numbers[number * depth + i];
      if (index < 0 || index >= shape[i])
        return -1;
      place = place * shape[i] + index;
    }
    return place * getNumElements(rest);
  }
};

} // namespace

TEST(ScatterTest, GatherNd) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Shape shape = randomShape(random, 1, 4, 5);
    const Coordinates by(random, shape);
    auto result = runNode("GatherNd", {numbered(shape), by.tensor()},
                          {plainDesc(DataType::Int32, by.pieces())}, {}, {}, 2);
    Ints expected;
    const int64_t width = getNumElements(by.rest);
    for (int64_t i = 0; i < getNumElements(by.batch); ++i)
      for (int64_t j = 0; j < width; ++j) {
        const int64_t place = by.place(i, shape);
        expected.push_back(place < 0 ? 0 : static_cast<int32_t>(place + j) + 1);
      }
    EXPECT_EQ(valuesOf(result.outputs[0]), expected);
  }
}

TEST(ScatterTest, ByCoordinates) {
  std::mt19937 random(5);
  for (const std::string type :
       {"ScatterNd", "ScatterNdUpdate", "TensorScatterUpdate"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 1, 4, 5);
      const Coordinates by(random, shape);
      const bool isNew = type == "ScatterNd";
      TestTensor updates = numbered(by.pieces());
      for (int32_t &value : updates.as<int32_t>())
        value = -value;
      TestTensor x = numbered(shape);
      const TensorDesc out = x.desc;
      auto result =
          isNew ? runNode(type,
                          {by.tensor(), updates,
                           indexTensor(List(shape.begin(), shape.end()))},
                          {out})
                : runNode(type, {x, by.tensor(), updates}, {out});
      Ints expected = isNew ? Ints(getNumElements(shape)) : valuesOf(x);
      const Ints pieces = valuesOf(updates);
      const int64_t width = getNumElements(by.rest);
      for (int64_t i = 0; i < getNumElements(by.batch); ++i)
        if (const int64_t place = by.place(i, shape); place >= 0)
          for (int64_t j = 0; j < width; ++j) {
            int32_t &value = expected[place + j];
            value = (isNew ? value : 0) + pieces[i * width + j];
          }
      EXPECT_EQ(valuesOf(result.outputs[0]), expected) << type;
    }
}

TEST(ScatterTest, Rows) {
  std::mt19937 random(7);
  for (const std::string type : {"ScatterUpdate", "ScatterAdd"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 1, 3, 5);
      Shape pieces = shape;
      pieces[0] = 1 + random() % 6;
      List indices;
      for (int64_t i = 0; i < pieces[0]; ++i)
        indices.push_back(int64_t(random() % (shape[0] + 2)) - 1);
      TestTensor x = numbered(shape), updates = numbered(pieces);
      auto result = runNode(type, {x, indexTensor(indices), updates}, {x.desc});
      Ints expected = valuesOf(x), from = valuesOf(updates);
      const int64_t width = getNumElements(shape) / shape[0];
      for (int64_t i = 0; i < pieces[0]; ++i)
        for (int64_t j = 0; j < width; ++j)
          if (indices[i] >= 0 && indices[i] < shape[0]) {
            int32_t &value = expected[indices[i] * width + j];
            value = (type == "ScatterAdd" ? value : 0) + from[i * width + j];
          }
      EXPECT_EQ(valuesOf(result.outputs[0]), expected) << type;
    }
}

TEST(ScatterTest, Elements) {
  std::mt19937 random(9);
  for (const std::string reduction : {"gather", "none", "add", "mul"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 1, 4, 5);
      const size_t axis = random() % shape.size();
      Shape part = shape;
      for (size_t i = 0; i < shape.size(); ++i)
        part[i] = i == axis ? 1 + int64_t(random() % 6)
                            : 1 + int64_t(random() % shape[i]);
      Ints indices(getNumElements(part));
      for (int32_t &index : indices) // some from the end
        index = static_cast<int32_t>(random() % (2 * shape[axis])) -
                static_cast<int32_t>(shape[axis]);
      TestTensor x = numbered(shape), updates = numbered(part);
      const TestTensor by = tensor(plainDesc(DataType::Int32, part), indices);
      Attributes attrs;
      const int64_t number =
          int64_t(axis) - (random() % 2 ? int64_t(shape.size()) : 0);
      attrs.set(reduction == "gather" ? "dim" : "axis", number);
      attrs.set("reduction", reduction);
      auto result =
          reduction == "gather"
              ? runNode("GatherElements", {x, by}, {updates.desc}, attrs, {}, 2)
              : runNode("ScatterElements", {x, by, updates}, {x.desc}, attrs);
      Ints expected = valuesOf(x), gathered;
      forEachIndex(part, [&](List index, size_t place) {
        const int64_t given = indices[place];
        index[axis] = given < 0 ? given + shape[axis] : given;
        int32_t &value = expected[placeOf(index, shape)];
        const int32_t update = static_cast<int32_t>(place) + 1;
        gathered.push_back(value);
        if (reduction == "none")
          value = update;
        else if (reduction == "add")
          value += update;
        else if (reduction == "mul") // wraps
          value = static_cast<int32_t>(uint32_t(value) * uint32_t(update));
      });
      EXPECT_EQ(valuesOf(result.outputs[0]),
                reduction == "gather" ? gathered : expected)
          << reduction;
    }
}

TEST(ScatterTest, AtomicsReportTheirOverflow) {
  Attributes attrs;
  attrs.set("atomic_output_index", List{0});
  const float large = 0x1.8p127f;
  const TensorDesc one = plainDesc(DataType::Float, {1});
  auto result = runNode("ScatterAdd",
                        {tensor<float>(one, {large}), indexTensor({0}),
                         tensor<float>(one, {large})},
                        {one}, attrs);
  EXPECT_EQ(result.status.atomic, AtomicOverflow::Upward);
  EXPECT_EQ(result.status.valid, status::None);
}
