// The units and the iterations of a check.

// RUN: npu-opt %s --npu-insert-overflow-check="mode=all" | FileCheck %s --check-prefix=ALL
// RUN: npu-opt %s --npu-insert-overflow-check="mode=aicore_overflow" | FileCheck %s --check-prefix=AICORE
// RUN: npu-opt %s --npu-insert-overflow-check="mode=atomic_overflow step=0|3-5" | FileCheck %s --check-prefix=ATOMIC
// RUN: not npu-opt %s --npu-insert-overflow-check="mode=both" 2>&1 | FileCheck %s --check-prefix=ERROR

// ALL: instr.overflow_check "r" of %r_ctl : !ge.control{{$}}
// AICORE: instr.overflow_check "r" of %r_ctl : !ge.control units aicore_overflow{{$}}
// ATOMIC: instr.overflow_check "r" of %r_ctl : !ge.control units atomic_overflow step "0|3-5"{{$}}
// ERROR: both
ge.graph @g {
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%w) : (tensor<2xf16>) -> tensor<2xf16>
}
