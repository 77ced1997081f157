// What is checked already is not checked again; only units that are missing
// are added.

// RUN: npu-opt %s --npu-insert-overflow-check -o %t.once
// RUN: npu-opt %s --npu-insert-overflow-check --npu-insert-overflow-check | diff %t.once -
// RUN: npu-opt %s --npu-insert-overflow-check --npu-insert-overflow-check="mode=aicore_overflow" --npu-insert-overflow-check="mode=atomic_overflow step=1" | diff %t.once -
// RUN: npu-opt %s --npu-insert-overflow-check="mode=aicore_overflow" --npu-insert-overflow-check | FileCheck %s --check-prefix=UNITS
// RUN: npu-opt %s --npu-insert-overflow-check="mode=aicore_overflow" --npu-insert-overflow-check="mode=atomic_overflow" | FileCheck %s --check-prefix=UNITS
// RUN: npu-opt %s --npu-insert-overflow-check="mode=aicore_overflow" --npu-insert-overflow-check="mode=atomic_overflow" --npu-insert-overflow-check | FileCheck %s --check-prefix=UNITS
// RUN: npu-opt %s --npu-insert-overflow-check="step=1" --npu-insert-overflow-check="mode=aicore_overflow" | FileCheck %s --check-prefix=STEP

// UNITS: instr.overflow_check "add" of %add_ctl : !ge.control units aicore_overflow{{$}}
// UNITS-NEXT: instr.overflow_check "add" of %add_ctl : !ge.control units atomic_overflow{{$}}
// UNITS-NOT: instr.

// Some iterations are not every iteration.
// STEP: instr.overflow_check "add" of %add_ctl : !ge.control step "1"{{$}}
// STEP-NEXT: instr.overflow_check "add" of %add_ctl : !ge.control units aicore_overflow{{$}}
// STEP-NOT: instr.
ge.graph @g {
  %a, %a_ctl = ge.node "Data" "a"() -> tensor<2xf16>
  %0:2 = ge.node "Add" "add"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
}
