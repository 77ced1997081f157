// A variable that overflows when it is changed in place passes its infinity on,
// to later nodes and to the next iteration; the overflow begins once.

// RUN: npu-run %s --iterations=2 --overflow-mode=infnan --check-overflow | FileCheck %s

// CHECK: overflow: 1 origin, 4 propagated
// CHECK-NEXT: origin: {{.*}}AssignAdd 'add'
// CHECK-NEXT: propagated: {{.*}}Relu 'after' {{.*}}from add -> after
// CHECK-NEXT: propagated: {{.*}}Relu 'before' {{.*}}from v -> before
// CHECK-NEXT: propagated: {{.*}}AssignAdd 'add' {{.*}}from v -> add
// CHECK-NEXT: propagated: {{.*}}Relu 'after' {{.*}}from v -> add -> after

ge.graph @g {
  %v, %v_ctl = ge.node "Variable" "v"()
    attrs {value = #ge.value<t, {data = "\53\7B"}>} -> tensor<1xf16>
  %b, %b_ctl = ge.node "Relu" "before"(%v) id 1 : (tensor<1xf16>) -> tensor<1xf16>
  %add, %add_ctl = ge.node "AssignAdd" "add"(%v, %v) [%b_ctl] id 2 : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  %a, %a_ctl = ge.node "Relu" "after"(%add) id 3 : (tensor<1xf16>) -> tensor<1xf16>
  %out_ctl = ge.node "NetOutput" "out"(%a, %b) id 4 : (tensor<1xf16>, tensor<1xf16>)
}
