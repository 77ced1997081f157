//===- SecondMoments.h - Tensors without negative numbers -------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_SECONDMOMENTS_H
#define NPU_LIB_EXECUTION_SECONDMOMENTS_H

#include "mlir/IR/Value.h"

namespace npu {

/// Whether an operator reads \p value, or a transfer or conversion of it, as a
/// variance or as the average of squared gradients: it takes the root of that.
bool isSecondMoment(mlir::Value value);

} // namespace npu

#endif // NPU_LIB_EXECUTION_SECONDMOMENTS_H
