//===- QuietChannels.cpp - Channels in which nothing happens -------------===//

#include "QuietChannels.h"

#include "AxisLines.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "QuietChannels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;

using DL = hn::CappedTag<float, ChannelValues::Count>;
using DH = nn::HalfTag<DL>;
using V = hn::Vec<DL>;
constexpr size_t NumLanes = hn::MaxLanes(DL());

HWY_INLINE V loadHalf(const uint16_t *from) { return nn::loadHalf(DL(), from); }
/// Values of channels from \p channel on.
HWY_INLINE V loadValues(const ChannelValues &values, size_t channel) {
  return hn::Load(DL(), &values.lanes[channel]);
}

/// Partial sums that fit into registers together with those of another sum.
constexpr size_t PartsAtOnce = NumLanes == 16 ? 8 : NumLanes == 8 ? 4 : 1;
static_assert(NumPartialSums % PartsAtOnce == 0);

/// Sums the two terms that \p terms(i) gives of each position.
template <class Terms>
HWY_INLINE void sumBoth(size_t count, bool byAtomics, const Terms &terms,
                        float *a, float *b) {
  const DL d;
  if (byAtomics) {
    V sumA = hn::Zero(d), sumB = hn::Zero(d);
    for (size_t i = 0; i < count; ++i) {
      const auto [termA, termB] = terms(i);
      sumA = hn::Add(sumA, termA);
      sumB = hn::Add(sumB, termB);
    }
    hn::Store(sumA, d, a);
    hn::Store(sumB, d, b);
    return;
  }
  V partA[NumPartialSums], partB[NumPartialSums];
  const size_t whole = count / NumPartialSums * NumPartialSums;
  for (size_t first = 0; first < NumPartialSums; first += PartsAtOnce) {
    V sumA[PartsAtOnce], sumB[PartsAtOnce];
    for (size_t part = 0; part < PartsAtOnce; ++part)
      sumA[part] = sumB[part] = hn::Zero(d);
    for (size_t i = first; i < whole; i += NumPartialSums)
      for (size_t part = 0; part < PartsAtOnce; ++part) {
        const auto [termA, termB] = terms(i + part);
        sumA[part] = hn::Add(sumA[part], termA);
        sumB[part] = hn::Add(sumB[part], termB);
      }
    for (size_t part = 0; part < PartsAtOnce; ++part) {
      partA[first + part] = sumA[part];
      partB[first + part] = sumB[part];
    }
  }
  for (size_t i = whole; i < count; ++i) {
    const auto [termA, termB] = terms(i);
    partA[i - whole] = hn::Add(partA[i - whole], termA);
    partB[i - whole] = hn::Add(partB[i - whole], termB);
  }
  for (size_t width = NumPartialSums / 2; width > 0; width /= 2)
    for (size_t part = 0; part < width; ++part) {
      partA[part] = hn::Add(partA[part], partA[part + width]);
      partB[part] = hn::Add(partB[part], partB[part + width]);
    }
  hn::Store(partA[0], d, a);
  hn::Store(partB[0], d, b);
}

/// Rounds what \p valuesOf(channel) gives of each position. Two vectors of it
/// at once where they are narrow: they share a cache line.
template <class Values>
HWY_INLINE std::optional<StatusBits> map(uint16_t *to, ChannelOffsets offsets,
                                         const Values &valuesOf) {
  const DL d;
  nn::UnderflowTracker<DL> underflow{d};
  const auto resultsAt = [&](const auto &values, int64_t at) HWY_ATTR {
    const V results = values(at);
    underflow.update(results);
    return results;
  };
  if constexpr (NumLanes == ChannelValues::Count) {
    nn::FiniteCheck<DH> check{DH()};
    const auto values = valuesOf(0);
    for (int64_t at : offsets) {
      const auto bits = nn::narrowToHalf(d, resultsAt(values, at));
      check.update(bits);
      hn::StoreU(bits, DH(), to + at);
    }
    if (!check.holds())
      return std::nullopt;
  } else {
    using DP = nn::HalfPairTag<DL>;
    nn::FiniteCheck<DP> check{DP()};
    for (size_t channel = 0; channel < ChannelValues::Count;
         channel += 2 * NumLanes) {
      const auto low = valuesOf(channel), high = valuesOf(channel + NumLanes);
      for (int64_t offset : offsets) {
        const int64_t at = offset + static_cast<int64_t>(channel);
        const auto bits = nn::narrowPairToHalf(
            d, resultsAt(low, at),
            resultsAt(high, at + static_cast<int64_t>(NumLanes)));
        check.update(bits);
        hn::StoreU(bits, DP(), to + at);
      }
    }
    if (!check.holds())
      return std::nullopt;
  }
  return underflow.status(numerics::HalfUnderflowLimit,
                          npu::status::CastUnderflow);
}

