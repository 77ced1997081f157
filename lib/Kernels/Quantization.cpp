//===- Quantization.cpp - Between 8-bit integers and floats ---------------===//
//
// AscendQuant, AscendAntiQuant, AscendDequant and AscendRequant. The two sides
// of a node have blocks of 16 and of 32 channels: elements are converted where
// they lie, and then moved.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "ElementwiseOps.h"
#include "ElementwiseShape.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "LaneStatus.h"
#include "npu/Kernels/FormatTransfer.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/FloatToInteger.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::kernels;
using numerics::Half;
using numerics::RoundingMode;

namespace {

constexpr int64_t ChunkSize = 4096;

/// Converts elements in the layout of the input, then moves them to that of the
/// output.
class QuantizationKernel : public Kernel {
public:
  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) final;

protected:
  /// Binds the first input and the output; factories go on from there.
  Status bind(const NodeSpec &spec, const NumericConfig &config);

  /// Reads what else the node has as input, before elements are converted.
  virtual void prepare(std::span<const ConstTensor>) {}
  /// The operand beside the elements [begin, begin + count), if there is one;
  /// \p buffer may come to hold it.
  virtual ChunkInput fetchOperand(int64_t, int64_t,
                                  std::vector<std::byte> &) const {
    return {};
  }
  virtual StatusBits convert(const void *from, const void *operand, void *to,
                             size_t count) const = 0;

  DataType sourceType = DataType::Undefined, targetType = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  /// The output as it lies before it is moved.
  TensorDesc between;

private:
  LaneMap lanes;
  std::optional<FormatTransfer> transfer; ///< absent when layouts are equal
};

Status QuantizationKernel::bind(const NodeSpec &spec,
                                const NumericConfig &config) {
  const TensorDesc &from = *spec.inputs[0], &to = spec.outputs[0];
  sourceType = from.dtype;
  targetType = to.dtype;
  mode = config.overflow;
  between = from;
  between.dtype = to.dtype;
  auto map = LaneMap::create(from);
  if (!map)
    return map.takeStatus();
  lanes = std::move(*map);
  if (from.format == to.format && from.shape == to.shape)
    return {};
  auto created = FormatTransfer::create(between, to);
  if (!created)
    return created.takeStatus();
  transfer = std::move(*created);
  return {};
}

Expected<NodeStatus>
QuantizationKernel::run(RunContext &context,
                        std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  prepare(inputs);
  std::vector<std::byte> buffer(transfer ? between.byteSize() : 0);
  std::byte *to = transfer ? buffer.data() : outputs[0].data;
  const unsigned fromSize = getBitWidth(sourceType) / 8;
  const unsigned toSize = getBitWidth(targetType) / 8;
  LaneStatus status(lanes);
  context.pool.parallelFor(
      between.numElements(), ChunkSize,
      [&](int64_t begin, int64_t end, int64_t) {
        const int64_t count = end - begin;
        std::vector<std::byte> operand;
        const ChunkInput chunks[] = {
            {inputs[0].data + begin * fromSize, fromSize},
            fetchOperand(begin, count, operand)};
        const StatusBits bits =
            convert(chunks[0].data, chunks[1].data, to + begin * toSize, count);
        status.record(bits, begin, count,
                      {chunks, chunks[1].data ? size_t(2) : size_t(1)},
                      [&](std::span<const void *const> packed, size_t n) {
                        std::vector<std::byte> scratch(n * toSize);
                        return convert(packed[0],
                                       packed.size() > 1 ? packed[1] : nullptr,
                                       scratch.data(), n);
                      });
      });
  if (transfer)
    transfer->run(buffer.data(), outputs[0].data, &context.pool);
  return status.status();
}

//===----------------------------------------------------------------------===//
// Scale and offset from attributes
//===----------------------------------------------------------------------===//

