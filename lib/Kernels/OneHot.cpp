//===- OneHot.cpp - OneHotD, OneHot ---------------------------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// y[o, d, i] = x[o, i] == d ? on : off.
class OneHotKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    const std::byte *on = inputs[onInput].data;
    const std::byte *off = inputs[onInput + 1].data;
    context.pool.parallelFor(
        outer * depth, 64, [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t line = begin; line < end; ++line) {
            std::byte *to = outputs[0].data + line * inner * elementSize;
            for (int64_t i = 0; i < inner; ++i)
              std::memcpy(to + i * elementSize,
                          indexAt(inputs[0], line / depth * inner + i) ==
                                  line % depth
                              ? on
                              : off,
                          elementSize);
          }
        });
    return NodeStatus{};
  }

private:
  DataType indexType = DataType::Undefined;
  unsigned elementSize = 0;
  size_t onInput = 1;
  int64_t outer = 1, depth = 0, inner = 1;

  int64_t indexAt(const ConstTensor &x, int64_t i) const {
    return indexType == DataType::Int32   ? x.as<int32_t>()[i]
           : indexType == DataType::Int64 ? x.as<int64_t>()[i]
                                          : x.as<uint8_t>()[i];
  }
};

Expected<std::unique_ptr<Kernel>> OneHotKernel::create(const NodeSpec &spec,
                                                       const NumericConfig &) {
  const bool isAttribute = spec.type == "OneHotD";
  const size_t on = isAttribute ? 1 : 2;
  if (Status status = checkArity(spec, on + 2, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  auto axisNumber = spec.attribute<int64_t>("axis");
  if (!axisNumber)
    return inNode(spec, axisNumber.takeStatus());
  auto axis = normalizeAxis(*axisNumber, x.shape.size() + 1);
  if (!axis)
    return inNode(spec, axis.takeStatus());
  auto kernel = std::make_unique<OneHotKernel>();
  if (isAttribute) {
    auto depth = spec.attrs.require<int64_t>("depth");
    if (!depth)
      return inNode(spec, depth.takeStatus());
    kernel->depth = *depth;
  } else {
    auto depth = readConstantInput(spec, 1, "depth");
    if (!depth)
      return inNode(spec, depth.takeStatus());
    if (depth->size() != 1)
      return nodeError(spec, "input 1 (depth) is not one number");
    kernel->depth = depth->front();
  }
  Shape result = x.shape;
  result.insert(result.begin() + *axis, kernel->depth);
  bool suits = kernel->depth >= 0 && result == y.shape && isPlain(x.format) &&
               isPlain(y.format) && getBitWidth(y.dtype) % 8 == 0 &&
               getBitWidth(y.dtype) != 0 &&
               (x.dtype == DataType::Int32 || x.dtype == DataType::Int64 ||
                x.dtype == DataType::UInt8);
  for (size_t i : {on, on + 1})
    suits &=
        spec.inputs[i]->dtype == y.dtype && spec.inputs[i]->numElements() == 1;
  if (!suits)
    return nodeError(spec, "one of " + std::to_string(kernel->depth) +
                               " for each of " + x.toString() +
                               " does not give " + y.toString());
  for (size_t i = 0; i < x.shape.size(); ++i)
    (i < *axis ? kernel->outer : kernel->inner) *= x.shape[i];
  kernel->indexType = x.dtype;
  kernel->elementSize = getBitWidth(y.dtype) / 8;
  kernel->onInput = on;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addOneHot(Registry &registry) {
  for (const char *type : {"OneHotD", "OneHot"})
    registry.add(type, {OneHotKernel::create, "copies", status::None});
}
