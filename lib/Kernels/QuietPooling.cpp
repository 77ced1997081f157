//===- QuietPooling.cpp - Maxima of finite fp16 pixels --------------------===//
//
// First the largest of each column of pixels, then of each window: as maxima
// are exact, their order does not matter. Bits of finite values compare as
// integers.
//
//===----------------------------------------------------------------------===//

#include "QuietPooling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "QuietPooling.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;

/// The pixels of a block of NC1HWC0 have 16 halves.
using DU = hn::CappedTag<uint16_t, 16>;
using DI = hn::RebindToSigned<DU>;
constexpr int64_t NumLanes = hn::MaxLanes(DU());

} // namespace

bool poolQuietlyImpl(const uint16_t *firstLine, const uint16_t *lastLine,
                     int64_t lineElements, std::span<const WindowSpan> columns,
                     int64_t lanes, std::vector<int16_t> &largest,
                     uint16_t *result) {
  const DU du;
  const DI di;
  if (lanes % NumLanes != 0 || firstLine >= lastLine)
    return false;
  nn::FiniteCheck<DU> check{du};
  largest.resize(static_cast<size_t>(lineElements));
  for (int64_t i = 0; i < lineElements; i += NumLanes) {
    auto best = hn::Set(di, INT16_MIN);
    for (const uint16_t *line = firstLine; line != lastLine;
         line += lineElements) {
      const auto bits = hn::LoadU(du, line + i);
      check.update(bits);
      best = hn::Max(best, nn::orderOfHalf(di, bits));
    }
    hn::StoreU(best, di, &largest[i]);
  }
  for (const WindowSpan &window : columns) {
    if (window.begin >= window.end)
      return false;
    for (int64_t lane = 0; lane < lanes; lane += NumLanes, result += NumLanes) {
      auto best = hn::Set(di, INT16_MIN);
      for (int64_t x = window.begin; x < window.end; ++x)
        best = hn::Max(best, hn::LoadU(di, &largest[x * lanes + lane]));
      hn::StoreU(nn::halfOfOrder(di, best), du, result);
    }
  }
  return check.holds();
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(poolQuietlyImpl);

bool poolQuietly(const uint16_t *firstLine, const uint16_t *lastLine,
                 int64_t lineElements, std::span<const WindowSpan> columns,
                 int64_t lanes, std::vector<int16_t> &largest,
                 uint16_t *result) {
  return HWY_DYNAMIC_DISPATCH(poolQuietlyImpl)(
      firstLine, lastLine, lineElements, columns, lanes, largest, result);
}

} // namespace npu::kernels
#endif // HWY_ONCE
