//===- DenseImage.h - Images of few channels without gaps ------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_DENSEIMAGE_H
#define NPU_LIB_KERNELS_CUBE_DENSEIMAGE_H

#include "npu/Support/ThreadPool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npu::kernels::cube {

/// An image of few channels, copied so that neither lanes without a channel nor
/// the places of other channels lie between its pixels: a line is
/// \p before pixels of zeros, those of the image, and zeros up to \p lineWidth
/// pixels. All taps of a line of the window are neighbours then.
struct DenseImage {
  // The image by pitches in elements, and an offset for each channel.
  int64_t images = 1, height = 1, width = 1;
  int64_t imagePitch = 0, linePitch = 0, pixelPitch = 0;
  std::vector<int64_t> channels;
  // The copy, and how many elements can be read behind it.
  int64_t before = 0, lineWidth = 0;
  int64_t slack = 0;

  static constexpr int64_t MaxChannels = 4;

  int64_t lineElements() const {
    return lineWidth * static_cast<int64_t>(channels.size());
  }
  int64_t numElements() const {
    return images * height * lineElements() + slack;
  }

  /// Copies the image at \p from to numElements() elements at \p to, of
  /// \p elementSize bytes, 2 or 4. Leaves the slack as it is.
  void copy(ThreadPool &pool, const std::byte *from, std::byte *to,
            int64_t elementSize) const;
};

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_DENSEIMAGE_H
