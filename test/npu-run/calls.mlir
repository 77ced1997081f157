// A PartitionedCall is replaced by the nodes of the graph that it calls: they
// run, and are dumped, under their own names. The values that Unique finds may
// be fewer than it has room for.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: npu-run %s --output-dir=%t --enable-dump --dump-path=%t/dump --report=%t/report.json
// RUN: od -An -t d4 -j 128 %t/taken.0.npy | FileCheck %s --check-prefix=TAKEN
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// RUN: ls %t/dump/*/0/g/1/0 | FileCheck %s --check-prefix=DUMPED

// TAKEN: 7 9 0
// REPORT: output 0 is as large as input 0 lets it be: zeros follow the values
// DUMPED: GatherV2.taken.
// DUMPED-NEXT: Unique.values.

// RUN: not npu-run %S/Inputs/call-itself.mlir 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: error: cannot inline the call 'c'; expected it to call one other graph of the file
// ITSELF-NOT: {{.}}

ge.graph @g {
  %x, %x_ctl = ge.node "Const" "x"()
    attrs {value = #ge.value<t, {data = "\09\00\00\00\07\00\00\00\09\00\00\00\07\00\00\00"}>} -> tensor<4xi32>
  %i, %i_ctl = ge.node "Const" "i"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00\00\00\00\00\02\00\00\00"}>} -> tensor<3xi32>
  %a, %a_ctl = ge.node "Const" "a"()
    attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<i32>
  %c, %c_ctl = ge.node "PartitionedCall" "call"(%x, %i, %a) calls [@inner]
    : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %out_ctl = ge.node "NetOutput" "out"(%c) [%c_ctl] : (tensor<3xi32>)
}
ge.graph @inner {
  %index, %index_ctl = ge.node "Data" "index"() attrs {_parent_node_index = 1 : i64} -> tensor<3xi32>
  %axis, %axis_ctl = ge.node "Data" "axis"() attrs {_parent_node_index = 2 : i64} -> tensor<i32>
  %x, %x_ctl = ge.node "Data" "from"() attrs {_parent_node_index = 0 : i64} -> tensor<4xi32>
  %u:2, %u_ctl = ge.node "Unique" "values"(%x) : (tensor<4xi32>) -> (tensor<?xi32>, tensor<4xi32>)
  %t, %t_ctl = ge.node "GatherV2" "taken"(%u#0, %index, %axis) : (tensor<?xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %out_ctl = ge.node "NetOutput" "results"(%t) : (tensor<3xi32>)
}
