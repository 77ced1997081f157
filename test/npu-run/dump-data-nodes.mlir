// A Data node is dumped with the node that reads it, under the numbers of that
// node's task; alone it is dumped as well, which a device would not do.

// RUN: rm -rf %t && mkdir -p %t/conv %t/x %t/both %t/unread
// DEFINE: %{dump} = npu-run %s --init=random:1 --enable-dump
// RUN: %{dump} --dump-path=%t/conv --dump-layer=conv1 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: %{dump} --dump_path=%t/x --dump-layer=x 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %{dump} --dump-path %t/both --dump_layer "x conv1" 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: %{dump} --dump-path=%t/unread --dump-layer=unread
// RUN: ls %t/conv/*/0/g/1/0 | FileCheck %s --check-prefix=BOTH
// RUN: ls %t/both/*/0/g/1/0 | FileCheck %s --check-prefix=BOTH
// RUN: ls %t/x/*/0/g/1/0 | FileCheck %s --check-prefix=ONE
// RUN: ls %t/unread/*/0/g/1/0 | FileCheck %s --check-prefix=UNREAD

// QUIET-NOT: remark
// ALONE: remark: dumps what an NPU would not: 'x'
// BOTH: {{^Data.x.2.5.[0-9]+$}}
// BOTH-NEXT: {{^Relu.conv1.2.5.[0-9]+$}}
// BOTH-NOT: {{.}}
// ONE: {{^Data.x.1.0.[0-9]+$}}
// ONE-NOT: {{.}}
// UNREAD: {{^Data.unread.0.0.[0-9]+$}}
// UNREAD-NOT: {{.}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %unread, %unread_ctl = ge.node "Data" "unread"() -> tensor<4xf16>
  %f, %f_ctl = ge.node "Abs" "first"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %c, %c_ctl = ge.node "Relu" "conv1"(%x) id 5 stream 5 : (tensor<4xf16>) -> tensor<4xf16>
  %r, %r_ctl = ge.node "Add" "r"(%c, %f) id 6 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) id 7 : (tensor<4xf16>)
}
