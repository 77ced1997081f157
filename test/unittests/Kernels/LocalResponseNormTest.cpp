// LRN against its definition in double, in plain formats and in blocks.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

struct Parameters {
  int64_t radius = 5;
  float bias = 1, alpha = 1, beta = 0.5f;

  Attributes attributes() const {
    Attributes attrs;
    attrs.set("depth_radius", radius);
    attrs.set("bias", bias);
    attrs.set("alpha", alpha);
    attrs.set("beta", beta);
    return attrs;
  }
  /// Of \p x, an image in NCHW.
  std::vector<double> apply(const Floats &x, const Shape &shape) const {
    const int64_t plane = shape[2] * shape[3];
    std::vector<double> y(x.size());
    for (int64_t n = 0; n < shape[0]; ++n)
      for (int64_t c = 0; c < shape[1]; ++c)
        for (int64_t at = 0; at < plane; ++at) {
          auto place = [&](int64_t channel) {
            return static_cast<size_t>((n * shape[1] + channel) * plane + at);
          };
          double sum = 0;
          for (int64_t i = c - radius; i <= c + radius; ++i)
            if (i >= 0 && i < shape[1])
              sum += double(x[place(i)]) * x[place(i)];
          y[place(c)] = x[place(c)] * std::pow(bias + alpha * sum, -beta);
        }
    return y;
  }
};

} // namespace

TEST(LocalResponseNormTest, RandomShapes) {
  std::mt19937 random(4);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape shape{int64_t(1 + random() % 2), int64_t(1 + random() % 40),
                      int64_t(1 + random() % 5), int64_t(1 + random() % 5)};
    Parameters p;
    p.radius = random() % 7;
    p.bias = 1.0f + static_cast<float>(random() % 8) / 4;
    p.alpha = random() % 2 ? 0.0005f : 0.75f;
    p.beta = random() % 2 ? 0.75f : 0.5f;
    const bool isHalf = random() % 2;
    const DataType dtype = isHalf ? DataType::Float16 : DataType::Float;
    const Soc soc = random() % 2 ? Soc::Ascend910A : Soc::Ascend910B;
    Attributes attrs = p.attributes();
    attrs.set("_op_impl_mode_enum", int64_t(4)); // fp32 everywhere
    const size_t count = static_cast<size_t>(getNumElements(shape));
    TestTensor x =
        floatTensor(dtype, shape, randomFloats(count, -20, 20, random()));
    const TensorDesc plain = plainDesc(dtype, shape, Format::NCHW);
    x.desc = plain;
    const std::vector<double> expected = p.apply(floatsOf(x), shape);
    const NumericConfig config{soc, OverflowMode::InfNan};
    auto result = runEverywhere("LRN", {x}, {plain}, attrs, config);
    if (isHalf)
      expectHalvesNear(result.outputs[0],
                       Floats(expected.begin(), expected.end()), 1);
    else
      expectNear(floatsOf(result.outputs[0]), expected, 1e-5);
    // The same bits in blocks, and with the channels last.
    for (const TensorDesc &other :
         {privateDesc(dtype, Format::NC1HWC0, Format::NCHW, shape),
          plainDesc(dtype, {shape[0], shape[2], shape[3], shape[1]},
                    Format::NHWC)}) {
      const TestTensor moved = runNode("TransData", {x}, {other}).outputs[0];
      const TestTensor y =
          runNode("LRN", {moved}, {other}, attrs, config).outputs[0];
      EXPECT_EQ(runNode("TransData", {y}, {plain}).outputs[0].bytes,
                result.outputs[0].bytes);
    }
  }
}

// In fp16 the sum rounds with each channel from the lowest one on: ones are
// lost behind 2048, and not before it.
TEST(LocalResponseNormTest, SumsInTheOrderOfChannels) {
  constexpr int64_t Radius = 40, Count = 2 * Radius + 1;
  Parameters p;
  p.radius = Radius;
  p.bias = 0;
  p.beta = -1; // y is x times the sum of squares, nearly
  const TensorDesc desc =
      plainDesc(DataType::Float16, {1, Count, 1, 1}, Format::NCHW);
  auto middleOf = [&](size_t largeAt) {
    std::vector<double> x(Count, 1.0);
    x[largeAt] = std::sqrt(2048.0); // whose square rounds to 2048
    TestTensor input = halves({1, Count, 1, 1}, x);
    input.desc = desc;
    auto result = runNode("LRN", {input}, {desc}, p.attributes(),
                          {Soc::Ascend310, OverflowMode::Saturate});
    return halfValue(result.values<uint16_t>()[Radius]);
  };
  EXPECT_NEAR(middleOf(0), 2048, 8);
  EXPECT_NEAR(middleOf(Count - 1), 2128, 8);
}

TEST(LocalResponseNormTest, Refusals) {
  const TensorDesc image =
      plainDesc(DataType::Float16, {1, 2, 3, 3}, Format::NCHW);
  Attributes attrs;
  attrs.set("norm_region", std::string("WITHIN_CHANNEL"));
  EXPECT_EQ(refusal("LRN", {image}, {image}, attrs),
            "LRN 'node': attribute 'norm_region' is 'WITHIN_CHANNEL', expected "
            "ACROSS_CHANNELS");
  attrs = {};
  attrs.set("depth_radius", int64_t(49));
  EXPECT_EQ(refusal("LRN", {image}, {image}, attrs),
            "LRN 'node': attribute 'depth_radius' is 49, expected 0 to 48");
  const TensorDesc plain = plainDesc(DataType::Float16, {1, 2, 3, 3});
  EXPECT_EQ(refusal("LRN", {plain}, {plain}),
            "LRN 'node': DT_FLOAT16 1x2x3x3 ND has no channels");
}
