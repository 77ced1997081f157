// Bytecode with constants is read from a file of any size, from standard input
// and from a pipe. (The buffer of --verify-roundtrip is not aligned.)
//
// UNSUPPORTED: verify-roundtrip
// RUN: npu-opt %s --emit-bytecode -o %t.mlirbc
// RUN: npu-opt %t.mlirbc | FileCheck %s
// RUN: npu-opt < %t.mlirbc | FileCheck %s
// RUN: npu-opt %s --emit-bytecode | npu-opt - | FileCheck %s

// CHECK: x.y = dense_resource<w> : tensor<2xi8>
// CHECK: w: "0x400000000102"
module attributes {x.y = dense_resource<w> : tensor<2xi8>} {
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x400000000102"
    }
  }
#-}
