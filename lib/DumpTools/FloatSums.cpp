//===- FloatSums.cpp - Sums and extremes of floats ------------------------===//

#include "FloatSums.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "FloatSums.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::dump::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = numerics::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, NumLanes>;

/// Adds \p count elements of type T, a multiple of NumLanes, which need not be
/// aligned. Extremes are meaningless where an element is NaN.
template <class T, class Load>
HWY_INLINE void addLanes(const std::byte *from, size_t count, LaneSums &sums,
                         const Load &load) {
  constexpr Floats df;
  constexpr hn::Repartition<double, Floats> dd;
  constexpr hn::Half<Floats> dh;
  constexpr size_t step = hn::MaxLanes(df), numVectors = NumLanes / step;
  hn::Vec<Floats> minimum[numVectors], maximum[numVectors];
  hn::Vec<decltype(dd)> sum[2 * numVectors], squares[2 * numVectors];
  for (size_t k = 0; k < numVectors; ++k) {
    minimum[k] = hn::Load(df, sums.minimum + k * step);
    maximum[k] = hn::Load(df, sums.maximum + k * step);
  }
  for (size_t k = 0; k < 2 * numVectors; ++k) {
    sum[k] = hn::Load(dd, sums.sum + k * step / 2);
    squares[k] = hn::Load(dd, sums.squares + k * step / 2);
  }
  for (size_t i = 0; i < count; i += NumLanes) {
    hwy::Prefetch(from + (count + i) * sizeof(T)); // the block that follows
    for (size_t k = 0; k < numVectors; ++k) {
      const auto v = load(
          df, reinterpret_cast<const T *>(from + (i + k * step) * sizeof(T)));
      minimum[k] = hn::Min(minimum[k], v);
      maximum[k] = hn::Max(maximum[k], v);
      const auto low = hn::PromoteTo(dd, hn::LowerHalf(dh, v));
      const auto high = hn::PromoteTo(dd, hn::UpperHalf(dh, v));
      sum[2 * k] = hn::Add(sum[2 * k], low);
      sum[2 * k + 1] = hn::Add(sum[2 * k + 1], high);
      // Squares of floats are exact in doubles: fused or not is the same.
      squares[2 * k] = hn::MulAdd(low, low, squares[2 * k]);
      squares[2 * k + 1] = hn::MulAdd(high, high, squares[2 * k + 1]);
    }
  }
  for (size_t k = 0; k < numVectors; ++k) {
    hn::Store(minimum[k], df, sums.minimum + k * step);
    hn::Store(maximum[k], df, sums.maximum + k * step);
  }
  for (size_t k = 0; k < 2 * numVectors; ++k) {
    hn::Store(sum[k], dd, sums.sum + k * step / 2);
    hn::Store(squares[k], dd, sums.squares + k * step / 2);
  }
}

/// Whole numbers of magnitudes below 2^31; anything for others.
HWY_INLINE hn::Vec<hn::RebindToSigned<Floats>>
toWholeNumbers(hn::Vec<Floats> v) {
  using Integers = hn::Vec<hn::RebindToSigned<Floats>>;
  // ConvertTo also puts right what is beyond.
#if HWY_TARGET == HWY_AVX3
  return Integers{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Integers{_mm256_cvttps_epi32(v.raw)};
#else
  // A NaN is no integer of C++.
  return Integers{hn::ConvertTo(hn::RebindToSigned<Floats>(),
                                hn::IfThenZeroElse(hn::IsNaN(v), v))};
#endif
}

} // namespace

FixedSums addHalfUnits(const std::byte *from, size_t count) {
  constexpr Floats df;
  constexpr hn::RebindToSigned<Floats> di;
  // Any number of lanes does, as sums are exact: these hide the latency of
  // sums.
  constexpr size_t step = hn::MaxLanes(df), numVectors = 2 * NumLanes / step;
  const float infinity = std::numeric_limits<float>::infinity();
  const auto unit = hn::Set(df, 0x1p24f);
  hn::Vec<Floats> minimum[numVectors], maximum[numVectors], about[numVectors];
  hn::Vec<decltype(di)> units[numVectors];
  for (size_t k = 0; k < numVectors; ++k) {
    minimum[k] = hn::Set(df, infinity);
    maximum[k] = hn::Set(df, -infinity);
    about[k] = hn::Zero(df);
    units[k] = hn::Zero(di);
  }
  const auto *halves = reinterpret_cast<const uint16_t *>(from);
  const auto add = [&](size_t i, size_t k) HWY_ATTR {
    const auto v = simd::loadHalf(df, halves + i);
    minimum[k] = hn::Min(minimum[k], v);
    maximum[k] = hn::Max(maximum[k], v);
    about[k] = hn::Add(about[k], v);
    units[k] = hn::Add(units[k], toWholeNumbers(hn::Mul(v, unit)));
  };
  size_t i = 0;
  for (; i + 2 * NumLanes <= count; i += 2 * NumLanes) {
    hwy::Prefetch(halves + count + i); // the block that follows
    for (size_t k = 0; k < numVectors; ++k)
      add(i + k * step, k);
  }
  if (i < count)
    for (size_t k = 0; k < numVectors / 2; ++k)
      add(i + k * step, k);
  for (size_t width = numVectors / 2; width != 0; width /= 2)
    for (size_t k = 0; k < width; ++k) {
      minimum[k] = hn::Min(minimum[k], minimum[k + width]);
      maximum[k] = hn::Max(maximum[k], maximum[k + width]);
      about[k] = hn::Add(about[k], about[k + width]);
      units[k] = hn::Add(units[k], units[k + width]);
    }
  constexpr hn::RebindToUnsigned<Floats> du; // whose sum may wrap
  return {hn::GetLane(hn::SumOfLanes(du, hn::BitCast(du, units[0]))),
          hn::GetLane(hn::SumOfLanes(df, about[0])),
          hn::GetLane(hn::MinOfLanes(df, minimum[0])),
          hn::GetLane(hn::MaxOfLanes(df, maximum[0]))};
}

void addHalves(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<uint16_t>(from, count, sums,
                     [](Floats df, const uint16_t *at)
                         HWY_ATTR { return simd::loadHalf(df, at); });
}

void addBFloat16s(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<uint16_t>(from, count, sums,
                     [](Floats df, const uint16_t *at)
                         HWY_ATTR { return simd::loadBFloat16(df, at); });
}

void addFloats(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<float>(from, count, sums, [](Floats df, const float *at) HWY_ATTR {
    return hn::LoadU(df, at);
  });
}

} // namespace npu::dump::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::dump {

HWY_EXPORT(addHalves);
HWY_EXPORT(addBFloat16s);
HWY_EXPORT(addFloats);
HWY_EXPORT(addHalfUnits);

void addHalves(const std::byte *from, size_t count, LaneSums &sums) {
  HWY_DYNAMIC_DISPATCH(addHalves)(from, count, sums);
}
void addBFloat16s(const std::byte *from, size_t count, LaneSums &sums) {
  HWY_DYNAMIC_DISPATCH(addBFloat16s)(from, count, sums);
}
void addFloats(const std::byte *from, size_t count, LaneSums &sums) {
  HWY_DYNAMIC_DISPATCH(addFloats)(from, count, sums);
}
FixedSums addHalfUnits(const std::byte *from, size_t count) {
  return HWY_DYNAMIC_DISPATCH(addHalfUnits)(from, count);
}

} // namespace npu::dump
#endif // HWY_ONCE
