// A program that has the dialects and passes keeps its own.

// RUN: npu-opt %s -o %t.plain --npu-insert-dump
// RUN: npu-opt %s --load-dialect-plugin=%plugin --npu-insert-dump 2>%t.stderr | diff %t.plain -
// RUN: FileCheck %s --input-file=%t.stderr
// RUN: npu-opt %s --load-pass-plugin=%plugin --npu-insert-dump | diff %t.plain -

// CHECK: warning: NpuPlugin is not needed: the program has the dialects ge and instr already
ge.graph @g {
  %0:2 = ge.node "Relu" "relu"() -> tensor<2xf16>
}
