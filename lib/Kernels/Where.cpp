//===- Where.cpp - Places of the elements that are not zero ---------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// y has a row for each element of x that is not zero, in the order of memory:
/// its index along each axis. Rows of zeros follow.
class WhereKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  Shape shape; ///< of x
  unsigned size = 0;
  bool isFloat = false;

  bool isZero(const std::byte *element) const;
};

Expected<std::unique_ptr<Kernel>> WhereKernel::create(const NodeSpec &spec,
                                                      const NumericConfig &) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  const unsigned width = getBitWidth(x.dtype);
  const auto rank = static_cast<int64_t>(x.shape.size());
  if (width == 0 || width % 8 != 0 || width > 64 || !isPlain(x.format) ||
      !isPlain(y.format) || y.dtype != DataType::Int64 ||
      y.shape != Shape{x.numElements(), rank})
    return nodeError(spec, "the places of " + x.toString() + " do not fill a " +
                               y.toString() +
                               "; expected DT_INT64 with a row for each "
                               "element");
  auto kernel = std::make_unique<WhereKernel>();
  kernel->shape = x.shape;
  kernel->size = width / 8;
  kernel->isFloat = isFloatType(x.dtype) || x.dtype == DataType::Double;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// A float is zero with either sign.
bool WhereKernel::isZero(const std::byte *element) const {
  uint64_t bits = 0;
  std::memcpy(&bits, element, size);
  const uint64_t signBit = uint64_t(1) << (8 * size - 1);
  return bits == 0 || (isFloat && bits == signBit);
}

Expected<NodeStatus> WhereKernel::run(RunContext &,
                                      std::span<const ConstTensor> inputs,
                                      std::span<const MutableTensor> outputs) {
  std::memset(outputs[0].data, 0, outputs[0].desc->byteSize());
  int64_t *row = outputs[0].as<int64_t>();
  for (int64_t i = 0, e = getNumElements(shape); i < e; ++i) {
    if (isZero(inputs[0].data + i * size))
      continue;
    for (int64_t axis = static_cast<int64_t>(shape.size()) - 1, rest = i;
         axis >= 0; --axis) {
      row[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    row += shape.size();
  }
  return NodeStatus{};
}

} // namespace

void kernels::addWhere(Registry &registry) {
  registry.add("Where", {WhereKernel::create, "copies", status::None});
}
