//===- ResizeBilinear.cpp - Images to another size ------------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImageShape.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

/// The two pixels between which an output lies, and the weight of the second.
struct Source {
  int64_t first = 0, second = 0;
  float weight = 0;
};

class ResizeBilinearKernel final : public Kernel {
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
  std::vector<Source> rows, columns;

  template <class Instructions>
  StatusBits resizeRow(Instructions unit, std::span<const float> upper,
                       std::span<const float> lower, float weight,
                       std::span<float> result) const;
};

/// How places of pixels correspond.
struct Alignment {
  bool corners = false, halfPixels = false;

  static Expected<Alignment> of(const NodeSpec &spec);
};

Expected<Alignment> Alignment::of(const NodeSpec &spec) {
  auto corners = spec.attribute<bool>("align_corners");
  if (!corners)
    return corners.takeStatus();
  auto halfPixels = spec.attribute<bool>("half_pixel_centers");
  if (!halfPixels)
    return halfPixels.takeStatus();
  if (*corners && *halfPixels)
    return Status::error("has align_corners and half_pixel_centers, expected "
                         "one of them at most");
  return Alignment{*corners, *halfPixels};
}

/// Where the outputs of an axis lie in the input.
std::vector<Source> findSources(int64_t from, int64_t to, Alignment align) {
  const float scale =
      align.corners && to > 1
          ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
          : static_cast<float>(from) / static_cast<float>(to);
  std::vector<Source> sources;
  for (int64_t i = 0; i < to; ++i) {
    float place = align.halfPixels
                      ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                      : static_cast<float>(i) * scale;
    place = std::max(place, 0.0f);
    Source source;
    source.first = std::min(static_cast<int64_t>(place), from - 1);
    source.second = std::min(source.first + 1, from - 1);
    source.weight = place - static_cast<float>(source.first);
    sources.push_back(source);
  }
  return sources;
}

Expected<std::unique_ptr<Kernel>>
ResizeBilinearKernel::create(const NodeSpec &spec,
                             const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  if (!isFloatType(x.dtype) || !isFloatType(y.dtype))
    return nodeError(spec,
                     "does not resize " + x.toString() + " to " + y.toString());
  auto size = readIntegers(spec, spec.type == "ResizeBilinearV2D", 1, "size");
  if (!size)
    return inNode(spec, size.takeStatus());
  auto align = Alignment::of(spec);
  if (!align)
    return inNode(spec, align.takeStatus());
  auto in = ImageShape::of(x);
  if (!in)
    return inNode(spec, in.takeStatus());
  auto out = ImageShape::of(y);
  if (!out)
    return inNode(spec, out.takeStatus());
  if (x.format != y.format || in->planes != out->planes ||
      in->lanes != out->lanes || *size != Shape{out->height, out->width} ||
      in->height < 1 || in->width < 1)
    return nodeError(spec, x.toString() + " at size " + toString(*size) +
                               " does not give " + y.toString());
  auto kernel = std::make_unique<ResizeBilinearKernel>();
  kernel->in = *in;
  kernel->out = *out;
  kernel->inType = x.dtype;
  kernel->outType = y.dtype;
  kernel->mode = config.overflow;
  kernel->rows = findSources(in->height, out->height, *align);
  kernel->columns = findSources(in->width, out->width, *align);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// First along the rows, then between them. Returns the status bits raised.
template <class Instructions>
StatusBits
ResizeBilinearKernel::resizeRow(Instructions unit, std::span<const float> upper,
                                std::span<const float> lower, float weight,
                                std::span<float> result) const {
  auto between = [&](float a, float b, float share) {
    return unit.add(a, unit.mul(unit.sub(b, a), share));
  };
  for (int64_t w = 0; w < out.width; ++w) {
    const Source &source = columns[w];
    const int64_t left = source.first * in.lanes;
    const int64_t right = source.second * in.lanes;
    for (int64_t lane = 0; lane < in.lanes; ++lane) {
      auto alongRow = [&](std::span<const float> row) {
        return between(row[left + lane], row[right + lane], source.weight);
      };
      const float top = alongRow(upper), bottom = alongRow(lower);
      result[w * in.lanes + lane] = canonicalNaN(between(top, bottom, weight));
    }
  }
  return unit.bits;
}

Expected<NodeStatus>
ResizeBilinearKernel::run(RunContext &context,
                          std::span<const ConstTensor> inputs,
                          std::span<const MutableTensor> outputs) {
  const int64_t inRow = in.width * in.lanes, outRow = out.width * out.lanes;
  const unsigned inSize = getBitWidth(inType) / 8;
  const unsigned outSize = getBitWidth(outType) / 8;
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      out.planes * out.height, 8, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> upper(inRow), lower(inRow), result(outRow);
        StatusBits bits = npu::status::None;
        for (int64_t row = begin; row < end; ++row) {
          const Source &source = rows[row % out.height];
          const int64_t plane = row / out.height * in.height;
          auto read = [&](int64_t h, std::span<float> to) {
            toFloat(inType, inputs[0].data + (plane + h) * inRow * inSize, to);
          };
          read(source.first, upper);
          read(source.second, lower);
          resizeRow(PlainInstructions(), upper, lower, source.weight, result);
          // A result is infinite or NaN where a pixel or a difference is.
          if (!areFinite(result))
            bits |= resizeRow(WatchedInstructions(), upper, lower,
                              source.weight, result);
          bits |= fromFloat(outType, result,
                            outputs[0].data + row * outRow * outSize, mode);
        }
        status |= bits;
      });
  return NodeStatus{status, npu::status::None};
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

