// --dump-mode says which side of a node is dumped.

// RUN: rm -rf %t && mkdir -p %t/input %t/output %t/default %t/all
// DEFINE: %{dump} = npu-run %s --init=random:1 --enable-dump
// RUN: %{dump} --dump-path=%t/input --dump-mode=input
// RUN: %{dump} --dump-path=%t/output --dump-mode=output
// RUN: %{dump} --dump-path=%t/default
// RUN: %{dump} --dump-path=%t/all --dump_mode=all
// RUN: %python %S/Inputs/list-payloads.py %t/input | cut -d' ' -f2-5 > %t/list
// RUN: FileCheck %s --check-prefix=INPUT < %t/list
// RUN: %python %S/Inputs/list-payloads.py %t/output | cut -d' ' -f2-5 | FileCheck %s --check-prefix=OUTPUT
// RUN: %python %S/Inputs/list-payloads.py %t/default | cut -d' ' -f2-5 | FileCheck %s --check-prefix=OUTPUT
// RUN: %python %S/Inputs/list-payloads.py %t/all | cut -d' ' -f2-5 | FileCheck %s --check-prefix=ALL

// INPUT: Add r input 0
// INPUT-NEXT: Add r input 1
// INPUT-NOT: {{.}}
// OUTPUT: Add r output 0
// OUTPUT-NEXT: Data x output 0
// OUTPUT-NOT: {{.}}
// ALL: Add r input 0
// ALL-NEXT: Add r input 1
// ALL-NEXT: Add r output 0
// ALL-NEXT: Data x output 0
// ALL-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %r, %r_ctl = ge.node "Add" "r"(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<4xf16>)
}
