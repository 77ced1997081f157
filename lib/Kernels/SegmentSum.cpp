//===- SegmentSum.cpp - Sums of rows by segment ---------------------------===//
//
// SegmentSum and its kin; EmbeddingDenseGrad, whose segments are words.
//
//===----------------------------------------------------------------------===//

#include "AtomicSum.h"
#include "Builtins.h"
#include "ConstantInput.h"
#include "ExactElements.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "KernelChecks.h"
#include "PlainTensor.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <cstring>
#include <mutex>

using namespace npu;
using namespace npu::kernels;

namespace {

/// y[s] = sum of x[i] over all i with ids[i] = s, one addition after the other
/// in the order of i. Rows of a segment that y does not have are dropped. A
/// mean multiplies each row by 1 / count before it is added.
class SegmentSumKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  DataType dtype = DataType::Undefined, idType = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
  bool byAtomics = false; ///< fp32 sums that a device makes in memory
  bool isMean = false;
  std::optional<int64_t> dropped; ///< a segment that stays zero
  int64_t numRows = 1, width = 1, numSegments = 0;

  void sortRows(const std::byte *ids, std::vector<int64_t> &first,
                std::vector<int64_t> &rows) const;
  template <typename T, typename Add>
  NodeStatus sumSegment(std::span<const int64_t> rows, const T *from, T *to,
                        const Add &add) const;
  NodeStatus sumFloats(std::span<const int64_t> rows, const float *from,
                       float *to) const;
  NodeStatus sumHalves(std::span<const int64_t> rows,
                       const numerics::Half *from, numerics::Half *to) const;
  Status bindWords(const NodeSpec &spec);
};

/// Lists the rows of segment s, ascending, at rows[first[s], first[s + 1]).
void SegmentSumKernel::sortRows(const std::byte *ids,
                                std::vector<int64_t> &first,
                                std::vector<int64_t> &rows) const {
  auto segmentOf = [&](int64_t row) -> int64_t {
    const int64_t id = idType == DataType::Int32
                           ? reinterpret_cast<const int32_t *>(ids)[row]
                           : reinterpret_cast<const int64_t *>(ids)[row];
    return id < numSegments && id != dropped ? id : -1;
  };
  first.assign(numSegments + 1, 0);
  for (int64_t row = 0; row < numRows; ++row)
    if (const int64_t segment = segmentOf(row); segment >= 0)
      ++first[segment + 1];
  for (int64_t segment = 0; segment < numSegments; ++segment)
    first[segment + 1] += first[segment];
  rows.resize(first.back());
  std::vector<int64_t> next(first.begin(), first.end() - 1);
  for (int64_t row = 0; row < numRows; ++row)
    if (const int64_t segment = segmentOf(row); segment >= 0)
      rows[next[segment]++] = row;
}

template <typename T, typename Add>
NodeStatus SegmentSumKernel::sumSegment(std::span<const int64_t> rows,
                                        const T *from, T *to,
                                        const Add &add) const {
  NodeStatus status;
  std::memset(to, 0, width * sizeof(T));
  for (int64_t row : rows)
    for (int64_t i = 0; i < width; ++i)
      to[i] = add(to[i], from[row * width + i], status);
  return status;
}

float addFloats(float a, float b, NodeStatus &status) {
  WatchedInstructions unit;
  const float sum = unit.add(a, b);
  status.valid |= unit.bits;
  return canonicalNaN(sum);
}

float addInMemory(float a, float b, NodeStatus &status) {
  status.atomic = combine(status.atomic, addAtomically(a, b));
  return canonicalNaN(a);
}

template <typename T>
T addExactly(T a, T b, NodeStatus &status) {
  ExactInstructions<T> unit;
  const T sum = unit.add(a, b);
  status.valid |= unit.bits;
  return sum;
}

NodeStatus SegmentSumKernel::sumFloats(std::span<const int64_t> rows,
                                       const float *from, float *to) const {
  const auto add = byAtomics ? addInMemory : addFloats;
  if (!isMean)
    return sumSegment(rows, from, to, add);
  const float share = 1.0f / static_cast<float>(rows.size());
  return sumSegment(rows, from, to, [&](float a, float b, NodeStatus &status) {
    WatchedInstructions unit;
    const float part = unit.mul(b, share);
    status.valid |= unit.bits;
    return add(a, part, status);
  });
}

NodeStatus SegmentSumKernel::sumHalves(std::span<const int64_t> rows,
                                       const numerics::Half *from,
                                       numerics::Half *to) const {
  using numerics::Half;
  StatusBits ignored = status::None;
  const Half share = numerics::floatToHalf(
      1.0f / static_cast<float>(std::max<size_t>(rows.size(), 1)), mode,
      ignored);
  return sumSegment(rows, from, to, [&](Half a, Half b, NodeStatus &status) {
    const Half part = isMean ? numerics::mul(b, share, mode, status.valid) : b;
    return numerics::add(a, part, mode, status.valid);
  });
}

