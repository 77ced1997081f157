//===- PoolingGradient.cpp - Maxima with their places, gradients ----------===//
//
// In NC1HWC0. The places of maxima are what the device has: for each image,
// block of channels and tap of the window one 16-bit word an output point, bit
// c of which tells that lane c has its (first) maximum at that tap. A gradient
// goes to the points of the image in the order of taps and is summed in fp32.
//
//===----------------------------------------------------------------------===//

#include "BlockedImages.h"
#include "Builtins.h"
#include "FloatElements.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "PoolingWindow.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <atomic>
#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t Lanes = 16;
using Word = uint16_t;

/// The image that windows read, and the points that they give.
struct Grid {
  PoolingWindow window;
  int64_t planes = 0; ///< images times blocks of channels
  int64_t inHeight = 0, inWidth = 0, outHeight = 0, outWidth = 0;

  static Expected<Grid> create(const NodeSpec &spec, const TensorDesc &image,
                               const TensorDesc &output);

  int64_t inSize() const { return inHeight * inWidth * Lanes; }
  int64_t outPoints() const { return outHeight * outWidth; }
  int64_t taps() const { return window.height.window * window.width.window; }
  /// Words of the places of a plane and tap: a block of 16 more than needed.
  int64_t words() const { return ((outPoints() + 15) / 16 + 1) * 16; }

  /// Calls \p visit(tap, point, pixel) for all taps, outermost, and all points
  /// whose tap lies in the image.
  template <class Visit>
  void forEachTap(Visit visit) const {
    for (int64_t kh = 0; kh < window.height.window; ++kh)
      for (int64_t kw = 0; kw < window.width.window; ++kw)
        for (int64_t oh = 0; oh < outHeight; ++oh) {
          const int64_t h =
              oh * window.height.stride - window.height.before + kh;
          if (h < 0 || h >= inHeight)
            continue;
          for (int64_t ow = 0; ow < outWidth; ++ow) {
            const int64_t w =
                ow * window.width.stride - window.width.before + kw;
            if (w >= 0 && w < inWidth)
              visit(kh * window.width.window + kw, oh * outWidth + ow,
                    h * inWidth + w);
          }
        }
  }
};

bool isBlockImage(const TensorDesc &desc) {
  return desc.format == Format::NC1HWC0 && desc.shape.size() == 5 &&
         desc.shape[4] == Lanes && isFloatType(desc.dtype);
}

Expected<Grid> Grid::create(const NodeSpec &spec, const TensorDesc &image,
                            const TensorDesc &output) {
  if (!isBlockImage(image) || !isBlockImage(output) ||
      image.shape[0] != output.shape[0] || image.shape[1] != output.shape[1] ||
      image.dtype != output.dtype)
    return Status::error("cannot pool " + image.toString() + " to " +
                         output.toString());
  auto window = readPoolingWindow(spec, image.shape);
  if (!window)
    return window.takeStatus();
  if (Status status = checkWindow(*window, image.shape, output.shape); !status)
    return status;
  constexpr int64_t MaxTaps = int64_t(1) << 20;
  if (window->height.window > MaxTaps / window->width.window)
    return Status::error(
        "a window of " + std::to_string(window->height.window) + " x " +
        std::to_string(window->width.window) + " is too large");
  Grid grid;
  grid.window = *window;
  grid.planes = image.shape[0] * image.shape[1];
  grid.inHeight = image.shape[2];
  grid.inWidth = image.shape[3];
  grid.outHeight = output.shape[2];
  grid.outWidth = output.shape[3];
  return grid;
}

/// The maxima of a plane, and the words of their places: taps() times words().
void findMaxima(const Grid &grid, std::span<const float> image,
                std::span<float> maxima, std::span<Word> places) {
  std::vector<int64_t> best(maxima.size(), -1);
  std::fill(maxima.begin(), maxima.end(),
            -std::numeric_limits<float>::infinity());
  std::fill(places.begin(), places.end(), Word(0));
  grid.forEachTap([&](int64_t tap, int64_t point, int64_t pixel) {
    for (int64_t lane = 0; lane < Lanes; ++lane) {
      float &max = maxima[point * Lanes + lane];
      const float value = image[pixel * Lanes + lane];
      int64_t &from = best[point * Lanes + lane];
      if (from < 0 || value > max || (std::isnan(value) && !std::isnan(max))) {
        max = value;
        from = tap;
      }
    }
  });
  for (int64_t point = 0; point < grid.outPoints(); ++point)
    for (int64_t lane = 0; lane < Lanes; ++lane)
      if (const int64_t tap = best[point * Lanes + lane]; tap >= 0)
        places[tap * grid.words() + point] |= Word(1u << lane);
}

