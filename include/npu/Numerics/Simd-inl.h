//===- Simd-inl.h - fp16 and bf16 arithmetic in vectors --------*- C++ -*-===//
//
// Building blocks of vector code: halves are widened to fp32 lanes, computed
// there and rounded back. One fp32 add, sub, mul, div or sqrt of widened halves
// followed by one rounding to fp16 is the correctly rounded fp16 result, also
// for subnormal results, because fp32 has 24 >= 2 * 11 + 2 significant bits.
//
// To be included by a file that is compiled once for each target
// (hwy/foreach_target.h), after hwy/highway.h; everything is in
// npu::numerics::HWY_NAMESPACE. df is a tag of float lanes, ScalableTag<float>
// or CappedTag<float, N>. All targets give the same bits.
//
// A loop for an fp16 operator:
//
//   OverflowTracker<DF> tracker(df);
//   for (...) {
//     auto sum = hn::Add(loadHalf(df, a + i), loadHalf(df, b + i));
//     tracker.update(sum);
//     storeHalf<M>(df, sum, to + i);
//   }
//   return tracker.status(HalfOverflowLimit, status::FloatOverflow);
//
//===----------------------------------------------------------------------===//

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"

#include <cstdint>
#include <cstring>
#include <limits>

#ifndef NPU_NUMERICS_SIMD_CONSTANTS
#define NPU_NUMERICS_SIMD_CONSTANTS
namespace npu::numerics {
/// The largest finite values.
constexpr float HalfMaxValue = 65504.0f;
constexpr float BFloat16MaxValue = 0x1.FEp127f;
/// From this magnitude on a value rounds (to nearest even) beyond the largest
/// finite one of the type.
constexpr float HalfOverflowLimit = 65520.0f;
constexpr float BFloat16OverflowLimit = 0x1.FFp127f;
/// Only an infinite result of finite operands counts.
constexpr float FloatOverflowLimit = std::numeric_limits<float>::infinity();
/// Up to this magnitude a value rounds to zero.
constexpr float HalfUnderflowLimit = 0x1p-25f;
constexpr float BFloat16UnderflowLimit = 0x1p-134f;
} // namespace npu::numerics
#endif

#if defined(NPU_NUMERICS_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_NUMERICS_SIMD_INL_H
#undef NPU_NUMERICS_SIMD_INL_H
#else
#define NPU_NUMERICS_SIMD_INL_H
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace npu::numerics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sixteen-bit lanes, as many as DF has.
template <class DF>
using HalfTag = hn::Rebind<uint16_t, DF>;

//===----------------------------------------------------------------------===//
// Conversion of lanes
//===----------------------------------------------------------------------===//

/// fp16 bits to fp32: exact, NaNs become quiet.
template <class DF>
HWY_INLINE hn::Vec<DF> widenHalf(DF df, hn::Vec<HalfTag<DF>> half) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::PromoteTo(df, hn::BitCast(hn::Rebind<hwy::float16_t, DF>(), half));
#else
  const hn::RebindToUnsigned<DF> du;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::PromoteTo(du, half);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFF));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  // A subnormal is its mantissa times 2^-24. Otherwise the exponent is biased
  // anew; that of infinities and NaNs is 16 steps further still.
  const auto subnormal =
      hn::BitCast(du, hn::Mul(hn::ConvertTo(df, hn::BitCast(di, magnitude)),
                              hn::Set(df, 0x1p-24f)));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(shifted, hn::Set(du, (127u - 15) << 23));
  const auto special = hn::Add(shifted, hn::Set(du, (255u - 31) << 23));
  auto result =
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x400)), subnormal, normal);
  result =
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x7C00)), result, special);
  result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7C00)),
                          hn::Or(result, hn::Set(du, 0x00400000)), result);
  return hn::BitCast(df, hn::Or(result, sign));
#endif
}

