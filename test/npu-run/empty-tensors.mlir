// Tensors without elements run; a node that has nothing else makes no dump
// file.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: npu-run %s --init=random:1 --output-dir=%t --enable-dump --dump-path=%t/dump --report=%t/report.json | FileCheck %s
// RUN: %python -c "import numpy as n; print(n.load(r'%t/r.0.npy').shape)" | FileCheck %s --check-prefix=SHAPE
// RUN: ls -A %t/dump | count 0
// CHECK: ran 1 node of
// CHECK: wrote 0 dump files{{$}}
// SHAPE: (0, 4)
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<0x4xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<0x4xf16>) -> tensor<0x4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<0x4xf16>)
}
