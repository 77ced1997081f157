// Quantisation against scalar definitions in the arithmetic of numerics.

#include "KernelTester.h"

#include "npu/Numerics/FloatToInteger.h"

#include <bit>
#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;
using numerics::Half;

namespace {

Attributes scaling(float scale, float offset, bool isSqrt = false) {
  Attributes result;
  result.set("scale", scale);
  result.set("offset", offset);
  result.set("sqrt_mode", isSqrt);
  return result;
}

/// \p values, in NCHW order, as NC1HWC0.
template <typename T>
TestTensor image(DataType dtype, const Shape &origin,
                 const std::vector<T> &values) {
  TensorDesc plain = plainDesc(dtype, origin, Format::NCHW);
  return runNode("TransData", {tensor(plain, values)},
                 {privateDesc(dtype, Format::NC1HWC0, Format::NCHW, origin)})
      .outputs[0];
}

template <typename T>
std::vector<T> fromImage(TestTensor tensor) {
  const TensorDesc plain =
      plainDesc(tensor.desc.dtype, tensor.desc.originShape, Format::NCHW);
  return runNode("TransData", {std::move(tensor)}, {plain})
      .template values<T>();
}

int8_t saturate(double x) {
  return static_cast<int8_t>(std::clamp(x, -128.0, 127.0));
}

} // namespace

TEST(QuantizationTest, QuantRoundsEveryInstruction) {
  const Shape origin{2, 40, 3, 3};
  std::mt19937 random(1);
  for (auto [scale, offset, isSqrt, mode] :
       {std::tuple(0.37f, -128.0f, false, "Round"),
        std::tuple(75.4594f, 3.0f, false, "Floor"),
        std::tuple(1.7f, 0.0f, true, "Ceil"),
        std::tuple(20.0f, -1.0f, false, "Trunc")}) {
    std::vector<uint16_t> x(getNumElements(origin));
    for (uint16_t &bits : x)
      bits = halfBits((int(random() % 20001) - 10000) / 700.0);
    StatusBits bits = 0;
    const Half factor =
        numerics::floatToHalf(scale, OverflowMode::Saturate, bits);
    const Half summand =
        numerics::floatToHalf(offset, OverflowMode::Saturate, bits);
    std::vector<int8_t> expected;
    for (uint16_t raw : x) {
      Half value{raw};
      for (int i = 0; i < (isSqrt ? 2 : 1); ++i)
        value = numerics::mul(value, factor, OverflowMode::Saturate, bits);
      value = numerics::add(value, summand, OverflowMode::Saturate, bits);
      const double wide = numerics::halfToFloat(value);
      expected.push_back(saturate(mode[0] == 'R'   ? std::nearbyint(wide)
                                  : mode[0] == 'F' ? std::floor(wide)
                                  : mode[0] == 'C' ? std::ceil(wide)
                                                   : std::trunc(wide)));
    }
    Attributes attributes = scaling(scale, offset, isSqrt);
    attributes.set("round_mode", std::string(mode));
    auto result = runNode(
        "AscendQuant", {image(DataType::Float16, origin, x)},
        {privateDesc(DataType::Int8, Format::NC1HWC0, Format::NCHW, origin)},
        attributes, {}, 3);
    EXPECT_EQ(fromImage<int8_t>(result.outputs[0]), expected) << mode;
    // 24 of the 64 lanes of a pixel pad it.
    EXPECT_EQ(result.values<int8_t>()[9 * 32 + 8], 0);
  }
}

TEST(QuantizationTest, QuantOfFloats) {
  auto x = tensor<float>(plainDesc(DataType::Float, {6}),
                         {0.5f, 1.5f, -200, 200, INFINITY, 0x1p-20f});
  auto result = runNode("AscendQuant", {x}, {plainDesc(DataType::Int8, {6})},
                        scaling(1, 0));
  EXPECT_EQ(result.values<int8_t>(),
            (std::vector<int8_t>{0, 2, -128, 127, 127, 0}));
}

TEST(QuantizationTest, Scalars) {
  for (const Shape &shape : {Shape{}, Shape{1}})
    for (const Shape &given : {Shape{}, Shape{1}}) {
      const TensorDesc y = plainDesc(DataType::Int8, given);
      EXPECT_EQ(
          runNode("AscendQuant", {halves(shape, {2.5})}, {y}, scaling(3, 1))
              .values<int8_t>(),
          (std::vector<int8_t>{8}));
      EXPECT_EQ(runNode("AscendAntiQuant",
                        {tensor<int8_t>(plainDesc(DataType::Int8, shape), {5})},
                        {plainDesc(DataType::Float16, given)}, scaling(3, 1))
                    .values<uint16_t>(),
                (std::vector{halfBits(18)}));
    }
}

