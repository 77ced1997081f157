//===- ContractionTile.cpp - The register-blocked sum of products ---------===//
//
// A tile is computed in blocks of the depth (k). Rows of the left operand are
// widened into a small array that stays in the first-level cache; a kernel
// holds a few rows times a few panels of accumulators in registers over the
// depth block. Between depth blocks accumulators rest in memory as they are,
// so that each sum stays sequential.
//
//===----------------------------------------------------------------------===//

#include "ContractionTile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ContractionTile.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "LeftRows-inl.h"
#include "Multiply-inl.h"
#include "npu/Numerics/Simd-inl.h"

#include <algorithm>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::cube::HWY_NAMESPACE {

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Collects what the results of a tile tell.
struct ResultTracker {
  OverflowTracker<DF> overflow{DF()};
  UnderflowTracker<DF> underflow{DF()};

  HWY_INLINE void update(VF sum) {
    overflow.update(sum);
    underflow.update(sum);
  }
  void report(DataType out, ContractionEvents &events) const {
    if (out != DataType::Float) {
      const bool half = out == DataType::Float16;
      events.status |= overflow.status(half ? numerics::HalfOverflowLimit
                                            : numerics::BFloat16OverflowLimit,
                                       status::CastOverflow, status::None) |
                       underflow.status(half ? numerics::HalfUnderflowLimit
                                             : numerics::BFloat16UnderflowLimit,
                                        status::CastUnderflow);
    }
    if (overflow.status(numerics::FloatOverflowLimit, status::None,
                        status::CubeOverflow))
      events.nonFiniteSum = true;
  }
};

/// Stores the \p valid columns of one panel of a row.
template <class T>
HWY_INLINE void storePanel(const T *values, const Destination &out, T *row,
                           int64_t panel, int64_t valid) {
  if (!out.columnOffsets.empty()) {
    for (int64_t j = 0; j < valid; ++j)
      row[out.columnOffsets[panel * PanelWidth + j]] = values[j];
    return;
  }
  std::memcpy(row + panel * out.panelPitch, values,
              (out.padColumns ? PanelWidth : valid) * sizeof(T));
}

/// Rounds and stores \p rows rows of \p panels panels by \p narrow, which
/// stores the lanes of a vector as T. Lanes beyond the last column are zeros.
template <class T, class Narrow>
HWY_INLINE void finish(const Contraction &part, const RowPositions &positions,
                       int64_t rows, int64_t panelBegin, int64_t panels,
                       const float *sums, ResultTracker &total,
                       const Narrow &narrow) {
  const DF df;
  T *out = reinterpret_cast<T *>(part.out.data);
  ResultTracker tracker = total; // in registers: no store can reach it
  const bool scattered = !part.out.columnOffsets.empty();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t p = 0; p < panels; ++p) {
      const int64_t panel = panelBegin + p;
      const int64_t valid =
          std::min(PanelWidth, part.columns - panel * PanelWidth);
      T *row = out + positions.output[r];
      if (HWY_LIKELY(valid == PanelWidth && !scattered)) {
        T *to = row + panel * part.out.panelPitch;
        for (int v = 0; v < VectorsPerPanel; ++v, sums += NumLanes) {
          const VF sum = hn::Load(df, sums);
          tracker.update(sum);
          narrow(sum, to + v * NumLanes);
        }
        continue;
      }
      HWY_ALIGN T values[PanelWidth];
      for (int v = 0; v < VectorsPerPanel; ++v, sums += NumLanes) {
        const VF sum = hn::IfThenElseZero(
            hn::FirstN(df,
                       std::clamp<int64_t>(valid - v * NumLanes, 0, NumLanes)),
            hn::Load(df, sums));
        tracker.update(sum);
        narrow(sum, values + v * NumLanes);
      }
      storePanel(values, part.out, row, panel, valid);
    }
  total = tracker;
}

template <OverflowMode M>
void finishSums(const Contraction &part, DataType type,
                const RowPositions &positions, int64_t rows, int64_t panelBegin,
                int64_t panels, const float *sums, ResultTracker &tracker) {
  switch (type) {
  case DataType::Float16:
    return finish<uint16_t>(
        part, positions, rows, panelBegin, panels, sums, tracker,
        [](VF sum, uint16_t *to) HWY_ATTR { storeHalf<M>(DF(), sum, to); });
  case DataType::BFloat16:
    return finish<uint16_t>(
        part, positions, rows, panelBegin, panels, sums, tracker,
        [](VF sum, uint16_t *to) HWY_ATTR { storeBFloat16<M>(DF(), sum, to); });
  default: // Float: no rounding, and infinities are kept in both modes
    return finish<float>(part, positions, rows, panelBegin, panels, sums,
                         tracker, [](VF sum, float *to) HWY_ATTR {
                           hn::StoreU(canonicalizeNaN(DF(), sum), DF(), to);
                         });
  }
}

