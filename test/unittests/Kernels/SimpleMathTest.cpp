// Scales and statistics that lie along the channels; powers; integers.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

/// The elements of \p plain in NC1HWC0.
TestTensor blocked(TestTensor plain) {
  const TensorDesc to = privateDesc(plain.desc.dtype, Format::NC1HWC0,
                                    plain.desc.format, plain.desc.shape);
  return {to, runNode("TransData", {std::move(plain)}, {to}).outputs[0].bytes};
}

Attributes with(const char *name, AttributeValue value) {
  Attributes attrs;
  attrs.set(name, std::move(value));
  return attrs;
}

} // namespace

// An operand of one dimension starts at the axis that `axis` names, or at the
// channels; plain and in blocks the same comes out.
TEST(SimpleMathTest, OperandsOfChannels) {
  constexpr int64_t N = 2, C = 19, H = 3, W = 2;
  const Floats x = randomFloats(N * C * H * W, -2, 2, 1);
  std::vector<Floats> each;
  for (unsigned i = 0; i < 4; ++i)
    each.push_back(randomFloats(C, -2, 2, 2 + i));
  for (Format format : {Format::NCHW, Format::NHWC}) {
    const bool last = format == Format::NHWC;
    const Shape shape = last ? Shape{N, H, W, C} : Shape{N, C, H, W};
    auto channel = [&](size_t i) { return last ? i % C : i / (H * W) % C; };
    TestTensor image = floatTensor(DataType::Float16, shape, x);
    image.desc.format = image.desc.originFormat = format;
    auto vector = [&](size_t i) {
      return floatTensor(DataType::Float16, {C}, each[i]);
    };
    auto expectSame = [&](const char *type, std::vector<TestTensor> operands,
                          const Attributes &attrs, auto definition) {
      SCOPED_TRACE(type);
      Floats expected;
      for (size_t i = 0; i < x.size(); ++i)
        expected.push_back(toHalfAndBack(definition(x[i], channel(i))));
      operands.insert(operands.begin(), image);
      auto plain = runEverywhere(type, operands, {image.desc}, attrs);
      expectSameBits(floatsOf(plain.outputs[0]), expected);
      operands.front() = blocked(image);
      auto inBlocks = runNode(type, operands, {operands.front().desc}, attrs);
      auto back = runNode("TransData", {inBlocks.outputs[0]}, {image.desc});
      expectSameBits(floatsOf(back.outputs[0]), expected);
    };
    const Attributes axis = with("axis", int64_t(last ? -1 : 1));
    expectSame("Scale", {vector(0)}, axis,
               [&](float v, size_t c) { return v * each[0][c]; });
    expectSame("Scale", {vector(0), vector(1)}, axis,
               [&](float v, size_t c) { return v * each[0][c] + each[1][c]; });
    auto normal = [&](float v, size_t c) {
      return toHalfAndBack(toHalfAndBack(v + each[0][c]) * each[1][c]);
    };
    expectSame("BNInferenceD", {vector(0), vector(1)}, {}, normal);
    expectSame("BNInferenceD", {vector(0), vector(1), vector(2)}, {},
               [&](float v, size_t c) { return normal(v, c) * each[2][c]; });
    expectSame("BNInferenceD", {vector(0), vector(1), vector(2), vector(3)}, {},
               [&](float v, size_t c) {
                 return normal(v, c) * each[2][c] + each[3][c];
               });
    // Sums of three batches; with a momentum of 0 they count for nothing.
    for (float momentum : {3.0f, 0.0f}) {
      const float share = momentum == 0 ? 0 : 1 / momentum;
      Floats variances;
      for (float value : each[1])
        variances.push_back(std::abs(value));
      auto prepared = [&](float v, size_t c) {
        const float mean = toHalfAndBack(-(each[0][c] * share));
        const float root =
            toHalfAndBack(1.0f / std::sqrt(variances[c] * share + 0.001f));
        return toHalfAndBack(toHalfAndBack(v + mean) * root);
      };
      const auto variance = floatTensor(DataType::Float16, {C}, variances);
      const auto factor = scalarTensor(DataType::Float16, momentum);
      const Attributes epsilon = with("epsilon", 0.001f);
      expectSame("BNInference", {vector(0), variance, factor}, epsilon,
                 prepared);
      // The host by itself, and what reads it.
      auto host = runNode("BnHost", {vector(0), variance, factor},
                          {variance.desc, variance.desc}, epsilon);
      expectSame("BNInferenceD", {host.outputs[0], host.outputs[1]}, {},
                 prepared);
      expectSame("BNInference",
                 {vector(0), variance, factor, vector(2), vector(3)}, epsilon,
                 [&](float v, size_t c) {
                   return prepared(v, c) * each[2][c] + each[3][c];
                 });
    }
  }
}

