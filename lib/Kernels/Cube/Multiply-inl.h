//===- Multiply-inl.h - The kernels of a tile ------------------*- C++ -*-===//
//
// A kernel holds a few rows times a few panels of sums in registers. To be
// included by a file that is compiled once for each target, after
// hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#include "ContractionTile.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#ifndef NPU_CUBE_TILE_CONSTANTS
#define NPU_CUBE_TILE_CONSTANTS
namespace npu::kernels::cube {
/// Values of k in a depth block. An fp32 accumulator holds 256 products of
/// 8-bit integers exactly.
constexpr int64_t DepthBlock = 256;
/// Floats between rows of the widened left operand: a compile-time constant,
/// and not a multiple of the page, so that rows do not share cache sets. A run
/// is widened whole and may exceed the block.
constexpr int64_t LeftPitch = DepthBlock + PanelWidth;
/// Adjacent rows are widened the other way round, 16 values for each k.
constexpr int64_t LanesPitch = PanelWidth;
/// The depth block then: 3 panels of it leave room for the left operand in a
/// first-level cache.
constexpr int64_t LanesDepth = 128;
/// Bounds over all instruction sets, for the work space.
constexpr int64_t MaxKernelRows = 14;
constexpr int64_t MaxKernelPanels = 8;
/// Floats of the widened left operand: that of all kernels of a tile.
constexpr int64_t LeftCount =
    (MaxTileRows + MaxKernelRows) * LeftPitch + PanelWidth;
/// Floats of the widened right operand: that of one kernel.
constexpr int64_t RightCount = MaxKernelPanels * DepthBlock * PanelWidth;
/// Tiles are cut into kernels of equal height, at most this many rows more
/// than the tile has.
constexpr int64_t AccumulatorCount =
    (MaxTileRows + MaxKernelRows) * MaxTilePanels * PanelWidth;
} // namespace npu::kernels::cube
#endif

#if defined(NPU_LIB_KERNELS_CUBE_MULTIPLY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_CUBE_MULTIPLY_INL_H
#undef NPU_LIB_KERNELS_CUBE_MULTIPLY_INL_H
#else
#define NPU_LIB_KERNELS_CUBE_MULTIPLY_INL_H
#endif

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::cube::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace npu::numerics::HWY_NAMESPACE;

using DF = hn::CappedTag<float, PanelWidth>;
using VF = hn::Vec<DF>;
constexpr int64_t NumLanes = hn::MaxLanes(DF());
constexpr int VectorsPerPanel = PanelWidth / NumLanes;

// Accumulators, the panel values of one k and a broadcast must fit into the
// registers: 32 of 16 lanes, 16 of 8; 32 of 4 on Arm. With one row, more panels
// hide the latency of the sums.
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
constexpr int KernelRows = 2, KernelPanels = 1, RowPanels = 2;
constexpr int LanesRows = 2, LanesPanels = 1;
#else
constexpr int KernelRows = NumLanes == 16 ? 14 : 6;
constexpr int KernelPanels = NumLanes == 16 ? 2 : 1;
constexpr int RowPanels = NumLanes == 16 ? 8 : 4;
// Two kernels for the 16 rows that are widened at once.
constexpr int LanesRows = NumLanes == 16 ? 8 : 6;
constexpr int LanesPanels = NumLanes == 16 ? 3 : 1;
#endif
static_assert(KernelRows <= MaxKernelRows && RowPanels <= MaxKernelPanels);

HWY_INLINE VF loadRight(const uint16_t *from) { return loadHalf(DF(), from); }
HWY_INLINE VF loadRight(const float *from) { return hn::LoadU(DF(), from); }

/// An fp16 value of the right operand, widened by the first kernel that read
/// it.
struct WidenedHalf {
  float value;
};
HWY_INLINE VF loadRight(const WidenedHalf *from) {
  return hn::LoadU(DF(), &from->value);
}

/// fp16 products are exact in fp32, so fusing the addition changes nothing;
/// others round, and the promise is one rounding for each.
HWY_INLINE VF addProduct(const uint16_t *, VF a, VF b, VF sum) {
  return hn::MulAdd(a, b, sum);
}
HWY_INLINE VF addProduct(const WidenedHalf *, VF a, VF b, VF sum) {
  return hn::MulAdd(a, b, sum);
}
HWY_INLINE VF addProduct(const float *, VF a, VF b, VF sum) {
  return hn::Add(sum, hn::Mul(a, b));
}

