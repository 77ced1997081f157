// The number of elements of a range follows from bounds of any type.

// RUN: rm -rf %t && npu-run %s --output-dir=%t
// RUN: od -An -t f4 -j 128 %t/range.0.npy | FileCheck %s
// CHECK: {{^ *}}1 1.5 2{{$}}
ge.graph @g {
  %start, %start_ctl = ge.node "Const" "start"()
    attrs {value = #ge.value<t, {data = "\00\00\80\3F"}>} -> tensor<f32>
  %limit, %limit_ctl = ge.node "Const" "limit"()
    attrs {value = #ge.value<t, {data = "\00\00\10\40"}>} -> tensor<f32>
  %delta, %delta_ctl = ge.node "Const" "delta"()
    attrs {value = #ge.value<t, {data = "\00\00\00\3F"}>} -> tensor<f32>
  %range, %range_ctl = ge.node "Range" "range"(%start, %limit, %delta) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %out_ctl = ge.node "NetOutput" "out"(%range) : (tensor<?xf32>)
}
