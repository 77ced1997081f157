//===- QuietLines.cpp - Lines of fp16 in which nothing happens -----------===//

#include "QuietLines.h"

#include "AxisLines.h"

#include <algorithm>
#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "QuietLines.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "VectorMath-inl.h"
#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace nn = npu::numerics::HWY_NAMESPACE;

// Never wider than the partial sums of sumInOrder.
using DL = hn::CappedTag<float, NumPartialSums>;
using DH = nn::HalfTag<DL>;
using V = hn::Vec<DL>;
constexpr size_t NumLanes = hn::MaxLanes(DL());
constexpr size_t VectorsOfPartials = NumPartialSums / NumLanes;

/// Calls \p block(i, at, n) with the vectors of a line of \p length elements:
/// \p n elements from \p at on, vector \p i of NumPartialSums elements.
template <class Block>
HWY_INLINE void forEachVector(size_t length, const Block &block) {
  size_t at = 0;
  for (; at + NumPartialSums <= length; at += NumPartialSums)
    for (size_t i = 0; i < VectorsOfPartials; ++i)
      block(i, at + i * NumLanes, NumLanes);
  for (size_t i = 0; at < length; ++i, at += NumLanes)
    block(i, at, std::min(NumLanes, length - at));
}

/// Floats between the lines of a workspace: whole vectors.
constexpr size_t strideOf(size_t length) {
  return (length + NumLanes - 1) / NumLanes * NumLanes;
}

/// Memory for \p lines lines, of which no vector crosses a cache line.
HWY_INLINE float *reserveLines(std::vector<float> &space, size_t lines,
                               size_t length) {
  constexpr size_t cacheLine = 64;
  space.resize(lines * strideOf(length) + cacheLine / sizeof(float));
  const auto address = reinterpret_cast<uintptr_t>(space.data());
  const uintptr_t aligned = (address + cacheLine - 1) / cacheLine * cacheLine;
  return space.data() + (aligned - address) / sizeof(float);
}

/// \p n elements from \p from on, zero in lanes that have none.
HWY_INLINE V loadElements(const uint16_t *from, size_t n) {
  return HWY_LIKELY(n == NumLanes) ? nn::loadHalf(DL(), from)
                                   : nn::loadHalfN(DL(), from, n);
}
HWY_INLINE V loadElements(const float *from, size_t n) {
  return HWY_LIKELY(n == NumLanes) ? hn::LoadU(DL(), from)
                                   : nn::loadLanes(DL(), from, n);
}
HWY_INLINE V firstLanes(V v, size_t n) {
  return HWY_LIKELY(n == NumLanes) ? v
                                   : hn::IfThenElseZero(hn::FirstN(DL(), n), v);
}

/// The partial sums of sumInOrder. A lane that has no element adds +0, which
/// changes nothing: a sum that begins with +0 is never -0.
class Partials {
public:
  Partials() {
    for (V &vector : vectors)
      vector = hn::Zero(DL());
  }
  HWY_INLINE void add(size_t i, V v, size_t n) {
    vectors[i] = hn::Add(vectors[i], firstLanes(v, n));
  }
  HWY_INLINE float total() const {
    HWY_ALIGN float partial[NumPartialSums];
    for (size_t i = 0; i < VectorsOfPartials; ++i)
      hn::Store(vectors[i], DL(), partial + i * NumLanes);
    for (size_t width = NumPartialSums / 2; width > 0; width /= 2)
      for (size_t lane = 0; lane < width; ++lane)
        partial[lane] += partial[lane + width];
    return partial[0];
  }

private:
  V vectors[VectorsOfPartials];
};

/// The sum of \p term(line, at, n) over each of \p Lines lines at once: one sum
/// is a chain of additions that wait for each other. Further entries repeat the
/// first.
template <size_t Lines, class Term>
HWY_INLINE std::array<float, QuietLines> sumOfTerms(size_t length,
                                                    const Term &term) {
  Partials sums[Lines];
  forEachVector(length, [&](size_t i, size_t at, size_t n) HWY_ATTR {
    for (size_t line = 0; line < Lines; ++line)
      sums[line].add(i, term(line, at, n), n);
  });
  std::array<float, QuietLines> totals;
  totals.fill(sums[0].total());
  for (size_t line = 1; line < Lines; ++line)
    totals[line] = sums[line].total();
  return totals;
}

