// A node cannot read more than its producer gives.

// RUN: not npu-run %s --init=random:1 2>&1 | FileCheck %s
// CHECK: error: {{.*}}larger-input.mlir:[[#]]: Add 'a': input 1 has 16 bytes (DT_FLOAT16 8 ND), but its producer gives 8
// CHECK-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %a, %a_ctl = ge.node "Add" "a"(%x, %x) in [#ge.desc<{}>, #ge.desc<tensor<8xf16>, {}>] : (tensor<4xf16>, tensor<4xf16>) -> tensor<8xf16>
}
