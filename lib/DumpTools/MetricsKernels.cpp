//===- MetricsKernels.cpp - The loops of the metrics ----------------------===//

#include "MetricsKernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "MetricsKernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::dump::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, NumMetricLanes>;
using Vec = hn::Vec<Doubles>;

/// A vector of lanes, from a place in Lanes and back to it.
class Accumulator {
public:
  HWY_INLINE Accumulator(Lanes &lanes, size_t first)
      : place(lanes.values + first), value(hn::Load(Doubles(), place)) {}
  HWY_INLINE void store() { hn::Store(value, Doubles(), place); }
  HWY_INLINE void add(Vec v) { value = hn::Add(value, v); }
  HWY_INLINE void min(Vec v) { value = hn::Min(value, v); }
  HWY_INLINE void max(Vec v) { value = hn::Max(value, v); }

private:
  double *place;
  Vec value;
};

template <bool Equal>
HWY_INLINE void firstPass(const double *xs, const double *ys, size_t count,
                          double relativeTolerance, double absoluteTolerance,
                          FirstPass &pass) {
  constexpr Doubles d;
  constexpr size_t step = hn::MaxLanes(d);
  const Vec zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const Vec epsilon = hn::Set(d, std::numeric_limits<double>::epsilon());
  const Vec rtol = hn::Set(d, relativeTolerance);
  const Vec atol = hn::Set(d, absoluteTolerance);
  // Lanes are independent: one vector of them at a time, with its sums in
  // registers.
  for (size_t first = 0; first < NumMetricLanes; first += step) {
    Accumulator x(pass.x, first), xx(pass.xx, first), minX(pass.minX, first),
        maxX(pass.maxX, first);
    Accumulator y(pass.y, first), yy(pass.yy, first), xy(pass.xy, first),
        minY(pass.minY, first), maxY(pass.maxY, first);
    Accumulator absolute(pass.absolute, first), squares(pass.squares, first),
        relative(pass.relative, first), mismatches(pass.mismatches, first),
        zeroReferences(pass.zeroReferences, first),
        maxAbsolute(pass.maxAbsolute, first),
        maxRelative(pass.maxRelative, first);
    for (size_t i = first; i < count; i += NumMetricLanes) {
      const Vec vx = hn::LoadU(d, xs + i);
      x.add(vx);
      xx.add(hn::Mul(vx, vx));
      minX.min(vx);
      maxX.max(vx);
      if constexpr (!Equal) {
        const Vec vy = hn::LoadU(d, ys + i);
        y.add(vy);
        yy.add(hn::Mul(vy, vy));
        xy.add(hn::Mul(vx, vy));
        minY.min(vy);
        maxY.max(vy);
        const Vec difference = hn::Sub(vx, vy);
        const Vec distance = hn::Abs(difference), magnitude = hn::Abs(vy);
        absolute.add(distance);
        maxAbsolute.max(distance);
        squares.add(hn::Mul(difference, difference));
        const auto isReference = hn::Gt(magnitude, epsilon);
        const Vec error = hn::IfThenElseZero(
            isReference, hn::Abs(hn::Sub(hn::Div(vx, vy), one)));
        relative.add(error);
        maxRelative.max(error);
        const auto isEqual =
            hn::Le(distance, hn::Add(atol, hn::Mul(rtol, magnitude)));
        mismatches.add(hn::IfThenElse(isEqual, zero, one));
        zeroReferences.add(hn::IfThenElse(
            hn::Or(isReference, hn::Eq(distance, zero)), zero, one));
      }
    }
    for (Accumulator *sum : {&x, &xx, &minX, &maxX})
      sum->store();
    if constexpr (!Equal)
      for (Accumulator *sum :
           {&y, &yy, &xy, &minY, &maxY, &absolute, &squares, &relative,
            &mismatches, &zeroReferences, &maxAbsolute, &maxRelative})
        sum->store();
  }
}

