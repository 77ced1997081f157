//===- ElementsTest.cpp - Elements of dumps as NumPy has them -------------===//

#include "npu/DumpTools/Elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::dump;

/// Decodes \p count elements of \p bytes, which must become a T.
template <typename T>
static std::vector<T> decode(DataType type, const std::vector<uint8_t> &bytes,
                             size_t count) {
  std::optional<ElementDecoder> decoder = ElementDecoder::create(type);
  EXPECT_TRUE(decoder.has_value());
  std::vector<T> values(count * decoder->numComponents());
  decoder->decode(reinterpret_cast<const std::byte *>(bytes.data()), count,
                  reinterpret_cast<std::byte *>(values.data()));
  return values;
}

/// Equal bits, one NaN being as good as another.
static void expectFloats(const std::vector<float> &values,
                         const std::vector<float> &expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
      continue;
    }
    EXPECT_EQ(values[i], expected[i]) << i;
    EXPECT_EQ(std::signbit(values[i]), std::signbit(expected[i])) << i;
  }
}

TEST(Elements, Float8) {
  EXPECT_EQ(ElementDecoder::create(DataType::Float8E4M3FN)->arrayType(),
            DataType::Float);
  expectFloats(
      decode<float>(DataType::Float8E4M3FN, {0x7e, 0x7f, 0xff, 0x80}, 4),
      {448, NAN, NAN, -0.f});
  expectFloats(decode<float>(DataType::Float8E5M2, {0x7b, 0x7c, 0xfc, 0x7d}, 4),
               {57344, INFINITY, -INFINITY, NAN});
  expectFloats(decode<float>(DataType::HiFloat8,
                             {0x00, 0x80, 0x6f, 0xef, 0x08, 0x10, 0x6e}, 7),
               {0, NAN, INFINITY, -INFINITY, 1, 2, 32768});
  expectFloats(decode<float>(DataType::Float8E8M0, {127, 0, 254, 255}, 4),
               {1, 0x1p-127f, 0x1p127f, NAN});
}

TEST(Elements, Float4) {
  expectFloats(
      decode<float>(DataType::Float4E2M1, {0x10, 0x32, 0x54, 0x76, 0x98}, 10),
      {0, .5f, 1, 1.5f, 2, 3, 4, 6, -0.f, -.5f});
  expectFloats(decode<float>(DataType::Float4E1M2, {0x10, 0x54, 0xf7}, 6),
               {0, .25f, 1, 1.25f, 1.75f, -1.75f});
}

TEST(Elements, IntegersInAByte) {
  EXPECT_EQ(decode<int8_t>(DataType::Int4, {0x81, 0x7f}, 4),
            (std::vector<int8_t>{1, -8, -1, 7}));
  EXPECT_EQ(decode<int8_t>(DataType::Int2, {0b11100100}, 4),
            (std::vector<int8_t>{0, 1, -2, -1}));
  EXPECT_EQ(decode<uint8_t>(DataType::UInt2, {0b11100100}, 3),
            (std::vector<uint8_t>{0, 1, 2}));
  EXPECT_EQ(decode<uint8_t>(DataType::UInt1, {0b10100000}, 4),
            (std::vector<uint8_t>{1, 0, 1, 0}));
}

TEST(Elements, BFloat16AndComplex32) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 1500; ++i) // more than a piece
    bytes.insert(bytes.end(), {0x80, 0x3f, 0x40, 0xc0});
  const std::vector<float> brain =
      decode<float>(DataType::BFloat16, bytes, 3000);
  EXPECT_EQ(brain[0], 1.f);
  EXPECT_EQ(brain[2999], -3.f);
  EXPECT_EQ(ElementDecoder::create(DataType::Complex32)->arrayType(),
            DataType::Complex64);
  EXPECT_EQ(decode<float>(DataType::Complex32, {0, 0x3c, 0, 0xc0}, 1),
            (std::vector<float>{1, -2}));
}

TEST(Elements, Doubles) {
  std::optional<ElementDecoder> decoder =
      ElementDecoder::create(DataType::Int64);
  const int64_t values[] = {-3, int64_t(1) << 40};
  double doubles[2];
  decoder->decodeToDouble(reinterpret_cast<const std::byte *>(values), 2,
                          doubles);
  EXPECT_EQ(doubles[0], -3);
  EXPECT_EQ(doubles[1], 0x1p40);
}

TEST(Elements, WithoutArrays) {
  for (DataType type : {DataType::String, DataType::Resource, DataType::Variant,
                        DataType::Float6E3M2})
    EXPECT_FALSE(ElementDecoder::create(type)) << getName(type);
}
