// A cycle has no order of execution.

// RUN: not npu-run %s 2>&1 | FileCheck %s
// CHECK: error: graph 'g' has a cycle through op 'a'; expected an order of execution
// CHECK-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %a, %a_ctl = ge.node "Add" "a"(%x, %b) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %b, %b_ctl = ge.node "Relu" "b"(%a) : (tensor<4xf16>) -> tensor<4xf16>
}
