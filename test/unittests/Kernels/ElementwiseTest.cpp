// Element-wise operators against scalar definitions: fp16 instructions are
// those of Numerics (integer methods), transcendentals are in double.

#include "KernelTester.h"

#include "npu/Numerics/SimdTarget.h"

#include <cmath>
#include <functional>
#include <random>

using namespace npu;
using namespace npu::kernels;
using numerics::Half;

namespace {

constexpr NumericConfig Saturating{Soc::Ascend910A, OverflowMode::Saturate};
constexpr NumericConfig Ieee{Soc::Ascend910A, OverflowMode::InfNan};

std::vector<uint16_t> allHalves() {
  std::vector<uint16_t> bits(65536);
  for (unsigned i = 0; i < 65536; ++i)
    bits[i] = static_cast<uint16_t>(i);
  return bits;
}

using HalfBinary = Half (*)(Half, Half, OverflowMode, StatusBits &);
using HalfUnary = Half (*)(Half, OverflowMode, StatusBits &);

Attributes implMode(int64_t mode) {
  Attributes attrs;
  attrs.set("_op_impl_mode_enum", mode);
  return attrs;
}

} // namespace

TEST(ElementwiseTest, HalfBinaryInstructions) {
  struct Case {
    const char *type;
    HalfBinary scalar;
  };
  std::mt19937 random(3);
  std::vector<uint16_t> a(20011), b(20011);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint16_t>(random());
    b[i] = static_cast<uint16_t>(random());
  }
  const TensorDesc desc = plainDesc(DataType::Float16, {20011});
  for (const NumericConfig &config : {Saturating, Ieee})
    for (auto [type, scalar] :
         {Case{"Add", numerics::add}, Case{"Sub", numerics::sub},
          Case{"Mul", numerics::mul}, Case{"RealDiv", numerics::div},
          Case{"Maximum", numerics::max}, Case{"Minimum", numerics::min}}) {
      SCOPED_TRACE(type);
      StatusBits status = 0;
      std::vector<uint16_t> expected(a.size());
      for (size_t i = 0; i < a.size(); ++i)
        expected[i] =
            scalar(Half{a[i]}, Half{b[i]}, config.overflow, status).bits;
      auto result =
          runNode(type, {tensor(desc, a), tensor(desc, b)}, {desc}, {}, config);
      EXPECT_EQ(result.values<uint16_t>(), expected);
      EXPECT_EQ(result.status.valid, status);
    }
}

// The status of single elements, so that no other element hides a bit.
TEST(ElementwiseTest, HalfStatusOfSingleElements) {
  struct Case {
    const char *type;
    HalfBinary scalar;
  };
  const TensorDesc desc = plainDesc(DataType::Float16, {1});
  const uint16_t samples[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400,
                              0x1234, 0x3C00, 0xBC00, 0x4C00, 0x7BFF, 0xFBFF,
                              0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x5BFF, 0x4800};
  for (const NumericConfig &config : {Saturating, Ieee})
    for (auto [type, scalar] :
         {Case{"Add", numerics::add}, Case{"Sub", numerics::sub},
          Case{"Mul", numerics::mul}, Case{"RealDiv", numerics::div},
          Case{"Maximum", numerics::max}, Case{"Minimum", numerics::min}})
      for (uint16_t a : samples)
        for (uint16_t b : samples) {
          StatusBits status = 0;
          const uint16_t expected =
              scalar(Half{a}, Half{b}, config.overflow, status).bits;
          auto result = runNode(
              type, {tensor<uint16_t>(desc, {a}), tensor<uint16_t>(desc, {b})},
              {desc}, {}, config);
          EXPECT_EQ(result.values<uint16_t>()[0], expected)
              << type << " " << a << " " << b;
          EXPECT_EQ(result.status.valid, status)
              << type << " " << a << " " << b;
        }
}

