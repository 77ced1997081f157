// Operators of training steps: gradients, loss, optimizer.

#include "KernelTester.h"

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

TestTensor floats(Shape shape, std::vector<float> values) {
  return tensor(plainDesc(DataType::Float, std::move(shape)), values);
}

TensorDesc floatDesc(Shape shape) {
  return plainDesc(DataType::Float, std::move(shape));
}

std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(random);
  return values;
}

} // namespace

TEST(TrainingTest, AdamStep) {
  const size_t count = 10007;
  auto var = randomFloats(count, 1), m = randomFloats(count, 2),
       v = randomFloats(count, 3), g = randomFloats(count, 4);
  for (float &value : v)
    value = std::abs(value);
  const float b1t = 0.9f * 0.9f, b2t = 0.999f * 0.999f, lr = 0.01f, b1 = 0.9f,
              b2 = 0.999f, eps = 1e-8f;
  for (bool nesterov : {false, true}) {
    const float rate = lr * std::sqrt(1 - b2t) / (1 - b1t);
    std::vector<float> newVar, newM, newV;
    for (size_t i = 0; i < count; ++i) {
      newM.push_back(m[i] + (1 - b1) * (g[i] - m[i]));
      newV.push_back(v[i] + (1 - b2) * (g[i] * g[i] - v[i]));
      const float step = nesterov ? b1 * newM[i] + (1 - b1) * g[i] : newM[i];
      newVar.push_back(var[i] - rate * step / (std::sqrt(newV[i]) + eps));
    }
    const Shape shape{int64_t(count)};
    std::vector<TestTensor> inputs{floats(shape, var), floats(shape, m),
                                   floats(shape, v)};
    for (float scalar : {b1t, b2t, lr, b1, b2, eps})
      inputs.push_back(floats({}, {scalar}));
    inputs.push_back(floats(shape, g));
    Attributes attributes;
    attributes.set("use_nesterov", nesterov);
    auto result =
        runNode(nesterov ? "ApplyAdam" : "ApplyAdamD", inputs,
                {floatDesc(shape), floatDesc(shape), floatDesc(shape)},
                attributes, {}, 3);
    EXPECT_EQ(result.values<float>(0), newVar);
    EXPECT_EQ(result.values<float>(1), newM);
    EXPECT_EQ(result.values<float>(2), newV);
    EXPECT_EQ(result.status.valid, status::None);
  }
}

TEST(TrainingTest, AdamReportsOverflow) {
  std::vector<TestTensor> inputs;
  for (float value : {1.0f, 0.0f, 0.0f, 0.9f, 0.9f, 0.1f, 0.9f, 0.9f, 1e-8f})
    inputs.push_back(floats(inputs.size() < 3 ? Shape{1} : Shape{}, {value}));
  inputs.push_back(floats({1}, {1e30f}));
  // The square is infinite, and the difference from v reads it.
  EXPECT_EQ(runNode("ApplyAdamD", inputs,
                    {floatDesc({1}), floatDesc({1}), floatDesc({1})})
                .status.valid,
            status::FloatOverflow | status::VectorNanInfInput);
  // So does the quotient an infinite epsilon, which leaves no trace.
  std::vector<TestTensor> unbounded = inputs;
  unbounded[8] = floats({}, {INFINITY});
  unbounded.back() = floats({1}, {1});
  EXPECT_EQ(runNode("ApplyAdamD", unbounded,
                    {floatDesc({1}), floatDesc({1}), floatDesc({1})})
                .status.valid,
            status::VectorNanInfInput);
  inputs.back() = floats({1}, {INFINITY});
  EXPECT_EQ(runNode("ApplyAdamD", inputs,
                    {floatDesc({1}), floatDesc({1}), floatDesc({1})})
                .status.valid,
            status::VectorNanInfInput);
}

TEST(TrainingTest, CrossEntropyOfOneHotLabels) {
  const int64_t rows = 50, width = 37;
  auto x = randomFloats(rows * width, 5);
  std::vector<float> labels(rows * width);
  for (int64_t row = 0; row < rows; ++row)
    labels[row * width + row % width] = 1;
  auto result =
      runNode("SoftmaxCrossEntropyWithLogits",
              {floats({rows, width}, x), floats({rows, width}, labels)},
              {floatDesc({rows}), floatDesc({rows, width})}, {}, {}, 3);
  auto loss = result.values<float>(0), gradient = result.values<float>(1);
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += std::exp(double(x[row * width + i]));
    EXPECT_NEAR(loss[row], std::log(sum) - x[row * width + row % width], 1e-5);
    for (int64_t i = 0; i < width; ++i)
      EXPECT_NEAR(gradient[row * width + i],
                  std::exp(double(x[row * width + i])) / sum -
                      labels[row * width + i],
                  1e-6);
  }
}

