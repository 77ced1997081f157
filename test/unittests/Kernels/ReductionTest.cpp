// Reductions, softmax and pooling against definitions in double.

#include "KernelTester.h"

#include "npu/Numerics/SimdTarget.h"

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

Attributes axesAttr(std::vector<int64_t> axes) {
  Attributes attrs;
  attrs.set("axes", std::move(axes));
  return attrs;
}

std::vector<double> randomHalves(size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> values(count);
  for (double &value : values)
    value = halfValue(halfBits(uniform(random)));
  return values;
}

/// \p values in NCHW order as a tensor of \p format, through TransData.
TestTensor packed(Format format, Shape origin,
                  const std::vector<double> &values) {
  TestTensor plain = halves(origin, values);
  plain.desc.format = plain.desc.originFormat = Format::NCHW;
  return runNode("TransData", {plain},
                 {privateDesc(DataType::Float16, format, Format::NCHW, origin)})
      .outputs[0];
}

void expectUlp(uint16_t actual, double exact, int ulp) {
  EXPECT_LE(std::abs(int(actual) - int(halfBits(exact))), ulp)
      << halfValue(actual) << " for " << exact;
}

} // namespace

// U25: 5120 ones.
TEST(ReductionTest, AccumulatesInFloat) {
  auto ones = halves({5120}, std::vector<double>(5120, 1.0));
  const TensorDesc scalar = plainDesc(DataType::Float16, {});
  EXPECT_EQ(runNode("ReduceSumD", {ones}, {scalar}, axesAttr({0}))
                .values<uint16_t>()[0],
            0x6D00);
  // Ascend310 adds in fp16, where 2048 + 1 is 2048.
  EXPECT_EQ(runNode("ReduceSumD", {ones}, {scalar}, axesAttr({0}),
                    NumericConfig::forSoc(Soc::Ascend310))
                .values<uint16_t>()[0],
            0x6800);
  auto axes = tensor<int32_t>(plainDesc(DataType::Int32, {1}), {-1});
  EXPECT_EQ(runNode("ReduceSum", {ones, axes}, {scalar}).values<uint16_t>()[0],
            0x6D00);
}

TEST(ReductionTest, SumOverflowsInTheCast) {
  auto x = halves({2000}, std::vector<double>(2000, 40.0));
  auto result = runNode("ReduceSumD", {x}, {plainDesc(DataType::Float16, {})},
                        axesAttr({}));
  EXPECT_EQ(result.values<uint16_t>()[0], 0x7BFF);
  EXPECT_EQ(result.status.valid, status::CastOverflow);
}

// The documented order: 16 interleaved partial sums, then a tree.
TEST(ReductionTest, OrderOfTheSum) {
  std::vector<float> x(1003);
  std::mt19937 random(1);
  for (float &value : x)
    value = std::ldexp(float(random() % 1000) - 500, int(random() % 30) - 15);
  float partial[16] = {};
  for (size_t i = 0; i < x.size(); ++i)
    partial[i % 16] += x[i];
  for (int width : {8, 4, 2, 1})
    for (int i = 0; i < width; ++i)
      partial[i] += partial[i + width];
  const TensorDesc desc = plainDesc(DataType::Float, {1003});
  auto result = runNode("ReduceSumD", {tensor(desc, x)},
                        {plainDesc(DataType::Float, {})}, axesAttr({0}));
  EXPECT_EQ(result.values<float>()[0], partial[0]);
}

