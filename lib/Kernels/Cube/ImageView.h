//===- ImageView.h - An image as the cube reads and writes it --*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_IMAGEVIEW_H
#define NPU_LIB_KERNELS_CUBE_IMAGEVIEW_H

#include "CubePlan.h"

namespace npu::kernels::cube {

/// An image by pitches (in elements), and one offset for each channel.
struct ImageView {
  int64_t images = 1, height = 1, width = 1;
  int64_t imagePitch = 0, linePitch = 0, pixelPitch = 0;
  std::vector<int64_t> channels;
  /// Elements in memory.
  int64_t numElements = 0;
  /// Channels of a block: K is ordered by blocks.
  int64_t c0 = 16;
  /// Channels that memory holds beyond the last.
  bool padded = false;

  /// Reads the layout off \p desc; \p what names it in messages.
  static Expected<ImageView> create(const TensorDesc &desc,
                                    const std::string &what);

  /// Whether channels do not lie side by side (NCHW).
  bool isPlanar() const {
    return channels.size() > 1 && channels[1] != channels[0] + 1;
  }
  /// Plans to repack the image to blocks of 16 channels; the view of that.
  ImageView repack(CubePlan &plan) const;
};

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_IMAGEVIEW_H
