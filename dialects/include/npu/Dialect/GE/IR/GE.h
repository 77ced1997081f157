//===- GE.h - The ge dialect -----------------------------------*- C++ -*-===//

#ifndef NPU_DIALECT_GE_IR_GE_H
#define NPU_DIALECT_GE_IR_GE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

#include "npu/Dialect/GE/IR/GEDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "npu/Dialect/GE/IR/GETypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "npu/Dialect/GE/IR/GEAttrs.h.inc"

#define GET_OP_CLASSES
#include "npu/Dialect/GE/IR/GEOps.h.inc"

namespace npu::ge {

/// Names of the module attributes that stand for a ModelDef.
constexpr llvm::StringLiteral ModelAttrName = "ge.model";
constexpr llvm::StringLiteral BareGraphAttrName = "ge.bare_graph";
/// Discardable attribute of a node: an array of strings, each a fact that was
/// inferred or assumed, and not read from the graph, to make it executable.
constexpr llvm::StringLiteral InferredAttrName = "ge.inferred";

/// \p value without the wrapping of graph text that says nothing about its
/// meaning: the number of a `dt`, the elements of a `list` without val_type, as
/// older releases print it. Other values are returned as they are; a `list`
/// without elements is an empty list of integers.
mlir::Attribute getPlainValue(mlir::Attribute value);

} // namespace npu::ge

#endif // NPU_DIALECT_GE_IR_GE_H
