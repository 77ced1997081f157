//===- SimpleMath.cpp - Simple mathematics by element ---------------------===//

#include "Builtins.h"
#include "ElementwiseRow.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

using Binding = ElementwiseBinding;

/// Binds attributes in this order.
template <const auto &Names>
Expected<Binding> bindFloats(const NodeSpec &spec, ElementwiseOp op,
                             const NumericConfig &) {
  Binding binding{op, {}};
  for (const char *name : Names) {
    auto value = spec.attribute<float>(name);
    if (!value)
      return value.takeStatus();
    binding.params.push_back(*value);
  }
  return binding;
}
constexpr const char *valueName[] = {"value"};
constexpr const char *hardTanhNames[] = {"min_val", "max_val"};

Expected<Binding> bindAxpy(const NodeSpec &spec, ElementwiseOp op,
                           const NumericConfig &) {
  auto alpha = spec.attribute<float>("alpha");
  if (!alpha)
    return alpha.takeStatus();
  const bool isInteger = spec.outputs.front().dtype == DataType::Int32;
  if (isInteger && *alpha == 1)
    return Binding{ElementwiseOp::Add, {}};
  return Binding{op, {*alpha}};
}

Expected<Binding> bindRound(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  auto decimals = spec.attribute<int64_t>("decimals");
  if (!decimals)
    return decimals.takeStatus();
  if (*decimals != 0)
    return Status::error("attribute 'decimals' is " +
                         std::to_string(*decimals) + ", expected 0");
  return Binding{op, {}};
}

bool isHalf(const NodeSpec &spec) {
  return spec.inputs.front()->dtype == DataType::Float16 &&
         spec.outputs.front().dtype == DataType::Float16;
}

Expected<Binding> bindPower(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  Binding binding{op, {}};
  for (const char *name : {"power", "scale", "shift"}) {
    auto value = spec.attribute<float>(name);
    if (!value)
      return value.takeStatus();
    binding.params.push_back(*value);
  }
  binding.params.push_back(isHalf(spec) ? 1.0f : 0.0f);
  return binding;
}

/// By the number of operands, some of which may be absent.
Expected<Binding> bindScale(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  return Binding{spec.inputs.size() == 2 ? ElementwiseOp::Mul : op, {}};
}
Expected<Binding> bindInference(const NodeSpec &spec, ElementwiseOp op,
                                const NumericConfig &) {
  if (spec.inputs.size() == 4)
    op = ElementwiseOp::NormalizedScaled;
  else if (spec.inputs.size() == 5)
    op = ElementwiseOp::NormalizedShifted;
  return Binding{op, {isHalf(spec) ? 1.0f : 0.0f}};
}

constexpr StatusBits InFloat = FloatArithmeticBits;
// No arithmetic; results are whole numbers.
constexpr StatusBits Whole = status::CastOverflow;

constexpr std::string_view AtEnd = "fp32, one rounding at the end";
constexpr std::string_view HalfPath = "fp16, every instruction rounds";
constexpr std::string_view NoRounding = "exact";
constexpr std::string_view HalfOn310Path =
    "fp32, one rounding at the end; 310: fp16, every instruction rounds";

// reference: docs/Kernels.md, element-wise operators
constexpr ElementwiseRow rows[] = {
    {"SquaredDifference", ElementwiseOp::SquaredDifference, 2,
     Rounding::EveryInstruction, ProductBits, HalfPath},
    {"Axpy", ElementwiseOp::ScaledSum, 2, Rounding::EveryInstruction,
     ProductBits, HalfPath, 1, bindAxpy},
    {"Xdivy", ElementwiseOp::QuotientOrZero, 2, Rounding::AtEnd, InFloat,
     AtEnd},
    {"Maxs", ElementwiseOp::MaxScalar, 1, Rounding::EveryInstruction, ExactBits,
     NoRounding, 1, bindFloats<valueName>},
    {"Mins", ElementwiseOp::MinScalar, 1, Rounding::EveryInstruction, ExactBits,
     NoRounding, 1, bindFloats<valueName>},
    {"HardTanh", ElementwiseOp::Between, 1, Rounding::EveryInstruction,
     ExactBits, NoRounding, 1, bindFloats<hardTanhNames>},
    {"Power", ElementwiseOp::PowerScalar, 1, Rounding::Tanh, FloatProductBits,
     "x * scale + shift in fp16, squares and cubes too; other powers in fp32, "
     "one rounding; 310: exp and ln in fp16",
     1, bindPower},
    {"Sign", ElementwiseOp::Sign, 1, Rounding::EveryInstruction,
     status::VectorNanInfInput, NoRounding},
    {"Floor", ElementwiseOp::Floor, 1, Rounding::EveryInstruction, Whole,
     NoRounding},
    {"Ceil", ElementwiseOp::Ceil, 1, Rounding::EveryInstruction, Whole,
     NoRounding},
    {"Rint", ElementwiseOp::RoundToEven, 1, Rounding::EveryInstruction, Whole,
     NoRounding},
    {"Round", ElementwiseOp::RoundToEven, 1, Rounding::EveryInstruction, Whole,
     NoRounding, 1, bindRound},
    {"Sin", ElementwiseOp::Sine, 1, Rounding::AtEnd, InFloat, AtEnd},
    {"Cos", ElementwiseOp::Cosine, 1, Rounding::AtEnd,
     InFloat & ~status::CastOverflow, AtEnd},
};

