//===- Panels.h - Operands in panels of 16 columns -------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_PANELS_H
#define NPU_LIB_KERNELS_CUBE_PANELS_H

#include "Contraction.h"

namespace npu::kernels::cube {

/// A matrix whose element (k, n) is data[depthOffsets[k] + columnOffsets[n]]:
/// any operand of the cube in any format, since formats cut each axis by
/// itself.
struct OffsetMatrix {
  const std::byte *data = nullptr;
  std::span<const int64_t> depthOffsets;
  std::span<const int64_t> columnOffsets;

  int64_t depth() const { return static_cast<int64_t>(depthOffsets.size()); }
  int64_t columns() const { return static_cast<int64_t>(columnOffsets.size()); }
  int64_t numPanels() const { return ceilDiv(columns(), PanelWidth); }
  /// Elements of all its panels.
  int64_t panelElements() const { return numPanels() * depth() * PanelWidth; }
};

/// A matrix to pack, and where its panels start (in elements of the panels).
struct PanelJob {
  OffsetMatrix from;
  int64_t to = 0;
};

/// Packs matrices of \p type: element j of k in panel p is
/// panels[to + (p * depth + k) * 16 + j], of the type panelType(type); columns
/// beyond the last are zeros. In Saturate mode infinities become the largest
/// value of \p type and NaNs zeros. Returns whether there was one.
bool packPanels(ThreadPool &pool, std::span<const PanelJob> jobs, DataType type,
                OverflowMode mode, std::byte *panels);

/// Packs matrices in the same order, as they are: for a left operand of \p type
/// whose values of k do not lie side by side, columns being values of k.
void repackLeft(ThreadPool &pool, std::span<const PanelJob> jobs, DataType type,
                std::byte *panels);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_PANELS_H
