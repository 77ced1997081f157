// NLLLoss and NLLLossGrad against their definitions, bit for bit.

#include "FloatTester.h"

#include <array>

using namespace npu;
using namespace npu::kernels;

namespace {

Attributes attributes(const std::string &reduction, int64_t ignored) {
  Attributes attrs;
  attrs.set("reduction", reduction);
  attrs.set("ignore_index", ignored);
  return attrs;
}

TestTensor targetTensor(const std::vector<int64_t> &classes, bool wide) {
  const Shape shape{static_cast<int64_t>(classes.size())};
  return wide ? tensor(plainDesc(DataType::Int64, shape), classes)
              : tensor(plainDesc(DataType::Int32, shape),
                       std::vector<int32_t>(classes.begin(), classes.end()));
}

/// Random rows, their classes and what is the same for loss and gradient.
struct Sample {
  DataType dtype = DataType::Float;
  int64_t rows = 1, numClasses = 1, ignored = -100;
  std::string reduction;
  Floats x, weights;
  std::vector<int64_t> classes;
  bool wide = false;

  explicit Sample(std::mt19937 &random) {
    dtype = std::array{DataType::Float, DataType::BFloat16}[random() % 2];
    rows = 1 + random() % 40;
    numClasses = 1 + random() % 20;
    reduction = std::array{"none", "mean", "sum"}[random() % 3];
    wide = random() % 2;
    if (random() % 2)
      ignored = random() % numClasses;
    TestTensor values =
        floatTensor(dtype, {rows, numClasses},
                    randomFloats(rows * numClasses, -4, 0, random()));
    x = floatsOf(values);
    TestTensor ofClasses = floatTensor(
        dtype, {numClasses}, randomFloats(numClasses, 0.25f, 2, random()));
    weights = floatsOf(ofClasses);
    for (int64_t row = 0; row < rows; ++row)
      classes.push_back(random() % numClasses);
  }
  bool counts(int64_t row) const { return classes[row] != ignored; }
  float weightOf(int64_t row) const {
    return counts(row) ? weights[classes[row]] : 0;
  }
};

Floats rounded(DataType dtype, const Floats &values) {
  TestTensor tensor =
      floatTensor(dtype, {static_cast<int64_t>(values.size())}, values);
  return floatsOf(tensor);
}

std::string runRefusal(int64_t target) {
  const std::vector<TestTensor> inputs = {
      floatTensor(DataType::Float, {1, 3}, {1, 2, 3}),
      targetTensor({target}, false)};
  NodeSpec spec{"NLLLoss", "node", {}, {}, {}, {}};
  std::vector<ConstTensor> in;
  for (const TestTensor &input : inputs) {
    spec.inputs.push_back(input.desc);
    in.push_back({&input.desc, input.bytes.data()});
  }
  spec.constants.resize(2);
  spec.outputs.assign(2, plainDesc(DataType::Float, {}));
  auto kernel = Registry::withBuiltins().lookup("NLLLoss")->create(spec, {});
  EXPECT_TRUE(kernel) << kernel.status().message();
  float results[2];
  MutableTensor out[2];
  for (int i : {0, 1})
    out[i] = {&spec.outputs[i], reinterpret_cast<std::byte *>(&results[i])};
  ThreadPool pool(1);
  RunContext context{pool};
  auto status = (*kernel)->run(context, in, out);
  return status ? "accepted" : status.status().message();
}

} // namespace

TEST(NegativeLogLikelihoodTest, Loss) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 120; ++repeat) {
    Sample s(random);
    const bool hasWeights = random() % 3 != 0;
    if (!hasWeights)
      s.weights.assign(s.weights.size(), 1);
    Floats losses, weights;
    for (int64_t row = 0; row < s.rows; ++row) {
      weights.push_back(s.weightOf(row));
      losses.push_back(s.counts(row)
                           ? -s.x[row * s.numClasses + s.classes[row]] *
                                 weights.back()
                           : 0);
    }
    float total = 0;
    if (s.reduction != "none") {
      total = documentedSum(weights);
      losses = {documentedSum(losses)};
      if (s.reduction == "mean")
        losses[0] /= total;
    }
    if (std::isnan(losses[0])) // nothing counts
      losses[0] = std::numeric_limits<float>::quiet_NaN();
    std::vector<TestTensor> inputs = {
        floatTensor(s.dtype, {s.rows, s.numClasses}, s.x),
        targetTensor(s.classes, s.wide)};
    if (hasWeights)
      inputs.push_back(floatTensor(s.dtype, {s.numClasses}, s.weights));
    const Shape y = s.reduction == "none" ? Shape{s.rows} : Shape{};
    auto result = runEverywhere(
        "NLLLoss", inputs, {plainDesc(s.dtype, y), plainDesc(s.dtype, {1})},
        attributes(s.reduction, s.ignored),
        {Soc::Ascend910A, OverflowMode::InfNan});
    SCOPED_TRACE(s.reduction);
    expectSameBits(floatsOf(result.outputs[0]), rounded(s.dtype, losses));
    expectSameBits(floatsOf(result.outputs[1]), rounded(s.dtype, {total}));
  }
}

