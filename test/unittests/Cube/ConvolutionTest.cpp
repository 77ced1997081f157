//===- ConvolutionTest.cpp - Convolutions ---------------------------------===//

#include "CubeTesting.h"

#include <numeric>

using namespace npu;
using namespace npu::cubetest;

namespace {

using List = std::vector<int64_t>;

/// A logical image [n, c, h, w] stored in a format.
struct Image {
  int64_t n, c, h, w;
  Tensor tensor;

  Image(DataType type, Format format, int64_t n, int64_t c, int64_t h,
        int64_t w, int64_t c0 = 16)
      : n(n), c(c), h(h), w(w) {
    const bool nhwc = format == Format::NHWC;
    const Shape origin = nhwc ? Shape{n, h, w, c} : Shape{n, c, h, w};
    Shape shape = origin;
    if (format == Format::NC1HWC0 || format == Format::NC1HWC0_C04)
      shape = {n, ceilDiv(c, c0), h, w, c0};
    tensor =
        Tensor(type, format, shape, nhwc ? Format::NHWC : Format::NCHW, origin);
  }
  int64_t c0() const {
    return tensor.desc.shape.size() == 5  ? tensor.desc.shape[4]
           : isInteger(tensor.desc.dtype) ? 32
                                          : 16;
  }
  int64_t at(int64_t in, int64_t ic, int64_t ih, int64_t iw) const {
    if (tensor.desc.shape.size() == 5)
      return (((in * ceilDiv(c, c0()) + ic / c0()) * h + ih) * w + iw) * c0() +
             ic % c0();
    if (tensor.desc.format == Format::NHWC)
      return ((in * h + ih) * w + iw) * c + ic;
    return ((in * c + ic) * h + ih) * w + iw;
  }
  /// Rubbish in the padding, which must not matter.
  void fill(Random &random, int64_t rare) {
    for (int64_t i = 0; i < tensor.desc.numElements(); ++i)
      tensor.set(i, randomBits(random, tensor.desc.dtype, 3));
    for (int64_t in = 0; in < n; ++in)
      for (int64_t ic = 0; ic < c; ++ic)
        for (int64_t ih = 0; ih < h; ++ih)
          for (int64_t iw = 0; iw < w; ++iw)
            tensor.set(at(in, ic, ih, iw),
                       randomBits(random, tensor.desc.dtype, rare));
  }
};

/// A logical filter [n, c, h, w], n counting over all groups.
struct Filter {
  int64_t n, c, h, w, groups, c0 = 16;
  Tensor tensor;
  int64_t joined = 1; // groups in a block of FRACTAL_Z