Expected<NodeStatus>
SegmentSumKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                      std::span<const MutableTensor> outputs) {
  std::vector<int64_t> first, rows;
  sortRows(inputs[1].data, first, rows);
  NodeStatus status;
  std::mutex mutex;
  const int64_t grain =
      std::max<int64_t>(1, (1 << 12) / std::max<int64_t>(width, 1));
  context.pool.parallelFor(
      numSegments, grain, [&](int64_t begin, int64_t end, int64_t) {
        NodeStatus ofChunk;
        for (int64_t segment = begin; segment < end; ++segment) {
          const std::span<const int64_t> mine(rows.data() + first[segment],
                                              rows.data() + first[segment + 1]);
          const int64_t at = segment * width;
          if (dtype == DataType::Float)
            ofChunk |= sumFloats(mine, inputs[0].as<float>(),
                                 outputs[0].as<float>() + at);
          else if (!visitExactType(dtype, [&]<typename T>(T) {
                     ofChunk |=
                         sumSegment(mine, inputs[0].as<T>(),
                                    outputs[0].as<T>() + at, addExactly<T>);
                   }))
            ofChunk |= sumHalves(mine, inputs[0].as<numerics::Half>(),
                                 outputs[0].as<numerics::Half>() + at);
        }
        std::lock_guard lock(mutex);
        status |= ofChunk;
      });
  return status;
}

/// The attributes of EmbeddingDenseGrad besides the number of words.
Status SegmentSumKernel::bindWords(const NodeSpec &spec) {
  if (!isFloatType(spec.inputs[0]->dtype))
    return Status::error(spec.inputs[0]->toString() + " is no gradient");
  auto padding = spec.attribute<int64_t>("padding_idx");
  if (!padding)
    return padding.takeStatus();
  auto byFrequency = spec.attribute<bool>("scale_grad_by_freq");
  if (!byFrequency)
    return byFrequency.takeStatus();
  dropped = *padding;
  isMean = *byFrequency;
  return {};
}

Expected<std::unique_ptr<Kernel>>
SegmentSumKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &ids = *spec.inputs[1],
                   &y = spec.outputs[0];
  if (x.dtype != y.dtype ||
      (x.dtype != DataType::Float && x.dtype != DataType::Float16 &&
       !isExactType(x.dtype)) ||
      (ids.dtype != DataType::Int32 && ids.dtype != DataType::Int64))
    return nodeError(spec, "no sum of " + x.toString() + " by " +
                               ids.toString() + " to " + y.toString());
  Expected<int64_t> segments = int64_t(0);
  if (spec.type == "SegmentSum") { // ids ascend, the last one is that of y
    if (y.shape.empty())
      return nodeError(spec, "segments do not give " + y.toString());
    segments = y.shape.front();
  } else if (spec.type == "UnsortedSegmentSumD") {
    segments = spec.attrs.require<int64_t>("num_segments");
  } else if (spec.type == "EmbeddingDenseGrad") {
    segments = spec.attribute<int64_t>("num_weights");
  } else {
    auto input = readConstantInput(spec, 2, "num_segments");
    segments = !input               ? Expected<int64_t>(input.takeStatus())
               : input->size() == 1 ? Expected<int64_t>(input->front())
                                    : Status::error("input 2 (num_segments) is "
                                                    "not one number");
  }
  if (!segments)
    return inNode(spec, segments.takeStatus());
  // The ids are the first axes of x; the rest is what is added.
  const size_t idRank = ids.shape.size();
  Shape result{*segments};
  if (idRank <= x.shape.size())
    result.insert(result.end(), x.shape.begin() + idRank, x.shape.end());
  for (const TensorDesc *desc : {&x, &ids, &y})
    if (!isPlain(desc->format))
      return nodeError(spec, desc->toString() + " has a private format");
  if (idRank > x.shape.size() || *segments < 0 || result != y.shape ||
      !std::equal(ids.shape.begin(), ids.shape.end(), x.shape.begin()))
    return nodeError(spec, "sums of " + x.toString() + " by " + ids.toString() +
                               " in " + std::to_string(*segments) +
                               " segments do not give " + y.toString());
  auto kernel = std::make_unique<SegmentSumKernel>();
  kernel->dtype = x.dtype;
  kernel->idType = ids.dtype;
  kernel->mode = config.overflow;
  if (spec.type == "EmbeddingDenseGrad")
    if (Status status = kernel->bindWords(spec); !status)
      return inNode(spec, std::move(status));
  if (x.dtype == DataType::Float) {
    auto byAtomics = accumulatesByAtomics(spec);
    if (!byAtomics)
      return inNode(spec, byAtomics.takeStatus());
    kernel->byAtomics = *byAtomics;
  }
  kernel->numRows = ids.numElements();
  for (size_t i = idRank; i < x.shape.size(); ++i)
    kernel->width *= x.shape[i];
  kernel->numSegments = *segments;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addSegmentSum(Registry &registry) {
  for (const char *type :
       {"SegmentSum", "UnsortedSegmentSumD", "UnsortedSegmentSum"})
    registry.add(type,
                 {SegmentSumKernel::create,
                  "one addition after the other in the order of the rows, in "
                  "the tensor's type",
                  status::FloatOverflow | status::IntegerOverflow |
                      status::VectorNanInfInput});
  registry.add("EmbeddingDenseGrad",
               {SegmentSumKernel::create,
                "a product by frequency and an addition for each row, in the "
                "tensor's type",
                status::FloatOverflow | status::FloatUnderflow |
                    status::VectorNanInfInput});
}