/// Adds the sums of a depth block of integers, which are exact, to exact ones.
HWY_INLINE void addIntegers(const float *HWY_RESTRICT sums, int64_t count,
                            double *HWY_RESTRICT totals) {
  for (int64_t i = 0; i < count; ++i)
    totals[i] += sums[i];
}

void finishIntegers(const Contraction &part, const RowPositions &positions,
                    int64_t rows, int64_t panelBegin, int64_t panels,
                    const double *totals, ContractionEvents &events) {
  constexpr double min = std::numeric_limits<int32_t>::min();
  constexpr double max = std::numeric_limits<int32_t>::max();
  int32_t *out = reinterpret_cast<int32_t *>(part.out.data);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t p = 0; p < panels; ++p) {
      const int64_t panel = panelBegin + p;
      const int64_t valid =
          std::min(PanelWidth, part.columns - panel * PanelWidth);
      int32_t values[PanelWidth] = {};
      for (int64_t j = 0; j < valid; ++j) {
        const double total = totals[(r * panels + p) * PanelWidth + j];
        const double clamped = std::clamp(total, min, max);
        if (clamped != total)
          events.status |= status::CubeOverflow;
        values[j] = static_cast<int32_t>(clamped);
      }
      storePanel(values, part.out, out + positions.output[r], panel, valid);
    }
}

//===----------------------------------------------------------------------===//
// The tile
//===----------------------------------------------------------------------===//

/// The work space of a tile.
struct TileSpace {
  float *left;    // rows of a kernel, widened
  float *sums;    // accumulators; of one kernel when integers are summed
  double *totals; // sums of integers
};

template <class T, class Right, bool Integer, OverflowMode M>
void computeTileOf(const Contraction &part, const ContractionTypes &types,
                   const Tile &tile, const TileSpace &space,
                   ContractionEvents &events) {
  static constexpr float zeros[MaxKernelPanels * PanelWidth] = {};
  const Right *right = reinterpret_cast<const Right *>(part.right.panels);
  const int64_t numRuns = static_cast<int64_t>(part.left.runs.size());
  const int64_t tileRows = tile.rowEnd - tile.rowBegin;
  const int64_t bands = ceilDiv(tileRows, KernelRows);
  int64_t k = 0, runBegin = 0;
  bool first = true, last = false;
  ResultTracker tracker;
  do {
    const RunBlock block(part.left.runs, runBegin);
    const int64_t depth = block.depth;
    runBegin += block.end - block.begin;
    last = runBegin == numRuns;

    float *sums = space.sums;
    double *totals = space.totals;
    for (int64_t band = 0; band < bands; ++band) {
      const int64_t rowBegin = tile.rowBegin + tileRows * band / bands;
      const int64_t rows =
          tile.rowBegin + tileRows * (band + 1) / bands - rowBegin;
      RowPositions positions;
      findRows(part.left, part.out, rowBegin, rows, positions);
      if (packLeft<T>(part.left, positions, rows, block, M, space.left))
        events.nonFiniteInput = true;

      const int64_t step = rows == 1 ? RowPanels : KernelPanels;
      for (int64_t panel = tile.panelBegin; panel < tile.panelEnd;
           panel += step) {
        const int64_t panels = std::min(step, tile.panelEnd - panel);
        const int64_t count = rows * panels * PanelWidth;
        const float *init = zeros;
        if constexpr (!Integer) {
          if (!first)
            init = nullptr;
          else if (part.bias)
            init = static_cast<const float *>(part.bias) + panel * PanelWidth;
        }
        selectKernel<Right>(rows, panels)(
            space.left,
            right + panel * part.right.panelPitch + k * part.right.depthPitch,
            part.right.panelPitch, part.right.depthPitch, depth, init, sums);
        if constexpr (Integer) {
          if (first)
            for (int64_t i = 0; i < count; ++i)
              totals[i] = part.bias ? static_cast<const int32_t *>(
                                          part.bias)[panel * PanelWidth +
                                                     i % (panels * PanelWidth)]
                                    : 0;
          addIntegers(sums, count, totals);
          if (last)
            finishIntegers(part, positions, rows, panel, panels, totals,
                           events);
          totals += count;
        } else {
          if (last)
            finishSums<M>(part, types.out, positions, rows, panel, panels, sums,
                          tracker);
          sums += count;
        }
      }
    }
    k += depth;
    first = false;
  } while (!last);
  if constexpr (!Integer)
    tracker.report(types.out, events);
}

