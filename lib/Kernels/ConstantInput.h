//===- ConstantInput.h - Inputs that a factory reads ------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CONSTANTINPUT_H
#define NPU_LIB_KERNELS_CONSTANTINPUT_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The elements of input \p index, of int32 or int64, called \p name in
/// messages. Fails when it is no constant: shapes are settled before a run.
Expected<std::vector<int64_t>>
readConstantInput(const NodeSpec &spec, size_t index, const std::string &name);

/// The same from the attribute \p name where \p isAttribute.
Expected<std::vector<int64_t>> readIntegers(const NodeSpec &spec,
                                            bool isAttribute, size_t index,
                                            const std::string &name);

/// Whether a reduction over \p axes is none: ReduceMean over no axes, unless
/// `noop_with_empty_axes` is false and it runs over all, as other reductions
/// do.
Expected<bool> keepsAllAxes(const NodeSpec &spec,
                            const std::vector<int64_t> &axes);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_CONSTANTINPUT_H
