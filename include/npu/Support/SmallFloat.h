//===- SmallFloat.h - 16-bit floats to float, one by one -------*- C++ -*-===//
//
// Exact widening of IEEE binary16 and of bfloat16. Every value of either type
// is a float, so nothing rounds. For the layers below Numerics, which look at
// values but compute nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SUPPORT_SMALLFLOAT_H
#define NPU_SUPPORT_SMALLFLOAT_H

#include <bit>
#include <cstdint>

namespace npu {

/// The value of the binary16 \p bits. NaNs keep their payload in the leading
/// bits and stay quiet or signaling.
constexpr float halfToFloat(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) { // zero or fraction * 2^-24, which float has as normal
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 |
                              fraction << 13);
}

/// The value of the bfloat16 \p bits, the upper half of a float.
constexpr float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

} // namespace npu

#endif // NPU_SUPPORT_SMALLFLOAT_H
