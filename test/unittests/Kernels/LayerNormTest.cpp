// LayerNorm, LayerNormV3, LayerNormV4, RmsNorm and AddRmsNorm against their
// definitions.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t HighPrecision = 4;

struct Expected3 {
  Floats y, second, third;
};

/// LayerNorm on rows, high_precision; moments through fp16 as \p halfMoments
/// says. y is not rounded.
Expected3 layerNorm(const Floats &x, size_t length, const Floats &gamma,
                    const Floats &beta, float epsilon, bool halfMoments) {
  auto moment = [&](float value) {
    return halfMoments ? toHalfAndBack(value) : value;
  };
  const float factor = 1.0f / static_cast<float>(length);
  Expected3 result;
  for (size_t begin = 0; begin < x.size(); begin += length) {
    Floats terms;
    for (size_t i = 0; i < length; ++i)
      terms.push_back(x[begin + i] * factor);
    const float mean = moment(documentedSum(terms));
    for (size_t i = 0; i < length; ++i) {
      const float difference = x[begin + i] - mean;
      terms[i] = difference * difference * factor;
    }
    const float variance = moment(documentedSum(terms));
    const float root = 1.0f / std::sqrt(variance + epsilon);
    for (size_t i = 0; i < length; ++i)
      result.y.push_back((x[begin + i] - mean) * root * gamma[i] + beta[i]);
    result.second.push_back(mean);
    result.third.push_back(variance);
  }
  return result;
}

Attributes normAttrs(int64_t axis, float epsilon, int64_t implMode) {
  Attributes attrs;
  attrs.set("begin_norm_axis", axis);
  attrs.set("begin_params_axis", int64_t(-1));
  attrs.set("epsilon", epsilon);
  attrs.set("_op_impl_mode_enum", implMode);
  return attrs;
}

std::vector<TensorDesc> normOutputs(DataType dtype, Shape x, Shape moments) {
  return {plainDesc(dtype, std::move(x)), plainDesc(dtype, moments),
          plainDesc(dtype, moments)};
}

Floats rounded(DataType dtype, const Floats &values) {
  TestTensor tensor =
      floatTensor(dtype, {static_cast<int64_t>(values.size())}, values);
  return floatsOf(tensor);
}

} // namespace

TEST(LayerNormTest, DefinitionInHighPrecision) {
  unsigned seed = 1;
  for (DataType dtype :
       {DataType::Float16, DataType::Float, DataType::BFloat16})
    for (Soc soc : {Soc::Ascend910A, Soc::Ascend310})
      for (int64_t length : {1, 7, 64, 100, 768}) {
        SCOPED_TRACE(std::string(getName(dtype)) + " " +
                     std::to_string(length));
        const int64_t rows = 9;
        Floats x = rounded(dtype, randomFloats(rows * length, -3, 5, seed++));
        Floats gamma = rounded(dtype, randomFloats(length, -2, 2, seed++));
        Floats beta = rounded(dtype, randomFloats(length, -1, 1, seed++));
        auto result = runEverywhere(
            "LayerNorm",
            {floatTensor(dtype, {3, 3, length}, x),
             floatTensor(dtype, {length}, gamma),
             floatTensor(dtype, {length}, beta)},
            normOutputs(dtype, {3, 3, length}, {3, 3, 1}),
            normAttrs(-1, 1e-5f, HighPrecision), NumericConfig::forSoc(soc));
        Expected3 expected =
            layerNorm(x, length, gamma, beta, 1e-5f,
                      dtype == DataType::Float16 && soc != Soc::Ascend310);
        expectSameBits(floatsOf(result.outputs[0]), rounded(dtype, expected.y));
        expectSameBits(floatsOf(result.outputs[1]),
                       rounded(dtype, expected.second));
        expectSameBits(floatsOf(result.outputs[2]),
                       rounded(dtype, expected.third));
        EXPECT_EQ(result.status.valid & status::Documented, 0u);
      }
}

