//===- DataMovement.cpp - Operators that copy -----------------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "npu/Kernels/FormatTransfer.h"
#include "npu/Kernels/Registry.h"

#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

void copyBytes(ThreadPool &pool, const std::byte *from, std::byte *to,
               uint64_t size) {
  constexpr int64_t Grain = 1 << 20;
  pool.parallelFor(static_cast<int64_t>(size), Grain,
                   [&](int64_t begin, int64_t end, int64_t) {
                     std::memcpy(to + begin, from + begin, end - begin);
                   });
}

/// Output i is input i, or input i + 1 for Assign, whose first input it
/// replaces: the same bytes under another shape. Where layouts forbid that (a
/// reshape of a private format), through the logical tensor.
class CopyKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    for (size_t i = 0; i < copies.size(); ++i) {
      const Copy &copy = copies[i];
      const std::byte *from = inputs[firstInput + i].data;
      if (!copy.unpack) {
        copyBytes(context.pool, from, outputs[i].data, copy.size);
        continue;
      }
      std::vector<std::byte> logical(copy.size);
      copy.unpack->run(from, logical.data(), &context.pool);
      copy.pack->run(logical.data(), outputs[i].data, &context.pool);
    }
    return NodeStatus{};
  }

private:
  struct Copy {
    uint64_t size = 0; ///< bytes of the output, or of the logical tensor
    std::optional<FormatTransfer> unpack, pack;
  };
  std::vector<Copy> copies;
  size_t firstInput = 0;

  static Expected<Copy> bind(const TensorDesc &from, const TensorDesc &to);
};

Expected<CopyKernel::Copy> CopyKernel::bind(const TensorDesc &from,
                                            const TensorDesc &to) {
  if (from.dtype != to.dtype)
    return Status::error("input " + from.toString() + " and output " +
                         to.toString() + " differ in type");
  Copy copy;
  const bool samePlace = from.format == to.format && from.shape == to.shape;
  if (samePlace || (isPlain(from.format) && isPlain(to.format))) {
    if (from.byteSize() != to.byteSize())
      return Status::error("input " + from.toString() + " and output " +
                           to.toString() + " differ in size");
    copy.size = to.byteSize();
    return copy;
  }
  TensorDesc unpacked = from, packed = to;
  for (TensorDesc *desc : {&unpacked, &packed}) {
    if (isPlain(desc->format))
      continue;
    desc->format = desc->originFormat;
    desc->groups = 0;
    desc->shape = desc->originShape;
  }
  if (unpacked.byteSize() != packed.byteSize())
    return Status::error("input " + from.toString() + " and output " +
                         to.toString() + " differ in elements");
  auto unpack = FormatTransfer::create(from, unpacked);
  if (!unpack)
    return unpack.takeStatus();
  auto pack = FormatTransfer::create(packed, to);
  if (!pack)
    return pack.takeStatus();
  copy.size = unpacked.byteSize();
  copy.unpack = std::move(*unpack);
  copy.pack = std::move(*pack);
  return copy;
}

/// The bytes of \p from as elements of the type of \p to. Of another width they
/// have another shape, which only plain formats allow.
TensorDesc seenAs(TensorDesc from, const TensorDesc &to) {
  const bool isWide = getBitWidth(from.dtype) != getBitWidth(to.dtype);
  if (isWide && (!isPlain(from.format) || !isPlain(to.format) ||
                 from.byteSize() != to.byteSize()))
    return from;
  from.dtype = to.dtype;
  if (isWide)
    from.shape = to.shape;
  return from;
}

Expected<std::unique_ptr<Kernel>> CopyKernel::create(const NodeSpec &spec,
                                                     const NumericConfig &) {
  auto kernel = std::make_unique<CopyKernel>();
  kernel->firstInput = spec.type == "Assign" ? 1 : 0;
  if (Status status = checkArity(spec, kernel->firstInput + spec.outputs.size(),
                                 spec.outputs.size());
      !status)
    return status;
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    TensorDesc from = *spec.inputs[kernel->firstInput + i];
    const TensorDesc &to = spec.outputs[i];
    if (spec.type == "Bitcast")
      from = seenAs(from, to);
    auto copy = bind(from, to);
    if (!copy)
      return inNode(spec, copy.takeStatus());
    kernel->copies.push_back(std::move(*copy));
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Clears memory of accumulating kernels on a device; kernels here start from
/// zero by themselves.
class NothingKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &) {
    if (!spec.outputs.empty())
      return nodeError(spec, "has outputs, expected none");
    return std::unique_ptr<Kernel>(std::make_unique<NothingKernel>());
  }
  Expected<NodeStatus> run(RunContext &, std::span<const ConstTensor>,
                           std::span<const MutableTensor>) override {
    return NodeStatus{};
  }
};

