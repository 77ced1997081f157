//===- WeightQuantization.cpp - AscendWeightQuant -------------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "PlainTensor.h"
#include "StridedCopy.h"
#include "npu/Kernels/Registry.h"

using namespace npu;
using namespace npu::kernels;

namespace {

/// y = x - offset, where offset repeats along the axes in which it has one
/// element.
class WeightQuantizationKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PlainInput x, offset;
  PlainOutput y;
  std::vector<int64_t> steps; ///< of offset along the axes of x
};

Expected<std::unique_ptr<Kernel>>
WeightQuantizationKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  auto kernel = std::make_unique<WeightQuantizationKernel>();
  for (const auto &[plain, index] :
       {std::pair{&kernel->x, 0}, {&kernel->offset, 1}}) {
    auto input = PlainInput::create(*spec.inputs[index]);
    if (!input)
      return inNode(spec, input.takeStatus());
    *plain = std::move(*input);
  }
  auto y = PlainOutput::create(spec.outputs[0]);
  if (!y)
    return inNode(spec, y.takeStatus());
  kernel->y = std::move(*y);
  for (DataType dtype :
       {kernel->x.dtype(), kernel->offset.dtype(), kernel->y.dtype()})
    if (dtype != DataType::Int8)
      return nodeError(spec, "has a tensor of " + std::string(getName(dtype)) +
                                 ", expected DT_INT8");
  const Shape &shape = kernel->x.shape(), &small = kernel->offset.shape();
  const std::vector<int64_t> stepsOfOffset = rowMajorSteps(small);
  kernel->steps.assign(shape.size(), 0);
  bool fits = kernel->y.shape() == shape && small.size() <= shape.size();
  for (size_t i = 0; fits && i < small.size(); ++i) {
    const size_t axis = shape.size() - small.size() + i;
    fits = small[i] == 1 || small[i] == shape[axis];
    if (small[i] != 1)
      kernel->steps[axis] = stepsOfOffset[i];
  }
  if (!fits)
    return nodeError(spec, spec.inputs[0]->toString() + " less " +
                               spec.inputs[1]->toString() + " does not give " +
                               spec.outputs[0].toString());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
WeightQuantizationKernel::run(RunContext &context,
                              std::span<const ConstTensor> inputs,
                              std::span<const MutableTensor> outputs) {
  std::vector<std::byte> copyOfX, copyOfOffset, copyOfY;
  const auto *from = reinterpret_cast<const int8_t *>(
      x.read(inputs[0].data, copyOfX, context.pool));
  const auto *less = reinterpret_cast<const int8_t *>(
      offset.read(inputs[1].data, copyOfOffset, context.pool));
  auto *to = reinterpret_cast<int8_t *>(y.begin(outputs[0].data, copyOfY));
  const Shape &shape = x.shape();
  for (int64_t i = 0, e = getNumElements(shape); i < e; ++i) {
    int64_t place = 0;
    for (int64_t axis = static_cast<int64_t>(shape.size()) - 1, rest = i;
         axis >= 0; --axis) {
      place += rest % shape[axis] * steps[axis];
      rest /= shape[axis];
    }
    const int difference = from[i] - less[place];
    if (difference != static_cast<int8_t>(difference))
      return Status::error("weight " + std::to_string(from[i]) +
                           " less offset " + std::to_string(less[place]) +
                           " is beyond DT_INT8, of which no document says "
                           "what it becomes");
    to[i] = static_cast<int8_t>(difference);
  }
  y.finish(outputs[0].data, copyOfY, context.pool);
  return NodeStatus{};
}

} // namespace

void kernels::addWeightQuantization(Registry &registry) {
  registry.add("AscendWeightQuant",
               {WeightQuantizationKernel::create, "exact", status::None});
}
