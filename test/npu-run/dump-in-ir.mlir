// What the IR asks for is dumped, and no more where nothing else is asked for;
// --dump-layer adds to it.

// RUN: rm -rf %t && mkdir -p %t/ir %t/more
// RUN: npu-run %s --init=random:1 --enable-dump --dump-path=%t/ir
// RUN: %python %S/Inputs/list-payloads.py %t/ir | cut -d' ' -f2-5 | FileCheck %s --check-prefix=IR
// RUN: npu-run %s --init=random:1 --enable-dump --dump-path=%t/more --dump-layer=s
// RUN: %python %S/Inputs/list-payloads.py %t/more | cut -d' ' -f2-5 | FileCheck %s --check-prefix=MORE
// RUN: npu-run %s --init=random:1 2>&1 >/dev/null | FileCheck %s --check-prefix=OFF

// IR: Relu r input 0
// IR-NOT: {{.}}
// MORE: Abs s output 0
// MORE-NEXT: Relu r input 0
// MORE-NOT: {{.}}
// OFF: warning: {{.*}}in-ir.mlir: has instr.dump, but without --enable-dump nothing is dumped
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  instr.dump "r" of %r_ctl : !ge.control inputs [0] (%x : tensor<4xf16>)
  %s, %s_ctl = ge.node "Abs" "s"(%r) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%s) : (tensor<4xf16>)
}
