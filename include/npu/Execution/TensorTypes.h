//===- TensorTypes.h - Tensor types and descriptors ------------*- C++ -*-===//

#ifndef NPU_EXECUTION_TENSORTYPES_H
#define NPU_EXECUTION_TENSORTYPES_H

#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"

#include "mlir/IR/Types.h"

namespace npu {

/// What the tensor type \p type says, unknown dimensions (-1) included. Fails for
/// a type that is no tensor of known rank, and for unknown names.
Expected<TensorDesc> readTensorDesc(mlir::Type type);

/// What the tensor type \p type says: element type, shape, format, and origin
/// format and shape (its own where the type gives none). Fails for a type whose
/// size is not known: unknown rank or dimensions, types without a fixed width.
Expected<TensorDesc> getTensorDesc(mlir::Type type);

} // namespace npu

#endif // NPU_EXECUTION_TENSORTYPES_H
