//===- DroppedInputs.cpp - Kernels that do not see some inputs ------------===//

#include "DroppedInputs.h"

using namespace npu;
using namespace npu::kernels;

namespace {

class DroppedInputsKernel final : public Kernel {
public:
  DroppedInputsKernel(std::unique_ptr<Kernel> kernel, size_t first,
                      size_t count)
      : kernel(std::move(kernel)), first(first), count(count) {}

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    others.assign(inputs.begin(), inputs.end());
    others.erase(others.begin() + first, others.begin() + first + count);
    return kernel->run(context, others, outputs);
  }

private:
  std::unique_ptr<Kernel> kernel;
  size_t first, count;
  std::vector<ConstTensor> others;
};

} // namespace

Expected<std::unique_ptr<Kernel>>
kernels::createWithoutInputs(const NodeSpec &spec, const NumericConfig &config,
                             KernelFactory create, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    const DataType dtype = i < spec.inputs.size() && spec.inputs[i]
                               ? spec.inputs[i]->dtype
                               : DataType::Undefined;
    if (dtype != DataType::Int32 && dtype != DataType::Int64)
      return Status::error("input " + std::to_string(i) +
                           " holds no sizes or axes, expected DT_INT32 or "
                           "DT_INT64")
          .withContext(spec.type + " " + spec.name);
  }
  NodeSpec others = spec;
  auto erase = [&](auto &list) {
    if (list.size() >= first + count)
      list.erase(list.begin() + first, list.begin() + first + count);
  };
  erase(others.inputs);
  erase(others.constants);
  auto kernel = create(others, config);
  if (!kernel)
    return kernel;
  return std::unique_ptr<Kernel>(
      std::make_unique<DroppedInputsKernel>(std::move(*kernel), first, count));
}
