//===- Conversion.cpp - TransData and Cast --------------------------------===//
//
// Both say that a tensor is the same in other clothes: another layout, another
// type. A graph may have merged a Cast into a TransData, so one kernel does
// both, and does what the descriptors ask for.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "LaneStatus.h"
#include "npu/Kernels/FormatTransfer.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Cast.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t ChunkSize = 16384;

class ConversionKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  NumericConfig config;
  TensorDesc source, target;
  std::optional<FormatTransfer> transfer; ///< absent when layouts are equal
  numerics::CastFunction castFunction = nullptr; ///< null when types are
  LaneMap castLanes;     ///< of the layout in which the cast happens
  bool castFirst = true; ///< before the transfer, which then moves less

  NodeStatus cast(ThreadPool &pool, const std::byte *from, std::byte *to,
                  int64_t count) const;
};

} // namespace

Expected<std::unique_ptr<Kernel>>
ConversionKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto kernel = std::make_unique<ConversionKernel>();
  kernel->config = config;
  kernel->source = *spec.inputs[0];
  kernel->target = spec.outputs[0];
  const TensorDesc &source = kernel->source, &target = kernel->target;

  if (source.dtype != target.dtype) {
    auto cast = numerics::getCast(source.dtype, target.dtype);
    if (!cast)
      return inNode(spec, cast.takeStatus());
    kernel->castFunction = *cast;
    kernel->castFirst = getBitWidth(target.dtype) <= getBitWidth(source.dtype);
    auto lanes = LaneMap::create(kernel->castFirst ? source : target);
    if (!lanes)
      return inNode(spec, lanes.takeStatus());
    kernel->castLanes = std::move(*lanes);
  }
  // Plain formats of one shape are the same bytes, whatever they are called.
  const bool sameLayout =
      source.shape == target.shape &&
      ((source.format == target.format && source.groups == target.groups) ||
       (spec.type != "TransData" && isPlain(source.format) &&
        isPlain(target.format)));
  if (!sameLayout) {
    TensorDesc moved = kernel->castFirst ? source : target;
    moved.dtype = kernel->castFirst ? target.dtype : source.dtype;
    auto transfer = kernel->castFirst ? FormatTransfer::create(moved, target)
                                      : FormatTransfer::create(source, moved);
    if (!transfer)
      return inNode(spec, transfer.takeStatus());
    kernel->transfer = std::move(*transfer);
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

NodeStatus ConversionKernel::cast(ThreadPool &pool, const std::byte *from,
                                  std::byte *to, int64_t count) const {
  const unsigned fromSize = getBitWidth(source.dtype) / 8;
  const unsigned toSize = getBitWidth(target.dtype) / 8;
  LaneStatus status(castLanes);
  pool.parallelFor(count, ChunkSize, [&](int64_t begin, int64_t end, int64_t) {
    const ChunkInput chunk{from + begin * fromSize, fromSize};
    const StatusBits bits =
        castFunction(chunk.data, to + begin * toSize, end - begin, config);
    status.record(bits, begin, end - begin, {&chunk, 1},
                  [&](std::span<const void *const> packed, size_t n) {
                    std::vector<std::byte> scratch(n * toSize);
                    return castFunction(packed[0], scratch.data(), n, config);
                  });
  });
  return status.status();
}

Expected<NodeStatus>
ConversionKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                      std::span<const MutableTensor> outputs) {
  const std::byte *from = inputs[0].data;
  std::byte *to = outputs[0].data;
  if (!castFunction && !transfer) {
    std::memcpy(to, from, target.byteSize());
    return NodeStatus{};
  }
  if (!castFunction) {
    transfer->run(from, to, &context.pool);
    return NodeStatus{};
  }
  if (!transfer)
    return cast(context.pool, from, to, source.numElements());
  // The narrower type goes through the buffer.
  TensorDesc between = castFirst ? source : target;
  between.dtype = castFirst ? target.dtype : source.dtype;
  std::vector<std::byte> buffer(between.byteSize());
  if (castFirst) {
    NodeStatus status =
        cast(context.pool, from, buffer.data(), source.numElements());
    transfer->run(buffer.data(), to, &context.pool);
    return status;
  }
  transfer->run(from, buffer.data(), &context.pool);
  return cast(context.pool, buffer.data(), to, target.numElements());
}

void kernels::addConversion(Registry &registry) {
  constexpr StatusBits bits =
      status::CastOverflow | status::CastUnderflow | status::NegativeToUnsigned;
  registry.add("TransData",
               {ConversionKernel::create,
                "moves elements; a merged Cast converts as Cast does", bits});
  registry.add("Cast", {ConversionKernel::create,
                        "to fp16, bf16: nearest even; float to integer: "
                        "truncated; to 8 bits: wraps; to bool: != 0",
                        bits});
}
