//===- StridedCopy.h - A box of elements from here to there ----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_STRIDEDCOPY_H
#define NPU_LIB_KERNELS_STRIDEDCOPY_H

#include "npu/Support/TensorDesc.h"
#include "npu/Support/ThreadPool.h"

#include <cstddef>
#include <vector>

namespace npu::kernels {

/// The elements from one of index (i0, i1, ...) to the next, for a tensor of
/// \p shape in row-major order.
std::vector<int64_t> rowMajorSteps(const Shape &shape);

/// Copies a box of elements: index (i0, i1, ...) from sourceBase + i0 *
/// axes[0].sourceStep + ... to targetBase + i0 * axes[0].targetStep + ...
/// Slices, transposition, concatenation and repetition are such copies. Steps
/// may be zero or negative at the source.
class StridedCopy {
public:
  struct Axis {
    int64_t extent, sourceStep, targetStep; ///< steps in elements
  };

  StridedCopy(std::vector<Axis> axes, unsigned elementSize,
              int64_t sourceBase = 0, int64_t targetBase = 0);

  void run(const std::byte *source, std::byte *target, ThreadPool &pool) const;

private:
  std::vector<Axis> outer; ///< all axes but the last
  Axis inner{1, 1, 1};
  int64_t rows = 1; ///< boxes of the outer axes
  unsigned elementSize;
  int64_t sourceBase, targetBase;

  void copyRow(const std::byte *source, std::byte *target) const;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_STRIDEDCOPY_H
