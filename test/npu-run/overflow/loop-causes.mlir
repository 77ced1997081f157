// An overflow in one trip of a loop is the cause of what the next trip computes
// from it, although its values are finite; so is one in the graph of an If that
// changes a variable. What goes around in a loop is in a chain once.

// RUN: rm -rf %t && mkdir %t && npu-run %s --overflow-mode=saturate --enable-dump-debug --dump-path=%t --report=%t.json | FileCheck %s
// RUN: %python -c "import json; [print(e['kind'], ' -> '.join(e['chain'])) for e in json.load(open(r'%t.json'))['events']]" | FileCheck %s --check-prefix=EVENTS

// CHECK: overflow: 1 origin
// CHECK: origin: {{.*}}Add 'twice'

// EVENTS: origin twice
// EVENTS-NEXT: propagated twice -> x1 -> relu{{$}}
// EVENTS-NEXT: propagated twice -> x1 -> relu -> twice{{$}}
// EVENTS-NEXT: propagated twice -> loop -> p -> store{{$}}
// EVENTS-NEXT: propagated twice -> loop -> p -> store -> after{{$}}
// EVENTS-NOT: {{.}}

ge.graph @g {
  %s, %s_ctl = ge.node "Const" "s"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<i32>
  %l, %l_ctl = ge.node "Const" "l"() attrs {value = #ge.value<t, {data = "\02\00\00\00"}>} -> tensor<i32>
  %d, %d_ctl = ge.node "Const" "d"() attrs {value = #ge.value<t, {data = "\01\00\00\00"}>} -> tensor<i32>
  %x, %x_ctl = ge.node "Const" "x"() attrs {value = #ge.value<t, {data = "\00\7B"}>} -> tensor<1xf16>
  %v, %v_ctl = ge.node "Variable" "v"() attrs {value = #ge.value<t, {data = "\00\00"}>} -> tensor<1xf16>
  %w, %w_ctl = ge.node "For" "loop"(%s, %l, %d, %x) calls [@body]
    : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<1xf16>) -> tensor<1xf16>
  %i_ctl = ge.node "If" "choice"(%d, %v, %w) calls [@then_g, @else_g] : (tensor<i32>, tensor<1xf16>, tensor<1xf16>)
  %r, %r_ctl = ge.node "Relu" "after"(%v) [%i_ctl] : (tensor<1xf16>) -> tensor<1xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<1xf16>)
}
ge.graph @body {
  %x, %x_ctl = ge.node "Data" "x1"() attrs {_parent_node_index = 3 : i64} -> tensor<1xf16>
  %r, %r_ctl = ge.node "Relu" "relu"(%x) : (tensor<1xf16>) -> tensor<1xf16>
  %a, %a_ctl = ge.node "Add" "twice"(%r, %r) : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  %out_ctl = ge.node "NetOutput" "body_out"(%a) : (tensor<1xf16>)
}
ge.graph @then_g {
  %v, %v_ctl = ge.node "Data" "q"() attrs {_parent_node_index = 1 : i64} -> tensor<1xf16>
  %p, %p_ctl = ge.node "Data" "p"() attrs {_parent_node_index = 2 : i64} -> tensor<1xf16>
  %a, %a_ctl = ge.node "Assign" "store"(%v, %p) : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  %out_ctl = ge.node "NetOutput" "then_out"() [%a_ctl]
}
ge.graph @else_g {
  %out_ctl = ge.node "NetOutput" "else_out"()
}
