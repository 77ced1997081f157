//===- LeftRows-inl.h - Rows of the left operand, widened ------*- C++ -*-===//
//
// Rows are widened to fp32 as a kernel reads them, looked at for infinities and
// NaNs, and saturated where the mode says so. To be included by a file that is
// compiled once for each target, after hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#if defined(NPU_LIB_KERNELS_CUBE_LEFTROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_CUBE_LEFTROWS_INL_H
#undef NPU_LIB_KERNELS_CUBE_LEFTROWS_INL_H
#else
#define NPU_LIB_KERNELS_CUBE_LEFTROWS_INL_H
#endif

#include "Contraction.h"
#include "Multiply-inl.h"
#include "npu/Numerics/Simd-inl.h"

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::cube::HWY_NAMESPACE {

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

/// Widens \p block of \p rows rows. With \p Checked returns whether a value is
/// infinite or NaN; such values are saturated when the mode says so.
template <class T, bool Checked>
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
        if constexpr (Checked)
          largest =
              hn::Max(largest, hn::And(hn::BitCast(du, values), magnitude));
        hn::StoreU(values, df, next + v * NumLanes);
      }
  }
  if constexpr (!Checked)
    return false;
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

} // namespace npu::kernels::cube::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_CUBE_LEFTROWS_INL_H
