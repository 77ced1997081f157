// Batch normalisation in NC1HWC0 and NCHW against its definition.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

const Shape Image{3, 20, 4, 5};
constexpr int64_t Channels = 20, Plane = 20, Batch = 3;
constexpr int64_t Count = Batch * Plane; ///< values of a channel
constexpr float Epsilon = 1e-3f;

TestTensor image(DataType dtype, const Floats &values) {
  TestTensor tensor = floatTensor(dtype, Image, values);
  tensor.desc.format = tensor.desc.originFormat = Format::NCHW;
  return tensor;
}

TensorDesc blocked(DataType dtype) {
  return privateDesc(dtype, Format::NC1HWC0, Format::NCHW, Image);
}
TensorDesc blockedStatistics() {
  return privateDesc(DataType::Float, Format::NC1HWC0, Format::NCHW,
                     {1, Channels, 1, 1});
}

TestTensor moved(const TestTensor &from, const TensorDesc &to) {
  return runNode("TransData", {from}, {to}).outputs[0];
}

/// Values of channel \p c, in the order N, H, W.
Floats channelOf(const Floats &x, int64_t c) {
  Floats result;
  for (int64_t n = 0; n < Batch; ++n)
    for (int64_t i = 0; i < Plane; ++i)
      result.push_back(x[(n * Channels + c) * Plane + i]);
  return result;
}

/// An image from values of channels.
Floats imageOf(const std::vector<Floats> &channels) {
  Floats result(Batch * Channels * Plane);
  for (int64_t c = 0; c < Channels; ++c)
    for (int64_t n = 0; n < Batch; ++n)
      for (int64_t i = 0; i < Plane; ++i)
        result[(n * Channels + c) * Plane + i] = channels[c][n * Plane + i];
  return result;
}

Attributes epsilonAttr() {
  Attributes attrs;
  attrs.set("epsilon", Epsilon);
  return attrs;
}

struct Input {
  Floats values;
  bool isImage;
};

/// Runs the node in NC1HWC0, once more in NCHW, and returns the outputs in
/// NCHW; images are the first \p images outputs.
std::vector<Floats> run(const char *type, DataType dtype,
                        const std::vector<Input> &inputs, size_t images,
                        size_t statistics, Attributes attrs = epsilonAttr()) {
  std::vector<TestTensor> plain, packed;
  for (const Input &input : inputs) {
    if (input.isImage) {
      plain.push_back(image(dtype, input.values));
      packed.push_back(moved(plain.back(), blocked(dtype)));
    } else {
      plain.push_back(floatTensor(DataType::Float, {Channels}, input.values));
      TestTensor channels =
          floatTensor(DataType::Float, {1, Channels, 1, 1}, input.values);
      channels.desc.format = channels.desc.originFormat = Format::NCHW;
      packed.push_back(moved(channels, blockedStatistics()));
    }
  }
  std::vector<TensorDesc> plainOut, packedOut;
  for (size_t i = 0; i < images; ++i) {
    plainOut.push_back(image(dtype, Floats(Batch * Channels * Plane)).desc);
    packedOut.push_back(blocked(dtype));
  }
  for (size_t i = 0; i < statistics; ++i) {
    plainOut.push_back(plainDesc(DataType::Float, {Channels}));
    packedOut.push_back(blockedStatistics());
  }
  auto a = runEverywhere(type, plain, plainOut, attrs);
  auto b = runEverywhere(type, packed, packedOut, attrs);
  EXPECT_EQ(a.status.valid & status::Documented, 0u);
  EXPECT_EQ(b.status.valid & status::Documented, 0u);
  std::vector<Floats> outputs;
  for (size_t i = 0; i < plainOut.size(); ++i) {
    outputs.push_back(floatsOf(a.outputs[i]));
    TensorDesc back = plainOut[i];
    if (i >= images)
      back = {DataType::Float,     Format::NCHW, 0,
              {1, Channels, 1, 1}, Format::NCHW, {1, Channels, 1, 1}};
    TestTensor unpacked = moved(b.outputs[i], back);
    expectSameBits(floatsOf(unpacked), outputs.back());
    // Padding is zero.
    EXPECT_EQ(moved(unpacked, packedOut[i]).bytes, b.outputs[i].bytes);
  }
  return outputs;
}

Floats rounded(DataType dtype, const Floats &values) {
  TestTensor tensor =
      floatTensor(dtype, {static_cast<int64_t>(values.size())}, values);
  return floatsOf(tensor);
}

struct Moments {
  Floats sum, squareSum, mean, variance;
};

