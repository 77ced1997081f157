//===- HalfTable.h - A function of fp16, tabulated --------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_HALFTABLE_H
#define NPU_LIB_KERNELS_HALFTABLE_H

#include "npu/Numerics/StatusBits.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace npu::kernels {

/// All 65536 values of a function of one fp16 operand with an fp16 result, and
/// the status bits of each. Looking a value up takes a fraction of the time of
/// a program with an exp, and gives its very bits.
class HalfTable {
public:
  static constexpr size_t Size = 1 << 16;
  /// Computes \p count elements; returns the status bits of them together.
  using Function = std::function<StatusBits(const uint16_t *from, uint16_t *to,
                                            size_t count)>;

  explicit HalfTable(const Function &function);

  /// The same as the function.
  StatusBits apply(const uint16_t *from, uint16_t *to, size_t count) const;

  /// Operands that raise nothing, as three comparisons that vectors do quickly:
  /// none above the bits of the largest, or of the most negative one, and of a
  /// magnitude that is not in (zero or) the few above zero that underflow.
  struct QuietRange {
    int16_t largest = 0;
    uint16_t mostNegative = 0;
    uint16_t magnitudeBias = 0;
    uint16_t smallestMagnitude = 0;
  };

private:
  std::vector<uint16_t> results;  ///< between two that are nobody's
  std::vector<uint16_t> statuses; ///< what each operand raises
  QuietRange quiet;

  void findQuietRange();
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_HALFTABLE_H