/// ResizeBilinearV2Grad: every gradient, one after the other, is added by its
/// weights to the four pixels that it comes from.
class ResizeBilinearGradientKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  ImageShape from, image;
  std::vector<Source> rows, columns;

  template <class Instructions>
  StatusBits addPlane(const float *gradients, std::span<float> sums) const;
};

Expected<std::unique_ptr<Kernel>>
ResizeBilinearGradientKernel::create(const NodeSpec &spec,
                                     const NumericConfig &) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  auto align = Alignment::of(spec);
  if (!align)
    return inNode(spec, align.takeStatus());
  const TensorDesc &gradients = *spec.inputs[0], &y = spec.outputs[0];
  auto from = ImageShape::of(gradients);
  if (!from)
    return inNode(spec, from.takeStatus());
  auto image = ImageShape::of(y);
  if (!image)
    return inNode(spec, image.takeStatus());
  if (gradients.dtype != DataType::Float || y.dtype != DataType::Float ||
      gradients.format != y.format || from->planes != image->planes ||
      from->lanes != image->lanes || image->height < 1 || image->width < 1)
    return nodeError(spec, gradients.toString() +
                               " is no gradient of an image " + y.toString());
  auto kernel = std::make_unique<ResizeBilinearGradientKernel>();
  kernel->from = *from;
  kernel->image = *image;
  kernel->rows = findSources(image->height, from->height, *align);
  kernel->columns = findSources(image->width, from->width, *align);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <class Instructions>
StatusBits ResizeBilinearGradientKernel::addPlane(const float *gradients,
                                                  std::span<float> sums) const {
  Instructions unit;
  std::fill(sums.begin(), sums.end(), 0.0f);
  for (const Source &row : rows)
    for (const Source &column : columns)
      for (int64_t lane = 0; lane < image.lanes; ++lane) {
        const float gradient = *gradients++;
        auto add = [&](int64_t h, float part, int64_t w, float weight) {
          float &sum = sums[(h * image.width + w) * image.lanes + lane];
          sum = unit.add(sum, unit.mul(part, weight));
        };
        const float upper = unit.mul(gradient, 1.0f - row.weight),
                    lower = unit.mul(gradient, row.weight);
        add(row.first, upper, column.first, 1.0f - column.weight);
        add(row.first, upper, column.second, column.weight);
        add(row.second, lower, column.first, 1.0f - column.weight);
        add(row.second, lower, column.second, column.weight);
      }
  return unit.bits;
}

Expected<NodeStatus>
ResizeBilinearGradientKernel::run(RunContext &context,
                                  std::span<const ConstTensor> inputs,
                                  std::span<const MutableTensor> outputs) {
  const int64_t fromSize = from.height * from.width * from.lanes,
                imageSize = image.height * image.width * image.lanes;
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      image.planes, 1, [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t plane = begin; plane < end; ++plane) {
          const float *gradients = inputs[0].as<float>() + plane * fromSize;
          const std::span<float> sums(outputs[0].as<float>() +
                                          plane * imageSize,
                                      static_cast<size_t>(imageSize));
          addPlane<PlainInstructions>(gradients, sums);
          // What is not finite stays so in one of the sums.
          if (areFinite(sums))
            continue;
          status |= addPlane<WatchedInstructions>(gradients, sums);
          canonicalizeNaNs(sums);
        }
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addResizeBilinear(Registry &registry) {
  constexpr StatusBits bits = status::FloatOverflow | status::CastOverflow |
                              status::CastUnderflow | status::VectorNanInfInput;
  for (const char *type : {"ResizeBilinearV2D", "ResizeBilinearV2"})
    registry.add(type, {ResizeBilinearKernel::create,
                        "fp32, along rows first, one rounding", bits});
  registry.add("ResizeBilinearV2Grad",
               {ResizeBilinearGradientKernel::create, "fp32",
                status::FloatOverflow | status::VectorNanInfInput});
}
