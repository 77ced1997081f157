//===- LayerNorm.cpp - Layer normalisation --------------------------------===//
//
// LayerNorm, LayerNormV3 and LayerNormV4: normalise lines along trailing axes.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "NormLine.h"
#include "QuietLines.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <atomic>
#include <memory>

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
  /// Their input, which may be absent, and what it repeats over lines.
  struct Parameter {
    size_t input = 0;
    std::optional<LineParameter> values;
  };
  Parameter gamma{1, {}}, beta{2, {}};
  std::unique_ptr<RootMemo> roots; ///< null where they are not worth it

  /// A parameter of every line.
  struct Parameters {
    LineParameter::Values scales, shifts;
  };
  /// What multiplies or is added where \p parameter is absent is \p neutral.
  LineParameter::Values load(const Parameter &parameter, float neutral,
                             std::span<const ConstTensor> inputs) const {
    return parameter.values
               ? parameter.values->load(inputs[parameter.input].data)
               : LineParameter::Values(from.length(), neutral);
  }
  static bool isSame(const Parameter &parameter,
                     const LineParameter::Values &values) {
    return !parameter.values || parameter.values->isSame(values);
  }
  static std::span<const float> ofLine(const Parameter &parameter,
                                       const LineParameter::Values &values,
                                       int64_t line) {
    return parameter.values ? parameter.values->ofLine(values, line)
                            : std::span<const float>(values);
  }
  /// Normalises lines from number \p line on, moments.size() of them.
  StatusBits runLines(const std::byte *input, std::byte *output, int64_t line,
                      const Parameters &parameters,
                      std::span<LineMoments> moments) const;
  /// Those in which anything may happen.
  StatusBits runAnyLines(const std::byte *input, std::byte *output,
                         int64_t line, const Parameters &parameters,
                         std::span<LineMoments> moments,
                         std::vector<float> &values) const;
};

/// The first axis that lines run along: of LayerNormV4 its input 1 has the
/// extents of all of them.
Expected<int64_t> findFirstAxis(const NodeSpec &spec) {
  if (spec.type != "LayerNormV4")
    return spec.attribute<int64_t>("begin_norm_axis");
  auto shape = readConstantInput(spec, 1, "normalized_shape");
  if (!shape)
    return shape.takeStatus();
  const Shape &x = spec.inputs[0]->originShape;
  if (shape->empty() || shape->size() > x.size() ||
      !std::equal(shape->begin(), shape->end(), x.end() - shape->size()))
    return Status::error("normalized_shape " + toString(*shape) +
                         " is not that of trailing axes of " +
                         spec.inputs[0]->toString());
  return static_cast<int64_t>(x.size() - shape->size());
}

Expected<std::unique_ptr<Kernel>>
LayerNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const bool isV4 = spec.type == "LayerNormV4";
  if (Status status = checkArity(spec, isV4 ? 2 : 3, 3); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0];
  auto kernel = std::make_unique<LayerNormKernel>();
  kernel->givesRoot = spec.type != "LayerNorm";
  kernel->mode = config.overflow;
  auto begin = findFirstAxis(spec);
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
  if (kernel->path.halfMoments && kernel->path.root == InverseRoot::Logarithm)
    kernel->roots = std::make_unique<RootMemo>();
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
  for (Parameter *parameter : {&kernel->gamma, &kernel->beta}) {
    parameter->input += isV4;
    if (parameter->input >= spec.inputs.size() ||
        !spec.inputs[parameter->input])
      continue;
    auto values = LineParameter::create(*spec.inputs[parameter->input], *from);
    if (!values)
      return inNode(spec, values.takeStatus());
    parameter->values = std::move(*values);
  }
  auto mean = LineValues::create(spec.outputs[1], from->numLines());
  if (!mean)
    return inNode(spec, mean.takeStatus());
  auto third = LineValues::create(spec.outputs[2], from->numLines());
  if (!third)
    return inNode(spec, third.takeStatus());
  kernel->from = std::move(*from);
  kernel->to = std::move(*to);
  kernel->mean = std::move(*mean);
  kernel->third = std::move(*third);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