// The default takes the root by ln and exp: within an ulp of the quotient.
TEST(LayerNormTest, DefaultRoot) {
  Floats x = randomFloats(40 * 768, -3, 5, 3);
  Floats gamma = randomFloats(768, -2, 2, 4),
         beta = randomFloats(768, -1, 1, 5);
  auto result =
      runEverywhere("LayerNorm",
                    {floatTensor(DataType::Float16, {40, 768}, x),
                     floatTensor(DataType::Float16, {768}, gamma),
                     floatTensor(DataType::Float16, {768}, beta)},
                    normOutputs(DataType::Float16, {40, 768}, {40, 1}),
                    normAttrs(1, 1e-12f, 0));
  expectHalvesNear(result.outputs[0],
                   layerNorm(x, 768, gamma, beta, 1e-12f, true).y, 1);
}

// A variance beyond fp16 saturates and with it changes y.
TEST(LayerNormTest, VarianceSaturates) {
  const Floats x{1000, -1000};
  const auto ones = floatTensor(DataType::Float16, {2}, {1, 1});
  const auto zeros = floatTensor(DataType::Float16, {2}, {0, 0});
  auto run = [&](NumericConfig config) {
    return runNode("LayerNorm",
                   {floatTensor(DataType::Float16, {1, 2}, x), ones, zeros},
                   normOutputs(DataType::Float16, {1, 2}, {1, 1}),
                   normAttrs(1, 1e-5f, HighPrecision), config);
  };
  auto saturated = run({});
  // 1000 / sqrt(65504) = 3.9072.
  EXPECT_EQ(floatsOf(saturated.outputs[0])[0], halfValue(halfBits(3.907202)));
  EXPECT_EQ(saturated.values<uint16_t>(2)[0], 0x7BFF);
  EXPECT_EQ(saturated.status.valid, status::CastOverflow);
  // Infinity: 1 / sqrt(infinity) = 0.
  auto infinite = run({Soc::Ascend910B, OverflowMode::InfNan});
  EXPECT_EQ(floatsOf(infinite.outputs[0])[0], 0.0f);
  EXPECT_EQ(infinite.values<uint16_t>(2)[0], 0x7C00);
  EXPECT_EQ(infinite.status.valid,
            status::CastOverflow | status::VectorNanInfInput);
  // The fp32 variance of the older kernel: only the output overflows.
  auto older = run(NumericConfig::forSoc(Soc::Ascend310));
  EXPECT_EQ(floatsOf(older.outputs[0])[0], 1.0f);
  EXPECT_EQ(older.status.valid, status::CastOverflow);
}

// A constant row: variance 0, an epsilon that fp16 has only as a subnormal
// (0x00A8), which Ascend310 needs for its fp16 logarithm.
TEST(LayerNormTest, SmallEpsilonOfAConstantRow) {
  const auto x = floatTensor(DataType::Float16, {2, 64}, Floats(128, 3));
  const auto gamma = floatTensor(DataType::Float16, {64}, Floats(64, 2));
  const auto beta = floatTensor(DataType::Float16, {64}, Floats(64, 0));
  for (Soc soc :
       {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A, Soc::Ascend910B})
    for (int64_t implMode : {0, 4}) {
      auto result = runEverywhere(
          "LayerNorm", {x, gamma, beta},
          normOutputs(DataType::Float16, {2, 64}, {2, 1}),
          normAttrs(-1, 1e-5f, implMode), NumericConfig::forSoc(soc));
      for (float y : floatsOf(result.outputs[0]))
        EXPECT_EQ(y, 0.0f);
      EXPECT_EQ(result.status.valid, status::None);
    }
  // fp32 tensors on Ascend310: an epsilon that is zero in fp16 gives ln(0).
  auto lost =
      runNode("LayerNorm",
              {floatTensor(DataType::Float, {1, 2}, {3, 3}),
               floatTensor(DataType::Float, {2}, {1, 1}),
               floatTensor(DataType::Float, {2}, {0, 0})},
              normOutputs(DataType::Float, {1, 2}, {1, 1}),
              normAttrs(-1, 1e-12f, 0), NumericConfig::forSoc(Soc::Ascend310));
  EXPECT_EQ(lost.status.valid & status::FloatOverflow, status::FloatOverflow);
  EXPECT_EQ(floatsOf(lost.outputs[0])[0], 0.0f);
}