TEST(ReductionTest, MeanOfAnImage) {
  const Shape origin{2, 20, 7, 5};
  auto values = randomHalves(2 * 20 * 35, 4, 2);
  auto x = packed(Format::NC1HWC0, origin, values);
  auto check = [&](std::vector<int64_t> axes, Format originFormat,
                   TestTensor input, TensorDesc output) {
    auto result = runNode("ReduceMeanD", {input}, {output},
                          axesAttr(std::move(axes)), {}, 3)
                      .values<uint16_t>();
    ASSERT_EQ(result.size(), 2u * 32);
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 32; ++c) {
        if (c >= 20) {
          EXPECT_EQ(result[n * 32 + c], 0);
          continue;
        }
        double sum = 0;
        for (int i = 0; i < 35; ++i)
          sum += values[(n * 20 + c) * 35 + i];
        expectUlp(result[n * 32 + c], sum / 35, 1);
      }
  };
  check({2, 3}, Format::NCHW, x,
        privateDesc(DataType::Float16, Format::NC1HWC0, Format::NCHW,
                    {2, 20, 1, 1}));
  // Axes of the private format although the origin is NHWC, as graphs of
  // TensorFlow have it.
  TestTensor y = x;
  y.desc.originFormat = Format::NHWC;
  y.desc.originShape = {2, 7, 5, 20};
  check({2, 3}, Format::NHWC, y,
        privateDesc(DataType::Float16, Format::NC1HWC0, Format::NHWC,
                    {2, 1, 1, 20}));
}

TEST(ReductionTest, MaximumAndItsPlace) {
  auto x = halves({2, 4}, {1, 7, 7, -3, -5, -2, -9, -2});
  EXPECT_EQ(runNode("ReduceMaxD", {x}, {plainDesc(DataType::Float16, {2})},
                    axesAttr({1}))
                .values<uint16_t>(),
            (std::vector{halfBits(7), halfBits(-2)}));
  EXPECT_EQ(
      runNode("ReduceMinD", {x}, {plainDesc(DataType::Float16, {4})},
              axesAttr({0}))
          .values<uint16_t>(),
      (std::vector{halfBits(-5), halfBits(-2), halfBits(-9), halfBits(-3)}));
  Attributes attrs;
  attrs.set("dimension", int64_t(1));
  EXPECT_EQ(runNode("ArgMaxD", {x}, {plainDesc(DataType::Int32, {2})}, attrs)
                .values<int32_t>(),
            (std::vector<int32_t>{1, 1}));
}

TEST(ReductionTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float16, {2, 4});
  EXPECT_NE(refusal("ReduceSumD", {x}, {plainDesc(DataType::Float16, {2})},
                    axesAttr({0}))
                .find("does not give"),
            std::string::npos);
  EXPECT_NE(refusal("ReduceSumD", {x}, {plainDesc(DataType::Float16, {2})},
                    axesAttr({2}))
                .find("axis 2 is not one"),
            std::string::npos);
}

TEST(SoftmaxTest, LayoutsAndPadding) {
  struct Case {
    Format format;
    Shape origin;
    std::vector<int64_t> axes;
  };
  for (const Case &c : {Case{Format::NC1HWC0, {1, 1000, 1, 1}, {1}},
                        Case{Format::NC1HWC0, {2, 20, 3, 2}, {1}},
                        Case{Format::NCHW, {2, 5, 3, 37}, {-1}},
                        Case{Format::FRACTAL_NZ, {3, 2, 21, 19}, {-1}}}) {
    SCOPED_TRACE(getName(c.format));
    auto values = randomHalves(getNumElements(c.origin), 8, 9);
    auto x = packed(c.format, c.origin, values);
    Attributes attrs = axesAttr(c.axes);
    auto once = runNode("SoftmaxV2", {x}, {x.desc}, attrs);
    auto threaded = runNode("SoftmaxV2", {x}, {x.desc}, attrs, {}, 3);
    EXPECT_EQ(once.values<uint16_t>(), threaded.values<uint16_t>());
    for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
      numerics::setTargetForTest(target);
      auto other = runNode("SoftmaxV2", {x}, {x.desc}, attrs);
      numerics::setTargetForTest(std::nullopt);
      EXPECT_EQ(once.values<uint16_t>(), other.values<uint16_t>());
    }
    // Back in logical order: against the definition, with x - max rounded.
    TensorDesc plain = plainDesc(DataType::Float16, c.origin, Format::NCHW);
    auto y =
        runNode("TransData", {once.outputs[0]}, {plain}).values<uint16_t>();
    const bool alongC = c.axes[0] == 1;
    const int64_t length = alongC ? c.origin[1] : c.origin[3];
    const int64_t step = alongC ? c.origin[2] * c.origin[3] : 1;
    for (int64_t i = 0; i < getNumElements(c.origin); ++i) {
      if (i / step % length != 0)
        continue;
      double max = -1e9, sum = 0;
      for (int64_t k = 0; k < length; ++k)
        max = std::max(max, values[i + k * step]);
      auto difference = [&](int64_t k) {
        return double(halfValue(halfBits(values[i + k * step] - max)));
      };
      for (int64_t k = 0; k < length; ++k)
        sum += std::exp(difference(k));
      for (int64_t k = 0; k < length; ++k)
        expectUlp(y[i + k * step], std::exp(difference(k)) / sum, 1);
    }
    // Padding lanes of the output are zero.
    auto repacked = packed(c.format, c.origin, [&] {
      std::vector<double> copy;
      for (uint16_t bits : y)
        copy.push_back(halfValue(bits));
      return copy;
    }());
    EXPECT_EQ(once.values<uint16_t>(),
              std::vector<uint16_t>(repacked.as<uint16_t>().begin(),
                                    repacked.as<uint16_t>().end()));
  }
}

