//===- LayerNorm.cpp - Layer normalisation --------------------------------===//
//
// LayerNorm and LayerNormV3: normalise lines along trailing axes.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "NormLine.h"
#include "QuietLines.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

class LayerNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  bool givesRoot = false; ///< the third output is 1 / sqrt(var + eps)
  bool inHalf = false;    ///< every instruction is
  float epsilon = 0;
  NormPath path;
  OverflowMode mode = OverflowMode::Saturate;
  FloatLines from, to;
  LineValues mean, third;
  LineParameter gamma, beta;

  /// A parameter of every line.
  struct Parameters {
    LineParameter::Values scales, shifts;
  };
  /// Normalises lines from number \p line on, moments.size() of them.
  StatusBits runLines(const std::byte *input, std::byte *output, int64_t line,
                      const Parameters &parameters,
                      std::span<LineMoments> moments,
                      std::vector<float> &values) const;
};

Expected<std::unique_ptr<Kernel>>
LayerNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 3, 3); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0];
  auto kernel = std::make_unique<LayerNormKernel>();
  kernel->givesRoot = spec.type == "LayerNormV3";
  kernel->mode = config.overflow;
  auto begin = spec.attribute<int64_t>("begin_norm_axis");
  auto epsilon = spec.attribute<float>("epsilon");
  auto implMode = readImplMode(spec);
  if (!begin)
    return inNode(spec, begin.takeStatus());
  if (!epsilon)
    return inNode(spec, epsilon.takeStatus());
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  kernel->epsilon = *epsilon;
  kernel->path = kernel->givesRoot
                     ? NormPath()
                     : NormPath::layerNorm(x.dtype, config, *implMode);
  auto precision = spec.attrs.get<std::string>("op_precision_mode_str", "");
  if (!precision)
    return inNode(spec, precision.takeStatus());
  kernel->inHalf = *precision == "keep_fp16" && !kernel->givesRoot &&
                   x.dtype == DataType::Float16;
  auto along = markTrailingAxes(x, *begin);
  if (!along)
    return inNode(spec, along.takeStatus());
  auto from = FloatLines::create(x, *along);
  if (!from)
    return inNode(spec, from.takeStatus());
  if (from->length() == 0)
    return nodeError(spec, "nothing to normalise in " + x.toString());
  auto to = FloatLines::createLike(*from, spec.outputs[0], *along);
  if (!to)
    return inNode(spec, to.takeStatus());
  auto gamma = LineParameter::create(*spec.inputs[1], *from);
  if (!gamma)
    return inNode(spec, gamma.takeStatus());
  auto beta = LineParameter::create(*spec.inputs[2], *from);
  if (!beta)
    return inNode(spec, beta.takeStatus());
  auto mean = LineValues::create(spec.outputs[1], from->numLines());
  if (!mean)
    return inNode(spec, mean.takeStatus());
  auto third = LineValues::create(spec.outputs[2], from->numLines());
  if (!third)
    return inNode(spec, third.takeStatus());
  kernel->from = std::move(*from);
  kernel->to = std::move(*to);
  kernel->gamma = std::move(*gamma);
  kernel->beta = std::move(*beta);
  kernel->mean = std::move(*mean);
  kernel->third = std::move(*third);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

StatusBits LayerNormKernel::runLines(const std::byte *input, std::byte *output,
                                     int64_t line, const Parameters &parameters,
                                     std::span<LineMoments> moments,
                                     std::vector<float> &values) const {
  const uint16_t *halves = from.findHalves(input, line);
  uint16_t *results = to.findHalves(output, line);
  const auto &[scales, shifts] = parameters;
  if (!inHalf && halves && results && gamma.isSame(scales) &&
      beta.isSame(shifts))
    if (auto bits = normalizeQuietly(halves, results, scales, shifts, epsilon,
                                     path, moments, values))
      return *bits;
  StatusBits bits = npu::status::None;
  values.resize(static_cast<size_t>(from.length()));
  for (size_t i = 0; i < moments.size(); ++i) {
    const int64_t number = line + static_cast<int64_t>(i);
    from.read(input, number, values);
    const auto scale = gamma.ofLine(scales, number);
    const auto shift = beta.ofLine(shifts, number);
    if (inHalf) {
      moments[i] =
          normalizeLineInHalf(values, scale, shift, epsilon, mode, bits);
    } else {
      moments[i] = normalizeLine(values, epsilon, path, mode, bits);
      scaleAndShiftLine(values, scale, shift, bits);
    }
    bits |= to.write(output, number, values, mode);
  }
  return bits;
}

Expected<NodeStatus>
LayerNormKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  const Parameters parameters = {gamma.load(inputs[1].data),
                                 beta.load(inputs[2].data)};
  to.clearPadding(outputs[0].data);
  mean.clearPadding(outputs[1].data);
  third.clearPadding(outputs[2].data);
  std::atomic<StatusBits> status{npu::status::None};
  constexpr int64_t group = QuietLines;
  context.pool.parallelFor(
      from.numLines(), from.grain(group),
      [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values;
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end;) {
          LineMoments moments[QuietLines];
          const size_t count = end - line >= group ? QuietLines : 1;
          bits |= runLines(inputs[0].data, outputs[0].data, line, parameters,
                           {moments, count}, values);
          for (size_t i = 0; i < count; ++i, ++line) {
            bits |= mean.write(outputs[1].data, line, moments[i].mean, mode);
            bits |= third.write(
                outputs[2].data, line,
                givesRoot ? moments[i].inverseRoot : moments[i].variance, mode);
          }
        }
        status |= bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addLayerNorm(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  registry.add("LayerNorm",
               {LayerNormKernel::create,
                "fp32; fp16 tensors: mean and variance rounded to fp16 before "
                "they are used (not on 310); e^(-0.5 ln(var + eps)), in "
                "high_precision 1 / sqrt; one rounding. With keep_fp16: fp16, "
                "every instruction rounds",
                bits | status::FloatUnderflow});
  registry.add("LayerNormV3",
               {LayerNormKernel::create,
                "fp32, 1 / sqrt(var + eps), one rounding", bits});
}
