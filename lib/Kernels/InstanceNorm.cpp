//===- InstanceNorm.cpp - InstanceNormV2 ----------------------------------===//
//
// Each channel of each image is a line. A device runs two kernels, one for the
// sums and one for the rest (INTrainingReduceV2 and INTrainingUpdateV2), or
// INInferV2 where statistics are given: their instructions are these.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <array>
#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

class InstanceNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  enum Parameter : size_t { Gamma, Beta, Mean, Variance, NumParameters };
  /// Of a line.
  using Values = std::array<float, NumParameters>;

  /// One value for each line, or for each channel of all images.
  struct Operand {
    LineValues values;
    bool isByChannel = false;
  };

  FloatLines x, y;
  std::array<std::optional<Operand>, NumParameters> parameters;
  LineValues mean, variance; ///< outputs
  int64_t channels = 1;
  bool isTraining = true;
  float momentum = 0, epsilon = 0;
  OverflowMode mode = OverflowMode::Saturate;

  Status bindAttributes(const NodeSpec &spec);
  Status bindParameters(const NodeSpec &spec);
  Values readParameters(std::span<const ConstTensor> inputs,
                        int64_t line) const;
  bool hasScale() const { return parameters[Gamma].has_value(); }
  bool hasStatistics() const { return parameters[Mean].has_value(); }

  /// The mean and the variance that \p line is normalised with.
  std::pair<float, float> measure(WatchedInstructions &unit,
                                  std::span<const float> line,
                                  const Values &given) const;
  void normalize(WatchedInstructions &unit, std::span<float> line, float ofLine,
                 float spread, const Values &given) const;
  /// What the node has as statistics of the line: those that it is normalised
  /// with, of a population, and a share of those that are given.
  std::pair<float, float> update(WatchedInstructions &unit, float ofLine,
                                 float spread, const Values &given) const;
};

Status InstanceNormKernel::bindAttributes(const NodeSpec &spec) {
  auto training = spec.attribute<bool>("is_training");
  if (!training)
    return training.takeStatus();
  isTraining = *training;
  for (const auto &[name, value] :
       {std::pair{"momentum", &momentum}, std::pair{"epsilon", &epsilon}}) {
    auto given = spec.attribute<float>(name);
    if (!given)
      return given.takeStatus();
    *value = *given;
  }
  return {};
}

Status InstanceNormKernel::bindParameters(const NodeSpec &spec) {
  for (size_t i = 0; i != NumParameters; ++i) {
    if (spec.inputs.size() <= i + 1 || !spec.inputs[i + 1])
      continue;
    const TensorDesc &desc = *spec.inputs[i + 1];
    const bool isByChannel = getNumElements(desc.originShape) == channels;
    auto values =
        LineValues::create(desc, isByChannel ? channels : x.numLines());
    if (!values)
      return values.takeStatus();
    parameters[i] = Operand{std::move(*values), isByChannel};
  }
  if (parameters[Gamma].has_value() != parameters[Beta].has_value())
    return Status::error("has one of gamma and beta, expected both or neither");
  if (parameters[Mean].has_value() != parameters[Variance].has_value())
    return Status::error(
        "has one of mean and variance, expected both or neither");
  if (!isTraining && !hasStatistics())
    return Status::error("has neither mean nor variance, expected both where "
                         "is_training is false");
  return {};
}