  Filter(DataType type, Format format, int64_t n, int64_t c, int64_t h,
         int64_t w, int64_t groups)
      : n(n), c(c), h(h), w(w), groups(groups) {
    if (isInteger(type))
      c0 = 32;
    const bool hwcn = format == Format::HWCN;
    const Shape origin = hwcn ? Shape{h, w, c, n} : Shape{n, c, h, w};
    Shape shape = origin;
    if (format == Format::FRACTAL_Z) {
      const int64_t each = n / groups;
      if (groups > 1)
        joined = std::min(
            std::lcm(c0 / std::gcd(c, c0), 16 / std::gcd(each, int64_t(16))),
            groups);
      shape = {ceilDiv(groups, joined) * ceilDiv(c * joined, c0) * h * w,
               ceilDiv(each * joined, 16), 16, c0};
    } else if (format == Format::FRACTAL_Z_C04) {
      shape = {ceilDiv(4 * h * w, 16), ceilDiv(n, 16), 16, 16};
    }
    tensor =
        Tensor(type, format, shape, hwcn ? Format::HWCN : Format::NCHW, origin,
               format == Format::FRACTAL_Z && groups > 1 ? groups : 0);
  }
  int64_t at(int64_t in, int64_t ic, int64_t ih, int64_t iw) const {
    const Shape &s = tensor.desc.shape;
    switch (tensor.desc.format) {
    case Format::FRACTAL_Z: {
      const int64_t each = n / groups, group = in / each;
      const int64_t lane = group % joined;
      const int64_t rn = lane * each + in % each, rc = lane * c + ic;
      const int64_t block = group / joined * ceilDiv(c * joined, c0) + rc / c0;
      return ((((block * h + ih) * w + iw) * s[1] + rn / 16) * 16 + rn % 16) *
                 c0 +
             rc % c0;
    }
    case Format::FRACTAL_Z_C04: {
      const int64_t k = (ih * w + iw) * 4 + ic;
      return ((k / 16 * s[1] + in / 16) * 16 + in % 16) * 16 + k % 16;
    }
    case Format::HWCN:
      return ((ih * w + iw) * c + ic) * n + in;
    default:
      return ((in * c + ic) * h + ih) * w + iw;
    }
  }
  void fill(Random &random, int64_t rare) {
    for (int64_t in = 0; in < n; ++in)
      for (int64_t ic = 0; ic < c; ++ic)
        for (int64_t ih = 0; ih < h; ++ih)
          for (int64_t iw = 0; iw < w; ++iw)
            tensor.set(at(in, ic, ih, iw),
                       randomBits(random, tensor.desc.dtype, rare));
  }
};

struct Window {
  int64_t sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, bottom = 0, left = 0, right = 0;

