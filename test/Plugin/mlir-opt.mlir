// The plugin gives another program the dialects, the passes and what ge.node
// tells about itself: mlir-opt then does what npu-opt does.

// The packaged mlir-opt cannot load a library built with sanitizers.
// UNSUPPORTED: sanitizer

// RUN: npu-opt %s --pass-pipeline='builtin.module(npu-insert-dump{layer="fused1 sum" mode=all})' | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(npu-insert-dump{layer="fused1 sum" mode=all})' | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --pass-pipeline='builtin.module(ge.graph(npu-insert-dump{layer=fused1 mode=all}),func.func(npu-insert-dump{layer=sum mode=all}))' | FileCheck %s

// Each pass of the plugin is there.
// RUN: npu-opt %s --pass-pipeline='builtin.module(npu-insert-overflow-check,npu-strip-instrumentation,npu-insert-overflow-check)' | FileCheck %s --check-prefix=OVERFLOW
// RUN: mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(npu-insert-overflow-check,npu-strip-instrumentation,npu-insert-overflow-check)' | FileCheck %s --check-prefix=OVERFLOW

// OVERFLOW: instr.overflow_check "conv1"
// OVERFLOW: instr.overflow_check "relu"
// OVERFLOW: instr.overflow_check "sum"
// OVERFLOW-NOT: instr.

// CHECK-LABEL: ge.graph @g
// CHECK: instr.dump "x" of %x_ctl : !ge.control outputs [0](%x : tensor<2xf16>)
// CHECK: instr.dump "conv1" of %conv1_ctl : !ge.control inputs [0](%x : tensor<2xf16>) outputs [0](%conv1 : tensor<2xf16>)
// CHECK-NOT: instr.dump
// CHECK-LABEL: func.func @f
// CHECK: arith.addf
// CHECK-NEXT: instr.dump "sum"
// CHECK-NOT: instr.dump
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %0:2 = ge.node "Conv2D" "conv1"(%x) attrs {_datadump_original_op_names = ["fused1"]} : (tensor<2xf16>) -> tensor<2xf16>
  %1:2 = ge.node "Relu" "relu"(%0#0) : (tensor<2xf16>) -> tensor<2xf16>
}

func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
  return %0 : tensor<2xf32>
}