/// Rounds what \p value(line, at, n) gives of each line to memory. nullopt if
/// one is beyond the type; else CastUnderflow or nothing.
template <class Value>
HWY_INLINE std::optional<StatusBits>
narrowLines(uint16_t *to, size_t lines, size_t length, const Value &value) {
  const DH dh;
  nn::FiniteCheck<DH> check{dh};
  auto smallest = hn::Set(dh, 0xFFFF); // twice the magnitude: without the sign
  forEachVector(length, [&](size_t, size_t at, size_t n) HWY_ATTR {
    for (size_t line = 0; line < lines; ++line) {
      const auto bits = nn::narrowToHalf(DL(), value(line, at, n));
      const auto twice = hn::Add(bits, bits);
      uint16_t *target = to + line * length + at;
      if (HWY_LIKELY(n == NumLanes)) {
        hn::StoreU(bits, dh, target);
        check.update(bits);
        smallest = hn::Min(smallest, twice);
        continue;
      }
      nn::storeLanes(dh, bits, target, n);
      const auto isElement = hn::FirstN(dh, n);
      check.update(hn::IfThenElseZero(isElement, bits));
      smallest = hn::Min(smallest, hn::IfThenElse(isElement, twice, smallest));
    }
  });
  if (!check.holds())
    return std::nullopt;
  if (hn::AllTrue(dh, hn::Gt(smallest, hn::Zero(dh))))
    return status::None;
  // Whether zeros were zero before.
  nn::UnderflowTracker<DL> underflow{DL()};
  forEachVector(length, [&](size_t, size_t at, size_t n) HWY_ATTR {
    for (size_t line = 0; line < lines; ++line)
      underflow.update(firstLanes(value(line, at, n), n));
  });
  return underflow.status(numerics::HalfUnderflowLimit,
                          npu::status::CastUnderflow);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

struct Extremes {
  float least, largest;
};

/// Of each line; false if there is an infinity or NaN.
template <size_t Lines>
HWY_INLINE bool findExtremes(const uint16_t *from, size_t length,
                             std::array<Extremes, Lines> &extremes) {
  const DL d;
  const DH dh;
  V least[Lines], largest[Lines];
  for (size_t line = 0; line < Lines; ++line)
    least[line] = largest[line] =
        nn::widenHalf(d, hn::Set(dh, from[line * length]));
  nn::FiniteCheck<DH> check{dh};
  forEachVector(length, [&](size_t, size_t at, size_t n) HWY_ATTR {
    for (size_t line = 0; line < Lines; ++line) {
      const uint16_t *elements = from + line * length;
      // Not zero in lanes that have no element: it might be an extreme.
      const auto bits =
          HWY_LIKELY(n == NumLanes)
              ? hn::LoadU(dh, elements + at)
              : hn::IfThenElse(hn::FirstN(dh, n),
                               nn::loadLanes(dh, elements + at, n),
                               hn::Set(dh, elements[0]));
      check.update(bits);
      const V v = nn::widenHalf(d, bits);
      least[line] = hn::Min(least[line], v);
      largest[line] = hn::Max(largest[line], v);
    }
  });
  for (size_t line = 0; line < Lines; ++line)
    extremes[line] = {hn::GetLane(hn::MinOfLanes(d, least[line])),
                      hn::GetLane(hn::MaxOfLanes(d, largest[line]))};
  return check.holds();
}

/// Quotients by one divisor, correctly rounded. Where instructions are fused
/// and dividends \p Moderate, with last places far from subnormal, the
/// reciprocal does in a fraction of the time: they give the rest of the
/// division exactly, and with it the quotient is put right.
template <bool Moderate>
class Division {
public:
  HWY_INLINE void set(float value) {
    divisor = hn::Set(DL(), value);
    reciprocal = hn::Set(DL(), 1.0f / value);
  }
  HWY_INLINE V of(V dividend) const {
    if constexpr (!Moderate || !HWY_NATIVE_FMA)
      return hn::Div(dividend, divisor);
    V quotient = hn::Mul(dividend, reciprocal);
    for (int i = 0; i < 2; ++i)
      quotient = hn::MulAdd(hn::NegMulAdd(quotient, divisor, dividend),
                            reciprocal, quotient);
    return quotient;
  }

private:
  V divisor, reciprocal;
};

/// From this difference on, an exponential and the rest of its division are far
/// from subnormal.
constexpr float ModerateDifference = -70;

template <size_t Lines, bool HalfDifference, bool Moderate>
std::optional<StatusBits>
softmaxOfLines(const uint16_t *from, uint16_t *to, size_t length,
               bool multiplies, const std::array<Extremes, Lines> &extremes,
               float *values) {
  const DL d;
  const size_t stride = strideOf(length);
  const auto sums =
      sumOfTerms<Lines>(length, [&](size_t line, size_t at, size_t n) HWY_ATTR {
        V x = hn::Sub(loadElements(from + line * length + at, n),
                      hn::Set(d, extremes[line].largest));
        if constexpr (HalfDifference)
          x = nn::widenHalf(d, nn::narrowToHalf(d, x));
        V y;
        if constexpr (Moderate)
          y = expModerate(d, x);
        else
          y = expBounded(d, hn::Max(x, hn::Set(d, -106.0f)));
        hn::StoreU(y, d, values + line * stride + at);
        return y;
      });
  if (multiplies) {
    V factors[Lines];
    for (size_t line = 0; line < Lines; ++line)
      factors[line] = hn::Set(d, 1.0f / sums[line]);
    return narrowLines(
        to, Lines, length, [&](size_t line, size_t at, size_t) HWY_ATTR {
          return hn::Mul(hn::LoadU(d, values + line * stride + at),
                         factors[line]);
        });
  }
  Division<Moderate> quotients[Lines];
  for (size_t line = 0; line < Lines; ++line)
    quotients[line].set(sums[line]);
  return narrowLines(
      to, Lines, length, [&](size_t line, size_t at, size_t) HWY_ATTR {
        return quotients[line].of(hn::LoadU(d, values + line * stride + at));
      });
}

template <size_t Lines>
std::optional<StatusBits> softmaxOfLines(const uint16_t *from, uint16_t *to,
                                         size_t length, const SoftmaxPath &path,
                                         std::vector<float> &space) {
  std::array<Extremes, Lines> extremes;
  if (!findExtremes<Lines>(from, length, extremes))
    return std::nullopt;
  float spread = 0;
  for (const auto &[least, largest] : extremes)
    spread = std::max(spread, largest - least);
  if (path.halfDifference && spread >= numerics::HalfOverflowLimit)
    return std::nullopt;
  const bool isModerate = -spread >= ModerateDifference;
  const auto function = path.halfDifference
                            ? isModerate ? softmaxOfLines<Lines, true, true>
                                         : softmaxOfLines<Lines, true, false>
                        : isModerate ? softmaxOfLines<Lines, false, true>
                                     : softmaxOfLines<Lines, false, false>;
  return function(from, to, length, path.multiplies, extremes,
                  reserveLines(space, Lines, length));
}

} // namespace