  int64_t outH(int64_t h, int64_t k) const {
    return (h + top + bottom - dh * (k - 1) - 1) / sh + 1;
  }
  int64_t outW(int64_t w, int64_t k) const {
    return (w + left + right - dw * (k - 1) - 1) / sw + 1;
  }
  void set(kernels::Attributes &attrs, bool nhwc) const {
    attrs.set("strides", nhwc ? List{1, sh, sw, 1} : List{1, 1, sh, sw});
    attrs.set("dilations", nhwc ? List{1, dh, dw, 1} : List{1, 1, dh, dw});
    attrs.set("pads", List{top, bottom, left, right});
    attrs.set("data_format", std::string(nhwc ? "NHWC" : "NCHW"));
  }
};

Window pickWindow(Random &random, int64_t kh, int64_t kw) {
  return {pick(random, 1, 3),  pick(random, 1, 3),  pick(random, 1, 2),
          pick(random, 1, 2),  pick(random, 0, kh), pick(random, 0, kh),
          pick(random, 0, kw), pick(random, 0, kw)};
}

/// y by its definition, k in the order (c1, kh, kw, c0).
StatusBits defineForward(const Image &x, const Filter &f, const Tensor *bias,
                         const Window &win, float outside, OverflowMode mode,
                         Image &y) {
  const DataType type = x.tensor.desc.dtype;
  const float maxX = maxOf(type), maxF = maxOf(f.tensor.desc.dtype);
  std::fill(y.tensor.bytes.begin(), y.tensor.bytes.end(), std::byte());
  Accumulator acc(type, mode);
  const int64_t each = f.n / f.groups;
  for (int64_t n = 0; n < y.n; ++n)
    for (int64_t co = 0; co < y.c; ++co)
      for (int64_t oh = 0; oh < y.h; ++oh)
        for (int64_t ow = 0; ow < y.w; ++ow) {
          const int64_t first = co / each * f.c;
          acc.start(bias, co);
          for (int64_t c1 = first / x.c0(); c1 * x.c0() < first + f.c; ++c1)
            for (int64_t kh = 0; kh < f.h; ++kh)
              for (int64_t kw = 0; kw < f.w; ++kw)
                for (int64_t c0 = 0; c0 < x.c0(); ++c0) {
                  const int64_t c = c1 * x.c0() + c0;
                  if (c < first || c >= first + f.c)
                    continue;
                  const int64_t ih = oh * win.sh - win.top + kh * win.dh;
                  const int64_t iw = ow * win.sw - win.left + kw * win.dw;
                  const bool inside =
                      ih >= 0 && ih < x.h && iw >= 0 && iw < x.w;
                  acc.add(inside ? x.tensor.value(x.at(n, c, ih, iw)) : outside,
                          f.tensor.value(f.at(co, c - first, kh, kw)), maxX,
                          maxF);
                }
          acc.finish(y.tensor, y.at(n, co, oh, ow));
        }
  return acc.getStatus();
}

/// dx by its definition, k in the order (co1, kh, kw, co0); taps that fall
/// between the strides take no part.
StatusBits defineBackward(const Image &dy, const Filter &f, const Tensor *bias,
                          const Window &win, OverflowMode mode, Image &dx) {
  const DataType type = dy.tensor.desc.dtype;
  const float maxY = maxOf(type), maxF = maxOf(f.tensor.desc.dtype);
  std::fill(dx.tensor.bytes.begin(), dx.tensor.bytes.end(), std::byte());
  Accumulator acc(type, mode);
  const int64_t each = f.n / f.groups;
  for (int64_t n = 0; n < dx.n; ++n)
    for (int64_t ci = 0; ci < dx.c; ++ci)
      for (int64_t h = 0; h < dx.h; ++h)
        for (int64_t w = 0; w < dx.w; ++w) {
          const int64_t first = ci / f.c * each;
          acc.start(bias, ci);
          for (int64_t c1 = first / dy.c0(); c1 * dy.c0() < first + each; ++c1)
            for (int64_t kh = 0; kh < f.h; ++kh)
              for (int64_t kw = 0; kw < f.w; ++kw)
                for (int64_t c0 = 0; c0 < dy.c0(); ++c0) {
                  const int64_t co = c1 * dy.c0() + c0;
                  if (co < first || co >= first + each)
                    continue;
                  const int64_t ph = h + win.top - kh * win.dh;
                  const int64_t pw = w + win.left - kw * win.dw;
                  if (ph % win.sh != 0 || pw % win.sw != 0)
                    continue;
                  const int64_t oh = ph / win.sh, ow = pw / win.sw;
                  const bool inside =
                      ph >= 0 && oh < dy.h && pw >= 0 && ow < dy.w;
                  acc.add(inside ? dy.tensor.value(dy.at(n, co, oh, ow)) : 0,
                          f.tensor.value(f.at(co, ci % f.c, kh, kw)), maxY,
                          maxF);
                }
          acc.finish(dx.tensor, dx.at(n, ci, h, w));
        }
  return acc.getStatus();
}

Format pickImageFormat(Random &random) {
  constexpr Format formats[] = {Format::NC1HWC0, Format::NC1HWC0, Format::NHWC,
                                Format::NCHW};
  return formats[pick(random, 0, 3)];
}

Format pickFilterFormat(Random &random) {
  constexpr Format formats[] = {Format::FRACTAL_Z, Format::FRACTAL_Z,
                                Format::NCHW, Format::HWCN};
  return formats[pick(random, 0, 3)];
}

std::optional<Tensor> pickBias(Random &random, DataType type, int64_t count,
                               int64_t rare) {
  if (!pick(random, 0, 1))
    return std::nullopt;
  const DataType biasType = isInteger(type)      ? DataType::Int32
                            : pick(random, 0, 1) ? DataType::Float
                                                 : type;
  const int64_t c1 = ceilDiv(count, 16);
  Tensor bias = pick(random, 0, 1)
                    ? Tensor(biasType, {count})
                    : Tensor(biasType, Format::NC1HWC0, {1, c1, 1, 1, 16},
                             Format::NCHW, {count});
  for (int64_t i = 0; i < count; ++i)
    bias.set(i, randomBits(random, biasType, rare));
  return bias;
}

OverflowMode pickMode(Random &random) {
  return pick(random, 0, 1) ? OverflowMode::Saturate : OverflowMode::InfNan;
}

struct ConvSizes {
  DataType type = DataType::Float16, outType = DataType::Float16;
  int64_t channels = 40, outChannels = 40, groups = 1;
  int64_t rare = 0;
};

/// One forward convolution of random geometry.
void checkForward(Random &random, const ConvSizes &sizes) {
  const int64_t kh = pick(random, 1, 4), kw = pick(random, 1, 4);
  Window win = pickWindow(random, kh, kw);
  const int64_t h = pick(random, 1, 12), w = pick(random, 1, 12);
  if (h + win.top + win.bottom < win.dh * (kh - 1) + 1 ||
      w + win.left + win.right < win.dw * (kw - 1) + 1)
    return checkForward(random, sizes);
  const int64_t n = pick(random, 1, 2);
  Image x(sizes.type, pickImageFormat(random), n, sizes.channels, h, w,
          isInteger(sizes.type) ? 32 : 16);
  Image y(sizes.outType, pickImageFormat(random), n, sizes.outChannels,
          win.outH(h, kh), win.outW(w, kw));
  Filter f(sizes.type == DataType::UInt8 ? DataType::Int8 : sizes.type,
           pickFilterFormat(random), sizes.outChannels,
           sizes.channels / sizes.groups, kh, kw, sizes.groups);
  x.fill(random, sizes.rare);
  f.fill(random, sizes.rare);
  auto bias = pickBias(random, sizes.type, sizes.outChannels, sizes.rare);
  const int64_t offset = isInteger(sizes.type) ? pick(random, -128, 127) : 0;
  const OverflowMode mode = pickMode(random);

  Node node{"Conv2D", {}, {&x.tensor, &f.tensor}, {false, random() % 2 == 0}};
  if (bias)
    node.inputs.push_back(&*bias);
  win.set(node.attrs, pick(random, 0, 1));
  if (sizes.groups > 1)
    node.attrs.set("groups", sizes.groups);
  node.attrs.set("offset_x", offset);
  const StatusBits status = defineForward(x, f, bias ? &*bias : nullptr, win,
                                          static_cast<float>(offset), mode, y);
  expectRuns(node, y.tensor, mode, status);
}

void checkBackward(Random &random, const ConvSizes &sizes,
                   const std::string &type) {
  const int64_t kh = pick(random, 1, 4), kw = pick(random, 1, 4);
  Window win = pickWindow(random, kh, kw);
  const int64_t h = pick(random, 1, 12), w = pick(random, 1, 12);
  if (h + win.top + win.bottom < win.dh * (kh - 1) + 1 ||
      w + win.left + win.right < win.dw * (kw - 1) + 1)
    return checkBackward(random, sizes, type);
  const int64_t n = pick(random, 1, 2);
  Image dx(sizes.outType, pickImageFormat(random), n, sizes.channels, h, w);
  Image dy(sizes.type, pickImageFormat(random), n, sizes.outChannels,
           win.outH(h, kh), win.outW(w, kw));
  Filter f(sizes.type, pickFilterFormat(random), sizes.outChannels,
           sizes.channels / sizes.groups, kh, kw, sizes.groups);
  dy.fill(random, sizes.rare);
  f.fill(random, sizes.rare);
  const OverflowMode mode = pickMode(random);
  Node node{type, {}, {&f.tensor, &dy.tensor}, {random() % 2 == 0, false}};
  std::optional<Tensor> bias;
  if (type == "Conv2DTransposeD" || type == "Deconvolution") {
    std::swap(node.inputs[0], node.inputs[1]);
    node.constant = {};
    bias = pickBias(random, sizes.type, sizes.channels, sizes.rare);
    if (bias)
      node.inputs.push_back(&*bias);
  }
  win.set(node.attrs, pick(random, 0, 1));
  if (type == "Deconvolution")
    node.attrs.set("strides", List{win.sh, win.sw});
  if (sizes.groups > 1)
    node.attrs.set("groups", sizes.groups);
  const StatusBits status =
      defineBackward(dy, f, bias ? &*bias : nullptr, win, mode, dx);
  expectRuns(node, dx.tensor, mode, status);
}

TEST(Conv2D, HalvesMatchTheScalarDefinition) {
  Random random(11);
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    ConvSizes sizes;
    sizes.channels = pick(random, 1, 50);
    sizes.outChannels = pick(random, 1, 50);
    sizes.outType = pick(random, 0, 3) ? DataType::Float16 : DataType::Float;
    checkForward(random, sizes);
  }
}

