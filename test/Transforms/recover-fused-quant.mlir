// Chains with quantisation: types between the members, what the node kept, what
// its inputs tell and what is assumed.

// RUN: npu-opt %s --ge-recover-fused="assume-quant=20,-128" | FileCheck %s
// RUN: not npu-opt %s --ge-recover-fused 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not npu-opt %s --ge-recover-fused="assume-quant=0,1" 2>&1 | FileCheck %s --check-prefix=SYNTAX

// NONE: nothing tells scale, offset of its member AscendQuant; expected a stage file from before fusion
// SYNTAX: assume-quant is '0,1'; expected SCALE,OFFSET, two numbers

#x8 = #ge.layout<NC1HWC0 of NCHW [1, 40, 8, 8]>
#w8 = #ge.layout<FRACTAL_Z of NCHW [40, 40, 3, 3]>
#v = #ge.layout<NCHW of NCHW [40]>
#s = #ge.layout<NC1HWC0 of NCHW [40]>
#y = #ge.layout<NC1HWC0 of NCHW [1, 40, 8, 8]>

ge.graph @g {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x3x8x8x16xf16, #y>
  %q, %q_ctl = node "AscendQuant" "q"(%x)
    attrs {offset = 7.0 : f32, scale = 3.0 : f32}
    : (tensor<1x3x8x8x16xf16, #y>) -> tensor<1x2x8x8x32xi8, #x8>
  %w, %w_ctl = node "Const" "w"() -> tensor<18x3x16x32xi8, #w8>
  %b, %b_ctl = node "Const" "b"() -> tensor<40xi32, #v>
  %s, %s_ctl = node "Const" "s"() -> tensor<1x3x1x1x16xf16, #s>

  // The input was quantised with an offset of 7: so the padding has 7.
  // CHECK: node "Conv2D" "cdarq"
  // CHECK-SAME: offset_x = 7: from the quantisation of the input
  // CHECK-SAME: relu_flag = false: assumed
  // CHECK-SAME: scale = 20, offset = -128: assumed
  // CHECK: node "Conv2D" "cdarq/0_Conv2D"
  // CHECK-SAME: offset_x = 7 : i64
  // CHECK-SAME: -> tensor<1x3x8x8x16xi32, #[[L:.+]]>
  // CHECK: node "AscendDequant"
  // CHECK-SAME: relu_flag = false, sqrt_mode = true
  // CHECK-SAME: -> tensor<1x3x8x8x16xf16, #[[L]]>
  // CHECK: node "Add"
  // CHECK: %[[R:.+]], %{{.*}} = node "Relu"
  // CHECK: %[[Q:.+]], %{{.*}} = node "AscendQuant"
  // CHECK-SAME: offset = -1.280000e+02 : f32, scale = 2.000000e+01 : f32, sqrt_mode = false
  // CHECK-SAME: -> tensor<1x2x8x8x32xi8, #[[L]]>
  // CHECK: yield %[[R]], %[[Q]]
  %f:2, %f_ctl = node "Conv2D" "cdarq"(%q, %w, %b, %s, %x)
    attrs {_kernelname = "te_fused_op_conv2d_ascend_dequant_add_relu_ascend_quant_0123456789abcdef__kernel0",
           dequant_sqrt_mode = true, quant_sqrt_mode = false}
    : (tensor<1x2x8x8x32xi8, #x8>, tensor<18x3x16x32xi8, #w8>, tensor<40xi32, #v>, tensor<1x3x1x1x16xf16, #s>, tensor<1x3x8x8x16xf16, #y>)
    -> (tensor<1x3x8x8x16xf16, #y>, tensor<1x2x8x8x32xi8, #x8>)

  // A fused node tells its offset as well.
  // CHECK: offset_x = -128: from the quantisation of the input
  // CHECK: node "Conv2D" "cd/0_Conv2D"
  // CHECK-SAME: offset_x = -128 : i64
  %d, %d_ctl = node "Conv2D" "cd"(%f#1, %w, %b, %s)
    attrs {_kernelname = "te_fused_op_conv2d_ascend_dequant_0123456789abcdef__kernel0"}
    : (tensor<1x2x8x8x32xi8, #x8>, tensor<18x3x16x32xi8, #w8>, tensor<40xi32, #v>, tensor<1x3x1x1x16xf16, #s>)
    -> tensor<1x3x8x8x16xf16, #y>
}
