// ResizeBilinearV2D and its gradient against their definitions.

#include "FloatTester.h"

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

struct Between {
  int64_t first, second;
  float weight;
};

Between sourceOf(int64_t i, int64_t from, int64_t to, bool align, bool half) {
  const float scale = align && to > 1 ? float(from - 1) / float(to - 1)
                                      : float(from) / float(to);
  float place = half ? (float(i) + 0.5f) * scale - 0.5f : float(i) * scale;
  place = std::max(place, 0.0f);
  const int64_t first = std::min<int64_t>(int64_t(place), from - 1);
  return {first, std::min(first + 1, from - 1), place - float(first)};
}

float mix(float a, float b, float weight) { return a + (b - a) * weight; }

Attributes attributes(int64_t height, int64_t width, bool align, bool half) {
  Attributes result;
  result.set("size", std::vector<int64_t>{height, width});
  result.set("align_corners", align);
  result.set("half_pixel_centers", half);
  return result;
}

} // namespace

TEST(ResizeBilinearTest, MixesFourPixels) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const int64_t h = 1 + random() % 6, w = 1 + random() % 6;
    const int64_t toH = 1 + random() % 9, toW = 1 + random() % 9;
    const bool align = round % 3 == 1, half = round % 3 == 2;
    const Shape from{2, h, w, 3}, to{2, toH, toW, 3};
    std::vector<float> x(getNumElements(from));
    for (float &value : x)
      value = halfValue(halfBits(int(random() % 2000) / 100.0 - 10));
    std::vector<float> expected;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t i = 0; i < toH; ++i)
        for (int64_t j = 0; j < toW; ++j)
          for (int64_t c = 0; c < 3; ++c) {
            const Between row = sourceOf(i, h, toH, align, half);
            const Between column = sourceOf(j, w, toW, align, half);
            auto pixel = [&](int64_t y, int64_t xx) {
              return x[((n * h + y) * w + xx) * 3 + c];
            };
            expected.push_back(
                mix(mix(pixel(row.first, column.first),
                        pixel(row.first, column.second), column.weight),
                    mix(pixel(row.second, column.first),
                        pixel(row.second, column.second), column.weight),
                    row.weight));
          }
    const Attributes attrs = attributes(toH, toW, align, half);
    auto plain = tensor(plainDesc(DataType::Float, from, Format::NHWC), x);
    auto result =
        runNode("ResizeBilinearV2D", {plain},
                {plainDesc(DataType::Float, to, Format::NHWC)}, attrs, {}, 3);
    EXPECT_EQ(result.values<float>(), expected);

    // fp16 images in blocks, as graphs have them.
    TestTensor halfImage = plain;
    halfImage.desc.dtype = DataType::Float16;
    halfImage = runNode("Cast", {plain}, {halfImage.desc}).outputs[0];
    halfImage = runNode("TransData", {halfImage},
                        {privateDesc(DataType::Float16, Format::NC1HWC0,
                                     Format::NHWC, from)})
                    .outputs[0];
    result = runNode(
        "ResizeBilinearV2D", {halfImage},
        {privateDesc(DataType::Float, Format::NC1HWC0, Format::NHWC, to)},
        attrs);
    EXPECT_EQ(runNode("TransData", {result.outputs[0]},
                      {plainDesc(DataType::Float, to, Format::NHWC)})
                  .values<float>(),
              expected);
  }
}

