// --init=random fills what has no data, and says so. Values depend on the seed
// and the name alone.

// RUN: rm -rf %t && mkdir -p %t
// RUN: npu-run %s --init=random:7 --output-dir=%t/a --report=%t/report.json | FileCheck %s
// RUN: npu-run %s --init random:7 --output-dir=%t/b --threads=3
// RUN: npu-run %s --init=random:8 --output-dir=%t/c
// RUN: cmp %t/a/y.0.npy %t/b/y.0.npy
// RUN: not cmp %t/a/y.0.npy %t/c/y.0.npy
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json

// CHECK: random values for 2 tensors; --report lists them
// REPORT: "random": [
// REPORT-NEXT: Data 'x' (DT_FLOAT16 64x64 ND)
// REPORT-NEXT: Const 'w' (DT_FLOAT16 64x64 ND)
// REPORT-NEXT: ]

// RUN: not npu-run %s --init=random 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not npu-run %s --init=zeros 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: error: --init {{random|zeros}}: expected fail or random:SEED with a number
// SYNTAX-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<64x64xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<64x64xf16>
  %m, %m_ctl = ge.node "Add" "y"(%x, %w) : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %out_ctl = ge.node "NetOutput" "out"(%m) : (tensor<64x64xf16>)
}
