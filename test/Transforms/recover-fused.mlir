// The members of fused nodes: which they are the kernel name spells, their
// attributes come from the shapes.

// RUN: npu-opt %s --ge-recover-fused | FileCheck %s
// RUN: npu-opt %s --ge-recover-fused --ge-recover-fused | FileCheck %s

#x = #ge.layout<NC1HWC0 of NCHW [1, 3, 8, 8]>
#w = #ge.layout<FRACTAL_Z of NCHW [16, 3, 3, 3]>
#b = #ge.layout<ND>
#y = #ge.layout<NC1HWC0 of NCHW [1, 16, 4, 4]>
#y8 = #ge.layout<NC1HWC0 of NCHW [1, 16, 8, 8]>
#w1 = #ge.layout<FRACTAL_Z of NCHW [16, 16, 1, 1]>

// CHECK-LABEL: ge.graph @symmetric_padding
ge.graph @symmetric_padding {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x1x8x8x16xf16, #x>
  %w, %w_ctl = node "Const" "w"() -> tensor<9x1x16x16xf16, #w>
  %b, %b_ctl = node "Const" "b"() -> tensor<16xf16, #b>
  // CHECK: node "Conv2D" "convrelu"
  // CHECK-SAME: ge.inferred = [
  // CHECK-SAME: "conv (Conv2D): strides = [2, 2], pads = [1, 1, 1, 1], groups = 1: from the shapes, with symmetric padding since the filter is NCHW"
  // CHECK-SAME: "conv (Conv2D): dilations = [1, 1]: assumed"
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<1x1x8x8x16xf16, #{{.*}}>, %[[W:.*]]: tensor<9x1x16x16xf16, #{{.*}}>, %[[B:.*]]: tensor<16xf16, #{{.*}}>):
  // CHECK-NEXT: %[[CONV:.*]], %{{.*}} = node "Conv2D" "conv"(%[[X]], %[[W]], %[[B]])
  // CHECK-SAME: data_format = "NCHW"
  // CHECK-SAME: groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1, 2, 2>
  // CHECK-NEXT: %[[RELU:.*]], %{{.*}} = node "Relu" "relu"(%[[CONV]]) id 1
  // CHECK-NEXT: yield %[[RELU]]
  %y, %y_ctl = node "Conv2D" "convrelu"(%x, %w, %b)
    attrs {_datadump_original_op_names = ["relu", "conv"],
           _kernelname = "te_fused_op_conv2d_relu_0123456789abcdef_1__kernel0"}
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>, tensor<16xf16, #b>)
    -> tensor<1x1x4x4x16xf16, #y>
}

