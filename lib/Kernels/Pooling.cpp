//===- Pooling.cpp - Maxima and averages over windows ---------------------===//

#include "BlockedImages.h"
#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "PoolingWindow.h"
#include "QuietPooling.h"
#include "Workspaces.h"
#include "npu/Kernels/LaneMap.h"
#include "npu/Kernels/Registry.h"

#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Pools NC1HWC0: planes of H x W pixels of C0 lanes each.
class PoolingKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PoolingWindow window;
  DataType dtype = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  int64_t planes = 0, inHeight = 0, inWidth = 0, outHeight = 0, outWidth = 0,
          lanes = 0;
  LaneMap laneMap;       ///< of the output
  bool halfSums = false; ///< an average in fp16, every instruction rounded
  std::vector<WindowSpan> columns; ///< by column of the output

  struct Workspace {
    std::vector<int16_t> largest;
    std::vector<float> pixels, result;
    std::vector<StatusBits> raised;
  };
  Workspaces<Workspace> workspaces;

  bool poolRow(const std::byte *plane, int64_t row, std::span<float> pixels,
               std::span<float> result, std::span<StatusBits> raised) const;
  bool poolQuietly(const std::byte *plane, int64_t row,
                   std::vector<int16_t> &largest, std::byte *to) const;
  NodeStatus statusOf(const std::byte *input, int64_t row,
                      std::span<const float> result,
                      std::span<const StatusBits> raised) const;
  float addHalf(float sum, float value, StatusBits &bits) const;
  float factorOf(const WindowSpan &rows, const WindowSpan &columns) const;
  StatusBits watch(const std::byte *plane, int64_t row, int64_t column,
                   int64_t lane) const;
};

Expected<std::unique_ptr<Kernel>>
PoolingKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  if (spec.inputs.size() > 1 && spec.inputs[1])
    return nodeError(spec, "with a filter input is not a pooling but a "
                           "convolution");
  const TensorDesc &in = *spec.inputs[0], &out = spec.outputs[0];
  if (in.format != Format::NC1HWC0 || out.format != Format::NC1HWC0 ||
      in.shape.size() != 5 || out.shape.size() != 5 || in.dtype != out.dtype ||
      !isFloatType(in.dtype) || in.shape[0] != out.shape[0] ||
      in.shape[1] != out.shape[1] || in.shape[4] != out.shape[4])
    return nodeError(spec,
                     "cannot pool " + in.toString() + " to " + out.toString());
  auto window = spec.type == "Pooling" ? readCaffeWindow(spec)
                                       : readPoolingWindow(spec, in.shape);
  if (!window)
    return inNode(spec, window.takeStatus());
  if (Status status = checkWindow(*window, in.shape, out.shape); !status)
    return inNode(spec, std::move(status));
  auto kernel = std::make_unique<PoolingKernel>();
  kernel->window = *window;
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  // The older platform widens in high_precision only.
  kernel->halfSums = window->average && config.soc == Soc::Ascend310 &&
                     in.dtype == DataType::Float16 &&
                     !(*implMode & HighPrecision);
  kernel->dtype = in.dtype;
  kernel->mode = config.overflow;
  kernel->planes = in.shape[0] * in.shape[1];
  kernel->inHeight = in.shape[2];
  kernel->inWidth = in.shape[3];
  kernel->outHeight = out.shape[2];
  kernel->outWidth = out.shape[3];
  kernel->lanes = in.shape[4];
  for (int64_t w = 0; w < kernel->outWidth; ++w)
    kernel->columns.push_back(
        spanOf(window->width, w, kernel->inWidth, window->countsPadding));
  auto laneMap = LaneMap::create(out);
  if (!laneMap)
    return inNode(spec, laneMap.takeStatus());
  kernel->laneMap = std::move(*laneMap);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// The larger value; a NaN wins, -0 is below +0.
inline float larger(float a, float b) {
  const bool takeB = b > a || (b == a && !std::signbit(b)) || b != b;
  return a != a ? a : (takeB ? b : a);
}

/// Whether one of \p values is infinite or NaN.
inline bool hasNonFinite(std::span<const float> values) {
  uint32_t largest = 0;
  for (float value : values)
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7FFFFFFF);
  return largest >= 0x7F800000;
}

