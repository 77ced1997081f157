//===- Offsets.h - Element offsets by axis ---------------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_OFFSETS_H
#define NPU_LIB_KERNELS_CUBE_OFFSETS_H

#include "npu/Kernels/Layout.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace npu::kernels::cube {

/// The elements of a four-dimensional tensor (an image or a filter) by its
/// named axes. Formats cut each axis by itself, so an element's offset is a sum
/// of one offset for each axis; but for groups of a filter, see elementAt.
class NamedAxes {
public:
  /// Fails when \p desc lacks one of the axes N, C, H, W. \p what names it in
  /// messages.
  static Expected<NamedAxes> create(const TensorDesc &desc,
                                    const std::string &what);

  /// The extent of axis \p letter, one of N, C, H, W.
  int64_t extent(char letter) const;
  int64_t elementAt(int64_t n, int64_t c, int64_t h, int64_t w) const;
  /// Elements in memory.
  int64_t numElements() const { return layout.numElements(); }

private:
  Layout layout;
  unsigned n = 0, c = 0, h = 0, w = 0;
  /// FRACTAL_Z_C04 cuts h * width + w; then h is that axis.
  bool merged = false;
  int64_t height = 1, width = 1;
};

/// Where consecutive indices lie that advance by a fixed step.
struct Pitch {
  int64_t step = 0;
  bool uniform = true; ///< whether there is one
};
Pitch findPitch(std::span<const int64_t> offsets);

/// Length of the stretch of neighbours at the start of \p offsets.
int64_t countAdjacent(std::span<const int64_t> offsets);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_OFFSETS_H