/// What a kernel asks for while it computes: the panels of the next one come
/// from memory. In each step of k one address of each panel, \p step bytes
/// further. Goes by address: a copy on the stack would have to wait for the
/// stores of the kernel before.
struct Ahead {
  const std::byte *from = nullptr;
  int64_t panelPitch = 0, step = 0;
};

/// sums[r][...] = (init, or sums[r][...] where init is null) + products over
/// depth values of k, for R rows and P panels. With Lanes the rows of a k lie
/// side by side. With Keeps the widened right operand goes to \p kept, panel by
/// panel: a pass of its own would wait for memory, which products hide.
template <int R, int P, bool Lanes, bool Keeps, class Right>
void multiply(const float *HWY_RESTRICT left, const Right *HWY_RESTRICT right,
              int64_t panelPitch, int64_t depthPitch, int64_t depth,
              const float *HWY_RESTRICT init, float *HWY_RESTRICT sums,
              const Ahead &ahead, WidenedHalf *HWY_RESTRICT kept) {
  constexpr int N = P * VectorsPerPanel;
  const DF df;
  VF acc[R][N];
  for (int r = 0; r < R; ++r)
    for (int n = 0; n < N; ++n)
      acc[r][n] = init ? hn::LoadU(df, init + n * NumLanes)
                       : hn::Load(df, sums + r * P * PanelWidth + n * NumLanes);
  const std::byte *next = ahead.from;
  for (int64_t k = 0; k < depth; ++k, right += depthPitch) {
    for (int p = 0; p < P; ++p)
      hwy::Prefetch(next + p * ahead.panelPitch);
    next += ahead.step;
    VF b[N];
    for (int n = 0; n < N; ++n)
      b[n] = loadRight(right + n / VectorsPerPanel * panelPitch +
                       n % VectorsPerPanel * NumLanes);
    if constexpr (Keeps) {
      for (int n = 0; n < N; ++n)
        hn::Store(b[n], df,
                  &kept[n / VectorsPerPanel * depth * PanelWidth +
                        n % VectorsPerPanel * NumLanes]
                       .value);
      kept += PanelWidth;
    }
    for (int r = 0; r < R; ++r) {
      const VF a =
          hn::Set(df, left[Lanes ? k * LanesPitch + r : r * LeftPitch + k]);
      for (int n = 0; n < N; ++n)
        acc[r][n] = addProduct(right, a, b[n], acc[r][n]);
    }
  }
  for (int r = 0; r < R; ++r)
    for (int n = 0; n < N; ++n)
      hn::Store(acc[r][n], df, sums + r * P * PanelWidth + n * NumLanes);
}

template <class Right>
using MultiplyFunction = void (*)(const float *, const Right *, int64_t,
                                  int64_t, int64_t, const float *, float *,
                                  const Ahead &, WidenedHalf *);

/// Element (r - 1) * P + p - 1 is the kernel of r rows and p panels.
template <class Right, int P, bool Lanes, bool Keeps, size_t... I>
constexpr std::array<MultiplyFunction<Right>, sizeof...(I)>
listKernels(std::index_sequence<I...>) {
  return {multiply<I / P + 1, I % P + 1, Lanes, Keeps, Right>...};
}

/// Kernels of fp16 values keep what they widen.
template <class Right>
constexpr bool KeepsRight = std::is_same_v<Right, uint16_t>;

template <class Right>
MultiplyFunction<Right> selectKernel(int64_t rows, int64_t panels) {
  static constexpr auto kernels =
      listKernels<Right, KernelPanels, false, KeepsRight<Right>>(
          std::make_index_sequence<KernelRows * KernelPanels>());
  return kernels[(rows - 1) * KernelPanels + panels - 1];
}

/// Of a tile of one row, where nobody reads a panel again.
template <class Right>
MultiplyFunction<Right> selectRowKernel(int64_t panels) {
  static constexpr auto kernels = listKernels<Right, RowPanels, false, false>(
      std::make_index_sequence<RowPanels>());
  return kernels[panels - 1];
}

template <class Right>
MultiplyFunction<Right> selectLanesKernel(int64_t rows, int64_t panels) {
  static constexpr auto kernels =
      listKernels<Right, LanesPanels, true, KeepsRight<Right>>(
          std::make_index_sequence<LanesRows * LanesPanels>());
  return kernels[(rows - 1) * LanesPanels + panels - 1];
}

} // namespace npu::kernels::cube::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_CUBE_MULTIPLY_INL_H
