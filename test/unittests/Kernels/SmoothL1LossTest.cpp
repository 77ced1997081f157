// SmoothL1LossV2 against its definition, bit for bit.

#include "FloatTester.h"

#include <array>

using namespace npu;
using namespace npu::kernels;

namespace {

float lossOf(float predict, float label, float sigma) {
  const float difference = predict - label;
  return std::abs(difference) < sigma
             ? 0.5f * difference * difference * (1.0f / sigma)
             : std::abs(difference) - 0.5f * sigma;
}

} // namespace

TEST(SmoothL1LossTest, RandomShapes) {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape shape{int64_t(1 + random() % 3), int64_t(1 + random() % 20),
                      int64_t(1 + random() % 4), int64_t(1 + random() % 4)};
    const DataType dtype = std::array{DataType::Float16, DataType::Float,
                                      DataType::BFloat16}[random() % 3];
    const std::string reduction =
        std::array{"none", "sum", "mean"}[random() % 3];
    const float sigma = std::array{1.0f, 0.5f, 3.0f}[random() % 3];
    const bool inBlocks = random() % 2;
    SCOPED_TRACE(std::string(getName(dtype)) + " " + reduction);
    const size_t count = static_cast<size_t>(getNumElements(shape));
    TestTensor predict =
        floatTensor(dtype, shape, randomFloats(count, -4, 4, random()));
    TestTensor label =
        floatTensor(dtype, shape, randomFloats(count, -4, 4, random()));
    Floats expected;
    for (size_t i = 0; i < count; ++i)
      expected.push_back(
          lossOf(floatsOf(predict)[i], floatsOf(label)[i], sigma));
    if (reduction != "none")
      expected = {documentedSum(expected)};
    if (reduction == "mean")
      expected[0] *= 1.0f / static_cast<float>(count);
    const TensorDesc plain = plainDesc(dtype, shape, Format::NCHW),
                     blocks = privateDesc(dtype, Format::NC1HWC0, Format::NCHW,
                                          shape);
    std::vector<TestTensor> inputs;
    for (TestTensor tensor : {predict, label}) {
      tensor.desc = plain;
      if (inBlocks)
        tensor = {blocks,
                  runNode("TransData", {tensor}, {blocks}).outputs[0].bytes};
      inputs.push_back(std::move(tensor));
    }
    Attributes attrs;
    attrs.set("sigma", sigma);
    attrs.set("reduction", reduction);
    auto result = runEverywhere(
        "SmoothL1LossV2", inputs,
        {reduction == "none" ? inputs[0].desc : plainDesc(dtype, {})}, attrs);
    EXPECT_EQ(result.status.valid, status::None);
    TestTensor loss = result.outputs[0];
    if (reduction == "none" && inBlocks)
      loss = {plain, runNode("TransData", {loss}, {plain}).outputs[0].bytes};
    TestTensor rounded =
        floatTensor(dtype, {static_cast<int64_t>(expected.size())}, expected);
    expectSameBits(floatsOf(loss), floatsOf(rounded));
  }
}

TEST(SmoothL1LossTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {4});
  Attributes attrs;
  attrs.set("reduction", std::string("max"));
  EXPECT_EQ(refusal("SmoothL1LossV2", {x, x}, {x}, attrs),
            "SmoothL1LossV2 'node': attribute 'reduction' is 'max', expected "
            "none, mean or sum");
}
