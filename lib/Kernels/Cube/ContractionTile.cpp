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

#include "Multiply-inl.h"
#include "npu/Numerics/Simd-inl.h"

#include <algorithm>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::cube::HWY_NAMESPACE {

//===----------------------------------------------------------------------===//
// The left operand
//===----------------------------------------------------------------------===//

struct HalfValue {
  uint16_t bits;
  static constexpr float Max = numerics::HalfMaxValue;
  static HWY_INLINE VF load(const HalfValue *from) {
    return loadHalf(DF(), &from->bits);
  }
};
struct BFloat16Value {
  uint16_t bits;
  static constexpr float Max = numerics::BFloat16MaxValue;
  static HWY_INLINE VF load(const BFloat16Value *from) {
    return loadBFloat16(DF(), &from->bits);
  }
};
struct FloatValue {
  float value;
  static constexpr float Max = std::numeric_limits<float>::max();
  static HWY_INLINE VF load(const FloatValue *from) {
    return hn::LoadU(DF(), &from->value);
  }
};
template <class T>
struct IntegerValue {
  T value;
  static constexpr float Max = std::numeric_limits<float>::max();
  static HWY_INLINE VF load(const IntegerValue *from) {
    const hn::Rebind<int32_t, DF> di;
    return hn::ConvertTo(
        DF(), hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, DF>(), &from->value)));
  }
};

/// The points of the grid that the rows of a kernel are.
struct RowPositions {
  int64_t input[MaxKernelRows];  // element offset
  int64_t output[MaxKernelRows]; // element offset
  int64_t h[MaxKernelRows], w[MaxKernelRows];
};

HWY_INLINE void findRows(const LeftOperand &left, const Destination &out,
                         int64_t rowBegin, int64_t rows,
                         RowPositions &positions) {
  int64_t w = rowBegin % left.width, line = rowBegin / left.width;
  int64_t h = line % left.height, image = line / left.height;
  for (int64_t r = 0; r < rows; ++r) {
    positions.h[r] = left.originH + h * left.strideH;
    positions.w[r] = left.originW + w * left.strideW;
    positions.input[r] = image * left.imagePitch +
                         positions.h[r] * left.linePitch +
                         positions.w[r] * left.pixelPitch;
    positions.output[r] =
        image * out.imagePitch + h * out.linePitch + w * out.pixelPitch;
    if (++w == left.width) {
      w = 0;
      if (++h == left.height) {
        h = 0;
        ++image;
      }
    }
  }
}

/// Whether one of \p depth values of \p rows rows is infinite or NaN.
HWY_INLINE bool hasNonFinite(const float *rows, int64_t count, int64_t depth) {
  const DF df;
  const hn::RebindToUnsigned<DF> du;
  const auto magnitude = hn::Set(du, 0x7FFFFFFF);
  auto largest = hn::Zero(du);
  for (int64_t r = 0; r < count; ++r, rows += LeftPitch) {
    int64_t k = 0;
    for (; k + NumLanes <= depth; k += NumLanes)
      largest =
          hn::Max(largest,
                  hn::And(hn::BitCast(du, hn::LoadU(df, rows + k)), magnitude));
    // What lies behind is rubbish.
    const VF tail =
        hn::IfThenElseZero(hn::FirstN(df, depth - k), hn::LoadU(df, rows + k));
    largest = hn::Max(largest, hn::And(hn::BitCast(du, tail), magnitude));
  }
  return hn::GetLane(hn::MaxOfLanes(du, largest)) >= 0x7F800000;
}

template <class T>
HWY_INLINE void widenRun(const T *from, float *to) {
  for (int v = 0; v < VectorsPerPanel; ++v)
    hn::StoreU(T::load(from + v * NumLanes), DF(), to + v * NumLanes);
}

/// A block of the depth: the runs [begin, end), \p depth values in all.
struct RunBlock {
  const Run *begin, *end;
  int64_t depth;
  /// Bounds of dh and dw.
  int32_t minH, maxH, minW, maxW;
  /// Every run is as long as a panel is wide, and can be read.
  bool full;

  RunBlock(std::span<const Run> runs, int64_t first)
      : begin(runs.data() + first), end(begin), depth(0), minH(0), maxH(0),
        minW(0), maxW(0), full(true) {
    const Run *last = runs.data() + runs.size();
    for (; end != last && depth + end->length <= DepthBlock; ++end) {
      depth += end->length;
      minH = std::min(minH, end->dh);
      maxH = std::max(maxH, end->dh);
      minW = std::min(minW, end->dw);
      maxW = std::max(maxW, end->dw);
      full = full && end->length == PanelWidth && end->readable;
    }
  }

  bool isInside(const LeftOperand &left, int64_t h, int64_t w) const {
    return h + minH >= 0 && h + maxH < left.inputHeight && w + minW >= 0 &&
           w + maxW < left.inputWidth;
  }
};

