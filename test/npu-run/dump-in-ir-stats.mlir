// An instr.dump with data stats writes statistics, also without any option, and
// also of a member of a fused node; the other nodes' dumps stay tensors.
// RUN: rm -rf %t && mkdir %t
// RUN: npu-run %s --init=random:1 --enable-dump --dump-path=%t
// RUN: find %t -name "*.csv" | sed 's/.*\///' | sort | FileCheck %s
// RUN: find %t -name "Abs.*" | FileCheck %s --check-prefix=TENSOR
// RUN: cat %t/*/0/g/1/0/Neg.neg.*.csv | FileCheck %s --check-prefix=ROW
// CHECK: Neg.fused_inner.
// CHECK-NEXT: Neg.neg.{{.*}}csv
// CHECK-NOT: csv
// TENSOR: Abs.abs.
// ROW: Output,0,8,DT_FLOAT16,ND,4,{{.*}},4,0,0,0
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %n, %n_ctl = ge.node "Neg" "neg"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  instr.dump "neg" of %n_ctl : !ge.control outputs [0] (%n : tensor<4xf16>) data stats
  %a, %a_ctl = ge.node "Abs" "abs"(%n) : (tensor<4xf16>) -> tensor<4xf16>
  instr.dump "abs" of %a_ctl : !ge.control outputs [0] (%a : tensor<4xf16>)
  %0:2 = ge.node "Neg" "fused"(%a) : (tensor<4xf16>) -> tensor<4xf16> {
  ^bb0(%b: tensor<4xf16>):
    %m, %m_ctl = ge.node "Neg" "inner"(%b) : (tensor<4xf16>) -> tensor<4xf16>
    instr.dump "inner" of %m_ctl : !ge.control outputs [0] (%m : tensor<4xf16>) data stats
    ge.yield %m : tensor<4xf16>
  }
}
