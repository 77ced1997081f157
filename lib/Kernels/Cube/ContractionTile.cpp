//===- ContractionTile.cpp - The register-blocked sum of products ---------===//
//
// A tile is computed in blocks of the depth (k). A kernel holds a few rows
// times a few panels of accumulators in registers over the depth block. The
// rows of a tile are widened once for all panels, the panels of a kernel once
// for all rows: those stay in the first-level cache. Between depth blocks
// accumulators rest in memory as they are, so that each sum stays sequential.
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

/// The same of fp16 results where nothing happens but underflow, as far as it
/// goes: an infinite or NaN input, and a result beyond the type, end as an
/// infinity or NaN that holds() denies.
struct QuietTracker {
  UnderflowTracker<DF> underflow{DF()};
  FiniteCheck<HalfTag<DF>> check{HalfTag<DF>()};

  HWY_INLINE void store(VF sum, uint16_t *to) {
    underflow.update(sum);
    const auto bits = narrowToHalf(DF(), sum);
    check.update(bits);
    hn::StoreU(bits, HalfTag<DF>(), to);
  }
  bool holds() const { return check.holds(); }
  void report(DataType, ContractionEvents &events) const {
    events.status |=
        underflow.status(numerics::HalfUnderflowLimit, status::CastUnderflow);
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
/// stores the lanes of a vector as T and tells the tracker. Lanes beyond the
/// last column are zeros.
template <class T, class Tracker, class Narrow>
HWY_INLINE void finish(const Contraction &part, const RowPositions &positions,
                       int64_t rows, int64_t panelBegin, int64_t panels,
                       const float *sums, Tracker &total,
                       const Narrow &narrow) {
  const DF df;
  T *out = reinterpret_cast<T *>(part.out.data);
  Tracker tracker = total; // in registers: no store can reach it
  const bool scattered = !part.out.columnOffsets.empty();
  for (int64_t p = 0; p < panels; ++p, sums += PanelWidth) {
    const int64_t panel = panelBegin + p;
    const int64_t valid =
        std::min(PanelWidth, part.columns - panel * PanelWidth);
    const float *from = sums;
    const int64_t pitch = panels * PanelWidth;
    if (HWY_LIKELY(valid == PanelWidth && !scattered)) {
      T *column = out + panel * part.out.panelPitch;
      for (int64_t r = 0; r < rows; ++r, from += pitch)
        for (int v = 0; v < VectorsPerPanel; ++v)
          narrow(tracker, hn::Load(df, from + v * NumLanes),
                 column + positions.output[r] + v * NumLanes);
      continue;
    }
    for (int64_t r = 0; r < rows; ++r, from += pitch) {
      HWY_ALIGN T values[PanelWidth];
      for (int v = 0; v < VectorsPerPanel; ++v) {
        const VF sum = hn::IfThenElseZero(
            hn::FirstN(df,
                       std::clamp<int64_t>(valid - v * NumLanes, 0, NumLanes)),
            hn::Load(df, from + v * NumLanes));
        narrow(tracker, sum, values + v * NumLanes);
      }
      storePanel(values, part.out, out + positions.output[r], panel, valid);
    }
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
        [](ResultTracker &its, VF sum, uint16_t *to) HWY_ATTR {
          its.update(sum);
          storeHalf<M>(DF(), sum, to);
        });
  case DataType::BFloat16:
    return finish<uint16_t>(
        part, positions, rows, panelBegin, panels, sums, tracker,
        [](ResultTracker &its, VF sum, uint16_t *to) HWY_ATTR {
          its.update(sum);
          storeBFloat16<M>(DF(), sum, to);
        });
  default: // Float: no rounding, and infinities are kept in both modes
    return finish<float>(part, positions, rows, panelBegin, panels, sums,
                         tracker,
                         [](ResultTracker &its, VF sum, float *to) HWY_ATTR {
                           its.update(sum);
                           hn::StoreU(canonicalizeNaN(DF(), sum), DF(), to);
                         });
  }
}

template <OverflowMode>
void finishSums(const Contraction &part, DataType,
                const RowPositions &positions, int64_t rows, int64_t panelBegin,
                int64_t panels, const float *sums, QuietTracker &tracker) {
  finish<uint16_t>(part, positions, rows, panelBegin, panels, sums, tracker,
                   [](QuietTracker &its, VF sum, uint16_t *to)
                       HWY_ATTR { its.store(sum, to); });
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
  float *left;        // rows, widened
  WidenedHalf *right; // panels of a kernel, widened
  float *sums;        // accumulators; of one kernel when integers are summed
  double *totals;     // sums of integers
};

/// What is read after the panels before \p panelEnd of the depth from \p k on:
/// the next panels, or the first ones \p depth further.
template <class Right>
const Right *findNext(const RightOperand &operand, const Right *panels,
                      const Tile &tile, int64_t panelEnd, int64_t k,
                      int64_t depth) {
  const bool wraps = panelEnd == tile.panelEnd;
  return panels + (wraps ? tile.panelBegin : panelEnd) * operand.panelPitch +
         (wraps ? k + depth : k) * operand.depthPitch;
}

/// What the first of \p kernels, which compute the same panels, asks for of the
/// panels from \p next on. The others follow: each begins where the one before
/// ends.
template <class Right>
Ahead shareOf(const RightOperand &right, const Right *next, int64_t kernels) {
  constexpr int64_t size = sizeof(Right);
  return {reinterpret_cast<const std::byte *>(next), right.panelPitch * size,
          ceilDiv(right.depthPitch * size, kernels)};
}

/// The rows of a kernel in a tile.
struct Band {
  int64_t begin, rows; ///< from the first row of the tile on
  RowPositions positions;
};

/// \p Quiet: where something happens false is returned, and all is void.
template <class T, class Right, bool Integer, OverflowMode M, bool Quiet>
bool computeTileOf(const Contraction &part, const ContractionTypes &types,
                   const Tile &tile, const TileSpace &space,
                   ContractionEvents &events) {
  static constexpr float zeros[MaxKernelPanels * PanelWidth] = {};
  const Right *right = reinterpret_cast<const Right *>(part.right.panels);
  const int64_t numRuns = static_cast<int64_t>(part.left.runs.size());
  const int64_t tileRows = tile.rowEnd - tile.rowBegin;
  const int64_t tilePanels = tile.panelEnd - tile.panelBegin;
  const int64_t numBands = ceilDiv(tileRows, KernelRows);
  Band bands[ceilDiv(MaxTileRows, KernelRows)];
  for (int64_t i = 0; i < numBands; ++i) {
    Band &band = bands[i];
    band.begin = tileRows * i / numBands;
    band.rows = tileRows * (i + 1) / numBands - band.begin;
    findRows(part.left, part.out, tile.rowBegin + band.begin, band.rows,
             band.positions);
  }
  const int64_t step = tileRows == 1 ? RowPanels : KernelPanels;

  int64_t k = 0, runBegin = 0;
  bool first = true, last = false;
  std::conditional_t<Quiet, QuietTracker, ResultTracker> tracker;
  do {
    const RunBlock block(part.left.runs, runBegin);
    const int64_t depth = block.depth;
    runBegin += block.end - block.begin;
    last = runBegin == numRuns;

    for (int64_t panel = tile.panelBegin; panel < tile.panelEnd;
         panel += step) {
      const int64_t panels = std::min(step, tile.panelEnd - panel);
      const Right *stored =
          right + panel * part.right.panelPitch + k * part.right.depthPitch;
      const float *init = zeros;
      if constexpr (!Integer) {
        if (!first)
          init = nullptr;
        else if (part.bias)
          init = static_cast<const float *>(part.bias) + panel * PanelWidth;
      }
      const Right *next = findNext(part.right, right, tile, panel + panels, k,
                                   last ? 0 : depth);
      Ahead ahead = shareOf(part.right, next, numBands);
      for (int64_t i = 0; i < numBands; ++i) {
        const Band &band = bands[i];
        float *left = space.left + band.begin * LeftPitch;
        if (panel == tile.panelBegin &&
            packLeft<T, !Quiet>(part.left, band.positions, band.rows, block, M,
                                left))
          events.nonFiniteInput = true;
        const int64_t count = band.rows * panels * PanelWidth;
        const int64_t position =
            (band.begin * tilePanels + band.rows * (panel - tile.panelBegin)) *
            PanelWidth;
        float *sums = Integer ? space.sums : space.sums + position;
        if (KeepsRight<Right> && i != 0)
          selectKernel<WidenedHalf>(band.rows, panels)(
              left, space.right, depth * PanelWidth, PanelWidth, depth, init,
              sums, ahead, nullptr);
        else
          (tileRows == 1 ? selectRowKernel<Right>(panels)
                         : selectKernel<Right>(band.rows, panels))(
              left, stored, part.right.panelPitch, part.right.depthPitch, depth,
              init, sums, ahead, space.right);
        ahead.from += depth * ahead.step;
        if constexpr (Integer) {
          double *totals = space.totals + position;
          if (first)
            for (int64_t j = 0; j < count; ++j)
              totals[j] = part.bias ? static_cast<const int32_t *>(
                                          part.bias)[panel * PanelWidth +
                                                     j % (panels * PanelWidth)]
                                    : 0;
          addIntegers(sums, count, totals);
          if (last)
            finishIntegers(part, band.positions, band.rows, panel, panels,
                           totals, events);
        } else if (last) {
          finishSums<M>(part, types.out, band.positions, band.rows, panel,
                        panels, sums, tracker);
        }
      }
    }
    k += depth;
    first = false;
  } while (!last);
  if constexpr (Quiet)
    if (!tracker.holds())
      return false;
  if constexpr (!Integer)
    tracker.report(types.out, events);
  return true;
}

/// The same for a left operand whose rows are adjacent.
template <class T, class Right, OverflowMode M>
void computeLanes(const Contraction &part, const ContractionTypes &types,
                  const Tile &tile, const TileSpace &space,
                  ContractionEvents &events) {
  static constexpr float zeros[LanesPanels * PanelWidth] = {};
  constexpr int64_t maxBands =
      ceilDiv(MaxTileRows, PanelWidth) * ceilDiv(PanelWidth, LanesRows);
  const Right *right = reinterpret_cast<const Right *>(part.right.panels);
  const int64_t numRuns = static_cast<int64_t>(part.left.runs.size());
  const int64_t tileRows = tile.rowEnd - tile.rowBegin;
  const int64_t tilePanels = tile.panelEnd - tile.panelBegin;
  // The rows of a kernel are adjacent lanes of one widened vector.
  Band bands[maxBands];
  int64_t numBands = 0;
  for (int64_t lane = 0; lane < tileRows; lane += PanelWidth) {
    const int64_t lanes = std::min(PanelWidth, tileRows - lane);
    const int64_t cuts = ceilDiv(lanes, LanesRows);
    for (int64_t i = 0; i < cuts; ++i) {
      Band &band = bands[numBands++];
      band.begin = lane + lanes * i / cuts;
      band.rows = lane + lanes * (i + 1) / cuts - band.begin;
      findRows(part.left, part.out, tile.rowBegin + band.begin, band.rows,
               band.positions);
    }
  }
  ResultTracker tracker;
  int64_t k = 0;
  do {
    const int64_t depth = std::min(LanesDepth, numRuns - k);
    const bool last = k + depth == numRuns;
    const int64_t lanesPitch = depth * LanesPitch;
    for (int64_t lane = 0; lane < tileRows; lane += PanelWidth) {
      RowPositions positions;
      findRows(part.left, part.out, tile.rowBegin + lane, 1, positions);
      if (packLanes<T>(part.left, positions,
                       std::min(PanelWidth, tileRows - lane),
                       part.left.runs.data() + k, depth, M,
                       space.left + lane / PanelWidth * lanesPitch))
        events.nonFiniteInput = true;
    }
    for (int64_t panel = tile.panelBegin; panel < tile.panelEnd;
         panel += LanesPanels) {
      const int64_t panels =
          std::min<int64_t>(LanesPanels, tile.panelEnd - panel);
      const Right *stored =
          right + panel * part.right.panelPitch + k * part.right.depthPitch;
      const Right *next = findNext(part.right, right, tile, panel + panels, k,
                                   last ? 0 : depth);
      Ahead ahead = shareOf(part.right, next, numBands);
      for (int64_t i = 0; i < numBands; ++i) {
        const Band &band = bands[i];
        const float *left = space.left + band.begin / PanelWidth * lanesPitch +
                            band.begin % PanelWidth;
        const float *init = k == 0 ? zeros : nullptr;
        float *sums = space.sums + (band.begin * tilePanels +
                                    band.rows * (panel - tile.panelBegin)) *
                                       PanelWidth;
        if (KeepsRight<Right> && i != 0)
          selectLanesKernel<WidenedHalf>(band.rows, panels)(
              left, space.right, depth * PanelWidth, PanelWidth, depth, init,
              sums, ahead, nullptr);
        else
          selectLanesKernel<Right>(band.rows, panels)(
              left, stored, part.right.panelPitch, part.right.depthPitch, depth,
              init, sums, ahead, space.right);
        ahead.from += depth * ahead.step;
        if (last)
          finishSums<M>(part, types.out, band.positions, band.rows, panel,
                        panels, sums, tracker);
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
void computeRows(const Contraction &part, const ContractionTypes &types,
                 const Tile &tile, const TileSpace &space,
                 ContractionEvents &events) {
  // Infinities and NaNs of the operands make sums of fp16 products so, and
  // nothing else does.
  if constexpr (std::is_same_v<T, HalfValue>)
    if (types.out == DataType::Float16 &&
        computeTileOf<T, Right, false, M, true>(part, types, tile, space,
                                                events))
      return;
  computeTileOf<T, Right, false, M, false>(part, types, tile, space, events);
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
    computeRows<T, Right, M>(part, types, tile, space, events);
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
  computeTileOf<T, uint16_t, true, OverflowMode::Saturate, false>(
      part, types, tile, space, events);
}

static void computeTileImpl(const Contraction &part,
                            const ContractionTypes &types, const Tile &tile,
                            float *memory, ContractionEvents &events) {
  TileSpace space;
  space.left = memory;
  space.right = reinterpret_cast<WidenedHalf *>(memory + LeftCount);
  space.sums = memory + LeftCount + RightCount;
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
  return (LeftCount + RightCount +
          MaxKernelRows * MaxKernelPanels * PanelWidth) *
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
