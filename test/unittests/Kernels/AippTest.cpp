// Aipp against the formulas of its documents, one pixel at a time.

#include "KernelTester.h"
#include "RandomTensor.h"
#include "ScalarArithmetic.h"

#include "npu/Kernels/ShapeInference.h"

#include <random>

using namespace npu;
using namespace npu::kernels;
using statustable::ScalarArithmetic;

namespace {

/// The parameters by their names, and what they mean.
struct Parameters {
  std::map<std::string, int64_t> numbers;
  std::map<std::string, float> factors;

  int64_t operator[](const std::string &name) const {
    auto it = numbers.find(name);
    return it == numbers.end() ? 0 : it->second;
  }
  Attributes attributes() const {
    Attributes attrs;
    for (const auto &[name, value] : numbers)
      attrs.set("aipp." + name, value);
    for (const auto &[name, value] : factors)
      attrs.set("aipp." + name, value);
    return attrs;
  }
};

/// Colours of a pixel in the order of channels, and how many there are.
std::vector<int64_t> pixelOf(const Parameters &p,
                             const std::vector<uint8_t> &bytes, int64_t image,
                             int64_t row, int64_t column) {
  const int64_t h = p["src_image_size_h"], w = p["src_image_size_w"];
  auto byte = [&](int64_t channels, int64_t channel) -> int64_t {
    return bytes[((image * h + row) * w + column) * channels + channel];
  };
  std::vector<int64_t> pixel;
  switch (p["input_format"]) {
  case 1: {
    const int64_t start = image * (h * w * 3 / 2), uv = start + h * w;
    const int64_t pair = (row / 2) * (w / 2) + column / 2;
    pixel = {bytes[start + row * w + column], bytes[uv + 2 * pair],
             bytes[uv + 2 * pair + 1]};
    if (p["rbuv_swap_switch"])
      pixel = {pixel[0], pixel[2], pixel[1]};
    break;
  }
  case 2:
    pixel = {byte(4, 0), byte(4, 1), byte(4, 2), byte(4, 3)};
    if (p["ax_swap_switch"])
      pixel = {pixel[1], pixel[2], pixel[3], pixel[0]};
    if (p["rbuv_swap_switch"])
      pixel = {pixel[2], pixel[1], pixel[0], pixel[3]};
    break;
  case 3:
    pixel = {byte(3, 0), byte(3, 1), byte(3, 2)};
    if (p["rbuv_swap_switch"])
      pixel = {pixel[2], pixel[1], pixel[0]};
    break;
  default:
    pixel = {byte(1, 0)};
  }
  if (p["csc_switch"]) {
    const bool fromYUV = p["input_format"] == 1;
    std::vector<int64_t> converted;
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int j = 0; j < 3; ++j)
        sum +=
            double(
                p["matrix_r" + std::to_string(i) + "c" + std::to_string(j)]) *
            double(pixel[j] -
                   (fromYUV ? p["input_bias_" + std::to_string(j)] : 0));
      const double value =
          std::floor(sum / 256) +
          double(fromYUV ? 0 : p["output_bias_" + std::to_string(i)]);
      converted.push_back(int64_t(std::clamp(value, 0.0, 255.0)));
    }
    pixel = converted;
  }
  return pixel;
}

uint16_t scaled(const Parameters &p, int64_t value, int channel) {
  const std::string number = std::to_string(channel);
  auto half = [&](const std::string &name) {
    return double(halfValue(halfBits(p.factors.at(name + number))));
  };
  ScalarArithmetic m({.half = true});
  return halfBits(
      m.mul(m.sub(double(value - p["mean_chn_" + number]), half("min_chn_")),
            half("var_reci_chn_")));
}

