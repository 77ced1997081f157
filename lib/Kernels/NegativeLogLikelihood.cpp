//===- NegativeLogLikelihood.cpp - Losses by class ------------------------===//
//
// NLLLoss: of each row of x the element of its class, negative, times the
// weight of that class; the sum of all rows, or that divided by the sum of the
// weights. NLLLossGrad: its gradient.
//
//===----------------------------------------------------------------------===//

#include "AtomicSum.h"
#include "Builtins.h"
#include "Choice.h"
#include "FloatElements.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "npu/Kernels/Registry.h"

using namespace npu;
using namespace npu::kernels;

namespace {

enum class LossReduction { None, Mean, Sum };

/// Rows of classes, the class of each, and the weights of classes.
class ClassRows {
public:
  /// Reads the node's inputs 0, \p target and \p weight, of which the last may
  /// be absent, and its attributes.
  static Expected<ClassRows> create(const NodeSpec &spec, size_t target,
                                    size_t weight);

  const FloatLines &rows() const { return x; }
  const std::vector<bool> &alongClasses() const { return along; }
  LossReduction reduction() const { return kind; }
  int64_t numResults() const {
    return kind == LossReduction::None ? x.numLines() : 1;
  }

  /// The class of each row, or nothing where the row does not count.
  using Classes = std::vector<std::optional<size_t>>;
  Expected<Classes> read(std::span<const ConstTensor> inputs) const;
  std::vector<float> readWeights(std::span<const ConstTensor> inputs) const;
  /// Of row number \p row the element of class \p number.
  float readElement(std::span<const ConstTensor> inputs, int64_t row,
                    size_t number) const;

private:
  FloatLines x;
  std::vector<bool> along;
  std::optional<FloatLines> weights; ///< as one line
  size_t target = 0, weight = 0;
  bool isWide = false; ///< classes are int64
  int64_t ignored = 0;
  LossReduction kind = LossReduction::Mean;
};

Expected<ClassRows> ClassRows::create(const NodeSpec &spec, size_t target,
                                      size_t weight) {
  ClassRows result;
  result.target = target;
  result.weight = weight;
  auto reduction = readChoice(spec, "reduction", {"none", "mean", "sum"});
  if (!reduction)
    return reduction.takeStatus();
  result.kind = static_cast<LossReduction>(*reduction);
  auto ignored = spec.attribute<int64_t>("ignore_index");
  if (!ignored)
    return ignored.takeStatus();
  result.ignored = *ignored;
  const TensorDesc &x = *spec.inputs[0], &classes = *spec.inputs[target];
  if (x.originShape.size() != 2)
    return Status::error(x.toString() + " has not two axes, rows and classes");
  auto along = markAxes(x, {-1});
  if (!along)
    return along.takeStatus();
  auto rows = FloatLines::create(x, *along);
  if (!rows)
    return rows.takeStatus();
  if ((classes.dtype != DataType::Int32 && classes.dtype != DataType::Int64) ||
      classes.numElements() != rows->numLines())
    return Status::error("target " + classes.toString() +
                         " is not one int32 or int64 for each row of " +
                         x.toString());
  result.isWide = classes.dtype == DataType::Int64;
  if (weight < spec.inputs.size() && spec.inputs[weight]) {
    const TensorDesc &desc = *spec.inputs[weight];
    auto line = FloatLines::create(desc, {true});
    if (!line)
      return line.takeStatus();
    if (line->length() != rows->length())
      return Status::error("weight " + desc.toString() +
                           " is not one for each class of " + x.toString());
    result.weights = std::move(*line);
  }
  result.x = std::move(*rows);
  result.along = std::move(*along);
  return result;
}

Expected<ClassRows::Classes>
ClassRows::read(std::span<const ConstTensor> inputs) const {
  Classes classes;
  for (int64_t row = 0; row != x.numLines(); ++row) {
    const int64_t number = isWide ? inputs[target].as<int64_t>()[row]
                                  : inputs[target].as<int32_t>()[row];
    if (number == ignored)
      classes.emplace_back();
    else if (number >= 0 && number < x.length())
      classes.emplace_back(static_cast<size_t>(number));
    else
      return Status::error("target " + std::to_string(number) + " of row " +
                           std::to_string(row) + " is none of " +
                           std::to_string(x.length()) + " classes");
  }
  return classes;
}

std::vector<float>
ClassRows::readWeights(std::span<const ConstTensor> inputs) const {
  std::vector<float> values(static_cast<size_t>(x.length()), 1);
  if (weights)
    weights->read(inputs[weight].data, 0, values);
  return values;
}

float ClassRows::readElement(std::span<const ConstTensor> inputs, int64_t row,
                             size_t number) const {
  const int64_t element = x.start(row) + x.elementOffsets()[number];
  float value = 0;
  toFloat(x.dtype(), inputs[0].data + element * (getBitWidth(x.dtype()) / 8),
          {&value, 1});
  return value;
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

class LossKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  ClassRows classes;
  LineValues loss, totalWeight;
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;
};

Expected<std::unique_ptr<Kernel>>
LossKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 2); !status)
    return status;
  auto kernel = std::make_unique<LossKernel>();
  kernel->mode = config.overflow;
  auto classes = ClassRows::create(spec, 1, 2);
  if (!classes)
    return inNode(spec, classes.takeStatus());
  auto loss = LineValues::create(spec.outputs[0], classes->numResults());
  if (!loss)
    return inNode(spec, loss.takeStatus());
  auto total = LineValues::create(spec.outputs[1], 1);
  if (!total)
    return inNode(spec, total.takeStatus());
  auto byAtomics = accumulatesByAtomics(spec);
  if (!byAtomics)
    return inNode(spec, byAtomics.takeStatus());
  kernel->classes = std::move(*classes);
  kernel->loss = std::move(*loss);
  kernel->totalWeight = std::move(*total);
  kernel->byAtomics = *byAtomics;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus> LossKernel::run(RunContext &,
                                     std::span<const ConstTensor> inputs,
                                     std::span<const MutableTensor> outputs) {
  auto ofRows = classes.read(inputs);
  if (!ofRows)
    return ofRows.takeStatus();
  const std::vector<float> ofClasses = classes.readWeights(inputs);
  std::vector<float> losses(ofRows->size()), weights(ofRows->size());
  WatchedInstructions unit;
  for (size_t row = 0; row != losses.size(); ++row) {
    const std::optional<size_t> number = (*ofRows)[row];
    if (!number)
      continue;
    const float value =
        classes.readElement(inputs, static_cast<int64_t>(row), *number);
    weights[row] = ofClasses[*number];
    losses[row] = unit.mul(unit.mul(value, -1), weights[row]);
  }
  loss.clearPadding(outputs[0].data);
  totalWeight.clearPadding(outputs[1].data);
  NodeStatus status;
  if (classes.reduction() == LossReduction::None) {
    status.valid |= loss.write(outputs[0].data, 0, losses, mode);
    status.valid |= totalWeight.write(outputs[1].data, 0, 0.0f, mode);
  } else {
    float sum = sumOfLine(losses, byAtomics, status);
    const float total = sumOfLine(weights, byAtomics, status);
    if (classes.reduction() == LossReduction::Mean)
      sum = unit.div(sum, total);
    status.valid |= loss.write(outputs[0].data, 0, sum, mode);
    status.valid |= totalWeight.write(outputs[1].data, 0, total, mode);
  }
  status.valid |= unit.bits;
  return status;
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

class LossGradientKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  ClassRows classes;
  LineValues ofLoss, totalWeight;
  FloatLines gradient;
  OverflowMode mode = OverflowMode::Saturate;
};

