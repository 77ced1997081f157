//===- ResizeCubic.h - Images to another size by cubics ---------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_RESIZECUBIC_H
#define NPU_LIB_KERNELS_RESIZECUBIC_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The kernel of a Resize whose mode is cubic.
Expected<std::unique_ptr<Kernel>> createResizeCubic(const NodeSpec &spec,
                                                    const NumericConfig &);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_RESIZECUBIC_H