/// The same for a left operand whose rows are adjacent.
template <class T, class Right, OverflowMode M>
void computeLanes(const Contraction &part, const ContractionTypes &types,
                  const Tile &tile, const TileSpace &space,
                  ContractionEvents &events) {
  static constexpr float zeros[KernelPanels * PanelWidth] = {};
  const Right *right = reinterpret_cast<const Right *>(part.right.panels);
  const int64_t numRuns = static_cast<int64_t>(part.left.runs.size());
  ResultTracker tracker;
  int64_t k = 0;
  do {
    const int64_t depth = std::min(DepthBlock, numRuns - k);
    const bool last = k + depth == numRuns;
    float *sums = space.sums;
    for (int64_t lane = tile.rowBegin; lane < tile.rowEnd; lane += PanelWidth) {
      const int64_t lanes = std::min(PanelWidth, tile.rowEnd - lane);
      RowPositions positions;
      findRows(part.left, part.out, lane, 1, positions);
      if (packLanes<T>(part.left, positions, lanes, part.left.runs.data() + k,
                       depth, M, space.left))
        events.nonFiniteInput = true;
      const int64_t bands = ceilDiv(lanes, KernelRows);
      for (int64_t band = 0; band < bands; ++band) {
        const int64_t rowBegin = lanes * band / bands;
        const int64_t rows = lanes * (band + 1) / bands - rowBegin;
        if (last)
          findRows(part.left, part.out, lane + rowBegin, rows, positions);
        for (int64_t panel = tile.panelBegin; panel < tile.panelEnd;
             panel += KernelPanels) {
          const int64_t panels =
              std::min<int64_t>(KernelPanels, tile.panelEnd - panel);
          selectLanesKernel<Right>(rows, panels)(
              space.left + rowBegin,
              right + panel * part.right.panelPitch + k * part.right.depthPitch,
              part.right.panelPitch, part.right.depthPitch, depth,
              k == 0 ? zeros : nullptr, sums);
          if (last)
            finishSums<M>(part, types.out, positions, rows, panel, panels, sums,
                          tracker);
          sums += rows * panels * PanelWidth;
        }
      }
    }
    k += depth;
  } while (k < numRuns);
  tracker.report(types.out, events);
}

/// The same for a depthwise product, where each column has its own left values.
template <class T, class Right, OverflowMode M>
void computeDepthwise(const Contraction &part, const ContractionTypes &types,
                      const Tile &tile, float *sums,
                      ContractionEvents &events) {
  const DF df;
  const hn::RebindToUnsigned<DF> du;
  const auto magnitude = hn::Set(du, 0x7FFFFFFF);
  auto largest = hn::Zero(du);
  ResultTracker tracker;
  const uint64_t inputHeight = part.left.inputHeight;
  const uint64_t inputWidth = part.left.inputWidth;
  for (int64_t panel = tile.panelBegin; panel < tile.panelEnd; ++panel) {
    const T *data = reinterpret_cast<const T *>(part.left.data) +
                    panel * part.left.panelPitch;
    const Right *right = reinterpret_cast<const Right *>(part.right.panels) +
                         panel * part.right.panelPitch;
    const int64_t valid =
        std::min(PanelWidth, part.columns - panel * PanelWidth);
    for (int64_t rowBegin = tile.rowBegin; rowBegin < tile.rowEnd;
         rowBegin += MaxKernelRows) {
      const int64_t rows = std::min(MaxKernelRows, tile.rowEnd - rowBegin);
      RowPositions positions;
      findRows(part.left, part.out, rowBegin, rows, positions);
      for (int64_t r = 0; r < rows; ++r) {
        VF acc[VectorsPerPanel];
        for (int v = 0; v < VectorsPerPanel; ++v)
          acc[v] = part.bias
                       ? hn::LoadU(df, static_cast<const float *>(part.bias) +
                                           panel * PanelWidth + v * NumLanes)
                       : hn::Zero(df);
        const Right *factor = right;
        for (const Run &run : part.left.runs) {
          const bool inside =
              static_cast<uint64_t>(positions.h[r] + run.dh) < inputHeight &&
              static_cast<uint64_t>(positions.w[r] + run.dw) < inputWidth;
          const T *from = data + positions.input[r] + run.offset;
          for (int v = 0; v < VectorsPerPanel; ++v) {
            VF value = hn::Zero(df);
            if (inside)
              value = hn::IfThenElseZero(
                  hn::FirstN(df, std::clamp<int64_t>(valid - v * NumLanes, 0,
                                                     NumLanes)),
                  T::load(from + v * NumLanes));
            largest =
                hn::Max(largest, hn::And(hn::BitCast(du, value), magnitude));
            if constexpr (M == OverflowMode::Saturate)
              value = saturate(df, value, T::Max);
            acc[v] = addProduct(factor, value, loadRight(factor + v * NumLanes),
                                acc[v]);
          }
          factor += part.right.depthPitch;
        }
        for (int v = 0; v < VectorsPerPanel; ++v)
          hn::Store(acc[v], df, sums + r * PanelWidth + v * NumLanes);
      }
      finishSums<M>(part, types.out, positions, rows, panel, 1, sums, tracker);
    }
  }
  if (hn::GetLane(hn::MaxOfLanes(du, largest)) >= 0x7F800000)
    events.nonFiniteInput = true;
  tracker.report(types.out, events);
}