// U26: a row of masked values.
TEST(SoftmaxTest, MaskedRow) {
  auto saturated =
      tensor<uint16_t>(plainDesc(DataType::Float16, {1, 2}), {0xFBFF, 0xFBFF});
  EXPECT_EQ(
      runNode("SoftmaxV2", {saturated}, {saturated.desc}).values<uint16_t>(),
      (std::vector<uint16_t>{0x3800, 0x3800}));
  auto infinite = tensor<uint16_t>(saturated.desc, {0xFC00, 0xFC00});
  auto result = runNode("SoftmaxV2", {infinite}, {infinite.desc}, {},
                        {Soc::Ascend910A, OverflowMode::InfNan});
  for (uint16_t bits : result.values<uint16_t>())
    EXPECT_TRUE(std::isnan(halfValue(bits)));
}

TEST(SoftmaxTest, StatusPlaces) {
  // x - max beyond fp16.
  auto wide = halves({2}, {60000, -60000});
  EXPECT_TRUE(runNode("SoftmaxV2", {wide}, {wide.desc}).status.valid &
              status::FloatOverflow);
  // An fp32 row whose maximum goes through fp16, becomes 65504 there and makes
  // the exp overflow as well, which the sum reads.
  auto x = tensor<float>(plainDesc(DataType::Float, {2}), {70000, 70001});
  EXPECT_EQ(runNode("SoftmaxV2", {x}, {x.desc}).status.valid,
            status::CastOverflow | status::FloatOverflow |
                status::VectorNanInfInput);
  EXPECT_EQ(runNode("SoftmaxV2", {x}, {x.desc}, {},
                    NumericConfig::forSoc(Soc::Ascend910B))
                .status.valid,
            status::None);
}

TEST(PoolingTest, CaffeMaximum) {
  // 5x5, window 3, stride 2, no padding: ceil gives 2x2; 6x6 gives 3x3 with
  // cut windows.
  for (int64_t size : {5, 6}) {
    const int64_t out = size == 5 ? 2 : 3;
    auto values = randomHalves(20 * size * size, 100, 4);
    auto x = packed(Format::NC1HWC0, {1, 20, size, size}, values);
    Attributes attrs;
    attrs.set("window", std::vector<int64_t>{3, 3});
    attrs.set("stride", std::vector<int64_t>{2, 2});
    const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                        Format::NCHW, {1, 20, out, out});
    auto result = runNode("Pooling", {x}, {desc}, attrs, {}, 2);
    auto plain =
        runNode("TransData", {result.outputs[0]},
                {plainDesc(DataType::Float16, {1, 20, out, out}, Format::NCHW)})
            .values<uint16_t>();
    for (int64_t c = 0; c < 20; ++c)
      for (int64_t h = 0; h < out; ++h)
        for (int64_t w = 0; w < out; ++w) {
          double max = -1e9;
          for (int64_t y = 2 * h; y < std::min(2 * h + 3, size); ++y)
            for (int64_t z = 2 * w; z < std::min(2 * w + 3, size); ++z)
              max = std::max(max, values[(c * size + y) * size + z]);
          EXPECT_EQ(plain[(c * out + h) * out + w], halfBits(max));
        }
  }
}