/// Instructions with a scalar operand, one after the other in place.
class ScalarInstructions {
public:
  /// \p dtype is Float16 or Float.
  ScalarInstructions(DataType dtype, OverflowMode mode)
      : path(dtype == DataType::Float16 ? ElementwisePath::Half
                                        : ElementwisePath::Float),
        size(getBitWidth(dtype) / 8), mode(mode) {}
  ScalarInstructions() = default;

  void multiply(float by) { steps.push_back({ElementwiseOp::MulScalar, by}); }
  void add(float summand) {
    steps.push_back({ElementwiseOp::AddScalar, summand});
  }
  /// \p values becomes the result.
  StatusBits run(std::vector<std::byte> &values) const {
    StatusBits bits = status::None;
    std::vector<std::byte> result(values.size());
    for (const auto &[op, operand] : steps) {
      const void *const input = values.data();
      void *const output = result.data();
      bits |= getFloatFunction(op, path, mode)(
          {{&input, 1}, {&output, 1}, values.size() / size, {&operand, 1}});
      values.swap(result);
    }
    return bits;
  }

private:
  struct Step {
    ElementwiseOp op;
    float operand;
  };
  std::vector<Step> steps;
  ElementwisePath path = ElementwisePath::Half;
  unsigned size = 2;
  OverflowMode mode = OverflowMode::Saturate;
};

struct Scaling {
  float scale = 1, offset = 0;
  bool isSqrt = false; ///< the scale is applied twice
};

Expected<Scaling> readScaling(const NodeSpec &spec) {
  auto scale = spec.attrs.require<float>("scale");
  if (!scale)
    return scale.takeStatus();
  auto offset = spec.attrs.require<float>("offset");
  if (!offset)
    return offset.takeStatus();
  auto isSqrt = spec.attribute<bool>("sqrt_mode");
  if (!isSqrt)
    return isSqrt.takeStatus();
  return Scaling{*scale, *offset, *isSqrt};
}

/// round(x * scale + offset), saturated to int8.
class QuantKernel final : public QuantizationKernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

private:
  ScalarInstructions instructions;
  RoundingMode rounding = RoundingMode::Rint;

  StatusBits convert(const void *from, const void *, void *to,
                     size_t count) const override {
    const size_t size = getBitWidth(sourceType) / 8;
    std::vector<std::byte> values(count * size);
    std::memcpy(values.data(), from, values.size());
    const StatusBits bits = instructions.run(values);
    std::vector<float> widened(count);
    toFloat(sourceType, values.data(), widened);
    StatusBits saturated = status::None; // reports nothing
    for (size_t i = 0; i < count; ++i)
      static_cast<int8_t *>(to)[i] =
          numerics::floatToInt<int8_t>(widened[i], rounding, saturated);
    return bits;
  }
};

Expected<std::unique_ptr<Kernel>>
QuantKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const DataType from = spec.inputs[0]->dtype;
  if ((from != DataType::Float16 && from != DataType::Float) ||
      spec.outputs[0].dtype != DataType::Int8)
    return nodeError(spec, "no quantisation of " + spec.inputs[0]->toString() +
                               " to " + spec.outputs[0].toString());
  auto scaling = readScaling(spec);
  if (!scaling)
    return inNode(spec, scaling.takeStatus());
  auto name = spec.attribute<std::string>("round_mode");
  if (!name)
    return inNode(spec, name.takeStatus());
  constexpr std::pair<std::string_view, RoundingMode> modes[] = {
      {"Round", RoundingMode::Rint},
      {"Floor", RoundingMode::Floor},
      {"Ceil", RoundingMode::Ceil},
      {"Trunc", RoundingMode::Trunc}};
  auto found = std::find_if(std::begin(modes), std::end(modes),
                            [&](auto &mode) { return mode.first == *name; });
  if (found == std::end(modes))
    return nodeError(spec, "attribute 'round_mode' is " + *name +
                               ", expected Round, Floor, Ceil or Trunc");
  auto kernel = std::make_unique<QuantKernel>();
  if (Status status = kernel->bind(spec, config); !status)
    return inNode(spec, std::move(status));
  kernel->rounding = found->second;
  kernel->instructions = ScalarInstructions(from, config.overflow);
  for (int i = 0; i < (scaling->isSqrt ? 2 : 1); ++i)
    kernel->instructions.multiply(scaling->scale);
  kernel->instructions.add(scaling->offset);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// (x + offset) * scale in fp16.
