//===- NormLine.cpp - Normalisation of one line ---------------------------===//

#include "NormLine.h"

#include "AxisLines.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

NormPath NormPath::layerNorm(DataType dtype, const NumericConfig &config,
                             int64_t implMode) {
  NormPath path;
  // The kernels for Ascend310 are older and keep the fp32 moments.
  path.halfMoments = dtype == DataType::Float16 && config.soc != Soc::Ascend310;
  if (!(implMode & HighPrecision))
    path.root = logarithmicRoot(config.soc);
  return path;
}

InverseRoot kernels::logarithmicRoot(Soc soc) {
  return soc == Soc::Ascend310 ? InverseRoot::HalfLogarithm
                               : InverseRoot::Logarithm;
}

/// In fp32 instructions but for the rounding of moments and the root.
template <class Instructions>
static LineMoments normalize(Instructions &unit, std::span<float> values,
                             float epsilon, const NormPath &path,
                             OverflowMode mode, StatusBits &bits) {
  const float factor = 1.0f / static_cast<float>(values.size());
  auto rounded = [&](float value) {
    return path.halfMoments
               ? numerics::halfToFloat(numerics::floatToHalf(value, mode, bits))
               : value;
  };
  std::vector<float> terms(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    terms[i] = unit.mul(values[i], factor);
  LineMoments moments;
  moments.mean = rounded(unit.sum(terms));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = unit.sub(values[i], moments.mean);
    terms[i] = unit.mul(unit.mul(values[i], values[i]), factor);
  }
  moments.variance = rounded(unit.sum(terms));
  moments.inverseRoot = kernels::inverseRoot(
      unit.add(moments.variance, epsilon), path.root, mode, bits);
  for (float &value : values)
    value = unit.mul(value, moments.inverseRoot);
  return moments;
}

LineMoments kernels::normalizeLine(std::span<float> values, float epsilon,
                                   const NormPath &path, OverflowMode mode,
                                   StatusBits &bits) {
  const std::vector<float> line(values.begin(), values.end());
  PlainInstructions plain;
  LineMoments moments = normalize(plain, values, epsilon, path, mode, bits);
  // Moments that are rounded to fp16 are those of fp16 values, whose sums are
  // finite before.
  if (areFinite(line) && areFinite(values) &&
      std::isfinite(moments.variance + epsilon))
    return moments;
  std::copy(line.begin(), line.end(), values.begin());
  WatchedInstructions watched;
  moments = normalize(watched, values, epsilon, path, mode, bits);
  bits |= watched.bits;
  return moments;
}

LineMoments kernels::normalizeLineInHalf(std::span<float> values,
                                         std::span<const float> scale,
                                         std::span<const float> shift,
                                         float epsilon, OverflowMode mode,
                                         StatusBits &bits) {
  HalfInstructions unit(mode);
  const float factor = unit.scalar(1.0f / static_cast<float>(values.size()));
  LineMoments moments;
  moments.mean = unit.mul(unit.sum(values), factor);
  std::vector<float> squares(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = unit.sub(values[i], moments.mean);
    squares[i] = unit.mul(values[i], values[i]);
  }
  moments.variance = unit.mul(unit.sum(squares), factor);
  const float sum = unit.add(moments.variance, unit.scalar(epsilon));
  moments.inverseRoot = unit.exp(unit.mul(unit.log(sum), -0.5f));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = unit.add(
        unit.mul(unit.mul(values[i], moments.inverseRoot), scale[i]), shift[i]);
  bits |= unit.bits;
  return moments;
}

void kernels::scaleAndShiftLine(std::span<float> values,
                                std::span<const float> scale,
                                std::span<const float> shift,
                                StatusBits &bits) {
  std::vector<float> results(values.size());
  auto run = [&](auto unit) {
    for (size_t i = 0; i < values.size(); ++i)
      results[i] = unit.add(unit.mul(values[i], scale[i]), shift[i]);
    bits |= unit.bits;
  };
  run(PlainInstructions());
  // A result is infinite or NaN where an operand or the product is.
  if (!areFinite(results))
    run(WatchedInstructions());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = canonicalNaN(results[i]);
}
