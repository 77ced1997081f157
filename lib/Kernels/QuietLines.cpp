//===- QuietLines.cpp - Lines of fp16 in which nothing happens -----------===//

#include "QuietLines.h"

#include "hwy/cache_control.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "QuietLines.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "LineVectors-inl.h"
#include "VectorMath-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Of each line; false if there is an infinity or NaN. Compares bits, twice as
/// many elements at a time as are computed.
template <size_t Lines>
HWY_INLINE bool findExtremes(const uint16_t *from, size_t length,
                             LineArray &least, LineArray &largest) {
  const hn::ScalableTag<uint16_t> d;
  const hn::RebindToSigned<decltype(d)> di;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(di)> low[Lines], high[Lines];
  for (size_t line = 0; line < Lines; ++line) {
    const uint16_t *elements = from + line * length;
    // Not zero in lanes that have no element: it might be an extreme.
    const auto last = length < lanes
                          ? hn::IfThenElse(hn::FirstN(d, length),
                                           nn::loadLanes(d, elements, length),
                                           hn::Set(d, elements[0]))
                          : hn::LoadU(d, elements + length - lanes);
    low[line] = high[line] = nn::orderOfHalf(di, last);
  }
  for (size_t at = 0; at + lanes <= length; at += lanes)
    for (size_t line = 0; line < Lines; ++line) {
      const auto order =
          nn::orderOfHalf(di, hn::LoadU(d, from + line * length + at));
      low[line] = hn::Min(low[line], order);
      high[line] = hn::Max(high[line], order);
    }

  const hn::Rebind<int16_t, DA> orders;
  HWY_ALIGN int16_t lows[QuietLines] = {}, highs[QuietLines] = {};
  bool areFinite = true;
  for (size_t line = 0; line < Lines; ++line) {
    lows[line] = hn::GetLane(hn::MinOfLanes(di, low[line]));
    highs[line] = hn::GetLane(hn::MaxOfLanes(di, high[line]));
    // Infinities and NaNs lie beyond.
    areFinite &= lows[line] >= -0x7C00 && highs[line] < 0x7C00;
  }
  const auto toFloats = [=](const int16_t *order, LineArray &values) HWY_ATTR {
    const auto bits = nn::halfOfOrder(orders, hn::Load(orders, order));
    hn::StoreU(nn::widenHalf(DA(), bits), DA(), values.data());
  };
  toFloats(lows, least);
  toFloats(highs, largest);
  return areFinite;
}

