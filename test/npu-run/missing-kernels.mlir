// Without a dump everything that cannot be computed is listed before anything
// runs; the run is incomplete.

// RUN: %python %S/Inputs/exits-with.py 3 npu-run %s --init=random:1 2>&1 | FileCheck %s
// CHECK: error: {{.*}}kernels.mlir:[[#]]: Mystery 'a': no kernel for operator type 'Mystery'
// CHECK-NEXT: error: {{.*}}kernels.mlir:[[#]]: Riddle 'b': no kernel for operator type 'Riddle'
// CHECK-NEXT: error: 2 nodes cannot be computed; outputs can be given with --fallback NAME=FILE.npy
// CHECK-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %a, %a_ctl = ge.node "Mystery" "a"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %b, %b_ctl = ge.node "Riddle" "b"(%a) : (tensor<4xf16>) -> tensor<4xf16>
  %c, %c_ctl = ge.node "Relu" "c"(%b) : (tensor<4xf16>) -> tensor<4xf16>
}
