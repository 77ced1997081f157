// Everything without data is named before anything runs, with its type and
// shape, and so are the ways on.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: not npu-run %s --enable-dump --dump-path=%t/dump --report=%t/report.json --output-dir=%t/out 2> %t/err
// RUN: FileCheck %s < %t/err
// RUN: ls -A %t/dump | count 0
// RUN: not ls %t/report.json %t/out

// CHECK: error: 3 without data: {{.*}}init-fail.mlir:[[#]]: Data 'x' (DT_FLOAT16 2x2 ND), {{.*}}: Const 'w' (DT_FLOAT16 2x2 ND), {{.*}}: Variable 'b' (DT_FLOAT 2 ND); give inputs with --input NAME=FILE.npy, constants and variables with --bind NAME=FILE.npy or a graph dumped with DUMP_GE_GRAPH=1, or random values to all with --init=random:SEED
// CHECK-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2x2xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2x2xf16>
  %b, %b_ctl = ge.node "Variable" "b"() -> tensor<2xf32>
  %m, %m_ctl = ge.node "MatMul" "m"(%x, %w) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %out_ctl = ge.node "NetOutput" "out"(%m) : (tensor<2x2xf16>)
}
