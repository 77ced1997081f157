// What cannot be recovered is an error that names the node and what is missing.

// RUN: npu-opt %s --ge-recover-fused -split-input-file -verify-diagnostics

ge.graph @unknown_operator {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // expected-error @+1 {{cannot recover the members of the fused Abs 'a': no known operator at 'frobnicate_0123456789abcdef__kernel0' in its kernel name}}
  %y, %y_ctl = node "Abs" "a"(%x)
    attrs {_kernelname = "te_fused_op_abs_frobnicate_0123456789abcdef__kernel0"}
    : (tensor<4xf16>) -> tensor<4xf16>
}

// -----

ge.graph @ambiguous_operands {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  %a, %a_ctl = node "Data" "a"() -> tensor<4xf16>
  %b, %b_ctl = node "Data" "b"() -> tensor<4xf16>
  // expected-error @+1 {{cannot recover the members of the fused Mul 'm': its kernel name does not tell which member takes which of its inputs; expected a stage file from before fusion}}
  %y, %y_ctl = node "Mul" "m"(%x, %a, %b)
    attrs {_kernelname = "te_fused_op_mul_add_0123456789abcdef__kernel0"}
    : (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
}

// -----

ge.graph @unknowable_attribute {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // expected-error @+1 {{nothing tells scale, offset of its member AscendQuant; expected a stage file from before fusion}}
  %y, %y_ctl = node "Relu" "q"(%x)
    attrs {_kernelname = "te_fused_op_relu_ascend_quant_0123456789abcdef__kernel0"}
    : (tensor<4xf16>) -> tensor<4xi8>
}

// -----

#x = #ge.layout<NHWC of NHWC [1, 4, 4, 16]>
#w = #ge.layout<HWCN of HWCN [3, 3, 16, 16]>
#y = #ge.layout<NHWC of NHWC [1, 2, 2, 16]>
ge.graph @ambiguous_padding {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x4x4x16xf16, #x>
  %w, %w_ctl = node "Const" "w"() -> tensor<3x3x16x16xf16, #w>
  // VALID with stride 1, or SAME with stride 2 or 3.
  // expected-error @+1 {{nothing tells strides and pads (H 4 of the input, 3 of the filter and 2 of the output fit 3 ways) of its member Conv2D}}
  %y, %y_ctl = node "Conv2D" "c"(%x, %w)
    attrs {_kernelname = "te_fused_op_conv2d_relu_0123456789abcdef__kernel0"}
    : (tensor<1x4x4x16xf16, #x>, tensor<3x3x16x16xf16, #w>) -> tensor<1x2x2x16xf16, #y>
}

// -----

ge.graph @too_many_inputs {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // expected-error @+1 {{it has 2 inputs, which leaves 2 for Abs; expected 1 to 1}}
  %y, %y_ctl = node "Abs" "a"(%x, %x)
    attrs {_kernelname = "te_fused_op_abs_relu_0123456789abcdef__kernel0"}
    : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
}

// -----

ge.graph @too_many_outputs {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // expected-error @+1 {{cannot recover the members of the fused Abs 'a': it has 2 outputs; expected 1}}
  %y:2, %y_ctl = node "Abs" "a"(%x)
    attrs {_kernelname = "te_fused_op_abs_relu_0123456789abcdef__kernel0"}
    : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
}

// -----

ge.graph @too_few_outputs {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x4x4x16xf16>
  // expected-error @+1 {{it has 1 outputs; expected 2, or 3 with what BNTrainingReduce takes}}
  %y, %y_ctl = node "Abs" "a"(%x)
    attrs {_kernelname = "te_fused_op_abs_bn_training_reduce_0123456789abcdef__kernel0"}
    : (tensor<1x4x4x16xf16>) -> tensor<16xf32>
}
