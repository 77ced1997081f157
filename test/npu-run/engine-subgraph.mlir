// The part of a graph that one engine compiles, as it is dumped by itself: what
// comes from other parts is an input, and what goes to them is passed on. A RefData
// is an input too, which the graph may change.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: %python -c "import numpy as n; n.save(r'%t/p', n.array([-1, 2], 'f4')); n.save(r'%t/ref', n.array([10, 20], 'f4'))"
// RUN: npu-run %s --input PlaceHolder7=%t/p.npy --input ref=%t/ref.npy --output-dir=%t/out --enable-dump --dump-layer=relu --dump-path=%t/dump
// RUN: od -An -t f4 -j 128 %t/out/End8.0.npy | FileCheck %s --check-prefix=END
// RUN: od -An -t f4 -j 128 %t/out/sum.0.npy | FileCheck %s --check-prefix=SUM
// END: {{^ *}}0 2{{$}}
// SUM: {{^ *}}10 22{{$}}
// RUN: not npu-run %s --input ref=%t/ref.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: 1 without data: {{.*}}PlaceHolder 'PlaceHolder7' (DT_FLOAT 2 ND)
ge.graph @g {
  %p, %p_ctl = ge.node "PlaceHolder" "PlaceHolder7"() attrs {parentOpType = "MatMul"} -> tensor<2xf32>
  %ref, %ref_ctl = ge.node "RefData" "ref"() -> tensor<2xf32>
  %relu, %relu_ctl = ge.node "Relu" "relu"(%p) : (tensor<2xf32>) -> tensor<2xf32>
  %end, %end_ctl = ge.node "End" "End8"(%relu) attrs {parentOpType = "NetOutput"} : (tensor<2xf32>) -> tensor<2xf32>
  %deps_ctl = ge.node "NoOp" "deps"()[%relu_ctl]
  %sum, %sum_ctl = ge.node "AssignAdd" "sum"(%ref, %relu)[%deps_ctl] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %out_ctl = ge.node "NetOutput" "out"(%end, %sum) : (tensor<2xf32>, tensor<2xf32>)
}
