// RUN: npu-opt %s --split-input-file --verify-diagnostics

func.func @nothing(%a: tensor<2xf32>) {
  // expected-error@+1 {{'instr.dump' op dumps nothing}}
  instr.dump "a" of %a : tensor<2xf32>
  return
}

// -----

func.func @too_few_indices(%a: tensor<2xf32>) {
  // expected-error@+1 {{'instr.dump' op has 2 inputs but 1 input indices}}
  instr.dump "a" inputs [0] (%a, %a : tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @too_many_indices(%a: tensor<2xf32>) {
  // expected-error@+1 {{'instr.dump' op has 1 outputs but 2 output indices}}
  instr.dump "a" outputs [0, 1] (%a : tensor<2xf32>)
  return
}

// -----

func.func @no_indices(%a: tensor<2xf32>) {
  // expected-error@+1 {{'instr.dump' op has 1 inputs but 0 input indices}}
  "instr.dump"(%a) <{operandSegmentSizes = array<i32: 0, 1, 0>, subject = "a"}> : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @negative_index(%a: tensor<2xf32>) {
  // expected-error@+1 {{'instr.dump' op expects output indices from 0, found -1}}
  instr.dump "a" outputs [-1] (%a : tensor<2xf32>)
  return
}

// -----

func.func @unknown_data(%a: tensor<2xf32>) {
  // expected-error@+1 {{enum values for attribute 'data' [tensor, stats]}}
  instr.dump "a" outputs [0] (%a : tensor<2xf32>) data bytes
  return
}

// -----

func.func @unknown_units(%a: tensor<2xf32>) {
  // expected-error@+1 {{enum values for attribute 'units' [aicore_overflow, atomic_overflow, all]}}
  instr.overflow_check "a" of %a : tensor<2xf32> units vector
  return
}

// -----

func.func @no_units(%a: tensor<2xf32>) {
  // expected-error@+1 {{Invalid attribute `units`}}
  "instr.overflow_check"(%a) <{subject = "a", units = 0 : i32}> : (tensor<2xf32>) -> ()
  return
}
