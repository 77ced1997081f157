// A node made by fusion is also selected by the names of what it was made of.
// One empty name stands for none: it is not what the second selection matches.

// RUN: npu-opt %s --npu-insert-dump="layer=relu1" | FileCheck %s
// RUN: npu-opt %s --npu-insert-dump="layer='re:x* re:re.*'" | FileCheck %s

// CHECK: instr.dump "conv1_relu1" of
// CHECK-NOT: instr.dump
ge.graph @g {
  %0:2 = ge.node "Conv2D" "conv1_relu1"() attrs {_datadump_original_op_names = ["conv1", "relu1"]} -> tensor<2xf16>
  %1:2 = ge.node "TransData" "made_by_compiler"() attrs {_datadump_original_op_names = [""]} -> tensor<2xf16>
}
