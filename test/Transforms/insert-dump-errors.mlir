// A selection that cannot be read stops the pass, with its text.

// RUN: not npu-opt %s --npu-insert-dump="layer='a re:b( c'" 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not npu-opt %s --npu-insert-dump="layer=name-regex([a)" 2>&1 | FileCheck %s --check-prefix=BRACKET
// RUN: not npu-opt %s --npu-insert-dump="layer=type:" 2>&1 | FileCheck %s --check-prefix=TYPE

// REGEX: error: npu-insert-dump: invalid selection 're:b(': parentheses not balanced
// BRACKET: error: npu-insert-dump: invalid selection 'name-regex([a)': brackets ([ ]) not balanced
// TYPE: error: npu-insert-dump: invalid selection 'type:': expected a type
ge.graph @g {
}
