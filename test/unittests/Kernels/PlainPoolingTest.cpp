// Poolings and their gradients of NCHW, NHWC and ND images: the same as of the
// blocks of such an image, without what the padding reports.

#include "FloatTester.h"

#include "npu/Kernels/FormatTransfer.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using List = std::vector<int64_t>;

/// The elements of \p from in the layout of \p desc.
TestTensor moved(const TestTensor &from, const TensorDesc &desc) {
  auto transfer = FormatTransfer::create(from.desc, desc);
  EXPECT_TRUE(transfer.ok());
  TestTensor result{desc, std::vector<std::byte>(desc.byteSize())};
  transfer->run(from.bytes.data(), result.bytes.data());
  return result;
}

struct PlainPoolingTest : testing::TestWithParam<Format> {
  static constexpr int64_t N = 2, C = 3, H = 5, W = 6;

  static bool channelsLast() { return GetParam() == Format::NHWC; }
  /// An image in the format of the test.
  static TensorDesc plain(DataType dtype, int64_t h, int64_t w) {
    return plainDesc(dtype,
                     channelsLast() ? Shape{N, h, w, C} : Shape{N, C, h, w},
                     GetParam());
  }
  static TensorDesc blocked(const TensorDesc &image) {
    return privateDesc(image.dtype, Format::NC1HWC0,
                       image.format == Format::ND ? Format::NCHW : image.format,
                       image.shape);
  }
  /// ND as what it is taken for.
  static TensorDesc named(TensorDesc desc) {
    if (desc.format == Format::ND)
      desc.format = desc.originFormat = Format::NCHW;
    return desc;
  }
  static Attributes attrs(int64_t window, int64_t stride) {
    Attributes attrs;
    attrs.set("ksize", channelsLast() ? List{1, window, window, 1}
                                      : List{1, 1, window, window});
    attrs.set("strides", channelsLast() ? List{1, stride, stride, 1}
                                        : List{1, 1, stride, stride});
    attrs.set("data_format", std::string(channelsLast() ? "NHWC" : "NCHW"));
    attrs.set("padding", std::string("VALID"));
    attrs.set("padding_mode", std::string("VALID"));
    return attrs;
  }
  static TestTensor image(DataType dtype, int64_t h, int64_t w, unsigned seed) {
    TestTensor result = floatTensor(
        dtype, plain(dtype, h, w).shape,
        randomFloats(static_cast<size_t>(N * C * h * w), -4, 4, seed));
    result.desc = plain(dtype, h, w);
    return result;
  }
  /// Runs \p type on \p inputs, whose images are those of \p isImage, both
  /// ways.
  static void check(const char *type, std::vector<TestTensor> inputs,
                    const TensorDesc &output, const Attributes &attrs) {
    auto found = runNode(type, inputs, {output}, attrs);
    for (TestTensor &input : inputs)
      if (input.desc.shape.size() == 4) {
        input.desc = named(input.desc);
        input = moved(input, blocked(input.desc));
      }
    auto expected = runNode(type, inputs, {blocked(output)}, attrs);
    EXPECT_EQ(found.outputs[0].bytes,
              moved(expected.outputs[0], named(output)).bytes)
        << type;
    EXPECT_EQ(found.status.valid, expected.status.valid) << type;
    EXPECT_EQ(found.status.padding, 0u) << type;
  }
};

TEST_P(PlainPoolingTest, Forward) {
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    const TestTensor x = image(dtype, H, W, 1);
    for (const char *type : {"MaxPool", "MaxPoolV3", "AvgPool", "AvgPoolV2"})
      check(type, {x}, plain(dtype, 2, 2), attrs(3, 2));
    Attributes caffe;
    caffe.set("window", List{2, 2});
    caffe.set("stride", List{2, 2});
    for (int64_t mode : {0, 1}) {
      caffe.set("mode", mode);
      if (!channelsLast())
        check("Pooling", {x}, plain(dtype, 3, 3), caffe);
    }
  }
}

TEST_P(PlainPoolingTest, Values) {
  TestTensor x = floatTensor(DataType::Float16, {1, 2, 2, 1}, {1, 3, -2, 7});
  x.desc.format = x.desc.originFormat = Format::NHWC;
  Attributes attrs;
  attrs.set("ksize", List{1, 2, 2, 1});
  attrs.set("strides", List{1, 1, 1, 1});
  attrs.set("padding", std::string("VALID"));
  const TensorDesc out =
      plainDesc(DataType::Float16, {1, 1, 1, 1}, Format::NHWC);
  EXPECT_EQ(floatsOf(runNode("MaxPool", {x}, {out}, attrs).outputs[0]),
            Floats{7});
  EXPECT_EQ(floatsOf(runNode("AvgPool", {x}, {out}, attrs).outputs[0]),
            Floats{2.25f});
}

TEST_P(PlainPoolingTest, Gradients) {
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    const TestTensor x = image(dtype, H, W, 2),
                     gradient = image(dtype, 2, 2, 3);
    auto y = runNode("MaxPool", {x}, {plain(dtype, 2, 2)}, attrs(3, 2));
    check("MaxPoolGrad", {x, y.outputs[0], gradient}, plain(dtype, H, W),
          attrs(3, 2));
    const TestTensor shape =
        tensor<int32_t>(plainDesc(DataType::Int32, {4}), {2, 3, 5, 6});
    check("AvgPoolGrad", {shape, gradient}, plain(dtype, H, W), attrs(3, 2));
  }
}

TEST_P(PlainPoolingTest, OverflowOfASum) {
  const auto x = image(DataType::Float, H, W, 4);
  TestTensor large = x;
  for (float &value : large.as<float>())
    value = 3e38f;
  auto result =
      runNode("AvgPool", {large}, {plain(DataType::Float, 2, 2)}, attrs(3, 2));
  EXPECT_TRUE(result.status.valid & status::FloatOverflow);
}

INSTANTIATE_TEST_SUITE_P(Formats, PlainPoolingTest,
                         testing::Values(Format::NCHW, Format::NHWC,
                                         Format::ND));

} // namespace