Parameters randomParameters(std::mt19937 &random) {
  auto upTo = [&](int64_t limit) { return int64_t(random() % (limit + 1)); };
  Parameters p;
  auto &n = p.numbers;
  n["input_format"] = 1 + upTo(3);
  n["src_image_size_h"] = 2 + 2 * upTo(4);
  n["src_image_size_w"] = 2 + 2 * upTo(4);
  n["rbuv_swap_switch"] = upTo(1);
  n["ax_swap_switch"] = upTo(1);
  n["csc_switch"] = n["input_format"] != 4 && upTo(1);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      n["matrix_r" + std::to_string(i) + "c" + std::to_string(j)] =
          upTo(1000) - 500;
    n["input_bias_" + std::to_string(i)] = upTo(255);
    n["output_bias_" + std::to_string(i)] = upTo(255);
  }
  for (int i = 0; i < 4; ++i) {
    n["mean_chn_" + std::to_string(i)] = upTo(255);
    p.factors["min_chn_" + std::to_string(i)] = float(upTo(2550)) / 10;
    p.factors["var_reci_chn_" + std::to_string(i)] = float(upTo(2000)) / 7e4f;
  }
  if ((n["crop"] = upTo(1))) {
    n["load_start_pos_h"] = upTo(n["src_image_size_h"] - 1);
    n["load_start_pos_w"] = upTo(n["src_image_size_w"] - 1);
    n["crop_size_h"] =
        1 + upTo(n["src_image_size_h"] - n["load_start_pos_h"] - 1);
    n["crop_size_w"] =
        1 + upTo(n["src_image_size_w"] - n["load_start_pos_w"] - 1);
  }
  if ((n["padding"] = upTo(1)))
    for (const char *side : {"left", "right", "top", "bottom"})
      n[std::string(side) + "_padding_size"] = upTo(3);
  n["padding_value"] = upTo(255);
  return p;
}

/// 250 x 250 in YUV420SP, as the documents have it; changed by the test.
Parameters exampleParameters() {
  Parameters p;
  p.numbers = {
      {"aipp_mode", 1},          {"input_format", 1}, {"src_image_size_h", 250},
      {"src_image_size_w", 250}, {"crop", 1},         {"csc_switch", 1}};
  return p;
}

std::string refusalOf(const Parameters &p, Shape images = {1, 250, 250, 3},
                      Shape features = {1, 224, 224, 3},
                      DataType dtype = DataType::Float16) {
  return refusal("Aipp", {plainDesc(DataType::UInt8, images, Format::NHWC)},
                 {plainDesc(dtype, features, Format::NHWC)}, p.attributes());
}

} // namespace

TEST(AippTest, FollowsTheDocuments) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Parameters p = randomParameters(random);
    const int64_t format = p["input_format"], h = p["src_image_size_h"],
                  w = p["src_image_size_w"], images = 1 + int64_t(random() % 2);
    const int64_t rows = p["crop"] ? p["crop_size_h"] : h,
                  columns = p["crop"] ? p["crop_size_w"] : w;
    const int64_t outH =
                      rows + p["top_padding_size"] + p["bottom_padding_size"],
                  outW = columns + p["left_padding_size"] +
                         p["right_padding_size"];
    const bool toHalf = random() % 4 != 0;
    const DataType dtype = toHalf ? DataType::Float16 : DataType::UInt8;
    const int64_t channels = format == 4 ? 1 : 3;
    TensorDesc y;
    switch (random() % 3) {
    case 0:
      y = plainDesc(dtype, {images, outH, outW, channels}, Format::NHWC);
      break;
    case 1:
      y = plainDesc(dtype, {images, channels, outH, outW}, Format::NCHW);
      break;
    default:
      y = privateDesc(dtype, Format::NC1HWC0, Format::NCHW,
                      {images, channels, outH, outW});
    }
    // GE says three channels of YUV420SP, of which half is there.
    const Shape shape = {images, h, w, format == 2 ? 4 : format == 4 ? 1 : 3};
    std::vector<uint8_t> bytes(getNumElements(shape));
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    const TestTensor x =
        tensor(plainDesc(DataType::UInt8, shape, Format::NHWC), bytes);
    SCOPED_TRACE("repeat " + std::to_string(repeat));
    auto result = runNode("Aipp", {x}, {y}, p.attributes(), {}, 2);
    EXPECT_EQ(result.status.valid, status::None);

    // Whether the lane of the element is a channel; padding of blocks is the
    // fourth channel or nothing.
    const int64_t lanes = y.format == Format::NC1HWC0 ? y.shape[4] : channels;
    for (int64_t n = 0; n < images; ++n)
      for (int64_t row = 0; row < outH; ++row)
        for (int64_t column = 0; column < outW; ++column) {
          const int64_t r = row - p["top_padding_size"],
                        c = column - p["left_padding_size"];
          const bool inside = r >= 0 && r < rows && c >= 0 && c < columns;
          std::vector<int64_t> pixel;
          if (inside)
            pixel = pixelOf(p, bytes, n, r + p["load_start_pos_h"],
                            c + p["load_start_pos_w"]);
          for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t at =
                y.format == Format::NCHW
                    ? ((n * channels + lane) * outH + row) * outW + column
                    : ((n * outH + row) * outW + column) * lanes + lane;
            int64_t expected = 0;
            if (!inside && lane < channels)
              expected = toHalf ? halfBits(double(p["padding_value"]))
                                : p["padding_value"];
            else if (lane < int64_t(pixel.size()))
              expected =
                  toHalf ? scaled(p, pixel[lane], int(lane)) : pixel[lane];
            const int64_t actual = toHalf ? result.outputs[0].as<uint16_t>()[at]
                                          : result.outputs[0].as<uint8_t>()[at];
            ASSERT_EQ(actual, expected)
                << "image " << n << " row " << row << " column " << column
                << " lane " << lane;
          }
        }
  }
}

