//===- NormLine.cpp - Normalisation of one line ---------------------------===//

#include "NormLine.h"

#include "AxisLines.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "npu/Numerics/Half.h"

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

LineMoments kernels::normalizeLine(std::span<float> values, float epsilon,
                                   const NormPath &path, OverflowMode mode,
                                   StatusBits &bits) {
  const float factor = 1.0f / static_cast<float>(values.size());
  const bool finite = areFinite(values);
  auto rounded = [&](float value) {
    return path.halfMoments
               ? numerics::halfToFloat(numerics::floatToHalf(value, mode, bits))
               : value;
  };
  std::vector<float> terms(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    terms[i] = values[i] * factor;
  LineMoments moments;
  const float sum = sumInOrder(terms.data(), terms.size());
  moments.mean = rounded(sum);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] -= moments.mean;
    terms[i] = values[i] * values[i] * factor;
  }
  const float squares = sumInOrder(terms.data(), terms.size());
  moments.variance = rounded(squares);
  if (!finite)
    bits |= status::VectorNanInfInput;
  else if (!std::isfinite(squares))
    bits |= status::FloatOverflow;
  moments.inverseRoot =
      kernels::inverseRoot(moments.variance + epsilon, path.root, mode, bits);
  for (float &value : values)
    value *= moments.inverseRoot;
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
  const bool finite = areFinite(values) && areFinite(scale) && areFinite(shift);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = canonicalNaN(values[i] * scale[i] + shift[i]);
  if (!finite)
    bits |= status::VectorNanInfInput;
  else if (!areFinite(values))
    bits |= status::FloatOverflow;
}
