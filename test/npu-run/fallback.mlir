// What no kernel computes can come from files, output by output. Such a node
// has its own task, and the report says that its data was given.

// RUN: rm -rf %t && mkdir -p %t/dump
// RUN: %python -c "import numpy as n; n.save(r'%t/0', n.full(4, 1, 'f2')); n.save(r'%t/1', n.full(4, 2, 'f2'))"
// RUN: npu-run %s --init=random:1 --fallback m:0=%t/0.npy --fallback m:1=%t/1.npy --output-dir=%t --report=%t/report.json --enable-dump --dump-path=%t/dump | FileCheck %s
// RUN: %python -c "import numpy as n; print(n.load(r'%t/a.0.npy').tolist())" | FileCheck %s --check-prefix=VALUES
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// RUN: ls %t/dump/*/0/g/1/0 | FileCheck %s --check-prefix=DUMP
// CHECK: ran 1 node
// VALUES: [3.0, 3.0, 3.0, 3.0]
// REPORT: "kind": "given"
// REPORT-NEXT: "name": "m"
// DUMP: Add.a.2.0.
// DUMP: Mystery.m.1.0.

// RUN: not npu-run %s --init=random:1 --fallback m=%t/0.npy 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: error: --fallback m: the node has 2 outputs; expected NAME:OUTPUT
// WHICH-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %m:2, %m_ctl = ge.node "Mystery" "m"(%x) : (tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
  %a, %a_ctl = ge.node "Add" "a"(%m#0, %m#1) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%a) : (tensor<4xf16>)
}