TEST(ElementwiseTest, HalfUnaryInstructions) {
  struct Case {
    const char *type;
    HalfUnary scalar;
  };
  auto square = [](Half x, OverflowMode m, StatusBits &s) {
    return numerics::mul(x, x, m, s);
  };
  auto relu6 = [](Half x, OverflowMode m, StatusBits &s) {
    return numerics::min(numerics::relu(x, m, s), Half{0x4600}, m, s);
  };
  const TensorDesc desc = plainDesc(DataType::Float16, {65536});
  for (const NumericConfig &config : {Saturating, Ieee})
    for (auto [type, scalar] :
         {Case{"Abs", numerics::abs}, Case{"Neg", numerics::neg},
          Case{"Relu", numerics::relu}, Case{"Relu6", relu6},
          Case{"Square", square}}) {
      SCOPED_TRACE(type);
      StatusBits status = 0;
      std::vector<uint16_t> expected;
      for (uint16_t x : allHalves())
        expected.push_back(scalar(Half{x}, config.overflow, status).bits);
      auto result =
          runNode(type, {tensor(desc, allHalves())}, {desc}, {}, config);
      EXPECT_EQ(result.values<uint16_t>(), expected);
      EXPECT_EQ(result.status.valid, status);
    }
}

TEST(ElementwiseTest, ScalarsAndSlopes) {
  const TensorDesc desc = plainDesc(DataType::Float16, {65536});
  for (float scalar : {0.2f, 1.5f, -3.0f}) {
    StatusBits ignored = 0;
    const OverflowMode mode = OverflowMode::Saturate;
    const Half s = numerics::floatToHalf(scalar, mode, ignored);
    std::vector<uint16_t> muls, adds, leaky;
    for (uint16_t bits : allHalves()) {
      const Half x{bits};
      const Half scaled = numerics::mul(x, s, mode, ignored);
      muls.push_back(scaled.bits);
      adds.push_back(numerics::add(x, s, mode, ignored).bits);
      leaky.push_back((scalar <= 1 ? numerics::max(x, scaled, mode, ignored)
                                   : numerics::min(x, scaled, mode, ignored))
                          .bits);
    }
    Attributes attrs;
    attrs.set("value", scalar);
    attrs.set("negative_slope", scalar);
    const TestTensor x = tensor(desc, allHalves());
    EXPECT_EQ(runNode("Muls", {x}, {desc}, attrs).values<uint16_t>(), muls);
    EXPECT_EQ(runNode("Adds", {x}, {desc}, attrs).values<uint16_t>(), adds);
    EXPECT_EQ(runNode("LeakyRelu", {x}, {desc}, attrs).values<uint16_t>(),
              leaky);
  }
}

// Every fp16 value: at most 1 ulp from the correctly rounded result, and the
// share that is correctly rounded (docs/Kernels.md has the numbers).
TEST(ElementwiseTest, Transcendentals) {
  struct Case {
    const char *type;
    int64_t mode; ///< 4: fp32 inside
    double (*exact)(double);
    double share; ///< at least
  };
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  auto rsqrt = [](double x) { return 1 / std::sqrt(x); };
  auto reciprocal = [](double x) { return 1 / x; };
  const TensorDesc desc = plainDesc(DataType::Float16, {65536});
  for (auto [type, mode, exact, share] :
       {Case{"Exp", 0, std::exp, 0.999}, Case{"Exp", 4, std::exp, 0.999},
        Case{"Log", 0, std::log, 0.999}, Case{"Log", 4, std::log, 0.999},
        Case{"Sqrt", 0, std::sqrt, 1.0}, Case{"Rsqrt", 0, rsqrt, 0.999},
        Case{"Reciprocal", 0, reciprocal, 1.0},
        Case{"Tanh", 0, std::tanh, 0.99}, Case{"Sigmoid", 0, sigmoid, 0.999}}) {
    // Sigmoid in fp32, as 310P has it; the fp16 chain has a test of its own.
    const NumericConfig config{Soc::Ascend310P, OverflowMode::InfNan};
    auto result = runNode(type, {tensor(desc, allHalves())}, {desc},
                          implMode(mode), config)
                      .values<uint16_t>();
    unsigned finite = 0, correct = 0;
    for (unsigned i = 0; i < 65536; ++i) {
      const double x = halfValue(static_cast<uint16_t>(i));
      const double y = exact(x);
      const uint16_t expected = halfBits(y);
      if (std::isnan(y)) {
        EXPECT_TRUE(std::isnan(halfValue(result[i]))) << type << " " << x;
        continue;
      }
      ++finite;
      correct += result[i] == expected;
      // The formula of Tanh gives +0 for -0.
      if (y == 0 && halfValue(result[i]) == 0)
        continue;
      // Neighbours of one sign are neighbours as integers.
      EXPECT_LE(std::abs(int(result[i]) - int(expected)), 1)
          << type << " " << x;
    }
    std::printf("%s mode %d: %u of %u correctly rounded\n", type, int(mode),
                correct, finite);
    EXPECT_GE(double(correct) / finite, share) << type;
  }
}

