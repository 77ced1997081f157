//===- MatMul.h - Factories of the matrix products -------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_MATMUL_H
#define NPU_LIB_KERNELS_CUBE_MATMUL_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels::cube {

/// MatMul, MatMulV2, BatchMatMul, BatchMatMulV2 and their V3: inputs x1, x2,
/// bias?, offset_w?; matrices in ND, FRACTAL_NZ or FRACTAL_Z, leading
/// dimensions broadcast.
Expected<std::unique_ptr<Kernel>> createMatMul(const NodeSpec &spec,
                                               const NumericConfig &config);

/// FullyConnection: inputs x, w, b?, offset_w?.
Expected<std::unique_ptr<Kernel>>
createFullyConnection(const NodeSpec &spec, const NumericConfig &config);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_MATMUL_H
