// The forms of the selection list.

// RUN: npu-opt %s --npu-insert-dump="layer=layer1/MatMul" | grep instr.dump | FileCheck %s --check-prefix=EXACT
// RUN: npu-opt %s --npu-insert-dump="layer=layer1/*" | grep instr.dump | FileCheck %s --check-prefix=LAYER1
// RUN: npu-opt %s --npu-insert-dump="layer=re:layer1\d?/MatMul" | grep instr.dump | FileCheck %s --check-prefix=MATMULS
// RUN: npu-opt %s --npu-insert-dump="layer=type:Add" | grep instr.dump | FileCheck %s --check-prefix=ADD
// RUN: npu-opt %s --npu-insert-dump="layer=layer1/MatMul:in1+out0 mode=all" | grep instr.dump | FileCheck %s --check-prefix=OPERANDS
// RUN: npu-opt %s --npu-insert-dump="layer=layer1/MatMul:in1 mode=output" | grep instr.dump | FileCheck %s --check-prefix=IN1
// RUN: npu-opt %s --npu-insert-dump="layer=name-regex(layer1/.+)" | grep instr.dump | FileCheck %s --check-prefix=LAYER1
// RUN: npu-opt %s --npu-insert-dump="layer='layer1/Add layer1/MatMul'" | grep instr.dump | FileCheck %s --check-prefix=LAYER1
// RUN: npu-opt %s --npu-insert-dump="layer='layer1/MatMul:in1 layer1/MatMul'" | grep instr.dump | FileCheck %s --check-prefix=OPERANDS

// EXACT: instr.dump "layer1/MatMul"
// EXACT-NOT: instr.dump
// LAYER1: instr.dump "layer1/MatMul"
// LAYER1-NEXT: instr.dump "layer1/Add"
// LAYER1-NOT: instr.dump
// MATMULS: instr.dump "layer1/MatMul"
// MATMULS-NEXT: instr.dump "layer10/MatMul"
// MATMULS-NOT: instr.dump
// ADD: instr.dump "layer1/Add"
// ADD-NOT: instr.dump
// OPERANDS: instr.dump "layer1/MatMul" of %{{.*}} : !ge.control inputs [1](%b : tensor<2x2xf16>) outputs [0](%{{.*}} : tensor<2x2xf16>)
// OPERANDS-NOT: instr.dump
// IN1: instr.dump "layer1/MatMul" of %{{.*}} : !ge.control inputs [1](%b : tensor<2x2xf16>){{$}}
// IN1-NOT: instr.dump
ge.graph @g {
  %a, %a_ctl = ge.node "Const" "a"() -> tensor<2x2xf16>
  %b, %b_ctl = ge.node "Const" "b"() -> tensor<2x2xf16>
  %0:2 = ge.node "MatMul" "layer1/MatMul"(%a, %b) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %1:2 = ge.node "MatMul" "layer10/MatMul"(%0#0, %b) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %2:2 = ge.node "Add" "layer1/Add"(%1#0, %b) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
}
