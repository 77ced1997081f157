// GroupNorm and InstanceNorm against their definition, bit for bit, in random
// shapes and formats.

#include "FloatTester.h"

#include <array>

using namespace npu;
using namespace npu::kernels;

namespace {

/// What the element (n, c, s) of x, an image of N x C x S, is among others.
struct Images {
  int64_t n, c, s;
  size_t at(int64_t image, int64_t channel, int64_t place) const {
    return static_cast<size_t>((image * c + channel) * s + place);
  }
};

struct Normalized {
  Floats y, mean, variance;
};

Normalized define(const Images &images, int64_t groups, const Floats &x,
                  const Floats &gamma, const Floats &beta, float epsilon) {
  Normalized result;
  result.y.resize(x.size());
  const int64_t width = images.c / groups;
  const float share = 1.0f / static_cast<float>(width * images.s);
  for (int64_t image = 0; image < images.n; ++image)
    for (int64_t group = 0; group < groups; ++group) {
      std::vector<size_t> places;
      for (int64_t c = group * width; c < (group + 1) * width; ++c)
        for (int64_t s = 0; s < images.s; ++s)
          places.push_back(images.at(image, c, s));
      Floats terms;
      for (size_t place : places)
        terms.push_back(x[place] * share);
      const float mean = documentedSum(terms);
      for (size_t i = 0; i < places.size(); ++i) {
        const float difference = x[places[i]] - mean;
        terms[i] = difference * difference * share;
      }
      const float variance = documentedSum(terms);
      const float root = 1.0f / std::sqrt(variance + epsilon);
      for (size_t place : places) {
        const size_t c = place / images.s % images.c;
        result.y[place] = (x[place] - mean) * root * gamma[c] + beta[c];
      }
      result.mean.push_back(mean);
      result.variance.push_back(variance);
    }
  return result;
}

Floats rounded(DataType dtype, const Floats &values) {
  TestTensor tensor =
      floatTensor(dtype, {static_cast<int64_t>(values.size())}, values);
  return floatsOf(tensor);
}

} // namespace

TEST(GroupNormTest, RandomShapes) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const int64_t groups = 1 + random() % 5, width = 1 + random() % 5;
    const int64_t height = 1 + random() % 4, breadth = 1 + random() % 4;
    const Images images{int64_t(1 + random() % 3), groups * width,
                        height * breadth};
    const DataType dtype = random() % 2 ? DataType::Float16 : DataType::Float;
    const Format format =
        std::array{Format::NCHW, Format::NHWC, Format::NC1HWC0}[random() % 3];
    const bool isInstance = random() % 2;
    SCOPED_TRACE(std::string(getName(format)) + " " +
                 std::string(getName(dtype)));
    const Floats x =
        randomFloats(images.n * images.c * images.s, -3, 5, random());
    const Floats gamma = randomFloats(images.c, -2, 2, random()),
                 beta = randomFloats(images.c, -1, 1, random());
    const float epsilon = 0.01f;
    const int64_t lines = images.n * (isInstance ? images.c : groups);
    Attributes attrs;
    attrs.set(isInstance ? "epsilon" : "eps", epsilon);
    if (!isInstance)
      attrs.set("num_groups", groups);
    const Shape shape{images.n, images.c, height, breadth};
    TestTensor image = floatTensor(dtype, shape, x);
    image.desc.format = image.desc.originFormat = Format::NCHW;
    auto moved = [&](const TestTensor &from, Format to) {
      TensorDesc desc =
          to == Format::NC1HWC0 ? privateDesc(dtype, to, Format::NCHW, shape)
          : to == Format::NHWC
              ? plainDesc(dtype, {images.n, height, breadth, images.c}, to)
              : image.desc;
      return TestTensor{desc,
                        runNode("TransData", {from}, {desc}).outputs[0].bytes};
    };
    const TestTensor input =
        format == Format::NCHW ? image : moved(image, format);
    auto result = runEverywhere(
        isInstance ? "InstanceNorm" : "GroupNorm",
        {input, floatTensor(dtype, {images.c}, gamma),
         floatTensor(dtype, {images.c}, beta)},
        {input.desc, plainDesc(dtype, {lines}), plainDesc(dtype, {lines})},
        attrs);
    const Normalized expected =
        define(images, isInstance ? images.c : groups, x, gamma, beta, epsilon);
    TestTensor back = format == Format::NCHW
                          ? result.outputs[0]
                          : moved(result.outputs[0], Format::NCHW);
    expectSameBits(floatsOf(back), rounded(dtype, expected.y));
    expectSameBits(floatsOf(result.outputs[1]), rounded(dtype, expected.mean));
    expectSameBits(floatsOf(result.outputs[2]),
                   rounded(dtype, expected.variance));
  }
}

TEST(GroupNormTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {1, 4, 2}, Format::ND);
  const TensorDesc four = plainDesc(DataType::Float, {4}),
                   two = plainDesc(DataType::Float, {2});
  Attributes attrs;
  attrs.set("data_format", std::string("NCHW"));
  attrs.set("num_groups", int64_t(3));
  EXPECT_EQ(refusal("GroupNorm", {x, four, four}, {x, two, two}, attrs),
            "GroupNorm 'node': 3 groups do not divide " + x.toString());
  attrs.set("num_groups", int64_t(4));
  EXPECT_EQ(refusal("GroupNorm", {x, four, four}, {x, two, two}, attrs),
            "GroupNorm 'node': its tensors do not fit " + x.toString() +
                " of 4 groups");
}
