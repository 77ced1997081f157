// Without the lines of the dumps the text is what it was: nothing that exists
// changes. Selecting nothing changes nothing at all.

// RUN: npu-opt %s --mlir-print-debuginfo -o %t.plain
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-dump="mode=all" -o %t.dumped
// RUN: grep -c instr.dump %t.dumped | FileCheck %s
// RUN: grep -v instr.dump %t.dumped | diff %t.plain -
// RUN: npu-opt %s --mlir-print-debuginfo --npu-insert-dump="layer=none" | diff %t.plain -

// CHECK: {{^}}4{{$}}
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
