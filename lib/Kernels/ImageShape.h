//===- ImageShape.h - The pixels of an image tensor -------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_IMAGESHAPE_H
#define NPU_LIB_KERNELS_IMAGESHAPE_H

#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"

namespace npu::kernels {

/// Planes of height x width pixels of neighbouring lanes.
struct ImageShape {
  int64_t planes = 0, height = 0, width = 0, lanes = 0;

  static Expected<ImageShape> of(const TensorDesc &desc) {
    const Shape &s = desc.shape;
    if (desc.format == Format::NC1HWC0 && s.size() == 5)
      return ImageShape{s[0] * s[1], s[2], s[3], s[4]};
    if (desc.format == Format::NHWC && s.size() == 4)
      return ImageShape{s[0], s[1], s[2], s[3]};
    if (desc.format == Format::NCHW && s.size() == 4)
      return ImageShape{s[0] * s[1], s[2], s[3], 1};
    return Status::error(desc.toString() +
                         " is no image, expected NC1HWC0, NHWC or NCHW");
  }
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_IMAGESHAPE_H
