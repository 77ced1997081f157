// The body of a While runs, and is dumped, as often as its condition holds: U12.
// Dumps and statistics of each trip are in the folder of the iteration, in the
// order of their times.

// RUN: rm -rf %t && mkdir -p %t/dump %t/stats
// RUN: npu-run %s --output-dir=%t --enable-dump --dump-path=%t/dump --report=%t/report.json | FileCheck %s
// RUN: od -An -t d4 -j 128 %t/loop.0.npy | FileCheck %s --check-prefix=LAST
// RUN: npu-dump info %t/dump | grep -A1 " add1 at" | FileCheck %s --check-prefix=DUMPS
// RUN: npu-run %s --enable-dump --dump-path=%t/stats --dump-data=stats --dump-layer=add1
// RUN: cat %t/stats/*/0/g/1/0/Add.add1.*.csv | grep ^Output, | FileCheck %s --check-prefix=STATS
// RUN: %python -c "import json; [print(n['name'], n['kind'], n['runs'], n['task_id']) for n in json.load(open(r'%t/report.json'))['nodes']]" | FileCheck %s --check-prefix=REPORT

// CHECK: dump: 2 files, {{.*}}, each branch and loop counted once;
// CHECK-NEXT: ran 7 nodes of 'g'
// LAST: 3
// DUMPS: add1 at
// DUMPS-NEXT: min 1, max 1
// DUMPS: add1 at
// DUMPS-NEXT: min 2, max 2
// DUMPS: add1 at
// DUMPS-NEXT: min 3, max 3{{$}}
// DUMPS-NOT: {{.}}
// STATS: Output,0,4,DT_INT32,ND,-,1,1,1,1,0,0,0
// STATS-NEXT: Output,0,4,DT_INT32,ND,-,2,2,2,1,0,0,0
// STATS-NEXT: Output,0,4,DT_INT32,ND,-,3,3,3,1,0,0,0
// STATS-NOT: {{.}}
// REPORT: x0 source 1 0
// REPORT: loop control 1 0
// REPORT: out output 1 1
// REPORT: i argument 4 0
// REPORT: less computed 4 2
// REPORT: add1 computed 3 4

ge.graph @g {
  %x, %x_ctl = ge.node "Const" "x0"()
    attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<i32>
  %w, %w_ctl = ge.node "While" "loop"(%x) calls [@cond, @body] : (tensor<i32>) -> tensor<i32>
  %out_ctl = ge.node "NetOutput" "out"(%w) : (tensor<i32>)
}
ge.graph @cond {
  %i, %i_ctl = ge.node "Data" "i"() attrs {_parent_node_index = 0 : i64} -> tensor<i32>
  %n, %n_ctl = ge.node "Const" "n"()
    attrs {value = #ge.value<t, {data = "\03\00\00\00"}>} -> tensor<i32>
  %l, %l_ctl = ge.node "Less" "less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %out_ctl = ge.node "NetOutput" "cond_out"(%l) : (tensor<i1>)
}
ge.graph @body {
  %b, %b_ctl = ge.node "Data" "b"() attrs {_parent_node_index = 0 : i64} -> tensor<i32>
  %one, %one_ctl = ge.node "Const" "one"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00"}>} -> tensor<i32>
  %a, %a_ctl = ge.node "Add" "add1"(%b, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %out_ctl = ge.node "NetOutput" "body_out"(%a) : (tensor<i32>)
}
