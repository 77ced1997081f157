// Maxima with their places, and gradients of poolings, against loops over
// windows.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using List = std::vector<int64_t>;

/// Images of 16 channels a block, in the order of memory (N, C1, H, W, C0).
struct Problem {
  int64_t planes, h, w, window, stride;
  bool same;

  int64_t out(int64_t in) const {
    return same ? (in + stride - 1) / stride : (in - window) / stride + 1;
  }
  int64_t before(int64_t in) const {
    return same ? std::max<int64_t>((out(in) - 1) * stride + window - in, 0) / 2
                : 0;
  }
  TensorDesc image(DataType dtype) const { return desc(dtype, h, w); }
  TensorDesc points(DataType dtype) const {
    return desc(dtype, out(h), out(w));
  }
  TensorDesc desc(DataType dtype, int64_t height, int64_t width) const {
    return privateDesc(dtype, Format::NC1HWC0, Format::NCHW,
                       {planes, 16, height, width});
  }
  int64_t words() const { return ((out(h) * out(w) + 15) / 16 + 1) * 16; }
  TensorDesc places() const {
    return plainDesc(DataType::UInt16,
                     {planes, 1, window * window, words() / 16, 16});
  }
  Attributes attrs() const {
    Attributes attrs;
    attrs.set("ksize", List{1, window, window, 1});
    attrs.set("strides", List{1, stride, stride, 1});
    attrs.set("padding", std::string(same ? "SAME" : "VALID"));
    return attrs;
  }
  /// Calls f(oh, ow, lane) for all points of a plane.
  template <class F>
  void forPoints(F f) const {
    for (int64_t oh = 0; oh < out(h); ++oh)
      for (int64_t ow = 0; ow < out(w); ++ow)
        for (int64_t lane = 0; lane < 16; ++lane)
          f(oh, ow, lane);
  }
  /// The pixel of a tap, or -1.
  int64_t pixel(int64_t oh, int64_t ow, int64_t i, int64_t j) const {
    const int64_t y = oh * stride - before(h) + i;
    const int64_t x = ow * stride - before(w) + j;
    return y < 0 || y >= h || x < 0 || x >= w ? -1 : y * w + x;
  }
};

std::vector<Problem> problems() {
  return {{2, 7, 9, 3, 2, true},  {1, 8, 8, 2, 2, false},
          {2, 5, 6, 3, 1, true},  {1, 4, 4, 4, 4, false},
          {3, 6, 5, 3, 3, false}, {1, 3, 3, 1, 1, true}};
}

TestTensor half(TensorDesc desc, const Floats &values) {
  std::vector<uint16_t> bits;
  for (float value : values)
    bits.push_back(halfBits(value));
  return tensor(std::move(desc), bits);
}

/// Few values, so that windows have several maxima.
Floats coarse(int64_t count, unsigned seed) {
  Floats values = randomFloats(count, -3, 3, seed);
  for (float &value : values)
    value = std::round(value);
  return values;
}

/// First tap that has the maximum.
int64_t bestTap(const Problem &p, const float *plane, int64_t oh, int64_t ow,
                int64_t lane) {
  int64_t best = -1;
  float max = 0;
  for (int64_t i = 0; i < p.window; ++i)
    for (int64_t j = 0; j < p.window; ++j)
      if (const int64_t at = p.pixel(oh, ow, i, j); at >= 0)
        if (best < 0 || plane[at * 16 + lane] > max) {
          best = i * p.window + j;
          max = plane[at * 16 + lane];
        }
  return best;
}

/// Sums gradients by window tap: weight(plane, oh, ow, lane, tap).
template <class Weight>
Floats scattered(const Problem &p, Weight weight) {
  Floats result(p.planes * p.h * p.w * 16, 0.0f);
  for (int64_t plane = 0; plane < p.planes; ++plane)
    for (int64_t tap = 0; tap < p.window * p.window; ++tap)
      p.forPoints([&](int64_t oh, int64_t ow, int64_t lane) {
        const int64_t at = p.pixel(oh, ow, tap / p.window, tap % p.window);
        if (at >= 0)
          result[(plane * p.h * p.w + at) * 16 + lane] +=
              weight(plane, oh, ow, lane, tap);
      });
  for (float &value : result)
    value = toHalfAndBack(value);
  return result;
}

} // namespace

TEST(PoolingGradientTest, PlacesOfMaxima) {
  for (const Problem &p : problems()) {
    const Floats x = coarse(p.planes * p.h * p.w * 16, 1);
    auto result = runEverywhere(
        "MaxPoolWithArgmax", {half(p.image(DataType::Float16), x)},
        {p.points(DataType::Float16), p.places()}, p.attrs());
    EXPECT_EQ(result.status.valid, status::None);
    const Floats maxima = floatsOf(result.outputs[0]);
    const auto places = result.values<uint16_t>(1);
    std::vector<uint16_t> expected(places.size(), 0);
    for (int64_t plane = 0; plane < p.planes; ++plane)
      p.forPoints([&](int64_t oh, int64_t ow, int64_t lane) {
        const float *values = x.data() + plane * p.h * p.w * 16;
        const int64_t tap = bestTap(p, values, oh, ow, lane);
        const int64_t point = oh * p.out(p.w) + ow;
        expected[(plane * p.window * p.window + tap) * p.words() + point] |=
            uint16_t(1u << lane);
        const int64_t at = p.pixel(oh, ow, tap / p.window, tap % p.window);
        EXPECT_EQ(maxima[(plane * p.out(p.h) * p.out(p.w) + point) * 16 + lane],
                  values[at * 16 + lane]);
      });
    EXPECT_EQ(places, expected);
  }
}