class AntiQuantKernel final : public QuantizationKernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

private:
  ScalarInstructions instructions;

  StatusBits convert(const void *from, const void *, void *to,
                     size_t count) const override {
    std::vector<std::byte> values(count * sizeof(Half));
    StatusBits exact = status::None; // every int8 is an fp16
    for (size_t i = 0; i < count; ++i)
      reinterpret_cast<Half *>(values.data())[i] = numerics::intToHalf(
          static_cast<const int8_t *>(from)[i], mode, exact);
    const StatusBits bits = instructions.run(values);
    if (targetType == DataType::Float)
      toFloat(DataType::Float16, values.data(),
              {static_cast<float *>(to), count});
    else
      std::memcpy(to, values.data(), values.size());
    return bits;
  }
};

Expected<std::unique_ptr<Kernel>>
AntiQuantKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const DataType to = spec.outputs[0].dtype;
  if (spec.inputs[0]->dtype != DataType::Int8 ||
      (to != DataType::Float16 && to != DataType::Float))
    return nodeError(spec, "no conversion of " + spec.inputs[0]->toString() +
                               " to " + spec.outputs[0].toString());
  auto scaling = readScaling(spec);
  if (!scaling)
    return inNode(spec, scaling.takeStatus());
  auto kernel = std::make_unique<AntiQuantKernel>();
  if (Status status = kernel->bind(spec, config); !status)
    return inNode(spec, std::move(status));
  kernel->instructions = ScalarInstructions(DataType::Float16, config.overflow);
  kernel->instructions.add(scaling->offset);
  for (int i = 0; i < (scaling->isSqrt ? 2 : 1); ++i)
    kernel->instructions.multiply(scaling->scale);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

//===----------------------------------------------------------------------===//
// Scales by channel
//===----------------------------------------------------------------------===//

/// A scale for every element from an input with one for each channel, or one
/// for all.
class ChannelKernel : public QuantizationKernel {
protected:
  Status bindScales(const NodeSpec &spec);
  void prepare(std::span<const ConstTensor> inputs) override;
  ChunkInput fetchOperand(int64_t begin, int64_t count,
                          std::vector<std::byte> &buffer) const override {
    const std::byte *data = reinterpret_cast<const std::byte *>(words.data());
    buffer.resize(count * sizeof(uint64_t));
    switch (shape->access(1)) {
    case ElementwiseShape::Access::Flat:
      return {data + begin * sizeof(uint64_t), sizeof(uint64_t)};
    case ElementwiseShape::Access::Scalar:
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(buffer.data() + i * sizeof(uint64_t), data,
                    sizeof(uint64_t));
      break;
    case ElementwiseShape::Access::Gathered:
      shape->gather(1, data, begin, count, sizeof(uint64_t), buffer.data());
      break;
    }
    return {buffer.data(), sizeof(uint64_t)};
  }
  DataType scaleType = DataType::Undefined;

private:
  std::optional<ElementwiseShape> shape;
  /// The scales as 64-bit parameters: the fp32 scale in the low half.
  std::vector<uint64_t> words;
};

