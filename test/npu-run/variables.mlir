// Operators that change a variable in place: whoever reads it later sees the new
// value, so does the dump of their own input, and the next iteration starts with
// it.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: npu-run %s --iterations=3 --output-dir=%t/out --enable-dump --dump-mode=all --dump-path=%t/dump
// RUN: od -An -t d4 -j 128 %t/out/0/v.0.npy | FileCheck %s --check-prefix=FIRST
// RUN: od -An -t d4 -j 128 %t/out/2/v.0.npy | FileCheck %s --check-prefix=THIRD
// RUN: od -An -t d4 -j 128 %t/out/2/before.0.npy | FileCheck %s --check-prefix=BEFORE
// RUN: npu-dump info %t/dump/*/*/*/*/0/AssignAdd.* | FileCheck %s --check-prefix=DUMP

// FIRST: 11 22
// BEFORE: 21 42
// THIRD: 31 62
// DUMP: input 0: {{.*}} min 11, max 22
// DUMP-NEXT: input 1: {{.*}} min 10, max 20
// DUMP-NEXT: output 0: {{.*}} min 11, max 22

ge.graph @g {
  %v, %v_ctl = ge.node "Variable" "v"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00\02\00\00\00"}>} -> tensor<2xi32>
  %d, %d_ctl = ge.node "Const" "d"()
    attrs {value = #ge.value<t, {data = "\0A\00\00\00\14\00\00\00"}>} -> tensor<2xi32>
  %b, %b_ctl = ge.node "Identity" "before"(%v) : (tensor<2xi32>) -> tensor<2xi32>
  %a, %a_ctl = ge.node "AssignAdd" "add"(%v, %d) [%b_ctl] : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %out_ctl = ge.node "NetOutput" "out"(%v, %b) [%a_ctl] : (tensor<2xi32>, tensor<2xi32>)
}