// The root of what is above a bound, and at least another.
TEST(SimpleMathTest, ClipsNorms) {
  const Floats x = randomFloats(100, -3, 3, 1),
               bound = randomFloats(1, 0, 1, 2),
               least = randomFloats(100, 0, 1, 3);
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    Floats expected;
    for (size_t i = 0; i < x.size(); ++i) {
      float value = x[i] > bound[0] ? std::sqrt(x[i]) : x[i];
      if (dtype == DataType::Float16)
        value = toHalfAndBack(value);
      expected.push_back(std::max(value, least[i]));
    }
    auto result = runEverywhere(
        "ClipByNormNoDivSum",
        {floatTensor(dtype, {100}, x), floatTensor(dtype, {1}, bound),
         floatTensor(dtype, {1}, {1}), floatTensor(dtype, {100}, least)},
        {plainDesc(dtype, {100})});
    expectSameBits(floatsOf(result.outputs[0]), expected);
    EXPECT_EQ(result.status.valid, status::None);
  }
}

TEST(SimpleMathTest, DivergenceGradient) {
  const Shape shape{4, 5, 3};
  const Floats target = randomFloats(60, 0, 1, 1),
               each = randomFloats(60, -2, 2, 2);
  for (DataType dtype : {DataType::Float16, DataType::Float})
    for (const char *reduction : {"none", "sum", "mean", "batchmean"}) {
      const bool isNone = std::string(reduction) == "none";
      const Floats gradient = isNone ? each : Floats{each[0]};
      auto instruction = [&](float value) {
        return dtype == DataType::Float16 ? toHalfAndBack(value) : value;
      };
      float share = 1;
      if (std::string(reduction) == "mean")
        share = instruction(1.0f / 60);
      else if (std::string(reduction) == "batchmean")
        share = 0.25f;
      Floats expected;
      for (size_t i = 0; i < 60; ++i)
        expected.push_back(instruction(
            -instruction(target[i] * gradient[isNone ? i : 0]) * share));
      const TestTensor targets = floatTensor(dtype, shape, target);
      auto result = runEverywhere(
          "KLDivLossGrad",
          {floatTensor(dtype, isNone ? shape : Shape{1}, gradient), targets,
           targets},
          {targets.desc}, with("reduction", std::string(reduction)));
      SCOPED_TRACE(reduction);
      expectSameBits(floatsOf(result.outputs[0]), expected);
    }
  // Targets that are logarithms.
  Attributes attrs = with("reduction", std::string("sum"));
  attrs.set("log_target", true);
  const auto one = scalarTensor(DataType::Float, 1);
  auto result =
      runNode("KLDivLossGrad",
              {one, one, scalarTensor(DataType::Float, std::log(0.25f))},
              {one.desc}, attrs);
  EXPECT_NEAR(floatsOf(result.outputs[0])[0], -0.25f, 1e-6f);
  EXPECT_EQ(refusal("KLDivLossGrad", {one.desc, one.desc, one.desc}, {one.desc},
                    with("reduction", std::string("max"))),
            "node: attribute 'reduction' is 'max', expected none, sum, mean or "
            "batchmean");
}

