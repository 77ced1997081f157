//===- LineMath.cpp - exp of many values ----------------------------------===//

#include "LineMath.h"

#include "ElementwiseOps.h"
#include "npu/Numerics/Convert.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace npu;
using namespace npu::kernels;

StatusBits kernels::expInPlace(std::span<float> values, bool throughHalf,
                               OverflowMode mode) {
  // e^((x * 1 + 0) * 1).
  constexpr float params[] = {1, 0, 1};
  const void *input = nullptr;
  void *output = nullptr;
  const ElementwiseArgs args{{&input, 1}, {&output, 1}, values.size(), params};
  if (throughHalf) {
    std::vector<numerics::Half> from(values.size()), to(values.size());
    StatusBits bits = numerics::floatToHalf(values, from, mode);
    input = from.data();
    output = to.data();
    bits |=
        getFloatFunction(ElementwiseOp::Exp, ElementwisePath::Half, mode)(args);
    numerics::halfToFloat(to, values);
    return bits;
  }
  const std::vector<float> from(values.begin(), values.end());
  input = from.data();
  output = values.data();
  return getFloatFunction(ElementwiseOp::Exp, ElementwisePath::Float,
                          mode)(args);
}

float kernels::largestOf(std::span<const float> values, bool throughHalf,
                         OverflowMode mode, StatusBits &bits) {
  float largest = values[0];
  for (float value : values)
    if (std::isnan(value) || value > largest)
      largest = std::isnan(largest) ? largest : value;
  if (!throughHalf)
    return largest;
  StatusBits cast = status::None;
  for (float value : values)
    numerics::floatToHalf(value, mode, cast);
  bits |= cast & status::CastOverflow;
  StatusBits ignored = status::None;
  return numerics::halfToFloat(numerics::floatToHalf(largest, mode, ignored));
}