template <class T, class Right, OverflowMode M>
void computeFloatsIn(const Contraction &part, const ContractionTypes &types,
                     const Tile &tile, const TileSpace &space,
                     ContractionEvents &events) {
  if (part.left.panelPitch)
    computeDepthwise<T, Right, M>(part, types, tile, space.sums, events);
  else if (part.left.areRowsAdjacent)
    computeLanes<T, Right, M>(part, types, tile, space, events);
  else
    computeTileOf<T, Right, false, M>(part, types, tile, space, events);
}

template <class T, class Right>
void computeFloats(const Contraction &part, const ContractionTypes &types,
                   const Tile &tile, const TileSpace &space,
                   ContractionEvents &events) {
  if (types.mode == OverflowMode::Saturate)
    computeFloatsIn<T, Right, OverflowMode::Saturate>(part, types, tile, space,
                                                      events);
  else
    computeFloatsIn<T, Right, OverflowMode::InfNan>(part, types, tile, space,
                                                    events);
}

/// 8-bit integers; panels hold them in fp16.
template <class T>
void computeIntegers(const Contraction &part, const ContractionTypes &types,
                     const Tile &tile, const TileSpace &space,
                     ContractionEvents &events) {
  computeTileOf<T, uint16_t, true, OverflowMode::Saturate>(part, types, tile,
                                                           space, events);
}

static void computeTileImpl(const Contraction &part,
                            const ContractionTypes &types, const Tile &tile,
                            float *memory, ContractionEvents &events) {
  TileSpace space;
  space.left = memory;
  space.sums = memory + LeftCount;
  space.totals = reinterpret_cast<double *>(
      space.sums + MaxKernelRows * MaxKernelPanels * PanelWidth);
  switch (types.left) {
  case DataType::Int8:
    return computeIntegers<IntegerValue<int8_t>>(part, types, tile, space,
                                                 events);
  case DataType::UInt8:
    return computeIntegers<IntegerValue<uint8_t>>(part, types, tile, space,
                                                  events);
  case DataType::Float16:
    return computeFloats<HalfValue, uint16_t>(part, types, tile, space, events);
  case DataType::BFloat16:
    return computeFloats<BFloat16Value, float>(part, types, tile, space,
                                               events);
  default:
    return computeFloats<FloatValue, float>(part, types, tile, space, events);
  }
}

} // namespace npu::kernels::cube::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace npu::kernels::cube {

HWY_EXPORT(computeTileImpl);

size_t tileSpaceBytes() {
  return (LeftCount + MaxKernelRows * MaxKernelPanels * PanelWidth) *
             sizeof(float) +
         AccumulatorCount * sizeof(double);
}

void computeTile(const Contraction &part, const ContractionTypes &types,
                 const Tile &tile, std::byte *space,
                 ContractionEvents &events) {
  HWY_DYNAMIC_DISPATCH(computeTileImpl)
  (part, types, tile, reinterpret_cast<float *>(space), events);
}

} // namespace npu::kernels::cube

#endif // HWY_ONCE
