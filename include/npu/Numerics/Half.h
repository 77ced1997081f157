//===- Half.h - IEEE binary16: conversion and arithmetic -------*- C++ -*-===//
//
// The reference that the vector forms are tested against: integer methods, one
// value at a time, no use of the host's fp16.
//
// All functions that round take the overflow mode and add to a set of STATUS
// bits. Special values follow one rule (docs/Numerics.md N2): the IEEE result
// is formed first; Saturate then turns an infinity into +-65504 and a NaN into
// +0.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_NUMERICS_HALF_H
#define NPU_NUMERICS_HALF_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/Rounding.h"
#include "npu/Numerics/StatusBits.h"

#include <cstdint>

namespace npu::numerics {

/// The bits of an IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits.
struct Half {
  uint16_t bits = 0;

  friend bool operator==(Half, Half) = default; ///< of bits, not of values
};

constexpr Half HalfMax{0x7BFF};      ///< 65504
constexpr Half HalfInfinity{0x7C00}; ///< +inf
/// The NaN that arithmetic writes.
constexpr Half HalfNaN{0x7E00};

constexpr bool isNaN(Half x) { return (x.bits & 0x7FFF) > 0x7C00; }
constexpr bool isInfinity(Half x) { return (x.bits & 0x7FFF) == 0x7C00; }
constexpr bool isFinite(Half x) { return (x.bits & 0x7FFF) < 0x7C00; }
constexpr bool isZero(Half x) { return (x.bits & 0x7FFF) == 0; }
constexpr bool isNegative(Half x) { return (x.bits & 0x8000) != 0; }

/// Exact. A NaN keeps sign and payload and becomes quiet.
float halfToFloat(Half x);

/// \name Conversions to fp16, rounded once.
/// Raise CastOverflow when a finite \p x rounds beyond 65504 (Rint: |x| >=
/// 65520) and CastUnderflow when a nonzero one becomes zero. In InfNan mode a
/// NaN becomes quiet and keeps its sign and the top of its payload.
/// @{
Half floatToHalf(float x, OverflowMode mode, StatusBits &status,
                 RoundingMode rounding = RoundingMode::Rint);
Half doubleToHalf(double x, OverflowMode mode, StatusBits &status,
                  RoundingMode rounding = RoundingMode::Rint);
Half intToHalf(int64_t x, OverflowMode mode, StatusBits &status,
               RoundingMode rounding = RoundingMode::Rint);
Half uintToHalf(uint64_t x, OverflowMode mode, StatusBits &status,
                RoundingMode rounding = RoundingMode::Rint);
/// @}

/// \name Arithmetic: the exact result, rounded once to nearest even.
/// Raise FloatOverflow when all operands are finite and the result rounds
/// beyond 65504, FloatUnderflow when a nonzero result becomes zero, and
/// VectorNanInfInput when an operand is not finite. NaN results are HalfNaN.
/// @{
Half add(Half a, Half b, OverflowMode mode, StatusBits &status);
Half sub(Half a, Half b, OverflowMode mode, StatusBits &status);
Half mul(Half a, Half b, OverflowMode mode, StatusBits &status);
/// x / 0 is an infinity by the signs and raises FloatOverflow; 0 / 0 is NaN
/// and raises nothing.
Half div(Half a, Half b, OverflowMode mode, StatusBits &status);
/// NaN for x < 0, without a status bit; -0 for -0.
Half sqrt(Half x, OverflowMode mode, StatusBits &status);
/// a * b + c with the product rounded first.
Half mulAdd(Half a, Half b, Half c, OverflowMode mode, StatusBits &status);
/// @}

/// \name Exact operations.
/// They raise VectorNanInfInput only. NaN if an operand is; -0 orders below
/// +0.
/// @{
Half max(Half a, Half b, OverflowMode mode, StatusBits &status);
Half min(Half a, Half b, OverflowMode mode, StatusBits &status);
Half abs(Half x, OverflowMode mode, StatusBits &status);
Half neg(Half x, OverflowMode mode, StatusBits &status);
/// max(x, +0).
Half relu(Half x, OverflowMode mode, StatusBits &status);
/// @}

} // namespace npu::numerics

#endif // NPU_NUMERICS_HALF_H
