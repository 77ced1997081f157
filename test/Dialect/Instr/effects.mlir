// Instrumentation stays where nothing uses it, and is never merged.

// RUN: npu-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @sinks
func.func @sinks(%a: tensor<2xf32>) {
  // CHECK-COUNT-2: instr.dump "a" outputs [0]
  instr.dump "a" outputs [0] (%a : tensor<2xf32>)
  instr.dump "a" outputs [0] (%a : tensor<2xf32>)
  // CHECK-COUNT-2: instr.overflow_check "a"
  instr.overflow_check "a" of %a : tensor<2xf32>
  instr.overflow_check "a" of %a : tensor<2xf32>
  return
}