// A matrix in FRACTAL_NZ whose sides are no multiples of 16.
TEST(LayerNormTest, PrivateFormat) {
  const int64_t rows = 5, length = 40;
  Floats x = randomFloats(rows * length, -2, 2, 7);
  Floats gamma = randomFloats(length, -2, 2, 8);
  Floats beta = randomFloats(length, -1, 1, 9);
  const TensorDesc matrix = privateDesc(DataType::Float16, Format::FRACTAL_NZ,
                                        Format::ND, {rows, length});
  TestTensor packed =
      runNode("TransData", {floatTensor(DataType::Float16, {rows, length}, x)},
              {matrix})
          .outputs[0];
  auto result =
      runEverywhere("LayerNorm",
                    {packed, floatTensor(DataType::Float16, {length}, gamma),
                     floatTensor(DataType::Float16, {length}, beta)},
                    {matrix, plainDesc(DataType::Float16, {rows, 1}),
                     plainDesc(DataType::Float16, {rows, 1})},
                    normAttrs(1, 1e-5f, HighPrecision));
  Expected3 expected = layerNorm(x, length, gamma, beta, 1e-5f, true);
  auto back = runNode("TransData", {result.outputs[0]},
                      {plainDesc(DataType::Float16, {rows, length})});
  expectSameBits(floatsOf(back.outputs[0]),
                 rounded(DataType::Float16, expected.y));
  // Padding is zero: transferred back it is the same tensor.
  auto again = runNode("TransData", {back.outputs[0]}, {matrix});
  EXPECT_EQ(again.outputs[0].bytes, result.outputs[0].bytes);
}

// Lines over several axes, parameters over one of them or over more.
TEST(LayerNormTest, ParametersOfOtherAxes) {
  Floats x = randomFloats(24, -2, 2, 10);
  Floats shortGamma{1, 2, 3, 4}, longGamma = randomFloats(24, -2, 2, 11);
  Floats zeros(24, 0);
  auto run = [&](int64_t axis, Shape params, Floats gamma, Shape moments) {
    Floats beta(gamma.size(), 0);
    return floatsOf(runNode("LayerNorm",
                            {floatTensor(DataType::Float, {2, 3, 4}, x),
                             floatTensor(DataType::Float, params, gamma),
                             floatTensor(DataType::Float, params, beta)},
                            normOutputs(DataType::Float, {2, 3, 4}, moments),
                            normAttrs(axis, 1e-5f, HighPrecision))
                        .outputs[0]);
  };
  Floats repeated;
  for (int i = 0; i < 12; ++i)
    repeated.push_back(shortGamma[i % 4]);
  expectSameBits(run(1, {4}, shortGamma, {2, 1, 1}),
                 layerNorm(x, 12, repeated, zeros, 1e-5f, false).y);
  Floats unit(4, 1);
  Floats expected = layerNorm(x, 4, unit, zeros, 1e-5f, false).y;
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = expected[i] * longGamma[i] + 0.0f;
  expectSameBits(run(2, {2, 3, 4}, longGamma, {2, 3, 1}), expected);
}

TEST(LayerNormTest, V3GivesTheRoot) {
  Floats x = randomFloats(3 * 50, -2, 2, 12);
  Floats gamma = randomFloats(50, -2, 2, 13),
         beta = randomFloats(50, -1, 1, 14);
  auto result = runEverywhere("LayerNormV3",
                              {floatTensor(DataType::Float16, {3, 50}, x),
                               floatTensor(DataType::Float16, {50}, gamma),
                               floatTensor(DataType::Float16, {50}, beta)},
                              {plainDesc(DataType::Float16, {3, 50}),
                               plainDesc(DataType::Float, {3, 1}),
                               plainDesc(DataType::Float, {3, 1})},
                              normAttrs(1, 1e-5f, 0));
  Expected3 expected = layerNorm(x, 50, gamma, beta, 1e-5f, false);
  expectSameBits(floatsOf(result.outputs[0]),
                 rounded(DataType::Float16, expected.y));
  expectSameBits(floatsOf(result.outputs[1]), expected.second);
  for (float &variance : expected.third)
    variance = 1.0f / std::sqrt(variance + 1e-5f);
  expectSameBits(floatsOf(result.outputs[2]), expected.third);
}