StatusBits LayerNormKernel::runAnyLines(const std::byte *input,
                                        std::byte *output, int64_t line,
                                        const Parameters &parameters,
                                        std::span<LineMoments> moments,
                                        std::vector<float> &values) const {
  const auto &[scales, shifts] = parameters;
  StatusBits bits = npu::status::None;
  values.resize(static_cast<size_t>(from.length()));
  for (LineMoments &result : moments) {
    from.read(input, line, values);
    const auto scale = ofLine(gamma, scales, line);
    const auto shift = ofLine(beta, shifts, line);
    if (inHalf) {
      result = normalizeLineInHalf(values, scale, shift, epsilon, mode, bits);
    } else {
      result = normalizeLine(values, epsilon, path, mode, bits);
      scaleAndShiftLine(values, scale, shift, bits);
    }
    bits |= to.write(output, line, values, mode);
    ++line;
  }
  return bits;
}

StatusBits LayerNormKernel::runLines(const std::byte *input, std::byte *output,
                                     int64_t line, const Parameters &parameters,
                                     std::span<LineMoments> moments) const {
  std::vector<float> values;
  const uint16_t *halves = from.findHalves(input, line);
  uint16_t *results = to.findHalves(output, line);
  const auto &[scales, shifts] = parameters;
  const bool inPlace = halves && results;
  const bool inCopies =
      !inPlace && from.areHalvesInBlocks() && to.areHalvesInBlocks();
  if (inHalf || !(inPlace || inCopies) || !isSame(gamma, scales) ||
      !isSame(beta, shifts))
    return runAnyLines(input, output, line, parameters, moments, values);
  const size_t length = static_cast<size_t>(from.length());
  // Lines whose blocks lie apart follow each other in a copy.
  std::unique_ptr<uint16_t[]> copies;
  if (inCopies) {
    const size_t size = moments.size() * length;
    copies = std::make_unique_for_overwrite<uint16_t[]>(2 * size);
    from.readHalves(input, line, moments.size(), copies.get());
    halves = copies.get();
    results = copies.get() + size;
  }
  StatusBits bits = npu::status::None;
  for (size_t done = 0; done < moments.size();) {
    const size_t first = done * length;
    const auto [lines, status] = normalizeQuietly(
        halves + first, results + first, scales, shifts, epsilon, path,
        roots.get(), moments.subspan(done), values);
    if (inCopies)
      to.writeHalves(output, line + static_cast<int64_t>(done), lines,
                     results + first);
    bits |= status;
    done += lines;
    const size_t others = std::min(QuietLines, moments.size() - done);
    bits |= runAnyLines(input, output, line + static_cast<int64_t>(done),
                        parameters, moments.subspan(done, others), values);
    done += others;
  }
  return bits;
}

Expected<NodeStatus>
LayerNormKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  const Parameters parameters = {load(gamma, 1, inputs), load(beta, 0, inputs)};
  to.clearPadding(outputs[0].data);
  mean.clearPadding(outputs[1].data);
  third.clearPadding(outputs[2].data);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      from.numLines(), from.grain(QuietLines),
      [&](int64_t begin, int64_t end, int64_t) {
        std::vector<LineMoments> moments(static_cast<size_t>(end - begin));
        StatusBits bits = runLines(inputs[0].data, outputs[0].data, begin,
                                   parameters, moments);
        std::vector<float> column(moments.size());
        std::ranges::transform(moments, column.begin(), &LineMoments::mean);
        bits |= mean.write(outputs[1].data, begin, column, mode);
        std::ranges::transform(moments, column.begin(),
                               givesRoot ? &LineMoments::inverseRoot
                                         : &LineMoments::variance);
        bits |= third.write(outputs[2].data, begin, column, mode);
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
  for (const char *type : {"LayerNormV3", "LayerNormV4"})
    registry.add(type, {LayerNormKernel::create,
                        "fp32, 1 / sqrt(var + eps), one rounding", bits});
}
