// InstanceNormV2 against its instructions, bit for bit.

#include "FloatTester.h"

#include <array>

using namespace npu;
using namespace npu::kernels;

namespace {

struct Case {
  Shape shape; ///< N, C, H, W
  bool isTraining = true, hasScale = true, hasStatistics = true;
  bool isScaleByChannel = false;
  float momentum = 0.1f, epsilon = 1e-5f;
  Floats x, gamma, beta, mean, variance;

  int64_t lines() const { return shape[0] * shape[1]; }
  /// y, and the two statistics.
  std::array<Floats, 3> apply() const;
};

std::array<Floats, 3> Case::apply() const {
  std::array<Floats, 3> result;
  const auto length = static_cast<size_t>(shape[2] * shape[3]);
  const auto share = static_cast<float>(1.0 / static_cast<double>(length));
  for (size_t l = 0; l < static_cast<size_t>(lines()); ++l) {
    const Floats line(x.begin() + l * length, x.begin() + (l + 1) * length);
    Floats squares;
    for (float value : line)
      squares.push_back(value * value);
    float ofLine = hasStatistics ? mean[l] : 0,
          spread = hasStatistics ? variance[l] : 0;
    if (isTraining) {
      ofLine = documentedSum(line) * share;
      spread = documentedSum(squares) * share - ofLine * ofLine;
    }
    const float root = std::sqrt(spread + epsilon);
    const size_t at = isScaleByChannel ? l % shape[1] : l;
    for (float value : line) {
      if (!hasScale) {
        result[0].push_back((value - ofLine) / root);
        continue;
      }
      const float scale = gamma[at] / root;
      result[0].push_back(isTraining
                              ? scale * value + (beta[at] - scale * ofLine)
                              : (value - ofLine) * scale + beta[at]);
    }
    if (isTraining)
      spread *= length == 1
                    ? 0.0f
                    : static_cast<float>(double(length) / double(length - 1));
    if (isTraining && hasStatistics) {
      const float rest = static_cast<float>(1.0 - double(momentum));
      ofLine = ofLine * momentum + mean[l] * rest;
      spread = spread * momentum + variance[l] * rest;
    }
    result[1].push_back(ofLine);
    result[2].push_back(spread);
  }
  return result;
}

} // namespace

TEST(InstanceNormTest, RandomShapes) {
  std::mt19937 random(6);
  for (int repeat = 0; repeat < 120; ++repeat) {
    Case c;
    c.shape = {int64_t(1 + random() % 3), int64_t(1 + random() % 20),
               int64_t(1 + random() % 5), int64_t(1 + random() % 5)};
    c.isTraining = random() % 3;
    c.hasStatistics = !c.isTraining || random() % 2;
    // A node whose statistics come behind absent parameters has both.
    c.hasScale = c.hasStatistics || random() % 2;
    c.isScaleByChannel = random() % 2;
    const DataType dtype = random() % 2 ? DataType::Float16 : DataType::Float;
    auto floats = [&](int64_t count, float low, float high) {
      return randomFloats(static_cast<size_t>(count), low, high, random());
    };
    c.x = floats(getNumElements(c.shape), -5, 5);
    const Shape statistics{c.shape[0], c.shape[1], 1, 1},
        scales{c.isScaleByChannel ? 1 : c.shape[0], c.shape[1], 1, 1};
    c.gamma = floats(getNumElements(scales), -2, 2);
    c.beta = floats(getNumElements(scales), -2, 2);
    c.mean = floats(c.lines(), -1, 1);
    c.variance = floats(c.lines(), 0.5f, 2);
    Attributes attrs;
    attrs.set("is_training", c.isTraining);
    const auto [y, mean, variance] = c.apply();

    const bool inBlocks = random() % 2;
    auto descOf = [&](DataType type, const Shape &shape, bool blocked) {
      return blocked ? privateDesc(type, Format::NC1HWC0, Format::NCHW, shape)
                     : plainDesc(type, shape, Format::NCHW);
    };
    auto moved = [&](DataType type, const Shape &shape, const Floats &values) {
      TestTensor plain = floatTensor(type, shape, values);
      plain.desc = descOf(type, shape, false);
      const TensorDesc to = descOf(type, shape, inBlocks);
      return inBlocks ? runNode("TransData", {plain}, {to}).outputs[0] : plain;
    };
    std::vector<TestTensor> inputs = {moved(dtype, c.shape, c.x)};
    for (const auto &[shape, values] :
         {std::pair{scales, c.gamma}, {scales, c.beta}})
      if (c.hasScale)
        inputs.push_back(moved(DataType::Float, shape, values));
    for (const Floats &values : {c.mean, c.variance})
      if (c.hasStatistics)
        inputs.push_back(moved(DataType::Float, statistics, values));
    auto result = runEverywhere("InstanceNormV2", inputs,
                                {descOf(dtype, c.shape, inBlocks),
                                 descOf(DataType::Float, statistics, inBlocks),
                                 descOf(DataType::Float, statistics, inBlocks)},
                                attrs, {Soc::Ascend910A, OverflowMode::InfNan});
    auto back = [&](size_t output, DataType type, const Shape &shape) {
      TestTensor tensor = result.outputs[output];
      if (inBlocks)
        tensor = runNode("TransData", {tensor}, {descOf(type, shape, false)})
                     .outputs[0];
      return floatsOf(tensor);
    };
    TestTensor rounded = floatTensor(dtype, c.shape, y);
    expectSameBits(back(0, dtype, c.shape), floatsOf(rounded));
    expectSameBits(back(1, DataType::Float, statistics), mean);
    expectSameBits(back(2, DataType::Float, statistics), variance);
  }
}

TEST(InstanceNormTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {2, 3, 4, 4}, Format::NCHW),
                   each =
                       plainDesc(DataType::Float, {2, 3, 1, 1}, Format::NCHW);
  EXPECT_EQ(refusal("InstanceNormV2", {x, each}, {x, each, each}),
            "InstanceNormV2 'node': has one of gamma and beta, expected both "
            "or neither");
  Attributes attrs;
  attrs.set("is_training", false);
  EXPECT_EQ(refusal("InstanceNormV2", {x, each, each}, {x, each, each}, attrs),
            "InstanceNormV2 'node': has neither mean nor variance, expected "
            "both where is_training is false");
  const TensorDesc plain = plainDesc(DataType::Float, {2, 3, 4, 4});
  EXPECT_EQ(refusal("InstanceNormV2", {plain}, {plain, each, each}),
            "InstanceNormV2 'node': DT_FLOAT 2x3x4x4 ND has no images with "
            "channels");
}