TEST(ElementwiseTest, SigmoidChainOf910) {
  const TensorDesc desc = plainDesc(DataType::Float16, {65536});
  auto result = runNode("Sigmoid", {tensor(desc, allHalves())}, {desc});
  const OverflowMode mode = OverflowMode::Saturate;
  StatusBits ignored = 0;
  const Half one{0x3C00};
  const Half bound = numerics::floatToHalf(-11.089f, mode, ignored);
  for (unsigned i = 0; i < 65536; ++i) {
    Half x{static_cast<uint16_t>(i)};
    if (!numerics::isFinite(x))
      continue;
    x = numerics::max(x, bound, mode, ignored);
    const Half t =
        numerics::doubleToHalf(std::exp(-halfValue(x.bits)), mode, ignored);
    const Half y =
        numerics::div(one, numerics::add(t, one, mode, ignored), mode, ignored);
    EXPECT_EQ(result.values<uint16_t>()[i], y.bits) << halfValue(x.bits);
    if (HasFailure())
      break;
  }
  EXPECT_EQ(result.status.valid & status::Documented, 0u);
}

TEST(ElementwiseTest, ExpAndLogAttributes) {
  Attributes attrs;
  attrs.set("base", 2.0f);
  attrs.set("scale", 2.0f);
  attrs.set("shift", 1.0f);
  attrs.set("_op_impl_mode_enum", int64_t(4));
  // 2^(2 * 1.5 + 1) and log2(2 * 3.5 + 1).
  const TestTensor x = halves({1}, {1.5}), y = halves({1}, {3.5});
  EXPECT_EQ(runNode("Exp", {x}, {x.desc}, attrs).values<uint16_t>()[0],
            halfBits(16));
  EXPECT_EQ(runNode("Log", {y}, {y.desc}, attrs).values<uint16_t>()[0],
            halfBits(3));
}

TEST(ElementwiseTest, OverflowTable) {
  struct Case {
    const char *type;
    std::vector<double> inputs;
    double result;
    StatusBits bits;
  };
  const Case cases[] = {
      {"Add", {60000, 10000}, 65504, status::FloatOverflow},
      {"Square", {300}, 65504, status::FloatOverflow},
      {"Mul", {300, 300}, 65504, status::FloatOverflow},
      {"Exp", {12}, 65504, status::FloatOverflow},
      {"AddN", {40000, 40000}, 65504, status::CastOverflow},
      {"AddN", {40000, 40000, -40000}, 40000, status::None},
      {"Add", {65504, 8}, 65504, status::None},
      {"Add", {65504, 16}, 65504, status::FloatOverflow},
      {"Log", {0}, -65504, status::FloatOverflow},
      {"Log", {-1}, 0, status::None},
      {"Sqrt", {-1}, 0, status::None},
      {"Reciprocal", {0}, 65504, status::FloatOverflow},
      {"RealDiv", {1, 0}, 65504, status::FloatOverflow},
      {"RealDiv", {0, 0}, 0, status::None},
  };
  for (const Case &c : cases) {
    std::vector<TestTensor> inputs;
    for (double value : c.inputs)
      inputs.push_back(halves({1}, {value}));
    auto result = runNode(c.type, inputs, {inputs[0].desc});
    EXPECT_EQ(halfValue(result.values<uint16_t>()[0]), c.result) << c.type;
    EXPECT_EQ(result.status.valid & status::Documented, c.bits) << c.type;
  }
}

