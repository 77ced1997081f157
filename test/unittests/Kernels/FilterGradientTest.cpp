// Gradients of convolutions to their filters: fp32 sums one after the other in
// the order of docs/Cube.md, bit for bit.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using List = std::vector<int64_t>;

struct Problem {
  int64_t n, cin, cout, h, w, kh, kw;
  int64_t stride = 1, dilation = 1, groups = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool depthwise = false;

  int64_t outH() const {
    return (h + top + bottom - dilation * (kh - 1) - 1) / stride + 1;
  }
  int64_t outW() const {
    return (w + left + right - dilation * (kw - 1) - 1) / stride + 1;
  }
};

TestTensor inFormat(const TestTensor &plain, const TensorDesc &to) {
  return runNode("TransData", {plain}, {to}).outputs[0];
}

TestTensor image(DataType dtype, Shape shape, const Floats &values) {
  TestTensor tensor = floatTensor(dtype, std::move(shape), values);
  tensor.desc.format = tensor.desc.originFormat = Format::NCHW;
  return tensor;
}

/// df[co, ci in its group, kh, kw].
Floats definition(const Problem &p, const Floats &x, const Floats &dy) {
  const int64_t groupIn = p.cin / p.groups, groupOut = p.cout / p.groups;
  Floats result;
  for (int64_t co = 0; co < p.cout; ++co)
    for (int64_t ci = 0; ci < groupIn; ++ci)
      for (int64_t i = 0; i < p.kh; ++i)
        for (int64_t j = 0; j < p.kw; ++j) {
          float sum = 0;
          for (int64_t n = 0; n < p.n; ++n)
            for (int64_t oh = 0; oh < p.outH(); ++oh)
              for (int64_t ow = 0; ow < p.outW(); ++ow) {
                const int64_t h = oh * p.stride - p.top + i * p.dilation;
                const int64_t w = ow * p.stride - p.left + j * p.dilation;
                if (h < 0 || h >= p.h || w < 0 || w >= p.w)
                  continue;
                const int64_t c = co / groupOut * groupIn + ci;
                sum += x[((n * p.cin + c) * p.h + h) * p.w + w] *
                       dy[((n * p.cout + co) * p.outH() + oh) * p.outW() + ow];
              }
          result.push_back(sum);
        }
  return result;
}

void check(const Problem &p, unsigned seed, bool privateFormats,
           DataType dtype = DataType::Float16) {
  SCOPED_TRACE(seed);
  const Shape xShape{p.n, p.cin, p.h, p.w};
  const Shape dyShape{p.n, p.cout, p.outH(), p.outW()};
  TestTensor input =
      image(dtype, xShape, randomFloats(p.n * p.cin * p.h * p.w, -2, 2, seed));
  TestTensor gradient =
      image(dtype, dyShape,
            randomFloats(p.n * p.cout * p.outH() * p.outW(), -2, 2, seed + 1));
  const Floats x = floatsOf(input), dy = floatsOf(gradient);
  const Shape filterShape{p.cout, p.cin / p.groups, p.kh, p.kw};
  TensorDesc filter = plainDesc(DataType::Float, filterShape, Format::NCHW);
  if (p.depthwise) {
    // [KH, KW, C, M]
    const Shape hwcn{p.kh, p.kw, p.cin, p.cout / p.cin};
    filter = plainDesc(DataType::Float, hwcn, Format::HWCN);
  }
  const TensorDesc plainFilter = filter;
  if (privateFormats) {
    input = inFormat(input,
                     privateDesc(dtype, Format::NC1HWC0, Format::NCHW, xShape));
    gradient = inFormat(
        gradient, privateDesc(dtype, Format::NC1HWC0, Format::NCHW, dyShape));
    if (p.groups == 1)
      filter = privateDesc(DataType::Float, Format::FRACTAL_Z, Format::NCHW,
                           filterShape);
  }
  Attributes attrs;
  attrs.set("strides", List{1, 1, p.stride, p.stride});
  attrs.set("dilations", List{1, 1, p.dilation, p.dilation});
  attrs.set("pads", List{p.top, p.bottom, p.left, p.right});
  attrs.set("data_format", std::string("NCHW"));
  attrs.set("groups", p.groups);
  auto result = runEverywhere(p.depthwise ? "DepthwiseConv2DBackpropFilterD"
                                          : "Conv2DBackpropFilterD",
                              {input, gradient}, {filter}, attrs);
  EXPECT_EQ(result.status.valid, status::None);
  TestTensor output = result.outputs[0];
  if (filter.format == Format::FRACTAL_Z) {
    output = inFormat(output, plainFilter);
    // Padding is zero.
    EXPECT_EQ(inFormat(output, filter).bytes, result.outputs[0].bytes);
  }
  Floats expected = definition(p, x, dy);
  if (p.depthwise) {
    Floats transposed(expected.size());
    const int64_t m = p.cout / p.cin, taps = p.kh * p.kw;
    for (int64_t co = 0; co < p.cout; ++co)
      for (int64_t tap = 0; tap < taps; ++tap)
        transposed[tap * p.cout + co / m * m + co % m] =
            expected[co * taps + tap];
    expected = transposed;
  }
  expectSameBits(floatsOf(output), expected);
}

} // namespace

