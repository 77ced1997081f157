//===- NumericConfig.cpp - Names of SoCs and modes ------------------------===//

#include "npu/Numerics/NumericConfig.h"

using namespace npu;

std::string_view npu::getName(Soc soc) {
  switch (soc) {
  case Soc::Ascend310:
    return "Ascend310";
  case Soc::Ascend310P:
    return "Ascend310P";
  case Soc::Ascend910A:
    return "Ascend910A";
  case Soc::Ascend910B:
    return "Ascend910B";
  }
  return {};
}

std::optional<Soc> npu::parseSoc(std::string_view name) {
  // A2 products are Ascend910B1 to B4; the bare Ascend910B of 2020 was an
  // Ascend910A class chip, but the name means A2 today. A3 is Ascend910_93xx.
  struct Prefix {
    std::string_view text;
    Soc soc;
  };
  static constexpr Prefix exact[] = {
      {"Ascend310", Soc::Ascend310},
      {"Ascend910", Soc::Ascend910A},
      {"Ascend910A", Soc::Ascend910A},
      {"Ascend910ProA", Soc::Ascend910A},
      {"Ascend910ProB", Soc::Ascend910A},
      {"Ascend910PremiumA", Soc::Ascend910A},
  };
  for (const Prefix &p : exact)
    if (name == p.text)
      return p.soc;
  if (name.starts_with("Ascend310P"))
    return Soc::Ascend310P;
  if (name.starts_with("Ascend910B") || name.starts_with("Ascend910_93"))
    return Soc::Ascend910B;
  return std::nullopt;
}

std::string_view npu::getName(OverflowMode mode) {
  return mode == OverflowMode::Saturate ? "saturate" : "infnan";
}

std::optional<OverflowMode> npu::parseOverflowMode(std::string_view name) {
  if (name == "saturate")
    return OverflowMode::Saturate;
  if (name == "infnan")
    return OverflowMode::InfNan;
  return std::nullopt;
}
