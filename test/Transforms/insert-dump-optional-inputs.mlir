// As on the device, inputs are counted without those that are not connected,
// and control inputs are none.

// RUN: npu-opt %s --npu-insert-dump="mode=input" | FileCheck %s
// RUN: npu-opt %s --npu-insert-dump="layer=op:in1" | FileCheck %s --check-prefix=IN1

// CHECK: instr.dump "op" of %op_ctl : !ge.control inputs [0, 1](%a, %b : tensor<2xf16>, tensor<3xf16>)
// IN1: instr.dump "op" of %op_ctl : !ge.control inputs [1](%b : tensor<3xf16>)
ge.graph @g {
  %a, %a_ctl = ge.node "Const" "a"() -> tensor<2xf16>
  %b, %b_ctl = ge.node "Const" "b"() -> tensor<3xf16>
  %0:2 = ge.node "Op" "op"(%a, _, %b)[%a_ctl, %b_ctl] : (tensor<2xf16>, tensor<3xf16>) -> tensor<2xf16>
}
