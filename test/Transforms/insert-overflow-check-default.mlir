// Without a selection what an NPU dumps and what computes is checked; a fused
// node as one.

// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-overflow-check --verify-diagnostics | FileCheck %s
// RUN: npu-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(ge.graph(npu-insert-overflow-check),func.func(npu-insert-overflow-check))' 2>/dev/null | FileCheck %s

// expected-warning@+1 {{not checked: 1 operation(s) without a name, which is that of a location, loc("name")}}
module {

// CHECK-LABEL: ge.graph @nodes
// CHECK-NOT: instr.
// CHECK: node "Conv2D" "fused"
// CHECK-NOT: instr.
// CHECK: yield
// CHECK-NEXT: }
// CHECK-NEXT: instr.overflow_check "fused" of %fused_ctl : !ge.control{{$}}
// CHECK-NEXT: node "Iterator"
// CHECK-NOT: instr.
ge.graph @nodes {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %0:2 = ge.node "Conv2D" "fused"(%x, %w) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16> {
  ^bb0(%a: tensor<2xf16>, %b: tensor<2xf16>):
    %c, %c_ctl = ge.node "Conv2D" "conv1"(%a, %b) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
    %r, %r_ctl = ge.node "Relu" "relu1"(%c) : (tensor<2xf16>) -> tensor<2xf16>
    ge.yield %r : tensor<2xf16>
  }
  %1:2 = ge.node "Iterator" "it"() -> tensor<2xf16>
  %2 = ge.node "Sink" "sink"(%0#0) : (tensor<2xf16>)
  %3:2 = ge.node "Reshape" "local"(%x) attrs {_ge_attr_op_kernel_lib_name = "DNN_VM_GE_LOCAL_OP_STORE"} : (tensor<2xf16>) -> tensor<2xf16>
  %4 = ge.node "NoOp" "nothing"()
  %5:2 = ge.node "NetOutput" "output"(%0#0) : (tensor<2xf16>) -> tensor<2xf16>
}

// CHECK-LABEL: func.func @operations
// CHECK: arith.constant
// CHECK-NEXT: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: instr.overflow_check "sum" of %[[SUM]] : tensor<2xf32>{{$}}
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: "test.sink"
// CHECK-NEXT: return
func.func @operations(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2xf32> loc("one")
  %1 = arith.addf %t, %0 : tensor<2xf32> loc("sum")
  %2 = arith.mulf %t, %1 : tensor<2xf32>
  "test.sink"(%2) : (tensor<2xf32>) -> () loc("sink")
  return %1 : tensor<2xf32> loc("return")
}

}