Status ChannelKernel::bindScales(const NodeSpec &spec) {
  const TensorDesc &scales = *spec.inputs[1];
  scaleType = scales.dtype;
  auto layout = Layout::create(between);
  if (!layout)
    return layout.takeStatus();
  if (layout->axes().empty())
    return Status::error(between.toString() + " has no channels");
  // Without letters, channels are the last axis (columns of a matrix).
  unsigned axis = static_cast<unsigned>(layout->axes().size()) - 1;
  if (auto channel = layout->findAxis('C'))
    axis = *channel;
  const int64_t channels = layout->axes()[axis].extent;
  auto originCount = getCheckedByteSize(DataType::UInt8, scales.originShape);
  const int64_t given =
      originCount ? static_cast<int64_t>(*originCount) : int64_t(-1);
  if ((given != 1 && given != channels) || scales.numElements() < given)
    return Status::error("scales " + scales.toString() +
                         " are not one for "
                         "each of " +
                         std::to_string(channels) +
                         " channels, nor one for all");
  words.resize(given);
  TensorDesc vector;
  vector.dtype = DataType::UInt64;
  vector.shape = vector.originShape = {given};
  const TensorDesc *operands[] = {&between, &vector};
  auto made = ElementwiseShape::create(between, operands, axis);
  if (!made)
    return made.takeStatus();
  shape = std::move(*made);
  return {};
}

void ChannelKernel::prepare(std::span<const ConstTensor> inputs) {
  // A vector lies the same way in ND and in NC1HWC0.
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = scaleType == DataType::UInt64
                   ? inputs[1].as<uint64_t>()[i]
                   : std::bit_cast<uint32_t>(
                         numerics::halfToFloat(inputs[1].as<Half>()[i]));
}

/// \p exact to fp32 so that rounding it to fp16 rounds \p exact once: towards
/// zero, with the last bit set if anything was lost.
float roundToOdd(double exact) {
  const float nearest = static_cast<float>(exact);
  const double back = nearest;
  if (back == exact || exact != exact)
    return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  bits -= std::abs(back) > std::abs(exact) ? 1 : 0;
  return std::bit_cast<float>(bits | 1);
}

/// x * scale of an int32, rounded once; with sqrt_mode times scale again.
class DequantKernel final : public ChannelKernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

private:
  bool isSqrt = false, isRelu = false;

  StatusBits convert(const void *from, const void *operand, void *to,
                     size_t count) const override;
};

StatusBits DequantKernel::convert(const void *from, const void *operand,
                                  void *to, size_t count) const {
  const int32_t *x = static_cast<const int32_t *>(from);
  const uint64_t *words = static_cast<const uint64_t *>(operand);
  std::vector<float> scales(count), result(count);
  for (size_t i = 0; i < count; ++i) {
    // The unit holds scales with 10 bits of mantissa.
    scales[i] =
        std::bit_cast<float>(static_cast<uint32_t>(words[i]) & 0xFFFFE000);
    const double product = static_cast<double>(x[i]) * scales[i];
    result[i] = targetType == DataType::Float16 ? roundToOdd(product)
                                                : static_cast<float>(product);
  }
  StatusBits bits = fromFloat(targetType, result, to, mode);
  const ElementwisePath path = targetType == DataType::Float16
                                   ? ElementwisePath::Half
                                   : ElementwisePath::Float;
  std::vector<std::byte> values;
  auto apply = [&](ElementwiseOp op, std::span<const void *const> inputs) {
    bits |= getFloatFunction(op, path, mode)({inputs, {&to, 1}, count, {}});
  };
  auto takeResult = [&] {
    values.assign(static_cast<std::byte *>(to),
                  static_cast<std::byte *>(to) +
                      count * (getBitWidth(targetType) / 8));
    return static_cast<const void *>(values.data());
  };
  if (isSqrt) {
    std::vector<Half> halves;
    const void *factors = scales.data();
    if (targetType == DataType::Float16) {
      halves.resize(count);
      bits |= numerics::floatToHalf(scales, halves, mode);
      factors = halves.data();
    }
    const void *const inputs[] = {takeResult(), factors};
    apply(ElementwiseOp::Mul, inputs);
  }
  if (isRelu) {
    const void *const inputs[] = {takeResult()};
    apply(ElementwiseOp::Relu, inputs);
  }
  return bits;
}