/// Quotients by one divisor, correctly rounded. Divisions of 512 bits are slow:
/// where dividends are \p Moderate, with last places far from subnormal, the
/// reciprocal does in a fraction of the time. Fused instructions give the rest
/// of the division exactly, and with it the quotient is put right.
template <bool Moderate>
class Division {
  static constexpr bool UsesReciprocal = Moderate && HWY_TARGET == HWY_AVX3;

public:
  HWY_INLINE void set(float value) {
    divisor = hn::Set(DL(), value);
    reciprocal = hn::Set(DL(), 1.0f / value);
  }
  HWY_INLINE V of(V dividend) const {
    if constexpr (!UsesReciprocal)
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

/// How many vectors expModerate and expBounded get at once. 512 bits are
/// computed as fast one by one.
template <size_t Lines>
constexpr size_t ExpVectors = HWY_TARGET == HWY_AVX3 ? 1 : Lines;

template <size_t Lines, bool HalfDifference, bool Moderate>
std::optional<StatusBits>
softmaxOfLines(const uint16_t *from, uint16_t *to, size_t length,
               bool multiplies, const LineArray &largest, float *values) {
  const DL d;
  const auto sums =
      sumOfTerms<Lines>(length, [&](size_t at, size_t n) HWY_ATTR {
        constexpr size_t K = ExpVectors<Lines>;
        LineVectors<Lines> terms;
        for (size_t first = 0; first < Lines; first += K) {
          std::array<V, K> x;
          for (size_t k = 0; k < K; ++k) {
            const size_t line = first + k;
            x[k] = hn::Sub(loadElements(from + line * length + at, n),
                           hn::Set(d, largest[line]));
            if constexpr (HalfDifference)
              x[k] = nn::widenHalf(d, nn::narrowToHalf(d, x[k]));
            if constexpr (!Moderate)
              x[k] = hn::Max(x[k], hn::Set(d, -106.0f));
          }
          x = Moderate ? expModerate<K>(d, x) : expBounded<K>(d, x);
          for (size_t k = 0; k < K; ++k) {
            terms[first + k] = x[k];
            hn::Store(x[k], d, vectorOf<Lines>(values, first + k, at));
          }
        }
        return terms;
      });
  if (multiplies) {
    V factors[Lines];
    for (size_t line = 0; line < Lines; ++line)
      factors[line] = hn::Set(d, 1.0f / sums[line]);
    return narrowLines<Lines>(to, length, [&](size_t at, size_t) HWY_ATTR {
      LineVectors<Lines> products;
      for (size_t line = 0; line < Lines; ++line)
        products[line] = hn::Mul(hn::Load(d, vectorOf<Lines>(values, line, at)),
                                 factors[line]);
      return products;
    });
  }
  Division<Moderate> quotients[Lines];
  for (size_t line = 0; line < Lines; ++line)
    quotients[line].set(sums[line]);
  return narrowLines<Lines>(to, length, [&](size_t at, size_t) HWY_ATTR {
    LineVectors<Lines> results;
    for (size_t line = 0; line < Lines; ++line)
      results[line] =
          quotients[line].of(hn::Load(d, vectorOf<Lines>(values, line, at)));
    return results;
  });
}

template <size_t Lines>
std::optional<StatusBits> softmaxOfLines(const uint16_t *from, uint16_t *to,
                                         size_t length, const SoftmaxPath &path,
                                         std::vector<float> &space) {
  LineArray least, largest;
  if (!findExtremes<Lines>(from, length, least, largest))
    return std::nullopt;
  float spread = 0;
  for (size_t line = 0; line < Lines; ++line)
    spread = std::max(spread, largest[line] - least[line]);
  if (path.halfDifference && spread >= numerics::HalfOverflowLimit)
    return std::nullopt;
  const bool isModerate = -spread >= ModerateDifference;
  const auto function = path.halfDifference
                            ? isModerate ? softmaxOfLines<Lines, true, true>
                                         : softmaxOfLines<Lines, true, false>
                        : isModerate ? softmaxOfLines<Lines, false, true>
                                     : softmaxOfLines<Lines, false, false>;
  LineMemory memory(space, Lines, length);
  return function(from, to, length, path.multiplies, largest, memory.begin());
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

using HalfArray = std::array<uint16_t, QuietLines>;

/// To fp16 and back, with the bits; false if something happens.
HWY_INLINE bool roundMoments(LineArray &moments, HalfArray &halves) {
  const DA d;
  const nn::HalfTag<DA> dh;
  const auto exact = hn::LoadU(d, moments.data());
  const auto bits = nn::narrowToHalf(d, exact);
  nn::FiniteCheck<nn::HalfTag<DA>> check{dh};
  check.update(bits);
  const auto rounded = nn::widenHalf(d, bits);
  hn::StoreU(rounded, d, moments.data());
  hn::StoreU(bits, dh, halves.data());
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

/// The roots of variances whose bits are \p halves, if \p memo has them all.
HWY_INLINE bool findRoots(const RootMemo *memo, const HalfArray &halves,
                          LineArray &roots) {
  if (!memo)
    return false;
  bool areKnown = true;
  for (size_t line = 0; line < QuietLines; ++line)
    areKnown &= memo->find(halves[line], roots[line]);
  return areKnown;
}

// The passes of a normalisation over \p Lines adjacent lines.

/// Elements in fp32 to \p values; the sums of their products with \p factor.
template <size_t Lines>
HWY_INLINE LineArray widenLines(const uint16_t *from, float *values,
                                size_t length, V factor) {
  return sumOfTerms<Lines>(length, [=](size_t at, size_t n) HWY_ATTR {
    LineVectors<Lines> terms;
    for (size_t line = 0; line < Lines; ++line) {
      const V x = loadElements(from + line * length + at, n);
      hn::Store(x, DL(), vectorOf<Lines>(values, line, at));
      terms[line] = hn::Mul(x, factor);
    }
    return terms;
  });
}

/// Differences of \p values from \p means; the sums of their squares times
/// \p factor. Calls \p fetch(at) where the vectors of lines at \p at are read.
template <size_t Lines, class Fetch>
HWY_INLINE LineArray subtractMeans(const LineArray &means, float *values,
                                   size_t length, V factor,
                                   const Fetch &fetch) {
  LineVectors<Lines> subtrahends;
  for (size_t line = 0; line < Lines; ++line)
    subtrahends[line] = hn::Set(DL(), means[line]);
  return sumOfTerms<Lines>(length, [=](size_t at, size_t) HWY_ATTR {
    fetch(at);
    LineVectors<Lines> terms;
    for (size_t line = 0; line < Lines; ++line) {
      float *vector = vectorOf<Lines>(values, line, at);
      const V difference = hn::Sub(hn::Load(DL(), vector), subtrahends[line]);
      hn::Store(difference, DL(), vector);
      terms[line] = hn::Mul(hn::Mul(difference, difference), factor);
    }
    return terms;
  });
}

/// \p values times \p roots and \p scale, plus \p shift, to fp16.
template <size_t Lines>
HWY_INLINE std::optional<StatusBits>
scaleAndShift(const LineArray &roots, float *values, const float *scale,
              const float *shift, size_t length, uint16_t *to) {
  LineVectors<Lines> factors;
  for (size_t line = 0; line < Lines; ++line)
    factors[line] = hn::Set(DL(), roots[line]);
  return narrowLines<Lines>(to, length, [=](size_t at, size_t n) HWY_ATTR {
    const V factor = loadElements(scale + at, n);
    const V offset = loadElements(shift + at, n);
    LineVectors<Lines> results;
    for (size_t line = 0; line < Lines; ++line) {
      // An infinite product stays so, or becomes NaN.
      const V normal = hn::Mul(
          hn::Load(DL(), vectorOf<Lines>(values, line, at)), factors[line]);
      results[line] = hn::Add(hn::Mul(normal, factor), offset);
    }
    return results;
  });
}

/// The cache lines of \p count halves.
HWY_INLINE void fetchHalves(const uint16_t *halves, size_t count) {
  constexpr size_t perCacheLine = 64 / sizeof(uint16_t);
  for (size_t i = 0; i < count; i += perCacheLine)
    hwy::Prefetch(halves + i);
}

/// As many of \p moments.size() lines as whole groups of \p Lines hold, up to
/// one in which something happens.
template <size_t Lines>
QuietCount
normalizeGroups(const uint16_t *from, uint16_t *to,
                std::span<const float> scale, std::span<const float> shift,
                float epsilon, const NormPath &path, RootMemo *memo,
                std::span<LineMoments> moments, std::vector<float> &space) {
  const size_t length = scale.size();
  const V factor = hn::Set(DL(), 1.0f / static_cast<float>(length));
  LineMemory memory(space, Lines, length);
  float *values = memory.begin();
  QuietCount done;
  while (done.lines + Lines <= moments.size()) {
    const uint16_t *lines = from + done.lines * length;
    uint16_t *results = to + done.lines * length;
    LineArray means = widenLines<Lines>(lines, values, length, factor);
    HalfArray halves;
    if (path.halfMoments && !roundMoments(means, halves))
      break;
    // The second pass only reads and writes the first-level cache: meanwhile
    // come what the third one writes and what the next first one reads.
    const uint16_t *next = done.lines + 2 * Lines <= moments.size()
                               ? lines + Lines * length
                               : lines;
    const auto fetch = [=](size_t at) HWY_ATTR {
      fetchHalves(results + at * Lines, Lines * NumLanes);
      fetchHalves(next + at * Lines, Lines * NumLanes);
    };
    LineArray variances =
        subtractMeans<Lines>(means, values, length, factor, fetch);
    if (path.halfMoments && !roundMoments(variances, halves))
      break;
    LineArray roots;
    if (!findRoots(memo, halves, roots)) {
      for (size_t line = 0; line < QuietLines; ++line)
        roots[line] = variances[line] + epsilon;
      // An infinite or NaN element makes the sums so.
      if (!takeRoots(roots, path.root))
        break;
      for (size_t line = 0; memo && line < QuietLines; ++line)
        memo->keep(halves[line], roots[line]);
    }
    const auto bits = scaleAndShift<Lines>(roots, values, scale.data(),
                                           shift.data(), length, results);
    if (!bits)
      break;
    for (size_t line = 0; line < Lines; ++line)
      moments[done.lines + line] = {means[line], variances[line], roots[line]};
    done.lines += Lines;
    done.status |= *bits;
  }
  return done;
}

} // namespace

QuietCount normalizeManyLines(const uint16_t *from, uint16_t *to,
                              std::span<const float> scale,
                              std::span<const float> shift, float epsilon,
                              const NormPath &path, RootMemo *memo,
                              std::span<LineMoments> moments,
                              std::vector<float> &space) {
  QuietCount done = normalizeGroups<QuietLines>(from, to, scale, shift, epsilon,
                                                path, memo, moments, space);
  if (moments.size() - done.lines >= QuietLines)
    return done;
  const size_t elements = done.lines * scale.size();
  const QuietCount others =
      normalizeGroups<1>(from + elements, to + elements, scale, shift, epsilon,
                         path, memo, moments.subspan(done.lines), space);
  return {done.lines + others.lines, done.status | others.status};
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(softmaxOfFewLines);
HWY_EXPORT(normalizeManyLines);

std::optional<StatusBits> softmaxQuietly(const uint16_t *from, uint16_t *to,
                                         size_t lines, size_t length,
                                         const SoftmaxPath &path,
                                         std::vector<float> &space) {
  return HWY_DYNAMIC_DISPATCH(softmaxOfFewLines)(from, to, lines, length, path,
                                                 space);
}

QuietCount normalizeQuietly(const uint16_t *from, uint16_t *to,
                            std::span<const float> scale,
                            std::span<const float> shift, float epsilon,
                            const NormPath &path, RootMemo *memo,
                            std::span<LineMoments> moments,
                            std::vector<float> &space) {
  return HWY_DYNAMIC_DISPATCH(normalizeManyLines)(
      from, to, scale, shift, epsilon, path, memo, moments, space);
}

} // namespace npu::kernels
#endif // HWY_ONCE
