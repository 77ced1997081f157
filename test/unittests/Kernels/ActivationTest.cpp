// Activations and element-wise gradients against definitions in double, and
// those that compute in fp16 against the chain of roundings.

#include "FloatTester.h"

#include <functional>

using namespace npu;
using namespace npu::kernels;

namespace {

using Definition = std::function<double(const std::vector<double> &)>;

struct Case {
  const char *type;
  /// Ranges of the operands.
  std::vector<std::pair<float, float>> ranges;
  Definition definition;
  Attributes attrs = {};
  int halfUlp = 1;
  double tolerance = 8e-6; ///< of fp32 tensors, relative above 1
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double geluTanh(double x) {
  return 0.5 * x *
         (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double geluErf(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}
/// The derivative of \p f at \p x.
double slope(double (*f)(double), double x) {
  const double h = 1e-5;
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}
double fastGelu(double x) { return x * logistic(1.702 * x); }

Attributes
floatAttrs(std::initializer_list<std::pair<const char *, float>> values) {
  Attributes attrs;
  for (const auto &[name, value] : values)
    attrs.set(name, value);
  return attrs;
}
Attributes approximate(const char *how) {
  Attributes attrs;
  attrs.set("approximate", std::string(how));
  return attrs;
}

std::vector<Case> inFloat() {
  using X = const std::vector<double> &;
  return {
      {"Gelu", {{-9, 9}}, [](X x) { return geluTanh(x[0]); }},
      {"GeluV2", {{-9, 9}}, [](X x) { return geluErf(x[0]); }, {}, 2},
      {"GeluV2",
       {{-9, 9}},
       [](X x) { return geluTanh(x[0]); },
       approximate("tanh")},
      {"GeluGrad",
       {{-2, 2}, {-9, 9}, {0, 1}},
       [](X x) { return x[0] * slope(geluTanh, x[1]); },
       {},
       2},
      {"GeluGradV2",
       {{-2, 2}, {-9, 9}},
       [](X x) { return x[0] * slope(geluErf, x[1]); },
       {},
       2},
      {"GeluGradV2",
       {{-2, 2}, {-9, 9}},
       [](X x) { return x[0] * slope(geluTanh, x[1]); },
       approximate("tanh"),
       2},
      {"Elu",
       {{-8, 8}},
       [](X x) { return x[0] > 0 ? x[0] : std::expm1(x[0]); }},
      {"Elu",
       {{-8, 8}},
       [](X x) { return 2 * (x[0] > 0 ? x[0] : 0.5 * std::expm1(x[0] * 1.5)); },
       floatAttrs({{"alpha", 0.5f}, {"scale", 2.0f}, {"input_scale", 1.5f}})},
      {"Selu",
       {{-8, 8}},
       [](X x) {
         return 1.0507009873554805 *
                (x[0] > 0 ? x[0] : 1.6732632423543772 * std::expm1(x[0]));
       }},
      {"Softplus", {{-8, 30}}, [](X x) { return softplus(x[0]); }},
      {"Softsign",
       {{-100, 100}},
       [](X x) { return x[0] / (1 + std::abs(x[0])); }},
      {"HardSwish",
       {{-5, 5}},
       [](X x) { return x[0] * std::clamp(x[0] + 3, 0.0, 6.0) / 6; }},
      {"HardSigmoid",
       {{-5, 5}},
       [](X x) { return std::clamp(x[0] / 6 + 0.5, 0.0, 1.0); }},
      {"HardSigmoid",
       {{-5, 5}},
       [](X x) { return std::clamp(x[0] * 0.25 + 0.25, 0.0, 1.0); },
       floatAttrs({{"alpha", 0.25f}, {"beta", 0.25f}})},
      {"Swish", {{-8, 30}}, [](X x) { return x[0] * logistic(x[0]); }},
      {"Swish",
       {{-4, 8}},
       [](X x) { return x[0] * logistic(2 * x[0]); },
       floatAttrs({{"scale", 2.0f}})},
      {"Mish",
       {{-8, 30}},
       [](X x) { return x[0] * std::tanh(softplus(x[0])); }},
      {"Erf", {{-5, 5}}, [](X x) { return std::erf(x[0]); }},
      {"Log1p", {{-0.9f, 50}}, [](X x) { return std::log1p(x[0]); }},
      {"Expm1", {{-8, 8}}, [](X x) { return std::expm1(x[0]); }},
      {"Div", {{-9, 9}, {0.5f, 3}}, [](X x) { return x[0] / x[1]; }},
      {"Pow", {{0.1f, 5}, {-3, 3}}, [](X x) { return std::pow(x[0], x[1]); }},
      {"TanhGrad",
       {{-1, 1}, {-5, 5}},
       [](X x) { return x[1] * (1 - x[0] * x[0]); }},
      {"SigmoidGrad",
       {{0, 1}, {-5, 5}},
       [](X x) { return x[1] * x[0] * (1 - x[0]); }},
      {"SqrtGrad", {{0.1f, 9}, {-5, 5}}, [](X x) { return x[1] / 2 / x[0]; }},
      {"RsqrtGrad",
       {{0.1f, 3}, {-5, 5}},
       [](X x) { return -0.5 * x[1] * x[0] * x[0] * x[0]; }},
      {"ReciprocalGrad",
       {{-3, 3}, {-5, 5}},
       [](X x) { return -x[1] * x[0] * x[0]; }},
      {"SigmoidCrossEntropyWithLogits",
       {{-9, 9}, {0, 1}},
       [](X x) { return softplus(x[0]) - x[0] * x[1]; }},
  };
}

std::vector<double> operandsAt(const std::vector<Floats> &operands, size_t i) {
  std::vector<double> x;
  for (const Floats &operand : operands)
    x.push_back(operand[i]);
  return x;
}

/// One after the other in fp16.
float half(double value) { return toHalfAndBack(static_cast<float>(value)); }

} // namespace

TEST(ActivationTest, DefinitionsInFloat) {
  const int64_t count = 3001;
  unsigned seed = 1;
  for (const Case &c : inFloat())
    for (Soc soc : {Soc::Ascend310P, Soc::Ascend910A, Soc::Ascend910B}) {
      SCOPED_TRACE(std::string(c.type) + " " + std::string(getName(soc)));
      std::vector<Floats> operands;
      std::vector<TestTensor> halves, floats;
      for (auto [low, high] : c.ranges) {
        operands.push_back(randomFloats(count, low, high, seed++));
        halves.push_back(
            floatTensor(DataType::Float16, {count}, operands.back()));
        floats.push_back(
            floatTensor(DataType::Float, {count}, operands.back()));
      }
      Floats expected;
      std::vector<double> exact;
      for (int64_t i = 0; i < count; ++i) {
        exact.push_back(c.definition(operandsAt(operands, i)));
        expected.push_back(static_cast<float>(exact.back()));
      }
      const NumericConfig config = NumericConfig::forSoc(soc);
      auto inHalf =
          runEverywhere(c.type, halves, {plainDesc(DataType::Float16, {count})},
                        c.attrs, config);
      EXPECT_EQ(inHalf.status.valid & status::Documented, 0u);
      expectHalvesNear(inHalf.outputs[0], expected, c.halfUlp, c.tolerance);
      auto inFloat =
          runEverywhere(c.type, floats, {plainDesc(DataType::Float, {count})},
                        c.attrs, config);
      EXPECT_EQ(inFloat.status.valid, 0u);
      expectNear(floatsOf(inFloat.outputs[0]), exact, c.tolerance);
    }
}

// Every step rounds: exp may be an ulp off, which what follows may amplify.
TEST(ActivationTest, FastGeluInHalf) {
  const int64_t count = 4000;
  Floats x = randomFloats(count, -12, 12, 70),
         dy = randomFloats(count, -2, 2, 71);
  const auto tensor = floatTensor(DataType::Float16, {count}, x);
  const auto gradient = floatTensor(DataType::Float16, {count}, dy);
  const TensorDesc desc = plainDesc(DataType::Float16, {count});
  Floats forward, backward;
  const float slope = half(1.702), opposite = half(-1.702);
  for (int64_t i = 0; i < count; ++i) {
    const float magnitude = std::abs(x[i]);
    const float a = half(std::exp(double(half(magnitude * opposite))));
    const float e =
        half(std::exp(double(half(half(x[i] - magnitude) * half(0.851)))));
    forward.push_back(half(x[i] * e) * half(1 / half(a + 1)));
    const float tail =
        half(std::exp(double(half(half(x[i] - magnitude) * slope))));
    const float up = half(half(a + half(half(x[i] * a) * slope)) + tail);
    const float root = half(a + 1);
    const float down = half(1 / half(root * root));
    backward.push_back(dy[i] * half(up * down));
  }
  auto y = runEverywhere("FastGelu", {tensor}, {desc});
  expectHalvesNear(y.outputs[0], forward, 1);
  auto z = runEverywhere("FastGeluGrad", {gradient, tensor}, {desc});
  expectHalvesNear(z.outputs[0], backward, 16);
  EXPECT_EQ((y.status.valid | z.status.valid) & status::Documented, 0u);
  // The other form, and fp32.
  const TensorDesc floatDesc = plainDesc(DataType::Float, {count});
  std::vector<double> exact, exactGradient;
  for (int64_t i = 0; i < count; ++i) {
    exact.push_back(fastGelu(x[i]));
    exactGradient.push_back(dy[i] * ::slope(fastGelu, x[i]));
  }
  for (Soc soc : {Soc::Ascend910A, Soc::Ascend910B}) {
    const auto config = NumericConfig::forSoc(soc);
    auto f =
        runEverywhere("FastGelu", {floatTensor(DataType::Float, {count}, x)},
                      {floatDesc}, {}, config);
    expectNear(floatsOf(f.outputs[0]), exact, 2e-6);
    auto g = runEverywhere("FastGeluGrad",
                           {floatTensor(DataType::Float, {count}, dy),
                            floatTensor(DataType::Float, {count}, x)},
                           {floatDesc}, {}, config);
    expectNear(floatsOf(g.outputs[0]), exactGradient, 3e-6);
    auto h = runEverywhere("FastGelu", {tensor}, {desc}, {}, config);
    for (int64_t i = 0; i < count; ++i)
      EXPECT_NEAR(floatsOf(h.outputs[0])[i], exact[i],
                  0.004 * std::max(1.0, std::abs(exact[i])));
  }
}

TEST(ActivationTest, ExpOverflowsInTheDirectForm) {
  const auto x = floatTensor(DataType::Float16, {2}, {-30, 1});
  const TensorDesc desc = plainDesc(DataType::Float16, {2});
  auto symmetric = runNode("FastGelu", {x}, {desc});
  EXPECT_EQ(symmetric.status.valid & status::FloatOverflow, 0u);
  auto direct = runNode("FastGelu", {x}, {desc}, {},
                        NumericConfig::forSoc(Soc::Ascend910B));
  EXPECT_EQ(direct.status.valid,
            status::FloatOverflow | status::VectorNanInfInput);
  EXPECT_EQ(floatsOf(direct.outputs[0])[0], 0.0f);
}

TEST(ActivationTest, SelectionsAreExact) {
  const int64_t count = 999;
  Floats x = randomFloats(count, -9, 9, 80), g = randomFloats(count, -9, 9, 81);
  x[0] = 0, x[1] = -0.0f, x[2] = 6;
  const auto features = floatTensor(DataType::Float16, {count}, x);
  const auto gradients = floatTensor(DataType::Float16, {count}, g);
  const TensorDesc desc = plainDesc(DataType::Float16, {count});
  auto check = [&](const char *type, std::vector<TestTensor> inputs,
                   const Attributes &attrs,
                   const std::function<float(size_t)> &definition) {
    SCOPED_TRACE(type);
    Floats expected;
    for (int64_t i = 0; i < count; ++i)
      expected.push_back(definition(i));
    auto result = runEverywhere(type, std::move(inputs), {desc}, attrs);
    expectSameBits(floatsOf(result.outputs[0]), expected);
    EXPECT_EQ(result.status.valid, status::None);
  };
  check("LeakyReluGrad", {gradients, features},
        floatAttrs({{"negative_slope", 0.3f}}),
        [&](size_t i) { return x[i] > 0 ? g[i] : half(g[i] * half(0.3f)); });
  check("Relu6Grad", {gradients, features}, {},
        [&](size_t i) { return x[i] > 0 && x[i] < 6 ? g[i] : 0.0f; });
  check("ThresholdedRelu", {features}, floatAttrs({{"alpha", 0.5f}}),
        [&](size_t i) { return x[i] > 0.5f ? x[i] : 0.0f; });
  check("PRelu", {features, gradients}, {},
        [&](size_t i) { return x[i] > 0 ? x[i] : half(x[i] * g[i]); });
  check("ClipByValue",
        {features, scalarTensor(DataType::Float16, -1.5f),
         scalarTensor(DataType::Float16, 2)},
        {}, [&](size_t i) { return std::clamp(x[i], -1.5f, 2.0f); });
}

// One slope for each channel: the second axis unless the format is NHWC.
TEST(ActivationTest, WeightsOfChannels) {
  auto run = [](Shape shape, Format format, const Floats &slopes) {
    const auto size = static_cast<size_t>(getNumElements(shape));
    TestTensor x = floatTensor(DataType::Float16, shape, Floats(size, -1));
    x.desc.format = x.desc.originFormat = format;
    const auto count = static_cast<int64_t>(slopes.size());
    return floatsOf(
        runNode("PRelu", {x, floatTensor(DataType::Float16, {count}, slopes)},
                {x.desc})
            .outputs[0]);
  };
  const Floats byChannel = {-1, -1, -2, -2, -3, -3, -1, -1, -2, -2, -3, -3};
  EXPECT_EQ(run({2, 3, 1, 2}, Format::NCHW, {1, 2, 3}), byChannel);
  EXPECT_EQ(run({2, 3, 1, 2}, Format::ND, {1, 2, 3}), byChannel);
  EXPECT_EQ(run({2, 2, 2}, Format::ND, {1, 2}),
            (Floats{-1, -1, -2, -2, -1, -1, -2, -2}));
  EXPECT_EQ(run({1, 2, 1, 2}, Format::NHWC, {1, 2}), (Floats{-1, -2, -1, -2}));
  EXPECT_EQ(run({3}, Format::ND, {1, 2, 3}), (Floats{-1, -2, -3}));
}

TEST(ActivationTest, ProductOfSwishOverflows) {
  const auto x = floatTensor(DataType::Float16, {3}, {60000, -60000, 1});
  auto run = [&](float scale, OverflowMode mode) {
    return runNode("Swish", {x}, {plainDesc(DataType::Float16, {3})},
                   floatAttrs({{"scale", scale}}), {Soc::Ascend910A, mode});
  };
  for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan}) {
    EXPECT_EQ(run(1, mode).status.valid & status::Documented, 0u);
    auto result = run(2, mode);
    EXPECT_EQ(result.status.valid & status::Documented, status::FloatOverflow);
    EXPECT_EQ(floatsOf(result.outputs[0])[0], 60000.0f);
  }
}

TEST(ActivationTest, Powers) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats x{-2, -2, -2, 0, 0, 0, 5, 2, -1, 10};
  const Floats y{3, 2, 0.5f, 2, 0, -1, 0, -1, -3, 39};
  auto result = runEverywhere("Pow",
                              {floatTensor(DataType::Float, {10}, x),
                               floatTensor(DataType::Float, {10}, y)},
                              {plainDesc(DataType::Float, {10})});
  Floats z = floatsOf(result.outputs[0]);
  EXPECT_NEAR(z[0], -8, 1e-5);
  EXPECT_NEAR(z[1], 4, 1e-5);
  EXPECT_TRUE(std::isnan(z[2]));
  EXPECT_EQ(z[3], 0);
  EXPECT_EQ(z[4], 1);
  EXPECT_EQ(z[5], infinity);
  EXPECT_EQ(z[6], 1);
  EXPECT_NEAR(z[7], 0.5, 1e-6);
  EXPECT_NEAR(z[8], -1, 1e-6);
  EXPECT_EQ(z[9], infinity);
  EXPECT_EQ(result.status.valid, status::FloatOverflow);
}

