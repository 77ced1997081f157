//===- SizeInput.cpp - Operators that are given a size --------------------===//

#include "SizeInput.h"

using namespace npu;
using namespace npu::kernels;

namespace {

class SizeInputKernel final : public Kernel {
public:
  SizeInputKernel(std::unique_ptr<Kernel> kernel, size_t size)
      : kernel(std::move(kernel)), size(size) {}

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    others.assign(inputs.begin(), inputs.end());
    others.erase(others.begin() + size);
    return kernel->run(context, others, outputs);
  }

private:
  std::unique_ptr<Kernel> kernel;
  size_t size;
  std::vector<ConstTensor> others;
};

} // namespace

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createWithoutSize(const NodeSpec &spec,
                                      const NumericConfig &config,
                                      KernelFactory create, size_t size) {
  const DataType dtype = size < spec.inputs.size() && spec.inputs[size]
                             ? spec.inputs[size]->dtype
                             : DataType::Undefined;
  if (dtype != DataType::Int32 && dtype != DataType::Int64)
    return Status::error("input " + std::to_string(size) +
                         " is no size of the output, expected DT_INT32 or "
                         "DT_INT64")
        .withContext(spec.type + " " + spec.name);
  NodeSpec others = spec;
  others.inputs.erase(others.inputs.begin() + size);
  if (size < others.constants.size())
    others.constants.erase(others.constants.begin() + size);
  auto kernel = create(others, config);
  if (!kernel)
    return kernel;
  return std::unique_ptr<Kernel>(
      std::make_unique<SizeInputKernel>(std::move(*kernel), size));
}
