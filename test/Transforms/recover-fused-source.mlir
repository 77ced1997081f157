// Attributes of members are read from the stage before fusion where it has
// them; what is read is not listed as inferred.

// RUN: split-file %s %t
// RUN: npu-opt %t/build.mlir --ge-recover-fused=fusion-source=%t/stage.mlir | FileCheck %s

// A stage of another network is named; what it lacks is inferred.
// RUN: npu-opt %t/build.mlir --ge-recover-fused=fusion-source=%t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: build.mlir:{{.*}}warning: the stage before fusion has no member of a fused node of 'g'; expected one of the same network
// OTHER: ge.inferred

// CHECK: node "Conv2D" "convact"
// CHECK-NOT: ge.inferred
// CHECK: node "Conv2D" "conv"
// CHECK-SAME: pads = array<i64: 0, 2, 0, 2>
// CHECK: node "LeakyRelu" "act"
// CHECK-SAME: negative_slope = 1.000000e-01

//--- stage.mlir
ge.graph @g {
  %c, %c_ctl = node "Conv2D" "conv"() attrs {pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 1, 1, 1>, _private = 1 : i64} -> tensor<1x16x8x8xf16>
  %a, %a_ctl = node "LeakyRelu" "act"() attrs {negative_slope = 0.1 : f32} -> tensor<1x16x8x8xf16>
}

//--- other.mlir
ge.graph @g {
  %c, %c_ctl = node "Conv2D" "conv_of_another"() -> tensor<1x16x8x8xf16>
}

//--- build.mlir
#x = #ge.layout<NC1HWC0 of NCHW [1, 3, 8, 8]>
#w = #ge.layout<FRACTAL_Z of NCHW [16, 3, 3, 3]>
#y = #ge.layout<NC1HWC0 of NCHW [1, 16, 8, 8]>
ge.graph @g {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x1x8x8x16xf16, #x>
  %w, %w_ctl = node "Const" "w"() -> tensor<9x1x16x16xf16, #w>
  %y, %y_ctl = node "Conv2D" "convact"(%x, %w)
    attrs {_datadump_original_op_names = ["conv", "act"],
           _kernelname = "te_fused_op_conv2d_leaky_relu_0123456789abcdef_1__kernel0"}
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>) -> tensor<1x1x8x8x16xf16, #y>
}