/// Whether \p desc has the words of \p grid.
Status checkPlaces(const Grid &grid, const TensorDesc &desc) {
  int64_t words = 0;
  if (__builtin_mul_overflow(grid.planes * grid.taps(), grid.words(), &words))
    return Status::error(desc.toString() + " is too large");
  if (desc.dtype != DataType::UInt16 || desc.numElements() != words)
    return Status::error(desc.toString() +
                         " does not hold places of maxima, expected " +
                         std::to_string(words) + " words of DT_UINT16");
  return {};
}

class MaxPoolWithPlacesKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config) {
    if (Status status = checkArity(spec, 1, 2); !status)
      return status;
    auto kernel = std::make_unique<MaxPoolWithPlacesKernel>();
    auto grid = Grid::create(spec, *spec.inputs[0], spec.outputs[0]);
    if (!grid)
      return inNode(spec, grid.takeStatus());
    kernel->grid = *grid;
    if (Status status = checkPlaces(*grid, spec.outputs[1]); !status)
      return inNode(spec, std::move(status));
    kernel->dtype = spec.inputs[0]->dtype;
    kernel->mode = config.overflow;
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    const unsigned size = getBitWidth(dtype) / 8;
    const int64_t placesSize = grid.taps() * grid.words();
    const int64_t outSize = grid.outPoints() * Lanes;
    std::atomic<bool> special{false};
    context.pool.parallelFor(
        grid.planes, 1, [&](int64_t begin, int64_t end, int64_t) {
          std::vector<float> image(grid.inSize()), maxima(outSize);
          for (int64_t plane = begin; plane < end; ++plane) {
            toFloat(dtype, inputs[0].data + plane * grid.inSize() * size,
                    image);
            if (!areFinite(image))
              special = true;
            findMaxima(grid, image, maxima,
                       {outputs[1].as<Word>() + plane * placesSize,
                        static_cast<size_t>(placesSize)});
            canonicalizeNaNs(maxima);
            fromFloat(dtype, maxima, outputs[0].data + plane * outSize * size,
                      mode);
          }
        });
    return NodeStatus{special ? status::VectorNanInfInput : status::None};
  }

private:
  Grid grid;
  DataType dtype = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
};

/// MaxPoolGrad (x1, x2, grad), MaxPoolGradWithArgmax (x, grad, argmax),
/// AvgPoolGradD (input_grad, and two constants that follow from the window),
/// AvgPoolGrad (orig_input_shape, input_grad).
class PoolingGradientKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  enum class Source : uint8_t { Image, Places, Average };

  Source source = Source::Image;
  Grid grid;
  DataType dtype = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  bool halfSums = false; ///< every addition rounds to fp16
  size_t gradient = 0;   ///< its input

  void scatter(std::span<const float> from, std::span<const Word> places,
               std::span<float> to, StatusBits &bits) const;
  StatusBits average(std::span<float> from) const;
};

