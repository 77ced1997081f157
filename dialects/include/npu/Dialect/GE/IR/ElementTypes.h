//===- ElementTypes.h - GE data type names and MLIR types ------*- C++ -*-===//

#ifndef NPU_DIALECT_GE_IR_ELEMENTTYPES_H
#define NPU_DIALECT_GE_IR_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

namespace npu::ge {

/// The element type for the protobuf name ("DT_FLOAT16") of a data type. An
/// empty name is DT_UNDEFINED; a name that MLIR has no type for gives
/// !ge.dtype.
mlir::Type getElementType(mlir::MLIRContext *context, llvm::StringRef name);

/// Inverse of getElementType; empty for a type that no data type has.
llvm::StringRef getDataTypeName(mlir::Type elementType);

} // namespace npu::ge

#endif // NPU_DIALECT_GE_IR_ELEMENTTYPES_H
