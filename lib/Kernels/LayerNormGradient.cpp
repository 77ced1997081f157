//===- LayerNormGradient.cpp - Gradients of LayerNorm ---------------------===//
//
// LayerNormXBackprop(V2, V3): lines (dy, x, variance or rstd, mean, gamma) to
// pd_x and, from V2 on, xhat. LayerNormBetaGammaBackpropV2 (dy, xhat): sums
// over the lines. LayerNormGrad(V3): both.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "NormLine.h"
#include "npu/Kernels/Registry.h"

#include <array>
#include <atomic>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

/// For every axis of \p x whether it is normalised: where \p mean has 1 in its
/// place.
Expected<std::vector<bool>> normalizedAxes(const TensorDesc &x,
                                           const TensorDesc &mean) {
  auto layout = Layout::create(x), moments = Layout::create(mean);
  if (!layout)
    return layout.takeStatus();
  if (!moments)
    return moments.takeStatus();
  const auto &axes = layout->axes(), &reduced = moments->axes();
  std::vector<bool> along;
  bool fits = axes.size() == reduced.size();
  for (size_t i = 0; fits && i < axes.size(); ++i) {
    along.push_back(reduced[i].extent == 1 && axes[i].extent != 1);
    fits = reduced[i].extent == 1 || reduced[i].extent == axes[i].extent;
  }
  // Lines of one element are those of the last axis.
  if (fits && !along.empty() &&
      std::find(along.begin(), along.end(), true) == along.end() &&
      axes.back().extent == 1)
    along.back() = true;
  if (!fits)
    return Status::error("mean " + mean.toString() +
                         " is not one value for each line of " + x.toString());
  return along;
}

/// What the gradients read: lines of dy and x, their moments and gamma.
struct Operands {
  FloatLines dy, x;
  LineValues moment, mean;
  LineParameter gamma;
  bool givenRoot = false; ///< the moment is 1 / sqrt(var + eps)
  float epsilon = 0;
  InverseRoot root = InverseRoot::Logarithm;
  OverflowMode mode = OverflowMode::Saturate;
  std::vector<bool> along;

  static Expected<Operands> create(const NodeSpec &spec,
                                   const NumericConfig &config);
};

Expected<Operands> Operands::create(const NodeSpec &spec,
                                    const NumericConfig &config) {
  Operands result;
  const TensorDesc &dy = *spec.inputs[0], &x = *spec.inputs[1];
  result.givenRoot = spec.type.ends_with("V3");
  // The kernels have it fixed.
  result.epsilon = x.dtype == DataType::Float ? 1e-12f : 1e-5f;
  result.root = logarithmicRoot(config.soc);
  result.mode = config.overflow;
  auto along = normalizedAxes(x, *spec.inputs[3]);
  if (!along)
    return along.takeStatus();
  auto lines = FloatLines::create(x, *along);
  if (!lines)
    return lines.takeStatus();
  if (lines->length() == 0)
    return Status::error("no elements in " + x.toString());
  auto gradient = FloatLines::createLike(*lines, dy, *along);
  if (!gradient)
    return gradient.takeStatus();
  auto moment = LineValues::create(*spec.inputs[2], lines->numLines());
  if (!moment)
    return moment.takeStatus();
  auto mean = LineValues::create(*spec.inputs[3], lines->numLines());
  if (!mean)
    return mean.takeStatus();
  auto gamma = LineParameter::create(*spec.inputs[4], *lines);
  if (!gamma)
    return gamma.takeStatus();
  result.along = std::move(*along);
  result.x = std::move(*lines);
  result.dy = std::move(*gradient);
  result.moment = std::move(*moment);
  result.mean = std::move(*mean);
  result.gamma = std::move(*gamma);
  return result;
}

/// One line: replaces dy by pd_x and x by xhat.
///
///   g = dy gamma, r = 1 / sqrt(var + eps), d = x - mean
///   pd_x = r g + (sum(g d) r^3 * -0.5) d (2 / n) - sum(g) r (1 / n)
template <class Instructions>
StatusBits backpropLine(std::span<float> dy, std::span<float> x,
                        std::span<const float> gamma, float moment, float mean,
                        const Operands &operands) {
  Instructions unit;
  StatusBits bits = status::None;
  const float inverse = operands.givenRoot
                            ? moment
                            : inverseRoot(unit.add(moment, operands.epsilon),
                                          operands.root, operands.mode, bits);
  const float cube = unit.mul(unit.mul(inverse, inverse), inverse);
  const float factor = 1.0f / static_cast<float>(x.size());
  std::vector<float> products(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    dy[i] = unit.mul(dy[i], gamma[i]);
    x[i] = unit.sub(x[i], mean);
    products[i] = unit.mul(dy[i], x[i]);
  }
  const float ofVariance = unit.mul(unit.mul(unit.sum(products), cube), -0.5f);
  const float ofMean = unit.mul(-unit.mul(unit.sum(dy), inverse), factor);
  for (size_t i = 0; i < x.size(); ++i) {
    const float rest = unit.mul(unit.mul(ofVariance, x[i]), 2 * factor);
    dy[i] = unit.add(unit.add(unit.mul(inverse, dy[i]), rest), ofMean);
    x[i] = unit.mul(x[i], inverse);
  }
  return bits | unit.bits;
}

class XBackpropKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  Operands from;
  std::vector<FloatLines> to; ///< pd_x and perhaps xhat
};

Expected<std::unique_ptr<Kernel>>
XBackpropKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const bool givesNormal = spec.type != "LayerNormXBackprop";
  if (Status status = checkArity(spec, 5, givesNormal ? 2 : 1); !status)
    return status;
  auto operands = Operands::create(spec, config);
  if (!operands)
    return inNode(spec, operands.takeStatus());
  auto kernel = std::make_unique<XBackpropKernel>();
  for (const TensorDesc &output : spec.outputs) {
    auto lines = FloatLines::createLike(operands->x, output, operands->along);
    if (!lines)
      return inNode(spec, lines.takeStatus());
    kernel->to.push_back(std::move(*lines));
  }
  kernel->from = std::move(*operands);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
XBackpropKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  const LineParameter::Values scales = from.gamma.load(inputs[4].data);
  for (size_t i = 0; i < to.size(); ++i)
    to[i].clearPadding(outputs[i].data);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      from.x.numLines(), from.x.grain(),
      [&](int64_t begin, int64_t end, int64_t) {
        const size_t length = static_cast<size_t>(from.x.length());
        std::vector<float> dy(length), x(length);
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          const auto scale = from.gamma.ofLine(scales, line);
          const float moment = from.moment.read(inputs[2].data, line);
          const float mean = from.mean.read(inputs[3].data, line);
          auto read = [&] {
            from.dy.read(inputs[0].data, line, dy);
            from.x.read(inputs[1].data, line, x);
          };
          read();
          const bool finite = areFinite(dy) && areFinite(x) &&
                              areFinite(scale) && std::isfinite(moment) &&
                              std::isfinite(mean);
          bits |=
              backpropLine<PlainInstructions>(dy, x, scale, moment, mean, from);
          if (!finite || !areFinite(dy) || !areFinite(x)) {
            read();
            bits |= backpropLine<WatchedInstructions>(dy, x, scale, moment,
                                                      mean, from);
          }
          bits |= to[0].write(outputs[0].data, line, dy, from.mode);
          if (to.size() > 1)
            bits |= to[1].write(outputs[1].data, line, x, from.mode);
        }
        status |= bits;
      });
  return NodeStatus{status};
}

/// pd_gamma = sum of dy xhat, pd_beta = sum of dy, over all lines in order.
class ParameterGradientKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  FloatLines dy, normal; ///< lines over what the parameters repeat along
  LineValues gamma, beta;
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;
};

Expected<std::unique_ptr<Kernel>>
ParameterGradientKernel::create(const NodeSpec &spec,
                                const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 2); !status)
    return status;
  auto shape = spec.attrs.require<std::vector<int64_t>>("shape_gamma");
  if (!shape)
    return inNode(spec, shape.takeStatus());
  auto layout = Layout::create(*spec.inputs[0]);
  if (!layout)
    return inNode(spec, layout.takeStatus());
  // Aligned at the last axis; a 1 of gamma is summed over.
  const auto &axes = layout->axes();
  std::vector<bool> along(axes.size(), true);
  bool fits = shape->size() <= axes.size();
  for (size_t i = 0; fits && i < shape->size(); ++i) {
    const size_t axis = axes.size() - shape->size() + i;
    along[axis] = (*shape)[i] == 1;
    fits = (*shape)[i] == 1 || (*shape)[i] == axes[axis].extent;
  }
  if (!fits)
    return nodeError(spec, "attribute 'shape_gamma' does not fit " +
                               spec.inputs[0]->toString());
  auto kernel = std::make_unique<ParameterGradientKernel>();
  kernel->mode = config.overflow;
  auto byAtomics = accumulatesByAtomics(spec);
  if (!byAtomics)
    return inNode(spec, byAtomics.takeStatus());
  kernel->byAtomics = *byAtomics;
  auto dy = FloatLines::create(*spec.inputs[0], along);
  if (!dy)
    return inNode(spec, dy.takeStatus());
  auto normal = FloatLines::createLike(*dy, *spec.inputs[1], along);
  if (!normal)
    return inNode(spec, normal.takeStatus());
  auto gamma = LineValues::create(spec.outputs[0], dy->numLines());
  if (!gamma)
    return inNode(spec, gamma.takeStatus());
  auto beta = LineValues::create(spec.outputs[1], dy->numLines());
  if (!beta)
    return inNode(spec, beta.takeStatus());
  kernel->dy = std::move(*dy);
  kernel->normal = std::move(*normal);
  kernel->gamma = std::move(*gamma);
  kernel->beta = std::move(*beta);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
