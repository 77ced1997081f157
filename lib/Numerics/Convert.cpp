//===- Convert.cpp - Conversion of arrays of floats -----------------------===//

#include "npu/Numerics/Convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Convert.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace npu::numerics::HWY_NAMESPACE {

/// Calls \p body(i, n) for consecutive ranges of at most \p step elements.
template <class Body>
HWY_INLINE void forEachVector(size_t count, size_t step, const Body &body) {
  size_t i = 0;
  for (; i + step <= count; i += step)
    body(i, step);
  if (i < count)
    body(i, count - i);
}

static void widenHalves(const uint16_t *from, float *to, size_t count) {
  const hn::ScalableTag<float> df;
  const size_t lanes = hn::Lanes(df);
  forEachVector(count, lanes, [&](size_t i, size_t n) HWY_ATTR {
    if (HWY_LIKELY(n == lanes))
      hn::StoreU(loadHalf(df, from + i), df, to + i);
    else
      storeLanes(df, loadHalfN(df, from + i, n), to + i, n);
  });
}

static void widenBFloat16s(const uint16_t *from, float *to, size_t count) {
  const hn::ScalableTag<float> df;
  const size_t lanes = hn::Lanes(df);
  forEachVector(count, lanes, [&](size_t i, size_t n) HWY_ATTR {
    if (HWY_LIKELY(n == lanes))
      hn::StoreU(loadBFloat16(df, from + i), df, to + i);
    else
      storeLanes(df, loadBFloat16N(df, from + i, n), to + i, n);
  });
}

/// \p narrow turns fp32 lanes into sixteen-bit ones.
template <class Narrow>
HWY_INLINE StatusBits narrowFloats(const float *from, uint16_t *to,
                                   size_t count, float overflowLimit,
                                   float underflowLimit, const Narrow &narrow) {
  const hn::ScalableTag<float> df;
  const HalfTag<decltype(df)> dh;
  const size_t lanes = hn::Lanes(df);
  OverflowTracker overflow(df);
  UnderflowTracker underflow(df);
  forEachVector(count, lanes, [&](size_t i, size_t n) HWY_ATTR {
    const bool full = n == lanes;
    const auto v =
        HWY_LIKELY(full) ? hn::LoadU(df, from + i) : loadLanes(df, from + i, n);
    overflow.update(v);
    underflow.update(v);
    if (HWY_LIKELY(full))
      hn::StoreU(narrow(df, v), dh, to + i);
    else
      storeLanes(dh, narrow(df, v), to + i, n);
  });
  return overflow.status(overflowLimit, status::CastOverflow, status::None) |
         underflow.status(underflowLimit, status::CastUnderflow);
}

static StatusBits narrowToHalves(const float *from, uint16_t *to, size_t count,
                                 OverflowMode mode) {
  using DF = hn::ScalableTag<float>;
  if (mode == OverflowMode::Saturate)
    return narrowFloats(from, to, count, HalfOverflowLimit, HalfUnderflowLimit,
                        [](DF df, hn::Vec<DF> v) HWY_ATTR {
                          return toHalf<OverflowMode::Saturate>(df, v);
                        });
  return narrowFloats(from, to, count, HalfOverflowLimit, HalfUnderflowLimit,
                      [](DF df, hn::Vec<DF> v)
                          HWY_ATTR { return narrowToHalf(df, v); });
}

static StatusBits narrowToBFloat16s(const float *from, uint16_t *to,
                                    size_t count, OverflowMode mode) {
  using DF = hn::ScalableTag<float>;
  if (mode == OverflowMode::Saturate)
    return narrowFloats(from, to, count, BFloat16OverflowLimit,
                        BFloat16UnderflowLimit,
                        [](DF df, hn::Vec<DF> v) HWY_ATTR {
                          return toBFloat16<OverflowMode::Saturate>(df, v);
                        });
  return narrowFloats(
      from, to, count, BFloat16OverflowLimit, BFloat16UnderflowLimit,
      [](DF df, hn::Vec<DF> v) HWY_ATTR { return narrowToBFloat16(df, v); });
}

} // namespace npu::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace npu::numerics {

HWY_EXPORT(widenHalves);
HWY_EXPORT(widenBFloat16s);
HWY_EXPORT(narrowToHalves);
HWY_EXPORT(narrowToBFloat16s);

void halfToFloat(std::span<const Half> from, std::span<float> to) {
  assert(from.size() == to.size());
  HWY_DYNAMIC_DISPATCH(widenHalves)
  (reinterpret_cast<const uint16_t *>(from.data()), to.data(), from.size());
}

void bfloat16ToFloat(std::span<const BFloat16> from, std::span<float> to) {
  assert(from.size() == to.size());
  HWY_DYNAMIC_DISPATCH(widenBFloat16s)
  (reinterpret_cast<const uint16_t *>(from.data()), to.data(), from.size());
}

StatusBits floatToHalf(std::span<const float> from, std::span<Half> to,
                       OverflowMode mode) {
  assert(from.size() == to.size());
  return HWY_DYNAMIC_DISPATCH(narrowToHalves)(
      from.data(), reinterpret_cast<uint16_t *>(to.data()), from.size(), mode);
}

StatusBits floatToBFloat16(std::span<const float> from, std::span<BFloat16> to,
                           OverflowMode mode) {
  assert(from.size() == to.size());
  return HWY_DYNAMIC_DISPATCH(narrowToBFloat16s)(
      from.data(), reinterpret_cast<uint16_t *>(to.data()), from.size(), mode);
}

} // namespace npu::numerics

#endif // HWY_ONCE