TEST(NegativeLogLikelihoodTest, Gradient) {
  std::mt19937 random(8);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const Sample s(random);
    const int64_t count = s.reduction == "none" ? s.rows : 1;
    TestTensor dy =
        floatTensor(s.dtype, {count}, randomFloats(count, -2, 2, random()));
    TestTensor total = floatTensor(s.dtype, {1}, {3.25f});
    Floats expected(s.rows * s.numClasses);
    for (int64_t row = 0; row < s.rows; ++row)
      if (s.counts(row)) {
        float value =
            s.weightOf(row) * floatsOf(dy)[s.reduction == "none" ? row : 0];
        value = -value;
        if (s.reduction == "mean")
          value /= 3.25f;
        expected[row * s.numClasses + s.classes[row]] = value;
      }
    auto result =
        runEverywhere("NLLLossGrad",
                      {floatTensor(s.dtype, {s.rows, s.numClasses}, s.x), dy,
                       targetTensor(s.classes, s.wide),
                       floatTensor(s.dtype, {s.numClasses}, s.weights), total},
                      {plainDesc(s.dtype, {s.rows, s.numClasses})},
                      attributes(s.reduction, s.ignored));
    SCOPED_TRACE(s.reduction);
    expectSameBits(floatsOf(result.outputs[0]), rounded(s.dtype, expected));
  }
}

// The graph says that a device adds in memory: one after the other, and its own
// code of an overflow.
TEST(NegativeLogLikelihoodTest, ByAtomics) {
  Attributes attrs = attributes("sum", -100);
  attrs.set("atomic_output_index", std::vector<int64_t>{0});
  const float large = std::numeric_limits<float>::max();
  auto result = runNode(
      "NLLLoss",
      {floatTensor(DataType::Float, {2, 1}, {-large, -large}),
       targetTensor({0, 0}, false)},
      {plainDesc(DataType::Float, {1}), plainDesc(DataType::Float, {1})},
      attrs);
  EXPECT_EQ(result.status.valid, status::None);
  EXPECT_EQ(result.status.atomic, AtomicOverflow::Upward);
  EXPECT_EQ(floatsOf(result.outputs[1]), Floats{2});
}

TEST(NegativeLogLikelihoodTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {2, 3}),
                   one = plainDesc(DataType::Float, {1}),
                   target = plainDesc(DataType::Int32, {2});
  auto refused = [&](std::vector<TensorDesc> inputs,
                     const std::string &reduction = "mean") {
    return refusal("NLLLoss", inputs, {one, one}, attributes(reduction, 0));
  };
  EXPECT_EQ(refused({x, target}), "accepted");
  EXPECT_EQ(refused({x, target}, "max"),
            "NLLLoss 'node': attribute 'reduction' is 'max', expected none, "
            "mean or sum");
  EXPECT_EQ(refused({plainDesc(DataType::Float, {3}), target}),
            "NLLLoss 'node': DT_FLOAT 3 ND has not two axes, rows and classes");
  EXPECT_EQ(refused({x, plainDesc(DataType::Int32, {3})}),
            "NLLLoss 'node': target DT_INT32 3 ND is not one int32 or int64 "
            "for each row of DT_FLOAT 2x3 ND");
  EXPECT_EQ(refused({x, target, plainDesc(DataType::Float, {2})}),
            "NLLLoss 'node': weight DT_FLOAT 2 ND is not one for each class of "
            "DT_FLOAT 2x3 ND");
  EXPECT_EQ(runRefusal(2), "accepted");
  EXPECT_EQ(runRefusal(3), "target 3 of row 0 is none of 3 classes");
}
