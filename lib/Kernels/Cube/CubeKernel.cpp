//===- CubeKernel.cpp - Runs a plan of contractions -----------------------===//

#include "CubePlan.h"
#include "Panels.h"

#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

static int64_t sizeOf(DataType type) { return getBitWidth(type) / 8; }

Status npu::kernels::cube::bindTypes(const NodeSpec &spec,
                                     const NumericConfig &config,
                                     std::optional<size_t> biasInput,
                                     int64_t biasCount, CubePlan &plan) {
  const TensorDesc &left = *spec.inputs[plan.leftInput];
  const TensorDesc &right = *spec.inputs[plan.rightInput];
  const DataType out = spec.outputs[0].dtype;
  const auto name = [](DataType type) { return std::string(getName(type)); };
  plan.types.left = left.dtype;
  plan.types.out = out;
  plan.types.mode = config.overflow;
  plan.rightType = right.dtype;
  bool known = right.dtype == left.dtype;
  switch (left.dtype) {
  case DataType::Float16:
  case DataType::BFloat16:
    known = known && (out == left.dtype || out == DataType::Float);
    break;
  case DataType::Float:
    known = known && out == DataType::Float;
    break;
  case DataType::Int8:
  case DataType::UInt8:
    known = (known || right.dtype == DataType::Int8) && out == DataType::Int32;
    break;
  default:
    known = false;
  }
  if (!known)
    return Status::error("the cube has no product " + name(left.dtype) + " x " +
                         name(right.dtype) + " -> " + name(out));

  if (!biasInput || *biasInput >= spec.inputs.size() ||
      !spec.inputs[*biasInput])
    return {};
  const TensorDesc &bias = *spec.inputs[*biasInput];
  const bool suits = plan.types.isInteger()
                         ? bias.dtype == DataType::Int32
                         : bias.dtype == DataType::Float16 ||
                               bias.dtype == DataType::BFloat16 ||
                               bias.dtype == DataType::Float;
  if (!suits)
    return Status::error("a bias of type " + name(bias.dtype) +
                         " does not suit a product of " + name(left.dtype));
  // A vector lies the same way in ND and in NC1HWC0.
  int64_t count = 1;
  for (int64_t dim : bias.shape)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return Status::error("bias " + bias.toString() + " has no valid shape");
  if (count < biasCount ||
      ceilDiv(count, PanelWidth) != ceilDiv(biasCount, PanelWidth))
    return Status::error("bias " + bias.toString() + " does not have the " +
                         std::to_string(biasCount) + " columns of the result");
  plan.biasInput = biasInput;
  plan.biasType = bias.dtype;
  plan.biasCount = biasCount;
  return {};
}

namespace {

class CubeKernel final : public Kernel {
public:
  explicit CubeKernel(CubePlan plan);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;
  bool tellsFinished() const override;

private:
  CubePlan plan;
  Contractor contractor;
  std::vector<int64_t> panelStarts; // of the right matrices, when packed
  std::vector<PanelJob> jobs;
  int64_t jobElements = 0; // of the panels of all jobs
  std::vector<Contraction> parts;
  AlignedBuffer panels, repacked, biasValues;
  bool panelsReady = false; // constant panels are packed
  bool panelsNonFinite = false;

