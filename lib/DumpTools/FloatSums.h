//===- FloatSums.h - Sums and extremes of floats ----------------*- C++ -*-===//
//
// What statistics need of a block of floats, in vectors.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_DUMPTOOLS_FLOATSUMS_H
#define NPU_LIB_DUMPTOOLS_FLOATSUMS_H

#include <cstddef>
#include <cstdint>

namespace npu::dump {

/// Sums are kept in this many lanes, whatever the width of the vectors, so that
/// they have the same bits everywhere.
constexpr size_t NumLanes = 16;

/// The sums of a block of floats.
struct LaneSums {
  alignas(64) double sum[NumLanes];
  alignas(64) double squares[NumLanes];
  alignas(64) float minimum[NumLanes];
  alignas(64) float maximum[NumLanes];
};

/// Those of halves without squares: sums modulo 2^32 in units of 2^-24, the
/// smallest half, and about.
struct FixedSums {
  /// Any number does, as sums are exact: two vectors hide the latency of sums.
  static constexpr size_t NumLanes = 32;
  alignas(64) int32_t units[NumLanes];
  alignas(64) float about[NumLanes];
  alignas(64) float minimum[NumLanes];
  alignas(64) float maximum[NumLanes];
};
/// Numbers in which this magnitude is not reached fit in an int32_t as units.
constexpr float FixedLimit = 128;

/// Add \p count floats of a type, a multiple of NumLanes, which need not be
/// aligned. Extremes are meaningless where an element is NaN.
void addHalves(const std::byte *from, size_t count, LaneSums &sums);
void addBFloat16s(const std::byte *from, size_t count, LaneSums &sums);
void addFloats(const std::byte *from, size_t count, LaneSums &sums);

/// Adds \p count halves, a multiple of FixedSums::NumLanes, in two thirds of
/// the time: two conversions and additions less than by way of doubles, and no
/// squares.
void addHalfUnits(const std::byte *from, size_t count, FixedSums &sums);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_FLOATSUMS_H