TEST(FilterGradientTest, RandomShapes) {
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  for (unsigned i = 0; i < 40; ++i) {
    Problem p{};
    p.n = pick(1, 3);
    p.cin = pick(1, 37);
    p.cout = pick(1, 37);
    p.kh = pick(1, 3), p.kw = pick(1, 3);
    p.stride = pick(1, 2), p.dilation = pick(1, 2), p.groups = 1;
    p.top = pick(0, 2), p.bottom = pick(0, 2);
    p.left = pick(0, 2), p.right = pick(0, 2);
    p.h = pick(5, 9), p.w = pick(5, 9);
    check(p, 100 + 2 * i, i % 4 != 0,
          i % 5 == 0 ? DataType::BFloat16 : DataType::Float16);
  }
}

TEST(FilterGradientTest, Groups) {
  Problem p{2, 8, 12, 6, 5, 3, 3, 1, 1, 4, 1, 1, 1, 1};
  check(p, 1, false);
  check(p, 2, true);
}

TEST(FilterGradientTest, Depthwise) {
  for (int64_t multiplier : {1, 2}) {
    Problem p{2, 20, 20 * multiplier, 6, 5, 3, 3, 2, 1, 20, 1, 1, 1, 1, true};
    check(p, 3, false);
    check(p, 4, true);
  }
}

// A ResNet layer: long sums.
TEST(FilterGradientTest, LongSums) {
  check({4, 16, 32, 28, 28, 3, 3, 1, 1, 1, 1, 1, 1, 1}, 5, true);
}

TEST(FilterGradientTest, NonFiniteInput) {
  const TensorDesc desc =
      plainDesc(DataType::Float16, {1, 1, 1, 1}, Format::NCHW);
  Attributes attrs;
  attrs.set("strides", List{1, 1, 1, 1});
  attrs.set("pads", List{0, 0, 0, 0});
  attrs.set("data_format", std::string("NCHW"));
  auto result = runNode(
      "Conv2DBackpropFilterD",
      {tensor<uint16_t>(desc, {0x7C00}), tensor<uint16_t>(desc, {0x3C00})},
      {plainDesc(DataType::Float, {1, 1, 1, 1}, Format::NCHW)}, attrs,
      NumericConfig::forSoc(Soc::Ascend910B));
  EXPECT_EQ(result.status.valid, status::CubeNanInfInput);
}

TEST(FilterGradientTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float16, {1, 4, 5, 5}, Format::NCHW);
  const TensorDesc dy =
      plainDesc(DataType::Float16, {1, 6, 5, 5}, Format::NCHW);
  const TensorDesc df = plainDesc(DataType::Float, {6, 3, 1, 1}, Format::NCHW);
  EXPECT_EQ(refusal("Conv2DBackpropFilterD", {x, dy}, {df}),
            "Conv2DBackpropFilterD node: a filter " + df.toString() +
                " in 1 groups does not lead from 4 to 6 channels");
  EXPECT_EQ(refusal("Conv2DBackpropFilterD", {x}, {df}),
            "Conv2DBackpropFilterD node: expected x, out_backprop and one "
            "output");
}
