//===- Passes.td - Passes of this project ------------------*- tablegen -*-===//

#ifndef NPU_TRANSFORMS_PASSES_TD
#define NPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertDump : Pass<"npu-insert-dump"> {
  let summary = "Ask for dumps of operations";
  let description = [{
    Puts an `instr.dump` after every selected operation inside of the operation
    that the pass runs on: a `ge.graph`, a function, a module, or a container
    of any other dialect. No existing operation, type or use changes, and what
    is asked for already is not asked for again.

    `layer` is a list of patterns with spaces between them:

    | pattern | selects |
    |---|---|
    | `conv1` | the operation with this name, or the one made of an operation with this name |
    | `layer1/*` | names by wildcards: `*` is any text, `?` any character |
    | `re:layer\d/.+`, `name-regex(layer\d/.+)` | names that match a regular expression as a whole |
    | `type:MatMul` | operator types, with wildcards as well |
    | `conv1:in1+out0` | with any of these in front: only these operands and results, whatever `mode` is |

    Regular expressions are extended POSIX ones that also know `\d`, `\w`, `\s`
    and their opposites. Without `layer` everything is selected that an NPU
    dumps. An input of the graph (a `Data` node) is dumped along with each
    operation that takes it and has its outputs dumped; naming it also selects
    it, which an NPU does not do, as a remark says. A pattern that selects
    nothing is a warning.

    Operations inside of an operation with `InstrumentableOpInterface`, like the
    members of a fused node, explain that operation and are left alone unless
    `members` is set. Operations without the interface have the name of their
    location (`loc("name")`); without one they cannot be dumped.
  }];
  let dependentDialects = ["::npu::instr::InstrDialect"];
  let options = [
    Option<"layer", "layer", "std::string", /*default=*/"",
           "What to dump, patterns with spaces between them">,
    Option<"mode", "mode", "::npu::DumpMode",
           /*default=*/"::npu::DumpMode::Output",
           "The side of the operations to dump", [{::llvm::cl::values(
             clEnumValN(::npu::DumpMode::Input, "input", "Operands"),
             clEnumValN(::npu::DumpMode::Output, "output", "Results"),
             clEnumValN(::npu::DumpMode::All, "all", "Operands and results"))}]>,
    Option<"step", "step", "std::string", /*default=*/"",
           "The iterations to dump, like 0|3-5|10; all if empty">,
    Option<"data", "data", "::npu::instr::DumpData",
           /*default=*/"::npu::instr::DumpData::Tensor",
           "What to keep of a tensor", [{::llvm::cl::values(
             clEnumValN(::npu::instr::DumpData::Tensor, "tensor", "Its bytes"),
             clEnumValN(::npu::instr::DumpData::Stats, "stats",
                        "Its statistics"))}]>,
    Option<"members", "members", "bool", /*default=*/"false",
           "Select among the members of fused nodes as well">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Report in a remark how much was instrumented">,
  ];
}

def InsertOverflowCheck : Pass<"npu-insert-overflow-check"> {
  let summary = "Ask for records of overflows of operations";
  let description = [{
    Puts an `instr.overflow_check` after every selected operation inside of the
    operation that the pass runs on. No existing operation, type or use changes,
    and of what is asked for already only the units that are missing are added.

    `layer` has the patterns of `npu-insert-dump`, but a pattern with operands
    is an error: an overflow is one of a whole operation. Without `layer`
    everything is selected that computes, that is takes and gives tensors, of
    what an NPU dumps. A fused node is checked as one.
  }];
  let dependentDialects = ["::npu::instr::InstrDialect"];
  let options = [
    Option<"layer", "layer", "std::string", /*default=*/"",
           "What to check, patterns with spaces between them">,
    Option<"mode", "mode", "::npu::instr::OverflowUnits",
           /*default=*/"::npu::instr::OverflowUnits::All",
           "The units whose overflows are recorded", [{::llvm::cl::values(
             clEnumValN(::npu::instr::OverflowUnits::AicoreOverflow,
                        "aicore_overflow", "Computing units"),
             clEnumValN(::npu::instr::OverflowUnits::AtomicOverflow,
                        "atomic_overflow", "Atomic additions in memory"),
             clEnumValN(::npu::instr::OverflowUnits::All, "all", "Both"))}]>,
    Option<"step", "step", "std::string", /*default=*/"",
           "The iterations to check, like 0|3-5|10; all if empty">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Report in a remark how much was instrumented">,
  ];
}

def StripInstrumentation : Pass<"npu-strip-instrumentation"> {
  let summary = "Remove all instrumentation";
  let description = [{
    Removes every operation of the `instr` dialect. After an insertion this
    gives back what was there before.
  }];
}

def RecoverFused : Pass<"ge-recover-fused", "::mlir::ModuleOp"> {
  let summary = "Give fused nodes the region with their members";
  let description = [{
    A node that the compiler made by fusing operators has the type of the first
    one and has lost its attributes. This pass gives it a region with the
    members: which they are its kernel name spells (`te_fused_op_conv2d_relu_`
    and a hash); their attributes are read from an earlier stage of the same
    graph (`fusion-source`) where it has the node, and inferred from shapes
    otherwise. Inferred facts are listed in the attribute `ge.inferred` of the
    node. What stays ambiguous is an error that names the node and the missing
    facts.

    Scale and offset of a quantisation are told by nothing but an earlier stage.
    `assume-quant` gives all those that are not found the same ones, and lists
    each as assumed.
  }];
  let options = [
    Option<"fusionSource", "fusion-source", "std::string", /*default=*/"",
           "MLIR file with an earlier stage of the graph, from before fusion">,
    Option<"assumeQuant", "assume-quant", "std::string", /*default=*/"",
           "SCALE,OFFSET of quantisations whose own nothing tells">,
  ];
  let dependentDialects = ["::npu::ge::GEDialect"];
}

def VerifyCatalog : Pass<"ge-verify-catalog"> {
  let summary = "Hold nodes against the operator catalogue";
  let description = [{
    Warns of nodes that are not as the operator catalogue (docs/Operators.md)
    has their type: more or less inputs or outputs, an input that is not
    connected and not optional, a required attribute that is absent, and an
    attribute of another kind.

    They are warnings since a graph may be right where the catalogue is not: it
    grows with each release. Attributes that the catalogue does not have are
    left alone, as compilers add dozens of their own. Nodes that were made by
    fusing operators have no attributes; of these the members are looked at, once
    `ge-recover-fused` has found them. What numbers there are for flags and
    floats, as in texts that were JSON or ONNX once, is taken as such.

    A type that the catalogue does not have is named in a remark, once.
  }];
}

#endif // NPU_TRANSFORMS_PASSES_TD
