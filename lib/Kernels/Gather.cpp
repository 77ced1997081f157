//===- Gather.cpp - Rows by index -----------------------------------------===//

#include "AttributeOr.h"
#include "Builtins.h"
#include "ConstantInput.h"
#include "KernelChecks.h"
#include "PlainTensor.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// y[b, o, i, r] = x[b, o, indices[b, i], r]: batch, outer axes, indices and
/// the rest of x. A row of an index outside of x is zero.
class GatherKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    std::vector<std::byte> tableCopy, indexCopy, resultCopy;
    const std::byte *from =
        table->read(inputs[0].data, tableCopy, context.pool);
    const std::byte *index =
        indices->read(inputs[1].data, indexCopy, context.pool);
    std::byte *to = result->begin(outputs[0].data, resultCopy);
    if (indices->dtype() == DataType::Int32)
      gather(context.pool, from, reinterpret_cast<const int32_t *>(index), to);
    else
      gather(context.pool, from, reinterpret_cast<const int64_t *>(index), to);
    result->finish(outputs[0].data, resultCopy, context.pool);
    return NodeStatus{};
  }

private:
  std::optional<PlainInput> table, indices;
  std::optional<PlainOutput> result;
  int64_t batches = 1, outer = 1, extent = 0, numIndices = 1;
  int64_t rowBytes = 0;
  bool wrapsNegative = false;

  template <typename Index>
  void gather(ThreadPool &pool, const std::byte *from, const Index *index,
              std::byte *to) const {
    const int64_t grain =
        std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(rowBytes, 1));
    pool.parallelFor(
        batches * outer * numIndices, grain,
        [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t block = row / numIndices;
            int64_t place =
                index[block / outer * numIndices + row % numIndices];
            if (place < 0 && wrapsNegative)
              place += extent;
            std::byte *target = to + row * rowBytes;
            if (place < 0 || place >= extent)
              std::memset(target, 0, rowBytes);
            else
              std::memcpy(target, from + (block * extent + place) * rowBytes,
                          rowBytes);
          }
        });
  }
};

Expected<int64_t> readAxis(const NodeSpec &spec) {
  if (spec.type == "GatherV2D")
    return spec.attrs.require<int64_t>("axis");
  if (spec.type == "Gather")
    return int64_t(0);
  auto axis = readConstantInput(spec, 2, "axis");
  if (!axis)
    return axis.takeStatus();
  if (axis->size() != 1)
    return Status::error("input 2 (axis) is not one number");
  return axis->front();
}

Expected<std::unique_ptr<Kernel>> GatherKernel::create(const NodeSpec &spec,
                                                       const NumericConfig &) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  const DataType indexType = spec.inputs[1]->dtype;
  if (x.dtype != y.dtype || getBitWidth(x.dtype) % 8 != 0 ||
      (indexType != DataType::Int32 && indexType != DataType::Int64))
    return nodeError(spec, "cannot gather " + y.toString() + " from " +
                               x.toString() + " by indices of " +
                               std::string(getName(indexType)));
  auto number = readAxis(spec);
  if (!number)
    return inNode(spec, number.takeStatus());
  auto batchDims = attributeOr<int64_t>(spec, "batch_dims", 0);
  if (!batchDims)
    return inNode(spec, batchDims.takeStatus());
  auto wraps = attributeOr(spec, "negative_index_support", false);
  if (!wraps)
    return inNode(spec, wraps.takeStatus());

  auto kernel = std::make_unique<GatherKernel>();
  auto table = PlainInput::create(x);
  if (!table)
    return inNode(spec, table.takeStatus());
  auto indices = PlainInput::create(*spec.inputs[1]);
  if (!indices)
    return inNode(spec, indices.takeStatus());
  auto result = PlainOutput::create(y);
  if (!result)
    return inNode(spec, result.takeStatus());

  const Shape &from = table->shape(), &by = indices->shape();
  const size_t shared = static_cast<size_t>(*batchDims);
  if (*batchDims < 0 || shared > by.size() || shared > from.size())
    return nodeError(spec,
                     "attribute 'batch_dims' is " + std::to_string(*batchDims) +
                         ", but the indices are " + spec.inputs[1]->toString());
  // Without an axis of its own, Gather takes the first that is not shared.
  auto axis =
      normalizeAxis(spec.type == "Gather" ? *batchDims : *number, from.size());
  if (!axis)
    return inNode(spec, axis.takeStatus());
  if (*axis < shared ||
      !std::equal(from.begin(), from.begin() + shared, by.begin()))
    return nodeError(spec, x.toString() + " and its indices " +
                               spec.inputs[1]->toString() +
                               " do not share the first " +
                               std::to_string(shared) + " axes");
  int64_t rest = 1;
  for (size_t i = 0; i < from.size(); ++i)
    (i < shared  ? kernel->batches
     : i < *axis ? kernel->outer
                 : rest) *= i == *axis ? 1 : from[i];
  for (size_t i = shared; i < by.size(); ++i)
    kernel->numIndices *= by[i];
  kernel->extent = from[*axis];
  kernel->rowBytes = rest * (getBitWidth(x.dtype) / 8);
  kernel->wrapsNegative = *wraps;
  if (kernel->batches * kernel->outer * kernel->numIndices * rest !=
      getNumElements(result->shape()))
    return nodeError(spec, "taking " + std::to_string(kernel->numIndices) +
                               " along axis " + std::to_string(*axis) + " of " +
                               x.toString() + " does not give " + y.toString());
  kernel->table = std::move(*table);
  kernel->indices = std::move(*indices);
  kernel->result = std::move(*result);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addGather(Registry &registry) {
  for (const char *type : {"Gather", "GatherV2", "GatherV2D"})
    registry.add(type, {GatherKernel::create,
                        "copies; zero for an index outside", status::None});
}
