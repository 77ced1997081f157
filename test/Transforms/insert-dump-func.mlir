// Operations of other dialects: the name is that of the location, what has a
// tensor type can be dumped, the first result stands for the execution.

// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="mode=all" --verify-diagnostics | FileCheck %s
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="layer=type:arith.*f" | FileCheck %s --check-prefix=TYPE

// TYPE-COUNT-1: instr.dump
// TYPE-NOT: instr.dump

// expected-warning@+1 {{not dumped: 1 operation(s) without a name, which is that of a location, loc("name")}}
module {

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[T:.*]]: tensor<2xf32>, %[[I:.*]]: index)
func.func @f(%t: tensor<2xf32>, %i: index) -> tensor<2xf32> {
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK-NEXT: instr.dump "layer1/sum" of %[[SUM]] : tensor<2xf32> inputs [0, 1](%[[T]], %[[T]] : tensor<2xf32>, tensor<2xf32>) outputs [0](%[[SUM]] : tensor<2xf32>)
  %0 = arith.addf %t, %t : tensor<2xf32> loc("layer1/sum"("model.py":1:2))

  // Indices are those of the operands and results, token a result of any type.
  // CHECK: %[[MIXED:.*]]:2 = "test.mixed"
  // CHECK-NEXT: instr.dump "mixed" of %[[MIXED]]#0 : index inputs [1](%[[SUM]] : tensor<2xf32>) outputs [1](%[[MIXED]]#1 : tensor<*xf32>)
  %1:2 = "test.mixed"(%i, %0) : (index, tensor<2xf32>) -> (index, tensor<*xf32>) loc("mixed")

  // CHECK: "test.sink"
  // CHECK-NEXT: instr.dump "sink" inputs [0](%[[SUM]] : tensor<2xf32>)
  "test.sink"(%0) : (tensor<2xf32>) -> () loc("sink")

  // CHECK: "test.region"
  "test.region"() ({
    // CHECK: "test.inner"
    // CHECK-NEXT: instr.dump "inner"
    // CHECK-NEXT: "test.yield"
    %2 = "test.inner"() : () -> tensor<2xf32> loc("inner")
    "test.yield"(%2) : (tensor<2xf32>) -> () loc("yield")
  }) : () -> () loc("region")

  // CHECK: "test.scalar"
  // CHECK-NEXT: "test.unnamed"
  // CHECK-NEXT: return
  %3 = "test.scalar"() : () -> f32 loc("scalar")
  %4 = "test.unnamed"() : () -> tensor<2xf32>
  return %0 : tensor<2xf32> loc("return")
}

}