TEST(PoolingTest, AverageCountsThePaddedImage) {
  // 4x4 ones, window 3, stride 2, padding 1: Caffe gives 3x3 windows (the last
  // starts at 3, inside 4 + 1). Corner: 4 ones of 9; last: rows 3..4 of the
  // padded image, 1 one of 4.
  auto x = packed(Format::NC1HWC0, {1, 1, 4, 4}, std::vector<double>(16, 1));
  Attributes attrs;
  attrs.set("mode", int64_t(1));
  attrs.set("window", std::vector<int64_t>{3, 3});
  attrs.set("stride", std::vector<int64_t>{2, 2});
  attrs.set("pad", std::vector<int64_t>{1, 1, 1, 1});
  const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                      Format::NCHW, {1, 1, 3, 3});
  auto y = runNode("Pooling", {x}, {desc}, attrs).values<uint16_t>();
  EXPECT_EQ(y[0], halfBits(4.0 / 9));
  EXPECT_EQ(y[16], halfBits(6.0 / 9));
  EXPECT_EQ(y[8 * 16], halfBits(1.0 / 4));
  Attributes global;
  global.set("mode", int64_t(1));
  global.set("global_pooling", true);
  const TensorDesc one = privateDesc(DataType::Float16, Format::NC1HWC0,
                                     Format::NCHW, {1, 1, 1, 1});
  EXPECT_EQ(runNode("Pooling", {x}, {one}, global).values<uint16_t>()[0],
            halfBits(1));
}

TEST(PoolingTest, TensorFlowPadding) {
  // SAME on 5 with window 2, stride 2: one column of padding, after.
  std::vector<double> values;
  for (int i = 0; i < 5; ++i)
    values.push_back(-i - 1);
  auto x = packed(Format::NC1HWC0, {1, 1, 1, 5}, values);
  Attributes attrs;
  attrs.set("ksize", std::vector<int64_t>{1, 1, 2, 1});
  attrs.set("strides", std::vector<int64_t>{1, 1, 2, 1});
  attrs.set("padding", std::string("SAME"));
  const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                      Format::NCHW, {1, 1, 1, 3});
  auto max = runNode("MaxPool", {x}, {desc}, attrs).values<uint16_t>();
  EXPECT_EQ(max[0], halfBits(-1));
  EXPECT_EQ(max[16], halfBits(-3));
  EXPECT_EQ(max[32], halfBits(-5));
  auto average = runNode("AvgPool", {x}, {desc}, attrs).values<uint16_t>();
  EXPECT_EQ(average[0], halfBits(-1.5));
  EXPECT_EQ(average[32], halfBits(-5));
  // MaxPoolV3 as in resnet101: window 3, stride 2, pads 1.
  Attributes v3;
  v3.set("ksize", std::vector<int64_t>{1, 1, 3, 3});
  v3.set("strides", std::vector<int64_t>{1, 1, 2, 2});
  v3.set("pads", std::vector<int64_t>{1, 1, 1, 1});
  auto padded = runNode("MaxPoolV3", {x}, {desc}, v3).values<uint16_t>();
  EXPECT_EQ(padded[0], halfBits(-1));
  EXPECT_EQ(padded[16], halfBits(-2));
  EXPECT_EQ(padded[32], halfBits(-4));
}

