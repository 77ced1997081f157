//===- BitMask.cpp - Operators with a mask --------------------------------===//
//
// ReluV2 and ReluGradV2, DropOutDoMask(V3, V3D). A mask of bits has element i
// of a tensor, in the order of memory, in bit i % 8 of byte i / 8; that of the
// V3 operators a byte for an element.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "ElementwiseOps.h"
#include "FloatElements.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "npu/Kernels/LaneMap.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Elements computed at a time; whole bytes of a mask.
constexpr int64_t ChunkSize = 4096;

constexpr int64_t bytesForBits(int64_t bits) {
  return bits / 8 + (bits % 8 != 0);
}

bool isByte(DataType dtype) {
  return dtype == DataType::UInt8 || dtype == DataType::Bool ||
         dtype == DataType::Int8;
}

/// Fails unless \p mask holds a bit for each of \p count elements.
Status checkBits(const TensorDesc &mask, int64_t count) {
  if ((mask.dtype != DataType::UInt8 && mask.dtype != DataType::UInt1) ||
      static_cast<int64_t>(mask.byteSize()) < bytesForBits(count))
    return Status::error("mask " + mask.toString() + " does not hold " +
                         std::to_string(count) + " bits in bytes");
  return {};
}

bool bitOf(const std::byte *mask, int64_t i) {
  return (static_cast<unsigned>(mask[i / 8]) >> i % 8 & 1) != 0;
}

/// Elements of one chunk in fp32, and what they become.
class Elements {
public:
  Elements(DataType dtype, OverflowMode mode) : dtype(dtype), mode(mode) {}

  unsigned size() const { return getBitWidth(dtype) / 8; }
  std::vector<float> read(const std::byte *from, int64_t begin,
                          int64_t end) const {
    std::vector<float> values(static_cast<size_t>(end - begin));
    toFloat(dtype, from + begin * size(), values);
    return values;
  }
  /// Exact where \p values are those of the type.
  StatusBits write(std::byte *to, int64_t begin,
                   std::span<float> values) const {
    canonicalizeNaNs(values);
    return fromFloat(dtype, values, to + begin * size(), mode);
  }

private:
  DataType dtype;
  OverflowMode mode;
};

/// Whether \p a and \p b are the same elements in memory, floating point.
bool areAlike(const TensorDesc &a, const TensorDesc &b) {
  return a.dtype == b.dtype && isFloatType(a.dtype) && a.shape == b.shape &&
         a.format == b.format;
}

//===----------------------------------------------------------------------===//
// ReluV2, ReluGradV2
//===----------------------------------------------------------------------===//

class ReluMaskKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config) {
    const bool forward = spec.type == "ReluV2";
    if (Status status = checkArity(spec, forward ? 1 : 2, forward ? 2 : 1);
        !status)
      return status;
    const TensorDesc &x = *spec.inputs[0];
    if (!areAlike(x, spec.outputs[0]))
      return nodeError(spec, x.toString() + " cannot become " +
                                 spec.outputs[0].toString());
    if (Status status = checkBits(forward ? spec.outputs[1] : *spec.inputs[1],
                                  x.numElements());
        !status)
      return inNode(spec, std::move(status));
    auto lanes = LaneMap::create(x);
    if (!lanes)
      return inNode(spec, lanes.takeStatus());
    return std::unique_ptr<Kernel>(new ReluMaskKernel(
        forward, x.numElements(), Elements(x.dtype, config.overflow),
        std::move(*lanes)));
  }

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  ReluMaskKernel(bool forward, int64_t count, Elements elements, LaneMap lanes)
      : forward(forward), count(count), elements(elements),
        lanes(std::move(lanes)) {}

  bool forward;
  int64_t count;
  Elements elements;
  LaneMap lanes;
};

Expected<NodeStatus>
ReluMaskKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                    std::span<const MutableTensor> outputs) {
  if (forward)
    std::memset(outputs[1].data, 0, outputs[1].desc->byteSize());
  StatusCollector status;
  context.pool.parallelFor(
      count, ChunkSize, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values = elements.read(inputs[0].data, begin, end);
        NodeStatus ofChunk;
        if (!areFinite(values))
          lanes.forEachRun(begin, end, [&](int64_t b, int64_t e, bool valid) {
            if (!areFinite(std::span(values).subspan(b - begin, e - b)))
              (valid ? ofChunk.valid : ofChunk.padding) |=
                  npu::status::VectorNanInfInput;
          });
        for (int64_t i = begin; i < end; ++i) {
          float &value = values[i - begin];
          if (!forward) {
            value = bitOf(inputs[1].data, i) ? value : 0.0f;
          } else if (value > 0) {
            outputs[1].data[i / 8] |= std::byte(1u << i % 8);
          } else if (!std::isnan(value)) {
            value = 0;
          }
        }
        elements.write(outputs[0].data, begin, values);
        status.add(ofChunk);
      });
  return status.get();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

class DropOutKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  DataType dtype = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  int64_t count = 0;
  bool byBytes = false;
  DataType keepType = DataType::Undefined; ///< of input 2, unless
  float keep = 0;                          ///< it is an attribute
  LaneMap lanes;

  StatusBits scale(std::span<float> values, float factor) const;
};

Expected<std::unique_ptr<Kernel>>
DropOutKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const bool byAttribute = spec.type == "DropOutDoMaskV3D";
  if (Status status = checkArity(spec, byAttribute ? 2 : 3, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &mask = *spec.inputs[1];
  if (!areAlike(x, spec.outputs[0]))
    return nodeError(spec, x.toString() + " cannot become " +
                               spec.outputs[0].toString());
  auto kernel = std::make_unique<DropOutKernel>();
  kernel->dtype = x.dtype;
  kernel->mode = config.overflow;
  kernel->count = x.numElements();
  kernel->byBytes = spec.type != "DropOutDoMask";
  if (kernel->byBytes
          ? !isByte(mask.dtype) || mask.numElements() != kernel->count
          : !checkBits(mask, kernel->count))
    return nodeError(spec, "mask " + mask.toString() + " does not suit " +
                               x.toString());
  if (byAttribute) {
    auto keep = spec.attrs.require<float>("keep_prob");
    if (!keep)
      return inNode(spec, keep.takeStatus());
    kernel->keep = *keep;
  } else {
    const TensorDesc &keep = *spec.inputs[2];
    if (!isFloatType(keep.dtype) || keep.numElements() != 1)
      return nodeError(spec, "keep_prob " + keep.toString() +
                                 " is not one floating-point number");
    kernel->keepType = keep.dtype;
  }
  auto lanes = LaneMap::create(x);
  if (!lanes)
    return inNode(spec, lanes.takeStatus());
  kernel->lanes = std::move(*lanes);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Multiplies, in fp16 with a rounding; returns what the products report.
StatusBits DropOutKernel::scale(std::span<float> values, float factor) const {
  if (!areFinite(values) || !std::isfinite(factor)) {
    for (float &value : values)
      value *= factor;
    return status::VectorNanInfInput;
  }
  StatusBits bits = status::None;
  for (float &value : values)
    value *= factor;
  if (!areFinite(values))
    bits |= status::FloatOverflow;
  if (dtype != DataType::Float16)
    return bits;
  for (float &value : values)
    value = roundToHalf(value, mode, bits);
  return bits;
}

Expected<NodeStatus>
DropOutKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  float probability = keep;
  if (keepType != DataType::Undefined)
    toFloat(keepType, inputs[2].data, {&probability, 1});
  StatusCollector status;
  // 1 / keep_prob in the type of the tensor.
  float factor = 1.0f / probability;
  if (dtype == DataType::Float16) {
    StatusBits bits = npu::status::None;
    const auto half = numerics::floatToHalf(probability, mode, bits);
    factor = numerics::halfToFloat(
        numerics::div(numerics::Half{0x3C00}, half, mode, bits));
    status.add({bits});
  } else if (std::isinf(factor)) {
    status.add({npu::status::FloatOverflow});
  }
  const Elements elements(dtype, mode);
  context.pool.parallelFor(
      count, ChunkSize, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values = elements.read(inputs[0].data, begin, end);
        const std::byte *mask = inputs[1].data;
        NodeStatus ofChunk;
        lanes.forEachRun(begin, end, [&](int64_t b, int64_t e, bool valid) {
          (valid ? ofChunk.valid : ofChunk.padding) |=
              scale(std::span(values).subspan(b - begin, e - b), factor);
        });
        for (int64_t i = begin; i < end; ++i)
          if (byBytes ? mask[i] == std::byte(0) : !bitOf(mask, i))
            values[i - begin] = 0;
        ofChunk.valid |= elements.write(outputs[0].data, begin, values);
        status.add(ofChunk);
      });
  return status.get();
}

} // namespace

void kernels::addBitMask(Registry &registry) {
  registry.add("ReluV2",
               {ReluMaskKernel::create, "exact", status::VectorNanInfInput});
  registry.add("ReluGradV2",
               {ReluMaskKernel::create, "exact", status::VectorNanInfInput});
  for (const char *type :
       {"DropOutDoMask", "DropOutDoMaskV3", "DropOutDoMaskV3D"})
    registry.add(type, {DropOutKernel::create,
                        "1 / keep_prob and the product in the tensor's type",
                        status::FloatOverflow | status::FloatUnderflow |
                            status::CastOverflow | status::CastUnderflow |
                            status::VectorNanInfInput});
}
