//===- FloatInstructions.h - fp32 instructions one by one -------*- C++ -*-===//
//
// A program on lines is written once in these instructions. It runs plainly; a
// line in which an operand or a result is infinite or NaN runs once more,
// watched, for the status of each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H
#define NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H

#include "AxisLines.h"
#include "npu/Numerics/StatusBits.h"

#include <cmath>
#include <span>

namespace npu::kernels {

struct PlainInstructions {
  static constexpr StatusBits bits = status::None;

  float add(float a, float b) { return a + b; }
  float sub(float a, float b) { return a - b; }
  float mul(float a, float b) { return a * b; }
  float div(float a, float b) { return a / b; }
  float sum(std::span<const float> values) {
    return sumInOrder(values.data(), values.size());
  }
};

struct WatchedInstructions {
  StatusBits bits = status::None;

  float add(float a, float b) { return watch(a + b, a, b); }
  float sub(float a, float b) { return watch(a - b, a, b); }
  float mul(float a, float b) { return watch(a * b, a, b); }
  float div(float a, float b) { return watch(a / b, a, b); }
  float sum(std::span<const float> values) {
    return sumInOrder(values.data(), values.size(),
                      [this](float a, float b) { return add(a, b); });
  }

private:
  float watch(float result, float a, float b) {
    if (!std::isfinite(a) || !std::isfinite(b))
      bits |= status::VectorNanInfInput;
    else if (std::isinf(result))
      bits |= status::FloatOverflow;
    return result;
  }
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H
