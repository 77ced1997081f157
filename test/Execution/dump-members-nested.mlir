// Members of a node that is itself a member: their values are followed to
// wherever they live, an input or output of the outermost node or between two
// members. An instr.dump among them is enough to have them dumped.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.array([1, -2, 3, -4], numpy.float16))" %t/x.npy
// RUN: npu-run %s --input x=%t/x.npy --enable-dump --dump-path=%t | FileCheck %s --check-prefix=COUNT
// RUN: find %t -name "*.outer_*" -exec npu-dump info {} + > %t/info
// RUN: FileCheck %s --check-prefix=NEG --input-file=%t/info
// RUN: FileCheck %s --check-prefix=RELU --input-file=%t/info
// RUN: FileCheck %s --check-prefix=ADD --input-file=%t/info

// A node whose outputs are given runs no members.
// RUN: mkdir %t/given
// RUN: npu-run %s --input x=%t/x.npy --fallback outer=%t/x.npy --enable-dump --dump-path=%t/given | FileCheck %s --check-prefix=GIVEN

// GIVEN: wrote 0 dump files
// COUNT: wrote 3 dump files

// NEG: Neg.outer_inner_neg.1.0.
// NEG-NEXT: Neg neg at
// NEG-NEXT: input 0: {{.*}} min -4, max 3
// NEG-NEXT: output 0: {{.*}} min -3, max 4

// RELU: Relu.outer_inner_relu.1.0.
// RELU-NEXT: Relu relu at
// RELU-NEXT: input 0: {{.*}} min -3, max 4
// RELU-NEXT: output 0: {{.*}} min 0, max 4

// ADD: Add.outer_add.1.0.
// ADD-NEXT: Add add at
// ADD-NEXT: input 0: {{.*}} min -3, max 4
// ADD-NEXT: input 1: {{.*}} min 0, max 4
// ADD-NEXT: output 0: {{.*}} min -3, max 8
!t = tensor<4xf16>
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> !t
  %0:2 = ge.node "Add" "outer"(%x) : (!t) -> !t {
  ^bb0(%a: !t):
    %1:3 = ge.node "Relu" "inner"(%a) : (!t) -> (!t, !t) {
    ^bb0(%b: !t):
      %n, %n_ctl = ge.node "Neg" "neg"(%b) : (!t) -> !t
      instr.dump "neg" of %n_ctl : !ge.control inputs [0] (%b : !t) outputs [0] (%n : !t)
      %r, %r_ctl = ge.node "Relu" "relu"(%n) : (!t) -> !t
      instr.dump "relu" of %r_ctl : !ge.control outputs [0] (%r : !t)
      instr.dump "relu" of %r_ctl : !ge.control inputs [0] (%n : !t)
      ge.yield %n, %r : !t, !t
    }
    %s, %s_ctl = ge.node "Add" "add"(%1#0, %1#1) : (!t, !t) -> !t
    instr.dump "add" of %s_ctl : !ge.control inputs [0, 1] (%1#0, %1#1 : !t, !t) outputs [0] (%s : !t)
    ge.yield %s : !t
  }
  %2 = ge.node "NetOutput" "out"(%0#0) : (!t)
}
