// Round trip of the operations, every part of their syntax.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt --mlir-print-op-generic %s | npu-opt | FileCheck %s
// RUN: npu-opt --emit-bytecode %s | npu-opt | FileCheck %s

// CHECK: module attributes {ge.model = {version = 2 : i64}}
module attributes {ge.model = {version = 2 : i64}} {

// CHECK-LABEL: ge.graph @empty {
// CHECK-NEXT: }
ge.graph @empty {
}

// CHECK-LABEL: ge.graph @parts named "the/parts" attrs {k = 1 : i64} fields {output = ["n:0"]} attributes {other.note = "x"} {
ge.graph @parts named "the/parts" attrs {k = 1 : i64} fields {output = ["n:0"]} attributes {other.note = "x"} {
  // CHECK-NEXT: %[[X:.*]], %[[XC:.*]] = node "Data" "x"() -> tensor<4xf16>
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  // CHECK-NEXT: %{{.*}} = node "NoOp" "no op"()
  %c = ge.node "NoOp" "no op"()
  // CHECK-NEXT: %[[S:.*]]:2, %{{.*}} = node "Split" "s"(%[[X]], _, %[[X]], _)[%[[XC]], %{{.*}}] id -3 stream 7 attrs {axis = 0 : i64}
  // CHECK-SAME: in [#{{.*}}, #{{.*}}, #{{.*}}] out [#{{.*}}, #{{.*}}] calls [@empty, "absent"] fields {input_i = array<i64: 0>}
  // CHECK-SAME: attributes {other.note}
  // CHECK-SAME: : (tensor<4xf16>, tensor<4xf16>) -> (tensor<2xf16>, tensor<*x!ge.dtype<"DT_STRING">>)
  %s:2, %s_ctl = ge.node "Split" "s"(%x, _, %x, _)[%x_ctl, %c] id -3 stream 7 attrs {axis = 0 : i64}
    in [#ge.desc<{}>, #ge.desc<tensor<1xf16>, {}>, #ge.desc<tensor<2x2xf16>, {size = 64 : i64}>]
    out [#ge.desc<{}>, #ge.desc<{layout = "ND"}>] calls [@empty, "absent"] fields {input_i = array<i64: 0>}
    attributes {other.note}
    : (tensor<4xf16>, tensor<4xf16>) -> (tensor<2xf16>, tensor<*x!ge.dtype<"DT_STRING">>)
  // Only unconnected anchors.
  // CHECK-NEXT: node "Data" "open"(_, _)
  ge.node "Data" "open"(_, _)
}

// Order has no meaning, and cycles are no error.
// CHECK-LABEL: ge.graph @cycle
ge.graph @cycle {
  // CHECK-NEXT: %[[A:.*]], %[[AC:.*]] = node "Merge" "a"(%[[B:.*]])[%[[AC]]]
  // CHECK-NEXT: %[[B]], %{{.*}} = node "NextIteration" "b"(%[[A]])
  %a, %a_ctl = ge.node "Merge" "a"(%b)[%a_ctl] : (tensor<1xf32>) -> tensor<1xf32>
  %b, %b_ctl = ge.node "NextIteration" "b"(%a) : (tensor<1xf32>) -> tensor<1xf32>
}

// CHECK-LABEL: ge.graph @fused
ge.graph @fused {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  // CHECK: node "Conv2D" "conv_relu"(%{{.*}}) : (tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NEXT: ^bb0(%[[ARG:.*]]: tensor<4xf16>):
  // CHECK-NEXT: %[[CONV:.*]], %{{.*}} = {{(ge.)?}}node "Conv2D" "conv"(%[[ARG]])
  // CHECK-NEXT: %[[RELU:.*]], %{{.*}} = {{(ge.)?}}node "Relu" "relu"(%[[CONV]])
  // CHECK-NEXT: yield %[[RELU]] : tensor<4xf16>
  %y, %y_ctl = ge.node "Conv2D" "conv_relu"(%x) : (tensor<4xf16>) -> tensor<4xf16> {
  ^bb0(%arg: tensor<4xf16>):
    %conv, %conv_ctl = ge.node "Conv2D" "conv"(%arg) : (tensor<4xf16>) -> tensor<4xf16>
    %relu, %relu_ctl = ge.node "Relu" "relu"(%conv) : (tensor<4xf16>) -> tensor<4xf16>
    ge.yield %relu : tensor<4xf16>
  }
  // CHECK: node "NoOp" "nothing"() {
  // CHECK-NEXT: yield
  %z_ctl = ge.node "NoOp" "nothing"() {
    ge.yield
  }
}
}
