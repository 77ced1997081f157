// A For runs its body once for each number from start towards limit; Data 0 of
// the body is that number, the others are the inputs behind delta. Dumps of each
// trip are in the folder of the iteration.

// RUN: rm -rf %t && mkdir -p %t/dump %t/none %t/down
// RUN: npu-run %s --output-dir=%t --enable-dump --dump-path=%t/dump --report=%t/report.json | FileCheck %s
// RUN: od -An -t d4 -j 128 %t/loop.0.npy | FileCheck %s --check-prefix=LAST
// RUN: npu-dump info %t/dump | grep -A1 " sum at" | FileCheck %s --check-prefix=DUMPS
// RUN: %python -c "import json; [print(n['name'], n['kind'], n['runs'], n['task_id']) for n in json.load(open(r'%t/report.json'))['nodes']]" | FileCheck %s --check-prefix=REPORT

// 100 + 1 + 4 + 7: 10 is not reached.
// CHECK: ran 6 nodes of 'g'
// LAST: 112
// DUMPS: sum at
// DUMPS-NEXT: min 101, max 101
// DUMPS: sum at
// DUMPS-NEXT: min 105, max 105
// DUMPS: sum at
// DUMPS-NEXT: min 112, max 112{{$}}
// DUMPS-NOT: {{.}}
// REPORT: loop control 1 0
// REPORT: i argument 3 0
// REPORT: sum computed 3 3

// No trip; and a range that goes down, 5, 2, -1.
// RUN: sed '/"limit"/s/0A/01/' %s > %t/none.mlir
// RUN: npu-run %t/none.mlir --output-dir=%t/none && od -An -t d4 -j 128 %t/none/loop.0.npy | FileCheck %s --check-prefix=NONE
// NONE: 100
// RUN: sed '/"start"/s/01/05/; /"limit"/s/0A.00.00.00/FD\\FF\\FF\\FF/; /"delta"/s/03.00.00.00/FD\\FF\\FF\\FF/' %s > %t/down.mlir
// RUN: npu-run %t/down.mlir --output-dir=%t/down && od -An -t d4 -j 128 %t/down/loop.0.npy | FileCheck %s --check-prefix=DOWN
// DOWN: 106

// RUN: sed '/"delta"/s/03/00/' %s > %t/zero.mlir
// RUN: not npu-run %t/zero.mlir 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: {{.*}}zero.mlir:{{[0-9]+}}: For 'loop': delta is 0, so that it never ends; expected another number
// RUN: sed '/"i"/s/= 0/= 1/' %s > %t/limit.mlir
// RUN: not npu-run %t/limit.mlir 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: {{.*}}Data 'i': nothing is passed to it; expected _parent_node_index to name an input of {{.*}}For 'loop'
// RUN: sed 's/@body\]/@body, @body]/' %s > %t/two.mlir
// RUN: not npu-run %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: {{.*}}For 'loop': runs 2 graphs, expected 1

ge.graph @g {
  %s, %s_ctl = ge.node "Const" "start"() attrs {value = #ge.value<t, {data = "\01\00\00\00"}>} -> tensor<i32>
  %l, %l_ctl = ge.node "Const" "limit"() attrs {value = #ge.value<t, {data = "\0A\00\00\00"}>} -> tensor<i32>
  %d, %d_ctl = ge.node "Const" "delta"() attrs {value = #ge.value<t, {data = "\03\00\00\00"}>} -> tensor<i32>
  %x, %x_ctl = ge.node "Const" "x"() attrs {value = #ge.value<t, {data = "\64\00\00\00"}>} -> tensor<i32>
  %w, %w_ctl = ge.node "For" "loop"(%s, %l, %d, %x) calls [@body]
    : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
  %out_ctl = ge.node "NetOutput" "out"(%w) : (tensor<i32>)
}
ge.graph @body {
  %b, %b_ctl = ge.node "Data" "b"() attrs {_parent_node_index = 3 : i64} -> tensor<i32>
  %i, %i_ctl = ge.node "Data" "i"() attrs {_parent_node_index = 0 : i64} -> tensor<i32>
  %n, %n_ctl = ge.node "Neg" "neg"(%i) : (tensor<i32>) -> tensor<i32>
  %a, %a_ctl = ge.node "Sub" "sum"(%b, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %out_ctl = ge.node "NetOutput" "body_out"(%a) : (tensor<i32>)
}
