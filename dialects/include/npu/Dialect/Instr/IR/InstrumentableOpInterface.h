//===- InstrumentableOpInterface.h -----------------------------*- C++ -*-===//

#ifndef NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_H
#define NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace npu::instr {

/// An operand or result that can be dumped, with the index it has in selections
/// and dump files.
struct IndexedValue {
  int64_t index;
  mlir::Value value;
};

namespace detail {
/// The name of the operation's location, or "" without one.
std::string getDefaultName(mlir::Operation *op);
/// The operands and results with a tensor type.
llvm::SmallVector<IndexedValue> getDefaultOperands(mlir::Operation *op);
llvm::SmallVector<IndexedValue> getDefaultResults(mlir::Operation *op);
} // namespace detail

} // namespace npu::instr

#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h.inc"

#endif // NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_H