// U26: the mask value at the edge of fp16.
TEST(ElementwiseTest, AttentionMask) {
  const TestTensor a = halves({2}, {-65504, -65504});
  const TestTensor b = halves({2}, {-16, -15.9921875});
  auto ieee = runNode("Add", {a, b}, {a.desc}, {}, Ieee);
  EXPECT_EQ(ieee.values<uint16_t>(), (std::vector<uint16_t>{0xFC00, 0xFBFF}));
  auto saturated = runNode("Add", {a, b}, {a.desc}, {}, Saturating);
  EXPECT_EQ(saturated.values<uint16_t>(),
            (std::vector<uint16_t>{0xFBFF, 0xFBFF}));
  EXPECT_EQ(ieee.status.valid, status::FloatOverflow);
  EXPECT_EQ(saturated.status.valid, status::FloatOverflow);
}

// U27: division by constants that became zero or subnormal.
TEST(ElementwiseTest, DivisionByTinyConstants) {
  const TestTensor one = halves({1}, {1});
  const TestTensor zero = tensor<uint16_t>(one.desc, {0x0000});
  EXPECT_EQ(runNode("RealDiv", {one, zero}, {one.desc}).status.valid,
            status::FloatOverflow);
  const TestTensor fine = tensor<uint16_t>(one.desc, {0x068E});
  EXPECT_EQ(runNode("RealDiv", {one, fine}, {one.desc}).status.valid,
            status::None);
}

// U31: an event in padding lanes only.
TEST(ElementwiseTest, OverflowInPadding) {
  const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                      Format::NCHW, {1, 3, 1, 1});
  std::vector<uint16_t> x(16, 0);
  x[0] = halfBits(2);
  x[1] = halfBits(4);
  x[2] = halfBits(8);
  auto result = runNode("Reciprocal", {tensor(desc, x)}, {desc});
  std::vector<uint16_t> expected(16, 0x7BFF);
  expected[0] = halfBits(0.5);
  expected[1] = halfBits(0.25);
  expected[2] = halfBits(0.125);
  EXPECT_EQ(result.values<uint16_t>(), expected);
  EXPECT_EQ(result.status.valid, status::None);
  EXPECT_TRUE(result.status.padding & status::FloatOverflow);
  // A zero among the data counts as such.
  x[1] = 0;
  result = runNode("Reciprocal", {tensor(desc, x)}, {desc});
  EXPECT_TRUE(result.status.valid & status::FloatOverflow);
}

TEST(ElementwiseTest, Float32) {
  const TensorDesc desc = plainDesc(DataType::Float, {5});
  std::vector<float> a{1.1f, -2.5f, 3e38f, 1e-40f, 7.0f};
  std::vector<float> b{2.2f, 4.0f, 3e38f, 1e-40f, 0.0f};
  auto x = tensor(desc, a), y = tensor(desc, b);
  auto sum = runNode("Add", {x, y}, {desc});
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(sum.values<float>()[i], a[i] + b[i]);
  EXPECT_EQ(sum.status.valid, status::FloatOverflow);
  auto quotient = runNode("RealDiv", {x, y}, {desc});
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(quotient.values<float>()[i], a[i] / b[i]);
}

TEST(ElementwiseTest, ExpAndLogInFloat32) {
  std::vector<float> x;
  for (int i = -1040; i < 890; ++i)
    x.push_back(float(i) * 0.1f + 0.0123f);
  const TensorDesc desc =
      plainDesc(DataType::Float, {static_cast<int64_t>(x.size())});
  auto y = runNode("Exp", {tensor(desc, x)}, {desc}).values<float>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(double(x[i]));
    const double ulp =
        std::max(std::ldexp(1.0, std::ilogb(exact) - 23), 0x1p-149);
    if (exact < 0x1p127)
      worst = std::max(worst, std::abs(y[i] - exact) / ulp);
  }
  EXPECT_LT(worst, 2.0);
  std::printf("exp fp32: %.2f ulp\n", worst);
  std::vector<float> p;
  for (float v = 1e-42f; v < 1e38f; v *= 1.037f)
    p.push_back(v);
  for (float v = 0.5f; v < 2.0f; v += 0.00037f)
    p.push_back(v);
  const TensorDesc positive =
      plainDesc(DataType::Float, {static_cast<int64_t>(p.size())});
  auto z = runNode("Log", {tensor(positive, p)}, {positive}).values<float>();
  worst = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double exact = std::log(double(p[i]));
    const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
    worst = std::max(worst, std::abs(z[i] - exact) / ulp);
  }
  EXPECT_LT(worst, 3.0);
  std::printf("ln fp32: %.2f ulp\n", worst);
}

