// A program outside of this project finds the installed package and uses the
// passes in its own pipeline. What is installed also runs.

// UNSUPPORTED: sanitizer

// RUN: rm -rf %t && mkdir %t
// RUN: cmake --install %build --prefix %t/npu > %t/install.log
// RUN: %t/npu/bin/npu-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: mlir-opt %s --load-dialect-plugin=%t/npu/lib/libNpuPlugin.so --pass-pipeline='builtin.module(npu-insert-dump{layer=type:* mode=all})' | FileCheck %s
// RUN: cmake -G Ninja -S %S -B %t/build -DCMAKE_PREFIX_PATH=%t/npu -DCMAKE_BUILD_TYPE=Release > %t/configure.log
// RUN: cmake --build %t/build > %t/build.log
// RUN: %t/build/consumer %s 'type:*' | FileCheck %s

// VERSION: npu-mlir

// CHECK-LABEL: ge.graph @g
// CHECK: node "Relu" "relu"(%x, _)
// CHECK-NEXT: instr.dump "relu" of %relu_ctl : !ge.control inputs [0](%x : tensor<2xf16>) outputs [0](%relu : tensor<2xf16>)
// CHECK-LABEL: func.func @f
// CHECK: arith.addf
// CHECK-NEXT: instr.dump "sum"
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %0:2 = ge.node "Relu" "relu"(%x, _) : (tensor<2xf16>) -> tensor<2xf16>
}

func.func @f(%t: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %t, %t : tensor<2xf32> loc("sum")
  return %0 : tensor<2xf32>
}
