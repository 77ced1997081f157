//===- LineVectors-inl.h - Lines of fp16 in vectors ------------*- C++ -*-===//
//
// What the quick ways of softmax and layer normalisation share: vectors of
// adjacent lines, their sums in the order of sumInOrder, and rounding.
//
// Included once for each target, after hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#if defined(NPU_LIB_KERNELS_LINEVECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_LINEVECTORS_INL_H
#undef NPU_LIB_KERNELS_LINEVECTORS_INL_H
#else
#define NPU_LIB_KERNELS_LINEVECTORS_INL_H
#endif

#include "AxisLines.h"
#include "QuietLines.h"

#include "npu/Numerics/Simd-inl.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;

// Never wider than the partial sums of sumInOrder.
using DL = hn::CappedTag<float, NumPartialSums>;
using DH = nn::HalfTag<DL>;
using V = hn::Vec<DL>;
constexpr size_t NumLanes = hn::MaxLanes(DL());
constexpr size_t VectorsOfPartials = NumPartialSums / NumLanes;

/// Calls \p body(i) with the numbers below \p Count as constants: what they
/// index stays in registers.
template <size_t Count, class Body>
HWY_INLINE void unroll(const Body &body) {
  [&]<size_t... I>(std::index_sequence<I...>) HWY_ATTR {
    (body(std::integral_constant<size_t, I>()), ...);
  }(std::make_index_sequence<Count>());
}

/// Calls \p block(i, at, n) with the vectors of a line of \p length elements:
/// \p n elements from \p at on, vector \p i, a constant, of NumPartialSums
/// elements.
template <class Block>
HWY_INLINE void forEachVector(size_t length, const Block &block) {
  size_t at = 0;
  for (; at + NumPartialSums <= length; at += NumPartialSums)
    unroll<VectorsOfPartials>(
        [&](auto i) HWY_ATTR { block(i, at + i * NumLanes, NumLanes); });
  unroll<VectorsOfPartials>([&](auto i) HWY_ATTR {
    const size_t begin = at + i * NumLanes;
    if (begin < length)
      block(i, begin, std::min(NumLanes, length - begin));
  });
}

/// Memory for lines in which no vector crosses a cache line. Vectors of lines
/// that are computed at once follow each other (vectorOf): lines whose distance
/// is a power of two would share a set of the cache.
class LineMemory {
public:
  /// Of \p lines lines of \p length elements, in \p space unless they are
  /// short: fresh memory would be filled with zeros first.
  LineMemory(std::vector<float> &space, size_t lines, size_t length) {
    const size_t vectors = (length + NumLanes - 1) / NumLanes * lines;
    const size_t size = vectors * NumLanes;
    if (size <= std::size(few)) {
      first = few;
      return;
    }
    constexpr size_t alignment = CacheLine / sizeof(float);
    if (space.size() < size + alignment)
      space.resize(size + alignment);
    const auto address = reinterpret_cast<uintptr_t>(space.data());
    const uintptr_t aligned = (address + CacheLine - 1) / CacheLine * CacheLine;
    first = space.data() + (aligned - address) / sizeof(float);
  }
  LineMemory(const LineMemory &) = delete;
  LineMemory &operator=(const LineMemory &) = delete;

  float *begin() { return first; }

private:
  static constexpr size_t CacheLine = 64;
  float *first;
  alignas(CacheLine) float few[4096];
};

