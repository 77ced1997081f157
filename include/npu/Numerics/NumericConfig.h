//===- NumericConfig.h - SoC and overflow mode -----------------*- C++ -*-===//
//
// Which arithmetic a run has. Both choices change bits: the SoC decides which
// instructions exist (and so where an operator rounds), the overflow mode what
// an overflowing result becomes.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_NUMERICS_NUMERICCONFIG_H
#define NPU_NUMERICS_NUMERICCONFIG_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace npu {

/// What an instruction writes where the exact result is beyond its type.
enum class OverflowMode : uint8_t {
  Saturate, ///< +-max of the type; a NaN result becomes +0
  InfNan,   ///< IEEE: infinities and NaNs
};

/// The SoC families whose arithmetic differs.
enum class Soc : uint8_t { Ascend310, Ascend310P, Ascend910A, Ascend910B };

struct NumericConfig {
  Soc soc = Soc::Ascend910A;
  OverflowMode overflow = OverflowMode::Saturate;
  /// Denormal fp16 results and constants become zero, as some instructions of
  /// later chips have it.
  bool flushDenormals = false;

  /// The SoC with its default overflow mode.
  static NumericConfig forSoc(Soc soc) {
    NumericConfig config;
    config.soc = soc;
    if (soc == Soc::Ascend910B)
      config.overflow = OverflowMode::InfNan;
    return config;
  }
};

std::string_view getName(Soc soc);

/// Accepts the family names and the product names of a family (Ascend910,
/// Ascend910ProA, Ascend910B3, Ascend910_93...).
std::optional<Soc> parseSoc(std::string_view name);

std::string_view getName(OverflowMode mode); ///< "saturate", "infnan"
std::optional<OverflowMode> parseOverflowMode(std::string_view name);

} // namespace npu

#endif // NPU_NUMERICS_NUMERICCONFIG_H
