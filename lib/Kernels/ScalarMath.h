//===- ScalarMath.h - exp and ln of one value -------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_SCALARMATH_H
#define NPU_LIB_KERNELS_SCALARMATH_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"

namespace npu::kernels {

/// What the vector instructions give (VectorMath-inl.h), for values of which
/// there is one a line.
float expOf(float x);
float logOf(float x);

/// ln as an fp16 instruction on an fp32 value, which is narrowed first. Adds
/// the status bits raised to \p bits.
float logThroughHalf(float x, OverflowMode mode, StatusBits &bits);

/// How a kernel makes 1 / sqrt(x).
enum class InverseRoot : uint8_t {
  Quotient,      ///< 1 / sqrt(x)
  Logarithm,     ///< e^(-0.5 ln x)
  HalfLogarithm, ///< the same; ln and exp are fp16 instructions
};

/// 1 / sqrt(\p x) in fp32. Adds the status bits raised to \p bits.
float inverseRoot(float x, InverseRoot how, OverflowMode mode,
                  StatusBits &bits);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_SCALARMATH_H