TEST(Conv2D, OtherTypes) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    constexpr DataType types[] = {DataType::Float, DataType::BFloat16,
                                  DataType::Int8, DataType::UInt8};
    ConvSizes sizes;
    sizes.type = types[round % 4];
    sizes.outType = isInteger(sizes.type) ? DataType::Int32 : DataType::Float;
    sizes.channels = pick(random, 1, 70);
    sizes.outChannels = pick(random, 1, 40);
    checkForward(random, sizes);
  }
}

TEST(Conv2D, Groups) {
  Random random(13);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    ConvSizes sizes;
    sizes.groups = pick(random, 2, 9);
    sizes.channels = sizes.groups * pick(random, 1, 20);
    sizes.outChannels = sizes.groups * pick(random, 1, 20);
    checkForward(random, sizes);
  }
}

TEST(Conv2D, InfinitiesAndNaNs) {
  Random random(14);
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    ConvSizes sizes;
    sizes.groups = pick(random, 1, 2);
    sizes.channels = sizes.groups * pick(random, 1, 20);
    sizes.outChannels = sizes.groups * pick(random, 1, 20);
    sizes.rare = pick(random, 0, 1) ? 30 : 2000;
    checkForward(random, sizes);
  }
}

TEST(Conv2D, ManyPoints) {
  // Several tiles, a depth beyond one block, bands of unequal height.
  Random random(15);
  const Window win{1, 1, 1, 1, 1, 1, 1, 1};
  Image x(DataType::Float16, Format::NC1HWC0, 2, 70, 15, 13);
  Image y(DataType::Float16, Format::NC1HWC0, 2, 300, 15, 13);
  Filter f(DataType::Float16, Format::FRACTAL_Z, 300, 70, 3, 3, 1);
  x.fill(random, 0);
  f.fill(random, 0);
  Node node{"Conv2D", {}, {&x.tensor, &f.tensor}, {}};
  win.set(node.attrs, false);
  const StatusBits status =
      defineForward(x, f, nullptr, win, 0, OverflowMode::Saturate, y);
  expectRuns(node, y.tensor, OverflowMode::Saturate, status);
}

