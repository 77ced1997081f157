//===- PoolingWindow.h - Windows of poolings and gradients ------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_POOLINGWINDOW_H
#define NPU_LIB_KERNELS_POOLINGWINDOW_H

#include "npu/Kernels/Kernel.h"

#include <algorithm>

namespace npu::kernels {

/// The window along one of H and W.
struct WindowAxis {
  int64_t window = 1, stride = 1;
  int64_t before = 0, after = 0; ///< padding
};

struct PoolingWindow {
  WindowAxis height, width;
  bool average = false;
  /// An average divides by the elements of the window that lie in the padded
  /// image (Caffe), or only by those in the image (TensorFlow).
  bool countsPadding = false;
  /// What an average divides by instead; 0: by what it counts.
  int64_t divisor = 0;
};

/// The attributes of Pooling.
Expected<PoolingWindow> readCaffeWindow(const NodeSpec &spec);

/// Those of MaxPool, AvgPool, MaxPoolWithArgmax and their gradients (attribute
/// padding), of MaxPoolV3 and AvgPoolV2 (padding_mode, pads). \p image is the
/// shape in NC1HWC0 of what windows read.
Expected<PoolingWindow> readPoolingWindow(const NodeSpec &spec,
                                          const Shape &image);

/// Fails unless every window begins in the padded image; shapes in NC1HWC0.
Status checkWindow(const PoolingWindow &window, const Shape &image,
                   const Shape &output);

/// Where window number \p index meets the image, and how much of it counts.
struct WindowSpan {
  int64_t begin, end; ///< in the image
  int64_t counted;    ///< elements that an average counts
};
inline WindowSpan spanOf(const WindowAxis &axis, int64_t index, int64_t size,
                         bool countsPadding) {
  const int64_t start = index * axis.stride - axis.before;
  const int64_t end = std::min(start + axis.window, size + axis.after);
  const WindowSpan inside{std::max<int64_t>(start, 0), std::min(end, size), 0};
  return {inside.begin, inside.end,
          countsPadding ? end - start
                        : std::max<int64_t>(inside.end - inside.begin, 0)};
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_POOLINGWINDOW_H
