//===- ValueSummary.h - The values of a tensor in brief --------*- C++ -*-===//

#ifndef NPU_EXECUTION_VALUESUMMARY_H
#define NPU_EXECUTION_VALUESUMMARY_H

#include "npu/Support/TensorDesc.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace npu {

/// What is in the lanes of a tensor that hold data; lanes that pad a private
/// format are not looked at.
struct ValueSummary {
  uint64_t count = 0;
  uint64_t nans = 0, positiveInfs = 0, negativeInfs = 0;
  /// Elements at the largest finite value of fp16 or bf16, which saturation
  /// leaves where a result was out of range.
  uint64_t saturated = 0;
  /// Extremes of the finite elements; 0 where there are none.
  double minimum = 0, maximum = 0;
  bool anyFinite = false;
  /// Elements that are zero.
  uint64_t zeros = 0;
  /// Elements with one of the watched values.
  uint64_t watched = 0;

  bool hasNonFinite() const { return nans || positiveInfs || negativeInfs; }
};

/// Looks at fp16, bf16, fp32 and fp64 tensors and integers; of other types only
/// the count is known. \p watch has values to count.
ValueSummary summarize(const TensorDesc &desc, const std::byte *data,
                       std::span<const double> watch = {});

/// Whether a floating-point tensor has an infinity or NaN in any lane, padding
/// included: what most tensors do not have, found out at the speed of memory.
bool hasNonFinite(const TensorDesc &desc, const std::byte *data);

} // namespace npu

#endif // NPU_EXECUTION_VALUESUMMARY_H
