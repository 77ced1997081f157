// Resize with mode cubic against ONNX's definition: bit for bit in the order of
// docs/Kernels.md, and near the definition in fp64.

#include "FloatTester.h"

#include <array>

using namespace npu;
using namespace npu::kernels;

namespace {

struct Options {
  std::string coordinates = "half_pixel";
  double a = -0.75;
  bool excludesOutside = false;

  Attributes attributes() const {
    Attributes attrs;
    attrs.set("mode", std::string("cubic"));
    attrs.set("coordinate_transformation_mode", coordinates);
    attrs.set("cubic_coeff_a", static_cast<float>(a));
    attrs.set("exclude_outside", int64_t(excludesOutside));
    return attrs;
  }
};

/// Keys' kernel, which every tap is a value of.
double cubic(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1)
    return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

double placeOf(int64_t i, int64_t from, int64_t to, const Options &options) {
  const double at = double(i), scale = double(to) / double(from);
  if (options.coordinates == "align_corners")
    return to == 1 ? 0 : at * double(from - 1) / double(to - 1);
  if (options.coordinates == "asymmetric")
    return at / scale;
  if (options.coordinates == "pytorch_half_pixel" && to == 1)
    return 0;
  return (at + 0.5) / scale - 0.5;
}

/// Pixel numbers, beyond the edge too, and weights.
std::vector<std::pair<int64_t, double>>
tapsOf(int64_t i, int64_t from, int64_t to, const Options &options) {
  const double place = placeOf(i, from, to, options);
  std::vector<std::pair<int64_t, double>> taps;
  double sum = 0;
  for (int64_t tap = -1; tap <= 2; ++tap) {
    const int64_t pixel = int64_t(std::floor(place)) + tap;
    double weight = cubic(place - double(pixel), options.a);
    if (options.excludesOutside && (pixel < 0 || pixel >= from))
      weight = 0;
    taps.push_back({std::clamp<int64_t>(pixel, 0, from - 1), weight});
    sum += weight;
  }
  for (auto &[pixel, weight] : taps)
    if (options.excludesOutside)
      weight /= sum;
  return taps;
}

} // namespace

TEST(ResizeCubicTest, Definition) {
  std::mt19937 random(4);
  for (int repeat = 0; repeat < 120; ++repeat) {
    Options options;
    options.coordinates =
        std::array{"half_pixel", "pytorch_half_pixel", "align_corners",
                   "asymmetric"}[random() % 4];
    options.a = std::array{-0.75, -0.5}[random() % 2];
    options.excludesOutside = random() % 2;
    const int64_t h = 1 + random() % 7, w = 1 + random() % 7,
                  toH = 1 + random() % 9, toW = 1 + random() % 9, c = 3;
    const DataType dtype =
        std::array{DataType::Float16, DataType::Float}[random() % 2];
    const Floats x = randomFloats(2 * c * h * w, -4, 4, random());
    std::vector<double> exact;
    for (int64_t plane = 0; plane < 2 * c; ++plane)
      for (int64_t i = 0; i < toH; ++i)
        for (int64_t j = 0; j < toW; ++j) {
          double sum = 0;
          for (const auto &[row, weight] : tapsOf(i, h, toH, options))
            for (const auto &[column, other] : tapsOf(j, w, toW, options))
              sum += double(x[(plane * h + row) * w + column]) * weight * other;
          exact.push_back(sum);
        }
    TestTensor image = floatTensor(dtype, {2, c, h, w}, x);
    image.desc.format = image.desc.originFormat = Format::NCHW;
    const TensorDesc to = plainDesc(dtype, {2, c, toH, toW}, Format::NCHW);
    SCOPED_TRACE(options.coordinates);
    auto result = runEverywhere("Resize", {image}, {to}, options.attributes());
    expectNear(floatsOf(result.outputs[0]), exact,
               dtype == DataType::Float ? 1e-5 : 2e-3);
    // In blocks the same comes out.
    const TensorDesc blocks = privateDesc(dtype, Format::NC1HWC0, Format::NCHW,
                                          {2, c, h, w}),
                     toBlocks = privateDesc(dtype, Format::NC1HWC0,
                                            Format::NCHW, {2, c, toH, toW});
    auto packed = runNode("TransData", {image}, {blocks});
    auto inBlocks = runNode("Resize", {packed.outputs[0]}, {toBlocks},
                            options.attributes());
    auto back = runNode("TransData", {inBlocks.outputs[0]}, {to});
    EXPECT_EQ(back.outputs[0].bytes, result.outputs[0].bytes);
  }
}

// Along the rows, then between them, products and sums from the first tap on.
TEST(ResizeCubicTest, OrderOfSums) {
  const Floats x = randomFloats(5 * 6, -4, 4, 9);
  const Options options;
  auto weighted = [](const std::array<float, 4> &values,
                     const std::vector<std::pair<int64_t, double>> &taps) {
    float sum = values[0] * float(taps[0].second);
    for (int tap = 1; tap < 4; ++tap)
      sum = sum + values[tap] * float(taps[tap].second);
    return sum;
  };
  Floats expected;
  for (int64_t i = 0; i < 9; ++i)
    for (int64_t j = 0; j < 11; ++j) {
      const auto rows = tapsOf(i, 5, 9, options),
                 columns = tapsOf(j, 6, 11, options);
      std::array<float, 4> lines, pixels;
      for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column)
          pixels[column] = x[rows[row].first * 6 + columns[column].first];
        lines[row] = weighted(pixels, columns);
      }
      expected.push_back(weighted(lines, rows));
    }
  TestTensor image = floatTensor(DataType::Float, {1, 1, 5, 6}, x);
  image.desc.format = image.desc.originFormat = Format::NCHW;
  auto result =
      runNode("Resize", {image},
              {plainDesc(DataType::Float, {1, 1, 9, 11}, Format::NCHW)},
              options.attributes());
  expectSameBits(floatsOf(result.outputs[0]), expected);
}
