// Each iteration has a folder; --dump-step says of which.

// RUN: rm -rf %t && mkdir -p %t/some %t/all
// RUN: npu-run %s --init=random:1 --iterations=12 --enable-dump --dump-path=%t/some --dump-step="0|3-5|10" | FileCheck %s
// RUN: npu-run %s --init=random:1 --iterations=12 --enable-dump --dump-path=%t/all
// RUN: ls %t/some/*/0/g/1 | sort -n | tr '\n' ' ' | FileCheck %s --check-prefix=SOME
// RUN: ls %t/all/*/0/g/1 | sort -n | tr '\n' ' ' | FileCheck %s --check-prefix=ALL

// Steps that never come are told.
// RUN: npu-run %s --init=random:1 --iterations=3 --enable-dump --dump-path=%t/some --dump-step="3|5-9" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: --dump-step 3|5-9: has none of the iterations of 'g', 0 to 2
// NONE: wrote 0 dump files

// CHECK: wrote 10 dump files to
// SOME: {{^}}0 3 4 5 10 {{$}}
// ALL: {{^}}0 1 2 3 4 5 6 7 8 9 10 11 {{$}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<4xf16>)
}