TEST(TrainingTest, CrossEntropyOfHalvesRoundsOnce) {
  // Two equal logits: ln 2 and 1/2 whatever their size.
  auto x = halves({1, 2}, {60000, 60000}), labels = halves({1, 2}, {0, 1});
  auto result = runNode("SoftmaxCrossEntropyWithLogits", {x, labels},
                        {plainDesc(DataType::Float16, {1}),
                         plainDesc(DataType::Float16, {1, 2})});
  EXPECT_EQ(result.values<uint16_t>(0)[0], halfBits(std::log(2.0)));
  EXPECT_EQ(result.values<uint16_t>(1),
            (std::vector{halfBits(0.5), halfBits(-0.5)}));
  EXPECT_EQ(result.status.valid, status::None);
}

TEST(TrainingTest, BiasAddGradSumsAllButChannels) {
  // 2 x 3 x 2 x 2 in NCHW: the sum of a channel.
  std::vector<double> values(24);
  for (size_t i = 0; i < 24; ++i)
    values[i] = double(i);
  TestTensor x = halves({2, 3, 2, 2}, values);
  x.desc.format = x.desc.originFormat = Format::NCHW;
  Attributes attributes;
  attributes.set("data_format", std::string("NCHW"));
  std::vector<uint16_t> expected;
  for (int c = 0; c < 3; ++c)
    expected.push_back(halfBits(8 * (c * 4 + 1.5) + 4 * 12));
  EXPECT_EQ(runNode("BiasAddGrad", {x}, {plainDesc(DataType::Float16, {3})},
                    attributes)
                .values<uint16_t>(),
            expected);
  // The channels of a private format are known, whatever data_format says.
  TestTensor image = runNode("TransData", {x},
                             {privateDesc(DataType::Float16, Format::NC1HWC0,
                                          Format::NCHW, {2, 3, 2, 2})})
                         .outputs[0];
  EXPECT_EQ(runNode("BiasAddGrad", {image}, {plainDesc(DataType::Float16, {3})})
                .values<uint16_t>(),
            expected);
  // Rows of a matrix in blocks, to fp32.
  TestTensor matrix =
      runNode("TransData", {halves({8, 3}, values)},
              {privateDesc(DataType::Float16, Format::FRACTAL_NZ, Format::ND,
                           {8, 3})})
          .outputs[0];
  EXPECT_EQ(runNode("BiasAddGrad", {matrix}, {floatDesc({3})}).values<float>(),
            (std::vector<float>{84, 92, 100}));
}

TEST(TrainingTest, ReluGradMultipliesByZeroOrOne) {
  auto gradient = halves({6}, {1.5, -2, 3, -4, 65504, 0});
  auto feature = halves({6}, {1, 1, 0, -1, 0x1p-24, -0.0});
  auto result = runNode("ReluGrad", {gradient, feature},
                        {plainDesc(DataType::Float16, {6})});
  EXPECT_EQ(result.values<uint16_t>(),
            (std::vector{halfBits(1.5), halfBits(-2), halfBits(0),
                         halfBits(-0.0), halfBits(65504), halfBits(0)}));
  EXPECT_EQ(result.status.valid, status::None);
}

TEST(TrainingTest, DivNoNanGivesZeroForZero) {
  auto a = floats({5}, {1, 0, -6, 5, INFINITY});
  auto b = floats({5}, {0, 0, 4, -0.0f, 0});
  auto result = runNode("DivNoNan", {a, b}, {floatDesc({5})});
  EXPECT_EQ(result.values<float>(), (std::vector<float>{0, 0, -1.5f, 0, 0}));
}

TEST(TrainingTest, AssignmentsTakeTheirValue) {
  auto ref = tensor<int64_t>(plainDesc(DataType::Int64, {2}), {5, 6});
  auto value = tensor<int64_t>(plainDesc(DataType::Int64, {2}), {1, -2});
  const TensorDesc out = plainDesc(DataType::Int64, {2});
  EXPECT_EQ(runNode("Assign", {ref, value}, {out}).values<int64_t>(),
            (std::vector<int64_t>{1, -2}));
  EXPECT_EQ(runNode("AssignAdd", {ref, value}, {out}).values<int64_t>(),
            (std::vector<int64_t>{6, 4}));
  EXPECT_EQ(runNode("AssignSub", {ref, value}, {out}).values<int64_t>(),
            (std::vector<int64_t>{4, 8}));
}
