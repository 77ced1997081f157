//===- Reference.h - Rounding by definition --------------------*- C++ -*-===//
//
// What the tests compare with: a format is the list of its values, and rounding
// finds the neighbours of a number in that list. Nothing here manipulates bits
// of a significand, so nothing is shared with the library's methods.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_UNITTESTS_NUMERICS_REFERENCE_H
#define NPU_UNITTESTS_NUMERICS_REFERENCE_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/Rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace npu::numerics::reference {

/// A number that a double holds.
struct DoubleNumber {
  double value;
  bool atLeast(double t) const { return value >= t; }
  bool equals(double t) const { return value == t; }
};

/// The nonnegative values of a format, by encoding, and one more: the value
/// that would follow the largest if the exponent had no end.
struct Format {
  std::vector<double> values;

  Format(int mantissaBits, int bias, int numFinite) {
    const int steps = 1 << mantissaBits;
    for (int code = 0; code <= numFinite; ++code) {
      const int exponent = code / steps, mantissa = code % steps;
      values.push_back(
          exponent == 0
              ? std::ldexp(mantissa, 1 - bias - mantissaBits)
              : std::ldexp(steps + mantissa, exponent - bias - mantissaBits));
    }
  }

  /// The encoding that does not fit any more.
  uint32_t overflow() const { return static_cast<uint32_t>(values.size() - 1); }

  /// The encoding of a nonnegative number rounded. A Number answers exactly
  /// whether it is atLeast(t) and whether it equals(t).
  template <typename Number>
  uint32_t roundNumber(const Number &number, bool negative,
                       RoundingMode rounding) const {
    uint32_t low = 0, high = static_cast<uint32_t>(values.size());
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      (number.atLeast(values[middle]) ? low : high) = middle;
    }
    if (low == overflow() || number.equals(values[low]))
      return low;
    const double middle = (values[low] + values[low + 1]) / 2;
    switch (rounding) {
    case RoundingMode::Rint:
      return number.equals(middle) ? low + low % 2
                                   : low + number.atLeast(middle);
    case RoundingMode::Round:
      return low + number.atLeast(middle);
    case RoundingMode::Floor:
      return low + negative;
    case RoundingMode::Ceil:
      return low + !negative;
    case RoundingMode::Trunc:
      return low;
    case RoundingMode::Odd:
      return low % 2 == 1 ? low : low + 1;
    }
    return low;
  }

  /// The same for a double.
  uint32_t round(double number, bool negative = false,
                 RoundingMode rounding = RoundingMode::Rint) const {
    return roundNumber(DoubleNumber{number}, negative, rounding);
  }
};

/// dividend / divisor, both halves and positive: the products are exact.
struct Quotient {
  double dividend, divisor;
  bool atLeast(double t) const { return dividend >= t * divisor; }
  bool equals(double t) const { return dividend == t * divisor; }
};

/// The root of a half: the squares are exact.
struct Root {
  double square;
  bool atLeast(double t) const { return square >= t * t; }
  bool equals(double t) const { return square == t * t; }
};

inline const Format &half() {
  static const Format format(10, 15, 0x7C00);
  return format;
}
inline const Format &bfloat16() {
  static const Format format(7, 127, 0x7F80);
  return format;
}

/// The value of the finite half with \p bits.
inline double halfValue(uint16_t bits) {
  const double magnitude = half().values[bits & 0x7FFF];
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// A well mixed function of \p x, for reproducible samples.
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7FB5D329728EA185;
  x = (x ^ (x >> 27)) * 0x81DADEF4BC2DD44D;
  return x ^ (x >> 33);
}

/// Calls \p body with one float pattern of each 256, the lower bits mixed.
template <typename Body>
void forEachStratifiedFloat(const Body &body) {
  for (uint32_t stratum = 0; stratum < 1u << 24; ++stratum)
    body(stratum << 8 | static_cast<uint32_t>(mix(stratum) & 0xFF));
}

} // namespace npu::numerics::reference

#endif // NPU_UNITTESTS_NUMERICS_REFERENCE_H
