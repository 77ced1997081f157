// What is not as the operator catalogue has it is a warning with the node.

// RUN: npu-opt %s --ge-verify-catalog -split-input-file -verify-diagnostics -o /dev/null

ge.graph @right {
  %x, %x_ctl = node "Data" "x"() attrs {index = 0 : i64} -> tensor<1x3x8x8xf16>
  %w, %w_ctl = node "Const" "w"() -> tensor<4x3x3x3xf16>
  // The optional bias and offset_w are not there; dilations have a default.
  %y, %y_ctl = node "Conv2D" "conv"(%x, %w)
    attrs {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1, 1, 1>,
           made_by_the_compiler = "x"}
    : (tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>) -> tensor<1x4x8x8xf16>
  // An int is read as a float, and as a bool.
  %z, %z_ctl = node "AscendQuant" "quant"(%y)
    attrs {scale = 2 : i64, offset = -3.0 : f32, sqrt_mode = 0 : i64}
    : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xi8>
}

// -----

ge.graph @attributes {
  %x, %x_ctl = node "Data" "x"() -> tensor<1x3x8x8xf16>
  %w, %w_ctl = node "Const" "w"() -> tensor<4x3x3x3xf16>
  // expected-warning @+2 {{Conv2D 'conv' lacks the attribute 'pads' (list int)}}
  // expected-warning @+1 {{Conv2D 'conv': attribute 'strides' is "SAME"; expected list int}}
  %y, %y_ctl = node "Conv2D" "conv"(%x, %w) attrs {strides = "SAME"}
    : (tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>) -> tensor<1x4x8x8xf16>
}

// -----

ge.graph @inputs {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // expected-warning @+1 {{Add 'sum' has 1 inputs; expected (x1, x2)}}
  %y, %y_ctl = node "Add" "sum"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  // expected-warning @+1 {{Relu 'two' has 2 outputs; expected (y)}}
  %z:2, %z_ctl = node "Relu" "two"(%x)
    : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
  // expected-warning @+1 {{Mul 'half': input 0 ('x1') is not connected}}
  %m, %m_ctl = node "Mul" "half"(_, %x) : (tensor<4xf16>) -> tensor<4xf16>
}

// -----

ge.graph @unknown {
  // expected-remark @+1 {{operator type 'Frobnicate' is not in the catalogue}}
  %x, %x_ctl = node "Frobnicate" "a"() -> tensor<4xf16>
  %y, %y_ctl = node "Frobnicate" "b"() -> tensor<4xf16>
}

// -----

ge.graph @fused {
  %x, %x_ctl = node "Data" "x"() -> tensor<4xf16>
  // Made of several operators, so it has no attributes.
  %y, %y_ctl = node "Muls" "m"(%x, %x)
    attrs {_kernelname = "te_fused_op_mul_add_0123456789abcdef__kernel0"}
    : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
}
