// Round trip of the types.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt --mlir-print-op-generic %s | npu-opt | FileCheck %s
// RUN: npu-opt --emit-bytecode %s | npu-opt | FileCheck %s

// CHECK-LABEL: func.func private @control(!ge.control)
func.func private @control(!ge.control)

// CHECK-LABEL: func.func private @dtype
// CHECK-SAME: (!ge.dtype<"DT_STRING">, !ge.dtype<"a \22b\22">, tensor<2x!ge.dtype<"99">>)
func.func private @dtype(!ge.dtype<"DT_STRING">, !ge.dtype<"a \22b\22">, tensor<2x!ge.dtype<"99">>)

// CHECK-LABEL: func.func private @layout
// CHECK-SAME: (tensor<4xf16, #layout>, tensor<?x!ge.dtype<"DT_RESOURCE">, #layout>)
func.func private @layout(tensor<4xf16, #ge.layout<ND>>, tensor<?x!ge.dtype<"DT_RESOURCE">, #ge.layout<ND>>)
