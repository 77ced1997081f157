//===- SimpleMath.cpp - Simple mathematics by element ---------------------===//

#include "Builtins.h"
#include "Choice.h"
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

Expected<Binding> bindDivergence(const NodeSpec &spec, ElementwiseOp op,
                                 const NumericConfig &) {
  auto reduction =
      readChoice(spec, "reduction", {"none", "sum", "mean", "batchmean"});
  if (!reduction)
    return reduction.takeStatus();
  auto isLogarithm = spec.attribute<bool>("log_target");
  if (!isLogarithm)
    return isLogarithm.takeStatus();
  Binding binding{op, {*isLogarithm ? 1.0f : 0.0f}};
  const Shape &shape = spec.inputs[1]->originShape;
  auto divideBy = [&](int64_t count) {
    binding.params.push_back(
        static_cast<float>(1 / static_cast<double>(count)));
  };
  if (*reduction == 2)
    divideBy(getNumElements(shape));
  else if (*reduction == 3)
    divideBy(shape.empty() ? 1 : shape.front());
  return binding;
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
    {"ClipByNormNoDivSum", ElementwiseOp::ClipNorm, 4,
     Rounding::EveryInstruction, ExactBits, HalfPath},
    {"KLDivLossGrad", ElementwiseOp::DivergenceGradient, 3,
     Rounding::EveryInstruction, FloatProductBits, HalfPath, 1, bindDivergence},
    {"Cos", ElementwiseOp::Cosine, 1, Rounding::AtEnd,
     InFloat & ~status::CastOverflow, AtEnd},
};

constexpr ElementwiseRow diagonalRow = {"MatrixDiagD",
                                        ElementwiseOp::Mul,
                                        2,
                                        Rounding::EveryInstruction,
                                        ProductBits,
                                        HalfPath};
constexpr ElementwiseRow maskedRow = {"MaskedScale",
                                      ElementwiseOp::MaskedProduct,
                                      2,
                                      Rounding::AtEnd,
                                      InFloat,
                                      AtEnd,
                                      1,
                                      bindFloats<valueName>};
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

/// MatrixDiagD: x times each row of a matrix with ones on its diagonal.
Expected<std::unique_ptr<Kernel>> createDiagonal(const NodeSpec &spec,
                                                 const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  for (const TensorDesc *desc :
       {&*spec.inputs[0], &*spec.inputs[1], &spec.outputs[0]})
    if (!isPlain(desc->format) || desc->shape.empty())
      return nodeError(spec, desc->toString() + " is no plain tensor of rows");
  NodeSpec rows = spec;
  TensorDesc &x = *rows.inputs[0];
  x.shape.insert(x.shape.end() - 1, 1);
  x.format = x.originFormat = Format::ND;
  x.originShape = x.shape;
  return createElementwise(diagonalRow, rows, config);
}

/// MaskedScale with a mask of int8, which a device makes fp16 first.
class IntegerMaskKernel final : public Kernel {
public:
  explicit IntegerMaskKernel(std::unique_ptr<Kernel> kernel)
      : kernel(std::move(kernel)) {}

  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    const int8_t *mask = inputs[1].as<int8_t>();
    std::vector<numerics::Half> widened;
    for (int64_t i = 0, e = inputs[1].desc->numElements(); i != e; ++i)
      fromFloat(DataType::Float16, static_cast<float>(mask[i]),
                &widened.emplace_back(), OverflowMode::Saturate);
    ConstTensor operands[] = {inputs[0], inputs[1]};
    operands[1].data = reinterpret_cast<const std::byte *>(widened.data());
    return kernel->run(context, operands, outputs);
  }

private:
  std::unique_ptr<Kernel> kernel;
};

Expected<std::unique_ptr<Kernel>>
IntegerMaskKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  NodeSpec widened = spec;
  DataType &mask = widened.inputs[1]->dtype;
  if (mask != DataType::Int8)
    return createElementwise(maskedRow, spec, config);
  mask = DataType::Float16;
  auto kernel = createElementwise(maskedRow, widened, config);
  if (!kernel)
    return kernel.takeStatus();
  return std::unique_ptr<Kernel>(
      std::make_unique<IntegerMaskKernel>(std::move(*kernel)));
}

/// What a host makes of the statistics of a batch normalisation, from those
/// that are `momentum` times too large, or count for nothing where that is 0
/// (Caffe's BatchNorm, which it stands for).
class HostStatistics {
public:
  /// Of mean, variance and momentum, the inputs of \p spec from \p first on.
  static Expected<HostStatistics> create(const NodeSpec &spec, size_t first,
                                         const NumericConfig &config);

  /// alpha = -mean f and beta = 1 / sqrt(variance f + epsilon) in fp32, rounded
  /// to the types of mean and variance.
  void prepare(std::span<const ConstTensor> inputs, std::byte *alpha,
               std::byte *beta) const;

private:
  size_t first = 0;
  float epsilon = 0;
  OverflowMode mode = OverflowMode::Saturate;

  template <typename Function>
  void convert(const ConstTensor &statistics, std::byte *to,
               const Function &function) const;
};