/// y[i0, i1, ...] = x[i0 * s0, i1 * s1, ...] over physical dimensions, with the
/// strides of ReadSelect. StridedRead reads a tensor that is part of a larger
/// one along `axis`: the step from image to image is that of the larger one.
/// WriteSelect writes the valid part of x, the first elements of each
/// dimension.
class ReadSelectKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    // A row of the output is one stretch of the last dimension.
    const int64_t width = shape.back();
    context.pool.parallelFor(width == 0 ? 0 : getNumElements(shape) / width,
                             1024, [&](int64_t begin, int64_t end, int64_t) {
                               for (int64_t row = begin; row < end; ++row)
                                 copyRow(row, inputs[0].data, outputs[0].data);
                             });
    return NodeStatus{};
  }

private:
  Shape shape; ///< of the output
  Shape steps; ///< of the input, in elements, for one step of the output
  unsigned elementSize = 0;

  void copyRow(int64_t row, const std::byte *from, std::byte *to) const {
    int64_t source = 0, rest = row;
    for (size_t axis = shape.size() - 1; axis-- > 0;) {
      source += rest % shape[axis] * steps[axis];
      rest /= shape[axis];
    }
    const int64_t width = shape.back();
    from += source * elementSize;
    to += row * width * elementSize;
    if (steps.back() == 1) {
      std::memcpy(to, from, width * elementSize);
      return;
    }
    for (int64_t i = 0; i < width; ++i)
      std::memcpy(to + i * elementSize, from + i * steps.back() * elementSize,
                  elementSize);
  }
};

Expected<std::unique_ptr<Kernel>>
ReadSelectKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const TensorDesc &from = *spec.inputs[0], &to = spec.outputs[0];
  auto strides = spec.attrs.get<std::vector<int64_t>>(
      "stride_list", std::vector<int64_t>(from.shape.size(), 1));
  if (!strides)
    return inNode(spec, strides.takeStatus());
  const size_t rank = from.shape.size();
  if (rank == 0 || to.shape.size() != rank || strides->size() != rank ||
      from.dtype != to.dtype || getBitWidth(to.dtype) % 8 != 0)
    return nodeError(spec, "cannot read " + to.toString() + " from " +
                               from.toString());
  if (spec.type == "StridedRead") {
    auto number = spec.attribute<int64_t>("axis");
    if (!number)
      return inNode(spec, number.takeStatus());
    auto axis = normalizeAxis(*number, rank);
    if (!axis)
      return inNode(spec, axis.takeStatus());
    for (size_t i = 0; i < rank; ++i)
      if (i != *axis && from.shape[i] != to.shape[i])
        return nodeError(spec, "cannot read " + to.toString() + " from " +
                                   from.toString());
  }
  auto kernel = std::make_unique<ReadSelectKernel>();
  kernel->shape = to.shape;
  kernel->elementSize = getBitWidth(to.dtype) / 8;
  kernel->steps.resize(rank);
  int64_t pitch = 1;
  for (size_t axis = rank; axis-- > 0;) {
    const int64_t stride = (*strides)[axis];
    if (spec.type == "WriteSelect" && to.shape[axis] > from.shape[axis])
      return nodeError(spec, "where " + from.toString() + " lies in " +
                                 to.toString() +
                                 " is not in the graph; expected an output "
                                 "that is no larger");
    if (stride < 1 || to.shape[axis] < 0 ||
        (to.shape[axis] > 0 &&
         to.shape[axis] - 1 > (from.shape[axis] - 1) / stride))
      return nodeError(spec, "dimension " + std::to_string(axis) + " of " +
                                 to.toString() + " with stride " +
                                 std::to_string(stride) + " exceeds " +
                                 from.toString());
    kernel->steps[axis] = pitch * stride;
    pitch *= from.shape[axis];
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addDataMovement(Registry &registry) {
  // Collective operators run as one rank (Collectives.cpp).
  for (const char *type :
       {"Assign", "HcomAllReduce", "HcomBroadcast", "HcomReduce"})
    registry.add(type, {CopyKernel::create, "copies", status::None});
  for (const char *type :
       {"Bitcast", "CacheUpdate", "ExpandDims", "Flatten", "FlattenV2", "End",
        "Identity", "IdentityN", "MemcpyAsync", "Reshape", "Squeeze",
        "SqueezeV2", "StridedWrite", "Unsqueeze", "UnsqueezeV2"})
    registry.add(type, {CopyKernel::create, "copies", status::None});
  for (const char *type : {"AtomicAddrClean", "HcomSend", "MemSet"})
    registry.add(type, {NothingKernel::create, "nothing", status::None});
  for (const char *type : {"ReadSelect", "StridedRead", "WriteSelect"})
    registry.add(type, {ReadSelectKernel::create, "copies", status::None});
}
