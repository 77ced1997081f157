//===- MemberTypes.h - What members of a fused node compute -----*- C++ -*-===//

#ifndef NPU_LIB_TRANSFORMS_MEMBERTYPES_H
#define NPU_LIB_TRANSFORMS_MEMBERTYPES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

/// Whether \p type is a tensor of int8.
bool isInteger8(mlir::Type type);

/// The type of what a member of a fused node gives, where the node has types
/// for its ends only: \p result is that of the end of the chain. A member that
/// an 8-bit one follows gives fp16, a product of 8-bit integers int32. Null
/// when the layout of such a tensor is not known.
mlir::Type inferMemberType(llvm::StringRef memberType,
                           llvm::ArrayRef<mlir::Type> operands,
                           mlir::Type result, bool isLast);

} // namespace npu

#endif // NPU_LIB_TRANSFORMS_MEMBERTYPES_H
