// The outputs of a perceptron of three layers are the same bits with and
// without dumps and for any number of threads, and so are the dumped tensors.

// RUN: rm -rf %t && mkdir -p %t/all %t/one %t/five
// DEFINE: %{run} = npu-run %s --init=random:1
// DEFINE: %{dump} = %{run} --enable-dump
// RUN: %{run} --output-dir=%t/none.out --threads=1
// RUN: %{dump} --dump-path=%t/all --output-dir=%t/all.out --threads=1
// RUN: %{dump} --dump-path=%t/one --output-dir=%t/one.out --threads=2 --dump-layer=fc2
// RUN: %{dump} --dump-path=%t/five --output-dir=%t/five.out --threads=5
// RUN: cmp %t/none.out/fc3.0.npy %t/all.out/fc3.0.npy
// RUN: cmp %t/none.out/fc3.0.npy %t/one.out/fc3.0.npy
// RUN: cmp %t/none.out/fc3.0.npy %t/five.out/fc3.0.npy

// RUN: %python %S/Inputs/list-payloads.py %t/all > %t/all.txt
// RUN: %python %S/Inputs/list-payloads.py %t/five | diff %t/all.txt -
// RUN: %python %S/Inputs/list-payloads.py %t/one > %t/one.txt
// RUN: grep "MatMul fc2 output" %t/all.txt | diff - %t/one.txt
// RUN: FileCheck %s < %t/all.txt

// CHECK: 0 Data x output 0
// CHECK: 0 MatMul fc1 output 0
// CHECK: 0 MatMul fc2 output 0
// CHECK: 0 MatMul fc3 output 0
// CHECK: 0 Relu relu1 output 0
// CHECK: 0 Relu relu2 output 0
ge.graph @mlp {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<8x96xf16>
  %w1, %w1_ctl = ge.node "Const" "w1"() -> tensor<96x160xf16>
  %w2, %w2_ctl = ge.node "Const" "w2"() -> tensor<160x64xf16>
  %w3, %w3_ctl = ge.node "Const" "w3"() -> tensor<64x10xf16>
  %fc1, %fc1_ctl = ge.node "MatMul" "fc1"(%x, %w1) : (tensor<8x96xf16>, tensor<96x160xf16>) -> tensor<8x160xf16>
  %relu1, %relu1_ctl = ge.node "Relu" "relu1"(%fc1) : (tensor<8x160xf16>) -> tensor<8x160xf16>
  %fc2, %fc2_ctl = ge.node "MatMul" "fc2"(%relu1, %w2) : (tensor<8x160xf16>, tensor<160x64xf16>) -> tensor<8x64xf16>
  %relu2, %relu2_ctl = ge.node "Relu" "relu2"(%fc2) : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %fc3, %fc3_ctl = ge.node "MatMul" "fc3"(%relu2, %w3) : (tensor<8x64xf16>, tensor<64x10xf16>) -> tensor<8x10xf16>
  %out_ctl = ge.node "NetOutput" "out"(%fc3) : (tensor<8x10xf16>)
}