Expected<std::unique_ptr<Kernel>>
InstanceNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 3); !status)
    return status;
  auto kernel = std::make_unique<InstanceNormKernel>();
  kernel->mode = config.overflow;
  if (Status status = kernel->bindAttributes(spec); !status)
    return inNode(spec, std::move(status));
  const TensorDesc &from = *spec.inputs[0];
  auto layout = Layout::create(from);
  if (!layout)
    return inNode(spec, layout.takeStatus());
  const auto image = layout->findAxis('N'), channel = layout->findAxis('C');
  if (!image || !channel)
    return nodeError(spec, from.toString() + " has no images with channels");
  std::vector<bool> along(layout->axes().size(), true);
  along[*image] = along[*channel] = false;
  kernel->channels = layout->axes()[*channel].extent;
  auto x = FloatLines::create(from, along);
  if (!x)
    return inNode(spec, x.takeStatus());
  if (x->length() == 0)
    return nodeError(spec, "no elements in " + from.toString());
  auto y = FloatLines::createLike(*x, spec.outputs[0], along);
  if (!y)
    return inNode(spec, y.takeStatus());
  kernel->x = std::move(*x);
  kernel->y = std::move(*y);
  if (Status status = kernel->bindParameters(spec); !status)
    return inNode(spec, std::move(status));
  for (const auto &[values, index] :
       {std::pair{&kernel->mean, 1}, std::pair{&kernel->variance, 2}}) {
    auto output = LineValues::create(spec.outputs[index], kernel->x.numLines());
    if (!output)
      return inNode(spec, output.takeStatus());
    *values = std::move(*output);
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

InstanceNormKernel::Values
InstanceNormKernel::readParameters(std::span<const ConstTensor> inputs,
                                   int64_t line) const {
  Values values{};
  for (size_t i = 0; i != NumParameters; ++i)
    if (parameters[i])
      values[i] = parameters[i]->values.read(
          inputs[i + 1].data,
          parameters[i]->isByChannel ? line % channels : line);
  return values;
}

std::pair<float, float> InstanceNormKernel::measure(WatchedInstructions &unit,
                                                    std::span<const float> line,
                                                    const Values &given) const {
  if (!isTraining)
    return {given[Mean], given[Variance]};
  std::vector<float> squares;
  squares.reserve(line.size());
  for (float value : line)
    squares.push_back(unit.mul(value, value));
  const auto share = static_cast<float>(1.0 / static_cast<double>(line.size()));
  const float ofLine = unit.mul(unit.sum(line), share);
  const float ofSquares = unit.mul(unit.sum(squares), share);
  return {ofLine, unit.sub(ofSquares, unit.mul(ofLine, ofLine))};
}

void InstanceNormKernel::normalize(WatchedInstructions &unit,
                                   std::span<float> line, float ofLine,
                                   float spread, const Values &given) const {
  const float root = unit.sqrt(unit.add(spread, epsilon));
  if (!hasScale()) {
    for (float &value : line)
      value = unit.div(unit.sub(value, ofLine), root);
    return;
  }
  const float scale = unit.div(given[Gamma], root);
  if (!isTraining) {
    for (float &value : line)
      value = unit.add(unit.mul(unit.sub(value, ofLine), scale), given[Beta]);
    return;
  }
  const float shift = unit.sub(given[Beta], unit.mul(scale, ofLine));
  for (float &value : line)
    value = unit.add(unit.mul(scale, value), shift);
}

std::pair<float, float> InstanceNormKernel::update(WatchedInstructions &unit,
                                                   float ofLine, float spread,
                                                   const Values &given) const {
  if (!isTraining)
    return {unit.add(ofLine, 0), unit.add(spread, 0)};
  const auto count = static_cast<double>(x.length());
  const auto population =
      static_cast<float>(count == 1 ? 0.0 : count / (count - 1));
  spread = unit.mul(spread, population);
  if (!hasStatistics())
    return {ofLine, spread};
  const auto rest = static_cast<float>(1.0 - static_cast<double>(momentum));
  const auto mix = [&](float own, float old) {
    return unit.add(unit.mul(own, momentum), unit.mul(old, rest));
  };
  return {mix(ofLine, given[Mean]), mix(spread, given[Variance])};
}

Expected<NodeStatus>
InstanceNormKernel::run(RunContext &context,
                        std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  y.clearPadding(outputs[0].data);
  mean.clearPadding(outputs[1].data);
  variance.clearPadding(outputs[2].data);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      x.numLines(), x.grain(), [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> line(static_cast<size_t>(x.length()));
        WatchedInstructions unit;
        StatusBits bits = npu::status::None;
        for (int64_t l = begin; l < end; ++l) {
          x.read(inputs[0].data, l, line);
          const Values given = readParameters(inputs, l);
          const auto [ofLine, spread] = measure(unit, line, given);
          normalize(unit, line, ofLine, spread, given);
          const auto [newMean, newVariance] =
              update(unit, ofLine, spread, given);
          bits |= y.write(outputs[0].data, l, line, mode);
          bits |= mean.write(outputs[1].data, l, canonicalNaN(newMean), mode);
          bits |= variance.write(outputs[2].data, l, canonicalNaN(newVariance),
                                 mode);
        }
        status |= bits | unit.bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addInstanceNorm(Registry &registry) {
  registry.add("InstanceNormV2",
               {InstanceNormKernel::create, "fp32, one rounding",
                status::CastOverflow | status::CastUnderflow |
                    status::FloatOverflow | status::VectorNanInfInput});
}