// A window, as large as the output since no size is given, of an image in which
// every pixel has the same colour: pure red by the matrix of JPEG.
TEST(AippTest, TypicalConfiguration) {
  Parameters p = exampleParameters();
  for (const auto &[name, value] :
       std::map<std::string, int64_t>{{"matrix_r0c0", 256},
                                      {"matrix_r0c1", 0},
                                      {"matrix_r0c2", 359},
                                      {"matrix_r1c0", 256},
                                      {"matrix_r1c1", -88},
                                      {"matrix_r1c2", -183},
                                      {"matrix_r2c0", 256},
                                      {"matrix_r2c1", 454},
                                      {"matrix_r2c2", 0},
                                      {"input_bias_0", 0},
                                      {"input_bias_1", 128},
                                      {"input_bias_2", 128}})
    p.numbers[name] = value;
  std::vector<uint8_t> bytes(250 * 250 * 3 / 2, 76);
  for (size_t i = 250 * 250; i < bytes.size(); i += 2) {
    bytes[i] = 85;
    bytes[i + 1] = 255;
  }
  const TensorDesc y =
      plainDesc(DataType::UInt8, {1, 224, 224, 3}, Format::NHWC);
  auto result = runNode(
      "Aipp",
      {tensor(plainDesc(DataType::UInt8, {1, 375, 250, 1}, Format::NHWC),
              bytes)},
      {y}, p.attributes());
  const std::vector<uint8_t> values = result.values<uint8_t>();
  for (size_t i = 0; i < values.size(); i += 3) {
    ASSERT_EQ(values[i], 254);
    ASSERT_EQ(values[i + 1], 0);
    ASSERT_EQ(values[i + 2], 0);
  }
}

// Defaults of the documents: BT.601, blue first.
TEST(AippTest, DefaultMatrix) {
  Parameters p = exampleParameters();
  p.numbers["src_image_size_h"] = p.numbers["src_image_size_w"] = 2;
  const TestTensor x =
      tensor(plainDesc(DataType::UInt8, {1, 3, 2, 1}, Format::NHWC),
             std::vector<uint8_t>{235, 16, 81, 145, 90, 240});
  auto result = runNode(
      "Aipp", {x}, {plainDesc(DataType::UInt8, {1, 2, 2, 3}, Format::NHWC)},
      p.attributes());
  // (298 (Y - 16) + 516 (U - 128)) >> 8, ...
  EXPECT_EQ(
      result.values<uint8_t>(),
      (std::vector<uint8_t>{178, 178, 255, 0, 0, 178, 0, 0, 254, 73, 74, 255}));
}

// The value of borders is in the JSON text where the function lacks it.
TEST(AippTest, BorderOfTheText) {
  Parameters p;
  p.numbers = {{"input_format", 4},
               {"src_image_size_h", 1},
               {"src_image_size_w", 1},
               {"padding", 1},
               {"left_padding_size", 1}};
  Attributes attrs = p.attributes();
  attrs.set("aipp_config_path",
            std::string("{\"padding\":1,\"padding_value\":-2.5}"));
  const TestTensor x =
      tensor(plainDesc(DataType::UInt8, {1, 1, 1, 1}, Format::NHWC),
             std::vector<uint8_t>{7});
  const TensorDesc y = plainDesc(DataType::Float16, {1, 1, 2, 1}, Format::NHWC);
  EXPECT_EQ(runNode("Aipp", {x}, {y}, attrs).values<uint16_t>(),
            (std::vector<uint16_t>{0xC100, 0x4700}));
  attrs.set("aipp.padding_value", 3.0f);
  EXPECT_EQ(runNode("Aipp", {x}, {y}, attrs).values<uint16_t>(),
            (std::vector<uint16_t>{0x4200, 0x4700}));
}