TEST(Conv2D, FourChannels) {
  Random random(16);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const int64_t channels = pick(random, 1, 4), k = pick(random, 1, 5);
    Window win{2, 2, 1, 1, 2, 2, 2, 2};
    Image x(DataType::Float16, Format::NC1HWC0_C04, 1, channels, 9, 10, 4);
    Image y(DataType::Float16, Format::NC1HWC0, 1, 20, win.outH(9, k),
            win.outW(10, k));
    Filter f(DataType::Float16, Format::FRACTAL_Z_C04, 20, channels, k, k, 1);
    x.fill(random, 0);
    f.fill(random, 0);
    Node node{"Conv2D", {}, {&x.tensor, &f.tensor}, {}};
    win.set(node.attrs, false);
    const StatusBits status =
        defineForward(x, f, nullptr, win, 0, OverflowMode::InfNan, y);
    expectRuns(node, y.tensor, OverflowMode::InfNan, status);
  }
}

TEST(Conv2D, ImagesOfFewChannelsAreCopiedWithoutGaps) {
  Random random(18);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    constexpr DataType types[] = {DataType::Float16, DataType::Float16,
                                  DataType::BFloat16, DataType::Float};
    ConvSizes sizes;
    sizes.type = types[round % 4];
    sizes.outType = sizes.type;
    sizes.channels = pick(random, 1, 5);
    sizes.outChannels = pick(random, 1, 40);
    sizes.rare = pick(random, 0, 2) * 100;
    checkForward(random, sizes);
  }
}

