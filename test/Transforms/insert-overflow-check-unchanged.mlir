// Nothing that exists changes: without the lines of the checks the text is what
// it was, and stripping gives it back, with dumps between them as well.

// RUN: npu-opt %s --mlir-print-debuginfo -o %t.plain
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-overflow-check -o %t.checked
// RUN: grep -c instr.overflow_check %t.checked | FileCheck %s
// RUN: grep -v instr.overflow_check %t.checked | diff %t.plain -
// RUN: npu-opt %t.checked --mlir-print-debuginfo --npu-strip-instrumentation | diff %t.plain -
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-overflow-check --npu-insert-dump --npu-strip-instrumentation | diff %t.plain -
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-overflow-check="layer=none" | diff %t.plain -

// CHECK: {{^}}3{{$}}
module {
  ge.graph @g {
    %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
    %c, %c_ctl = ge.node "Conv2D" "conv1"(%x, _)[%r_ctl] id 7 stream 3 attrs {pads = array<i64: 1, 1>} : (tensor<2xf16>) -> tensor<2xf16>
    %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<2xf16>) -> tensor<2xf16>
  }
  func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
    %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
    return %0 : tensor<2xf32>
  }
}
