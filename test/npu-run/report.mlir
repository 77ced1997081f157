// The report is JSON: every node with its kind, its task and what it raised.

// RUN: rm -rf %t && mkdir -p %t
// RUN: npu-run %s --init=random:1 --iterations=2 --report=%t/report.json
// RUN: %python -c "import json; r = json.load(open(r'%t/report.json')); [print(n['name'], n['type'], n['kind'], n['task_id'], n['stream_id'], n['runs']) for n in r['nodes']]; print({k: r[k] for k in ('graph', 'iterations', 'model_id', 'outcome', 'overflow_mode', 'soc')}, r['threads'] > 0, r['buffer_bytes'] > 0, len(r['iteration_seconds']), 0 < sum(r['iteration_seconds']) <= r['seconds'])" | FileCheck %s
// CHECK: x Data source 0 0 2
// CHECK-NEXT: w Const source 0 0 2
// CHECK-NEXT: a Mul computed 1 0 2
// CHECK-NEXT: s Send nothing to compute 2 1 2
// CHECK-NEXT: out NetOutput output 3 0 2
// CHECK-NEXT: {'graph': 'net/g', 'iterations': 2, 'model_id': 1, 'outcome': 'complete', 'overflow_mode': 'saturate', 'soc': 'Ascend910A'} True True 2 True
// CHECK-NOT: {{.}}
ge.graph @g named "net/g" {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<4xf16>
  %a, %a_ctl = ge.node "Mul" "a"(%x, %w) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %s_ctl = ge.node "Send" "s"()[%a_ctl] stream 1
  %out_ctl = ge.node "NetOutput" "out"(%a) : (tensor<4xf16>)
}
