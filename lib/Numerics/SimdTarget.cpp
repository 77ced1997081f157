//===- SimdTarget.cpp - The instruction sets of the vector code -----------===//

#include "npu/Numerics/SimdTarget.h"

#include "hwy/targets.h"

using namespace npu::numerics;

// Highway's fallback is one of the two, by compiler.
static constexpr int64_t PortableTargets = HWY_EMU128 | HWY_SCALAR;

static int64_t getMask(SimdTarget target) {
  switch (target) {
  case SimdTarget::Portable:
    return PortableTargets;
  case SimdTarget::AVX2:
    return HWY_AVX2;
  case SimdTarget::AVX512:
    return HWY_AVX3;
  }
  return 0;
}

std::string_view npu::numerics::getName(SimdTarget target) {
  switch (target) {
  case SimdTarget::Portable:
    return "portable";
  case SimdTarget::AVX2:
    return "avx2";
  case SimdTarget::AVX512:
    return "avx512";
  }
  return {};
}

std::vector<SimdTarget> npu::numerics::getSupportedTargets() {
  // The portable target always runs, whether or not the Highway library
  // counts it among those of the processor.
  std::vector<SimdTarget> targets;
  if (HWY_TARGETS & PortableTargets)
    targets.push_back(SimdTarget::Portable);
  for (SimdTarget target : {SimdTarget::AVX2, SimdTarget::AVX512})
    if (hwy::SupportedTargets() & HWY_TARGETS & getMask(target))
      targets.push_back(target);
  return targets;
}

void npu::numerics::setTargetForTest(std::optional<SimdTarget> target) {
  // Zero ends the override.
  hwy::SetSupportedTargetsForTest(target ? getMask(*target) : 0);
}