TEST(ActivationTest, FlooredQuotients) {
  const Floats a{7, -7, 7, -7, 6, 5.5f}, b{2, 2, -2, -2, 3, 0.5f};
  auto floats = [&](const char *type) {
    return floatsOf(runEverywhere(type,
                                  {floatTensor(DataType::Float16, {6}, a),
                                   floatTensor(DataType::Float16, {6}, b)},
                                  {plainDesc(DataType::Float16, {6})})
                        .outputs[0]);
  };
  EXPECT_EQ(floats("FloorDiv"), (Floats{3, -4, -4, 3, 2, 11}));
  EXPECT_EQ(floats("FloorMod"), (Floats{1, 1, -1, -1, 0, 0}));
  EXPECT_EQ(floats("Mod"), (Floats{1, -1, 1, -1, 0, 0}));
  const TensorDesc desc = plainDesc(DataType::Int32, {8});
  const int32_t least = INT32_MIN, most = INT32_MAX;
  auto ints = [&](const char *type) {
    auto result =
        runNode(type,
                {tensor<int32_t>(desc, {7, -7, 7, -7, 5, -5, 0, least}),
                 tensor<int32_t>(desc, {2, 2, -2, -2, 0, 0, 0, -1})},
                {desc});
    EXPECT_EQ(result.status.valid, type == std::string("FloorDiv")
                                       ? status::IntegerOverflow
                                       : status::None);
    return result.values<int32_t>();
  };
  using Ints = std::vector<int32_t>;
  EXPECT_EQ(ints("FloorDiv"), (Ints{3, -4, -4, 3, most, least, 0, least}));
  EXPECT_EQ(ints("FloorMod"), (Ints{1, 1, -1, -1, 5, -5, 0, 0}));
  EXPECT_EQ(ints("Mod"), (Ints{1, -1, 1, -1, 5, -5, 0, 0}));
  auto clipped = runNode("ClipByValue",
                         {tensor<int32_t>(desc, {7, -7, 1, 2, 5, -5, 0, least}),
                          tensor<int32_t>(plainDesc(DataType::Int32, {}), {-2}),
                          tensor<int32_t>(plainDesc(DataType::Int32, {}), {3})},
                         {desc});
  EXPECT_EQ(clipped.values<int32_t>(), (Ints{3, -2, 1, 2, 3, -2, 0, -2}));
}

