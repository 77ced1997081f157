//===- FloatInstructions.h - Instructions one by one ------------*- C++ -*-===//
//
// A program on lines is written once in fp32 instructions. It runs plainly; a
// line in which an operand or a result is infinite or NaN runs once more,
// watched, for the status of each instruction.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H
#define NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H

#include "AxisLines.h"
#include "FloatElements.h"
#include "ScalarMath.h"
#include "npu/Numerics/NumericConfig.h"
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
  float sqrt(float a) { return std::sqrt(a); }
  float log(float a) { return logOf(a); }
  float sum(std::span<const float> values) {
    return sumInOrder(values.data(), values.size());
  }
};

struct WatchedInstructions {
  StatusBits bits = status::None;

  /// One after the other.
  float product(std::span<const float> values) {
    float result = values[0];
    for (float value : values.subspan(1))
      result = mul(result, value);
    return result;
  }

  /// A constant as an operand.
  float scalar(float value) const { return value; }
  float add(float a, float b) { return watch(a + b, a, b); }
  float sub(float a, float b) { return watch(a - b, a, b); }
  float mul(float a, float b) { return watch(a * b, a, b); }
  float div(float a, float b) { return watch(a / b, a, b); }
  float sqrt(float a) { return watch(std::sqrt(a), a, a); }
  float exp(float a) { return watch(expOf(a), a, a); }
  float log(float a) { return watch(logOf(a), a, a); }
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

/// fp16 instructions on fp16 values, watched.
class HalfInstructions {
public:
  explicit HalfInstructions(OverflowMode mode) : mode(mode) {}
  StatusBits bits = status::None;

  float scalar(float value) const {
    StatusBits ignored = status::None;
    return roundToHalf(value, mode, ignored);
  }
  float add(float a, float b) { return settle(a + b, a, b); }
  float sub(float a, float b) { return settle(a - b, a, b); }
  float mul(float a, float b) { return settle(a * b, a, b); }
  float exp(float a) { return settle(expOf(a), a, a); }
  float log(float a) { return settle(logOf(a), a, a); }
  /// One after the other, as the sum.
  float product(std::span<const float> values) {
    float result = values[0];
    for (float value : values.subspan(1))
      result = mul(result, value);
    return result;
  }
  float sum(std::span<const float> values) {
    float result = 0;
    for (float value : values)
      result = add(result, value);
    return result;
  }

private:
  OverflowMode mode;

  float settle(float result, float a, float b) {
    if (!std::isfinite(a) || !std::isfinite(b))
      bits |= status::VectorNanInfInput;
    else if (std::isinf(result))
      bits |= status::FloatOverflow;
    StatusBits raised = status::None;
    const float rounded = roundToHalf(result, mode, raised);
    if (std::isfinite(result))
      bits |= raised;
    return rounded;
  }
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_FLOATINSTRUCTIONS_H
