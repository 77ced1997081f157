//===- ResizeBilinear.cpp - Images to another size ------------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "FloatElements.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <atomic>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Planes of height x width pixels of neighbouring lanes.
struct ImageShape {
  int64_t planes = 0, height = 0, width = 0, lanes = 0;

  static Expected<ImageShape> of(const TensorDesc &desc) {
    const Shape &s = desc.shape;
    if (desc.format == Format::NC1HWC0 && s.size() == 5)
      return ImageShape{s[0] * s[1], s[2], s[3], s[4]};
    if (desc.format == Format::NHWC && s.size() == 4)
      return ImageShape{s[0], s[1], s[2], s[3]};
    if (desc.format == Format::NCHW && s.size() == 4)
      return ImageShape{s[0] * s[1], s[2], s[3], 1};
    return Status::error(desc.toString() +
                         " is no image, expected NC1HWC0, NHWC or NCHW");
  }
};

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

  void resizeRow(std::span<const float> upper, std::span<const float> lower,
                 float weight, std::span<float> result) const;
};

/// Where the outputs of an axis lie in the input.
std::vector<Source> findSources(int64_t from, int64_t to, bool alignCorners,
                                bool halfPixelCenters) {
  const float scale =
      alignCorners && to > 1
          ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
          : static_cast<float>(from) / static_cast<float>(to);
  std::vector<Source> sources;
  for (int64_t i = 0; i < to; ++i) {
    float place = halfPixelCenters
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
  auto alignCorners = spec.attribute<bool>("align_corners");
  if (!alignCorners)
    return inNode(spec, alignCorners.takeStatus());
  auto halfPixelCenters = spec.attribute<bool>("half_pixel_centers");
  if (!halfPixelCenters)
    return inNode(spec, halfPixelCenters.takeStatus());
  if (*alignCorners && *halfPixelCenters)
    return nodeError(spec, "has align_corners and half_pixel_centers, expected "
                           "one of them at most");
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
  kernel->rows =
      findSources(in->height, out->height, *alignCorners, *halfPixelCenters);
  kernel->columns =
      findSources(in->width, out->width, *alignCorners, *halfPixelCenters);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// First along the rows, then between them.
void ResizeBilinearKernel::resizeRow(std::span<const float> upper,
                                     std::span<const float> lower, float weight,
                                     std::span<float> result) const {
  for (int64_t w = 0; w < out.width; ++w) {
    const Source &source = columns[w];
    const int64_t left = source.first * in.lanes;
    const int64_t right = source.second * in.lanes;
    for (int64_t lane = 0; lane < in.lanes; ++lane) {
      auto between = [&](std::span<const float> row) {
        const float a = row[left + lane], b = row[right + lane];
        return a + (b - a) * source.weight;
      };
      const float top = between(upper), bottom = between(lower);
      result[w * in.lanes + lane] = canonicalNaN(top + (bottom - top) * weight);
    }
  }
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
          resizeRow(upper, lower, source.weight, result);
          if (!areFinite(upper) || !areFinite(lower))
            bits |= npu::status::VectorNanInfInput;
          else if (!areFinite(result))
            bits |= npu::status::FloatOverflow;
          bits |= fromFloat(outType, result,
                            outputs[0].data + row * outRow * outSize, mode);
        }
        status |= bits;
      });
  return NodeStatus{status, npu::status::None};
}

} // namespace

void kernels::addResizeBilinear(Registry &registry) {
  constexpr StatusBits bits = status::FloatOverflow | status::CastOverflow |
                              status::CastUnderflow | status::VectorNanInfInput;
  for (const char *type : {"ResizeBilinearV2D", "ResizeBilinearV2"})
    registry.add(type, {ResizeBilinearKernel::create,
                        "fp32, along rows first, one rounding", bits});
}
