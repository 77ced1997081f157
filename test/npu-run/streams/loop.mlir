// The loop that a device makes of iterations_per_loop: as long as the condition
// is below it a StreamSwitch goes on with another stream, which counts and starts
// the streams again; then its own stream goes on, which sets the condition back.
// What is on a stream that is not active does not run and is not dumped. A pass
// of the loop is an iteration; after its end the next iteration is a new launch.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: npu-run %s --iterations=5 --output-dir=%t/out --enable-dump --dump-path=%t/dump --report=%t/report.json
// RUN: bash -c "for i in 0 1 2 3 4; do %python %S/../Inputs/print-arrays.py %t/out/\$i; ls %t/dump/*/0/g/1/\$i | cut -d. -f1,2; done" | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json

// Two passes, loop_cond 0 and 1.
// CHECK: x: 3
// CHECK-NEXT: Add.x
// CHECK-NEXT: Add.x_next
// CHECK-NEXT: AssignAdd.count
// CHECK-NEXT: x: 4
// CHECK-NEXT: Add.x
// CHECK-NEXT: Assign.reset
// A new launch.
// CHECK-NEXT: x: 3
// CHECK-NEXT: Add.x
// CHECK-NEXT: Add.x_next
// CHECK-NEXT: AssignAdd.count
// CHECK-NEXT: x: 4
// CHECK-NEXT: Add.x
// CHECK-NEXT: Assign.reset
// CHECK-NEXT: x: 3

// REPORT: "kind": "starts streams"
// REPORT-NEXT: "name": "prefetch"
// REPORT-NEXT: "runs": 5
// REPORT: "kind": "not active"
// REPORT-NEXT: "name": "never"
// REPORT-NEXT: "runs": 0

ge.graph @g {
  %cond, %cond_ctl = ge.node "Variable" "loop_cond"()
    attrs {value = #ge.value<t, {data = "\00\00\00\00\00\00\00\00"}>} -> tensor<i64>
  %one, %one_ctl = ge.node "Const" "one"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00\00\00\00\00"}>} -> tensor<i64>
  %zero, %zero_ctl = ge.node "Const" "zero"()
    attrs {value = #ge.value<t, {data = "\00\00\00\00\00\00\00\00"}>} -> tensor<i64>
  %per_loop, %per_loop_ctl = ge.node "Const" "iterations_per_loop"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00\00\00\00\00"}>} -> tensor<i64>
  %three, %three_ctl = ge.node "Const" "three"()
    attrs {value = #ge.value<t, {data = "\03\00\00\00\00\00\00\00"}>} -> tensor<i64>
  // The step itself, on stream 1.
  %x, %x_ctl = ge.node "Add" "x"(%cond, %three) id 1 stream 1 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %x_send = ge.node "Send" "x_send"()[%x_ctl] id 2 stream 1 attrs {event_id = 0 : i64}
  // Only if another pass follows something is done ahead for it, on stream 3.
  %ahead_recv = ge.node "Recv" "ahead_recv"() id 3 stream 2 attrs {event_id = 0 : i64}
  %prefetch = ge.node "StreamSwitch" "prefetch"(%cond, %per_loop)[%ahead_recv, %x_ctl] id 4 stream 2
    attrs {active_stream_list = array<i64: 3>, switch_condition = 4 : i64} : (tensor<i64>, tensor<i64>)
  %x_next, %x_next_ctl = ge.node "Add" "x_next"(%x, %one)[%prefetch] id 5 stream 3 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // Nobody starts stream 6 before its first node.
  %on_six = ge.node "StreamSwitch" "on_six"(%one, %zero)[%prefetch] id 6 stream 2
    attrs {true_branch_stream = 6 : i64, switch_condition = 0 : i64} : (tensor<i64>, tensor<i64>)
  %never, %never_ctl = ge.node "Add" "never"(%one, %one)[%on_six] id 7 stream 6 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %out = ge.node "NetOutput" "out"(%x) id 8 stream 1 : (tensor<i64>)
  %out_send = ge.node "Send" "out_send"()[%out] id 9 stream 1 attrs {event_id = 1 : i64}
  // The end of the pass.
  %end_recv = ge.node "Recv" "end_recv"() id 10 stream 4 attrs {event_id = 1 : i64}
  %end = ge.node "StreamSwitch" "end"(%cond, %per_loop)[%end_recv, %out] id 11 stream 4
    attrs {active_stream_list = array<i64: 5>, switch_condition = 4 : i64} : (tensor<i64>, tensor<i64>)
  %reset, %reset_ctl = ge.node "Assign" "reset"(%cond, %zero)[%end] id 12 stream 4 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %count, %count_ctl = ge.node "AssignAdd" "count"(%cond, %one)[%end] id 13 stream 5 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %again = ge.node "StreamActive" "again"()[%count_ctl] id 14 stream 5 attrs {active_stream_list = array<i64: 1, 2, 4>}
}