TEST(ElementwiseTest, BFloat16RoundsOnce) {
  const TensorDesc desc = plainDesc(DataType::BFloat16, {3});
  // 1 + 2^-8 ties to even 1; 1.0078125 + 2^-8 to 1.015625.
  auto a = tensor<uint16_t>(desc, {0x3F80, 0x3F81, 0x7F7F});
  auto b = tensor<uint16_t>(desc, {0x3B80, 0x3B80, 0x7F7F});
  auto result = runNode("Add", {a, b}, {desc}, {},
                        NumericConfig::forSoc(Soc::Ascend910B));
  EXPECT_EQ(result.values<uint16_t>(),
            (std::vector<uint16_t>{0x3F80, 0x3F82, 0x7F80}));
}

TEST(ElementwiseTest, MixedTypesMeetInFloat32) {
  auto a = halves({2}, {60000, 1});
  auto b = tensor<float>(plainDesc(DataType::Float, {2}), {10000, 0x1p-20f});
  auto wide = runNode("Add", {a, b}, {b.desc});
  EXPECT_EQ(wide.values<float>(), (std::vector<float>{70000, 1 + 0x1p-20f}));
  EXPECT_EQ(wide.status.valid, status::None);
  auto narrow = runNode("Add", {a, b}, {a.desc});
  EXPECT_EQ(narrow.values<uint16_t>(), (std::vector<uint16_t>{0x7BFF, 0x3C00}));
  EXPECT_EQ(narrow.status.valid, status::CastOverflow);
}

TEST(ElementwiseTest, IntegersWrap) {
  const TensorDesc desc = plainDesc(DataType::Int32, {3});
  auto a = tensor<int32_t>(desc, {INT32_MAX, 5, -7});
  auto b = tensor<int32_t>(desc, {1, 6, 3});
  auto sum = runNode("Add", {a, b}, {desc});
  EXPECT_EQ(sum.values<int32_t>(), (std::vector<int32_t>{INT32_MIN, 11, -4}));
  EXPECT_EQ(sum.status.valid, status::IntegerOverflow);
  auto product = runNode("Mul", {b, b}, {desc});
  EXPECT_EQ(product.values<int32_t>(), (std::vector<int32_t>{1, 36, 9}));
  EXPECT_EQ(product.status.valid, status::None);
  auto minimum = tensor<int32_t>(desc, {INT32_MIN, 1, -1});
  auto negated = runNode("Neg", {minimum}, {desc});
  EXPECT_EQ(negated.values<int32_t>(),
            (std::vector<int32_t>{INT32_MIN, -1, 1}));
  EXPECT_EQ(negated.status.valid, status::NegateMinimum);
}

TEST(ElementwiseTest, Eltwise) {
  auto a = halves({2}, {3, -1}), b = halves({2}, {5, 4});
  auto run = [&](int64_t mode, std::vector<float> coeff) {
    Attributes attrs;
    attrs.set("mode", mode);
    attrs.set("coeff", std::move(coeff));
    return runNode("Eltwise", {a, b}, {a.desc}, attrs).values<uint16_t>();
  };
  EXPECT_EQ(run(0, {}), (std::vector{halfBits(15), halfBits(-4)}));
  EXPECT_EQ(run(1, {}), (std::vector{halfBits(8), halfBits(3)}));
  EXPECT_EQ(run(2, {}), (std::vector{halfBits(5), halfBits(4)}));
  EXPECT_EQ(run(1, {2, 0.5f}), (std::vector{halfBits(8.5), halfBits(0)}));
}