constexpr ElementwiseRow scaleRow = {"Scale",
                                     ElementwiseOp::FusedMulAdd,
                                     0,
                                     Rounding::HalfOn310,
                                     FloatProductBits,
                                     HalfOn310Path,
                                     1,
                                     bindScale};
constexpr ElementwiseRow inferenceRow = {
    "BNInferenceD",
    ElementwiseOp::Normalized,
    0,
    Rounding::HalfOn310,
    FloatProductBits,
    "x + mean and times variance in fp16; scale and offset in fp32, one "
    "rounding; 310: fp16",
    1,
    bindInference};

/// A kernel that does not see the optional inputs behind those that are there.
class PresentInputsKernel final : public Kernel {
public:
  PresentInputsKernel(std::unique_ptr<Kernel> kernel, size_t count)
      : kernel(std::move(kernel)), count(count) {}

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    return kernel->run(context, inputs.first(count), outputs);
  }

private:
  std::unique_ptr<Kernel> kernel;
  size_t count;
};

/// The axis at which the shapes of the other operands start.
Expected<unsigned> startAxis(const NodeSpec &spec) {
  const TensorDesc &x = *spec.inputs.front();
  auto layout = Layout::create(x);
  if (!layout)
    return layout.takeStatus();
  const size_t rank = layout->axes().size();
  auto channel = layout->findAxis('C');
  if (channel && !isPlain(x.format))
    return *channel;
  if (spec.type == "Scale") {
    auto axis = spec.attribute<int64_t>("axis");
    if (!axis)
      return axis.takeStatus();
    return normalizeAxis(*axis, rank);
  }
  return x.format == Format::NHWC ? normalizeAxis(-1, rank)
                                  : normalizeAxis(rank > 1 ? 1 : 0, rank);
}

/// Makes \p desc, which starts at an axis of the first input, a tensor of its
/// trailing axes.
Status alignAtStart(TensorDesc &desc, const NodeSpec &spec, size_t rank) {
  if (!isPlain(desc.format) || desc.numElements() == 1 ||
      desc.shape.size() >= rank)
    return {};
  auto axis = startAxis(spec);
  if (!axis)
    return axis.takeStatus();
  if (*axis + desc.shape.size() > rank)
    return Status::error(desc.toString() + " from axis " +
                         std::to_string(*axis) + " on exceeds " +
                         spec.inputs.front()->toString());
  desc.shape.resize(rank - *axis, 1);
  desc.format = desc.originFormat = Format::ND;
  desc.originShape = desc.shape;
  return {};
}

/// The operator of \p Row, of which only the first \p Least inputs must be
/// there. All but the first start at the axis of channels.
template <const auto &Row, size_t Least>
Expected<std::unique_ptr<Kernel>> createByChannel(const NodeSpec &spec,
                                                  const NumericConfig &config) {
  if (Status status = checkArity(spec, Least, 1); !status)
    return status;
  NodeSpec present = spec;
  while (!present.inputs.back())
    present.inputs.pop_back();
  const size_t count = present.inputs.size();
  auto layout = Layout::create(*spec.inputs.front());
  if (!layout)
    return inNode(spec, layout.takeStatus());
  for (auto &input : std::span(present.inputs).subspan(1))
    if (input)
      if (Status status = alignAtStart(*input, spec, layout->axes().size());
          !status)
        return inNode(spec, std::move(status));
  present.constants.resize(count);
  auto kernel = createElementwise(Row, present, config);
  if (!kernel)
    return kernel.takeStatus();
  return std::unique_ptr<Kernel>(
      std::make_unique<PresentInputsKernel>(std::move(*kernel), count));
}