std::optional<StatusBits> softmaxOfFewLines(const uint16_t *from, uint16_t *to,
                                            size_t lines, size_t length,
                                            const SoftmaxPath &path,
                                            std::vector<float> &space) {
  if (path.halfExp || path.halfMax)
    return std::nullopt;
  const auto function =
      lines == QuietLines ? softmaxOfLines<QuietLines> : softmaxOfLines<1>;
  return function(from, to, length, path, space);
}

//===----------------------------------------------------------------------===//
// Layer normalisation
//===----------------------------------------------------------------------===//

namespace {

/// One value a line.
using LineArray = std::array<float, QuietLines>;
using DA = hn::CappedTag<float, QuietLines>;
static_assert(hn::MaxLanes(DA()) == QuietLines);

/// To fp16 and back; false if something happens.
HWY_INLINE bool roundMoments(LineArray &moments) {
  const DA d;
  const auto exact = hn::LoadU(d, moments.data());
  const auto bits = nn::narrowToHalf(d, exact);
  nn::FiniteCheck<nn::HalfTag<DA>> check{nn::HalfTag<DA>()};
  check.update(bits);
  const auto rounded = nn::widenHalf(d, bits);
  hn::StoreU(rounded, d, moments.data());
  const auto zero = hn::Zero(d);
  return check.holds() &&
         hn::AllFalse(d, hn::And(hn::Eq(rounded, zero), hn::Ne(exact, zero)));
}

/// inverseRoot of positive values; false if something happens.
HWY_INLINE bool takeRoots(LineArray &values, InverseRoot how) {
  const DA d;
  const auto x = hn::LoadU(d, values.data());
  auto result = x;
  switch (how) {
  case InverseRoot::Quotient:
    result = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x));
    break;
  case InverseRoot::Logarithm:
    result = expLanes(d, hn::Mul(logLanes(d, x), hn::Set(d, -0.5f)));
    break;
  case InverseRoot::HalfLogarithm:
    return false;
  }
  hn::StoreU(result, d, values.data());
  return hn::AllTrue(d, nn::areFinite(d, x, result));
}