TEST(ElementwiseTest, BroadcastsLikeNumPy) {
  // [2,1,3] + [4,1] = [2,4,3]
  auto a = halves({2, 1, 3}, {0, 1, 2, 10, 11, 12});
  auto b = halves({4, 1}, {100, 200, 300, 400});
  auto result =
      runNode("Add", {a, b}, {plainDesc(DataType::Float16, {2, 4, 3})})
          .values<uint16_t>();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(halfValue(result[(i * 4 + j) * 3 + k]),
                  10 * i + k + 100 * (j + 1));
}

// As in an autoencoder graph: a scalar meets private formats. Padding lanes
// hold what the instruction makes of them.
TEST(ElementwiseTest, ScalarMeetsPrivateFormats) {
  TensorDesc scalar = plainDesc(DataType::Float16, {}, Format::NHWC);
  for (const TensorDesc &desc :
       {privateDesc(DataType::Float16, Format::NC1HWC0, Format::NHWC,
                    {2, 3, 3, 20}),
        privateDesc(DataType::Float16, Format::FRACTAL_NZ, Format::ND,
                    {100, 20})}) {
    std::vector<uint16_t> x(desc.numElements(), 0);
    x[0] = halfBits(1);
    auto result = runNode(
        "Add", {tensor(desc, x), tensor<uint16_t>(scalar, {halfBits(2)})},
        {desc});
    std::vector<uint16_t> expected(x.size(), halfBits(2));
    expected[0] = halfBits(3);
    EXPECT_EQ(result.values<uint16_t>(), expected);
  }
}

TEST(ElementwiseTest, VectorMeetsPrivateFormats) {
  const TensorDesc image = privateDesc(DataType::Float16, Format::NC1HWC0,
                                       Format::NCHW, {2, 20, 3, 2});
  auto layout = Layout::create(image);
  ASSERT_TRUE(layout.ok());
  std::vector<uint16_t> x(image.numElements(), halfBits(1));
  std::vector<double> bias(20);
  for (int c = 0; c < 20; ++c)
    bias[c] = c + 1;
  // 1 + bias where there are channels; padding had 1 and gets + 0.
  std::vector<uint16_t> expected(x);
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t c = 0; c < 20; ++c)
      for (int64_t h = 0; h < 3; ++h)
        for (int64_t w = 0; w < 2; ++w)
          expected[layout->elementAt({n, c, h, w})] = halfBits(c + 2);
  Attributes attrs;
  attrs.set("data_format", std::string("NCHW"));
  auto plain = halves({20}, bias);
  EXPECT_EQ(runNode("BiasAdd", {tensor(image, x), plain}, {image}, attrs)
                .values<uint16_t>(),
            expected);
  // The bias itself in the private format, a vector of channels.
  const TensorDesc blocked =
      privateDesc(DataType::Float16, Format::NC1HWC0, Format::NCHW, {20});
  std::vector<uint16_t> lanes(32, 0);
  for (int c = 0; c < 20; ++c)
    lanes[c] = halfBits(c + 1);
  EXPECT_EQ(runNode("Add", {tensor(image, x), tensor(blocked, lanes)}, {image})
                .values<uint16_t>(),
            expected);
  // One channel repeats over all of them, not over lanes of a block.
  const TensorDesc single = privateDesc(DataType::Float16, Format::NC1HWC0,
                                        Format::NCHW, {2, 1, 3, 2});
  std::vector<uint16_t> ones(single.numElements(), 0);
  for (size_t i = 0; i < ones.size(); i += 16)
    ones[i] = halfBits(1);
  EXPECT_EQ(runNode("Add", {tensor(image, x), tensor(single, ones)}, {image})
                .values<uint16_t>(),
            std::vector<uint16_t>(x.size(), halfBits(2)));
}

