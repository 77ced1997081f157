// ReluV2, ReluGradV2 and dropout.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t Count = 10001;
constexpr int64_t Bytes = (Count + 7) / 8;

TensorDesc bitsDesc(int64_t bytes = Bytes) {
  return plainDesc(DataType::UInt8, {bytes});
}

std::vector<uint8_t> randomBytes(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<uint8_t>(random()));
  return bytes;
}

bool bit(const std::vector<uint8_t> &mask, int64_t i) {
  return mask[i / 8] >> i % 8 & 1;
}

} // namespace

TEST(BitMaskTest, ReluAndItsGradient) {
  for (DataType dtype :
       {DataType::Float16, DataType::Float, DataType::BFloat16}) {
    TestTensor input =
        floatTensor(dtype, {Count}, randomFloats(Count, -2, 2, 1));
    TestTensor gradient =
        floatTensor(dtype, {Count}, randomFloats(Count, -2, 2, 2));
    const Floats x = floatsOf(input), g = floatsOf(gradient);
    auto forward = runEverywhere("ReluV2", {input},
                                 {plainDesc(dtype, {Count}), bitsDesc()});
    std::vector<uint8_t> mask(Bytes, 0);
    Floats y, dx;
    for (int64_t i = 0; i < Count; ++i) {
      y.push_back(std::max(x[i], 0.0f));
      dx.push_back(x[i] > 0 ? g[i] : 0.0f);
      mask[i / 8] |= (x[i] > 0) << i % 8;
    }
    expectSameBits(floatsOf(forward.outputs[0]), y);
    EXPECT_EQ(forward.values<uint8_t>(1), mask);
    auto backward = runEverywhere("ReluGradV2", {gradient, forward.outputs[1]},
                                  {plainDesc(dtype, {Count})});
    expectSameBits(floatsOf(backward.outputs[0]), dx);
    EXPECT_EQ(forward.status.valid | backward.status.valid, status::None);
  }
}

TEST(BitMaskTest, PaddingIsToldApart) {
  const TensorDesc desc = privateDesc(DataType::Float16, Format::NC1HWC0,
                                      Format::NCHW, {1, 3, 1, 1});
  auto run = [&](size_t at) {
    std::vector<uint16_t> x(16, 0);
    x[at] = 0x7C00;
    return runNode("ReluV2", {tensor(desc, x)}, {desc, bitsDesc(2)}).status;
  };
  EXPECT_EQ(run(2).valid, status::VectorNanInfInput);
  EXPECT_EQ(run(2).padding, status::None);
  EXPECT_EQ(run(3).valid, status::None);
  EXPECT_EQ(run(3).padding, status::VectorNanInfInput);
}

TEST(BitMaskTest, DropOut) {
  const Floats x = randomFloats(Count, -2, 2, 3);
  const auto mask = randomBytes(Bytes, 4);
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < Count; ++i)
    bytes.push_back(bit(mask, i));
  const float keep = halfValue(halfBits(0.9));
  Floats inHalf, inFloat;
  const float factor = toHalfAndBack(1.0f / keep);
  for (int64_t i = 0; i < Count; ++i) {
    inHalf.push_back(bit(mask, i) ? toHalfAndBack(x[i] * factor) : 0.0f);
    inFloat.push_back(bit(mask, i) ? x[i] * (1.0f / keep) : 0.0f);
  }
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    const Floats &expected = dtype == DataType::Float ? inFloat : inHalf;
    const auto input = floatTensor(dtype, {Count}, x);
    const std::vector<TensorDesc> output{plainDesc(dtype, {Count})};
    auto byBits = runEverywhere(
        "DropOutDoMask",
        {input, tensor(bitsDesc(), mask), scalarTensor(dtype, keep)}, output);
    expectSameBits(floatsOf(byBits.outputs[0]), expected);
    const auto ofBytes = tensor(plainDesc(DataType::UInt8, {Count}), bytes);
    auto byBytes = runEverywhere(
        "DropOutDoMaskV3", {input, ofBytes, scalarTensor(dtype, keep)}, output);
    expectSameBits(floatsOf(byBytes.outputs[0]), expected);
    Attributes attrs;
    attrs.set("keep_prob", keep);
    auto byAttribute =
        runEverywhere("DropOutDoMaskV3D", {input, ofBytes}, output, attrs);
    expectSameBits(floatsOf(byAttribute.outputs[0]), expected);
    EXPECT_EQ(byBits.status.valid, status::None);
  }
}

TEST(BitMaskTest, DropOutOverflows) {
  auto run = [&](float x, float keep) {
    return runNode("DropOutDoMask",
                   {floatTensor(DataType::Float16, {1}, {x}),
                    tensor<uint8_t>(bitsDesc(1), {1}),
                    scalarTensor(DataType::Float16, keep)},
                   {plainDesc(DataType::Float16, {1})})
        .status.valid;
  };
  EXPECT_EQ(run(32752, 0.5f), status::None);
  EXPECT_EQ(run(40000, 0.5f), status::FloatOverflow);
}

TEST(BitMaskTest, Refusals) {
  const TensorDesc half = plainDesc(DataType::Float16, {16});
  EXPECT_EQ(refusal("ReluV2", {half}, {half, bitsDesc(1)}),
            "ReluV2 'node': mask " + bitsDesc(1).toString() +
                " does not hold 16 bits in bytes");
}