// Sums of windows by loops; what they are divided by.
TEST(PoolingTest, AveragesOfAvgPoolV2) {
  constexpr int64_t Size = 7, Window = 3, Stride = 2, Before = 1;
  const auto values = randomHalves(Size * Size, 4, 8);
  auto x = packed(Format::NC1HWC0, {1, 1, Size, Size}, values);
  struct Case {
    bool exclusive, ceil;
    int64_t divisor, after;
  };
  for (const Case &c : {Case{true, false, 0, 1}, Case{false, false, 0, 1},
                        Case{true, false, 5, 1}, Case{false, true, 0, 0},
                        Case{false, false, 7, 0}, Case{true, true, 0, 0}}) {
    const int64_t room = Size + Before + c.after - Window;
    const int64_t out = (c.ceil ? room + Stride - 1 : room) / Stride + 1;
    Attributes attrs;
    attrs.set("ksize", std::vector<int64_t>{1, 1, Window, Window});
    attrs.set("strides", std::vector<int64_t>{1, 1, Stride, Stride});
    attrs.set("pads", std::vector<int64_t>{Before, c.after, Before, c.after});
    attrs.set("exclusive", c.exclusive);
    attrs.set("ceil_mode", c.ceil);
    attrs.set("divisor_override", c.divisor);
    const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                        Format::NCHW, {1, 1, out, out});
    auto y = runNode("AvgPoolV2", {x}, {desc}, attrs).values<uint16_t>();
    for (int64_t h = 0; h < out; ++h)
      for (int64_t w = 0; w < out; ++w) {
        float sum = 0;
        int64_t inside = 0;
        for (int64_t i = h * Stride - Before; i < h * Stride - Before + Window;
             ++i)
          for (int64_t j = w * Stride - Before;
               j < w * Stride - Before + Window; ++j)
            if (i >= 0 && j >= 0 && i < Size && j < Size) {
              sum += static_cast<float>(values[i * Size + j]);
              ++inside;
            }
        const int64_t area = c.divisor     ? c.divisor
                             : c.exclusive ? inside
                                           : Window * Window;
        EXPECT_EQ(y[(h * out + w) * 16],
                  halfBits(sum * (1.0f / static_cast<float>(area))))
            << h << ", " << w;
      }
  }
}

TEST(PoolingTest, Refusals) {
  const TensorDesc in = privateDesc(DataType::Float16, Format::NC1HWC0,
                                    Format::NCHW, {1, 1, 4, 4});
  const TensorDesc out = privateDesc(DataType::Float16, Format::NC1HWC0,
                                     Format::NCHW, {1, 1, 9, 4});
  Attributes attrs;
  EXPECT_NE(refusal("Pooling", {in}, {out}, attrs).find("do not fit 4"),
            std::string::npos);
  attrs.set("stride", std::vector<int64_t>{0, 1});
  EXPECT_NE(refusal("Pooling", {in}, {in}, attrs).find("do not fit"),
            std::string::npos);
}

// Of ReduceMean no axes are none; of other reductions they are all.
TEST(ReductionTest, NoAxes) {
  const TestTensor x = halves({2, 2}, {1, 2, 3, 6});
  const TestTensor none = tensor<int32_t>(plainDesc(DataType::Int32, {0}), {});
  auto run = [&](const char *type, Shape shape, const Attributes &attrs = {}) {
    return runNode(type, {x, none},
                   {plainDesc(DataType::Float16, std::move(shape))}, attrs)
        .values<uint16_t>();
  };
  EXPECT_EQ(run("ReduceMean", {2, 2}),
            (std::vector<uint16_t>{halfBits(1), halfBits(2), halfBits(3),
                                   halfBits(6)}));
  Attributes attrs;
  attrs.set("noop_with_empty_axes", false);
  EXPECT_EQ(run("ReduceMean", {}, attrs), (std::vector<uint16_t>{halfBits(3)}));
  EXPECT_EQ(run("ReduceSum", {}), (std::vector<uint16_t>{halfBits(12)}));
}
