//===- SizeInput.h - Operators that are given a size -----------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_SIZEINPUT_H
#define NPU_LIB_KERNELS_CUBE_SIZEINPUT_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels::cube {

/// A node that \p create makes a kernel of but for its input \p size, which
/// says the shape of the output: Conv2DBackpropInput is Conv2DBackpropInputD
/// with such an input. Descriptors say the shape as well, and nothing reads the
/// values.
Expected<std::unique_ptr<Kernel>> createWithoutSize(const NodeSpec &spec,
                                                    const NumericConfig &config,
                                                    KernelFactory create,
                                                    size_t size);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_SIZEINPUT_H
