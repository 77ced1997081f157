// Nothing that an NPU would run is removed: neither nodes without users, nor
// equal ones, nor pairs of casts, which round.
//
// RUN: npu-opt %s --canonicalize --cse --symbol-dce -o %t.mlir
// RUN: npu-opt %s | diff - %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK: node "Data" "x"
// CHECK: node "Relu" "unused"
// CHECK: node "Relu" "equal"
// CHECK: node "Cast" "down"
// CHECK: node "Cast" "up"
// CHECK: node "NetOutput" "out"
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"(_) attrs {index = 0 : i64} -> tensor<2xf32>
  %u, %u_ctl = ge.node "Relu" "unused"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %e, %e_ctl = ge.node "Relu" "equal"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %h, %h_ctl = ge.node "Cast" "down"(%x) attrs {dst_type = 1 : i64} : (tensor<2xf32>) -> tensor<2xf16>
  %f, %f_ctl = ge.node "Cast" "up"(%h) attrs {dst_type = 0 : i64} : (tensor<2xf16>) -> tensor<2xf32>
  %o, %o_ctl = ge.node "NetOutput" "out"(%f) : (tensor<2xf32>) -> tensor<2xf32>
}
