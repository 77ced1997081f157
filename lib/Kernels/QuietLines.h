//===- QuietLines.h - Lines of fp16 in which nothing happens ---*- C++ -*-===//
//
// Softmax and layer normalisation of fp16 lines straight from and to memory, as
// long as every value stays finite: the bits of softmaxLine and normalizeLine
// in a few passes of vectors. A line that cannot be computed so is left to
// those: nullopt, and its results hold nothing of use.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_QUIETLINES_H
#define NPU_LIB_KERNELS_QUIETLINES_H

#include "NormLine.h"
#include "SoftmaxLine.h"

#include <optional>
#include <vector>

namespace npu::kernels {

/// How many adjacent lines are computed at once.
constexpr size_t QuietLines = 4;

/// Softmax of adjacent lines of \p length elements, at least one: one line or
/// QuietLines. \p space is memory to use. Returns CastUnderflow where results
/// became zero.
std::optional<StatusBits> softmaxQuietly(const uint16_t *from, uint16_t *to,
                                         size_t lines, size_t length,
                                         const SoftmaxPath &path,
                                         std::vector<float> &space);

/// normalizeLine and scaleAndShiftLine of adjacent lines of scale.size()
/// elements, moments.size() of them, one or QuietLines. Returns
/// CastUnderflow where results became zero. \p space is memory to use.
std::optional<StatusBits> normalizeQuietly(const uint16_t *from, uint16_t *to,
                                           std::span<const float> scale,
                                           std::span<const float> shift,
                                           float epsilon, const NormPath &path,
                                           std::span<LineMoments> moments,
                                           std::vector<float> &space);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_QUIETLINES_H