Moments momentsOf(const Floats &x) {
  Moments result;
  for (int64_t c = 0; c < Channels; ++c) {
    Floats values = channelOf(x, c), squares;
    for (float value : values)
      squares.push_back(value * value);
    result.sum.push_back(documentedSum(values));
    result.squareSum.push_back(documentedSum(squares));
    const float share = 1.0f / float(Count);
    const float mean = result.sum.back() * share;
    result.mean.push_back(mean);
    result.variance.push_back(result.squareSum.back() * share - mean * mean);
  }
  return result;
}

Floats normalized(const Floats &x, const Floats &mean, const Floats &variance,
                  const Floats &scale, const Floats &offset) {
  std::vector<Floats> channels;
  for (int64_t c = 0; c < Channels; ++c) {
    const float factor = scale[c] * (1.0f / std::sqrt(variance[c] + Epsilon));
    const float shift = offset[c] - mean[c] * factor;
    Floats &channel = channels.emplace_back(channelOf(x, c));
    for (float &value : channel)
      value = value * factor + shift;
  }
  return imageOf(channels);
}

class BatchNormTest : public testing::TestWithParam<DataType> {
protected:
  DataType dtype = GetParam();
  Floats x = rounded(dtype, randomFloats(Batch * Channels * Plane, -2, 3, 1));
  Floats dy = rounded(dtype, randomFloats(Batch * Channels * Plane, -2, 2, 2));
  Floats scale = randomFloats(Channels, -2, 2, 3);
  Floats offset = randomFloats(Channels, -1, 1, 4);
  Floats oldMean = randomFloats(Channels, -1, 1, 5);
  Floats oldVariance = randomFloats(Channels, 0.5f, 2, 6);
  Moments moments = momentsOf(x);
};

} // namespace

TEST_P(BatchNormTest, TrainingReduce) {
  auto outputs = run("BNTrainingReduce", dtype, {{x, true}}, 0, 2);
  expectSameBits(outputs[0], moments.sum);
  expectSameBits(outputs[1], moments.squareSum);
}

TEST_P(BatchNormTest, TrainingUpdate) {
  const std::vector<Input> inputs{{x, true},
                                  {moments.sum, false},
                                  {moments.squareSum, false},
                                  {scale, false},
                                  {offset, false}};
  const Floats y = rounded(
      dtype, normalized(x, moments.mean, moments.variance, scale, offset));
  auto v2 = run("BNTrainingUpdateV2", dtype, inputs, 1, 2);
  expectSameBits(v2[0], y);
  expectSameBits(v2[1], moments.mean);
  expectSameBits(v2[2], moments.variance);
  Floats unbiased;
  for (float variance : moments.variance)
    unbiased.push_back(variance * (float(Count) / float(Count - 1)));
  auto v3 = run("BNTrainingUpdateV3", dtype, inputs, 1, 4);
  expectSameBits(v3[0], y);
  expectSameBits(v3[2], unbiased);
  expectSameBits(v3[4], moments.variance);
  Attributes attrs = epsilonAttr();
  attrs.set("factor", 0.1f);
  std::vector<Input> more = inputs;
  more.push_back({oldMean, false});
  more.push_back({oldVariance, false});
  auto v1 = run("BNTrainingUpdate", dtype, more, 1, 4, attrs);
  expectSameBits(v1[0], y);
  Floats mean, variance;
  for (int64_t c = 0; c < Channels; ++c) {
    mean.push_back(oldMean[c] * (1.0f - 0.1f) + moments.mean[c] * 0.1f);
    variance.push_back(oldVariance[c] * (1.0f - 0.1f) + unbiased[c] * 0.1f);
  }
  expectSameBits(v1[1], mean);
  expectSameBits(v1[2], variance);
  expectSameBits(v1[3], moments.mean);
  expectSameBits(v1[4], moments.variance);
}

TEST_P(BatchNormTest, Inference) {
  const Floats y =
      rounded(dtype, normalized(x, oldMean, oldVariance, scale, offset));
  const std::vector<Input> inputs{{x, true},
                                  {scale, false},
                                  {offset, false},
                                  {oldMean, false},
                                  {oldVariance, false}};
  expectSameBits(run("BNInfer", dtype, inputs, 1, 0)[0], y);
  Attributes attrs = epsilonAttr();
  attrs.set("is_training", false);
  auto whole = run("BatchNorm", dtype, inputs, 1, 5, attrs);
  expectSameBits(whole[0], y);
  expectSameBits(whole[1], oldMean);
}

TEST_P(BatchNormTest, Unsplit) {
  auto outputs = run("BatchNorm", dtype,
                     {{x, true}, {scale, false}, {offset, false}}, 1, 5);
  expectSameBits(outputs[0],
                 rounded(dtype, normalized(x, moments.mean, moments.variance,
                                           scale, offset)));
  expectSameBits(outputs[1], moments.mean);
  expectSameBits(outputs[4], moments.variance);
}

