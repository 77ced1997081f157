//===- ShapeOf.cpp - Shape, rank and size of tensors ----------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

namespace {

/// What a tensor says of its shape.
using Describe = std::vector<int64_t> (*)(const Shape &shape);

/// Output k describes the logical shape of input k. No values are read.
class ShapeOfKernel final : public Kernel {
public:
  template <Describe describe>
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &) {
    if (Status status =
            checkArity(spec, spec.outputs.size(), spec.outputs.size());
        !status)
      return status;
    auto kernel = std::make_unique<ShapeOfKernel>();
    for (size_t k = 0; k != spec.outputs.size(); ++k) {
      const TensorDesc &y = spec.outputs[k];
      std::vector<int64_t> values = describe(spec.inputs[k]->originShape);
      if ((y.dtype != DataType::Int32 && y.dtype != DataType::Int64) ||
          y.numElements() != static_cast<int64_t>(values.size()))
        return nodeError(spec, "the shape of " + spec.inputs[k]->toString() +
                                   " is no " + y.toString());
      kernel->results.push_back(std::move(values));
    }
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor>,
                           std::span<const MutableTensor> outputs) override {
    for (size_t k = 0; k != outputs.size(); ++k)
      if (outputs[k].desc->dtype == DataType::Int32)
        std::copy(results[k].begin(), results[k].end(),
                  outputs[k].as<int32_t>());
      else
        std::copy(results[k].begin(), results[k].end(),
                  outputs[k].as<int64_t>());
    return NodeStatus{};
  }

private:
  std::vector<std::vector<int64_t>> results; // by output
};

std::vector<int64_t> dimensions(const Shape &shape) { return shape; }
std::vector<int64_t> rank(const Shape &shape) {
  return {static_cast<int64_t>(shape.size())};
}
std::vector<int64_t> size(const Shape &shape) {
  return {getNumElements(shape)};
}

} // namespace

void kernels::addShapeOf(Registry &registry) {
  auto add = [&](const char *type, auto create) {
    registry.add(type, {create, "copies", status::None});
  };
  add("Rank", ShapeOfKernel::create<rank>);
  add("Shape", ShapeOfKernel::create<dimensions>);
  add("ShapeN", ShapeOfKernel::create<dimensions>);
  add("Size", ShapeOfKernel::create<size>);
}