/// fp32 to fp16 bits as IEEE has it: nearest even, infinity from 65520 on, NaNs
/// quiet with the top of their payload. storeHalf is what operators want.
template <class DF>
HWY_INLINE hn::Vec<HalfTag<DF>> narrowToHalf(DF df, hn::Vec<DF> v) {
  const HalfTag<DF> dh;
#if HWY_TARGET == HWY_AVX3
  // DemoteTo suppresses exceptions, and that form cannot write to memory, which
  // is one micro-operation less.
  if constexpr (hn::MaxLanes(DF()) == 16)
    return hn::Vec<HalfTag<DF>>{
        _mm512_cvtps_ph(v.raw, _MM_FROUND_TO_NEAREST_INT)};
#endif
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::BitCast(dh, hn::DemoteTo(hn::Rebind<hwy::float16_t, DF>(), v));
#else
  const hn::RebindToUnsigned<DF> du;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(du, v);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFF));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  // Half an ulp less one, one more if the kept part is odd: nearest even.
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1));
  const auto rebiased =
      hn::Add(magnitude, hn::Set(du, 0xFFFu - ((127u - 15) << 23)));
  const auto normal = hn::ShiftRight<13>(hn::Add(rebiased, odd));
  // The sum with 0.5 has an ulp of 2^-24, which is that of subnormal halves.
  const auto half = hn::Set(df, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, magnitude), half)),
              hn::BitCast(du, half));
  auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x38800000)),
                               subnormal, normal);
  result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 0x477FF000)), result,
                          hn::Set(du, 0x7C00));
  const auto nan =
      hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3FF)),
             hn::Set(du, 0x7E00));
  result =
      hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7F800000)), nan, result);
  return hn::DemoteTo(dh, hn::BitCast(di, hn::Or(result, sign)));
#endif
}

/// Whether results are best converted straight to memory and looked at there.
/// That saves an instruction of 512 bits; of the processors without them some
/// take twice as long as for a register.
constexpr bool NarrowsToMemory = HWY_TARGET == HWY_AVX3;

/// Sixteen-bit lanes, twice as many as DF has.
template <class DF>
using HalfPairTag = hn::Twice<HalfTag<DF>>;

/// narrowToHalf of \p low, then of \p high.
template <class DF>
HWY_INLINE hn::Vec<HalfPairTag<DF>> narrowPairToHalf(DF df, hn::Vec<DF> low,
                                                     hn::Vec<DF> high) {
  return hn::Combine(HalfPairTag<DF>(), narrowToHalf(df, high),
                     narrowToHalf(df, low));
}

/// bf16 bits to fp32, exact.
template <class DF>
HWY_INLINE hn::Vec<DF> widenBFloat16(DF df, hn::Vec<HalfTag<DF>> bits) {
  const hn::RebindToUnsigned<DF> du;
  return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

/// fp32 to the nearest bf16 as IEEE has it, kept in fp32 lanes: ties to even,
/// NaNs quiet with the top of their payload.
template <class DF>
HWY_INLINE hn::Vec<DF> nearestBFloat16(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x00400000));
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFF));
  const auto chosen = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7F800000)),
                                     quiet, rounded);
  return hn::BitCast(df, hn::And(chosen, hn::Set(du, 0xFFFF0000)));
}

/// The bits of nearestBFloat16. storeBFloat16 is what operators want.
template <class DF>
HWY_INLINE hn::Vec<HalfTag<DF>> narrowToBFloat16(DF df, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> du;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(du, nearestBFloat16(df, v));
  return hn::DemoteTo(HalfTag<DF>(), hn::BitCast(di, hn::ShiftRight<16>(bits)));
}

//===----------------------------------------------------------------------===//
// Overflow mode
//===----------------------------------------------------------------------===//

/// Infinities and values beyond +-\p max become +-\p max, NaNs +0: how a
/// saturating unit sees and writes values. With max 65504, also what the Cube
/// makes of its inputs.
template <class DF>
HWY_INLINE hn::Vec<DF> saturate(DF df, hn::Vec<DF> v, float max) {
  const auto number = hn::IfThenElseZero(hn::Eq(v, v), v);
  return hn::Clamp(number, hn::Set(df, -max), hn::Set(df, max));
}

/// The same +NaN for every NaN: its bits must not depend on the order in which
/// a compiler puts operands.
template <class DF>
HWY_INLINE hn::Vec<DF> canonicalizeNaN(DF df, hn::Vec<DF> v) {
  const auto nan =
      hn::BitCast(df, hn::Set(hn::RebindToUnsigned<DF>(), 0x7FC00000));
  return hn::IfThenElse(hn::Eq(v, v), v, nan);
}

