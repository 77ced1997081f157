//===- NormLine.h - Normalisation of one line -------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_NORMLINE_H
#define NPU_LIB_KERNELS_NORMLINE_H

#include "ScalarMath.h"
#include "npu/Support/DataType.h"

#include <span>

namespace npu::kernels {

/// Where a normalisation rounds, and how it takes the root.
struct NormPath {
  /// Mean and variance are rounded to fp16 and widened again before they are
  /// used.
  bool halfMoments = false;
  InverseRoot root = InverseRoot::Quotient;

  /// LayerNorm on tensors of \p dtype; \p implMode as in _op_impl_mode_enum.
  static NormPath layerNorm(DataType dtype, const NumericConfig &config,
                            int64_t implMode);
};

/// The root of LayerNorm and its gradients on \p soc, unless high_precision:
/// e^(-0.5 ln x), with the fp16 exp and ln that Ascend310 has alone.
InverseRoot logarithmicRoot(Soc soc);

struct LineMoments {
  float mean = 0, variance = 0, inverseRoot = 0;
};

/// Replaces \p values, at least one, by (x - mean) / sqrt(var + epsilon) in
/// fp32. mean = sum(x * (1 / n)), var = sum((x - mean)^2 * (1 / n)), sums in
/// the order of sumInOrder. Adds the status bits raised to \p bits.
LineMoments normalizeLine(std::span<float> values, float epsilon,
                          const NormPath &path, OverflowMode mode,
                          StatusBits &bits);

/// The whole normalisation, scaled and shifted, in fp16 instructions on fp16
/// values: sums one value after the other, and then times 1 / n.
LineMoments normalizeLineInHalf(std::span<float> values,
                                std::span<const float> scale,
                                std::span<const float> shift, float epsilon,
                                OverflowMode mode, StatusBits &bits);

/// x * scale + shift in place, two fp32 instructions.
void scaleAndShiftLine(std::span<float> values, std::span<const float> scale,
                       std::span<const float> shift, StatusBits &bits);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_NORMLINE_H
