// Where has room for every element: rows of zeros follow the places it finds.
// The numbers that Range gives tell how many there are.

// RUN: rm -rf %t && mkdir -p %t
// RUN: npu-run %s --output-dir=%t --report=%t/report.json
// RUN: od -An -t d8 -w16 -j 128 %t/places.0.npy | FileCheck %s --check-prefix=PLACES
// RUN: od -An -t d4 -j 128 %t/numbers.0.npy | FileCheck %s --check-prefix=NUMBERS
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json

// PLACES: 0 1
// PLACES-NEXT: 1 0
// PLACES-NEXT: 1 1
// PLACES-NEXT: 0 0
// NUMBERS: 3 5 7
// REPORT: output 0 is as large as input 0 lets it be: zeros follow the values

ge.graph @g {
  %x, %x_ctl = ge.node "Const" "x"()
    attrs {value = #ge.value<t, {data = "\00\01\01\01"}>} -> tensor<2x2xi1>
  %start, %start_ctl = ge.node "Const" "start"()
    attrs {value = #ge.value<t, {data = "\03\00\00\00"}>} -> tensor<i32>
  %limit, %limit_ctl = ge.node "Const" "limit"()
    attrs {value = #ge.value<t, {data = "\08\00\00\00"}>} -> tensor<i32>
  %delta, %delta_ctl = ge.node "Const" "delta"()
    attrs {value = #ge.value<t, {data = "\02\00\00\00"}>} -> tensor<i32>
  %p, %p_ctl = ge.node "Where" "places"(%x) : (tensor<2x2xi1>) -> tensor<?x2xi64>
  %n, %n_ctl = ge.node "Range" "numbers"(%start, %limit, %delta)
    : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %out_ctl = ge.node "NetOutput" "out"(%p, %n) : (tensor<?x2xi64>, tensor<?xi32>)
}
