//===- ScalarArithmetic.h - Instructions one value at a time ----*- C++ -*-===//
//
// The arithmetic of operators written out once more, independently of the
// kernels: each instruction in double, then rounded to the precision of the
// unit. Sums, products, quotients and roots are exact that way; exp and ln have
// the host's error.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_SCALARARITHMETIC_H
#define NPU_TEST_UNITTESTS_KERNELS_SCALARARITHMETIC_H

#include "npu/Numerics/StatusBits.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace npu::kernels::statustable {

/// Where a program rounds.
struct Path {
  bool half = false;    ///< every instruction to fp16, else to fp32
  bool halfExp = false; ///< exp and ln are fp16 instructions at least
  int form = 0;         ///< of the program, which tells what it means
};

/// Instructions in saturating mode.
class ScalarArithmetic {
public:
  using Values = std::vector<double>;

  explicit ScalarArithmetic(Path path) : path(path) {}

  const Path path;
  StatusBits bits = status::None;
  bool usesFunctions = false; ///< exp or ln, of which only a bound is known

  /// A constant as the instruction's operand.
  double constant(double value) const {
    return path.half ? nearestHalf(value) : static_cast<float>(value);
  }
  double add(double a, double b) { return sum(a + b, a, b); }
  double sub(double a, double b) { return sum(a - b, a, b); }
  double mul(double a, double b) { return product(a * b, a, b, path.half); }
  double div(double a, double b) { return product(a / b, a, b, path.half); }
  double sqrt(double a) { return product(std::sqrt(a), a, a, path.half); }
  /// A NaN wins, and -0 is below +0.
  double max(double a, double b) {
    read(a, b);
    if (std::isnan(a) || std::isnan(b))
      return NAN;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
  double min(double a, double b) {
    read(a, b);
    if (std::isnan(a) || std::isnan(b))
      return NAN;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
  double abs(double a) { return read(a, a), std::abs(a); }
  double neg(double a) { return read(a, a), -a; }
  double exp(double a) { return function(std::exp, a); }
  double log(double a) { return function(std::log, a); }
  double floor(double a) { return std::floor(a); }
  double trunc(double a) { return std::trunc(a); }

  /// The sum of a line: fp16 one after the other; fp32 in 16 partial sums and
  /// then their tree.
  double sum(const Values &values) {
    if (path.half) {
      double result = 0;
      for (double value : values)
        result = add(result, value);
      return result;
    }
    double partial[16] = {};
    for (size_t i = 0; i < values.size(); ++i)
      partial[i % 16] = add(partial[i % 16], values[i]);
    for (int width : {8, 4, 2, 1})
      for (int i = 0; i < width; ++i)
        partial[i] = add(partial[i], partial[i + width]);
    return partial[0];
  }
  /// The sum one after the other.
  double running(const Values &values) {
    double result = 0;
    for (double value : values)
      result = add(result, value);
    return result;
  }

  /// An fp16 instruction among fp32 ones.
  double halfSub(double a, double b) { return product(a - b, a, b, true); }
  double halfMul(double a, double b) { return product(a * b, a, b, true); }
  double halfAdd(double a, double b) { return product(a + b, a, b, true); }

  /// fp32 to fp16.
  double cast(double value) {
    const double result = nearestHalf(value);
    if (std::isfinite(value) && std::abs(value) >= 65520)
      bits |= status::CastOverflow;
    if (isTooSmall(value, result))
      bits |= status::CastUnderflow;
    return result;
  }
  /// The result in an fp16 tensor.
  double result(double value) { return path.half ? value : cast(value); }

private:
  /// Nearest even; infinities become the largest value, NaN 0.
  static double nearestHalf(double value) {
    if (std::isnan(value))
      return 0;
    if (std::abs(value) >= 65520)
      return std::copysign(65504.0, value);
    if (value == 0)
      return value;
    const int unit = std::max(std::ilogb(value), -14) - 10;
    return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  }
  static bool isTooSmall(double value, double result) {
    return result == 0 && value != 0 && !std::isnan(value);
  }
  void read(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b))
      bits |= status::VectorNanInfInput;
  }
  double rounded(double value, double a, double b, bool half) {
    read(a, b);
    const bool finite = std::isfinite(a) && std::isfinite(b);
    const double result = half ? nearestHalf(value) : static_cast<float>(value);
    const bool overflows = half ? std::abs(value) >= 65520 : std::isinf(result);
    if (finite && overflows && !std::isnan(value))
      bits |= status::FloatOverflow;
    return result;
  }
  double sum(double value, double a, double b) {
    return rounded(value, a, b, path.half);
  }
  double product(double value, double a, double b, bool half) {
    const double result = rounded(value, a, b, half);
    if (half && isTooSmall(value, result))
      bits |= status::FloatUnderflow;
    return result;
  }
  double function(double (*definition)(double), double a) {
    usesFunctions = true;
    if (path.half || !path.halfExp)
      return product(definition(a), a, a, path.half);
    const double narrow = cast(a);
    return product(definition(narrow), narrow, narrow, true);
  }
};

} // namespace npu::kernels::statustable

#endif // NPU_TEST_UNITTESTS_KERNELS_SCALARARITHMETIC_H
