//===- InstrOps.td - The instr dialect ---------------------*- tablegen -*-===//

#ifndef NPU_DIALECT_INSTR_IR_INSTROPS_TD
#define NPU_DIALECT_INSTR_IR_INSTROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Instr_Dialect : Dialect {
  let name = "instr";
  let cppNamespace = "::npu::instr";
  let summary = "Instrumentation of any dialect";
  let description = [{
    Sinks that ask whoever executes the IR for evidence: they take values and
    give none, so that they change no use, no type and no existing operation,
    and removing them gives back what was there before. The dialect knows no
    other dialect; operations tell through `InstrumentableOpInterface` what can
    be observed of them.
  }];
}

class Instr_Op<string mnemonic, list<Trait> traits = []>
    : Op<Instr_Dialect, mnemonic, traits>;

def Instr_DumpData : I32EnumAttr<"DumpData", "What a dump keeps of a tensor", [
    I32EnumAttrCase<"Tensor", 0, "tensor">,
    I32EnumAttrCase<"Stats", 1, "stats">]> {
  let cppNamespace = "::npu::instr";
}

/// The effect of instrumentation: evidence written outside of the program.
def Instr_Evidence : Resource<"::npu::instr::EvidenceResource">;

def Instr_DumpOp : Instr_Op<"dump", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<Instr_Evidence>]>]> {
  let summary = "Write inputs and outputs of an operation to its dump file";
  let description = [{
    `of` is a value that stands for the execution of the operation (its control
    token, or its first result); it is absent for an operation without results.
    `input_indices` and `output_indices` number the operands and results of the
    operation. `step` has the form of `dump_step` ("0|3-5|10"); without it
    every iteration is dumped.

    ```mlir
    instr.dump "conv1" of %conv1_ctl : !ge.control
      inputs [0] (%x : tensor<1x3xf16>) outputs [0] (%y : tensor<1x3xf16>)
      step "0|3-5"
    ```
  }];
  let arguments = (ins
    StrAttr:$subject,
    Optional<AnyType>:$token,
    Variadic<AnyType>:$inputs,
    Variadic<AnyType>:$outputs,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$input_indices,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_indices,
    OptionalAttr<StrAttr>:$step,
    DefaultValuedAttr<Instr_DumpData, "::npu::instr::DumpData::Tensor">:$data);
  let assemblyFormat = [{
    $subject (`of` $token^ `:` type($token))?
    (`inputs` $input_indices `(` $inputs^ `:` type($inputs) `)`)?
    (`outputs` $output_indices `(` $outputs^ `:` type($outputs) `)`)?
    (`step` $step^)? (`data` $data^)? attr-dict
  }];
  let hasVerifier = 1;
}

/// The numbers are sets of bits: checks of one operation add up.
def Instr_OverflowUnits : I32EnumAttr<"OverflowUnits",
    "The units of the NPU whose overflows are recorded", [
    I32EnumAttrCase<"AicoreOverflow", 1, "aicore_overflow">,
    I32EnumAttrCase<"AtomicOverflow", 2, "atomic_overflow">,
    I32EnumAttrCase<"All", 3, "all">]> {
  let cppNamespace = "::npu::instr";
}

def Instr_OverflowCheckOp : Instr_Op<"overflow_check",
    [MemoryEffects<[MemWrite<Instr_Evidence>]>]> {
  let summary = "Record an overflow of an operation";
  let description = [{
    `of` is a value that stands for the execution of the operation: overflow is
    a fact about how it ran, not about its results, which in saturation mode are
    finite. When the operation raises a status bit of one of `units`, whoever
    executes the IR writes an OpDebug record and the operation's inputs and
    outputs. `step` has the form of `dump_step`.

    ```mlir
    instr.overflow_check "conv1" of %conv1_ctl : !ge.control units all
    ```
  }];
  let arguments = (ins
    StrAttr:$subject,
    AnyType:$token,
    DefaultValuedAttr<Instr_OverflowUnits,
                      "::npu::instr::OverflowUnits::All">:$units,
    OptionalAttr<StrAttr>:$step);
  let assemblyFormat = [{
    $subject `of` $token `:` type($token) (`units` $units^)? (`step` $step^)?
    attr-dict
  }];
}

#endif // NPU_DIALECT_INSTR_IR_INSTROPS_TD
