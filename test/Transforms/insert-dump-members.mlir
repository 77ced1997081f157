// Members of a fused node are dumped only when asked for.

// RUN: npu-opt %s --npu-insert-dump="layer='relu1 fused'" | FileCheck %s
// RUN: npu-opt %s --npu-insert-dump="layer=relu1 members" | FileCheck %s --check-prefix=MEMBERS
// RUN: npu-opt %s --npu-insert-dump="members" | FileCheck %s --check-prefix=EVERY
// RUN: npu-opt %s -o %t.plain
// RUN: npu-opt %s --npu-insert-dump="members" --npu-strip-instrumentation | diff %t.plain -

// CHECK-NOT: instr.dump
// CHECK: yield %
// CHECK: instr.dump "fused" of %fused_ctl
// CHECK-NOT: instr.dump

// MEMBERS: node "Relu" "relu1"
// MEMBERS-NEXT: instr.dump "relu1" of %relu1_ctl
// MEMBERS: yield %
// MEMBERS: instr.dump "fused" of %fused_ctl
// MEMBERS-NOT: instr.dump

// EVERY: instr.dump "conv1"
// EVERY: instr.dump "relu1"
// EVERY: instr.dump "fused"
ge.graph @g {
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %0:2 = ge.node "Conv2D" "fused"(%w) attrs {_datadump_original_op_names = ["conv1", "relu1"]} : (tensor<2xf16>) -> tensor<2xf16> {
  ^bb0(%x: tensor<2xf16>):
    %c, %c_ctl = ge.node "Conv2D" "conv1"(%x) : (tensor<2xf16>) -> tensor<2xf16>
    %r, %r_ctl = ge.node "Relu" "relu1"(%c) : (tensor<2xf16>) -> tensor<2xf16>
    ge.yield %r : tensor<2xf16>
  }
}
