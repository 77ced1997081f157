//===- CrossEntropy.cpp - SoftmaxCrossEntropyWithLogits -------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineMath.h"
#include "PlainTensor.h"
#include "ScalarMath.h"
#include "npu/Kernels/Registry.h"

#include <atomic>
#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// loss[b] = sum of labels[b, i] * (ln sum(e^d) - d_i) with d = features - max
/// over the row, backprop = e^d / sum(e^d) - labels. All in fp32, rounded at
/// the end; exp and ln are fp16 instructions where the SoC has no others.
class CrossEntropyKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  std::optional<PlainInput> features, labels;
  std::optional<PlainOutput> loss, backprop;
  DataType dtype = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  bool halfExp = false;
  int64_t rows = 1, width = 0;
};

/// Replaces \p row by its products with \p target and \p power by backprop.
/// Returns the loss. With \p halfExp exp and ln are fp16 instructions.
template <class Instructions>
float computeRow(Instructions &unit, std::span<float> row,
                 std::span<const float> target, std::span<float> power,
                 bool halfExp, OverflowMode mode, StatusBits &bits) {
  StatusBits ignored = status::None;
  const float max = largestOf(row, false, OverflowMode::InfNan, ignored);
  for (float &value : row)
    value = unit.sub(value, max);
  std::copy(row.begin(), row.end(), power.begin());
  bits |= expInPlace(power, halfExp, mode);
  const float sum = unit.sum(power);
  const float logarithm =
      halfExp ? logThroughHalf(sum, mode, bits) : unit.log(sum);
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = unit.mul(target[i], unit.sub(logarithm, row[i]));
    power[i] = canonicalNaN(unit.sub(unit.div(power[i], sum), target[i]));
  }
  return canonicalNaN(unit.sum(row));
}

Expected<std::unique_ptr<Kernel>>
CrossEntropyKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 2); !status)
    return status;
  auto kernel = std::make_unique<CrossEntropyKernel>();
  auto bind = [&](auto &tensor, const TensorDesc &desc) {
    using Plain =
        typename std::remove_reference_t<decltype(tensor)>::value_type;
    auto plain = Plain::create(desc);
    if (!plain)
      return inNode(spec, plain.takeStatus());
    tensor = std::move(*plain);
    return Status();
  };
  if (Status status = bind(kernel->features, *spec.inputs[0]); !status)
    return status;
  if (Status status = bind(kernel->labels, *spec.inputs[1]); !status)
    return status;
  if (Status status = bind(kernel->loss, spec.outputs[0]); !status)
    return status;
  if (Status status = bind(kernel->backprop, spec.outputs[1]); !status)
    return status;
  const Shape &x = kernel->features->shape();
  kernel->dtype = spec.inputs[0]->dtype;
  bool suits = isFloatType(kernel->dtype) && !x.empty() && x.back() > 0 &&
               kernel->labels->shape() == x && kernel->backprop->shape() == x &&
               spec.inputs[1]->dtype == kernel->dtype;
  for (const TensorDesc &output : spec.outputs)
    suits &= output.dtype == kernel->dtype;
  if (suits) {
    kernel->width = x.back();
    kernel->rows = getNumElements(x) / kernel->width;
    suits = getNumElements(kernel->loss->shape()) == kernel->rows;
  }
  if (!suits)
    return nodeError(spec, "features " + spec.inputs[0]->toString() +
                               " and labels " + spec.inputs[1]->toString() +
                               " do not give " + spec.outputs[0].toString() +
                               " and " + spec.outputs[1].toString());
  kernel->mode = config.overflow;
  kernel->halfExp = config.soc == Soc::Ascend310;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
CrossEntropyKernel::run(RunContext &context,
                        std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  std::vector<std::byte> featureCopy, labelCopy, lossCopy, backpropCopy;
  const std::byte *x =
      features->read(inputs[0].data, featureCopy, context.pool);
  const std::byte *y = labels->read(inputs[1].data, labelCopy, context.pool);
  std::byte *toLoss = loss->begin(outputs[0].data, lossCopy);
  std::byte *toBackprop = backprop->begin(outputs[1].data, backpropCopy);
  const unsigned size = getBitWidth(dtype) / 8;
  std::atomic<StatusBits> status{npu::status::None};
  const int64_t grain = std::max<int64_t>(1, 4096 / width);
  context.pool.parallelFor(
      rows, grain, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> row(width), target(width), power(width);
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          auto compute = [&](auto unit) {
            toFloat(dtype, x + line * width * size, row);
            toFloat(dtype, y + line * width * size, target);
            const float ofRow =
                computeRow(unit, row, target, power, halfExp, mode, bits);
            bits |= unit.bits;
            return ofRow;
          };
          const float result = compute(PlainInstructions());
          // An infinite or NaN operand or difference makes one of them so.
          if (!std::isfinite(result) || !areFinite(power))
            compute(WatchedInstructions());
          bits |= fromFloat(dtype, {&result, 1}, toLoss + line * size, mode);
          bits |=
              fromFloat(dtype, power, toBackprop + line * width * size, mode);
        }
        status |= bits;
      });
  loss->finish(outputs[0].data, lossCopy, context.pool);
  backprop->finish(outputs[1].data, backpropCopy, context.pool);
  return NodeStatus{status, npu::status::None};
}

} // namespace

void kernels::addCrossEntropy(Registry &registry) {
  registry.add("SoftmaxCrossEntropyWithLogits",
               {CrossEntropyKernel::create,
                "fp32, one rounding at the end; 310: exp and ln in fp16",
                status::VectorNanInfInput | status::FloatOverflow |
                    status::FloatUnderflow | status::CastOverflow |
                    status::CastUnderflow});
}
