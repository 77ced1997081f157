// Blocks of pixels as channels or images, of random shapes, against the
// definitions.

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

} // namespace

TEST(SpaceDepthTest, Depth) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const bool toSpace = random() % 2, last = random() % 2;
    const bool byChannel = toSpace && random() % 2;
    const int64_t b = 1 + random() % 3, n = 1 + random() % 2,
                  h = 1 + random() % 3, w = 1 + random() % 3,
                  c = 1 + random() % 3;
    const Shape deep = last ? Shape{n, h, w, c * b * b}
                            : Shape{n, c * b * b, h, w},
                wide = last ? Shape{n, h * b, w * b, c}
                            : Shape{n, c, h * b, w * b};
    const size_t row = last ? 1 : 2, channel = last ? 3 : 1;
    Attributes attrs;
    attrs.set("block_size", b);
    attrs.set("mode", std::string(byChannel ? "CRD" : "DCR"));
    attrs.set("data_format", std::string(last ? "NHWC" : "NCHW"));
    auto result =
        runNode(toSpace ? "DepthToSpace" : "SpaceToDepth",
                {numbered(toSpace ? deep : wide)},
                {plainDesc(DataType::Int32, toSpace ? wide : deep)}, attrs);
    Ints expected(getNumElements(wide));
    forEachIndex(wide, [&](List index, size_t place) {
      const int64_t pixel = index[row] % b * b + index[row + 1] % b;
      index[row] /= b;
      index[row + 1] /= b;
      index[channel] = byChannel ? index[channel] * b * b + pixel
                                 : pixel * c + index[channel];
      const size_t other = placeOf(index, deep);
      if (toSpace)
        expected[place] = static_cast<int32_t>(other) + 1;
      else
        expected[other] = static_cast<int32_t>(place) + 1;
    });
    EXPECT_EQ(valuesOf(result.outputs[0]), expected);
  }
}

TEST(SpaceDepthTest, Batches) {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const bool toSpace = random() % 2;
    const size_t count = 1 + random() % 2;
    Shape many = randomShape(random, count + 1, count + 2, 3), wide = many;
    List blocks, margins;
    for (size_t i = 0; i < count; ++i) {
      blocks.push_back(1 + random() % 3);
      many[0] *= blocks[i];
      const int64_t all = many[i + 1] * blocks[i];
      margins.push_back(random() % all);
      margins.push_back(random() % (all - margins.back()));
      wide[i + 1] = all - margins[2 * i] - margins[2 * i + 1];
    }
    Attributes attrs;
    attrs.set("block_shape", blocks);
    attrs.set(toSpace ? "crops" : "paddings", margins);
    auto result =
        runNode(toSpace ? "BatchToSpaceNDD" : "SpaceToBatchNDD",
                {numbered(toSpace ? many : wide)},
                {plainDesc(DataType::Int32, toSpace ? wide : many)}, attrs);
    Ints expected(getNumElements(toSpace ? wide : many));
    forEachIndex(wide, [&](List index, size_t place) {
      int64_t pixel = 0;
      for (size_t i = 0; i < count; ++i) {
        const int64_t at = index[i + 1] + margins[2 * i];
        pixel = pixel * blocks[i] + at % blocks[i];
        index[i + 1] = at / blocks[i];
      }
      index[0] += pixel * wide[0];
      const size_t other = placeOf(index, many);
      if (toSpace)
        expected[place] = static_cast<int32_t>(other) + 1;
      else
        expected[other] = static_cast<int32_t>(place) + 1;
    });
    EXPECT_EQ(valuesOf(result.outputs[0]), expected);
  }
}
