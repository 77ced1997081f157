// Stripping gives back what was there before the insertion.

// RUN: npu-opt %s --mlir-print-debuginfo -o %t.plain
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-dump="mode=all" --npu-insert-dump="data=stats" --npu-strip-instrumentation | diff %t.plain -
// RUN: npu-opt %s --mlir-print-debuginfo --npu-strip-instrumentation | diff %t.plain -
// RUN: npu-opt %s --pass-pipeline='builtin.module(npu-insert-dump,func.func(npu-strip-instrumentation))' | FileCheck %s

// CHECK: instr.dump "r"
// CHECK-NOT: instr.dump
module {
  ge.graph @g {
    %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
    %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<2xf16>) -> tensor<2xf16>
  }
  func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
    %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
    return %0 : tensor<2xf32>
  }
}