template <size_t Lines>
std::optional<StatusBits>
normalizeLines(const uint16_t *from, uint16_t *to, std::span<const float> scale,
               std::span<const float> shift, float epsilon,
               const NormPath &path, std::span<LineMoments> moments,
               std::vector<float> &space) {
  const DL d;
  const size_t length = scale.size();
  // Elements in fp32, then their differences from the mean.
  const size_t stride = strideOf(length);
  float *values = reserveLines(space, Lines, length);

  const V factor = hn::Set(d, 1.0f / static_cast<float>(length));
  LineArray means =
      sumOfTerms<Lines>(length, [&](size_t line, size_t at, size_t n) HWY_ATTR {
        const V x = loadElements(from + line * length + at, n);
        hn::StoreU(x, d, values + line * stride + at);
        return hn::Mul(x, factor);
      });
  if (path.halfMoments && !roundMoments(means))
    return std::nullopt;
  LineArray variances =
      sumOfTerms<Lines>(length, [&](size_t line, size_t at, size_t) HWY_ATTR {
        float *elements = values + line * stride + at;
        const V difference =
            hn::Sub(hn::LoadU(d, elements), hn::Set(d, means[line]));
        hn::StoreU(difference, d, elements);
        return hn::Mul(hn::Mul(difference, difference), factor);
      });
  if (path.halfMoments && !roundMoments(variances))
    return std::nullopt;
  LineArray roots;
  for (size_t line = 0; line < QuietLines; ++line)
    roots[line] = variances[line] + epsilon;
  // An infinite or NaN element makes the sums so.
  if (!takeRoots(roots, path.root))
    return std::nullopt;
  for (size_t line = 0; line < Lines; ++line)
    moments[line] = {means[line], variances[line], roots[line]};
  return narrowLines(
      to, Lines, length, [&](size_t line, size_t at, size_t n) HWY_ATTR {
        // An infinite product stays so, or becomes NaN.
        const V normal = hn::Mul(hn::LoadU(d, values + line * stride + at),
                                 hn::Set(d, roots[line]));
        return hn::Add(hn::Mul(normal, loadElements(scale.data() + at, n)),
                       loadElements(shift.data() + at, n));
      });
}

} // namespace

std::optional<StatusBits> normalizeFewLines(const uint16_t *from, uint16_t *to,
                                            std::span<const float> scale,
                                            std::span<const float> shift,
                                            float epsilon, const NormPath &path,
                                            std::span<LineMoments> moments,
                                            std::vector<float> &space) {
  const auto function = moments.size() == QuietLines
                            ? normalizeLines<QuietLines>
                            : normalizeLines<1>;
  return function(from, to, scale, shift, epsilon, path, moments, space);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(softmaxOfFewLines);
HWY_EXPORT(normalizeFewLines);

std::optional<StatusBits> softmaxQuietly(const uint16_t *from, uint16_t *to,
                                         size_t lines, size_t length,
                                         const SoftmaxPath &path,
                                         std::vector<float> &space) {
  return HWY_DYNAMIC_DISPATCH(softmaxOfFewLines)(from, to, lines, length, path,
                                                 space);
}

std::optional<StatusBits> normalizeQuietly(const uint16_t *from, uint16_t *to,
                                           std::span<const float> scale,
                                           std::span<const float> shift,
                                           float epsilon, const NormPath &path,
                                           std::span<LineMoments> moments,
                                           std::vector<float> &space) {
  return HWY_DYNAMIC_DISPATCH(normalizeFewLines)(from, to, scale, shift,
                                                 epsilon, path, moments, space);
}

} // namespace npu::kernels
#endif // HWY_ONCE