// A mask has numbers or is of int8.
TEST(SimpleMathTest, MaskedScale) {
  const Floats x = randomFloats(40, -2, 2, 1);
  std::vector<int8_t> flags;
  Floats numbers;
  for (int i = 0; i < 40; ++i) {
    flags.push_back(static_cast<int8_t>(i % 5 - 2));
    numbers.push_back(flags.back());
  }
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    Floats expected;
    for (size_t i = 0; i < 40; ++i)
      expected.push_back(x[i] * numbers[i] * 0.3f);
    TestTensor rounded = floatTensor(dtype, {40}, expected);
    for (const TestTensor &mask :
         {tensor(plainDesc(DataType::Int8, {40}), flags),
          floatTensor(DataType::Float16, {40}, numbers),
          floatTensor(DataType::Float, {40}, numbers)}) {
      auto result =
          runEverywhere("MaskedScale", {floatTensor(dtype, {40}, x), mask},
                        {rounded.desc}, with("value", 0.3f));
      expectSameBits(floatsOf(result.outputs[0]), floatsOf(rounded));
    }
  }
}

TEST(SimpleMathTest, Diagonals) {
  constexpr int64_t N = 3, Size = 5;
  Floats assist, expected;
  const Floats x = randomFloats(N * Size, -2, 2, 1);
  for (int64_t n = 0; n < N; ++n)
    for (int64_t i = 0; i < Size; ++i)
      for (int64_t j = 0; j < Size; ++j) {
        assist.push_back(i == j);
        expected.push_back(x[n * Size + j] * assist.back());
      }
  const Shape shape{N, Size, Size};
  auto result = runEverywhere("MatrixDiagD",
                              {floatTensor(DataType::Float16, {N, Size}, x),
                               floatTensor(DataType::Float16, shape, assist)},
                              {plainDesc(DataType::Float16, shape)});
  expectSameBits(floatsOf(result.outputs[0]), expected);
  const TensorDesc blocks = privateDesc(DataType::Float16, Format::NC1HWC0,
                                        Format::NCHW, {1, 1, 2, 2});
  EXPECT_EQ(refusal("MatrixDiagD", {plainDesc(DataType::Float16, {2}), blocks},
                    {blocks}),
            "MatrixDiagD 'node': " + blocks.toString() +
                " is no plain tensor of rows");
}

TEST(SimpleMathTest, HostStatisticsRefusals) {
  const TensorDesc x = plainDesc(DataType::Float, {4}),
                   one = plainDesc(DataType::Float, {1});
  EXPECT_EQ(refusal("BnHost", {x, x, one}, {x, x}), "accepted");
  EXPECT_EQ(refusal("BnHost", {x, x, one}, {x, x, one}),
            "BnHost 'node': has an output mu; what it holds is in no public "
            "document");
  EXPECT_EQ(refusal("BnHost", {x, x, one, x, x}, {x, x}),
            "BnHost 'node': has a scale or offset; how a host folds them is in "
            "no public document");
  EXPECT_EQ(refusal("BnHost", {x, x, x}, {x, x}),
            "BnHost 'node': momentum DT_FLOAT 4 ND is not one element");
  EXPECT_EQ(refusal("BnHost", {x, x, one}, {x, one}),
            "BnHost 'node': DT_FLOAT 4 ND does not give DT_FLOAT 1 ND");
}

