// With a dump a run goes as far as it can: the outputs of the nodes before one
// that nobody can compute and its inputs are on disk, and the manifest says
// where the run stopped and why.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: %python %S/Inputs/exits-with.py 3 npu-run %s --init=random:1 --enable-dump --dump-path=%t/dump --report=%t/report.json --output-dir=%t/out 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %python %S/Inputs/list-payloads.py %t/dump --incomplete | FileCheck %s
// RUN: npu-dump info %t/dump | FileCheck %s --check-prefix=INFO
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// RUN: not ls %t/out

// ERROR: error: {{.*}}kernel.mlir:[[#]]: Mystery 'op3': no kernel for operator type 'Mystery'
// ERROR-NOT: {{.}}
// CHECK: 0 Abs op2 output 0 DT_FLOAT16 [[OP2:[0-9a-f]+]]
// CHECK: 0 Mystery op3 input 0 DT_FLOAT16 [[OP2]]
// CHECK: 0 Relu op1 output 0
// CHECK: reason: stopped at {{.*}}'op3': no kernel
// CHECK-NOT: op4
// INFO: Mystery.op3.3.0
// INFO-NOT: error
// REPORT: "kind": "failed"
// REPORT-NEXT: "name": "op3"
// REPORT: "outcome": "{{.*}}Mystery 'op3': no kernel
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %v1, %ctl1 = ge.node "Relu" "op1"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %v2, %ctl2 = ge.node "Abs" "op2"(%v1) : (tensor<4xf16>) -> tensor<4xf16>
  %v3, %ctl3 = ge.node "Mystery" "op3"(%v2) : (tensor<4xf16>) -> tensor<4xf16>
  %v4, %ctl4 = ge.node "Relu" "op4"(%v3) : (tensor<4xf16>) -> tensor<4xf16>
  %v5, %ctl5 = ge.node "Abs" "op5"(%v4) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%v5) : (tensor<4xf16>)
}
