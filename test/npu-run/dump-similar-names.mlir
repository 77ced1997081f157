// Names that differ only in characters that file names replace keep their
// files apart, in dumps and in outputs.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: npu-run %s --init=random:1 --enable-dump --dump-path=%t/dump --output-dir=%t/out --report=%t/report.json
// RUN: %python %S/Inputs/list-payloads.py %t/dump | FileCheck %s
// RUN: find %t/dump -name "*Relu*" | FileCheck %s --check-prefix=FILES
// RUN: ls %t/out | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// RUN: not cmp %t/out/x_y.0.npy %t/out/x_y.0.1.npy

// CHECK: Relu x.y output 0
// CHECK: Relu x/y output 0
// FILES-DAG: /g/1/0/Relu.x_y.1.0.{{[0-9]+$}}
// FILES-DAG: /g/1/0/Relu.x_y.2.0.{{[0-9]+$}}
// OUT: {{^}}x_y.0.1.npy
// OUT-NEXT: {{^}}x_y.0.npy
// OUT-NOT: {{.}}
// REPORT: "outputs": [
// REPORT: "file": "x_y.0.npy"
// REPORT: "name": "x/y"
// REPORT: "file": "x_y.0.1.npy"
// REPORT: "name": "x.y"
ge.graph @g {
  %a, %a_ctl = ge.node "Data" "a"() -> tensor<4xf16>
  %b, %b_ctl = ge.node "Data" "b"() -> tensor<4xf16>
  %v0, %ctl0 = ge.node "Relu" "x/y"(%a) : (tensor<4xf16>) -> tensor<4xf16>
  %v1, %ctl1 = ge.node "Relu" "x.y"(%b) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%v0, %v1) : (tensor<4xf16>, tensor<4xf16>)
}