TEST(PoolingGradientTest, GradientsOfMaxima) {
  for (const Problem &p : problems()) {
    const Floats x = coarse(p.planes * p.h * p.w * 16, 2);
    const int64_t points = p.out(p.h) * p.out(p.w);
    const Floats dy = randomFloats(p.planes * points * 16, -2, 2, 3);
    const TestTensor image = half(p.image(DataType::Float16), x);
    const TestTensor gradient = half(p.points(DataType::Float16), dy);
    auto forward =
        runNode("MaxPoolWithArgmax", {image},
                {p.points(DataType::Float16), p.places()}, p.attrs());
    const Floats expected = scattered(p, [&](int64_t plane, int64_t oh,
                                             int64_t ow, int64_t lane,
                                             int64_t tap) {
      return bestTap(p, x.data() + plane * p.h * p.w * 16, oh, ow, lane) == tap
                 ? dy[(plane * points + oh * p.out(p.w) + ow) * 16 + lane]
                 : 0.0f;
    });
    auto byPlaces = runEverywhere("MaxPoolGradWithArgmax",
                                  {image, gradient, forward.outputs[1]},
                                  {p.image(DataType::Float16)}, p.attrs());
    expectSameBits(floatsOf(byPlaces.outputs[0]), expected);
    auto again =
        runEverywhere("MaxPoolGrad", {image, forward.outputs[0], gradient},
                      {p.image(DataType::Float16)}, p.attrs());
    expectSameBits(floatsOf(again.outputs[0]), expected);
  }
}

TEST(PoolingGradientTest, GradientsOfAverages) {
  for (const Problem &p : problems()) {
    const int64_t points = p.out(p.h) * p.out(p.w);
    const Floats dy = randomFloats(p.planes * points * 16, -2, 2, 4);
    const Floats expected = scattered(
        p, [&](int64_t plane, int64_t oh, int64_t ow, int64_t lane, int64_t) {
          int area = 0;
          for (int64_t i = 0; i < p.window; ++i)
            for (int64_t j = 0; j < p.window; ++j)
              area += p.pixel(oh, ow, i, j) >= 0;
          const float value =
              dy[(plane * points + oh * p.out(p.w) + ow) * 16 + lane];
          return toHalfAndBack(value * toHalfAndBack(1.0f / float(area)));
        });
    auto result =
        runEverywhere("AvgPoolGradD", {half(p.points(DataType::Float16), dy)},
                      {p.image(DataType::Float16)}, p.attrs());
    expectSameBits(floatsOf(result.outputs[0]), expected);
    const TestTensor shape =
        tensor<int32_t>(plainDesc(DataType::Int32, {4}),
                        {int32_t(p.planes), 16, int32_t(p.h), int32_t(p.w)});
    auto withShape = runEverywhere(
        "AvgPoolGrad", {shape, half(p.points(DataType::Float16), dy)},
        {p.image(DataType::Float16)}, p.attrs());
    expectSameBits(floatsOf(withShape.outputs[0]), expected);
  }
}

TEST(PoolingGradientTest, SumsOverflowInTheCast) {
  const Problem p{1, 3, 3, 2, 1, false};
  // The pixel in the middle is the maximum of all four windows.
  Floats x(9 * 16, 0.0f);
  for (int lane = 0; lane < 16; ++lane)
    x[4 * 16 + lane] = 1;
  const TestTensor image = half(p.image(DataType::Float16), x);
  auto forward = runNode("MaxPoolWithArgmax", {image},
                         {p.points(DataType::Float16), p.places()}, p.attrs());
  auto run = [&](float value) {
    return runNode("MaxPoolGradWithArgmax",
                   {image,
                    half(p.points(DataType::Float16), Floats(4 * 16, value)),
                    forward.outputs[1]},
                   {p.image(DataType::Float16)}, p.attrs());
  };
  EXPECT_EQ(run(16368).status.valid, status::None);
  auto beyond = run(20000);
  EXPECT_EQ(beyond.status.valid, status::CastOverflow);
  EXPECT_EQ(floatsOf(beyond.outputs[0])[4 * 16], 65504.0f);
}

TEST(PoolingGradientTest, Refusals) {
  const Problem p{1, 4, 4, 2, 2, false};
  const TensorDesc wrong = plainDesc(DataType::UInt16, {8});
  EXPECT_EQ(refusal("MaxPoolWithArgmax", {p.image(DataType::Float16)},
                    {p.points(DataType::Float16), wrong}, p.attrs()),
            "MaxPoolWithArgmax 'node': " + wrong.toString() +
                " does not hold places of maxima, expected 128 words of "
                "DT_UINT16");
  EXPECT_EQ(refusal("AvgPoolGradD", {plainDesc(DataType::Float16, {4})},
                    {p.image(DataType::Float16)}, p.attrs()),
            "AvgPoolGradD 'node': cannot pool " +
                p.image(DataType::Float16).toString() + " to " +
                plainDesc(DataType::Float16, {4}).toString());
}
