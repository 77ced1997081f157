//===- SourcesTest.cpp - Data that a run gets from outside ----------------===//

#include "npu/Execution/Sources.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace npu;

namespace {

TensorDesc makeDesc(DataType dtype, Shape shape) {
  TensorDesc desc;
  desc.dtype = dtype;
  desc.shape = desc.originShape = std::move(shape);
  return desc;
}

/// 1x20x2x3 as an NPU has it, in two blocks of 16 channels.
TensorDesc makeBlockedDesc(DataType dtype) {
  TensorDesc desc = makeDesc(dtype, {1, 2, 2, 3, 16});
  desc.format = Format::NC1HWC0;
  desc.originFormat = Format::NCHW;
  desc.originShape = {1, 20, 2, 3};
  return desc;
}

template <typename T>
ByteView bytesOf(const std::vector<T> &values) {
  return std::as_bytes(std::span(values));
}

template <typename T>
std::vector<T> valuesOf(const Buffer &buffer, size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), buffer.get(), count * sizeof(T));
  return values;
}

std::vector<float> getRandom(const TensorDesc &desc, catalog::Role role,
                             uint64_t seed, llvm::StringRef name) {
  BufferPool pool;
  ThreadPool threads(2);
  Expected<Buffer> buffer =
      makeRandomTensor(desc, role, seed, name, pool, threads);
  EXPECT_TRUE(buffer) << buffer.status().message();
  return valuesOf<float>(*buffer, static_cast<size_t>(desc.numElements()));
}

TEST(Sources, ArrayOfTheShapeInMemoryIsCopied) {
  BufferPool pool;
  std::vector<int32_t> values{1, -2, 3, 4, 5, 6};
  Expected<Buffer> buffer =
      makeTensor({DataType::Int32, {2, 3}, bytesOf(values)},
                 makeDesc(DataType::Int32, {2, 3}), pool);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(valuesOf<int32_t>(*buffer, 6), values);
}

TEST(Sources, LogicalArrayIsLaidOut) {
  BufferPool pool;
  const TensorDesc desc = makeBlockedDesc(DataType::Float);
  std::vector<float> values(120);
  std::iota(values.begin(), values.end(), 1.0f);
  Expected<Buffer> buffer = makeTensor(
      {DataType::Float, desc.originShape, bytesOf(values)}, desc, pool);
  ASSERT_TRUE(buffer) << buffer.status().message();
  const std::vector<float> laidOut = valuesOf<float>(*buffer, 192);
  for (size_t channel = 0; channel != 32; ++channel)
    for (size_t pixel = 0; pixel != 6; ++pixel)
      EXPECT_EQ(laidOut[(channel / 16 * 6 + pixel) * 16 + channel % 16],
                channel < 20 ? values[channel * 6 + pixel] : 0.0f);
}

TEST(Sources, WrongTypeIsRefused) {
  BufferPool pool;
  std::vector<float> values(4);
  Expected<Buffer> buffer = makeTensor({DataType::Float, {4}, bytesOf(values)},
                                       makeDesc(DataType::Float16, {4}), pool);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.status().message(), "the array has elements of type "
                                       "DT_FLOAT; expected DT_FLOAT16");
}

TEST(Sources, WrongShapeIsRefusedWithBothThatFit) {
  BufferPool pool;
  std::vector<float> values(4);
  Expected<Buffer> buffer = makeTensor({DataType::Float, {4}, bytesOf(values)},
                                       makeBlockedDesc(DataType::Float), pool);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.status().message(),
            "the array has the shape 4; expected 1x2x2x3x16 (NC1HWC0) or "
            "1x20x2x3 (NCHW)");
}

TEST(Sources, FloatsAreRoundedToBFloat16) {
  BufferPool pool;
  std::vector<float> values{1.0f, -0.0f, 1.00390625f, 1.01171875f};
  Expected<Buffer> buffer = makeTensor({DataType::Float, {4}, bytesOf(values)},
                                       makeDesc(DataType::BFloat16, {4}), pool);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(valuesOf<uint16_t>(*buffer, 4),
            (std::vector<uint16_t>{0x3F80, 0x8000, 0x3F80, 0x3F82}));
}

TEST(Sources, RandomDependsOnSeedAndNameAlone) {
  const TensorDesc desc = makeDesc(DataType::Float, {1000});
  const auto values = getRandom(desc, catalog::Role::Input, 1, "x");
  EXPECT_EQ(values, getRandom(desc, catalog::Role::Input, 1, "x"));
  EXPECT_NE(values, getRandom(desc, catalog::Role::Input, 2, "x"));
  EXPECT_NE(values, getRandom(desc, catalog::Role::Input, 1, "y"));
  // A longer tensor starts with the same values.
  const auto more =
      getRandom(makeDesc(DataType::Float, {2000}), catalog::Role::Input, 1, "x");
  EXPECT_TRUE(std::equal(values.begin(), values.end(), more.begin()));
}

TEST(Sources, RandomRangesFollowTheRole) {
  auto getRange = [](Shape shape, catalog::Role role) {
    const auto values =
        getRandom(makeDesc(DataType::Float, std::move(shape)), role, 3, "w");
    auto [low, high] = std::minmax_element(values.begin(), values.end());
    return std::pair(*low, *high);
  };
  auto [inputLow, inputHigh] = getRange({4096}, catalog::Role::Input);
  EXPECT_GE(inputLow, 0.0f);
  EXPECT_LT(inputLow, 0.01f);
  EXPECT_GT(inputHigh, 0.99f);
  EXPECT_LT(inputHigh, 1.0f);
  auto [biasLow, biasHigh] = getRange({4096}, catalog::Role::Constant);
  EXPECT_NEAR(biasLow, -0.1f, 0.001f);
  EXPECT_NEAR(biasHigh, 0.1f, 0.001f);
  // 600 values go into each output: sqrt(6 / 600).
  auto [low, high] = getRange({600, 8}, catalog::Role::Constant);
  EXPECT_NEAR(low, -0.1f, 0.001f);
  EXPECT_NEAR(high, 0.1f, 0.001f);
}

TEST(Sources, RandomLeavesPaddingZero) {
  const TensorDesc desc = makeBlockedDesc(DataType::Float);
  const auto values = getRandom(desc, catalog::Role::Input, 1, "x");
  for (size_t pixel = 0; pixel != 6; ++pixel)
    for (size_t lane = 0; lane != 16; ++lane) {
      const float value = values[(6 + pixel) * 16 + lane];
      EXPECT_EQ(value != 0.0f, lane < 4) << "lane " << lane;
    }
}

TEST(Sources, RandomNeedsATypeWithValues) {
  BufferPool pool;
  ThreadPool threads;
  Expected<Buffer> buffer =
      makeRandomTensor(makeDesc(DataType::Complex64, {4}), catalog::Role::Input, 1,
                       "x", pool, threads);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.status().message(), "no random values for DT_COMPLEX64");
}

} // namespace