/// BNInference: BNInferenceD of statistics that a device prepares on its host,
/// from those that are `momentum` times too large, or count for nothing where
/// that is 0 (Caffe's BatchNorm, which it stands for).
class BatchInferenceKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  static constexpr size_t Momentum = 3; ///< its input
  std::unique_ptr<Kernel> kernel;
  float epsilon = 0;
  OverflowMode mode = OverflowMode::Saturate;

  /// The elements of \p statistics by \p function, rounded to their type.
  template <typename Function>
  std::vector<std::byte> prepare(const ConstTensor &statistics,
                                 const Function &function) const;
};

Expected<std::unique_ptr<Kernel>>
BatchInferenceKernel::create(const NodeSpec &spec,
                             const NumericConfig &config) {
  if (Status status = checkArity(spec, Momentum + 1, 1); !status)
    return status;
  for (size_t i = 1; i <= Momentum; ++i)
    if (!isFloatType(spec.inputs[i]->dtype))
      return nodeError(spec, "no statistics of " +
                                 std::string(getName(spec.inputs[i]->dtype)));
  const TensorDesc &momentum = *spec.inputs[Momentum];
  if (getNumElements(momentum.originShape) != 1)
    return nodeError(spec,
                     "momentum " + momentum.toString() + " is not one element");
  auto result = std::make_unique<BatchInferenceKernel>();
  auto epsilon = spec.attribute<float>("epsilon");
  if (!epsilon)
    return inNode(spec, epsilon.takeStatus());
  result->epsilon = *epsilon;
  result->mode = config.overflow;
  NodeSpec prepared = spec;
  prepared.inputs.erase(prepared.inputs.begin() + Momentum);
  prepared.constants.clear();
  auto kernel = createByChannel<inferenceRow, Momentum>(prepared, config);
  if (!kernel)
    return kernel.takeStatus();
  result->kernel = std::move(*kernel);
  return std::unique_ptr<Kernel>(std::move(result));
}

template <typename Function>
std::vector<std::byte>
BatchInferenceKernel::prepare(const ConstTensor &statistics,
                              const Function &function) const {
  const TensorDesc &desc = *statistics.desc;
  std::vector<float> values(static_cast<size_t>(desc.numElements()));
  toFloat(desc.dtype, statistics.data, values);
  for (float &value : values)
    value = canonicalNaN(function(value));
  std::vector<std::byte> result(desc.byteSize());
  fromFloat(desc.dtype, values, result.data(), mode);
  return result;
}

Expected<NodeStatus>
BatchInferenceKernel::run(RunContext &context,
                          std::span<const ConstTensor> inputs,
                          std::span<const MutableTensor> outputs) {
  float momentum = 0;
  toFloat(inputs[Momentum].desc->dtype, inputs[Momentum].data, {&momentum, 1});
  const float factor = momentum == 0 ? 0 : 1 / momentum;
  const auto mean =
      prepare(inputs[1], [&](float value) { return -(value * factor); });
  const auto variance = prepare(inputs[2], [&](float value) {
    return 1.0f / std::sqrt(value * factor + epsilon);
  });
  std::vector<ConstTensor> operands(inputs.begin(), inputs.end());
  operands.erase(operands.begin() + Momentum);
  operands[1].data = mean.data();
  operands[2].data = variance.data();
  return kernel->run(context, operands, outputs);
}

} // namespace

void kernels::addSimpleMath(Registry &registry) {
  addElementwiseRows<rows>(registry);
  registry.add("Scale", {createByChannel<scaleRow, 2>, scaleRow.numericPath,
                         scaleRow.bits});
  registry.add("BNInferenceD", {createByChannel<inferenceRow, 3>,
                                inferenceRow.numericPath, inferenceRow.bits});
  registry.add("BNInference", {BatchInferenceKernel::create,
                               inferenceRow.numericPath, inferenceRow.bits});
}
