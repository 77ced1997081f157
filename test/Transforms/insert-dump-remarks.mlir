// Counts when asked for, and what goes beyond an NPU in one line.

// RUN: npu-opt %s --npu-insert-dump="layer=* report" --verify-diagnostics

// expected-remark@+2 {{dumps what an NPU would not: 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7' and 2 more}}
// expected-remark@+1 {{inserted 11 dump(s) for 12 selected operation(s)}}
module {
  ge.graph @g {
    %c0:2 = ge.node "Const" "c0"() -> tensor<2xf16>
    %c1:2 = ge.node "Const" "c1"() -> tensor<2xf16>
    %c2:2 = ge.node "Const" "c2"() -> tensor<2xf16>
    %c3:2 = ge.node "Const" "c3"() -> tensor<2xf16>
    %c4:2 = ge.node "Const" "c4"() -> tensor<2xf16>
    %c5:2 = ge.node "Const" "c5"() -> tensor<2xf16>
    %c6:2 = ge.node "Const" "c6"() -> tensor<2xf16>
    %c7:2 = ge.node "Const" "c7"() -> tensor<2xf16>
    %c8:2 = ge.node "Const" "c8"() -> tensor<2xf16>
    %c9:2 = ge.node "Const" "c9"() -> tensor<2xf16>
    %0:2 = ge.node "Relu" "relu"(%c0#0) : (tensor<2xf16>) -> tensor<2xf16>
    %1:2 = ge.node "Relu" "dumped"(%c0#0) : (tensor<2xf16>) -> tensor<2xf16>
    instr.dump "dumped" of %1#1 : !ge.control outputs [0] (%1#0 : tensor<2xf16>)
    %2 = ge.node "NoOp" "nothing"()
  }
}
