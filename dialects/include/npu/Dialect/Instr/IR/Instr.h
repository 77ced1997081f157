//===- Instr.h - The instr dialect -----------------------------*- C++ -*-===//

#ifndef NPU_DIALECT_INSTR_IR_INSTR_H
#define NPU_DIALECT_INSTR_IR_INSTR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "npu/Dialect/Instr/IR/InstrDialect.h.inc"
#include "npu/Dialect/Instr/IR/InstrEnums.h.inc"

namespace npu::instr {
/// What instrumentation writes to: evidence outside of the program.
struct EvidenceResource
    : public mlir::SideEffects::Resource::Base<EvidenceResource> {
  llvm::StringRef getName() final { return "instr.evidence"; }
};
} // namespace npu::instr

#define GET_OP_CLASSES
#include "npu/Dialect/Instr/IR/InstrOps.h.inc"

#endif // NPU_DIALECT_INSTR_IR_INSTR_H
