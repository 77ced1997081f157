//===- DroppedInputs.h - Kernels that do not see some inputs ----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_DROPPEDINPUTS_H
#define NPU_LIB_KERNELS_DROPPEDINPUTS_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The kernel that \p create makes of \p spec without \p count inputs from
/// number \p first on: of an operator whose sizes or axes are inputs as of the
/// one that has them as attributes. Fails when one of them is not there or does
/// not hold integers.
Expected<std::unique_ptr<Kernel>>
createWithoutInputs(const NodeSpec &spec, const NumericConfig &config,
                    KernelFactory create, size_t first, size_t count = 1);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_DROPPEDINPUTS_H
