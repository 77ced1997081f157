// TransData, Cast and the operators that copy.

#include "KernelTester.h"

#include "npu/Numerics/SimdTarget.h"

using namespace npu;
using namespace npu::kernels;

namespace {
const NumericConfig Ieee{Soc::Ascend910A, OverflowMode::InfNan};

std::vector<float> numbered(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i + 1));
  return values;
}
} // namespace

// U19: a pair of casts rounds.
TEST(ConversionTest, CastPairRounds) {
  const TensorDesc wide = plainDesc(DataType::Float, {1});
  const TensorDesc narrow = plainDesc(DataType::Float16, {1});
  auto half = runNode("Cast", {tensor<float>(wide, {-2.643845f})}, {narrow});
  EXPECT_EQ(half.values<uint16_t>()[0], 0xC14A);
  auto back = runNode("Cast", {half.outputs[0]}, {wide});
  EXPECT_EQ(back.values<float>()[0], -2.64453125f);
}

// U23 and the last part of U26: overflow is the Cast's in both modes.
TEST(ConversionTest, CastOverflow) {
  const TensorDesc wide = plainDesc(DataType::Float, {3});
  const TensorDesc narrow = plainDesc(DataType::Float16, {3});
  auto x = tensor<float>(wide, {70000, 1, -1e15f});
  auto saturated = runNode("Cast", {x}, {narrow});
  EXPECT_EQ(saturated.values<uint16_t>(),
            (std::vector<uint16_t>{0x7BFF, 0x3C00, 0xFBFF}));
  EXPECT_EQ(saturated.status.valid, status::CastOverflow);
  auto ieee = runNode("Cast", {x}, {narrow}, {}, Ieee);
  EXPECT_EQ(ieee.values<uint16_t>(),
            (std::vector<uint16_t>{0x7C00, 0x3C00, 0xFC00}));
  EXPECT_EQ(ieee.status.valid, status::CastOverflow);
  auto edge = runNode("Cast", {tensor<float>(wide, {65519.9f, -65519.9f, 0})},
                      {narrow});
  EXPECT_EQ(edge.status.valid, status::None);
}

// U27: constants that vanish.
TEST(ConversionTest, SmallConstants) {
  const TensorDesc wide = plainDesc(DataType::Float, {6});
  const TensorDesc narrow = plainDesc(DataType::Float16, {6});
  auto result = runNode(
      "Cast",
      {tensor<float>(wide, {1e-8f, 5.96e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f})},
      {narrow});
  EXPECT_EQ(
      result.values<uint16_t>(),
      (std::vector<uint16_t>{0x0000, 0x0001, 0x0002, 0x0011, 0x00A8, 0x068E}));
  EXPECT_EQ(result.status.valid, status::CastUnderflow);
}

TEST(ConversionTest, CastToIntegers) {
  const TensorDesc wide = plainDesc(DataType::Float, {4});
  auto x = tensor<float>(wide, {-2.7f, 2.7f, 300.0f, 0.0f});
  EXPECT_EQ(
      runNode("Cast", {x}, {plainDesc(DataType::Int32, {4})}).values<int32_t>(),
      (std::vector<int32_t>{-2, 2, 300, 0}));
  EXPECT_EQ(
      runNode("Cast", {x}, {plainDesc(DataType::Bool, {4})}).values<uint8_t>(),
      (std::vector<uint8_t>{1, 1, 1, 0}));
}

TEST(ConversionTest, CastInPrivateFormatSplitsStatus) {
  const TensorDesc wide =
      privateDesc(DataType::Float, Format::NC1HWC0, Format::NCHW, {1, 3, 1, 1});
  TensorDesc narrow = wide;
  narrow.dtype = DataType::Float16;
  std::vector<float> x(16, 1e6f);
  x[0] = x[1] = x[2] = 1;
  auto result = runNode("Cast", {tensor(wide, x)}, {narrow});
  EXPECT_EQ(result.status.valid, status::None);
  EXPECT_EQ(result.status.padding, status::CastOverflow);
}

TEST(ConversionTest, TransDataMovesAndPads) {
  const TensorDesc plain =
      plainDesc(DataType::Float, {1, 3, 2, 2}, Format::NCHW);
  const TensorDesc blocked =
      privateDesc(DataType::Float, Format::NC1HWC0, Format::NCHW, {1, 3, 2, 2});
  auto there = runNode("TransData", {tensor(plain, numbered(12))}, {blocked});
  std::vector<float> expected(64, 0);
  for (int hw = 0; hw < 4; ++hw)
    for (int c = 0; c < 3; ++c)
      expected[hw * 16 + c] = static_cast<float>(c * 4 + hw + 1);
  EXPECT_EQ(there.values<float>(), expected);
  auto back = runNode("TransData", {there.outputs[0]}, {plain}, {}, {}, 3);
  EXPECT_EQ(back.values<float>(), numbered(12));
}

