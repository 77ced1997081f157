// What is dumped already is not dumped again; only what is missing is added.

// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="mode=all" -o %t.once
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="mode=all" --npu-insert-dump="mode=all" | diff %t.once -
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="mode=all" --npu-insert-dump="mode=input" --npu-insert-dump="mode=output step=1" | diff %t.once -
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="mode=output" --npu-insert-dump="mode=all" | FileCheck %s
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="layer=add:in1" --npu-insert-dump="layer=add mode=input" | FileCheck %s --check-prefix=INDEX
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="layer=add step=1" --npu-insert-dump="layer=add" | FileCheck %s --check-prefix=STEP
// RUN: npu-opt %s --allow-unregistered-dialect --npu-insert-dump="layer=add" --npu-insert-dump="layer=add data=stats" | FileCheck %s --check-prefix=DATA

// CHECK: instr.dump "add" of %add_ctl : !ge.control outputs [0](%add : tensor<2xf16>){{$}}
// CHECK-NEXT: instr.dump "add" of %add_ctl : !ge.control inputs [0, 1](%a, %a : tensor<2xf16>, tensor<2xf16>){{$}}
// CHECK-NOT: instr.dump "add"

// INDEX: instr.dump "add" of %add_ctl : !ge.control inputs [1](%a : tensor<2xf16>){{$}}
// INDEX-NEXT: instr.dump "add" of %add_ctl : !ge.control inputs [0](%a : tensor<2xf16>){{$}}
// INDEX-NOT: instr.dump "add"

// Some iterations are not every iteration.
// STEP: instr.dump "add" of %add_ctl : !ge.control outputs [0](%add : tensor<2xf16>) step "1"{{$}}
// STEP-NEXT: instr.dump "add" of %add_ctl : !ge.control outputs [0](%add : tensor<2xf16>){{$}}
// STEP-NOT: instr.dump "add"

// DATA: instr.dump "add" of %add_ctl : !ge.control outputs [0](%add : tensor<2xf16>){{$}}
// DATA-NEXT: instr.dump "add" of %add_ctl : !ge.control outputs [0](%add : tensor<2xf16>) data stats{{$}}
// DATA-NOT: instr.dump "add"
ge.graph @g {
  %a, %a_ctl = ge.node "Data" "a"() -> tensor<2xf16>
  %0:2 = ge.node "Add" "add"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %1:2 = ge.node "Relu" "relu"(%0#0)[%a_ctl] : (tensor<2xf16>) -> tensor<2xf16>
}

func.func @f(%t: tensor<2xf32>) {
  "test.sink"(%t) : (tensor<2xf32>) -> () loc("sink")
  "test.other"(%t) : (tensor<2xf32>) -> () loc("sink")
  return
}