TEST(QuantizationTest, QuantReportsOverflowOfTheProduct) {
  auto result = runNode("AscendQuant", {halves({2}, {1000, 1})},
                        {plainDesc(DataType::Int8, {2})}, scaling(100, 0));
  EXPECT_EQ(result.values<int8_t>(), (std::vector<int8_t>{127, 100}));
  EXPECT_EQ(result.status.valid, status::FloatOverflow);
}

TEST(QuantizationTest, AntiQuantTakesEveryValueBack) {
  std::vector<int8_t> x;
  for (int i = -128; i < 128; ++i)
    x.push_back(static_cast<int8_t>(i));
  const Shape origin{1, 64, 2, 2};
  StatusBits bits = 0;
  const OverflowMode mode = OverflowMode::Saturate;
  const Half factor = numerics::floatToHalf(0.013f, mode, bits);
  for (DataType to : {DataType::Float16, DataType::Float}) {
    auto result =
        runNode("AscendAntiQuant", {image(DataType::Int8, origin, x)},
                {privateDesc(to, Format::NC1HWC0, Format::NCHW, origin)},
                scaling(0.013f, 128));
    std::vector<float> expected;
    for (int8_t value : x)
      expected.push_back(numerics::halfToFloat(numerics::mul(
          numerics::add(numerics::intToHalf(value, mode, bits),
                        numerics::intToHalf(128, mode, bits), mode, bits),
          factor, mode, bits)));
    std::vector<float> actual;
    if (to == DataType::Float)
      actual = fromImage<float>(result.outputs[0]);
    else
      for (uint16_t raw : fromImage<uint16_t>(result.outputs[0]))
        actual.push_back(halfValue(raw));
    EXPECT_EQ(actual, expected);
  }
}

TEST(QuantizationTest, DequantRoundsTheExactProductOnce) {
  const Shape origin{2, 20, 5, 5};
  std::mt19937 random(2);
  std::vector<int32_t> x(getNumElements(origin));
  for (int32_t &value : x)
    value = static_cast<int32_t>(random()) >> (random() % 32);
  x[0] = 0;
  x[1] = INT32_MIN;
  std::vector<uint16_t> halfScales(20);
  for (uint16_t &bits : halfScales)
    bits =
        halfBits(std::ldexp(1 + random() % 1024 / 1024.0, -int(random() % 20)));
  std::vector<uint64_t> words(20);
  for (size_t i = 0; i < 20; ++i)
    // The lowest 13 bits of the scale are not used, nor is the upper half.
    words[i] = std::bit_cast<uint32_t>(halfValue(halfScales[i])) |
               (random() & 0x1FFF) | uint64_t(random()) << 40;
  for (bool isSqrt : {false, true})
    for (bool isRelu : {false, true}) {
      std::vector<uint16_t> expected;
      StatusBits bits = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const Half scale{halfScales[i / 25 % 20]};
        Half y =
            numerics::doubleToHalf(double(x[i]) * numerics::halfToFloat(scale),
                                   OverflowMode::Saturate, bits);
        if (isSqrt)
          y = numerics::mul(y, scale, OverflowMode::Saturate, bits);
        if (isRelu)
          y = numerics::relu(y, OverflowMode::Saturate, bits);
        expected.push_back(y.bits);
      }
      Attributes attributes;
      attributes.set("sqrt_mode", isSqrt);
      attributes.set("relu_flag", isRelu);
      TestTensor byHalf = tensor(
          privateDesc(DataType::Float16, Format::NC1HWC0, Format::NCHW, {20}),
          [&] {
            auto padded = halfScales;
            padded.resize(32);
            return padded;
          }());
      TestTensor byWord = tensor(plainDesc(DataType::UInt64, {20}), words);
      for (const TestTensor &scales : {byHalf, byWord}) {
        auto result = runNode("AscendDequant",
                              {image(DataType::Int32, origin, x), scales},
                              {privateDesc(DataType::Float16, Format::NC1HWC0,
                                           Format::NCHW, origin)},
                              attributes, {}, 3);
        EXPECT_EQ(fromImage<uint16_t>(result.outputs[0]), expected);
        EXPECT_EQ(result.status.valid, bits);
        EXPECT_EQ(result.status.padding, status::None);
      }
    }
}