TEST(AippTest, Refuses) {
  EXPECT_EQ(refusalOf(exampleParameters()), "accepted");
  EXPECT_EQ(refusalOf({}),
            "Aipp 'node': attribute 'aipp.input_format' (int) is missing");
  auto with = [](const std::string &name, int64_t value) {
    Parameters p = exampleParameters();
    p.numbers[name] = value;
    return p;
  };
  EXPECT_EQ(refusalOf(with("input_format", 11)),
            "Aipp 'node': attribute 'aipp.input_format' is 11, expected 1 "
            "(YUV420SP_U8), 2 (XRGB8888_U8), 3 (RGB888_U8) or 4 (YUV400_U8)");
  EXPECT_EQ(refusalOf(with("aipp_mode", 2)),
            "Aipp 'node': attribute 'aipp.aipp_mode' is 2, expected 1 "
            "(static)");
  EXPECT_EQ(refusalOf(with("resize", 1)),
            "Aipp 'node': attribute 'aipp.resize' is true, expected false: "
            "what it does is in no public document");
  EXPECT_EQ(refusalOf(with("input_format", 4)),
            "Aipp 'node': attribute 'aipp.csc_switch' is true, expected false "
            "for YUV400_U8");
  EXPECT_EQ(refusalOf(with("load_start_pos_h", 27)),
            "Aipp 'node': a window of 224x224 at 27x0 is not in an image of "
            "250x250");
  EXPECT_EQ(refusalOf(with("crop_size_w", 200)),
            "Aipp 'node': a window with borders of 224x200 does not give "
            "DT_FLOAT16 1x224x224x3 NHWC");
  EXPECT_EQ(refusalOf(with("crop_size_w", -1)),
            "Aipp 'node': a size among the parameters of 'aipp' is -1, "
            "expected 0 to 65535");
  EXPECT_EQ(refusalOf(with("src_image_size_h", 251)),
            "Aipp 'node': images of 251x250 in YUV420SP_U8, expected even "
            "sizes");
  EXPECT_EQ(refusalOf(exampleParameters(), {1, 250, 250, 1}),
            "Aipp 'node': DT_UINT8 1x250x250x1 NHWC are not 1 images of "
            "250x250 in YUV420SP_U8, 93750 bytes of DT_UINT8");
  EXPECT_EQ(refusalOf(exampleParameters(), {1, 250, 250, 3}, {224, 224}),
            "Aipp 'node': DT_FLOAT16 224x224 NHWC is no image, expected "
            "NC1HWC0 of one block, NHWC or NCHW");
  Parameters borders = with("padding", 1);
  borders.numbers["padding_value"] = 256;
  EXPECT_EQ(
      refusalOf(borders, {1, 250, 250, 3}, {1, 224, 224, 3}, DataType::UInt8),
      "Aipp 'node': attribute 'aipp.padding_value' is 256.000000, "
      "expected 0 to 255");
}

TEST(AippTest, Shapes) {
  auto infer = [](const Parameters &p, Shape images, TensorDesc y) {
    NodeSpec spec{"Aipp", "node", p.attributes(), {}, {std::move(y)}, {}};
    spec.inputs.push_back(
        plainDesc(DataType::UInt8, std::move(images), Format::NHWC));
    auto shapes = inferShapes(spec);
    EXPECT_TRUE(shapes) << shapes.status().message();
    return shapes ? shapes->front() : Shape();
  };
  const TensorDesc open =
      plainDesc(DataType::Float16, {-1, -1, -1, -1}, Format::NCHW);
  Parameters p = exampleParameters();
  p.numbers["crop_size_h"] = 200;
  p.numbers["crop_size_w"] = 190;
  p.numbers["padding"] = 1;
  p.numbers["top_padding_size"] = 3;
  p.numbers["right_padding_size"] = 4;
  EXPECT_EQ(infer(p, {2, 250, 250, 3}, open), (Shape{2, 3, 203, 194}));
  // A network that takes grey images has one channel of the three.
  EXPECT_EQ(infer(p, {2, 250, 250, 3},
                  plainDesc(DataType::Float16, {-1, -1, -1, 1}, Format::NHWC)),
            (Shape{2, 203, 194, 1}));
  p.numbers = {{"input_format", 2}};
  EXPECT_EQ(infer(p, {1, 6, 8, 4}, open), (Shape{1, 4, 6, 8}));
}
