// Without a selection what an NPU dumps is dumped: by the engine that a node
// names, else by its type.

// RUN: npu-opt %s --npu-insert-dump --verify-diagnostics | FileCheck %s
// RUN: npu-opt %s --pass-pipeline='builtin.module(ge.graph(npu-insert-dump))' | FileCheck %s

// CHECK-LABEL: ge.graph @by_engine
// CHECK: instr.dump "aicore" of %aicore_ctl : !ge.control outputs [0](%aicore : tensor<2xf16>)
// CHECK: instr.dump "vector"
// CHECK: instr.dump "aicpu"
// CHECK: instr.dump "tf"
// CHECK: instr.dump "new"
// CHECK: instr.dump "unset"
// CHECK-NOT: instr.dump
ge.graph @by_engine {
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2xf16>
  %0:2 = ge.node "Relu" "aicore"(%w) attrs {_ge_attr_op_kernel_lib_name = "AIcoreEngine"} : (tensor<2xf16>) -> tensor<2xf16>
  %1:2 = ge.node "Relu" "vector"(%w) attrs {_ge_attr_op_kernel_lib_name = "VectorEngine"} : (tensor<2xf16>) -> tensor<2xf16>
  %2:2 = ge.node "Relu" "aicpu"(%w) attrs {_ge_attr_op_kernel_lib_name = "aicpu_ascend_kernel"} : (tensor<2xf16>) -> tensor<2xf16>
  %3:2 = ge.node "Relu" "tf"(%w) attrs {_ge_attr_op_kernel_lib_name = "aicpu_tf_kernel"} : (tensor<2xf16>) -> tensor<2xf16>
  %4:2 = ge.node "Data" "new"() attrs {_ge_attr_op_kernel_lib_name = "engine_to_come"} -> tensor<2xf16>
  %5:2 = ge.node "Relu" "unset"(%w) attrs {_ge_attr_op_kernel_lib_name = ""} : (tensor<2xf16>) -> tensor<2xf16>
  %6:2 = ge.node "Reshape" "local"(%w) attrs {_ge_attr_op_kernel_lib_name = "DNN_VM_GE_LOCAL_OP_STORE"} : (tensor<2xf16>) -> tensor<2xf16>
  %7:2 = ge.node "MemcpyAsync" "rts"(%w) attrs {_ge_attr_op_kernel_lib_name = "DNN_VM_RTS_OP_STORE"} : (tensor<2xf16>) -> tensor<2xf16>
  %8:2 = ge.node "MemcpyAsync" "ffts"(%w) attrs {_ge_attr_op_kernel_lib_name = "DNN_VM_RTS_FFTS_PLUS_OP_STORE"} : (tensor<2xf16>) -> tensor<2xf16>
  %9:2 = ge.node "Add" "host"(%w) attrs {_ge_attr_op_kernel_lib_name = "DNN_VM_HOST_CPU_OP_STORE"} : (tensor<2xf16>) -> tensor<2xf16>
  %10:2 = ge.node "AllReduce" "hccl"(%w) attrs {_ge_attr_op_kernel_lib_name = "ops_kernel_info_hccl"} : (tensor<2xf16>) -> tensor<2xf16>
  %11:2 = ge.node "Relu" "no_task"(%w) attrs {_ge_attr_op_kernel_lib_name = "AIcoreEngine", _no_task = true} : (tensor<2xf16>) -> tensor<2xf16>
  %12 = ge.node "AtomicAddrClean" "clean"()[%w_ctl] attrs {_ge_attr_op_kernel_lib_name = "AIcoreEngine"}
}

// CHECK-LABEL: ge.graph @by_type
// CHECK: instr.dump "relu"
// CHECK: instr.dump "task"
// CHECK-NOT: instr.dump
ge.graph @by_type {
  %w, %w_ctl = ge.node "Const" "const"() -> tensor<2xf16>
  %0:2 = ge.node "Relu" "relu"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %1:2 = ge.node "Relu" "task"(%w) attrs {_no_task = false} : (tensor<2xf16>) -> tensor<2xf16>
  %2:2 = ge.node "Data" "data"() -> tensor<2xf16>
  %3:2 = ge.node "Constant" "constant"() -> tensor<2xf16>
  %4:2 = ge.node "Variable" "variable"() -> tensor<2xf16>
  %5:2 = ge.node "HcomAllReduce" "hcom"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %6:2 = ge.node "If" "if"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %7:2 = ge.node "While" "while"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %8:2 = ge.node "Case" "case"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %9:2 = ge.node "PartitionedCall" "call"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %10:2 = ge.node "StreamSwitch" "switch"(%w) : (tensor<2xf16>) -> tensor<2xf16>
  %11:2 = ge.node "Relu" "no_task"(%w) attrs {_no_task = true} : (tensor<2xf16>) -> tensor<2xf16>
  %12:2 = ge.node "NetOutput" "output"(%w) : (tensor<2xf16>) -> tensor<2xf16>
}
