//===- LocalResponseNorm.cpp - LRN ----------------------------------------===//
//
// Each pixel's channels are a line, in which every value is divided by a power
// of the sum of squares around it.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

class LocalResponseNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  FloatLines from, to;
  int64_t radius = 0; ///< channels on either side
  float bias = 1, alpha = 1, beta = 0.5f;
  bool inHalf = false;      ///< instructions are those of fp16
  bool scalesFirst = false; ///< x is multiplied by the root of alpha
  OverflowMode mode = OverflowMode::Saturate;

  Status bindAttributes(const NodeSpec &spec, Soc soc);
  template <class Instructions>
  void normalize(Instructions &unit, float scale, std::span<float> values,
                 std::span<float> squares) const;
};

Status LocalResponseNormKernel::bindAttributes(const NodeSpec &spec, Soc soc) {
  auto radius = spec.attribute<int64_t>("depth_radius");
  if (!radius)
    return radius.takeStatus();
  // As far as the device's kernel goes.
  constexpr int64_t LargestRadius = 48;
  if (*radius < 0 || *radius > LargestRadius)
    return Status::error("attribute 'depth_radius' is " +
                         std::to_string(*radius) + ", expected 0 to " +
                         std::to_string(LargestRadius));
  this->radius = *radius;
  auto region = spec.attribute<std::string>("norm_region");
  if (!region)
    return region.takeStatus();
  if (*region != "ACROSS_CHANNELS")
    return Status::error("attribute 'norm_region' is '" + *region +
                         "', expected ACROSS_CHANNELS");
  for (const auto &[name, value] :
       {std::pair{"bias", &bias}, std::pair{"alpha", &alpha},
        std::pair{"beta", &beta}}) {
    auto given = spec.attribute<float>(name);
    if (!given)
      return given.takeStatus();
    *value = *given;
  }
  scalesFirst = alpha > 0 && alpha < 0.001f && soc != Soc::Ascend910A;
  return {};
}

Expected<std::unique_ptr<Kernel>>
LocalResponseNormKernel::create(const NodeSpec &spec,
                                const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto kernel = std::make_unique<LocalResponseNormKernel>();
  if (Status status = kernel->bindAttributes(spec, config.soc); !status)
    return inNode(spec, std::move(status));
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  const TensorDesc &x = *spec.inputs[0];
  if ((x.dtype != DataType::Float16 && x.dtype != DataType::Float) ||
      spec.outputs[0].dtype != x.dtype)
    return nodeError(spec, "no " + spec.outputs[0].toString() + " of " +
                               x.toString() +
                               "; expected DT_FLOAT16 or DT_FLOAT for both");
  kernel->mode = config.overflow;
  // Ascend310 has no fp32 ln. The kernel takes a device with bilinear
  // interpolation for one that is for inference.
  kernel->inHalf =
      config.soc == Soc::Ascend310 ||
      (x.dtype == DataType::Float16 && config.soc != Soc::Ascend910A &&
       !(*implMode & HighPrecision));
  auto layout = Layout::create(x);
  if (!layout)
    return inNode(spec, layout.takeStatus());
  auto channel = layout->findAxis('C');
  if (!channel)
    return nodeError(spec, x.toString() + " has no channels");
  std::vector<bool> along(layout->axes().size());
  along[*channel] = true;
  auto from = FloatLines::create(x, along);
  if (!from)
    return inNode(spec, from.takeStatus());
  auto to = FloatLines::createLike(*from, spec.outputs[0], along);
  if (!to)
    return inNode(spec, to.takeStatus());
  kernel->from = std::move(*from);
  kernel->to = std::move(*to);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// \p scale is alpha, or its root. The power is made of ln and exp, whose
/// infinities may not show in the result: each instruction is watched.
template <class Instructions>
void LocalResponseNormKernel::normalize(Instructions &unit, float scale,
                                        std::span<float> values,
                                        std::span<float> squares) const {
  for (size_t c = 0; c < values.size(); ++c) {
    const float value = scalesFirst ? unit.mul(values[c], scale) : values[c];
    squares[c] = unit.mul(value, value);
  }
  const auto channels = static_cast<int64_t>(values.size());
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(0, c - radius),
                  last = std::min(channels - 1, c + radius);
    float sum = 0;
    for (int64_t i = first; i <= last; ++i)
      sum = unit.add(sum, squares[i]);
    if (!scalesFirst)
      sum = unit.mul(sum, scale);
    sum = unit.add(sum, unit.scalar(bias));
    const float power = unit.mul(unit.log(sum), unit.scalar(-beta));
    values[c] = unit.mul(unit.exp(power), values[c]);
  }
}

Expected<NodeStatus>
LocalResponseNormKernel::run(RunContext &context,
                             std::span<const ConstTensor> inputs,
                             std::span<const MutableTensor> outputs) {
  to.clearPadding(outputs[0].data);
  const float scale =
      scalesFirst ? static_cast<float>(std::sqrt(static_cast<double>(alpha)))
                  : alpha;
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      from.numLines(), from.grain(), [&](int64_t begin, int64_t end, int64_t) {
        const auto length = static_cast<size_t>(from.length());
        std::vector<float> values(length), squares(length);
        WatchedInstructions floats;
        HalfInstructions halves(mode);
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          from.read(inputs[0].data, line, values);
          if (!inHalf) {
            normalize(floats, scale, values, squares);
          } else {
            if (from.dtype() == DataType::Float)
              for (float &value : values) {
                const numerics::Half half =
                    numerics::floatToHalf(value, mode, bits);
                value = numerics::halfToFloat(half);
              }
            normalize(halves, halves.scalar(scale), values, squares);
          }
          bits |= to.write(outputs[0].data, line, values, mode);
        }
        status |= bits | floats.bits | halves.bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addLocalResponseNorm(Registry &registry) {
  registry.add("LRN",
               {LocalResponseNormKernel::create,
                "910A: fp32, one rounding; others: fp16, every instruction "
                "rounds, unless high_precision (not 310)",
                status::FloatOverflow | status::FloatUnderflow |
                    status::CastOverflow | status::CastUnderflow |
                    status::VectorNanInfInput});
}
