//===- SoftmaxLine.cpp - Softmax of one line ------------------------------===//

#include "SoftmaxLine.h"

#include "FloatElements.h"
#include "FloatInstructions.h"
#include "LineMath.h"

#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "SoftmaxLine.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "VectorUnit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

/// e^(x - max) in place; count is a multiple of the lanes.
template <class Difference, class Exponential>
StatusBits expOfDifference(float *values, size_t count, float max) {
  Difference difference;
  Exponential exponential;
  const DF df;
  for (size_t i = 0; i < count; i += hn::Lanes(df)) {
    auto x = difference.sub(hn::LoadU(df, values + i), hn::Set(df, max));
    auto y = exponential.exp(Difference::use(x));
    hn::StoreU(Exponential::use(y), df, values + i);
  }
  return difference.template status<HalfMemory>() |
         exponential.template status<HalfMemory>();
}

template <OverflowMode M>
StatusBits expOfDifference(float *values, size_t count, float max,
                           const SoftmaxPath &path) {
  if (path.halfExp && path.halfDifference)
    return expOfDifference<HalfUnit<M>, HalfUnit<M>>(values, count, max);
  if (path.halfExp)
    return expOfDifference<FloatUnit<M>, FloatUnit<M, true>>(values, count,
                                                             max);
  if (path.halfDifference)
    return expOfDifference<HalfUnit<M>, FloatUnit<M>>(values, count, max);
  return expOfDifference<FloatUnit<M>, FloatUnit<M>>(values, count, max);
}

} // namespace

/// Padded to whole vectors with copies of the first value.
StatusBits expLine(float *values, size_t count, float max,
                   const SoftmaxPath &path, OverflowMode mode) {
  return mode == OverflowMode::Saturate
             ? expOfDifference<OverflowMode::Saturate>(values, count, max, path)
             : expOfDifference<OverflowMode::InfNan>(values, count, max, path);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(expLine);

StatusBits softmaxLine(std::span<float> values, const SoftmaxPath &path,
                       OverflowMode mode) {
  constexpr size_t MaxLanes = 16;
  StatusBits bits = status::None;
  for (float value : values)
    if (!std::isfinite(value))
      bits |= status::VectorNanInfInput;
  const float max = largestOf(values, path.halfMax, mode, bits);
  std::vector<float> line(values.begin(), values.end());
  line.resize((values.size() + MaxLanes - 1) / MaxLanes * MaxLanes, values[0]);
  bits |=
      HWY_DYNAMIC_DISPATCH(expLine)(line.data(), line.size(), max, path, mode);
  const float sum = sumInOrder(line.data(), values.size());
  if (!std::isfinite(sum)) {
    WatchedInstructions watched;
    watched.div(1, watched.sum({line.data(), values.size()}));
    bits |= watched.bits;
  }
  if (path.multiplies) {
    const float factor = 1.0f / sum;
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = canonicalNaN(line[i] * factor);
  } else {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = canonicalNaN(line[i] / sum);
  }
  return bits;
}

} // namespace npu::kernels
#endif // HWY_ONCE
