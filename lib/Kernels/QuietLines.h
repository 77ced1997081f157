//===- QuietLines.h - Lines of fp16 in which nothing happens ---*- C++ -*-===//
//
// Softmax and layer normalisation of fp16 lines straight from and to memory, as
// long as every value stays finite: the bits of softmaxLine and normalizeLine
// in a few passes of vectors. A line that cannot be computed so is left to
// those, and its results hold nothing of use.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_QUIETLINES_H
#define NPU_LIB_KERNELS_QUIETLINES_H

#include "NormLine.h"
#include "SoftmaxLine.h"

#include <array>
#include <atomic>
#include <bit>
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

/// The roots of variances that were rounded to fp16, of one epsilon and way to
/// take them: an exp and a ln are a long chain of instructions, and lines have
/// few different variances. Threads may share one; they keep the same bits.
class RootMemo {
public:
  /// Whether the root of \p variance, an fp16 number, is known: then in \p
  /// root.
  bool find(uint16_t variance, float &root) const {
    const uint64_t entry =
        entries[variance % Size].load(std::memory_order_relaxed);
    root = std::bit_cast<float>(static_cast<uint32_t>(entry));
    return entry >> 32 == variance + Used;
  }
  void keep(uint16_t variance, float root) {
    entries[variance % Size].store((variance + Used) << 32 |
                                       std::bit_cast<uint32_t>(root),
                                   std::memory_order_relaxed);
  }

private:
  /// Two exponents side by side.
  static constexpr size_t Size = 2048;
  static constexpr uint64_t Used = 1 << 16;
  /// Used and the variance, then the root.
  std::array<std::atomic<uint64_t>, Size> entries{};
};

/// How many of the lines were computed, and their status.
struct QuietCount {
  size_t lines = 0;
  StatusBits status = npu::status::None;
};

/// normalizeLine and scaleAndShiftLine of adjacent lines of scale.size()
/// elements, moments.size() of them. Ends before a group in which something
/// happens: what follows the lines that were computed holds nothing of use, and
/// the next line, or the next QuietLines, are for the other way. The status is
/// CastUnderflow where results became zero. \p memo, of \p epsilon and
/// \p path, may be null and is there only where variances are rounded. \p space
/// is memory to use.
QuietCount normalizeQuietly(const uint16_t *from, uint16_t *to,
                            std::span<const float> scale,
                            std::span<const float> shift, float epsilon,
                            const NormPath &path, RootMemo *memo,
                            std::span<LineMoments> moments,
                            std::vector<float> &space);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_QUIETLINES_H
