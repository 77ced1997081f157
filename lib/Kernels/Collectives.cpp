//===- Collectives.cpp - What one rank has of a communication -------------===//
//
// No other rank is there. Sums over ranks are those of one; where tensors of
// ranks lie one behind the other, all ranks are taken to hold what this one
// does, and this one is the first.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "Rearrangement.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

Status shapeError(const NodeSpec &spec) {
  return nodeError(spec, spec.inputs[0]->toString() + " does not give " +
                             spec.outputs[0].toString());
}

/// HcomAllGather: the tensors of all ranks along axis 0. HcomReduceScatter: the
/// first of `rank_size` parts along axis 0.
template <bool gathers>
Expected<std::unique_ptr<Kernel>> createForRanks(const NodeSpec &spec,
                                                 const NumericConfig &) {
  auto ranks = spec.attrs.require<int64_t>("rank_size");
  if (!ranks)
    return inNode(spec, ranks.takeStatus());
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  Shape whole = gathers ? plan->inputShape(0) : plan->outputShape();
  const int64_t count = getNumElements(whole);
  if (whole.empty() || *ranks < 1 ||
      __builtin_mul_overflow(whole[0], *ranks, &whole[0]) ||
      whole != (gathers ? plan->outputShape() : plan->inputShape(0)))
    return shapeError(spec);
  plan->copy(0, 0, {{gathers ? *ranks : 1, 0, count}, {count, 1, 1}});
  return std::move(*plan).takeKernel();
}

/// HcomAllToAllV: what comes from a rank is what this one sends to the first,
/// which is itself.
class AllToAllKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  std::string node; ///< for messages
  int64_t ranks = 0, sent = 0, received = 0;
  unsigned elementSize = 0;
};

Expected<std::unique_ptr<Kernel>>
AllToAllKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status = checkArity(spec, 5, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  const int64_t ranks = spec.inputs[1]->numElements();
  bool suits = x.dtype == y.dtype && getBitWidth(x.dtype) % 8 == 0 &&
               isPlain(x.format) && isPlain(y.format) && ranks > 0;
  for (size_t i = 1; i < 5; ++i)
    suits &= spec.inputs[i]->dtype == DataType::Int64 &&
             spec.inputs[i]->numElements() == ranks;
  if (!suits)
    return shapeError(spec);
  auto kernel = std::make_unique<AllToAllKernel>();
  kernel->node = spec.type + " '" + spec.name + "': ";
  kernel->ranks = ranks;
  kernel->sent = x.numElements();
  kernel->received = y.numElements();
  kernel->elementSize = getBitWidth(x.dtype) / 8;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
AllToAllKernel::run(RunContext &, std::span<const ConstTensor> inputs,
                    std::span<const MutableTensor> outputs) {
  auto inside = [](int64_t begin, int64_t count, int64_t all) {
    return begin >= 0 && count >= 0 && begin <= all && count <= all - begin;
  };
  const int64_t count = inputs[1].as<int64_t>()[0];
  const int64_t from = inputs[2].as<int64_t>()[0];
  if (!inside(from, count, sent))
    return Status::error(node + std::to_string(count) + " elements from " +
                         std::to_string(from) + " on exceed the " +
                         std::to_string(sent) + " of send_data");
  std::memset(outputs[0].data, 0, received * elementSize);
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const int64_t wanted = inputs[3].as<int64_t>()[rank];
    const int64_t to = inputs[4].as<int64_t>()[rank];
    if (wanted != count)
      return Status::error(node + std::to_string(wanted) +
                           " elements are received from rank " +
                           std::to_string(rank) + ", but " +
                           std::to_string(count) + " are sent to rank 0");
    if (!inside(to, count, received))
      return Status::error(node + std::to_string(count) + " elements from " +
                           std::to_string(to) + " on exceed the " +
                           std::to_string(received) + " of recv_data");
    std::memcpy(outputs[0].data + to * elementSize,
                inputs[0].data + from * elementSize, count * elementSize);
  }
  return NodeStatus{};
}

} // namespace

void kernels::addCollectives(Registry &registry) {
  registry.add("HcomAllGather", {createForRanks<true>, "copies", status::None});
  registry.add("HcomReduceScatter",
               {createForRanks<false>, "copies", status::None});
  registry.add("HcomAllToAllV",
               {AllToAllKernel::create, "copies", status::None});
}