Expected<HostStatistics> HostStatistics::create(const NodeSpec &spec,
                                                size_t first,
                                                const NumericConfig &config) {
  for (size_t i = first; i != first + 3; ++i)
    if (!isFloatType(spec.inputs[i]->dtype))
      return Status::error("no statistics of " +
                           std::string(getName(spec.inputs[i]->dtype)));
  const TensorDesc &momentum = *spec.inputs[first + 2];
  if (getNumElements(momentum.originShape) != 1)
    return Status::error("momentum " + momentum.toString() +
                         " is not one element");
  auto epsilon = spec.attribute<float>("epsilon");
  if (!epsilon)
    return epsilon.takeStatus();
  HostStatistics result;
  result.first = first;
  result.epsilon = *epsilon;
  result.mode = config.overflow;
  return result;
}

template <typename Function>
void HostStatistics::convert(const ConstTensor &statistics, std::byte *to,
                             const Function &function) const {
  const TensorDesc &desc = *statistics.desc;
  std::vector<float> values(static_cast<size_t>(desc.numElements()));
  toFloat(desc.dtype, statistics.data, values);
  for (float &value : values)
    value = canonicalNaN(function(value));
  fromFloat(desc.dtype, values, to, mode);
}

void HostStatistics::prepare(std::span<const ConstTensor> inputs,
                             std::byte *alpha, std::byte *beta) const {
  const ConstTensor &divisor = inputs[first + 2];
  float momentum = 0;
  toFloat(divisor.desc->dtype, divisor.data, {&momentum, 1});
  const float factor = momentum == 0 ? 0 : 1 / momentum;
  convert(inputs[first], alpha, [&](float value) { return -(value * factor); });
  convert(inputs[first + 1], beta, [&](float value) {
    return 1.0f / std::sqrt(value * factor + epsilon);
  });
}

/// BNInference: BNInferenceD of what the host makes of its statistics.
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
  HostStatistics statistics;
};

Expected<std::unique_ptr<Kernel>>
BatchInferenceKernel::create(const NodeSpec &spec,
                             const NumericConfig &config) {
  if (Status status = checkArity(spec, Momentum + 1, 1); !status)
    return status;
  auto result = std::make_unique<BatchInferenceKernel>();
  auto statistics = HostStatistics::create(spec, 1, config);
  if (!statistics)
    return inNode(spec, statistics.takeStatus());
  result->statistics = *statistics;
  NodeSpec prepared = spec;
  prepared.inputs.erase(prepared.inputs.begin() + Momentum);
  prepared.constants.clear();
  auto kernel = createByChannel<inferenceRow, Momentum>(prepared, config);
  if (!kernel)
    return kernel.takeStatus();
  result->kernel = std::move(*kernel);
  return std::unique_ptr<Kernel>(std::move(result));
}

Expected<NodeStatus>
BatchInferenceKernel::run(RunContext &context,
                          std::span<const ConstTensor> inputs,
                          std::span<const MutableTensor> outputs) {
  std::vector<std::byte> alpha(inputs[1].desc->byteSize()),
      beta(inputs[2].desc->byteSize());
  statistics.prepare(inputs, alpha.data(), beta.data());
  std::vector<ConstTensor> operands(inputs.begin(), inputs.end());
  operands.erase(operands.begin() + Momentum);
  operands[1].data = alpha.data();
  operands[2].data = beta.data();
  return kernel->run(context, operands, outputs);
}

/// BnHost: what the host makes of statistics, for a BNInferenceD.
class HostStatisticsKernel final : public Kernel {
public:
  explicit HostStatisticsKernel(HostStatistics statistics)
      : statistics(statistics) {}

  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    statistics.prepare(inputs, outputs[0].data, outputs[1].data);
    return NodeStatus();
  }

private:
  HostStatistics statistics;
};

Expected<std::unique_ptr<Kernel>>
HostStatisticsKernel::create(const NodeSpec &spec,
                             const NumericConfig &config) {
  constexpr size_t NumStatistics = 3;
  for (size_t i = NumStatistics; i < spec.inputs.size(); ++i)
    if (spec.inputs[i])
      return nodeError(spec, "has a scale or offset; how a host folds them is "
                             "in no public document");
  if (spec.outputs.size() > 2)
    return nodeError(
        spec, "has an output mu; what it holds is in no public document");
  if (Status status = checkArity(spec, NumStatistics, 2); !status)
    return status;
  auto statistics = HostStatistics::create(spec, 0, config);
  if (!statistics)
    return inNode(spec, statistics.takeStatus());
  for (size_t i : {0, 1})
    if (spec.outputs[i].dtype != spec.inputs[i]->dtype ||
        spec.outputs[i].shape != spec.inputs[i]->shape)
      return nodeError(spec, spec.inputs[i]->toString() + " does not give " +
                                 spec.outputs[i].toString());
  return std::unique_ptr<Kernel>(
      std::make_unique<HostStatisticsKernel>(*statistics));
}

} // namespace

void kernels::addSimpleMath(Registry &registry) {
  addElementwiseRows<rows>(registry);
  registry.add("MatrixDiagD",
               {createDiagonal, diagonalRow.numericPath, diagonalRow.bits});
  registry.add("MaskedScale", {IntegerMaskKernel::create, maskedRow.numericPath,
                               maskedRow.bits});
  registry.add("Scale", {createByChannel<scaleRow, 2>, scaleRow.numericPath,
                         scaleRow.bits});
  registry.add("BNInferenceD", {createByChannel<inferenceRow, 3>,
                                inferenceRow.numericPath, inferenceRow.bits});
  registry.add("BnHost", {HostStatisticsKernel::create,
                          "fp32 on the host, one rounding", status::None});
  registry.add("BNInference", {BatchInferenceKernel::create,
                               inferenceRow.numericPath, inferenceRow.bits});
}