// Every way to broadcast to a matrix in FRACTAL_NZ.
TEST(ElementwiseTest, MatrixMeetsFractalNz) {
  const TensorDesc desc = privateDesc(DataType::Float16, Format::FRACTAL_NZ,
                                      Format::ND, {3, 18, 21});
  auto layout = Layout::create(desc);
  ASSERT_TRUE(layout.ok());
  for (const Shape &shape : {Shape{21}, Shape{18, 1}, Shape{18, 21},
                             Shape{3, 1, 21}, Shape{3, 18, 21}}) {
    SCOPED_TRACE(toString(shape));
    std::vector<double> values;
    for (int64_t i = 0; i < getNumElements(shape); ++i)
      values.push_back(static_cast<double>(i + 1));
    const TestTensor zeros =
        tensor(desc, std::vector<uint16_t>(desc.numElements(), 0));
    auto result = runNode("Add", {halves(shape, values), zeros}, {desc})
                      .values<uint16_t>();
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t m = 0; m < 18; ++m)
        for (int64_t n = 0; n < 21; ++n) {
          const int64_t full[3] = {b, m, n};
          int64_t at = 0;
          for (size_t i = 0; i < shape.size(); ++i) {
            const int64_t index = full[3 - shape.size() + i];
            at = at * shape[i] + (shape[i] == 1 ? 0 : index);
          }
          EXPECT_EQ(result[layout->elementAt({b, m, n})], halfBits(values[at]))
              << b << " " << m << " " << n;
        }
    // A row repeats into the rows that pad the matrix, a lane beyond its end
    // is zero.
    if (shape == Shape{21}) {
      EXPECT_EQ(result[31 * 16], halfBits(1));
      EXPECT_EQ(result[2 * 256 + 5], 0);
    }
  }
}

TEST(ElementwiseTest, SameBitsForThreadsAndTargets) {
  std::mt19937 random(5);
  const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                      Format::NCHW, {3, 35, 17, 23});
  std::vector<uint16_t> a(desc.numElements()), b(desc.numElements());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint16_t>(random());
    b[i] = static_cast<uint16_t>(random());
  }
  const TestTensor x = tensor(desc, a), y = tensor(desc, b);
  for (const char *type :
       {"Add",     "Sub",        "Mul",     "RealDiv", "Maximum",
        "Minimum", "Neg",        "Abs",     "Square",  "Sqrt",
        "Rsqrt",   "Reciprocal", "Exp",     "Log",     "Relu",
        "Relu6",   "LeakyRelu",  "Sigmoid", "Tanh",    "AddN"}) {
    SCOPED_TRACE(type);
    const bool binary = std::string_view("Add Sub Mul RealDiv Maximum Minimum "
                                         "AddN")
                            .find(type) != std::string_view::npos;
    std::vector<TestTensor> inputs{x};
    if (binary)
      inputs.push_back(y);
    auto once = runNode(type, inputs, {desc}, {}, Ieee, 1);
    auto threaded = runNode(type, inputs, {desc}, {}, Ieee, 3);
    EXPECT_EQ(once.values<uint16_t>(), threaded.values<uint16_t>());
    EXPECT_EQ(once.status.valid, threaded.status.valid);
    EXPECT_EQ(once.status.padding, threaded.status.padding);
    for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
      numerics::setTargetForTest(target);
      auto other = runNode(type, inputs, {desc}, {}, Ieee, 1);
      numerics::setTargetForTest(std::nullopt);
      EXPECT_EQ(once.values<uint16_t>(), other.values<uint16_t>())
          << getName(target);
      EXPECT_EQ(once.status.valid, other.status.valid) << getName(target);
    }
  }
}

TEST(ElementwiseTest, Refusals) {
  const TensorDesc a = plainDesc(DataType::Float16, {2, 3});
  const TensorDesc b = plainDesc(DataType::Float16, {2, 4});
  EXPECT_NE(refusal("Add", {a, b}, {a}).find("does not broadcast"),
            std::string::npos);
  EXPECT_NE(refusal("Add", {a}, {a}).find("expected 2 and 1"),
            std::string::npos);
  EXPECT_NE(refusal("Muls", {a}, {a}).find("'value' (float) is missing"),
            std::string::npos);
  const TensorDesc text = plainDesc(DataType::String, {2, 3});
  EXPECT_NE(refusal("Add", {text, text}, {text}).find("no arithmetic for"),
            std::string::npos);
  const TensorDesc larger = plainDesc(DataType::Float16, {5, 2, 3});
  EXPECT_NE(refusal("Add", {a, a}, {larger}).find("extent 5"),
            std::string::npos);
}
