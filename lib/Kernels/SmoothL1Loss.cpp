//===- SmoothL1Loss.cpp - Differences, squared where they are small -------===//
//
// SmoothL1LossV2: of each element, or the sum or the mean of all.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "Choice.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "npu/Kernels/Registry.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

class SmoothL1LossKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  FloatLines predict, label;
  std::optional<FloatLines> each; ///< losses of elements, or
  LineValues total;               ///< their sum
  bool isMean = false;
  float sigma = 1;
  OverflowMode mode = OverflowMode::Saturate;

  /// Makes losses of \p values, the predictions.
  template <class Instructions>
  StatusBits computeLine(std::span<float> values,
                         std::span<const float> labels) const;
};

Expected<std::unique_ptr<Kernel>>
SmoothL1LossKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  auto kernel = std::make_unique<SmoothL1LossKernel>();
  kernel->mode = config.overflow;
  auto sigma = spec.attribute<float>("sigma");
  if (!sigma)
    return inNode(spec, sigma.takeStatus());
  kernel->sigma = *sigma;
  auto reduction = readChoice(spec, "reduction", {"none", "mean", "sum"});
  if (!reduction)
    return inNode(spec, reduction.takeStatus());
  kernel->isMean = *reduction == 1;
  const TensorDesc &x = *spec.inputs[0];
  auto along = markAxes(x, {});
  if (!along)
    return inNode(spec, along.takeStatus());
  along->assign(along->size(), true);
  auto predict = FloatLines::create(x, *along);
  if (!predict)
    return inNode(spec, predict.takeStatus());
  auto label = FloatLines::createLike(*predict, *spec.inputs[1], *along);
  if (!label)
    return inNode(spec, label.takeStatus());
  if (predict->length() == 0)
    return nodeError(spec, x.toString() + " has no elements");
  if (*reduction == 0) {
    auto each = FloatLines::createLike(*predict, spec.outputs[0], *along);
    if (!each)
      return inNode(spec, each.takeStatus());
    kernel->each = std::move(*each);
  } else {
    auto total = LineValues::create(spec.outputs[0], 1);
    if (!total)
      return inNode(spec, total.takeStatus());
    kernel->total = std::move(*total);
  }
  kernel->predict = std::move(*predict);
  kernel->label = std::move(*label);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Both forms are computed and multiplied by 1 or 0, as the device does: where
/// the square is infinite the loss is NaN.
template <class Instructions>
StatusBits
SmoothL1LossKernel::computeLine(std::span<float> values,
                                std::span<const float> labels) const {
  Instructions unit;
  const float inverse = 1.0f / sigma, half = 0.5f * sigma;
  for (size_t i = 0; i < values.size(); ++i) {
    const float difference = unit.sub(values[i], labels[i]);
    const float magnitude = std::abs(difference);
    const float square =
        unit.mul(unit.mul(unit.mul(difference, 0.5f), difference), inverse);
    const float line = unit.sub(magnitude, half);
    const float isSmall = magnitude < sigma ? 1.0f : 0.0f;
    values[i] =
        unit.add(unit.mul(square, isSmall), unit.mul(line, 1.0f - isSmall));
  }
  return unit.bits;
}

Expected<NodeStatus>
SmoothL1LossKernel::run(RunContext &, std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  const size_t length = static_cast<size_t>(predict.length());
  std::vector<float> values(length), labels(length);
  predict.read(inputs[0].data, 0, values);
  label.read(inputs[1].data, 0, labels);
  NodeStatus status;
  computeLine<PlainInstructions>(values, labels);
  if (!areFinite(values)) {
    predict.read(inputs[0].data, 0, values);
    status.valid |= computeLine<WatchedInstructions>(values, labels);
  }
  if (each) {
    each->clearPadding(outputs[0].data);
    status.valid |= each->write(outputs[0].data, 0, values, mode);
    return status;
  }
  float loss = sumOfLine(values, false, status);
  if (isMean) {
    WatchedInstructions unit;
    loss = unit.mul(loss, 1.0f / static_cast<float>(length));
    status.valid |= unit.bits;
  }
  total.clearPadding(outputs[0].data);
  status.valid |= total.write(outputs[0].data, 0, loss, mode);
  return status;
}

} // namespace

void kernels::addSmoothL1Loss(Registry &registry) {
  registry.add("SmoothL1LossV2",
               {SmoothL1LossKernel::create, "fp32, one rounding",
                status::CastOverflow | status::CastUnderflow |
                    status::FloatOverflow | status::VectorNanInfInput});
}
