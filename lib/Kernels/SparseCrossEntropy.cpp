//===- SparseCrossEntropy.cpp - SparseSoftmaxCrossEntropyWithLogits -------===//

#include "Builtins.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "LineMath.h"
#include "ScalarMath.h"
#include "npu/Kernels/Registry.h"

using namespace npu;
using namespace npu::kernels;

namespace {

/// loss[b] = ln(sum(e^d)) - d[label], d = features - max over the row;
/// backprop = e^d / sum(e^d), less 1 at the label. fp32, rounded at the end.
/// A CPU of the device computes it: nothing is reported.
class SparseCrossEntropyKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  FloatLines features, backprop;
  LineValues loss;
  bool wideLabels = false; ///< int64
  OverflowMode mode = OverflowMode::Saturate;

  int64_t labelOf(const ConstTensor &labels, int64_t row) const {
    return wideLabels ? labels.as<int64_t>()[row] : labels.as<int32_t>()[row];
  }
};

Expected<std::unique_ptr<Kernel>>
SparseCrossEntropyKernel::create(const NodeSpec &spec,
                                 const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 2); !status)
    return status;
  auto kernel = std::make_unique<SparseCrossEntropyKernel>();
  kernel->mode = config.overflow;
  const TensorDesc &x = *spec.inputs[0], &labels = *spec.inputs[1];
  auto along = markAxes(x, {-1});
  if (!along)
    return inNode(spec, along.takeStatus());
  auto features = FloatLines::create(x, *along);
  if (!features)
    return inNode(spec, features.takeStatus());
  if (features->length() == 0)
    return nodeError(spec, "no classes in " + x.toString());
  if ((labels.dtype != DataType::Int32 && labels.dtype != DataType::Int64) ||
      labels.numElements() != features->numLines())
    return nodeError(spec, "labels " + labels.toString() +
                               " are not one int32 or int64 for each row of " +
                               x.toString());
  auto loss = LineValues::create(spec.outputs[0], features->numLines());
  if (!loss)
    return inNode(spec, loss.takeStatus());
  auto backprop = FloatLines::createLike(*features, spec.outputs[1], *along);
  if (!backprop)
    return inNode(spec, backprop.takeStatus());
  kernel->wideLabels = labels.dtype == DataType::Int64;
  kernel->features = std::move(*features);
  kernel->loss = std::move(*loss);
  kernel->backprop = std::move(*backprop);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
SparseCrossEntropyKernel::run(RunContext &context,
                              std::span<const ConstTensor> inputs,
                              std::span<const MutableTensor> outputs) {
  for (int64_t row = 0; row < features.numLines(); ++row)
    if (const int64_t label = labelOf(inputs[1], row);
        label < 0 || label >= features.length())
      return Status::error("label " + std::to_string(label) + " of row " +
                           std::to_string(row) + " is none of " +
                           std::to_string(features.length()) + " classes");
  loss.clearPadding(outputs[0].data);
  backprop.clearPadding(outputs[1].data);
  context.pool.parallelFor(
      features.numLines(), features.grain(),
      [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values(static_cast<size_t>(features.length()));
        StatusBits ignored = status::None;
        for (int64_t row = begin; row < end; ++row) {
          const size_t label = static_cast<size_t>(labelOf(inputs[1], row));
          features.read(inputs[0].data, row, values);
          const float max = largestOf(values, false, mode, ignored);
          for (float &value : values)
            value -= max;
          const float ofLabel = values[label];
          expInPlace(values, false, mode);
          const float sum = sumInOrder(values.data(), values.size());
          for (float &value : values)
            value /= sum;
          values[label] -= 1;
          loss.write(outputs[0].data, row, logOf(sum) - ofLabel, mode);
          backprop.write(outputs[1].data, row, values, mode);
        }
      });
  return NodeStatus();
}

} // namespace

void kernels::addSparseCrossEntropy(Registry &registry) {
  registry.add("SparseSoftmaxCrossEntropyWithLogits",
               {SparseCrossEntropyKernel::create,
                "fp32, one rounding; on a CPU of the device, no status",
                status::None});
}
