//===- ScalarMath.cpp - exp and ln of one value ---------------------------===//

#include "ScalarMath.h"

#include "FloatInstructions.h"

#include "hwy/highway.h"

#include "VectorMath-inl.h"
#include "npu/Numerics/Half.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace hn = hwy::HWY_NAMESPACE;

namespace {

using One = hn::CappedTag<float, 1>;

/// An fp16 instruction on an fp32 value: narrowed, computed, rounded.
float throughHalf(float x, float (*function)(float), OverflowMode mode,
                  StatusBits &bits) {
  const float operand =
      numerics::halfToFloat(numerics::floatToHalf(x, mode, bits));
  const float result = function(operand);
  StatusBits raised = status::None;
  const float rounded =
      numerics::halfToFloat(numerics::floatToHalf(result, mode, raised));
  if (!std::isfinite(operand))
    bits |= status::VectorNanInfInput;
  else if (!std::isfinite(result) || (raised & status::CastOverflow))
    bits |= status::FloatOverflow;
  return rounded;
}

} // namespace

float kernels::expOf(float x) {
  return hn::GetLane(HWY_NAMESPACE::expLanes(One(), hn::Set(One(), x)));
}

float kernels::logOf(float x) {
  return hn::GetLane(HWY_NAMESPACE::logLanes(One(), hn::Set(One(), x)));
}

float kernels::logThroughHalf(float x, OverflowMode mode, StatusBits &bits) {
  return throughHalf(x, logOf, mode, bits);
}

float kernels::inverseRoot(float x, InverseRoot how, OverflowMode mode,
                           StatusBits &bits) {
  WatchedInstructions unit;
  float result = 0;
  switch (how) {
  case InverseRoot::Quotient:
    result = unit.div(1, unit.sqrt(x));
    break;
  case InverseRoot::Logarithm:
    result = unit.exp(unit.mul(unit.log(x), -0.5f));
    break;
  case InverseRoot::HalfLogarithm:
    result = throughHalf(unit.mul(throughHalf(x, logOf, mode, bits), -0.5f),
                         expOf, mode, bits);
    break;
  }
  bits |= unit.bits;
  return result;
}