template <bool Equal>
HWY_INLINE void secondPass(const double *xs, const double *ys, size_t count,
                           const Scaling &scaling, SecondPass &pass) {
  constexpr Doubles d;
  constexpr size_t step = hn::MaxLanes(d);
  // The reference formula has float32's epsilon for zeros.
  const Vec least = hn::Set(d, 0x1p-23);
  const Vec minX = hn::Set(d, scaling.minX), minY = hn::Set(d, scaling.minY);
  const Vec factorX = hn::Set(d, scaling.factorX);
  const Vec factorY = hn::Set(d, scaling.factorY);
  const Vec meanX = hn::Set(d, scaling.meanX);
  const Vec meanY = hn::Set(d, scaling.meanY);
  for (size_t first = 0; first < NumMetricLanes; first += step) {
    Accumulator deviationX(pass.deviationX, first),
        deviationY(pass.deviationY, first), p(pass.p, first), q(pass.q, first),
        divergence(pass.divergence, first);
    for (size_t i = first; i < count; i += NumMetricLanes) {
      const Vec vx = hn::LoadU(d, xs + i);
      const Vec fromMeanX = hn::Sub(vx, meanX);
      deviationX.add(hn::Mul(fromMeanX, fromMeanX));
      if constexpr (!Equal) {
        const Vec vy = hn::LoadU(d, ys + i);
        const Vec fromMeanY = hn::Sub(vy, meanY);
        deviationY.add(hn::Mul(fromMeanY, fromMeanY));
        const Vec vp = hn::Max(hn::Mul(hn::Sub(vx, minX), factorX), least);
        const Vec vq = hn::Max(hn::Mul(hn::Sub(vy, minY), factorY), least);
        p.add(vp);
        q.add(vq);
        divergence.add(hn::Mul(vp, hn::Log(d, hn::Div(vp, vq))));
      }
    }
    deviationX.store();
    if constexpr (!Equal)
      for (Accumulator *sum : {&deviationY, &p, &q, &divergence})
        sum->store();
  }
}

static void widen(const float *from, double *to, size_t count) {
  constexpr Doubles d;
  constexpr hn::Rebind<float, Doubles> df;
  constexpr size_t step = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + step <= count; i += step)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(df, from + i)), d, to + i);
  for (; i < count; ++i)
    to[i] = from[i];
}

static bool isFiniteAll(const double *values, size_t count) {
  constexpr Doubles d;
  constexpr size_t step = hn::MaxLanes(d);
  // 0 for a finite value, NaN for others.
  Vec sum = hn::Zero(d);
  double rest = 0;
  size_t i = 0;
  for (; i + step <= count; i += step)
    sum = hn::MulAdd(hn::LoadU(d, values + i), hn::Zero(d), sum);
  for (; i < count; ++i)
    rest += values[i] * 0;
  return rest == 0 && hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

static void firstPassOfAll(const double *x, const double *y, size_t count,
                           bool equal, double relativeTolerance,
                           double absoluteTolerance, FirstPass &pass) {
  if (equal)
    firstPass<true>(x, y, count, relativeTolerance, absoluteTolerance, pass);
  else
    firstPass<false>(x, y, count, relativeTolerance, absoluteTolerance, pass);
}

static void secondPassOfAll(const double *x, const double *y, size_t count,
                            bool equal, const Scaling &scaling,
                            SecondPass &pass) {
  if (equal)
    secondPass<true>(x, y, count, scaling, pass);
  else
    secondPass<false>(x, y, count, scaling, pass);
}

} // namespace npu::dump::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace npu::dump {

HWY_EXPORT(widen);
HWY_EXPORT(isFiniteAll);
HWY_EXPORT(firstPassOfAll);
HWY_EXPORT(secondPassOfAll);

void floatsToDoubles(const float *from, double *to, size_t count) {
  HWY_DYNAMIC_DISPATCH(widen)(from, to, count);
}

bool areFinite(const double *values, size_t count) {
  return HWY_DYNAMIC_DISPATCH(isFiniteAll)(values, count);
}

void addFirstPass(const double *x, const double *y, size_t count, bool equal,
                  double relativeTolerance, double absoluteTolerance,
                  FirstPass &pass) {
  HWY_DYNAMIC_DISPATCH(firstPassOfAll)
  (x, y, count, equal, relativeTolerance, absoluteTolerance, pass);
}

void addSecondPass(const double *x, const double *y, size_t count, bool equal,
                   const Scaling &scaling, SecondPass &pass) {
  HWY_DYNAMIC_DISPATCH(secondPassOfAll)(x, y, count, equal, scaling, pass);
}

} // namespace npu::dump

#endif // HWY_ONCE