TEST(ResizeBilinearTest, AddsGradientsToFourPixels) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const int64_t h = 1 + random() % 6, w = 1 + random() % 6;
    const int64_t fromH = 1 + random() % 9, fromW = 1 + random() % 9;
    const bool align = round % 3 == 1, half = round % 3 == 2;
    const Shape image{2, 3, h, w}, from{2, 3, fromH, fromW};
    const Floats dy = randomFloats(getNumElements(from), -4, 4, random());
    Floats expected(getNumElements(image), 0.0f);
    for (int64_t plane = 0; plane < 6; ++plane)
      for (int64_t i = 0; i < fromH; ++i)
        for (int64_t j = 0; j < fromW; ++j) {
          const Between row = sourceOf(i, h, fromH, align, half);
          const Between column = sourceOf(j, w, fromW, align, half);
          const float gradient = dy[(plane * fromH + i) * fromW + j];
          for (bool lower : {false, true})
            for (bool right : {false, true}) {
              const float part =
                  gradient * (lower ? row.weight : 1 - row.weight);
              expected[(plane * h + (lower ? row.second : row.first)) * w +
                       (right ? column.second : column.first)] +=
                  part * (right ? column.weight : 1 - column.weight);
            }
        }
    Attributes attrs;
    attrs.set("align_corners", align);
    attrs.set("half_pixel_centers", half);
    const TensorDesc plain = plainDesc(DataType::Float, image, Format::NCHW);
    const TestTensor original{plain, std::vector<std::byte>(plain.byteSize())};
    const TestTensor gradients =
        tensor(plainDesc(DataType::Float, from, Format::NCHW), dy);
    auto result = runEverywhere("ResizeBilinearV2Grad", {gradients, original},
                                {plain}, attrs);
    expectSameBits(floatsOf(result.outputs[0]), expected);

    const TensorDesc blocks =
        privateDesc(DataType::Float, Format::NC1HWC0, Format::NCHW, image);
    const TestTensor packed =
        runNode(
            "TransData", {gradients},
            {privateDesc(DataType::Float, Format::NC1HWC0, Format::NCHW, from)})
            .outputs[0];
    result =
        runNode("ResizeBilinearV2Grad", {packed, original}, {blocks}, attrs);
    auto back = runNode("TransData", {result.outputs[0]}, {plain});
    expectSameBits(floatsOf(back.outputs[0]), expected);
  }
}

TEST(ResizeBilinearTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {1, 2, 2, 1}, Format::NHWC);
  const TensorDesc y = plainDesc(DataType::Float, {1, 4, 4, 1}, Format::NHWC);
  EXPECT_EQ(
      refusal("ResizeBilinearV2D", {x}, {y}, attributes(4, 5, false, false)),
      "ResizeBilinearV2D 'node': DT_FLOAT 1x2x2x1 NHWC at size 4x5 does "
      "not give DT_FLOAT 1x4x4x1 NHWC");
  EXPECT_EQ(
      refusal("ResizeBilinearV2D", {x}, {y}, attributes(4, 4, true, true)),
      "ResizeBilinearV2D 'node': has align_corners and "
      "half_pixel_centers, expected one of them at most");
}

// Resize by its attribute is one of the other two.
TEST(ResizeTest, IsBilinearByItsMode) {
  const TensorDesc from =
                       plainDesc(DataType::Float, {1, 2, 3, 4}, Format::NCHW),
                   to = plainDesc(DataType::Float, {1, 2, 5, 7}, Format::NCHW);
  const TestTensor x = tensor(from, randomFloats(24, -4, 4, 3));
  for (const auto &[coordinates, align, half] :
       {std::tuple("asymmetric", false, false),
        std::tuple("align_corners", true, false),
        std::tuple("pytorch_half_pixel", false, true)}) {
    Attributes resize, bilinear;
    resize.set("mode", std::string("linear"));
    resize.set("coordinate_transformation_mode", std::string(coordinates));
    bilinear.set("size", std::vector<int64_t>{5, 7});
    bilinear.set("align_corners", align);
    bilinear.set("half_pixel_centers", half);
    EXPECT_EQ(
        runNode("Resize", {x}, {to}, resize).values<float>(),
        runNode("ResizeBilinearV2D", {x}, {to}, bilinear).values<float>());
  }
}

TEST(ResizeTest, Refusals) {
  const TensorDesc x = plainDesc(DataType::Float, {1, 2, 3, 4}, Format::NCHW);
  Attributes attrs;
  attrs.set("mode", std::string("area"));
  EXPECT_EQ(refusal("Resize", {x}, {x}, attrs),
            "Resize 'node': attribute 'mode' is 'area', expected nearest, "
            "linear or cubic");
  attrs.set("mode", std::string("cubic"));
  attrs.set("coordinate_transformation_mode",
            std::string("tf_crop_and_resize"));
  EXPECT_EQ(refusal("Resize", {x}, {x}, attrs),
            "Resize 'node': attribute 'coordinate_transformation_mode' is "
            "'tf_crop_and_resize', expected half_pixel, pytorch_half_pixel, "
            "align_corners or asymmetric");
  // The default of its documents.
  EXPECT_EQ(refusal("Resize", {x}, {x}),
            "Resize 'node': attribute 'coordinate_transformation_mode' is "
            "'half_pixel', expected pytorch_half_pixel, align_corners or "
            "asymmetric, those of the device's kernel");
}
