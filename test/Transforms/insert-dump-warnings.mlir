// A pattern that selects nothing is named.

// RUN: npu-opt %s --npu-insert-dump="layer='none re:no+ne type:None x:in0+out0+out1 type:Data:out0 sink:in0 sink r'" --verify-diagnostics -o %t

// expected-warning@+6 {{'none' selects no operation}}
// expected-warning@+5 {{'re:no+ne' selects no operation}}
// expected-warning@+4 {{'type:None' selects no operation}}
// expected-warning@+3 {{'x:in0+out0+out1' selects no operation with input 0}}
// expected-warning@+2 {{'x:in0+out0+out1' selects no operation with output 1}}
// expected-warning@+1 {{'sink' selects no operation with outputs to dump}}
module {
  ge.graph @g {
    %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
    %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<2xf16>) -> tensor<2xf16>
    %sink_ctl = ge.node "Sink" "sink"(%r) : (tensor<2xf16>)
  }
}
