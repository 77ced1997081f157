//===- SoftmaxLine.h - Softmax of one line ----------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_SOFTMAXLINE_H
#define NPU_LIB_KERNELS_SOFTMAXLINE_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"

#include <span>

namespace npu::kernels {

/// Where a softmax rounds.
struct SoftmaxPath {
  bool halfDifference = false; ///< x - max is an fp16 instruction
  bool halfExp = false;        ///< exp is one, on what is narrowed for it
  bool halfMax = false;        ///< fp32 tensors: the maximum goes through fp16
  bool multiplies = false;     ///< e * (1 / sum) in place of e / sum
};

/// Replaces \p values, at least one, by e^(x - max) / sum(e^(x - max)) in fp32,
/// the sum in the order of sumInOrder, not yet rounded to the tensor's type.
/// Returns the status bits raised.
StatusBits softmaxLine(std::span<float> values, const SoftmaxPath &path,
                       OverflowMode mode);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_SOFTMAXLINE_H