TEST(Conv2D, SamePadding) {
  Random random(17);
  // 8 points, window 3, stride 2: 4 outputs need 1 point of padding, behind.
  const Window win{2, 2, 1, 1, 0, 1, 0, 1};
  Image x(DataType::Float16, Format::NC1HWC0, 1, 5, 8, 8);
  Image y(DataType::Float16, Format::NC1HWC0, 1, 5, 4, 4);
  Filter f(DataType::Float16, Format::HWCN, 5, 5, 3, 3, 1);
  x.fill(random, 0);
  f.fill(random, 0);
  Node node{"Conv2D", {}, {&x.tensor, &f.tensor}, {}};
  win.set(node.attrs, true);
  node.attrs.set("pads", List{-1, -1, -1, -1});
  const StatusBits status =
      defineForward(x, f, nullptr, win, 0, OverflowMode::Saturate, y);
  expectRuns(node, y.tensor, OverflowMode::Saturate, status);
}

TEST(DepthwiseConv2D, MatchesTheScalarDefinition) {
  Random random(18);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int64_t channels = pick(random, 1, 40);
    const int64_t multiplier = pick(random, 0, 2) ? 1 : pick(random, 2, 5);
    const int64_t k = pick(random, 1, 4), rare = pick(random, 0, 1) * 300;
    Window win = pickWindow(random, k, k);
    win.top = win.left = k; // so that there is a result
    Image x(DataType::Float16, pickImageFormat(random), pick(random, 1, 2),
            channels, pick(random, 4, 9), pick(random, 4, 20));
    Image y(DataType::Float16, pickImageFormat(random), x.n,
            channels * multiplier, win.outH(x.h, k), win.outW(x.w, k));
    // The definition is that of a grouped filter; the stored one is HWCN with
    // [kh, kw, channel, multiplier].
    Filter f(DataType::Float16, Format::NCHW, channels * multiplier, 1, k, k,
             channels);
    x.fill(random, rare);
    f.fill(random, rare);
    Filter stored(DataType::Float16, Format::HWCN, multiplier, channels, k, k,
                  1);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t m = 0; m < multiplier; ++m)
        for (int64_t i = 0; i < k * k; ++i)
          stored.tensor.set(stored.at(m, c, i / k, i % k),
                            f.tensor.as<uint16_t>()[f.at(c * multiplier + m, 0,
                                                         i / k, i % k)]);
    auto bias = pickBias(random, DataType::Float16, y.c, rare);
    const OverflowMode mode = pickMode(random);
    Node node{"DepthwiseConv2D", {}, {&x.tensor, &stored.tensor}, {}};
    if (bias)
      node.inputs.push_back(&*bias);
    win.set(node.attrs, pick(random, 0, 1));
    const StatusBits status =
        defineForward(x, f, bias ? &*bias : nullptr, win, 0, mode, y);
    expectRuns(node, y.tensor, mode, status);
  }
}

TEST(Conv2DBackpropInputD, MatchesTheScalarDefinition) {
  Random random(19);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    ConvSizes sizes;
    sizes.groups = pick(random, 0, 2) ? 1 : pick(random, 2, 5);
    sizes.channels = sizes.groups * pick(random, 1, 40 / sizes.groups);
    sizes.outChannels = sizes.groups * pick(random, 1, 40 / sizes.groups);
    sizes.rare = pick(random, 0, 2) ? 0 : 500;
    constexpr const char *types[] = {"Conv2DBackpropInputD", "Conv2DTransposeD",
                                     "Deconvolution"};
    checkBackward(random, sizes, types[pick(random, 0, 2)]);
  }
}

