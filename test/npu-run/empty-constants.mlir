// A constant without elements has no data to miss: axes of a reduction over all
// axes, the shape of a scalar.

// RUN: rm -rf %t && npu-run %s --output-dir=%t
// RUN: od -An -t f4 -j 128 %t/sum.0.npy | FileCheck %s --check-prefix=SUM
// RUN: od -An -t f4 -j 128 %t/fill.0.npy | FileCheck %s --check-prefix=FILL
// SUM: {{^ *}}6{{$}}
// FILL: {{^ *}}2{{$}}
ge.graph @g {
  %x, %x_ctl = ge.node "Const" "x"()
    attrs {value = #ge.value<t, {data = "\00\00\80\3F\00\00\00\40\00\00\40\40"}>} -> tensor<3xf32>
  %two, %two_ctl = ge.node "Const" "two"()
    attrs {value = #ge.value<t, {data = "\00\00\00\40"}>} -> tensor<f32>
  %none, %none_ctl = ge.node "Const" "none"() attrs {value = #ge.value<t, {}>} -> tensor<0xi32>
  %sum, %sum_ctl = ge.node "ReduceSum" "sum"(%x, %none) : (tensor<3xf32>, tensor<0xi32>) -> tensor<f32>
  %fill, %fill_ctl = ge.node "Fill" "fill"(%none, %two) : (tensor<0xi32>, tensor<f32>) -> tensor<f32>
  %out_ctl = ge.node "NetOutput" "out"(%sum, %fill) : (tensor<f32>, tensor<f32>)
}
