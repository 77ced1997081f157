// Checks and dumps do not disturb each other: the order of the passes has no
// effect, and each still knows what it inserted before. The first result of a
// function's operation stands for its execution and is dumped elsewhere, too.

// RUN: npu-opt %s --npu-insert-dump="mode=all" --npu-insert-overflow-check -o %t.both
// RUN: FileCheck %s --input-file=%t.both
// RUN: npu-opt %s --npu-insert-overflow-check --npu-insert-dump="mode=all" | diff %t.both -
// RUN: npu-opt %s --npu-insert-overflow-check --npu-insert-dump="mode=all" --npu-insert-overflow-check --npu-insert-dump="mode=all" | diff %t.both -

// CHECK: instr.overflow_check "relu"
// CHECK-NEXT: instr.dump "relu"
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: instr.overflow_check "sum"
// CHECK-NEXT: instr.dump "sum"
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: instr.overflow_check "product"
// CHECK-NEXT: instr.dump "product" {{.*}} inputs [0, 1](%[[SUM]], %[[SUM]]
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %0:2 = ge.node "Relu" "relu"(%x) : (tensor<2xf16>) -> tensor<2xf16>
}

func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
  %1 = arith.mulf %0, %0 : tensor<2xf32> loc("product")
  return %1 : tensor<2xf32>
}
