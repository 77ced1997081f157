// Every iteration has a folder of outputs; none, or more threads than any
// machine has, is refused.

// RUN: rm -rf %t
// RUN: npu-run %s --init=random:1 --iterations=3 --output-dir=%t/out | FileCheck %s
// RUN: cmp %t/out/0/r.0.npy %t/out/2/r.0.npy
// RUN: ls %t/out | count 3
// CHECK: ran 3 nodes
// RUN: not npu-run %s --init=random:1 --iterations=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: --iterations 0: expected at least 1
// RUN: not npu-run %s --init=random:1 --threads=1000000 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: --threads 1000000: expected at most 1024
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<4xf16>)
}
