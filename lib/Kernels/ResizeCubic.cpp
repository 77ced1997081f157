//===- ResizeCubic.cpp - Images to another size by cubics -----------------===//
//
// ONNX's Resize with mode cubic: between the four pixels around a place, first
// along the rows, then between them.
//
//===----------------------------------------------------------------------===//

#include "ResizeCubic.h"

#include "Choice.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImageShape.h"
#include "KernelChecks.h"

#include <array>
#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr size_t NumTaps = 4;

/// The pixels around a place, and their weights.
struct Taps {
  std::array<int64_t, NumTaps> pixels = {};
  std::array<float, NumTaps> weights = {};
};

/// How outputs and pixels correspond, and what follows from it.
struct Cubic {
  enum Coordinates { HalfPixel, PyTorchHalfPixel, AlignCorners, Asymmetric };
  Coordinates coordinates = HalfPixel;
  double coefficient = 0;
  bool excludesOutside = false;

  static Expected<Cubic> of(const NodeSpec &spec);
  double placeOf(int64_t i, int64_t from, int64_t to) const;
  std::vector<Taps> findTaps(int64_t from, int64_t to) const;
};

Expected<Cubic> Cubic::of(const NodeSpec &spec) {
  auto coordinates = readChoice(
      spec, "coordinate_transformation_mode",
      {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"});
  if (!coordinates)
    return coordinates.takeStatus();
  auto coefficient = spec.attribute<float>("cubic_coeff_a");
  if (!coefficient)
    return coefficient.takeStatus();
  auto excludes = spec.attribute<int64_t>("exclude_outside");
  if (!excludes)
    return excludes.takeStatus();
  return Cubic{static_cast<Coordinates>(*coordinates), *coefficient,
               *excludes != 0};
}

/// Where output \p i of \p to lies among \p from pixels.
double Cubic::placeOf(int64_t i, int64_t from, int64_t to) const {
  const double at = static_cast<double>(i),
               scale = static_cast<double>(from) / static_cast<double>(to);
  switch (coordinates) {
  case AlignCorners:
    return to > 1 ? at * static_cast<double>(from - 1) /
                        static_cast<double>(to - 1)
                  : 0;
  case Asymmetric:
    return at * scale;
  case PyTorchHalfPixel:
    if (to == 1)
      return 0;
    break;
  case HalfPixel:
    break;
  }
  return (at + 0.5) * scale - 0.5;
}

/// Pixels beyond the image are those at its edge, or count for nothing.
std::vector<Taps> Cubic::findTaps(int64_t from, int64_t to) const {
  const double a = coefficient;
  // Up to 1 from a pixel, and beyond.
  auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [&](double d) {
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  };
  std::vector<Taps> result;
  for (int64_t i = 0; i != to; ++i) {
    const double place = placeOf(i, from, to), first = std::floor(place);
    const double d = place - first;
    std::array<double, NumTaps> weights = {far(1 + d), near(d), near(1 - d),
                                           far(2 - d)};
    Taps taps;
    double sum = 0;
    for (size_t tap = 0; tap != NumTaps; ++tap) {
      const int64_t pixel =
          static_cast<int64_t>(first) + static_cast<int64_t>(tap) - 1;
      taps.pixels[tap] = std::clamp<int64_t>(pixel, 0, from - 1);
      if (excludesOutside && taps.pixels[tap] != pixel)
        weights[tap] = 0;
      sum += weights[tap];
    }
    for (size_t tap = 0; tap != NumTaps; ++tap)
      taps.weights[tap] = static_cast<float>(
          excludesOutside ? weights[tap] / sum : weights[tap]);
    result.push_back(taps);
  }
  return result;
}

class ResizeCubicKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  ImageShape in, out;
  DataType inType = DataType::Undefined, outType = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  std::vector<Taps> rows, columns;

  using Lines = std::array<std::vector<float>, NumTaps>;
  template <class Instructions>
  StatusBits resizeRow(Instructions unit, const Lines &lines,
                       std::span<const float> weights,
                       std::span<float> result) const;
};

Expected<std::unique_ptr<Kernel>>
ResizeCubicKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  auto cubic = Cubic::of(spec);
  if (!cubic)
    return inNode(spec, cubic.takeStatus());
  auto in = ImageShape::of(x);
  if (!in)
    return inNode(spec, in.takeStatus());
  auto out = ImageShape::of(y);
  if (!out)
    return inNode(spec, out.takeStatus());
  if (!isFloatType(x.dtype) || !isFloatType(y.dtype) || x.format != y.format ||
      in->planes != out->planes || in->lanes != out->lanes || in->height < 1 ||
      in->width < 1)
    return nodeError(spec,
                     "does not resize " + x.toString() + " to " + y.toString());
  auto kernel = std::make_unique<ResizeCubicKernel>();
  kernel->in = *in;
  kernel->out = *out;
  kernel->inType = x.dtype;
  kernel->outType = y.dtype;
  kernel->mode = config.overflow;
  kernel->rows = cubic->findTaps(in->height, out->height);
  kernel->columns = cubic->findTaps(in->width, out->width);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <class Instructions>
StatusBits ResizeCubicKernel::resizeRow(Instructions unit, const Lines &lines,
                                        std::span<const float> weights,
                                        std::span<float> result) const {
  auto weighted = [&](std::span<const float> factors, const auto &valueOf) {
    float sum = unit.mul(valueOf(0), factors[0]);
    for (size_t tap = 1; tap != NumTaps; ++tap)
      sum = unit.add(sum, unit.mul(valueOf(tap), factors[tap]));
    return sum;
  };
  for (int64_t w = 0; w != out.width; ++w)
    for (int64_t lane = 0; lane != in.lanes; ++lane) {
      const Taps &taps = columns[static_cast<size_t>(w)];
      result[w * in.lanes + lane] =
          canonicalNaN(weighted(weights, [&](size_t line) {
            return weighted(taps.weights, [&](size_t tap) {
              return lines[line][taps.pixels[tap] * in.lanes + lane];
            });
          }));
    }
  return unit.bits;
}

Expected<NodeStatus>
ResizeCubicKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                       std::span<const MutableTensor> outputs) {
  const int64_t inRow = in.width * in.lanes, outRow = out.width * out.lanes;
  const unsigned inSize = getBitWidth(inType) / 8;
  const unsigned outSize = getBitWidth(outType) / 8;
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      out.planes * out.height, 8, [&](int64_t begin, int64_t end, int64_t) {
        Lines lines;
        for (std::vector<float> &line : lines)
          line.resize(inRow);
        std::vector<float> result(outRow);
        StatusBits bits = npu::status::None;
        for (int64_t row = begin; row != end; ++row) {
          const Taps &taps = rows[row % out.height];
          const int64_t plane = row / out.height * in.height;
          for (size_t tap = 0; tap != NumTaps; ++tap)
            toFloat(inType,
                    inputs[0].data +
                        (plane + taps.pixels[tap]) * inRow * inSize,
                    lines[tap]);
          resizeRow(PlainInstructions(), lines, taps.weights, result);
          // A result is infinite or NaN where a pixel or a product is.
          if (!areFinite(result))
            bits |=
                resizeRow(WatchedInstructions(), lines, taps.weights, result);
          bits |= fromFloat(outType, result,
                            outputs[0].data + row * outRow * outSize, mode);
        }
        status |= bits;
      });
  return NodeStatus{status, npu::status::None};
}

} // namespace

Expected<std::unique_ptr<Kernel>>
kernels::createResizeCubic(const NodeSpec &spec, const NumericConfig &config) {
  return ResizeCubicKernel::create(spec, config);
}
