//===- InferAttributes.h - Attributes that shapes tell ---------*- C++ -*-===//

#ifndef NPU_LIB_TRANSFORMS_INFERATTRIBUTES_H
#define NPU_LIB_TRANSFORMS_INFERATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace npu {

/// Attributes of a member found out, how, and if it failed, what is missing.
struct InferredAttributes {
  llvm::SmallVector<mlir::NamedAttribute> attrs;
  llvm::SmallVector<std::string> facts;
  std::string missing; ///< not empty: could not be inferred
};

/// Infers the attributes that an operator of type \p type needs from the types
/// of its inputs (null for one that is absent) and its result: strides, pads,
/// dilations and groups of convolutions, transposition of matrix products, the
/// stride of ReadSelect. An operator that needs none has none.
InferredAttributes inferAttributes(llvm::StringRef type,
                                   llvm::ArrayRef<mlir::Type> inputs,
                                   mlir::Type result);

} // namespace npu

#endif // NPU_LIB_TRANSFORMS_INFERATTRIBUTES_H
