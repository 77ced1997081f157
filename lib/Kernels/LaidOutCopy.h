//===- LaidOutCopy.h - Copies between tensors of any layout -----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_LAIDOUTCOPY_H
#define NPU_LIB_KERNELS_LAIDOUTCOPY_H

#include "StridedCopy.h"
#include "npu/Kernels/Layout.h"

#include <optional>

namespace npu::kernels {

/// What a StridedCopy copies.
struct CopyBox {
  std::vector<StridedCopy::Axis> axes;
  int64_t sourceBase = 0, targetBase = 0;
};

/// The box that copies between tensors of the layouts \p source and \p target
/// what \p plain copies between the logical tensors in row-major order, so that
/// these need not be made. Axes are cut where blocks begin; the last ones are
/// nearest in the target. nullopt where a cut does not fit the blocks of both
/// sides, where a step is negative, and for tensors without elements.
std::optional<CopyBox> layOut(const CopyBox &plain, const Layout &source,
                              const Layout &target);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_LAIDOUTCOPY_H