  void listJobs(std::span<const PlannedMatrix> matrices, DataType type,
                const std::byte *data);
  void bindParts(const std::byte *left, const std::byte *right, bool inPlace,
                 const MutableTensor &out);
  bool readBias(const std::byte *data);
  void clearPadding(const MutableTensor &out) const;
};

CubeKernel::CubeKernel(CubePlan planned) : plan(std::move(planned)) {
  int64_t at = 0;
  for (const PlannedMatrix &matrix : plan.right) {
    panelStarts.push_back(at);
    at += OffsetMatrix{nullptr, plan.offsets[matrix.depthTable],
                       plan.offsets[matrix.columnTable]}
              .panelElements();
  }
}

/// Sets jobs to pack \p matrices of \p data one after the other.
void CubeKernel::listJobs(std::span<const PlannedMatrix> matrices,
                          DataType type, const std::byte *data) {
  jobs.clear();
  jobElements = 0;
  for (const PlannedMatrix &matrix : matrices) {
    const OffsetMatrix from = {data + matrix.base * sizeOf(type),
                               plan.offsets[matrix.depthTable],
                               plan.offsets[matrix.columnTable]};
    jobs.push_back({from, jobElements});
    jobElements += from.panelElements();
  }
}

/// Widens the bias; returns whether a value was infinite or NaN. A sum never
/// starts at -0, so that products of zero change none.
bool CubeKernel::readBias(const std::byte *data) {
  const size_t padded = plan.biasCount + PanelWidth;
  if (plan.types.isInteger()) {
    int32_t *values = biasValues.get<int32_t>(padded);
    std::memcpy(values, data, plan.biasCount * sizeof(int32_t));
    std::fill(values + plan.biasCount, values + padded, 0);
    return false;
  }
  float *values = biasValues.get<float>(padded);
  float max = std::numeric_limits<float>::max();
  for (int64_t i = 0; i < plan.biasCount; ++i)
    switch (plan.biasType) {
    case DataType::Float16:
      values[i] = numerics::halfToFloat(
          reinterpret_cast<const numerics::Half *>(data)[i]);
      max = 65504;
      break;
    case DataType::BFloat16:
      values[i] = numerics::bfloat16ToFloat(
          reinterpret_cast<const numerics::BFloat16 *>(data)[i]);
      max = 0x1.FEp127f;
      break;
    default:
      values[i] = reinterpret_cast<const float *>(data)[i];
    }
  bool nonFinite = false;
  for (int64_t i = 0; i < plan.biasCount; ++i) {
    if (!std::isfinite(values[i])) {
      nonFinite = true;
      if (plan.types.mode == OverflowMode::Saturate)
        values[i] =
            std::isnan(values[i]) ? 0.0f : std::copysign(max, values[i]);
    }
    values[i] += 0.0f;
  }
  std::fill(values + plan.biasCount, values + padded, 0.0f);
  return nonFinite;
}

void CubeKernel::bindParts(const std::byte *left, const std::byte *right,
                           bool inPlace, const MutableTensor &out) {
  const int64_t leftSize = sizeOf(plan.types.left);
  const int64_t panelSize = sizeOf(panelType(plan.rightType));
  parts.clear();
  for (const PlannedPart &planned : plan.parts) {
    Contraction part;
    part.left = planned.left;
    part.left.data = left + planned.leftBase * leftSize;
    part.left.runs = plan.runs[planned.runTable];
    const PlannedMatrix &matrix = plan.right[planned.right];
    if (inPlace)
      part.right = {right + matrix.base * panelSize, plan.panelPitch,
                    plan.depthPitch};
    else
      part.right = {
          right + panelStarts[planned.right] * panelSize,
          static_cast<int64_t>(plan.offsets[matrix.depthTable].size()) *
              PanelWidth,
          PanelWidth};
    if (plan.biasInput) // both kinds of bias have 4 bytes
      part.bias = biasValues.get<std::byte>(0) + planned.biasOffset * 4;
    part.out = planned.out;
    part.out.data = out.data + planned.outBase * sizeOf(plan.types.out);
    if (planned.outColumns)
      part.out.columnOffsets = plan.offsets[*planned.outColumns];
    part.columns = planned.columns;
    parts.push_back(part);
  }
}

void CubeKernel::clearPadding(const MutableTensor &out) const {
  const int64_t size = sizeOf(plan.types.out);
  for (const PaddingRange &range : plan.padding)
    std::memset(out.data + range.begin * size, 0, range.count * size);
}

/// Where the sums of \p out, fp32 and one of them infinite, went.
static AtomicOverflow directionOf(const MutableTensor &out) {
  const std::span<const float> sums(
      out.as<float>(), static_cast<size_t>(out.desc->numElements()));
  return std::find(sums.begin(), sums.end(),
                   -std::numeric_limits<float>::infinity()) == sums.end()
             ? AtomicOverflow::Upward
         : std::find(sums.begin(), sums.end(),
                     std::numeric_limits<float>::infinity()) == sums.end()
             ? AtomicOverflow::Downward
             : AtomicOverflow::Upward;
}

bool CubeKernel::tellsFinished() const {
  // What is computed in place may be computed once more.
  return !plan.rightInPlace && plan.padding.empty() &&
         std::none_of(plan.parts.begin(), plan.parts.end(),
                      [](const PlannedPart &part) {
                        return part.outColumns.has_value();
                      });
}

Expected<NodeStatus> CubeKernel::run(RunContext &context,
                                     std::span<const ConstTensor> inputs,
                                     std::span<const MutableTensor> outputs) {
  ThreadPool &pool = context.pool;
  clearPadding(outputs[0]);

  const std::byte *left = inputs[plan.leftInput].data;
  if (!plan.repackedLeft.empty()) {
    listJobs(plan.repackedLeft, plan.types.left, left);
    std::byte *to =
        repacked.get<std::byte>(jobElements * sizeOf(plan.types.left));
    repackLeft(pool, jobs, plan.types.left, to);
    left = to;
  }
  if (plan.dense) {
    const int64_t size = sizeOf(plan.types.left);
    std::byte *to = repacked.get<std::byte>(plan.dense->numElements() * size);
    plan.dense->copy(pool, left, to, size);
    left = to;
  }
  bool nonFinite = false;
  if (plan.biasInput)
    nonFinite |= readBias(inputs[*plan.biasInput].data);

  const std::byte *right = inputs[plan.rightInput].data;
  ContractionEvents events;
  bool done = false;
  if (plan.rightInPlace) {
    bindParts(left, right, true, outputs[0]);
    events = contractor.run(pool, parts, plan.types);
    // Nothing has looked at the right operand itself. An infinity or NaN there
    // makes a sum infinite or NaN; then the slow way tells why, and saturates.
    done = !events.nonFiniteSum;
  }
  if (!done) {
    if (!panelsReady) {
      listJobs(plan.right, plan.rightType, right);
      panelsNonFinite =
          packPanels(pool, jobs, plan.rightType, plan.types.mode,
                     panels.get<std::byte>(jobElements *
                                           sizeOf(panelType(plan.rightType))));
      panelsReady = plan.rightConstant;
    }
    nonFinite |= panelsNonFinite;
    bindParts(left, panels.get<std::byte>(0), false, outputs[0]);
    Contractor::TileFinished finished;
    if (context.finished)
      finished = [&](const Contraction &part, const Tile &tile) {
        const int64_t base =
            (part.out.data - outputs[0].data) / sizeOf(plan.types.out);
        forEachWrittenRange(part, tile, [&](int64_t begin, int64_t end) {
          context.finished(base + begin, base + end);
        });
      };
    events = contractor.run(pool, parts, plan.types, finished);
  }

  NodeStatus status;
  status.valid = events.status;
  if (plan.byAtomics && events.nonFiniteSum)
    status.atomic = nonFinite || events.nonFiniteInput
                        ? AtomicOverflow::InvalidSource
                        : directionOf(outputs[0]);
  if (nonFinite || events.nonFiniteInput)
    status.valid |= status::CubeNanInfInput;
  else if (events.nonFiniteSum && !plan.byAtomics)
    status.valid |= status::CubeOverflow;
  return status;
}

} // namespace

std::unique_ptr<Kernel> npu::kernels::cube::makeCubeKernel(CubePlan plan) {
  return std::make_unique<CubeKernel>(std::move(plan));
}