/// An fp16 addition.
float PoolingKernel::addHalf(float sum, float value, StatusBits &bits) const {
  if (!std::isfinite(sum) || !std::isfinite(value))
    bits |= status::VectorNanInfInput;
  return roundToHalf(sum + value, mode, bits);
}

/// What a sum over a window is multiplied by.
float PoolingKernel::factorOf(const WindowSpan &rows,
                              const WindowSpan &columns) const {
  const int64_t area =
      window.divisor != 0 ? window.divisor : rows.counted * columns.counted;
  return area != 0 ? 1.0f / static_cast<float>(area) : 0.0f;
}

/// One row of outputs. \p pixels holds one row of the input at a time;
/// \p raised is what fp16 instructions raise by lane. Returns whether the rows
/// of the input hold an infinity or a NaN, a sum became infinite, or an fp16
/// instruction raised something.
bool PoolingKernel::poolRow(const std::byte *plane, int64_t row,
                            std::span<float> pixels, std::span<float> result,
                            std::span<StatusBits> raised) const {
  std::fill(raised.begin(), raised.end(), status::None);
  const float identity =
      window.average ? 0.0f
      : mode == OverflowMode::Saturate && dtype != DataType::Float
          ? (dtype == DataType::Float16 ? -65504.0f : -0x1.FEp127f)
          : -std::numeric_limits<float>::infinity();
  std::fill(result.begin(), result.end(), identity);
  const WindowSpan rows =
      spanOf(window.height, row, inHeight, window.countsPadding);
  bool special = false;
  const int64_t rowBytes = inWidth * lanes * (getBitWidth(dtype) / 8);
  for (int64_t h = rows.begin; h < rows.end; ++h) {
    toFloat(dtype, plane + h * rowBytes, pixels);
    special |= hasNonFinite(pixels);
    for (int64_t w = 0; w < outWidth; ++w) {
      const WindowSpan &span = columns[w];
      float *to = result.data() + w * lanes;
      for (int64_t x = span.begin; x < span.end; ++x) {
        const float *from = pixels.data() + x * lanes;
        if (halfSums)
          for (int64_t lane = 0; lane < lanes; ++lane)
            to[lane] = addHalf(to[lane], from[lane], raised[w * lanes + lane]);
        else if (window.average)
          for (int64_t lane = 0; lane < lanes; ++lane)
            to[lane] += from[lane];
        else
          for (int64_t lane = 0; lane < lanes; ++lane)
            to[lane] = larger(to[lane], from[lane]);
      }
    }
  }
  if (!window.average) {
    for (float &value : result)
      value = canonicalNaN(value);
    return special;
  }
  special |= hasNonFinite(result);
  for (int64_t w = 0; w < outWidth; ++w) {
    float factor = factorOf(rows, columns[w]);
    StatusBits ignored = status::None;
    if (halfSums)
      factor = roundToHalf(factor, mode, ignored);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      float &value = result[w * lanes + lane];
      if (halfSums) {
        StatusBits &bits = raised[w * lanes + lane];
        if (!std::isfinite(value))
          bits |= status::VectorNanInfInput;
        value = roundToHalf(value * factor, mode, bits);
        special |= bits != status::None;
      } else {
        value = canonicalNaN(value * factor);
      }
    }
  }
  return special;
}

/// One row of maxima of fp16 pixels; false where it must be poolRow.
bool PoolingKernel::poolQuietly(const std::byte *plane, int64_t row,
                                std::vector<int16_t> &largest,
                                std::byte *to) const {
  if (dtype != DataType::Float16 || window.average)
    return false;
  const WindowSpan rows =
      spanOf(window.height, row, inHeight, window.countsPadding);
  const auto *pixels = reinterpret_cast<const uint16_t *>(plane);
  const int64_t line = inWidth * lanes;
  return kernels::poolQuietly(pixels + rows.begin * line,
                              pixels + rows.end * line, line, columns, lanes,
                              largest, reinterpret_cast<uint16_t *>(to));
}