// A Cast merged into the TransData, in both directions.
TEST(ConversionTest, TransDataConverts) {
  const TensorDesc plain =
      plainDesc(DataType::Float, {1, 3, 2, 2}, Format::NCHW);
  const TensorDesc blocked = privateDesc(DataType::Float16, Format::NC1HWC0,
                                         Format::NCHW, {1, 3, 2, 2});
  std::vector<float> x = numbered(12);
  x[5] = 1e6f;
  auto there = runNode("TransData", {tensor(plain, x)}, {blocked});
  EXPECT_EQ(there.status.valid, status::CastOverflow);
  EXPECT_EQ(there.values<uint16_t>()[1 * 16 + 1], 0x7BFF);
  EXPECT_EQ(there.values<uint16_t>()[2], halfBits(9));
  EXPECT_EQ(there.values<uint16_t>()[3], 0);
  auto back = runNode("TransData", {there.outputs[0]}, {plain});
  x[5] = 65504;
  EXPECT_EQ(back.values<float>(), x);
}

TEST(ConversionTest, CastDirectly) {
  EXPECT_NE(refusal("Cast", {plainDesc(DataType::String, {1})},
                    {plainDesc(DataType::Float, {1})}),
            "accepted");
  EXPECT_NE(refusal("Cast", {plainDesc(DataType::Float, {2})},
                    {plainDesc(DataType::Float16, {3})})
                .find("different logical tensors"),
            std::string::npos);
}

TEST(DataMovementTest, Copies) {
  const TensorDesc from = plainDesc(DataType::Float, {2, 3});
  const TensorDesc to = plainDesc(DataType::Float, {3, 2});
  for (const char *type :
       {"End", "Identity", "Reshape", "Squeeze", "ExpandDims", "Flatten",
        "MemcpyAsync", "IdentityN", "SqueezeV2"})
    EXPECT_EQ(runNode(type, {tensor(from, numbered(6))}, {to}).values<float>(),
              numbered(6));
  auto two = runNode("MemcpyAsync",
                     {tensor(from, numbered(6)),
                      tensor<int32_t>(plainDesc(DataType::Int32, {1}), {7})},
                     {from, plainDesc(DataType::Int32, {1})});
  EXPECT_EQ(two.values<int32_t>(1)[0], 7);
  EXPECT_NE(refusal("Reshape", {from}, {plainDesc(DataType::Float, {5})})
                .find("differ in size"),
            std::string::npos);
  EXPECT_EQ(runNode("AtomicAddrClean", {}, {}).status.valid, status::None);
}

TEST(DataMovementTest, ReshapeOfAPrivateFormat) {
  const TensorDesc blocked = privateDesc(DataType::Float, Format::NC1HWC0,
                                         Format::NCHW, {2, 20, 1, 2});
  const TensorDesc plain =
      plainDesc(DataType::Float, {2, 20, 1, 2}, Format::NCHW);
  const TensorDesc flat = plainDesc(DataType::Float, {80});
  auto packed = runNode("TransData", {tensor(plain, numbered(80))}, {blocked});
  EXPECT_EQ(runNode("Reshape", {packed.outputs[0]}, {flat}).values<float>(),
            numbered(80));
}

TEST(DataMovementTest, ReadSelect) {
  const TensorDesc from = privateDesc(DataType::Float, Format::NC1HWC0,
                                      Format::NCHW, {1, 16, 4, 6});
  const TensorDesc to = privateDesc(DataType::Float, Format::NC1HWC0,
                                    Format::NCHW, {1, 16, 2, 3});
  Attributes attrs;
  attrs.set("stride_list", std::vector<int64_t>{1, 1, 2, 2, 1});
  auto result =
      runNode("ReadSelect", {tensor(from, numbered(384))}, {to}, attrs)
          .values<float>();
  for (int h = 0; h < 2; ++h)
    for (int w = 0; w < 3; ++w)
      for (int c = 0; c < 16; ++c)
        EXPECT_EQ(result[(h * 3 + w) * 16 + c],
                  ((2 * h * 6) + 2 * w) * 16 + c + 1);
  attrs.set("stride_list", std::vector<int64_t>{1, 1, 4, 2, 1});
  EXPECT_NE(refusal("ReadSelect", {from}, {to}, attrs).find("exceeds"),
            std::string::npos);
}

// The valid part of an image: its first rows, in each block of channels.
TEST(DataMovementTest, WriteSelect) {
  const TensorDesc from = privateDesc(DataType::Float, Format::NC1HWC0,
                                      Format::NCHW, {2, 32, 4, 3});
  const TensorDesc to = privateDesc(DataType::Float, Format::NC1HWC0,
                                    Format::NCHW, {2, 32, 3, 3});
  const std::vector<float> x = numbered(2 * 32 * 12);
  EXPECT_EQ(runNode("WriteSelect", {tensor(from, x)}, {from}).values<float>(),
            x);
  std::vector<float> expected;
  for (int block = 0; block < 4; ++block)
    expected.insert(expected.end(), x.begin() + block * 12 * 16,
                    x.begin() + (block * 12 + 9) * 16);
  EXPECT_EQ(runNode("WriteSelect", {tensor(from, x)}, {to}).values<float>(),
            expected);
  EXPECT_EQ(refusal("WriteSelect", {to}, {from}),
            "WriteSelect 'node': where DT_FLOAT 2x2x3x3x16 NC1HWC0 of "
            "2x32x3x3 NCHW lies in "
            "DT_FLOAT 2x2x4x3x16 NC1HWC0 of 2x32x4x3 NCHW is not in the graph; "
            "expected an "
            "output that is no larger");
}