// The shape of lines is an input, and parameters may be absent: the result is
// that of V3 with ones and zeros.
TEST(LayerNormTest, V4HasOptionalParameters) {
  const TensorDesc desc = plainDesc(DataType::Float16, {3, 2, 25});
  const TestTensor x = floatTensor(desc.dtype, desc.shape,
                                   randomFloats(3 * 50, -2, 2, 12)),
                   shape = tensor(plainDesc(DataType::Int32, {2}),
                                  std::vector<int32_t>{2, 25}),
                   gamma = floatTensor(desc.dtype, {2, 25},
                                       randomFloats(50, -2, 2, 13)),
                   ones = floatTensor(desc.dtype, {2, 25}, Floats(50, 1)),
                   zeros = floatTensor(desc.dtype, {2, 25}, Floats(50));
  const std::vector<TensorDesc> outputs = {
      desc, plainDesc(DataType::Float, {3, 1, 1}),
      plainDesc(DataType::Float, {3, 1, 1})};
  auto expectSame = [&](std::vector<TestTensor> operands,
                        const TestTensor &scales, const TestTensor &shifts) {
    auto expected = runNode("LayerNormV3", {x, scales, shifts}, outputs,
                            normAttrs(1, 1e-5f, 0));
    operands.insert(operands.begin(), {x, shape});
    Attributes attrs;
    attrs.set("epsilon", 1e-5f);
    auto result = runEverywhere("LayerNormV4", operands, outputs, attrs);
    for (size_t i = 0; i < outputs.size(); ++i)
      EXPECT_EQ(result.outputs[i].bytes, expected.outputs[i].bytes) << i;
  };
  expectSame({gamma, gamma}, gamma, gamma);
  expectSame({gamma}, gamma, zeros);
  expectSame({}, ones, zeros);

  NodeSpec spec{"LayerNormV4", "node", {}, {}, outputs, {}};
  spec.inputs = {desc, plainDesc(DataType::Int32, {2}), std::nullopt,
                 gamma.desc};
  const std::vector<int32_t> wrong = {2, 24};
  spec.constants = {nullptr, reinterpret_cast<const std::byte *>(wrong.data()),
                    nullptr, nullptr};
  const Registry registry = Registry::withBuiltins();
  const KernelEntry *entry = registry.lookup("LayerNormV4");
  EXPECT_EQ(entry->create(spec, {}).status().message(),
            "LayerNormV4 'node': normalized_shape 2x24 is not that of trailing "
            "axes of DT_FLOAT16 3x2x25 ND");
  spec.constants[1] = shape.bytes.data();
  EXPECT_TRUE(entry->create(spec, {}));
}

TEST(LayerNormTest, SpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto ones = floatTensor(DataType::Float, {2}, {1, 1});
  const auto zeros = floatTensor(DataType::Float, {2}, {0, 0});
  auto run = [&](Floats x) {
    return runNode(
        "LayerNorm", {floatTensor(DataType::Float, {1, 2}, x), ones, zeros},
        normOutputs(DataType::Float, {1, 2}, {1, 1}), normAttrs(1, 1e-5f, 0));
  };
  EXPECT_EQ(run({infinity, 1}).status.valid, status::VectorNanInfInput);
  // The square of 1e30 is beyond fp32.
  EXPECT_EQ(run({1e30f, -1e30f}).status.valid &
                (status::FloatOverflow | status::CastOverflow),
            status::FloatOverflow);
}

TEST(LayerNormTest, Refusals) {
  auto half = [](Shape shape) {
    return plainDesc(DataType::Float16, std::move(shape));
  };
  const auto outputs = normOutputs(DataType::Float16, {2, 8}, {2, 1});
  EXPECT_EQ(refusal("LayerNorm", {half({2, 8}), half({8}), half({8})}, outputs,
                    normAttrs(2, 1e-5f, 0)),
            "LayerNorm 'node': axis 2 is not one of a tensor of 2 dimensions");
  EXPECT_EQ(refusal("LayerNorm", {half({2, 8}), half({3}), half({8})}, outputs,
                    normAttrs(1, 1e-5f, 0)),
            "LayerNorm 'node': " + half({3}).toString() +
                " does not have the size of trailing axes of its operand");
  EXPECT_EQ(refusal("LayerNorm", {half({2, 8}), half({8}), half({8})},
                    normOutputs(DataType::Float16, {2, 8}, {3, 1}),
                    normAttrs(1, 1e-5f, 0)),
            "LayerNorm 'node': " + half({3, 1}).toString() +
                " has not the expected 2 elements");
  EXPECT_EQ(
      refusal("LayerNorm",
              {plainDesc(DataType::Int32, {2, 8}), half({8}), half({8})},
              outputs, normAttrs(1, 1e-5f, 0)),
      "LayerNorm 'node': " + plainDesc(DataType::Int32, {2, 8}).toString() +
          " is not fp16, bf16 or fp32 as expected");
}

