// The same for a node whose attributes make no sense.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: %python %S/Inputs/exits-with.py 3 npu-run %s --init=random:1 --enable-dump --dump-path=%t/dump 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %python %S/Inputs/list-payloads.py %t/dump --incomplete | FileCheck %s

// ERROR: error: {{.*}}axis.mlir:[[#]]: ReduceSumD 'op3': {{.*}}axis 7 is not one of a tensor of 2 dimensions
// ERROR-NOT: {{.}}
// CHECK: 0 Abs op2 output 0 DT_FLOAT16 [[OP2:[0-9a-f]+]]
// CHECK: 0 ReduceSumD op3 input 0 DT_FLOAT16 [[OP2]]
// CHECK: 0 Relu op1 output 0
// CHECK: reason: stopped at {{.*}}'op3': {{.*}}axis 7
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2x4xf16>
  %v1, %ctl1 = ge.node "Relu" "op1"(%x) : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %v2, %ctl2 = ge.node "Abs" "op2"(%v1) : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %v3, %ctl3 = ge.node "ReduceSumD" "op3"(%v2) attrs {axes = array<i64: 7>} : (tensor<2x4xf16>) -> tensor<2xf16>
  %v4, %ctl4 = ge.node "Relu" "op4"(%v3) : (tensor<2xf16>) -> tensor<2xf16>
  %out_ctl = ge.node "NetOutput" "out"(%v4) : (tensor<2xf16>)
}
