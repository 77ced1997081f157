// What the operations print they also read, in text and in the generic form.

// RUN: npu-opt %s | FileCheck %s
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt %s --mlir-print-op-generic | npu-opt | FileCheck %s
// RUN: npu-opt %s --emit-bytecode | npu-opt | FileCheck %s

// CHECK-LABEL: ge.graph @nodes
ge.graph @nodes {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<2xf16>) -> tensor<2xf16>

  // CHECK: instr.dump "r" of %r_ctl : !ge.control inputs [0](%x : tensor<2xf16>) outputs [0](%r : tensor<2xf16>){{$}}
  instr.dump "r" of %r_ctl : !ge.control
    inputs [0] (%x : tensor<2xf16>) outputs [0] (%r : tensor<2xf16>)

  // CHECK: instr.dump "r" of %r_ctl : !ge.control inputs [0](%x : tensor<2xf16>) step "0|3-5"{{$}}
  instr.dump "r" of %r_ctl : !ge.control inputs [0] (%x : tensor<2xf16>)
    step "0|3-5"

  // CHECK: instr.dump "r" of %r_ctl : !ge.control outputs [0](%r : tensor<2xf16>) data stats{{$}}
  instr.dump "r" of %r_ctl : !ge.control outputs [0] (%r : tensor<2xf16>)
    data stats

  // CHECK: instr.overflow_check "r" of %r_ctl : !ge.control{{$}}
  instr.overflow_check "r" of %r_ctl : !ge.control units all

  // CHECK: instr.overflow_check "r" of %r_ctl : !ge.control units aicore_overflow{{$}}
  instr.overflow_check "r" of %r_ctl : !ge.control units aicore_overflow

  // CHECK: instr.overflow_check "r" of %r_ctl : !ge.control units atomic_overflow step "0|3-5"{{$}}
  instr.overflow_check "r" of %r_ctl : !ge.control units atomic_overflow
    step "0|3-5"
}

// CHECK-LABEL: func.func @values
func.func @values(%a: tensor<2xf32>, %b: tensor<3xi8>) {
  // CHECK: instr.dump "sink" inputs [0, 2](%{{.*}}, %{{.*}} : tensor<2xf32>, tensor<3xi8>){{$}}
  instr.dump "sink" inputs [0, 2] (%a, %b : tensor<2xf32>, tensor<3xi8>)

  // CHECK: instr.overflow_check "sum" of %{{.*}} : tensor<2xf32>{{$}}
  instr.overflow_check "sum" of %a : tensor<2xf32>
  return
}
