//===- OverflowStatus.h - Status words of overflows ------------*- C++ -*-===//
//
// The status that an overflow record (OpDebug.h) carries, in words, and the
// status to write for an overflow of an atomic addition.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_OVERFLOWSTATUS_H
#define NPU_DUMP_OVERFLOWSTATUS_H

#include <cstdint>
#include <string>

namespace npu::dump {

/// What went wrong in an atomic addition.
enum class AtomicOverflow : uint8_t {
  Upward,             ///< above the largest value
  Downward,           ///< below the smallest value
  InvalidSource,      ///< the value to add is NaN or invalid
  InvalidDestination, ///< the value in memory is NaN or invalid
  InvalidBoth,
};

/// The status of the DHA unit: codes from 0x9 in the bits 15 to 8.
constexpr uint64_t encodeDhaStatus(AtomicOverflow overflow) {
  return (0x9 + static_cast<uint64_t>(overflow)) << 8;
}

/// The status of the L2 unit: codes from 1 in the bits 18 to 16.
constexpr uint64_t encodeL2Status(AtomicOverflow overflow) {
  return (0x1 + static_cast<uint64_t>(overflow)) << 16;
}

/// The bits of an AI Core's STATUS register in words, the lowest first, joined
/// by " + "; "no overflow" for 0. Bits that the overflow guide does not list
/// are "unknown bit 0x40", with their meaning where the Ascend C manual has
/// one.
std::string describeAiCoreStatus(uint64_t status);

/// The status of the DHA unit: "no overflow" for 0, else "overflow" and what
/// its code stands for, or the number where it is no code.
std::string describeDhaStatus(uint64_t status);

/// The same for the L2 unit.
std::string describeL2Status(uint64_t status);

} // namespace npu::dump

#endif // NPU_DUMP_OVERFLOWSTATUS_H