Expected<std::unique_ptr<Kernel>>
PoolingGradientKernel::create(const NodeSpec &spec,
                              const NumericConfig &config) {
  auto kernel = std::make_unique<PoolingGradientKernel>();
  const bool average = spec.type.starts_with("AvgPoolGrad");
  const size_t shapes = spec.type == "AvgPoolGrad" ? 1 : 0;
  if (Status status = checkArity(spec, average ? shapes + 1 : 3, 1); !status)
    return status;
  kernel->source = average                      ? Source::Average
                   : spec.type == "MaxPoolGrad" ? Source::Image
                                                : Source::Places;
  kernel->gradient = average ? shapes : spec.type == "MaxPoolGrad" ? 2 : 1;
  const TensorDesc &from = *spec.inputs[kernel->gradient];
  const TensorDesc &to = spec.outputs[0];
  auto grid = Grid::create(spec, to, from);
  if (!grid)
    return inNode(spec, grid.takeStatus());
  kernel->grid = *grid;
  kernel->dtype = to.dtype;
  kernel->mode = config.overflow;
  if (kernel->source == Source::Places) {
    if (Status status = checkPlaces(*grid, *spec.inputs[2]); !status)
      return inNode(spec, std::move(status));
    // The kernel has a fast way for this one shape.
    const PoolingWindow &window = grid->window;
    kernel->halfSums = config.soc == Soc::Ascend910A &&
                       to.dtype == DataType::Float16 &&
                       from.shape == Shape{32, 4, 56, 56, 16} &&
                       window.height.window == 3 && window.width.window == 3 &&
                       window.height.stride == 2 && window.width.stride == 2 &&
                       grid->inHeight == 112 && grid->inWidth == 112;
  }
  if (!average &&
      (spec.inputs[0]->shape != to.shape || spec.inputs[0]->dtype != to.dtype))
    return nodeError(spec, "x " + spec.inputs[0]->toString() +
                               " and its gradient " + to.toString() +
                               " differ");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Adds the gradient of every point to the pixels that it came from; without
/// places, to all pixels of its window.
void PoolingGradientKernel::scatter(std::span<const float> from,
                                    std::span<const Word> places,
                                    std::span<float> to,
                                    StatusBits &bits) const {
  std::fill(to.begin(), to.end(), 0.0f);
  grid.forEachTap([&](int64_t tap, int64_t point, int64_t pixel) {
    const unsigned chosen =
        places.empty() ? 0xFFFFu : places[tap * grid.words() + point];
    for (int64_t lane = 0; lane < Lanes; ++lane) {
      float &sum = to[pixel * Lanes + lane];
      // The others add zero.
      sum += chosen >> lane & 1 ? from[point * Lanes + lane] : 0.0f;
      if (halfSums) {
        StatusBits cast = status::None;
        sum = numerics::halfToFloat(numerics::floatToHalf(sum, mode, cast));
        if (cast & status::CastOverflow)
          bits |= status::FloatOverflow;
      }
    }
  });
}

/// Multiplies every point by 1 / count: two fp16 values, rounded to fp16.
StatusBits PoolingGradientKernel::average(std::span<float> from) const {
  StatusBits bits = status::None;
  for (int64_t oh = 0; oh < grid.outHeight; ++oh)
    for (int64_t ow = 0; ow < grid.outWidth; ++ow) {
      const int64_t area =
          spanOf(grid.window.height, oh, grid.inHeight, false).counted *
          spanOf(grid.window.width, ow, grid.inWidth, false).counted;
      float factor = area > 0 ? 1.0f / static_cast<float>(area) : 0.0f;
      StatusBits cast = status::None;
      auto rounded = [&](float value) {
        return dtype == DataType::Float16
                   ? numerics::halfToFloat(
                         numerics::floatToHalf(value, mode, cast))
                   : value;
      };
      factor = rounded(factor);
      for (int64_t lane = 0; lane < Lanes; ++lane) {
        float &value = from[(oh * grid.outWidth + ow) * Lanes + lane];
        value = rounded(value * factor);
      }
      if (cast & status::CastUnderflow)
        bits |= status::FloatUnderflow;
    }
  return bits;
}

Expected<NodeStatus>
PoolingGradientKernel::run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) {
  const unsigned size = getBitWidth(dtype) / 8;
  const int64_t outSize = grid.outPoints() * Lanes;
  const int64_t placesSize = grid.taps() * grid.words();
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      grid.planes, 1, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> from(outSize), to(grid.inSize());
        std::vector<float> maxima(source == Source::Image ? outSize : 0);
        std::vector<Word> found(source == Source::Image ? placesSize : 0);
        StatusBits bits = npu::status::None;
        for (int64_t plane = begin; plane < end; ++plane) {
          toFloat(dtype, inputs[gradient].data + plane * outSize * size, from);
          std::span<const Word> places;
          bool finite = areFinite(from);
          if (source == Source::Image) {
            toFloat(dtype, inputs[0].data + plane * grid.inSize() * size, to);
            finite = finite && areFinite(to);
            findMaxima(grid, to, maxima, found);
            places = found;
          } else if (source == Source::Places) {
            places = {inputs[2].as<Word>() + plane * placesSize,
                      static_cast<size_t>(placesSize)};
          } else {
            bits |= average(from);
          }
          scatter(from, places, to, bits);
          if (!finite)
            bits |= npu::status::VectorNanInfInput;
          else if (!areFinite(to) && !halfSums)
            bits |= npu::status::FloatOverflow;
          canonicalizeNaNs(to);
          bits |= fromFloat(
              dtype, to, outputs[0].data + plane * grid.inSize() * size, mode);
        }
        status |= bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addPoolingGradient(Registry &registry) {
  // A sum of multiples of the smallest value is one itself: no underflow.
  constexpr StatusBits sum =
      status::CastOverflow | status::FloatOverflow | status::VectorNanInfInput;
  registry.add("MaxPoolWithArgmax", {MaxPoolWithPlacesKernel::create, "exact",
                                     status::VectorNanInfInput});
  registry.add("MaxPoolGrad",
               {createOnBlockedImages<PoolingGradientKernel::create>,
                "fp32 sum in the order of taps, one rounding", sum});
  registry.add("MaxPoolGradWithArgmax",
               {PoolingGradientKernel::create,
                "fp32 sum in the order of taps, one rounding; 910A, 32 x 64 x "
                "112 x 112: fp16 sum",
                sum});
  for (const char *type : {"AvgPoolGrad", "AvgPoolGradD"})
    registry.add(type,
                 {createOnBlockedImages<PoolingGradientKernel::create>,
                  "product with 1 / area in fp16, fp32 sum in the order of "
                  "taps, one rounding",
                  sum | status::CastUnderflow | status::FloatUnderflow});
}
