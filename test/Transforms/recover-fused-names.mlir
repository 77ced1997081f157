// Where a text lacks the names of kernels, as ge_onnx does, a node is fused whose
// name is that of several nodes of the stage before fusion, one after the other.

// RUN: split-file %s %t
// RUN: npu-opt %t/build.mlir --ge-recover-fused=fusion-source=%t/stage.mlir | FileCheck %s
// RUN: npu-opt %t/build.mlir --ge-recover-fused | FileCheck %s --check-prefix=WITHOUT

// The longest name that leads to the end is taken.
// CHECK: node "Conv2D" "convconv2act"
// CHECK-NOT: ge.inferred
// CHECK: node "Conv2D" "convconv2"
// CHECK-SAME: pads = array<i64: 0, 2, 0, 2>
// CHECK: node "LeakyRelu" "act"
// CHECK-SAME: negative_slope = 1.000000e-01

// Names that are no node's, and nodes of the stage itself, are left alone.
// CHECK: node "Conv2D" "convother"
// CHECK-NOT: node "Relu"
// CHECK: node "Conv2D" "conv"
// CHECK-NOT: yield
// CHECK: node "Relu" "convact"

// WITHOUT-NOT: yield

//--- stage.mlir
ge.graph @g {
  %b, %b_ctl = node "Conv2D" "convconv2"() attrs {pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 1, 1, 1>} -> tensor<1x16x8x8xf16>
  %c, %c_ctl = node "Conv2D" "conv"() -> tensor<1x16x8x8xf16>
  %a, %a_ctl = node "LeakyRelu" "act"() attrs {negative_slope = 0.1 : f32} -> tensor<1x16x8x8xf16>
}

//--- build.mlir
#x = #ge.layout<NC1HWC0 of NCHW [1, 3, 8, 8]>
#w = #ge.layout<FRACTAL_Z of NCHW [16, 3, 3, 3]>
#y = #ge.layout<NC1HWC0 of NCHW [1, 16, 8, 8]>
ge.graph @g {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x1x8x8x16xf16, #x>
  %w, %w_ctl = node "Const" "w"() -> tensor<9x1x16x16xf16, #w>
  %y, %y_ctl = node "Conv2D" "convconv2act"(%x, %w)
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>) -> tensor<1x1x8x8x16xf16, #y>
  %o, %o_ctl = node "Conv2D" "convother"(%x, %w)
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>) -> tensor<1x1x8x8x16xf16, #y>
  %s, %s_ctl = node "Conv2D" "conv"(%x, %w)
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>) -> tensor<1x1x8x8x16xf16, #y>
  %r, %r_ctl = node "Relu" "convact"(%s)
    : (tensor<1x1x8x8x16xf16, #y>) -> tensor<1x1x8x8x16xf16, #y>
}