// Scale of two axes, from the second on; an input that is absent.
TEST(SimpleMathTest, ScaleOfAxes) {
  const Floats x = randomFloats(24, -2, 2, 1),
               scale = randomFloats(6, -2, 2, 2);
  auto result = runNode("Scale",
                        {floatTensor(DataType::Float, {2, 2, 3, 2}, x),
                         floatTensor(DataType::Float, {2, 3}, scale)},
                        {plainDesc(DataType::Float, {2, 2, 3, 2})});
  Floats expected;
  for (size_t i = 0; i < 24; ++i)
    expected.push_back(x[i] * scale[i / 2 % 6]);
  expectSameBits(floatsOf(result.outputs[0]), expected);

  const TensorDesc desc = plainDesc(DataType::Float, {2, 3});
  NodeSpec spec{"Scale", "node", {}, {desc, desc, std::nullopt}, {desc}, {}};
  spec.constants.resize(3);
  auto kernel = Registry::withBuiltins().lookup("Scale")->create(spec, {});
  ASSERT_TRUE(kernel) << kernel.status().message();
  const Floats a{1, 2, 3, 4, 5, 6};
  Floats y(6);
  const ConstTensor in{&desc, reinterpret_cast<const std::byte *>(a.data())};
  const ConstTensor inputs[] = {in, in, {}};
  const MutableTensor out{&desc, reinterpret_cast<std::byte *>(y.data())};
  ThreadPool pool(1);
  RunContext context{pool};
  ASSERT_TRUE((*kernel)->run(context, inputs, {&out, 1}));
  EXPECT_EQ(y, (Floats{1, 4, 9, 16, 25, 36}));

  EXPECT_EQ(refusal("BNInference", {desc, desc, desc, desc}, {desc}),
            "BNInference 'node': momentum " + desc.toString() +
                " is not one element");
  EXPECT_EQ(refusal("Scale", {desc, plainDesc(DataType::Float, {3, 2})}, {desc},
                    with("axis", int64_t(1))),
            "node: operand " + plainDesc(DataType::Float, {3, 2}).toString() +
                " does not broadcast to " + desc.toString());
  const TensorDesc four = plainDesc(DataType::Float, {2, 3, 4, 5});
  EXPECT_EQ(refusal("Scale", {four, plainDesc(DataType::Float, {4, 5})}, {four},
                    with("axis", int64_t(3))),
            "Scale 'node': " + plainDesc(DataType::Float, {4, 5}).toString() +
                " from axis 3 on exceeds " + four.toString());
}

TEST(SimpleMathTest, Powers) {
  const Floats x{0, -0.0f, 1, -1, 2, -2, 0.5f, -3, 100};
  auto power = [&](float exponent) {
    Attributes attrs = with("power", exponent);
    auto result = runNode("Power", {floatTensor(DataType::Float, {9}, x)},
                          {plainDesc(DataType::Float, {9})}, attrs,
                          {Soc::Ascend910B, OverflowMode::InfNan});
    return floatsOf(result.outputs[0]);
  };
  expectSameBits(power(0), Floats(9, 1));
  EXPECT_EQ(power(3), (Floats{0, -0.0f, 1, -1, 8, -8, 0.125f, -27, 1e6f}));
  const Floats root = power(0.5f);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0)
      EXPECT_TRUE(std::isnan(root[i])) << x[i];
    else
      EXPECT_NEAR(root[i], std::sqrt(x[i]), 1e-5 * std::sqrt(x[i]));
  const Floats fifth = power(5);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(fifth[i], std::pow(x[i], 5),
                1e-5 * std::abs(std::pow(x[i], 5)));
}

TEST(SimpleMathTest, Integers) {
  const TensorDesc desc = plainDesc(DataType::Int32, {4});
  auto run = [&](const char *type, std::vector<std::vector<int32_t>> operands,
                 const Attributes &attrs = {}) {
    std::vector<TestTensor> inputs;
    for (const auto &values : operands)
      inputs.push_back(tensor(desc, values));
    return runNode(type, inputs, {desc}, attrs).values<int32_t>();
  };
  using Ints = std::vector<int32_t>;
  const Ints a{-7, 0, 3, 2147483647}, b{2, 5, -4, 2147483640};
  EXPECT_EQ(run("Sign", {a}), (Ints{-1, 0, 1, 1}));
  EXPECT_EQ(run("SquaredDifference", {a, b}), (Ints{81, 25, 49, 49}));
  EXPECT_EQ(run("Maxs", {a}, with("value", 1.0f)), (Ints{1, 1, 3, 2147483647}));
  EXPECT_EQ(run("Mins", {a}, with("value", 1.0f)), (Ints{-7, 0, 1, 1}));
  EXPECT_EQ(run("Axpy", {{1, 2, 3, 4}, b}, with("alpha", 1.0f)),
            (Ints{3, 7, -1, 2147483644}));
  EXPECT_EQ(refusal("Round", {plainDesc(DataType::Float, {1})},
                    {plainDesc(DataType::Float, {1})},
                    with("decimals", int64_t(2))),
            "node: attribute 'decimals' is 2, expected 0");
}
