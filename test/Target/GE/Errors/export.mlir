// Only what the importer could have made can be exported.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: not npu-translate --export-ge %t/dump.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: not npu-translate --export-ge %t/func.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: not npu-translate --export-ge %t/attr.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=ATTR
// RUN: not npu-translate --export-ge %t/graph-attr.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=GRAPH-ATTR
// RUN: not npu-translate --export-ge %t/type.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not npu-translate --export-ge %t/syntax.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not ls %t/out

//--- dump.mlir
ge.graph @g {
  %x, %c = ge.node "Data" "x"() -> tensor<2xf16>
  // DUMP: dump.mlir:5:3: error: 'instr.dump' has no form in graph text; expected only ge.node in the graph (remove instrumentation with npu-strip-instrumentation)
  // DUMP-NOT: {{.}}
  instr.dump "x" of %c : !ge.control outputs [0] (%x : tensor<2xf16>)
}

//--- func.mlir
ge.graph @g {
}
// FUNC: func.mlir:5:1: error: 'builtin.module' has no form in graph text; expected only ge.graph in the module
// FUNC-NOT: {{.}}
module {
}

//--- attr.mlir
ge.graph @g {
  // ATTR: attr.mlir:4:3: error: attribute 'k' has a value that graph text has no form for: 1 : i32
  // ATTR-NOT: {{.}}
  ge.node "Data" "x"() attrs {k = 1 : i32}
}

//--- graph-attr.mlir
// GRAPH-ATTR: graph-attr.mlir:3:1: error: attribute 'k' has a value that graph text has no form for: f64
// GRAPH-ATTR-NOT: {{.}}
ge.graph @g attrs {k = f64} {
}

//--- type.mlir
ge.graph @g {
  // TYPE: type.mlir:4:12: error: 'output_desc' has the type 'i32'; expected a tensor of a GE data type
  // TYPE-NOT: {{.}}
  %x, %c = ge.node "Data" "x"() -> i32
}

//--- syntax.mlir
ge.graph @g {
  // SYNTAX: syntax.mlir:4:10: error: expected attribute value
  // SYNTAX-NOT: {{.}}
  ge.node Data
}