/// Widens the runs of a row; they are written whole: what exceeds one is
/// overwritten by the next.
template <class T>
HWY_INLINE void packRow(const LeftOperand &left, const RunBlock &block,
                        const T *row, int64_t h, int64_t w, float *next) {
  const DF df;
  const VF outside = hn::Set(df, left.outside);
  const bool inside = block.isInside(left, h, w);
  const uint64_t inputHeight = left.inputHeight, inputWidth = left.inputWidth;
  for (const Run *run = block.begin; run != block.end;
       next += run->length, ++run) {
    const T *from = row + run->offset;
    // A negative position is a large unsigned one.
    if (!inside && (static_cast<uint64_t>(h + run->dh) >= inputHeight ||
                    static_cast<uint64_t>(w + run->dw) >= inputWidth)) {
      for (int v = 0; v < VectorsPerPanel; ++v)
        hn::StoreU(outside, df, next + v * NumLanes);
    } else if (HWY_LIKELY(run->readable)) {
      widenRun(from, next);
    } else {
      T buffer[PanelWidth] = {};
      for (int16_t i = 0; i < run->length; ++i)
        buffer[i] = from[i];
      widenRun(buffer, next);
    }
  }
}

/// Widens \p block of \p rows rows. Returns whether a value is infinite or
/// NaN; such values are saturated when the mode says so.
template <class T>
bool packLeft(const LeftOperand &left, const RowPositions &positions,
              int64_t rows, const RunBlock &block, OverflowMode mode,
              float *HWY_RESTRICT to) {
  const DF df;
  const hn::RebindToUnsigned<DF> du;
  const auto magnitude = hn::Set(du, 0x7FFFFFFF);
  const T *data = reinterpret_cast<const T *>(left.data);
  auto largest = hn::Zero(du);
  bool unseen = false;
  for (int64_t r = 0; r < rows; ++r) {
    const T *row = data + positions.input[r];
    float *next = to + r * LeftPitch;
    if (!block.full || !block.isInside(left, positions.h[r], positions.w[r])) {
      packRow(left, block, row, positions.h[r], positions.w[r], next);
      unseen = true;
      continue;
    }
    for (const Run *run = block.begin; run != block.end;
         next += PanelWidth, ++run)
      for (int v = 0; v < VectorsPerPanel; ++v) {
        const VF values = T::load(row + run->offset + v * NumLanes);
        largest = hn::Max(largest, hn::And(hn::BitCast(du, values), magnitude));
        hn::StoreU(values, df, next + v * NumLanes);
      }
  }
  const bool found = hn::GetLane(hn::MaxOfLanes(du, largest)) >= 0x7F800000 ||
                     (unseen && hasNonFinite(to, rows, block.depth));
  if (HWY_LIKELY(!found))
    return false;
  if (mode == OverflowMode::Saturate)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < block.depth; k += NumLanes) {
        float *at = to + r * LeftPitch + k;
        hn::StoreU(saturate(df, hn::LoadU(df, at), T::Max), df, at);
      }
  return true;
}

/// Widens \p depth runs of \p rows adjacent rows, of which the first is at
/// \p positions; the lanes behind them are rubbish. Returns as packLeft.
template <class T>
bool packLanes(const LeftOperand &left, const RowPositions &positions,
               int64_t rows, const Run *runs, int64_t depth, OverflowMode mode,
               float *HWY_RESTRICT to) {
  const DF df;
  const hn::RebindToUnsigned<DF> du;
  const T *row = reinterpret_cast<const T *>(left.data) + positions.input[0];
  const int64_t h = positions.h[0], w = positions.w[0];
  const uint64_t inputHeight = left.inputHeight, inputWidth = left.inputWidth;
  const VF outside = hn::Set(df, left.outside);
  hn::Vec<decltype(du)> magnitude[VectorsPerPanel], largest[VectorsPerPanel];
  for (int v = 0; v < VectorsPerPanel; ++v) {
    const int64_t valid = std::clamp<int64_t>(rows - v * NumLanes, 0, NumLanes);
    magnitude[v] =
        hn::IfThenElseZero(hn::FirstN(du, valid), hn::Set(du, 0x7FFFFFFF));
    largest[v] = hn::Zero(du);
  }
  float *next = to;
  for (const Run *run = runs; run != runs + depth; ++run, next += LanesPitch) {
    if (static_cast<uint64_t>(h + run->dh) >= inputHeight ||
        static_cast<uint64_t>(w + run->dw) >= inputWidth) {
      for (int v = 0; v < VectorsPerPanel; ++v)
        hn::StoreU(outside, df, next + v * NumLanes);
      continue;
    }
    const T *from = row + run->offset;
    T buffer[PanelWidth] = {};
    if (HWY_UNLIKELY(!run->readable)) {
      std::copy_n(from, rows, buffer);
      from = buffer;
    }
    for (int v = 0; v < VectorsPerPanel; ++v) {
      const VF values = T::load(from + v * NumLanes);
      largest[v] =
          hn::Max(largest[v], hn::And(hn::BitCast(du, values), magnitude[v]));
      hn::StoreU(values, df, next + v * NumLanes);
    }
  }
  auto all = largest[0];
  for (int v = 1; v < VectorsPerPanel; ++v)
    all = hn::Max(all, largest[v]);
  if (HWY_LIKELY(hn::GetLane(hn::MaxOfLanes(du, all)) < 0x7F800000))
    return false;
  if (mode == OverflowMode::Saturate)
    for (float *at = to; at != next; at += NumLanes)
      hn::StoreU(saturate(df, hn::LoadU(df, at), T::Max), df, at);
  return true;
}

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