/// What an instruction of mode M makes of its result before it is rounded to a
/// type whose largest value is \p max.
template <OverflowMode M, class DF>
HWY_INLINE hn::Vec<DF> applyOverflowMode(DF df, hn::Vec<DF> v, float max) {
  if constexpr (M == OverflowMode::Saturate)
    return saturate(df, v, max);
  else
    return canonicalizeNaN(df, v);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Lanes(df) fp16 values at \p from, in fp32 lanes. No alignment needed.
template <class DF>
HWY_INLINE hn::Vec<DF> loadHalf(DF df, const uint16_t *from) {
  return widenHalf(df, hn::LoadU(HalfTag<DF>(), from));
}

/// The first \p n lanes from \p from, zero in the others; n <= Lanes(df).
template <class D>
HWY_INLINE hn::Vec<D> loadLanes(D d, const hn::TFromD<D> *from, size_t n) {
  HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(D())] = {};
  std::memcpy(buffer, from, n * sizeof(*from));
  return hn::Load(d, buffer);
}

/// The first \p n lanes of \p v to \p to; n <= Lanes(d).
template <class D>
HWY_INLINE void storeLanes(D d, hn::Vec<D> v, hn::TFromD<D> *to, size_t n) {
  HWY_ALIGN hn::TFromD<D> buffer[hn::MaxLanes(D())];
  hn::Store(v, d, buffer);
  std::memcpy(to, buffer, n * sizeof(*to));
}

/// loadHalf of \p n <= Lanes(df) values, +0 in the other lanes.
template <class DF>
HWY_INLINE hn::Vec<DF> loadHalfN(DF df, const uint16_t *from, size_t n) {
  return widenHalf(df, loadLanes(HalfTag<DF>(), from, n));
}

/// \p v rounded once to fp16, nearest even, overflow by M: the bits.
template <OverflowMode M, class DF>
HWY_INLINE hn::Vec<HalfTag<DF>> toHalf(DF df, hn::Vec<DF> v) {
  return narrowToHalf(df, applyOverflowMode<M>(df, v, HalfMaxValue));
}

/// \p v rounded once to fp16, in fp32 lanes: for chains of instructions that
/// round each result.
template <OverflowMode M, class DF>
HWY_INLINE hn::Vec<DF> roundToHalf(DF df, hn::Vec<DF> v) {
  return widenHalf(df, toHalf<M>(df, v));
}

/// Stores \p v rounded once to fp16. No alignment needed.
template <OverflowMode M, class DF>
HWY_INLINE void storeHalf(DF df, hn::Vec<DF> v, uint16_t *to) {
  hn::StoreU(toHalf<M>(df, v), HalfTag<DF>(), to);
}

/// storeHalf of the first \p n <= Lanes(df) lanes.
template <OverflowMode M, class DF>
HWY_INLINE void storeHalfN(DF df, hn::Vec<DF> v, uint16_t *to, size_t n) {
  storeLanes(HalfTag<DF>(), toHalf<M>(df, v), to, n);
}

template <class DF>
HWY_INLINE hn::Vec<DF> loadBFloat16(DF df, const uint16_t *from) {
  return widenBFloat16(df, hn::LoadU(HalfTag<DF>(), from));
}

template <class DF>
HWY_INLINE hn::Vec<DF> loadBFloat16N(DF df, const uint16_t *from, size_t n) {
  return widenBFloat16(df, loadLanes(HalfTag<DF>(), from, n));
}

/// \p v rounded once to bf16, nearest even, overflow by M, in fp32 lanes.
template <OverflowMode M, class DF>
HWY_INLINE hn::Vec<DF> roundToBFloat16(DF df, hn::Vec<DF> v) {
  return nearestBFloat16(df, applyOverflowMode<M>(df, v, BFloat16MaxValue));
}

/// \p v rounded once to bf16: the bits.
template <OverflowMode M, class DF>
HWY_INLINE hn::Vec<HalfTag<DF>> toBFloat16(DF df, hn::Vec<DF> v) {
  return narrowToBFloat16(df, applyOverflowMode<M>(df, v, BFloat16MaxValue));
}

