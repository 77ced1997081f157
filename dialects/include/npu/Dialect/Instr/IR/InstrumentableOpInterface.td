//===- InstrumentableOpInterface.td ------------------------*- tablegen -*-===//

#ifndef NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_TD
#define NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def InstrumentableOpInterface : OpInterface<"InstrumentableOpInterface"> {
  let cppNamespace = "::npu::instr";
  let description = [{
    How the instrumentation passes see an operation. Operations without the
    interface use its defaults: every operation with tensor operands or results
    may be instrumented, its name is that of its location, and its operand and
    result numbers are the indices.
  }];
  let methods = [
    InterfaceMethod<"The name that selects the operation and names its dumps.",
      "std::string", "getInstrumentationName", (ins), "", [{
        return ::npu::instr::detail::getDefaultName($_op);
      }]>,
    InterfaceMethod<"Further names that a selection may use, such as those of the operators fused into this one.",
      "::llvm::SmallVector<std::string>", "getInstrumentationAliases", (ins),
      "", [{ return {}; }]>,
    InterfaceMethod<"The operator type that `type:` selects.",
      "std::string", "getInstrumentationType", (ins), "", [{
        return $_op->getName().getStringRef().str();
      }]>,
    InterfaceMethod<"Whether a run dumps the operation unless told otherwise. An operation that is not dumped by default can still be selected by name.",
      "bool", "isDumpedByDefault", (ins), "", [{ return true; }]>,
    InterfaceMethod<"Whether the results are dumped together with each operation that consumes them, as the inputs of a graph are.",
      "bool", "isDumpedWithConsumers", (ins), "", [{ return false; }]>,
    InterfaceMethod<"The operands that can be dumped, each with its index.",
      "::llvm::SmallVector<::npu::instr::IndexedValue>", "getDumpableOperands",
      (ins), "", [{
        return ::npu::instr::detail::getDefaultOperands($_op);
      }]>,
    InterfaceMethod<"The results that can be dumped, each with its index.",
      "::llvm::SmallVector<::npu::instr::IndexedValue>", "getDumpableResults",
      (ins), "", [{
        return ::npu::instr::detail::getDefaultResults($_op);
      }]>,
    InterfaceMethod<"The value that stands for the execution of the operation; null if there is none.",
      "::mlir::Value", "getExecutionToken", (ins), "", [{
        return $_op->getNumResults() ? ::mlir::Value($_op->getResult(0)) : ::mlir::Value();
      }]>,
  ];
}

#endif // NPU_DIALECT_INSTR_IR_INSTRUMENTABLEOPINTERFACE_TD