Expected<std::unique_ptr<Kernel>>
LossGradientKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 5, 1); !status)
    return status;
  auto kernel = std::make_unique<LossGradientKernel>();
  kernel->mode = config.overflow;
  auto classes = ClassRows::create(spec, 2, 3);
  if (!classes)
    return inNode(spec, classes.takeStatus());
  auto ofLoss = LineValues::create(*spec.inputs[1], classes->numResults());
  if (!ofLoss)
    return inNode(spec, ofLoss.takeStatus());
  auto total = LineValues::create(*spec.inputs[4], 1);
  if (!total)
    return inNode(spec, total.takeStatus());
  auto gradient = FloatLines::createLike(classes->rows(), spec.outputs[0],
                                         classes->alongClasses());
  if (!gradient)
    return inNode(spec, gradient.takeStatus());
  kernel->classes = std::move(*classes);
  kernel->ofLoss = std::move(*ofLoss);
  kernel->totalWeight = std::move(*total);
  kernel->gradient = std::move(*gradient);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
LossGradientKernel::run(RunContext &context,
                        std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  auto ofRows = classes.read(inputs);
  if (!ofRows)
    return ofRows.takeStatus();
  const std::vector<float> weights = classes.readWeights(inputs);
  const float total = totalWeight.read(inputs[4].data, 0);
  const bool ofEach = classes.reduction() == LossReduction::None;
  gradient.clearPadding(outputs[0].data);
  StatusCollector collector;
  context.pool.parallelFor(
      gradient.numLines(), gradient.grain(),
      [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values(weights.size());
        NodeStatus status;
        WatchedInstructions unit;
        for (int64_t row = begin; row != end; ++row) {
          std::ranges::fill(values, 0.0f);
          if (const auto number = (*ofRows)[static_cast<size_t>(row)]) {
            const float ofRow = ofLoss.read(inputs[1].data, ofEach ? row : 0);
            float &value = values[*number];
            value = unit.mul(unit.mul(weights[*number], ofRow), -1);
            if (classes.reduction() == LossReduction::Mean)
              value = unit.div(value, total);
          }
          status.valid |= gradient.write(outputs[0].data, row, values, mode);
        }
        status.valid |= unit.bits;
        collector.add(status);
      });
  return collector.get();
}

} // namespace

void kernels::addNegativeLogLikelihood(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  registry.add("NLLLoss", {LossKernel::create, "fp32, one rounding", bits});
  registry.add("NLLLossGrad",
               {LossGradientKernel::create, "fp32, one rounding", bits});
}
