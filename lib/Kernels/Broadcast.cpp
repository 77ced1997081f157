//===- Broadcast.cpp - Tensors of repeated elements -----------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "DroppedInputs.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "Rearrangement.h"
#include "npu/Kernels/Registry.h"

#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// BroadcastToD, BroadcastTo, and Fill without its dims: axes of one element
/// are repeated, and there may be more in front.
Expected<std::unique_ptr<Kernel>> createBroadcast(const NodeSpec &spec,
                                                  const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  const Shape &from = plan->inputShape(0), &to = plan->outputShape();
  bool fits = from.size() <= to.size();
  const size_t added = fits ? to.size() - from.size() : 0;
  const std::vector<int64_t> source = rowMajorSteps(from),
                             target = rowMajorSteps(to);
  std::vector<StridedCopy::Axis> axes;
  for (size_t i = 0; fits && i < to.size(); ++i) {
    const bool repeats = i < added || from[i - added] == 1;
    fits = repeats || from[i - added] == to[i];
    axes.push_back({to[i], repeats ? 0 : source[i - added], target[i]});
  }
  if (!fits)
    return nodeError(spec, spec.inputs[0]->toString() +
                               " does not broadcast to " +
                               spec.outputs[0].toString());
  plan->copy(0, 0, std::move(axes));
  return std::move(*plan).takeKernel();
}

Expected<std::unique_ptr<Kernel>> createFill(const NodeSpec &spec,
                                             const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  if (spec.inputs[1]->numElements() != 1)
    return nodeError(spec, "value " + spec.inputs[1]->toString() +
                               " is not one number");
  return createWithoutInputs(spec, config, createBroadcast, 0);
}

/// The bytes of \p value in \p dtype; empty for types that have no elements of
/// whole bytes.
std::vector<std::byte> bytesOf(DataType dtype, float value) {
  const unsigned bits = getBitWidth(dtype);
  if (bits == 0 || bits % 8 != 0)
    return {};
  std::vector<std::byte> bytes(bits / 8);
  auto put = [&](auto element) {
    std::memcpy(bytes.data(), &element, sizeof(element));
  };
  switch (dtype) {
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::Float:
    fromFloat(dtype, {&value, 1}, bytes.data(), OverflowMode::Saturate);
    break;
  case DataType::Double:
    put(double(value));
    break;
  case DataType::Bool:
    put(value != 0);
    break;
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Int32:
  case DataType::UInt32:
  case DataType::Int64:
  case DataType::UInt64: {
    const int64_t whole = static_cast<int64_t>(value);
    std::memcpy(bytes.data(), &whole, bytes.size());
    break;
  }
  default:
    return {};
  }
  return bytes;
}

/// ZerosLike, OnesLike and Fills. Padding is zero.
class LikeKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &) {
    if (Status status = checkArity(spec, 1, 1); !status)
      return status;
    auto kernel = std::make_unique<LikeKernel>();
    Expected<float> value = spec.type == "Fills"
                                ? spec.attribute<float>("value")
                                : Expected<float>(spec.type == "OnesLike");
    if (!value)
      return inNode(spec, value.takeStatus());
    kernel->element = bytesOf(spec.outputs[0].dtype, *value);
    if (kernel->element.empty())
      return nodeError(spec, "no elements of " + spec.outputs[0].toString());
    auto output = PlainOutput::create(spec.outputs[0]);
    if (!output)
      return inNode(spec, output.takeStatus());
    kernel->output = std::move(*output);
    return std::unique_ptr<Kernel>(std::move(kernel));
  }

  Expected<NodeStatus> run(RunContext &context, std::span<const ConstTensor>,
                           std::span<const MutableTensor> outputs) override {
    std::vector<std::byte> copy;
    std::byte *to = output.begin(outputs[0].data, copy);
    const size_t size = element.size();
    context.pool.parallelFor(getNumElements(output.shape()), 1 << 16,
                             [&](int64_t begin, int64_t end, int64_t) {
                               for (int64_t i = begin; i < end; ++i)
                                 std::memcpy(to + i * size, element.data(),
                                             size);
                             });
    output.finish(outputs[0].data, copy, context.pool);
    return NodeStatus{};
  }

private:
  PlainOutput output;
  std::vector<std::byte> element;
};

} // namespace

void kernels::addBroadcast(Registry &registry) {
  for (const char *type : {"BroadcastToD", "BroadcastTo"})
    registry.add(type, {createBroadcast, "copies", status::None});
  registry.add("Fill", {createFill, "copies", status::None});
  for (const char *type : {"ZerosLike", "OnesLike", "Fills"})
    registry.add(type, {LikeKernel::create, "exact", status::None});
}
