//===- FormatTransfer.h - From one layout to another -----------*- C++ -*-===//

#ifndef NPU_KERNELS_FORMATTRANSFER_H
#define NPU_KERNELS_FORMATTRANSFER_H

#include "npu/Kernels/Layout.h"
#include "npu/Support/ThreadPool.h"

#include <cstddef>
#include <vector>

namespace npu::kernels {

/// Moves a logical tensor from one physical layout to another. Elements are
/// moved, not converted: both ends have elements of the same width. Padding
/// lanes of the target become zero; those of the source are not read.
///
/// A transfer is prepared once: for every axis it finds the stretches over
/// which both ends advance by a constant stride; what runs is a list of
/// strided box copies.
class FormatTransfer {
public:
  /// Fails when a layout is unknown or contradicts its origin, when the
  /// logical tensors differ, or when elements are not whole bytes.
  static Expected<FormatTransfer> create(const TensorDesc &source,
                                         const TensorDesc &target);

  /// \p source holds and \p target receives the bytes of the descriptors
  /// given to create; they do not overlap. Without a pool, in the calling
  /// thread.
  void run(const std::byte *source, std::byte *target,
           ThreadPool *pool = nullptr) const;

private:
  /// Indices of an axis over which both ends are linear.
  struct Segment {
    int64_t length;
    int64_t sourceStart, sourceStep;
    int64_t targetStart, targetStep;
  };
  /// The boxes of one pair of parts: a segment list for each axis.
  struct Part {
    int64_t sourceBase, targetBase;
    std::vector<std::vector<Segment>> axes;
  };
  struct SideOfAxis;

  static std::vector<Segment> joinSegments(int64_t extent,
                                           const SideOfAxis &source,
                                           const SideOfAxis &target);

  std::vector<Part> parts;
  int64_t elementSize = 0;
  int64_t targetBytes = 0;
  bool clearTarget = false;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_FORMATTRANSFER_H
