//===- DenormalFlush.h - Denormal fp16 values become zero ------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_DENORMALFLUSH_H
#define NPU_LIB_EXECUTION_DENORMALFLUSH_H

#include "npu/Kernels/Kernel.h"

namespace npu {

/// Makes the denormal elements of an fp16 tensor zeros of the same sign;
/// whether there were any. Other types are left alone.
bool flushDenormals(const TensorDesc &desc, std::byte *data);

/// A kernel whose fp16 results are flushed; it reports that as an underflow.
std::unique_ptr<kernels::Kernel>
makeFlushingKernel(std::unique_ptr<kernels::Kernel> kernel);

} // namespace npu

#endif // NPU_LIB_EXECUTION_DENORMALFLUSH_H