// A strided read at the head prepares the operand of the addition.
// CHECK-LABEL: ge.graph @read_select
ge.graph @read_select {
  %a, %a_ctl = node "Data" "a"() -> tensor<1x1x8x8x16xf16, #y8>
  %x, %x_ctl = node "Data" "x"() -> tensor<1x1x4x4x16xf16, #y>
  %w, %w_ctl = node "Const" "w"() -> tensor<1x1x16x16xf16, #w1>
  %b, %b_ctl = node "Const" "b"() -> tensor<16xf16, #b>
  // CHECK: ^bb0(%[[A:.*]]: tensor<1x1x8x8x16xf16, #{{.*}}>, %[[X:.*]]: tensor<1x1x4x4x16xf16, #{{.*}}>, %[[W:.*]]: tensor<1x1x16x16xf16, #{{.*}}>, %[[B:.*]]: tensor<16xf16, #{{.*}}>):
  // CHECK-NEXT: %[[READ:.*]], %{{.*}} = node "ReadSelect" {{.*}}(%[[A]]) attrs {stride_list = array<i64: 1, 1, 2, 2, 1>}
  // CHECK-NEXT: %[[CONV:.*]], %{{.*}} = node "Conv2D" {{.*}}(%[[X]], %[[W]], %[[B]])
  // CHECK-NEXT: %[[SUM:.*]], %{{.*}} = node "Eltwise" {{.*}}(%[[CONV]], %[[READ]]) {{.*}}mode = 1 : i64
  // CHECK-NEXT: %[[RELU:.*]], %{{.*}} = node "LeakyRelu" {{.*}}(%[[SUM]]) {{.*}}negative_slope = 0.000000e+00 : f32
  // CHECK-NEXT: yield %[[RELU]]
  %y, %y_ctl = node "ReadSelect" "r"(%a, %x, %w, %b)
    attrs {r_kernelname = "te_fused_op_read_select_conv2d_eltwise_leaky_relu_0123456789abcdef__kernel0"}
    : (tensor<1x1x8x8x16xf16, #y8>, tensor<1x1x4x4x16xf16, #y>,
       tensor<1x1x16x16xf16, #w1>, tensor<16xf16, #b>)
    -> tensor<1x1x4x4x16xf16, #y>
}

// Two multiplications and an addition do not simply follow each other.
// CHECK-LABEL: ge.graph @idiom
ge.graph @idiom {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  %f1, %f1_ctl = node "Const" "f1"() -> tensor<f16>
  %f2, %f2_ctl = node "Const" "f2"() -> tensor<f16>
  // CHECK: "members compute f1*x + f2*abs(x): inputs 0 and 2 are the same tensor"
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<4xf16>, %[[F1:.*]]: tensor<f16>, %[[X2:.*]]: tensor<4xf16>, %[[F2:.*]]: tensor<f16>):
  // CHECK-NEXT: %[[ABS:.*]], %{{.*}} = node "Abs" {{.*}}(%[[X]])
  // CHECK-NEXT: %[[MUL:.*]], %{{.*}} = node "Mul" {{.*}}(%[[F1]], %[[X2]])
  // CHECK-NEXT: %[[MUL1:.*]], %{{.*}} = node "Mul" {{.*}}(%[[F2]], %[[ABS]])
  // CHECK-NEXT: %[[ADD:.*]], %{{.*}} = node "Add" {{.*}}(%[[MUL]], %[[MUL1]])
  // CHECK-NEXT: yield %[[ADD]]
  %y, %y_ctl = node "Abs" "lrelu"(%x, %f1, %x, %f2)
    attrs {_kernelname = "te_fused_op_abs_mul_mul_add_0123456789abcdef_1__kernel0"}
    : (tensor<4xf16>, tensor<f16>, tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
}

// A node shows what a reduction at its end takes, and which outputs are added up
// in memory.
// CHECK-LABEL: ge.graph @conv_and_sums
ge.graph @conv_and_sums {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x1x8x8x16xf16, #x>
  %w, %w_ctl = node "Const" "w"() -> tensor<9x1x16x16xf16, #w>
  // CHECK: node "Conv2D" "convsums"
  // CHECK: %[[CONV:.*]], %{{.*}} = node "Conv2D" "conv"(
  // CHECK-NOT: tbe_op_atomic_output_index
  // CHECK: %[[SUMS:.*]]:2, %{{.*}} = node "BNTrainingReduce" "sums"(%[[CONV]])
  // CHECK-SAME: tbe_op_atomic_output_index = array<i64: 1, 1>
  // CHECK-SAME: -> (tensor<16xf32>, tensor<16xf32>)
  // CHECK-NEXT: yield %[[CONV]], %[[SUMS]]#0, %[[SUMS]]#1
  %y:3, %y_ctl = node "Conv2D" "convsums"(%x, %w)
    attrs {_datadump_original_op_names = ["conv", "sums"],
           _kernelname = "te_fused_op_conv2d_bn_training_reduce_0123456789abcdef_1__kernel0",
           tbe_op_atomic_output_index = array<i64: 0, 1, 1>}
    : (tensor<1x1x8x8x16xf16, #x>, tensor<9x1x16x16xf16, #w>)
    -> (tensor<1x1x4x4x16xf16, #y>, tensor<16xf32>, tensor<16xf32>)
}
