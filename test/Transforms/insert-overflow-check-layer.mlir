// A selection by name, by the name of what was fused, by type; one that checks
// more than an NPU is remarked.

// RUN: npu-opt %s --npu-insert-overflow-check="layer=add*" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: npu-opt %s --npu-insert-overflow-check="layer=relu1" 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: npu-opt %s --npu-insert-overflow-check="layer=re:conv\d" 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: npu-opt %s --npu-insert-overflow-check="layer='type:Add type:Const' report" 2>&1 | FileCheck %s --check-prefix=TYPE

// NAME-NOT: remark
// NAME-NOT: instr.
// NAME: instr.overflow_check "add1"
// NAME: instr.overflow_check "add2"
// NAME-NOT: instr.

// ALIAS-NOT: remark
// ALIAS-NOT: instr.
// ALIAS: instr.overflow_check "conv1_relu1"
// ALIAS-NOT: instr.

// TYPE: remark: checks what an NPU would not: 'w'{{$}}
// TYPE: remark: inserted 3 overflow check(s) for 3 selected operation(s)
// TYPE: instr.overflow_check "w"
// TYPE: instr.overflow_check "add1"
// TYPE: instr.overflow_check "add2"
// TYPE-NOT: instr.
ge.graph @g {
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %0:2 = ge.node "Conv2D" "conv1_relu1"(%w) attrs {_datadump_original_op_names = ["conv1", "relu1"]} : (tensor<2xf16>) -> tensor<2xf16>
  %1:2 = ge.node "Add" "add1"(%0#0, %w) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %2:2 = ge.node "Add" "add2"(%1#0, %w) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
}