ParameterGradientKernel::run(RunContext &context,
                             std::span<const ConstTensor> inputs,
                             std::span<const MutableTensor> outputs) {
  gamma.clearPadding(outputs[0].data);
  beta.clearPadding(outputs[1].data);
  StatusCollector status;
  context.pool.parallelFor(
      dy.numLines(), dy.grain(), [&](int64_t begin, int64_t end, int64_t) {
        const size_t length = static_cast<size_t>(dy.length());
        std::vector<float> gradient(length), products(length);
        NodeStatus ofChunk;
        for (int64_t line = begin; line < end; ++line) {
          auto multiply = [&](auto unit) {
            dy.read(inputs[0].data, line, gradient);
            normal.read(inputs[1].data, line, products);
            for (size_t i = 0; i < length; ++i)
              products[i] = unit.mul(products[i], gradient[i]);
            return unit.bits;
          };
          multiply(PlainInstructions());
          const float scale = sumOfLine(products, byAtomics, ofChunk);
          const float shift = sumOfLine(gradient, byAtomics, ofChunk);
          if (!std::isfinite(scale) || !std::isfinite(shift))
            ofChunk.valid |= multiply(WatchedInstructions());
          ofChunk.valid |= gamma.write(outputs[0].data, line, scale, mode) |
                           beta.write(outputs[1].data, line, shift, mode);
        }
        status.add(ofChunk);
      });
  return status.get();
}

/// LayerNormGrad(V3): the gradient of x, whose xhat in fp32 the gradients of
/// the parameters are made of.
class WholeGradientKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  std::unique_ptr<Kernel> ofX, ofParameters;
  TensorDesc normal; ///< xhat
};

Expected<std::unique_ptr<Kernel>>
WholeGradientKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 5, 3); !status)
    return status;
  auto kernel = std::make_unique<WholeGradientKernel>();
  kernel->normal = *spec.inputs[1];
  kernel->normal.dtype = DataType::Float;
  NodeSpec first = spec, second = spec;
  first.type = spec.type.ends_with("V3") ? "LayerNormXBackpropV3"
                                         : "LayerNormXBackpropV2";
  first.outputs = {spec.outputs[0], kernel->normal};
  second.type = "LayerNormBetaGammaBackpropV2";
  second.inputs = {spec.inputs[0], kernel->normal};
  second.constants = {nullptr, nullptr};
  second.outputs = {spec.outputs[1], spec.outputs[2]};
  auto gamma = Layout::create(*spec.inputs[4]);
  if (!gamma)
    return inNode(spec, gamma.takeStatus());
  std::vector<int64_t> shape;
  for (const LogicalAxis &axis : gamma->axes())
    shape.push_back(axis.extent);
  second.attrs.set("shape_gamma", std::move(shape));
  auto ofX = XBackpropKernel::create(first, config);
  if (!ofX)
    return ofX.takeStatus();
  auto ofParameters = ParameterGradientKernel::create(second, config);
  if (!ofParameters)
    return ofParameters.takeStatus();
  kernel->ofX = std::move(*ofX);
  kernel->ofParameters = std::move(*ofParameters);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
WholeGradientKernel::run(RunContext &context,
                         std::span<const ConstTensor> inputs,
                         std::span<const MutableTensor> outputs) {
  std::vector<std::byte> buffer(normal.byteSize());
  const MutableTensor written{&normal, buffer.data()};
  auto first = ofX->run(context, inputs, std::array{outputs[0], written});
  if (!first)
    return first;
  const ConstTensor read{&normal, buffer.data()};
  auto second = ofParameters->run(context, std::array{inputs[0], read},
                                  outputs.subspan(1));
  if (second)
    *second |= *first;
  return second;
}

} // namespace

void kernels::addLayerNormGradient(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  for (const char *type : {"LayerNormXBackprop", "LayerNormXBackpropV2"})
    registry.add(type, {XBackpropKernel::create,
                        "fp32, e^(-0.5 ln(var + eps)) with eps 1e-5 (fp32: "
                        "1e-12), one rounding; 310: exp and ln in fp16",
                        bits});
  registry.add("LayerNormXBackpropV3",
               {XBackpropKernel::create, "fp32, one rounding", bits});
  for (const char *type : {"LayerNormGrad", "LayerNormGradV3"})
    registry.add(type, {WholeGradientKernel::create,
                        "as LayerNormXBackpropV2 (V3), and of its fp32 xhat as "
                        "LayerNormBetaGammaBackpropV2",
                        bits});
  registry.add("LayerNormBetaGammaBackpropV2",
               {ParameterGradientKernel::create,
                "fp32 sums in 16 interleaved parts, or one after the other "
                "where the graph has atomics",
                bits});
}