template <OverflowMode M, class DF>
HWY_INLINE void storeBFloat16(DF df, hn::Vec<DF> v, uint16_t *to) {
  hn::StoreU(toBFloat16<M>(df, v), HalfTag<DF>(), to);
}

template <OverflowMode M, class DF>
HWY_INLINE void storeBFloat16N(DF df, hn::Vec<DF> v, uint16_t *to, size_t n) {
  storeLanes(HalfTag<DF>(), toBFloat16<M>(df, v), to, n);
}

//===----------------------------------------------------------------------===//
// Exact operations
//===----------------------------------------------------------------------===//

/// Neither infinite nor NaN.
template <class DF>
HWY_INLINE hn::Mask<DF> isFinite(DF df, hn::Vec<DF> v) {
  return hn::Lt(hn::Abs(v),
                hn::Set(df, std::numeric_limits<float>::infinity()));
}

/// Neither operand is infinite or NaN.
template <class DF>
HWY_INLINE hn::Mask<DF> areFinite(DF df, hn::Vec<DF> a, hn::Vec<DF> b) {
  return hn::And(isFinite(df, a), isFinite(df, b));
}

/// The larger value; NaN if a lane of either is, -0 below +0.
template <class DF>
HWY_INLINE hn::Vec<DF> maximum(DF df, hn::Vec<DF> a, hn::Vec<DF> b) {
  // Equal lanes differ at most in the sign of zero.
  auto result = hn::IfThenElse(hn::Gt(a, b), a, b);
  result = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), result);
  const auto numbers = hn::And(hn::Eq(a, a), hn::Eq(b, b));
  return hn::IfThenElse(numbers, result, hn::Add(a, b));
}

/// The smaller value; NaN if a lane of either is, -0 below +0.
template <class DF>
HWY_INLINE hn::Vec<DF> minimum(DF df, hn::Vec<DF> a, hn::Vec<DF> b) {
  auto result = hn::IfThenElse(hn::Lt(a, b), a, b);
  result = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), result);
  const auto numbers = hn::And(hn::Eq(a, a), hn::Eq(b, b));
  return hn::IfThenElse(numbers, result, hn::Add(a, b));
}

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

/// Collects what a loop needs to report about the results of an instruction,
/// in two registers. An overflow is a result beyond the type in a lane whose
/// operands are all finite, whatever the other lanes hold.
template <class DF>
class OverflowTracker {
  using DU = hn::RebindToUnsigned<DF>;
  using VU = hn::Vec<DU>;

public:
  explicit OverflowTracker(DF)
      : largest(hn::Zero(DU())), smallest(hn::Set(DU(), 0xFFFFFFFF)) {}

  /// \p result is the fp32 result (before it is rounded to fp16 or bf16) of an
  /// instruction that is infinite or NaN exactly if an operand is: add, sub and
  /// mul of widened halves, and the value that a cast narrows. Four
  /// instructions. Also finds the overflows of max and min, but not an infinite
  /// operand that is not chosen.
  HWY_INLINE void update(hn::Vec<DF> result) { collect(keyOf(result)); }

  /// For other instructions (div, sqrt, exp, ln, fp32 arithmetic):
  /// \p operandsFinite tells the lanes whose operands are all finite. There an
  /// infinite result is an overflow and a NaN one (0 / 0) nothing.
  HWY_INLINE void update(hn::Vec<DF> result, hn::Mask<DF> operandsFinite) {
    const DU du;
    const DF df;
    const auto infinity = hn::Set(df, std::numeric_limits<float>::infinity());
    auto key =
        hn::IfThenElse(hn::RebindMask(du, hn::Eq(hn::Abs(result), infinity)),
                       hn::Set(du, OverflowedKey), keyOf(result));
    key = hn::IfThenElse(hn::RebindMask(du, hn::Eq(result, result)), key,
                         hn::Set(du, ZeroKey));
    collect(
        hn::IfThenElse(hn::RebindMask(du, operandsFinite), key, hn::Zero(du)));
  }

  /// Adds what \p other has seen.
  HWY_INLINE void merge(const OverflowTracker &other) {
    largest = hn::Max(largest, other.largest);
    smallest = hn::Min(smallest, other.smallest);
  }