/// What the fp32 instructions, or the maxima, of one window in one lane raise.
StatusBits PoolingKernel::watch(const std::byte *plane, int64_t row,
                                int64_t column, int64_t lane) const {
  WatchedInstructions unit;
  float sum = 0;
  const WindowSpan rows =
      spanOf(window.height, row, inHeight, window.countsPadding);
  const WindowSpan &span = columns[column];
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = span.begin; w < span.end; ++w) {
      const int64_t element = (h * inWidth + w) * lanes + lane;
      float value;
      toFloat(dtype, plane + element * (getBitWidth(dtype) / 8), {&value, 1});
      if (window.average)
        sum = unit.add(sum, value);
      else if (!std::isfinite(value))
        unit.bits |= status::VectorNanInfInput;
    }
  if (window.average)
    unit.mul(sum, factorOf(rows, span));
  return unit.bits;
}

/// What row number \p row of the output (of all planes) reports, lane by lane:
/// for the few rows that report something.
NodeStatus PoolingKernel::statusOf(const std::byte *input, int64_t row,
                                   std::span<const float> result,
                                   std::span<const StatusBits> raised) const {
  const std::byte *plane = input + row / outHeight * inHeight * inWidth *
                                       lanes * (getBitWidth(dtype) / 8);
  NodeStatus status;
  const int64_t first = row * outWidth * lanes;
  laneMap.forEachRun(
      first, first + outWidth * lanes,
      [&](int64_t begin, int64_t end, bool valid) {
        StatusBits &bits = valid ? status.valid : status.padding;
        for (int64_t i = begin - first; i < end - first; ++i) {
          if (halfSums) {
            bits |= raised[i];
            continue;
          }
          float rounded; // large enough for every type
          bits |= fromFloat(dtype, result.subspan(i, 1), &rounded, mode);
          bits |= watch(plane, row % outHeight, i / lanes, i % lanes);
        }
      });
  return status;
}

Expected<NodeStatus>
PoolingKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  const unsigned size = getBitWidth(dtype) / 8;
  const int64_t inPlane = inHeight * inWidth * lanes * size;
  const int64_t outRow = outWidth * lanes * size;
  NodeStatus status;
  std::mutex mutex;
  context.pool.parallelFor(
      planes * outHeight, 8, [&](int64_t begin, int64_t end, int64_t) {
        const Workspaces<Workspace>::Handle space(workspaces);
        NodeStatus ofChunk;
        for (int64_t row = begin; row < end; ++row) {
          const std::byte *plane = inputs[0].data + row / outHeight * inPlane;
          std::byte *to = outputs[0].data + row * outRow;
          if (poolQuietly(plane, row % outHeight, space->largest, to))
            continue;
          std::vector<float> &result = space->result;
          space->pixels.resize(static_cast<size_t>(inWidth * lanes));
          result.resize(static_cast<size_t>(outWidth * lanes));
          space->raised.resize(halfSums ? result.size() : 0);
          const bool special = poolRow(plane, row % outHeight, space->pixels,
                                       result, space->raised);
          const StatusBits cast = fromFloat(dtype, result, to, mode);
          if (special || cast != npu::status::None)
            ofChunk |= statusOf(inputs[0].data, row, result, space->raised);
        }
        std::lock_guard lock(mutex);
        status |= ofChunk;
      });
  return status;
}

} // namespace

void kernels::addPooling(Registry &registry) {
  constexpr StatusBits maximum = status::VectorNanInfInput;
  // An average is not larger than the values; only the sum can overflow.
  constexpr StatusBits average = maximum | status::FloatOverflow |
                                 status::FloatUnderflow | status::CastUnderflow;
  registry.add("Pooling",
               {createOnBlockedImages<PoolingKernel::create>,
                "max: exact; average: fp32 sum times 1 / area, one rounding; "
                "310: fp16 unless high_precision",
                average});
  for (const char *type : {"AvgPool", "AvgPoolV2"})
    registry.add(type, {createOnBlockedImages<PoolingKernel::create>,
                        "fp32 sum times 1 / area, one rounding; 310: fp16 "
                        "unless high_precision",
                        average});
  for (const char *type : {"MaxPool", "MaxPoolV3"})
    registry.add(
        type, {createOnBlockedImages<PoolingKernel::create>, "exact", maximum});
}
