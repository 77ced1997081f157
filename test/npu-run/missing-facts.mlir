// Where a kernel lacks facts the message says which.

// RUN: %python %S/Inputs/exits-with.py 3 npu-run %s --init=random:1 2>&1 | FileCheck %s
// CHECK: error: {{.*}}facts.mlir:[[#]]: FrameworkOp 'c': no kernel for operator type 'FrameworkOp': a kernel of the framework computes it, of which the graph has no more than original_type and node_def
// CHECK-NEXT: error: 1 node cannot be computed; outputs can be given with --fallback NAME=FILE.npy
// CHECK-NOT: {{.}}
ge.graph @g {
  %s, %s_ctl = ge.node "Data" "s"() -> tensor<4xf32>
  %c, %c_ctl = ge.node "FrameworkOp" "c"(%s) attrs {original_type = "Py"} : (tensor<4xf32>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%c) : (tensor<4xf16>)
}
