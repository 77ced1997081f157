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

/// Those of at most MaxFixed halves without squares.
struct FixedSums {
  uint32_t units; ///< modulo 2^32, of 2^-24, the smallest half
  float about;    ///< the sum, less than 2^31 units off
  float minimum, maximum;
};
constexpr size_t MaxFixed = 4096;
/// Numbers in which this magnitude is not reached fit in an int32_t as units.
constexpr float FixedLimit = 128;

/// Add \p count floats of a type, a multiple of NumLanes, which need not be
/// aligned. Extremes are meaningless where an element is NaN.
void addHalves(const std::byte *from, size_t count, LaneSums &sums);
void addBFloat16s(const std::byte *from, size_t count, LaneSums &sums);
void addFloats(const std::byte *from, size_t count, LaneSums &sums);

/// The sums of \p count halves, a multiple of NumLanes and not zero, in two
/// thirds of the time: two conversions and additions less than by way of
/// doubles, and no squares.
FixedSums addHalfUnits(const std::byte *from, size_t count);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_FLOATSUMS_H
