// Inputs of the graph are dumped with what takes them; alone only here, not on
// an NPU.

// RUN: npu-opt %s --npu-insert-dump="layer=conv1" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: npu-opt %s --npu-insert-dump="layer='x conv1'" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: npu-opt %s --npu-insert-dump="layer='x conv1' mode=all" 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: npu-opt %s --npu-insert-dump="layer=x" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: npu-opt %s --npu-insert-dump="layer=conv1 mode=input" 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: npu-opt %s --npu-insert-dump="layer=conv1:out0" 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: npu-opt %s --npu-insert-dump 2>&1 | FileCheck %s --check-prefix=DEFAULT

// BOTH-NOT: remark
// BOTH: instr.dump "x" of %x_ctl : !ge.control outputs [0](%x : tensor<2xf16>)
// BOTH: instr.dump "conv1"
// BOTH-NOT: instr.dump

// ALL-NOT: remark
// ALL: instr.dump "x" of %x_ctl : !ge.control outputs [0](%x : tensor<2xf16>)
// ALL: instr.dump "conv1" of %conv1_ctl : !ge.control inputs [0, 1](%x, %w :
// ALL-NOT: instr.dump

// ALONE: remark: dumps what an NPU would not: 'x'{{$}}
// ALONE: instr.dump "x"
// ALONE-NOT: instr.dump

// INPUT-NOT: instr.dump
// INPUT: instr.dump "conv1" of %conv1_ctl : !ge.control inputs [0, 1]
// INPUT-NOT: instr.dump

// OPERAND-NOT: instr.dump
// OPERAND: instr.dump "conv1"
// OPERAND-NOT: instr.dump

// DEFAULT: instr.dump "x"
// DEFAULT: instr.dump "conv1"
// DEFAULT: instr.dump "r"
// DEFAULT-NOT: instr.dump
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %unused, %unused_ctl = ge.node "Data" "unused"() -> tensor<2xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %c, %c_ctl = ge.node "Conv2D" "conv1"(%x, %w) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%c) : (tensor<2xf16>) -> tensor<2xf16>
}