Expected<std::unique_ptr<Kernel>>
DequantKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  const DataType to = spec.outputs[0].dtype, scales = spec.inputs[1]->dtype;
  if (spec.inputs[0]->dtype != DataType::Int32 ||
      (scales != DataType::Float16 && scales != DataType::UInt64) ||
      (to != DataType::Float16 && to != DataType::Float))
    return nodeError(spec, "no conversion of " + spec.inputs[0]->toString() +
                               " with scales of " +
                               std::string(getName(scales)) + " to " +
                               spec.outputs[0].toString());
  auto isSqrt = spec.attribute<bool>("sqrt_mode");
  if (!isSqrt)
    return inNode(spec, isSqrt.takeStatus());
  auto isRelu = spec.attribute<bool>("relu_flag");
  if (!isRelu)
    return inNode(spec, isRelu.takeStatus());
  auto kernel = std::make_unique<DequantKernel>();
  kernel->isSqrt = *isSqrt;
  kernel->isRelu = *isRelu;
  if (Status status = kernel->bind(spec, config); !status)
    return inNode(spec, std::move(status));
  if (Status status = kernel->bindScales(spec); !status)
    return inNode(spec, std::move(status));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// round(x * scale) + offset of an int32, saturated to int8.
class RequantKernel final : public ChannelKernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

private:
  bool isRelu = false;

  StatusBits convert(const void *from, const void *operand, void *to,
                     size_t count) const override {
    const uint64_t *words = static_cast<const uint64_t *>(operand);
    StatusBits saturated = status::None; // reports nothing
    for (size_t i = 0; i < count; ++i) {
      const int32_t x = static_cast<const int32_t *>(from)[i];
      const float scale =
          std::bit_cast<float>(static_cast<uint32_t>(words[i]) & 0xFFFFE000);
      // Bits 37 to 45, two's complement.
      const int64_t offset = static_cast<int64_t>(words[i] << 18) >> 55;
      const double scaled =
          std::nearbyint(static_cast<double>(isRelu ? std::max(x, 0) : x) *
                         scale) +
          static_cast<double>(offset);
      static_cast<int8_t *>(to)[i] =
          numerics::doubleToInt<int8_t>(scaled, RoundingMode::Rint, saturated);
    }
    return status::None;
  }
};

Expected<std::unique_ptr<Kernel>>
RequantKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  if (spec.inputs[0]->dtype != DataType::Int32 ||
      spec.inputs[1]->dtype != DataType::UInt64 ||
      spec.outputs[0].dtype != DataType::Int8)
    return nodeError(spec, "no conversion of " + spec.inputs[0]->toString() +
                               " with scales " + spec.inputs[1]->toString() +
                               " to " + spec.outputs[0].toString());
  auto isRelu = spec.attribute<bool>("relu_flag");
  if (!isRelu)
    return inNode(spec, isRelu.takeStatus());
  auto kernel = std::make_unique<RequantKernel>();
  kernel->isRelu = *isRelu;
  if (Status status = kernel->bind(spec, config); !status)
    return inNode(spec, std::move(status));
  if (Status status = kernel->bindScales(spec); !status)
    return inNode(spec, std::move(status));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addQuantization(Registry &registry) {
  constexpr StatusBits scaled = status::VectorNanInfInput |
                                status::FloatOverflow | status::FloatUnderflow;
  registry.add("AscendQuant",
               {QuantKernel::create,
                "times scale, plus offset in the input's type, each rounded; "
                "to nearest even, saturated",
                scaled});
  registry.add("AscendAntiQuant",
               {AntiQuantKernel::create,
                "plus offset, times scale in fp16, each rounded", scaled});
  registry.add("AscendDequant",
               {DequantKernel::create,
                "exact product with a scale of 10 bits, one rounding",
                scaled | status::CastOverflow | status::CastUnderflow});
  registry.add("AscendRequant",
               {RequantKernel::create,
                "exact product with a scale of 10 bits, one rounding, plus "
                "offset, saturated",
                status::None});
}