// Ascend310 has exp and ln in fp16 only.
TEST(ActivationTest, HalfExponentials) {
  const auto config = NumericConfig::forSoc(Soc::Ascend310);
  const int64_t count = 2000;
  Floats x = randomFloats(count, -6, 6, 90);
  Floats elu, mixed;
  for (float value : x) {
    const float e = half(std::exp(double(std::min(value, 0.0f))));
    elu.push_back((e - 1) + std::max(value, 0.0f));
    // Gelu in fp16 throughout.
    const float cube = half(half(value * value) * value);
    const float t =
        half(half(half(cube * half(0.044715)) + value) * half(1.5957691f));
    const float right = half(std::exp(double(std::min(t, 0.0f))));
    const float left =
        half(value / half(half(std::exp(-std::abs(double(t)))) + 1));
    mixed.push_back(left * right);
  }
  const auto tensor = floatTensor(DataType::Float16, {count}, x);
  const TensorDesc desc = plainDesc(DataType::Float16, {count});
  auto y = runEverywhere("Elu", {tensor}, {desc}, {}, config);
  expectHalvesNear(y.outputs[0], elu, 1);
  auto z = runEverywhere("Gelu", {tensor}, {desc}, {}, config);
  expectHalvesNear(z.outputs[0], mixed, 1);
  // fp32 tensors: exp alone goes through fp16.
  auto f = runEverywhere("Elu", {floatTensor(DataType::Float, {count}, x)},
                         {plainDesc(DataType::Float, {count})}, {}, config);
  Floats exact = floatsOf(f.outputs[0]);
  for (int64_t i = 0; i < count; ++i)
    EXPECT_NEAR(exact[i], elu[i], 0.0006);
}

TEST(ActivationTest, Refusals) {
  const TensorDesc half = plainDesc(DataType::Float16, {4});
  EXPECT_EQ(refusal("GeluV2", {half}, {half}, approximate("exact")),
            "node: attribute 'approximate' is 'exact', expected 'none' or "
            "'tanh'");
  EXPECT_EQ(refusal("TanhGrad", {half}, {half}),
            "TanhGrad 'node' has 1 inputs and 1 outputs, expected 2 and 1");
  EXPECT_EQ(refusal("Elu", {plainDesc(DataType::Int32, {4})},
                    {plainDesc(DataType::Int32, {4})}),
            "Elu 'node': no arithmetic for DT_INT32 to DT_INT32");
}

// The quadratic form of high_performance is near Gelu, but for x near 0.
TEST(ActivationTest, GeluInHighPerformance) {
  const Floats x = randomFloats(4096, -6, 6, 1);
  Attributes attrs;
  attrs.set("_op_impl_mode_enum", int64_t(2));
  auto result = runEverywhere("Gelu", {floatTensor(DataType::Float, {4096}, x)},
                              {plainDesc(DataType::Float, {4096})}, attrs);
  const Floats y = floatsOf(result.outputs[0]);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], 0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0))), 0.03)
        << x[i];
}
