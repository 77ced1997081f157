//===- BlockedImages.h - Kernels of NC1HWC0 on other images -----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_BLOCKEDIMAGES_H
#define NPU_LIB_KERNELS_BLOCKEDIMAGES_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The kernel that \p create, which knows NC1HWC0 alone, makes of \p spec. In a
/// stage of the graph from before formats are chosen its images are NCHW or
/// NHWC, or are ND and their axes those of the attribute data_format: they are
/// packed into blocks before it runs, and its result is unpacked. A node
/// without such images is left as it is.
Expected<std::unique_ptr<Kernel>>
createOnBlockedImages(const NodeSpec &spec, const NumericConfig &config,
                      KernelFactory create);

/// The same as a factory.
template <KernelFactory Create>
Expected<std::unique_ptr<Kernel>>
createOnBlockedImages(const NodeSpec &spec, const NumericConfig &config) {
  return createOnBlockedImages(spec, config, Create);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_BLOCKEDIMAGES_H
