//===- VectorMath-inl.h - exp and ln of fp32 lanes -------------*- C++ -*-===//
//
// The bit patterns of the NPU's transcendental instructions are not public. The
// methods here have an error of at most about 2 ulp of fp32 (docs/Kernels.md
// has the measurement), so that rounding to fp16 is nearly always correct. They
// use only operations that IEEE rounds correctly (add, sub, mul, div), none of
// them fused: all targets give the same bits.
//
// Included once for each target, after hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#if defined(NPU_LIB_KERNELS_VECTORMATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_VECTORMATH_INL_H
#undef NPU_LIB_KERNELS_VECTORMATH_INL_H
#else
#define NPU_LIB_KERNELS_VECTORMATH_INL_H
#endif

#include "hwy/highway.h"

#include <array>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Portable vectors are arrays; whole programs of them inlined take minutes to
// compile.
#undef NPU_VECTOR_INLINE
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
#define NPU_VECTOR_INLINE HWY_NOINLINE
#else
#define NPU_VECTOR_INLINE HWY_INLINE
#endif

// ln 2 in two parts; a product of the first and an exponent is exact.
constexpr float Ln2High = 0x1.62E4p-1f;
constexpr float Ln2Low = 0x1.7F7D1Cp-20f;

/// 2^n for whole n in [-126, 127].
template <class DF>
HWY_INLINE hn::Vec<DF> powerOfTwo(DF df, hn::Vec<hn::RebindToSigned<DF>> n) {
  const hn::RebindToSigned<DF> di;
  return hn::BitCast(df, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

/// The parts of e^x for x in [-106, 90]: x = n ln 2 + r with whole n; e^r by
/// its Taylor series to the seventh power (|r| <= 0.347: the rest is below
/// 2^-27). Of \p K vectors, step by step: one alone is a chain of instructions
/// that wait for each other, longer than a processor of 256 bits looks ahead.
template <size_t K, class DF>
struct ExpParts {
  std::array<hn::Vec<DF>, K> series;                       ///< e^r
  std::array<hn::Vec<hn::RebindToSigned<DF>>, K> exponent; ///< n
};

template <size_t K, class DF>
NPU_VECTOR_INLINE ExpParts<K, DF>
splitExp(DF df, const std::array<hn::Vec<DF>, K> &x) {
  const hn::RebindToSigned<DF> di;
  // Adding 1.5 * 2^23 rounds to a whole number, ties to even, which is then
  // also the difference of the bits.
  const auto rounder = hn::Set(df, 0x1.8p23f);
  ExpParts<K, DF> parts;
  std::array<hn::Vec<DF>, K> r, &sum = parts.series;
  for (size_t k = 0; k < K; ++k) {
    const auto rounded =
        hn::Add(hn::Mul(x[k], hn::Set(df, 0x1.715476p0f)), rounder);
    parts.exponent[k] =
        hn::Sub(hn::BitCast(di, rounded), hn::BitCast(di, rounder));
    const auto n = hn::Sub(rounded, rounder);
    r[k] = hn::Sub(x[k], hn::Mul(n, hn::Set(df, Ln2High)));
    r[k] = hn::Sub(r[k], hn::Mul(n, hn::Set(df, Ln2Low)));
    sum[k] = hn::Set(df, 1.0f / 5040);
  }
  for (float coefficient : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f})
    for (size_t k = 0; k < K; ++k)
      sum[k] = hn::Add(hn::Mul(sum[k], r[k]), hn::Set(df, coefficient));
  // 1 + (r + r^2 * sum): the small part is added last.
  for (size_t k = 0; k < K; ++k)
    sum[k] = hn::Add(hn::Set(df, 1.0f),
                     hn::Add(r[k], hn::Mul(hn::Mul(r[k], r[k]), sum[k])));
  return parts;
}

/// e^x for x in [-106, 90], beyond which the result is 0 or infinity anyway:
/// times 2^n in two steps, the second of which rounds subnormal results.
template <size_t K, class DF>
NPU_VECTOR_INLINE std::array<hn::Vec<DF>, K>
expBounded(DF df, const std::array<hn::Vec<DF>, K> &x) {
  auto [result, exponent] = splitExp<K>(df, x);
  for (size_t k = 0; k < K; ++k) {
    const auto half = hn::ShiftRight<1>(exponent[k]);
    result[k] = hn::Mul(hn::Mul(result[k], powerOfTwo(df, half)),
                        powerOfTwo(df, hn::Sub(exponent[k], half)));
  }
  return result;
}

/// The same for x in [-86, 88], where no result is subnormal.
template <size_t K, class DF>
NPU_VECTOR_INLINE std::array<hn::Vec<DF>, K>
expModerate(DF df, const std::array<hn::Vec<DF>, K> &x) {
  const hn::RebindToSigned<DF> di;
  auto [result, exponent] = splitExp<K>(df, x);
  for (size_t k = 0; k < K; ++k)
    result[k] = hn::BitCast(df, hn::Add(hn::BitCast(di, result[k]),
                                        hn::ShiftLeft<23>(exponent[k])));
  return result;
}

/// e^x.
template <class DF>
NPU_VECTOR_INLINE hn::Vec<DF> expLanes(DF df, hn::Vec<DF> x) {
  const auto bounded = hn::IfThenElse(
      hn::Gt(x, hn::Set(df, 90.0f)), hn::Set(df, 90.0f),
      hn::IfThenElse(hn::Lt(x, hn::Set(df, -106.0f)), hn::Set(df, -106.0f), x));
  const auto isNumber = hn::Eq(x, x);
  const std::array<hn::Vec<DF>, 1> number = {
      hn::IfThenElseZero(isNumber, bounded)};
  return hn::IfThenElse(isNumber, expBounded<1>(df, number)[0], x);
}

/// ln x; -infinity for 0, NaN below. x = 2^e m with m in [sqrt(1/2), sqrt(2));
/// ln m = 2 artanh s with s = (m - 1) / (m + 1) by its series to the 11th power
/// (|s| <= 0.172: the rest is below 2^-33).
template <class DF>
NPU_VECTOR_INLINE hn::Vec<DF> logLanes(DF df, hn::Vec<DF> x) {
  const hn::RebindToSigned<DF> di;
  const auto zero = hn::Zero(df), one = hn::Set(df, 1.0f);
  const auto isSmall = hn::Lt(x, hn::Set(df, 0x1p-126f));
  const auto scaled =
      hn::IfThenElse(isSmall, hn::Mul(x, hn::Set(df, 0x1p23f)), x);
  const auto bits = hn::BitCast(di, scaled);
  auto e =
      hn::Sub(hn::ConvertTo(df, hn::ShiftRight<23>(bits)), hn::Set(df, 127.0f));
  e = hn::Sub(e, hn::IfThenElseZero(isSmall, hn::Set(df, 23.0f)));
  auto m = hn::BitCast(df, hn::Or(hn::And(bits, hn::Set(di, 0x007FFFFF)),
                                  hn::Set(di, 0x3F800000)));
  const auto isLarge = hn::Ge(m, hn::Set(df, 0x1.6A09E6p0f));
  m = hn::IfThenElse(isLarge, hn::Mul(m, hn::Set(df, 0.5f)), m);
  e = hn::Add(e, hn::IfThenElseZero(isLarge, one));
  const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const auto square = hn::Mul(s, s);
  auto sum = hn::Set(df, 1.0f / 11);
  for (float coefficient : {1.0f / 9, 1.0f / 7, 1.0f / 5, 1.0f / 3})
    sum = hn::Add(hn::Mul(sum, square), hn::Set(df, coefficient));
  const auto twice = hn::Add(s, s);
  const auto tail = hn::Add(hn::Mul(twice, hn::Mul(square, sum)),
                            hn::Mul(e, hn::Set(df, Ln2Low)));
  auto result = hn::Add(hn::Mul(e, hn::Set(df, Ln2High)), hn::Add(twice, tail));
  const float infinity = std::numeric_limits<float>::infinity();
  result = hn::IfThenElse(hn::Eq(x, hn::Set(df, infinity)), x, result);
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Set(df, -infinity), result);
  result = hn::IfThenElse(hn::Lt(x, zero),
                          hn::Set(df, std::numeric_limits<float>::quiet_NaN()),
                          result);
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_VECTORMATH_INL_H