template <size_t Lines>
HWY_INLINE float *vectorOf(float *values, size_t line, size_t at) {
  return values + at * Lines + line * NumLanes;
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

/// One value a line.
using LineArray = std::array<float, QuietLines>;
using DA = hn::CappedTag<float, QuietLines>;
static_assert(hn::MaxLanes(DA()) == QuietLines);

/// Adds the upper half of the lanes to the lower one until those of DA are
/// left.
template <class D>
HWY_INLINE hn::Vec<DA> foldLanes(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) == QuietLines) {
    return v;
  } else {
    const hn::Half<D> half;
    return foldLanes(half,
                     hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
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
  /// Partial sums with those 8, then those 4 behind them.
  HWY_INLINE hn::Vec<DA> fold() const {
    V sums[VectorsOfPartials];
    std::copy_n(vectors, VectorsOfPartials, sums);
    for (size_t width = VectorsOfPartials / 2; width > 0; width /= 2)
      for (size_t i = 0; i < width; ++i)
        sums[i] = hn::Add(sums[i], sums[i + width]);
    return foldLanes(DL(), sums[0]);
  }

private:
  static_assert(NumPartialSums == 16 && NumLanes >= 4);
  V vectors[VectorsOfPartials];
};

/// The totals of four lines: of each, partial sums with those 2, then those 1
/// behind them.
HWY_INLINE LineArray addUp(hn::Vec<DA> a, hn::Vec<DA> b, hn::Vec<DA> c,
                           hn::Vec<DA> e) {
  const DA d;
  const auto ab =
      hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const auto ce =
      hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  LineArray totals;
  hn::StoreU(
      hn::Add(hn::ConcatLowerLower(d, ce, ab), hn::ConcatUpperUpper(d, ce, ab)),
      d, totals.data());
  return totals;
}

/// A vector of each line.
template <size_t Lines>
using LineVectors = std::array<V, Lines>;

/// The sum of \p termsOf(at, n) over each of \p Lines lines at once: one sum is
/// a chain of additions that wait for each other. Further entries repeat the
/// first.
template <size_t Lines, class Terms>
HWY_INLINE LineArray sumOfTerms(size_t length, const Terms &termsOf) {
  static_assert(Lines == 1 || Lines == 4);
  Partials sums[Lines];
  forEachVector(length, [&](size_t i, size_t at, size_t n) HWY_ATTR {
    const LineVectors<Lines> terms = termsOf(at, n);
    unroll<Lines>([&](auto line)
                      HWY_ATTR { sums[line].add(i, terms[line], n); });
  });
  const auto first = sums[0].fold();
  if constexpr (Lines == 1)
    return addUp(first, first, first, first);
  else
    return addUp(first, sums[1].fold(), sums[2].fold(), sums[3].fold());
}

/// Collects whether all of the fp16 bits seen are those of finite values other
/// than zero.
template <class D>
class OrdinaryCheck {
public:
  explicit OrdinaryCheck(D d) : largest(hn::Zero(d)) {}

  HWY_INLINE void update(hn::Vec<D> bits) {
    const D d;
    const auto magnitude = hn::And(bits, hn::Set(d, 0x7FFF));
    largest = hn::Max(largest, hn::Sub(magnitude, hn::Set(d, 1)));
  }
  HWY_INLINE bool holds() const {
    return hn::AllTrue(D(), hn::Lt(largest, hn::Set(D(), 0x7C00 - 1)));
  }

private:
  /// Of magnitudes less one, which puts that of zero above all others.
  hn::Vec<D> largest;
};

/// Whether \p count halves pass an OrdinaryCheck. They are read again from the
/// first-level cache, twice as many at a time as are rounded.
HWY_INLINE bool areOrdinary(const uint16_t *halves, size_t count) {
  const hn::ScalableTag<uint16_t> d;
  const size_t lanes = hn::Lanes(d);
  OrdinaryCheck<hn::ScalableTag<uint16_t>> check{d};
  size_t at = 0;
  for (; at + lanes <= count; at += lanes)
    check.update(hn::LoadU(d, halves + at));
  if (at < count && at > 0)
    check.update(hn::LoadU(d, halves + count - lanes)); // some of them again
  else
    for (; at < count; ++at)
      check.update(hn::Set(d, halves[at]));
  return check.holds();
}

/// Rounds what \p valuesOf(at, n) gives, a vector of each line, to memory;
/// false unless all results pass an OrdinaryCheck.
template <size_t Lines, class Values>
HWY_INLINE bool narrowOrdinaryLines(uint16_t *to, size_t length,
                                    const Values &valuesOf) {
  const DH dh;
  const nn::HalfPairTag<DL> pair;
  OrdinaryCheck<nn::HalfPairTag<DL>> check{pair};
  size_t begin = 0;
  if constexpr (!nn::NarrowsToMemory)
    for (; begin + 2 * NumLanes <= length; begin += 2 * NumLanes) {
      hn::Vec<DH> low[Lines];
      const LineVectors<Lines> first = valuesOf(begin, NumLanes);
      for (size_t line = 0; line < Lines; ++line)
        low[line] = nn::narrowToHalf(DL(), first[line]);
      const LineVectors<Lines> second = valuesOf(begin + NumLanes, NumLanes);
      for (size_t line = 0; line < Lines; ++line) {
        const auto bits =
            hn::Combine(pair, nn::narrowToHalf(DL(), second[line]), low[line]);
        check.update(bits);
        hn::StoreU(bits, pair, to + line * length + begin);
      }
    }
  const size_t rest = length - begin;
  forEachVector(rest, [&](size_t, size_t at, size_t n) HWY_ATTR {
    const LineVectors<Lines> values = valuesOf(begin + at, n);
    for (size_t line = 0; line < Lines; ++line) {
      const auto bits = nn::narrowToHalf(DL(), values[line]);
      uint16_t *target = to + line * length + begin + at;
      if (HWY_LIKELY(n == NumLanes))
        hn::StoreU(bits, dh, target);
      else
        nn::storeLanes(dh, bits, target, n);
    }
  });
  if (begin == 0)
    return areOrdinary(to, Lines * length);
  bool areAll = check.holds();
  if (rest > 0)
    for (size_t line = 0; line < Lines; ++line)
      areAll &= areOrdinary(to + line * length + begin, rest);
  return areAll;
}

/// Rounds what \p valuesOf(at, n) gives, a vector of each line, to memory.
/// nullopt if one is beyond the type; else CastUnderflow or nothing.
template <size_t Lines, class Values>
HWY_INLINE std::optional<StatusBits> narrowLines(uint16_t *to, size_t length,
                                                 const Values &valuesOf) {
  if (HWY_LIKELY(narrowOrdinaryLines<Lines>(to, length, valuesOf)))
    return status::None;
  // Whether zeros were zero before.
  nn::FiniteCheck<DH> check{DH()};
  nn::UnderflowTracker<DL> underflow{DL()};
  forEachVector(length, [&](size_t, size_t at, size_t n) HWY_ATTR {
    for (const V &value : valuesOf(at, n)) {
      const V elements = firstLanes(value, n);
      check.update(nn::narrowToHalf(DL(), elements));
      underflow.update(elements);
    }
  });
  if (!check.holds())
    return std::nullopt;
  return underflow.status(numerics::HalfUnderflowLimit,
                          npu::status::CastUnderflow);
}

} // namespace
} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_LINEVECTORS_INL_H
