//===- StatusBits.h - The AI Core STATUS register --------------*- C++ -*-===//
//
// What instructions report. The first six are the ones that OpDebug records
// document; the others are kept internally and masked out of records.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_NUMERICS_STATUSBITS_H
#define NPU_NUMERICS_STATUSBITS_H

#include <cstdint>

namespace npu {

/// A set of STATUS register bits.
using StatusBits = uint64_t;

namespace status {
constexpr StatusBits None = 0;
constexpr StatusBits NegateMinimum = 0x8;      ///< NEG of the smallest signed integer
constexpr StatusBits IntegerOverflow = 0x10;   ///< integer add, sub, mul, mul-add
constexpr StatusBits FloatOverflow = 0x20;     ///< floating-point computation
constexpr StatusBits FloatUnderflow = 0x40;    ///< below the smallest denormal, became 0
constexpr StatusBits NegativeToUnsigned = 0x80; ///< float -> unsigned of a negative
constexpr StatusBits CastOverflow = 0x100;     ///< fp32 or int32 -> fp16
constexpr StatusBits CastUnderflow = 0x200;    ///< fp32 -> fp16 became 0
constexpr StatusBits CubeOverflow = 0x400;     ///< cube accumulation
constexpr StatusBits CubeUnderflow = 0x800;
constexpr StatusBits VectorNanInfInput = 0x4000; ///< a vector instruction read NaN or Inf
constexpr StatusBits CubeNanInfInput = 0x8000;   ///< a cube instruction read NaN or Inf

/// The bits that a record shows unless told otherwise.
constexpr StatusBits Documented = NegateMinimum | IntegerOverflow |
                                  FloatOverflow | NegativeToUnsigned |
                                  CastOverflow | CubeOverflow;
} // namespace status

/// What went wrong when a kernel added to memory by atomics. The memory system
/// reports it, not a STATUS register: a code, not a set of bits.
enum class AtomicOverflow : uint8_t {
  None,
  Upward,             ///< the sum is above the largest value
  Downward,           ///< the sum is below the smallest value
  InvalidSource,      ///< the value to add is infinite or NaN
  InvalidDestination, ///< the value in memory is
  InvalidBoth,
};

/// The code that stands for both: the one listed first, but for None. What
/// follows an overflow (additions to an infinity) does not hide it.
constexpr AtomicOverflow combine(AtomicOverflow a, AtomicOverflow b) {
  if (a == AtomicOverflow::None || b == AtomicOverflow::None)
    return a == AtomicOverflow::None ? b : a;
  return a < b ? a : b;
}

/// What a node reports: events in lanes that hold data, events in lanes that
/// only pad a private format (NC1HWC0, FRACTAL_NZ...), and those of atomic
/// additions.
struct NodeStatus {
  StatusBits valid = status::None;
  StatusBits padding = status::None;
  AtomicOverflow atomic = AtomicOverflow::None;

  NodeStatus &operator|=(const NodeStatus &other) {
    valid |= other.valid;
    padding |= other.padding;
    atomic = combine(atomic, other.atomic);
    return *this;
  }
};

} // namespace npu

#endif // NPU_NUMERICS_STATUSBITS_H
