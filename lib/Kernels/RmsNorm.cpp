//===- RmsNorm.cpp - Normalisation by the root mean square ----------------===//
//
// RmsNorm (x, gamma) -> (y, rstd) and AddRmsNorm (x1, x2, gamma) ->
// (y, rstd, x1 + x2): lines run along the axes of gamma.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "ScalarMath.h"
#include "npu/Kernels/Registry.h"

#include <atomic>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

class RmsNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  bool adds = false; ///< AddRmsNorm
  float epsilon = 0;
  OverflowMode mode = OverflowMode::Saturate;
  std::vector<FloatLines> from; ///< x, or x1 and x2
  FloatLines to, sum;
  LineValues root;
  LineParameter gamma;

  void readOperand(std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs, int64_t line,
                   std::span<float> values, StatusBits &bits) const;
};

Expected<std::unique_ptr<Kernel>>
RmsNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  auto kernel = std::make_unique<RmsNormKernel>();
  kernel->adds = spec.type == "AddRmsNorm";
  const size_t operands = kernel->adds ? 2 : 1;
  if (Status status = checkArity(spec, operands + 1, operands + 1); !status)
    return status;
  kernel->mode = config.overflow;
  auto epsilon = spec.attribute<float>("epsilon");
  if (!epsilon)
    return inNode(spec, epsilon.takeStatus());
  kernel->epsilon = *epsilon;
  const TensorDesc &x = *spec.inputs[0], &scale = *spec.inputs[operands];
  const size_t rank = scale.originShape.size();
  if (rank == 0)
    return nodeError(spec, "gamma is a scalar");
  auto along = markTrailingAxes(x, -static_cast<int64_t>(rank));
  if (!along)
    return inNode(spec, along.takeStatus());
  auto first = FloatLines::create(x, *along);
  if (!first)
    return inNode(spec, first.takeStatus());
  if (first->length() == 0)
    return nodeError(spec, "nothing to normalise in " + x.toString());
  auto gamma = LineParameter::create(scale, *first);
  if (!gamma)
    return inNode(spec, gamma.takeStatus());
  kernel->gamma = std::move(*gamma);
  auto root = LineValues::create(spec.outputs[1], first->numLines());
  if (!root)
    return inNode(spec, root.takeStatus());
  kernel->root = std::move(*root);
  auto bindLike = [&](const TensorDesc &desc, FloatLines &lines) -> Status {
    auto bound = FloatLines::createLike(*first, desc, *along);
    if (!bound)
      return inNode(spec, bound.takeStatus());
    lines = std::move(*bound);
    return {};
  };
  if (Status status = bindLike(spec.outputs[0], kernel->to); !status)
    return status;
  kernel->from.resize(operands);
  for (size_t i = 0; i < operands; ++i)
    if (Status status = bindLike(*spec.inputs[i], kernel->from[i]); !status)
      return status;
  if (kernel->adds)
    if (Status status = bindLike(spec.outputs[2], kernel->sum); !status)
      return status;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// The line to normalise. The sum of AddRmsNorm is rounded to its type first.
void RmsNormKernel::readOperand(std::span<const ConstTensor> inputs,
                                std::span<const MutableTensor> outputs,
                                int64_t line, std::span<float> values,
                                StatusBits &bits) const {
  from[0].read(inputs[0].data, line, values);
  if (!adds)
    return;
  std::vector<float> other(values.size());
  from[1].read(inputs[1].data, line, other);
  WatchedInstructions watched;
  for (size_t i = 0; i < values.size(); ++i) {
    const float result = values[i] + other[i];
    if (!std::isfinite(result))
      watched.add(values[i], other[i]);
    values[i] = result;
  }
  bits |= watched.bits;
  StatusBits cast = sum.write(outputs[2].data, line, values, mode);
  // An fp16 addition, not a cast.
  if (sum.dtype() == DataType::Float16 && (cast & status::CastOverflow))
    cast = status::FloatOverflow;
  bits |= cast;
  sum.read(outputs[2].data, line, values);
}

/// Replaces \p values by x / sqrt(mean(x^2) + epsilon) * scale.
struct Normalized {
  float radicand = 0, inverseRoot = 0;
};
template <class Instructions>
Normalized normalize(Instructions &unit, std::span<float> values,
                     std::span<const float> scale, float epsilon,
                     OverflowMode mode, StatusBits &bits) {
  std::vector<float> squares(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    squares[i] = unit.mul(values[i], values[i]);
  const float share = 1.0f / static_cast<float>(values.size());
  Normalized result;
  result.radicand = unit.add(unit.mul(unit.sum(squares), share), epsilon);
  result.inverseRoot =
      inverseRoot(result.radicand, InverseRoot::Quotient, mode, bits);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = canonicalNaN(
        unit.mul(unit.mul(values[i], result.inverseRoot), scale[i]));
  return result;
}

Expected<NodeStatus>
RmsNormKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  const LineParameter::Values scales = gamma.load(inputs[from.size()].data);
  to.clearPadding(outputs[0].data);
  root.clearPadding(outputs[1].data);
  if (adds)
    sum.clearPadding(outputs[2].data);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      to.numLines(), to.grain(), [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> operand(static_cast<size_t>(to.length())), values;
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          readOperand(inputs, outputs, line, operand, bits);
          const std::span<const float> scale = gamma.ofLine(scales, line);
          auto run = [&](auto unit) {
            values = operand;
            const Normalized result =
                normalize(unit, values, scale, epsilon, mode, bits);
            bits |= unit.bits;
            return result;
          };
          const auto [radicand, inverse] = run(PlainInstructions());
          // One of them is not where an operand is not.
          if (!std::isfinite(radicand) || !areFinite(values))
            run(WatchedInstructions());
          bits |= to.write(outputs[0].data, line, values, mode);
          bits |= root.write(outputs[1].data, line, inverse, mode);
        }
        status |= bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addRmsNorm(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  registry.add("RmsNorm",
               {RmsNormKernel::create,
                "fp32, 1 / sqrt(mean(x^2) + eps), one rounding", bits});
  registry.add("AddRmsNorm",
               {RmsNormKernel::create,
                "x1 + x2 rounded to its type; then fp32, one rounding", bits});
}
