// The sides of a dump, its iterations and what it keeps.

// RUN: npu-opt %s --npu-insert-dump="mode=input" | FileCheck %s --check-prefix=INPUT
// RUN: npu-opt %s --npu-insert-dump="mode=output" | FileCheck %s --check-prefix=OUTPUT
// RUN: npu-opt %s --npu-insert-dump="mode=all" | FileCheck %s --check-prefix=ALL
// RUN: npu-opt %s --npu-insert-dump="step=0|3-5 data=stats" | FileCheck %s --check-prefix=STEP
// RUN: not npu-opt %s --npu-insert-dump="mode=both" 2>&1 | FileCheck %s --check-prefix=ERROR

// INPUT-NOT: instr.dump
// INPUT: instr.dump "r" of %r_ctl : !ge.control inputs [0](%w : tensor<2xf16>){{$}}
// INPUT-NOT: instr.dump
// OUTPUT-NOT: instr.dump
// OUTPUT: instr.dump "r" of %r_ctl : !ge.control outputs [0](%r : tensor<2xf16>){{$}}
// OUTPUT-NEXT: node "Iterator"
// OUTPUT-NEXT: instr.dump "it" of %it_ctl : !ge.control outputs [0](%it : tensor<2xf16>){{$}}
// OUTPUT-NOT: instr.dump
// ALL: instr.dump "r" of %r_ctl : !ge.control inputs [0](%w : tensor<2xf16>) outputs [0](%r : tensor<2xf16>){{$}}
// ALL: instr.dump "it" of %it_ctl : !ge.control outputs [0](%it : tensor<2xf16>){{$}}
// STEP: instr.dump "r" of %r_ctl : !ge.control outputs [0](%r : tensor<2xf16>) step "0|3-5" data stats{{$}}
// ERROR: both
ge.graph @g {
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %it, %it_ctl = ge.node "Iterator" "it"() -> tensor<2xf16>
}
