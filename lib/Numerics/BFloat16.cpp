//===- BFloat16.cpp - bfloat16 conversion ---------------------------------===//

#include "npu/Numerics/BFloat16.h"

#include "FloatFormat.h"

using namespace npu;
using namespace npu::numerics;

BFloat16 numerics::floatToBFloat16(float x, OverflowMode mode,
                                   StatusBits &status, RoundingMode rounding) {
  return BFloat16{encodeFloat(BFloat16Format, x, mode, rounding, status)};
}

BFloat16 numerics::doubleToBFloat16(double x, OverflowMode mode,
                                    StatusBits &status, RoundingMode rounding) {
  return BFloat16{encodeFloat(BFloat16Format, x, mode, rounding, status)};
}

BFloat16 numerics::intToBFloat16(int64_t x, OverflowMode mode,
                                 StatusBits &status, RoundingMode rounding) {
  return BFloat16{encodeInt(BFloat16Format, x, mode, rounding, status)};
}

BFloat16 numerics::uintToBFloat16(uint64_t x, OverflowMode mode,
                                  StatusBits &status, RoundingMode rounding) {
  return BFloat16{encodeUInt(BFloat16Format, x, mode, rounding, status)};
}
