//===- Rounding.h - Rounding modes of conversions --------------*- C++ -*-===//

#ifndef NPU_NUMERICS_ROUNDING_H
#define NPU_NUMERICS_ROUNDING_H

#include <cstdint>

namespace npu::numerics {

/// How a conversion drops bits. The names are those of the instructions.
enum class RoundingMode : uint8_t {
  Rint,  ///< to nearest, ties to even
  Round, ///< to nearest, ties away from zero
  Floor, ///< towards -inf
  Ceil,  ///< towards +inf
  Trunc, ///< towards zero
  Odd,   ///< towards zero, then the last bit set if anything was lost
};

} // namespace npu::numerics

#endif // NPU_NUMERICS_ROUNDING_H