TEST(QuantizationTest, DequantToFloatWithOneScale) {
  auto x = tensor<int32_t>(plainDesc(DataType::Int32, {2, 3}),
                           {1, -7, 1 << 24, (1 << 24) + 1, INT32_MAX, 0});
  auto scale = halves({1}, {0.75});
  auto result =
      runNode("AscendDequant", {x, scale}, {plainDesc(DataType::Float, {2, 3})})
          .values<float>();
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(result[i], static_cast<float>(0.75 * x.as<int32_t>()[i]));
}

TEST(QuantizationTest, DequantRefusesScalesOfAnotherCount) {
  EXPECT_EQ(refusal("AscendDequant",
                    {plainDesc(DataType::Int32, {2, 3}),
                     plainDesc(DataType::Float16, {2})},
                    {plainDesc(DataType::Float16, {2, 3})}),
            "AscendDequant 'node': scales DT_FLOAT16 2 ND are not one for each "
            "of 3 channels, nor one for all");
}

TEST(QuantizationTest, RequantAddsTheOffsetOfTheWord) {
  std::vector<int32_t> x{0, 100, -100, 255, 1000000, -3, 5, 7};
  const Shape origin{1, 4, 1, 2};
  std::vector<uint64_t> words;
  const int offsets[] = {0, -128, 5, -256};
  const float scales[] = {1, 0.5f, 0.25f, 2};
  for (int i = 0; i < 4; ++i)
    words.push_back(std::bit_cast<uint32_t>(scales[i]) |
                    (uint64_t(offsets[i]) & 0x1FF) << 37 | uint64_t(1) << 46);
  for (bool isRelu : {false, true}) {
    std::vector<int8_t> expected;
    for (size_t i = 0; i < x.size(); ++i) {
      const double value = isRelu ? std::max(x[i], 0) : x[i];
      expected.push_back(
          saturate(std::nearbyint(value * scales[i / 2]) + offsets[i / 2]));
    }
    Attributes attributes;
    attributes.set("relu_flag", isRelu);
    auto result = runNode(
        "AscendRequant",
        {image(DataType::Int32, origin, x),
         tensor(plainDesc(DataType::UInt64, {4}), words)},
        {privateDesc(DataType::Int8, Format::NC1HWC0, Format::NCHW, origin)},
        attributes);
    EXPECT_EQ(fromImage<int8_t>(result.outputs[0]), expected);
  }
}

// Weights in fractals, with one offset for all or for each output channel.
TEST(QuantizationTest, WeightsLessTheirOffset) {
  std::mt19937 random(17);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Shape shape{int64_t(1 + random() % 3), int64_t(1 + random() % 3),
                      int64_t(1 + random() % 40), int64_t(1 + random() % 40)};
    const bool isForAll = random() % 2;
    const Shape small = isForAll ? Shape{1} : Shape{1, 1, 1, shape[3]};
    std::vector<int8_t> weights(getNumElements(shape)),
        offsets(getNumElements(small)), expected;
    for (int8_t &weight : weights)
      weight = static_cast<int8_t>(static_cast<int>(random() % 200) - 100);
    for (int8_t &offset : offsets)
      offset = static_cast<int8_t>(static_cast<int>(random() % 50) - 25);
    for (size_t i = 0; i < weights.size(); ++i)
      expected.push_back(
          static_cast<int8_t>(weights[i] - offsets[i % offsets.size()]));
    const TensorDesc plain = plainDesc(DataType::Int8, shape, Format::HWCN);
    const TestTensor offset = tensor(
        plainDesc(DataType::Int8, small, isForAll ? Format::ND : Format::HWCN),
        offsets);
    EXPECT_EQ(
        runNode("AscendWeightQuant", {tensor(plain, weights), offset}, {plain})
            .values<int8_t>(),
        expected);
    const TensorDesc fractal =
        privateDesc(DataType::Int8, Format::FRACTAL_Z, Format::HWCN, shape);
    const TestTensor packed =
        runNode("TransData", {tensor(plain, weights)}, {fractal}).outputs[0];
    const TestTensor y =
        runNode("AscendWeightQuant", {packed, offset}, {fractal}).outputs[0];
    EXPECT_EQ(runNode("TransData", {y}, {plain}).values<int8_t>(), expected);
  }
  const TensorDesc desc = plainDesc(DataType::Int8, {2});
  EXPECT_EQ(refusal("AscendWeightQuant", {desc, plainDesc(DataType::Int8, {3})},
                    {desc}),
            "AscendWeightQuant 'node': DT_INT8 2 ND less DT_INT8 3 ND does not "
            "give DT_INT8 2 ND");
  EXPECT_EQ(refusal("AscendWeightQuant", {desc, desc},
                    {plainDesc(DataType::Int4, {2})}),
            "AscendWeightQuant 'node': has a tensor of DT_INT4, expected "
            "DT_INT8");
}