TEST(DepthwiseConv2DBackpropInputD, MatchesTheScalarDefinition) {
  Random random(21);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    ConvSizes sizes;
    sizes.channels = sizes.groups = pick(random, 1, 40);
    sizes.outChannels =
        sizes.channels * (pick(random, 0, 2) ? 1 : pick(random, 2, 4));
    sizes.rare = pick(random, 0, 1) * 300;
    checkBackward(random, sizes, "DepthwiseConv2DBackpropInputD");
  }
}

TEST(FullyConnection, FlattensTheImage) {
  Random random(20);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    const bool integer = pick(random, 0, 3) == 0;
    const DataType type = integer ? DataType::Int8 : DataType::Float16;
    const int64_t c = pick(random, 1, 80), h = pick(random, 1, 3),
                  w = pick(random, 1, 3), outputs = pick(random, 1, 90);
    Image x(type, Format::NC1HWC0, pick(random, 1, 20), c, h, w,
            integer ? 32 : 16);
    Image y(integer ? DataType::Int32 : DataType::Float16, Format::NC1HWC0, x.n,
            outputs, 1, 1);
    Filter f(type, Format::FRACTAL_Z, outputs, c, h, w, 1);
    x.fill(random, 0);
    f.fill(random, 0);
    auto bias = pickBias(random, type, outputs, 0);
    Node node{"FullyConnection", {}, {&x.tensor, &f.tensor}, {}};
    if (bias)
      node.inputs.push_back(&*bias);
    node.attrs.set("num_output", outputs);
    node.attrs.set("axis", int64_t(1));
    const OverflowMode mode = pickMode(random);
    const StatusBits status =
        defineForward(x, f, bias ? &*bias : nullptr, Window(), 0, mode, y);
    expectRuns(node, y.tensor, mode, status);
  }
}

TEST(Conv2D, SaysWhatDoesNotFit) {
  Image x(DataType::Float16, Format::NC1HWC0, 1, 5, 8, 8);
  Image y(DataType::Float16, Format::NC1HWC0, 1, 6, 8, 8);
  Filter f(DataType::Float16, Format::FRACTAL_Z, 6, 5, 3, 3, 1);
  Node node{"Conv2D", {}, {&x.tensor, &f.tensor}, {}};
  EXPECT_EQ(creationError(node, y.tensor.desc),
            "Conv2D node: attribute 'strides' (list of int) is missing");
  Window().set(node.attrs, false);
  EXPECT_EQ(creationError(node, y.tensor.desc),
            "Conv2D node: a window of 3 (stride 1, dilation 1, pads 0, 0) over "
            "8 gives 6 outputs along H, not 8");
  Window{1, 1, 1, 1, 1, 1, 1, 1}.set(node.attrs, false);
  EXPECT_EQ(creationError(node, y.tensor.desc), "");
  node.attrs.set("strides", List{2, 1, 1, 1});
  EXPECT_EQ(creationError(node, y.tensor.desc),
            "Conv2D node: strides and dilations must be 4 numbers in the order "
            "NCHW that are 1 along N and C");
  node.attrs.set("strides", List{1, 1, 1, 1});
  node.attrs.set("groups", int64_t(2));
  EXPECT_EQ(
      creationError(node, y.tensor.desc),
      "Conv2D node: filter DT_FLOAT16 9x1x16x16 FRACTAL_Z of 6x5x3x3 NCHW "
      "in 2 groups does not lead from 5 to 6 channels");
  Tensor scale(DataType::Float16, {6});
  node.attrs.set("groups", int64_t(1));
  node.inputs = {&x.tensor, &f.tensor, nullptr, &scale};
  EXPECT_EQ(
      creationError(node, y.tensor.desc),
      "Conv2D node: input 3 (DT_FLOAT16 6 ND) is no offset_w; is the node "
      "fused?");
}

} // namespace
