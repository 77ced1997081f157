// A pattern that selects nothing that can be checked is named.

// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-overflow-check="layer='none type:None sink sum'" --verify-diagnostics | FileCheck %s

// CHECK-NOT: instr.
// CHECK: instr.overflow_check "sum"
// CHECK-NOT: instr.

// expected-warning@+3 {{'none' selects no operation}}
// expected-warning@+2 {{'type:None' selects no operation}}
// expected-warning@+1 {{'sink' selects no operation with a result, which stands for its execution}}
module {
  func.func @f(%t: tensor<2xf32>) {
    %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
    "test.sink"(%0) : (tensor<2xf32>) -> () loc("sink")
    return
  }
}
