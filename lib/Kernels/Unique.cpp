//===- Unique.cpp - The values of a tensor, each once ---------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <cstring>
#include <unordered_map>

using namespace npu;
using namespace npu::kernels;

namespace {

/// y has the values of x in the order of their first place, then zeros; idx has
/// the place of every element of x among them. Values are the same when their
/// bytes are, but for zeros of both signs; a NaN is the same as no other.
class UniqueKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    std::memset(outputs[0].data, 0, outputs[0].desc->byteSize());
    std::unordered_map<uint64_t, int64_t> places;
    int64_t next = 0;
    for (int64_t i = 0; i < count; ++i) {
      const std::byte *element = inputs[0].data + i * size;
      uint64_t bits = 0;
      std::memcpy(&bits, element, size);
      const bool isNaN = isFloat && (bits & ~signBit) > infinity;
      if (isFloat && bits == signBit)
        bits = 0;
      int64_t place = next;
      if (!isNaN)
        place = places.try_emplace(bits, next).first->second;
      if (place == next) {
        std::memcpy(outputs[0].data + next * size, element, size);
        ++next;
      }
      if (indexType == DataType::Int32)
        outputs[1].as<int32_t>()[i] = static_cast<int32_t>(place);
      else
        outputs[1].as<int64_t>()[i] = place;
    }
    return NodeStatus{};
  }

private:
  int64_t count = 0;
  unsigned size = 0;
  DataType indexType = DataType::Undefined;
  bool isFloat = false;
  uint64_t signBit = 0, infinity = 0; ///< of a float
};

Expected<std::unique_ptr<Kernel>> UniqueKernel::create(const NodeSpec &spec,
                                                       const NumericConfig &) {
  if (Status status = checkArity(spec, 1, 2); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0],
                   &index = spec.outputs[1];
  const unsigned width = getBitWidth(x.dtype);
  if (width == 0 || width % 8 != 0 || width > 64 || y.dtype != x.dtype ||
      !isPlain(x.format) || !isPlain(y.format) ||
      y.numElements() < x.numElements() ||
      index.numElements() != x.numElements() ||
      (index.dtype != DataType::Int32 && index.dtype != DataType::Int64))
    return nodeError(spec, "the values of " + x.toString() +
                               " are not those of " + y.toString() +
                               " with places " + index.toString());
  auto kernel = std::make_unique<UniqueKernel>();
  kernel->count = x.numElements();
  kernel->size = width / 8;
  kernel->indexType = index.dtype;
  kernel->signBit = uint64_t(1) << (width - 1);
  switch (x.dtype) {
  case DataType::Float16:
    kernel->infinity = 0x7C00;
    break;
  case DataType::BFloat16:
    kernel->infinity = 0x7F80;
    break;
  case DataType::Float:
    kernel->infinity = 0x7F800000;
    break;
  case DataType::Double:
    kernel->infinity = 0x7FF0000000000000;
    break;
  default:
    break;
  }
  kernel->isFloat = kernel->infinity != 0;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addUnique(Registry &registry) {
  registry.add("Unique", {UniqueKernel::create, "copies", status::None});
}
