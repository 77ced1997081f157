// Constants survive bytecode and, in it, canonicalization and CSE.
//
// RUN: npu-opt %s --emit-bytecode -o %t.mlirbc
// RUN: npu-opt %t.mlirbc --canonicalize --cse --emit-bytecode -o %t.again.mlirbc
// RUN: npu-opt %t.again.mlirbc | FileCheck %s
// RUN: npu-opt --emit-bytecode < %t.mlirbc | npu-opt | FileCheck %s

// CHECK: attrs {value = #ge.value<t, {data = dense_resource<weights> : tensor<8xi8>, desc = #{{.*}}}>}
// CHECK: attrs {list = #ge.value<list, {t = [{data = dense_resource<more> : tensor<2xi8>}]}>}
// CHECK: dialect_resources
// CHECK-DAG: weights: "0x100000000001020304050607"
// CHECK-DAG: more: "0x10000000FEFF"
ge.graph @g {
  ge.node "Const" "w"() attrs {value = #ge.value<t, {data = dense_resource<weights> : tensor<8xi8>, desc = #ge.desc<tensor<8xi8>, {}>}>}
  ge.node "Any" "n"() attrs {list = #ge.value<list, {t = [{data = dense_resource<more> : tensor<2xi8>}]}>}
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x100000000001020304050607",
      more: "0x10000000FEFF"
    }
  }
#-}