TEST_P(BatchNormTest, Gradients) {
  Floats diffScale, diffOffset;
  std::vector<Floats> channels;
  for (int64_t c = 0; c < Channels; ++c) {
    const float inverse = 1.0f / std::sqrt(oldVariance[c] + Epsilon);
    const Floats g = channelOf(dy, c), values = channelOf(x, c);
    Floats terms;
    for (int64_t i = 0; i < Count; ++i)
      terms.push_back(g[i] * ((values[i] - oldMean[c]) * inverse));
    diffScale.push_back(documentedSum(terms));
    diffOffset.push_back(documentedSum(g));
    const float share = 1.0f / float(Count);
    Floats &out = channels.emplace_back();
    for (int64_t i = 0; i < Count; ++i) {
      const float normal = (values[i] - oldMean[c]) * inverse;
      out.push_back(
          (g[i] - normal * (diffScale[c] * share) - diffOffset[c] * share) *
          (scale[c] * inverse));
    }
  }
  auto sums = run(
      "BNTrainingUpdateGrad", dtype,
      {{dy, true}, {x, true}, {oldMean, false}, {oldVariance, false}}, 0, 2);
  expectSameBits(sums[0], diffScale);
  expectSameBits(sums[1], diffOffset);
  const Floats dx = rounded(dtype, imageOf(channels));
  expectSameBits(run("BNTrainingReduceGrad", dtype,
                     {{dy, true},
                      {x, true},
                      {diffScale, false},
                      {diffOffset, false},
                      {scale, false},
                      {oldMean, false},
                      {oldVariance, false}},
                     1, 0)[0],
                 dx);
  auto whole = run("BatchNormGrad", dtype,
                   {{dy, true},
                    {x, true},
                    {scale, false},
                    {oldMean, false},
                    {oldVariance, false}},
                   1, 4);
  expectSameBits(whole[0], dx);
  expectSameBits(whole[1], diffScale);
  expectSameBits(whole[2], diffOffset);

  // Statistics that were no function of x take no part.
  for (int c = 0; c < Channels; ++c) {
    const Floats g = channelOf(dy, c);
    const float factor =
        scale[c] * (1.0f / std::sqrt(oldVariance[c] + Epsilon));
    for (int64_t i = 0; i < Count; ++i)
      channels[c][i] = g[i] * factor + 0.0f;
  }
  Attributes attrs = epsilonAttr();
  attrs.set("is_training", false);
  auto frozen = run("BatchNormGrad", dtype,
                    {{dy, true},
                     {x, true},
                     {scale, false},
                     {oldMean, false},
                     {oldVariance, false}},
                    1, 4, attrs);
  expectSameBits(frozen[0], rounded(dtype, imageOf(channels)));
  expectSameBits(frozen[1], diffScale);
  expectSameBits(frozen[2], diffOffset);
}

INSTANTIATE_TEST_SUITE_P(Types, BatchNormTest,
                         testing::Values(DataType::Float16, DataType::Float),
                         [](const auto &info) {
                           return std::string(getName(info.param));
                         });

TEST(BatchNormStatusTest, OverflowAndAtomics) {
  const TensorDesc x{DataType::Float, Format::NCHW, 0,
                     {2, 1, 1, 1},    Format::NCHW, {2, 1, 1, 1}};
  const std::vector<TensorDesc> sums(2, plainDesc(DataType::Float, {1}));
  // 2e19^2 = 4e38, which the sum reads.
  auto large =
      runNode("BNTrainingReduce", {tensor<float>(x, {2e19f, 1})}, sums);
  EXPECT_EQ(large.status.valid,
            status::FloatOverflow | status::VectorNanInfInput);
  Attributes attrs;
  attrs.set("atomic_output_index", std::vector<int64_t>{0, 1});
  auto sum = runNode("BNTrainingReduce", {tensor<float>(x, {1.5e19f, 1.5e19f})},
                     sums, attrs);
  EXPECT_EQ(sum.status.atomic, AtomicOverflow::Upward);
  EXPECT_EQ(sum.status.valid, status::None);
}

TEST(BatchNormStatusTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float16, {2, 3, 4, 4}, Format::NCHW);
  const TensorDesc channels = plainDesc(DataType::Float, {3});
  EXPECT_EQ(
      refusal("BNInfer", {x, channels, channels, channels, channels}, {x}),
      "BNInfer 'node': attribute 'epsilon' (float) is missing");
  EXPECT_EQ(
      refusal("BNTrainingReduce", {x},
              {plainDesc(DataType::Float, {4}), channels}),
      "BNTrainingReduce 'node': " + plainDesc(DataType::Float, {4}).toString() +
          " has not the expected 3 elements");
}