// U23: a saturated value goes through the norm.
TEST(RmsNormTest, AfterASaturatingCast) {
  Attributes attrs;
  attrs.set("epsilon", 1e-6f);
  auto run = [&](OverflowMode mode) {
    NumericConfig config{Soc::Ascend910B, mode};
    auto cast =
        runNode("Cast", {floatTensor(DataType::Float, {1, 2}, {70000, 1})},
                {plainDesc(DataType::Float16, {1, 2})}, {}, config);
    EXPECT_EQ(cast.status.valid, status::CastOverflow);
    auto norm =
        runNode("RmsNorm",
                {cast.outputs[0], floatTensor(DataType::Float16, {2}, {1, 1})},
                {plainDesc(DataType::Float16, {1, 2}),
                 plainDesc(DataType::Float, {1, 1})},
                attrs, config);
    EXPECT_EQ(norm.status.valid & status::Documented, 0u);
    return norm.values<uint16_t>();
  };
  EXPECT_EQ(run(OverflowMode::Saturate),
            (std::vector<uint16_t>{0x3DA8, 0x016A}));
  EXPECT_EQ(run(OverflowMode::InfNan)[0], 0x7E00);
}

TEST(RmsNormTest, Definition) {
  unsigned seed = 20;
  for (DataType dtype :
       {DataType::Float16, DataType::Float, DataType::BFloat16})
    for (int64_t length : {1, 5, 33, 4096}) {
      Floats x = rounded(dtype, randomFloats(4 * length, -3, 3, seed++));
      Floats gamma = rounded(dtype, randomFloats(length, -2, 2, seed++));
      auto result = runEverywhere(
          "RmsNorm",
          {floatTensor(dtype, {4, length}, x),
           floatTensor(dtype, {length}, gamma)},
          {plainDesc(dtype, {4, length}), plainDesc(DataType::Float, {4, 1})});
      Floats y, roots;
      for (int64_t row = 0; row < 4; ++row) {
        Floats squares;
        for (int64_t i = 0; i < length; ++i)
          squares.push_back(x[row * length + i] * x[row * length + i]);
        const float root =
            1.0f /
            std::sqrt(documentedSum(squares) * (1.0f / float(length)) + 1e-6f);
        roots.push_back(root);
        for (int64_t i = 0; i < length; ++i)
          y.push_back(x[row * length + i] * root * gamma[i]);
      }
      expectSameBits(floatsOf(result.outputs[0]), rounded(dtype, y));
      expectSameBits(floatsOf(result.outputs[1]), roots);
    }
}

TEST(RmsNormTest, AddsFirst) {
  Floats a = randomFloats(6 * 40, -300, 300, 30);
  Floats b = randomFloats(6 * 40, -2, 2, 31);
  a[3] = 65504, b[3] = 64; // the sum is beyond fp16
  const auto gamma = floatTensor(DataType::Float16, {40}, Floats(40, 1));
  const TensorDesc rows = plainDesc(DataType::Float16, {6, 40});
  const TensorDesc roots = plainDesc(DataType::Float, {6, 1});
  auto result =
      runEverywhere("AddRmsNorm",
                    {floatTensor(DataType::Float16, {6, 40}, a),
                     floatTensor(DataType::Float16, {6, 40}, b), gamma},
                    {rows, roots, rows});
  EXPECT_EQ(result.status.valid & ~status::CastUnderflow,
            status::FloatOverflow);
  Floats sum;
  for (size_t i = 0; i < a.size(); ++i)
    sum.push_back(toHalfAndBack(a[i] + b[i]));
  expectSameBits(floatsOf(result.outputs[2]), sum);
  auto norm = runNode("RmsNorm", {result.outputs[2], gamma}, {rows, roots});
  EXPECT_EQ(norm.outputs[0].bytes, result.outputs[0].bytes);
  EXPECT_EQ(norm.outputs[1].bytes, result.outputs[1].bytes);
}
