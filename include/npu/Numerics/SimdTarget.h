//===- SimdTarget.h - The instruction sets of the vector code --*- C++ -*-===//
//
// Vector code is compiled for several instruction sets and picks the best that
// the processor has. All of them give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_NUMERICS_SIMDTARGET_H
#define NPU_NUMERICS_SIMDTARGET_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace npu::numerics {

enum class SimdTarget : uint8_t {
  Portable, ///< no intrinsics, 128-bit vectors
  AVX2,     ///< with FMA and F16C
  AVX512,   ///< F, BW, CD, DQ, VL
};

std::string_view getName(SimdTarget target); ///< "portable", "avx2", "avx512"

/// The targets that are compiled in and that this processor runs, worst first.
std::vector<SimdTarget> getSupportedTargets();

/// Makes all vector code of the process use \p target, one of
/// getSupportedTargets(); nullopt returns to the best. For tests and
/// benchmarks: must not run concurrently with vector code.
void setTargetForTest(std::optional<SimdTarget> target);

} // namespace npu::numerics

#endif // NPU_NUMERICS_SIMDTARGET_H
