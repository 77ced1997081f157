//===- HalfSamples.h - Pairs of halves to test with ------------*- C++ -*-===//

#ifndef NPU_UNITTESTS_NUMERICS_HALFSAMPLES_H
#define NPU_UNITTESTS_NUMERICS_HALFSAMPLES_H

#include "Reference.h"

#include <array>
#include <cstdint>

namespace npu::numerics {

/// Both signs of these are where arithmetic can go wrong.
constexpr std::array<uint16_t, 32> EdgeMagnitudes = {
    0x0000, 0x0001, 0x0002, 0x0003, 0x0011, 0x00A8, 0x01FF, 0x0200,
    0x03FE, 0x03FF, 0x0400, 0x0401, 0x07FF, 0x0800, 0x068E, 0x1400,
    0x3400, 0x37FF, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x4000, 0x4200,
    0x4C00, 0x5CB0, 0x6800, 0x7800, 0x7BFE, 0x7BFF, 0x7C00, 0x7E01};

constexpr uint64_t NumHashedPairs = 10'000'000;

/// Calls body(a, b) for all patterns with each edge value, in both orders, and
/// for ten million mixed pairs, while it returns true.
template <typename Body>
void forEachHalfPair(const Body &body) {
  for (uint32_t a = 0; a < 0x10000; ++a)
    for (uint16_t magnitude : EdgeMagnitudes)
      for (uint16_t sign : {0x0000, 0x8000}) {
        const uint16_t x = static_cast<uint16_t>(a);
        const uint16_t y = magnitude | sign;
        if (!body(x, y) || !body(y, x))
          return;
      }
  for (uint64_t i = 0; i < NumHashedPairs; ++i) {
    const uint64_t pair = reference::mix(i + 1);
    if (!body(static_cast<uint16_t>(pair), static_cast<uint16_t>(pair >> 16)))
      return;
  }
}

} // namespace npu::numerics

#endif // NPU_UNITTESTS_NUMERICS_HALFSAMPLES_H