  /// \p overflowBit if a magnitude of \p limit (HalfOverflowLimit...) or more
  /// was seen, \p nonFiniteBit if an infinite or NaN operand was.
  HWY_INLINE StatusBits
  status(float limit, StatusBits overflowBit,
         StatusBits nonFiniteBit = status::VectorNanInfInput) const {
    const DU du;
    const uint32_t max = hn::GetLane(hn::MaxOfLanes(du, largest));
    const uint32_t min = hn::GetLane(hn::MinOfLanes(du, smallest));
    uint32_t bits;
    std::memcpy(&bits, &limit, sizeof(bits));
    const uint32_t limitKey =
        limit == FloatOverflowLimit ? OverflowedKey : (bits << 1) + ZeroKey;
    return (max >= limitKey ? overflowBit : status::None) |
           (min < ZeroKey ? nonFiniteBit : status::None);
  }

private:
  /// Keys order magnitudes: those of finite values are odd-free and start at
  /// ZeroKey; those of infinities and NaNs wrap around to below it.
  static constexpr uint32_t ZeroKey = 0x01000000;
  static constexpr uint32_t OverflowedKey = 0xFFFFFFFF;

  static HWY_INLINE VU keyOf(hn::Vec<DF> v) {
    const DU du;
    return hn::Add(hn::ShiftLeft<1>(hn::BitCast(du, v)), hn::Set(du, ZeroKey));
  }
  HWY_INLINE void collect(VU key) {
    largest = hn::Max(largest, key);
    smallest = hn::Min(smallest, key);
  }

  VU largest;
  VU smallest;
};

/// Collects whether a nonzero result was so small that it became zero.
template <class DF>
class UnderflowTracker {
  using DU = hn::RebindToUnsigned<DF>;

public:
  explicit UnderflowTracker(DF) : smallest(hn::Set(DU(), 0xFFFFFFFF)) {}

  /// \p result as for OverflowTracker. Three instructions.
  HWY_INLINE void update(hn::Vec<DF> result) {
    const DU du;
    // Zero wraps around to the largest key.
    const auto key =
        hn::Sub(hn::ShiftLeft<1>(hn::BitCast(du, result)), hn::Set(du, 1));
    smallest = hn::Min(smallest, key);
  }

  /// \p underflowBit if a nonzero magnitude of at most \p limit
  /// (HalfUnderflowLimit...) was seen.
  HWY_INLINE StatusBits status(float limit, StatusBits underflowBit) const {
    uint32_t bits;
    std::memcpy(&bits, &limit, sizeof(bits));
    const uint32_t min = hn::GetLane(hn::MinOfLanes(DU(), smallest));
    return min < (bits << 1) ? underflowBit : status::None;
  }

private:
  hn::Vec<DU> smallest;
};

/// fp16 bits as signed numbers in the order of their values, -0 below +0, and
/// back; infinities and NaNs lie beyond the finite ones.
template <class DI>
HWY_INLINE hn::Vec<DI> orderOfHalf(DI di,
                                   hn::Vec<hn::RebindToUnsigned<DI>> bits) {
  const auto value = hn::BitCast(di, bits);
  return hn::Xor(value,
                 hn::And(hn::ShiftRight<15>(value), hn::Set(di, 0x7FFF)));
}
template <class DI>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<DI>> halfOfOrder(DI di,
                                                         hn::Vec<DI> order) {
  return hn::BitCast(
      hn::RebindToUnsigned<DI>(),
      hn::Xor(order, hn::And(hn::ShiftRight<15>(order), hn::Set(di, 0x7FFF))));
}

/// Collects whether all of the fp16 bits seen are those of finite values: for
/// loops that round as IEEE has it, so that what went beyond the type is
/// infinite or NaN at the end.
template <class DH>
class FiniteCheck {
public:
  explicit FiniteCheck(DH dh) : largest(hn::Zero(dh)) {}

  /// Two instructions.
  HWY_INLINE void update(hn::Vec<DH> bits) {
    largest = hn::Max(largest, hn::Add(bits, bits)); // without the sign
  }
  HWY_INLINE bool holds() const {
    constexpr uint16_t infinity = 0x7C00;
    return hn::AllTrue(DH(), hn::Lt(largest, hn::Set(DH(), infinity << 1)));
  }

private:
  hn::Vec<DH> largest;
};

} // namespace npu::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_NUMERICS_SIMD_INL_H
