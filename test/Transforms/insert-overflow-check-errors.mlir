// A selection that cannot be read, or that is of operands, stops the pass.

// RUN: not npu-opt %s --npu-insert-overflow-check="layer='a re:b( c'" 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not npu-opt %s --npu-insert-overflow-check="layer='a conv1:out0'" 2>&1 | FileCheck %s --check-prefix=OPERAND

// REGEX: error: npu-insert-overflow-check: invalid selection 're:b(': parentheses not balanced
// OPERAND: error: npu-insert-overflow-check: invalid selection 'conv1:out0': expected a whole operation, an overflow is not one of an operand{{$}}
ge.graph @g {
}