struct Pair {
  V a, b;
};

} // namespace

SquareSums sumSquaresOf(const uint16_t *x, ChannelOffsets offsets,
                        bool byAtomics) {
  SquareSums sums;
  for (size_t channel = 0; channel < ChannelValues::Count; channel += NumLanes)
    sumBoth(
        offsets.size(), byAtomics,
        [&](size_t i) HWY_ATTR {
          const V v = loadHalf(x + offsets[i] + channel);
          return Pair{v, hn::Mul(v, v)};
        },
        &sums.values.lanes[channel], &sums.squares.lanes[channel]);
  return sums;
}

GradientSums sumGradientsOf(const uint16_t *g, const uint16_t *x,
                            ChannelOffsets offsets, const ChannelValues &mean,
                            const ChannelValues &inverse, bool byAtomics) {
  GradientSums sums;
  for (size_t channel = 0; channel < ChannelValues::Count;
       channel += NumLanes) {
    const V m = loadValues(mean, channel), r = loadValues(inverse, channel);
    sumBoth(
        offsets.size(), byAtomics,
        [&](size_t i) HWY_ATTR {
          const V gradient = loadHalf(g + offsets[i] + channel);
          const V normal =
              hn::Mul(hn::Sub(loadHalf(x + offsets[i] + channel), m), r);
          return Pair{gradient, hn::Mul(gradient, normal)};
        },
        &sums.gradients.lanes[channel], &sums.products.lanes[channel]);
  }
  return sums;
}

std::optional<StatusBits> scaleAndShiftAll(const uint16_t *x, uint16_t *to,
                                           ChannelOffsets offsets,
                                           const ChannelValues &scale,
                                           const ChannelValues &shift) {
  return map(to, offsets, [&](size_t channel) HWY_ATTR {
    const V factor = loadValues(scale, channel);
    const V summand = loadValues(shift, channel);
    return [=](int64_t at) HWY_ATTR {
      return hn::Add(hn::Mul(loadHalf(x + at), factor), summand);
    };
  });
}

std::optional<StatusBits> propagateAll(const uint16_t *g, const uint16_t *x,
                                       uint16_t *to, ChannelOffsets offsets,
                                       const Propagation &values) {
  return map(to, offsets, [&](size_t channel) HWY_ATTR {
    const V mean = loadValues(values.mean, channel);
    const V inverse = loadValues(values.inverse, channel);
    const V slope = loadValues(values.slope, channel);
    const V offset = loadValues(values.offset, channel);
    const V factor = loadValues(values.factor, channel);
    return [=](int64_t at) HWY_ATTR {
      const V normal = hn::Mul(hn::Sub(loadHalf(x + at), mean), inverse);
      const V rest = hn::Sub(loadHalf(g + at), hn::Mul(normal, slope));
      return hn::Mul(hn::Sub(rest, offset), factor);
    };
  });
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(sumSquaresOf);
HWY_EXPORT(sumGradientsOf);
HWY_EXPORT(scaleAndShiftAll);
HWY_EXPORT(propagateAll);

SquareSums sumSquares(const uint16_t *x, ChannelOffsets offsets,
                      bool byAtomics) {
  return HWY_DYNAMIC_DISPATCH(sumSquaresOf)(x, offsets, byAtomics);
}

GradientSums sumGradients(const uint16_t *g, const uint16_t *x,
                          ChannelOffsets offsets, const ChannelValues &mean,
                          const ChannelValues &inverse, bool byAtomics) {
  return HWY_DYNAMIC_DISPATCH(sumGradientsOf)(g, x, offsets, mean, inverse,
                                              byAtomics);
}

std::optional<StatusBits> scaleAndShift(const uint16_t *x, uint16_t *to,
                                        ChannelOffsets offsets,
                                        const ChannelValues &scale,
                                        const ChannelValues &shift) {
  return HWY_DYNAMIC_DISPATCH(scaleAndShiftAll)(x, to, offsets, scale, shift);
}

std::optional<StatusBits> propagate(const uint16_t *g, const uint16_t *x,
                                    uint16_t *to, ChannelOffsets offsets,
                                    const Propagation &values) {
  return HWY_DYNAMIC_DISPATCH(propagateAll)(g, x, to, offsets, values);
}

} // namespace npu::kernels
#endif // HWY_ONCE
