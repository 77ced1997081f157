// Every error of the verifier and of the parser.
//
// RUN: npu-opt %s -split-input-file -verify-diagnostics

ge.graph @g {
  // expected-note@+1 {{the other node}}
  ge.node "Data" "x"()
  // expected-error@+1 {{has the name 'x' of another node of the graph}}
  ge.node "Relu" "x"()
}

// -----

// expected-error@+1 {{has block arguments; inputs of a graph are Data nodes}}
"ge.graph"() <{sym_name = "g"}> ({
^bb0(%x: tensor<1xf16>):
}) : () -> ()

// -----

ge.graph @g {
  %x, %c = ge.node "Data" "x"() -> tensor<1xf16>
  // expected-error@+1 {{connects 2 anchors but has 1 data inputs}}
  "ge.node"(%x) <{op_type = "Relu", node_name = "y", attrs = {}, connected = array<i1: true, false, true>, operandSegmentSizes = array<i32: 1, 0>}> ({}) : (tensor<1xf16>) -> !ge.control
}

// -----

ge.graph @g {
  %x, %c = ge.node "Data" "x"() -> tensor<1xf16>
  // expected-error@+1 {{expects input_descs to hold #ge.desc, found 1 : i64}}
  ge.node "Relu" "y"(%x) in [1] : (tensor<1xf16>)
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects output_descs to hold #ge.desc, found "x"}}
  %x, %c = ge.node "Data" "x"() out ["x"] -> tensor<1xf16>
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects a type in input_descs[0]: its anchor is not connected}}
  ge.node "Data" "x"(_) in [#ge.desc<{}>]
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects a type in input_descs[1]: its anchor is not connected}}
  ge.node "Data" "x"(_) in [#ge.desc<tensor<1xf16>, {}>, #ge.desc<{}>]
}

// -----

ge.graph @g {
  // expected-error@+1 {{has 2 output_descs for 1 outputs}}
  %x, %c = ge.node "Data" "x"() out [#ge.desc<{}>, #ge.desc<{}>] -> tensor<1xf16>
}

// -----

ge.graph @g {
  // expected-error@+1 {{has a type in output_descs[0]; the type of an output is that of its value}}
  %x, %c = ge.node "Data" "x"() out [#ge.desc<tensor<1xf16>, {}>] -> tensor<1xf16>
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects one block of members}}
  ge.node "NoOp" "x"() {
    ge.yield
  ^bb1:
    ge.yield
  }
}

// -----

ge.graph @g {
  %x, %c = ge.node "Data" "x"() -> tensor<1xf16>
  // expected-error@+1 {{has 1 data inputs but its members take 0}}
  ge.node "Relu" "y"(%x) : (tensor<1xf16>) {
    ge.yield
  }
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects ge.yield after its members}}
  ge.node "NoOp" "x"() {
    ge.node "NoOp" "y"()
  }
}

// -----

ge.graph @g {
  // expected-error@+1 {{yields other types than its outputs have}}
  %x, %c = ge.node "Data" "x"() -> tensor<1xf16> {
    ge.yield
  }
}

// -----

ge.graph @g {
  // expected-error@+1 {{expects subgraphs to be symbols or strings, found 1 : i64}}
  ge.node "If" "x"() calls [1]
}

// -----

ge.graph @g {
  // expected-error@+1 {{calls @absent, which is no ge.graph}}
  ge.node "If" "x"() calls [@absent]
}

// -----

func.func private @f()
ge.graph @g {
  // expected-error@+1 {{calls @f, which is no ge.graph}}
  ge.node "If" "x"() calls [@f]
}

// -----

// expected-error@+1 {{expects parent op 'ge.node'}}
ge.yield

// -----

// expected-error@+1 {{expects 'ge.model' to be a dictionary}}
module attributes {ge.model = 1} {
}

// -----

// expected-error@+1 {{has 'ge.model', which belongs on a module}}
func.func private @f() attributes {ge.model = {}}

// -----

// expected-error@+1 {{expects 'ge.bare_graph' to be a unit}}
module attributes {ge.bare_graph = 1} {
}

// -----

// expected-error@+1 {{has 'ge.bare_graph', which belongs on a module}}
func.func private @f() attributes {ge.bare_graph}

// -----

// expected-error@+1 {{has the unknown attribute 'ge.other'}}
module attributes {ge.other} {
}

// -----

ge.graph @g {
  // expected-error@+1 {{invalid kind of attribute specified}}
  ge.node "NoOp" 7()
}

// -----

ge.graph @g {
  %x, %c = ge.node "Data" "x"() -> tensor<1xf16>
  ge.node "Relu" "y"(%x)
// expected-error@+1 {{number of operands and types do not match: got 1 operands and 0 types}}
}

// -----

// expected-error@+1 {{expected '>'}}
func.func private @f(tensor<1xf16, #ge.layout<ND of NCHW [1] 2>>)

// -----

// expected-error@+1 {{expected valid keyword or string}}
func.func private @f(tensor<1xf16, #ge.layout<1>>)

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
module attributes {x.y = #ge.desc<tensor<1xf16>, 7>} {
}

// -----

// expected-error@+1 {{expected ','}}
module attributes {x.y = #ge.value<dt>} {
}
