// Where a kernel lacks facts the message says which.

// RUN: %python %S/Inputs/exits-with.py 3 npu-run %s --init=random:1 2>&1 | FileCheck %s
// CHECK: error: {{.*}}facts.mlir:[[#]]: Aipp 'a': no kernel for operator type 'Aipp': what it does is in the function 'aipp' among its attributes, which kernels do not read
// CHECK-NEXT: error: {{.*}}facts.mlir:[[#]]: BnHost 'b': no kernel for operator type 'BnHost': a host runs it before a graph is built, and what its output mu holds is in no public document
// CHECK-NEXT: error: {{.*}}facts.mlir:[[#]]: FrameworkOp 'c': no kernel for operator type 'FrameworkOp': a kernel of the framework computes it, of which the graph has no more than original_type and node_def
// CHECK-NEXT: error: 3 nodes cannot be computed; outputs can be given with --fallback NAME=FILE.npy
// CHECK-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xui8>
  %s, %s_ctl = ge.node "Data" "s"() -> tensor<4xf32>
  %a, %a_ctl = ge.node "Aipp" "a"(%x) : (tensor<4xui8>) -> tensor<4xf16>
  %b:3, %b_ctl = ge.node "BnHost" "b"(%s, %s, %s) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %c, %c_ctl = ge.node "FrameworkOp" "c"(%a) attrs {original_type = "Py"} : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%c, %b#0) : (tensor<4xf16>, tensor<4xf32>)
}
