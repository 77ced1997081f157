// A fused node may give out one value twice, and an input as it is.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.array([1, -2, 3, -4], numpy.float16))" %t/x.npy
// RUN: npu-run %s --input x=%t/x.npy --output-dir=%t/out
// RUN: %python -c "import numpy, sys; [print(i, numpy.load(sys.argv[1] + '/fused.%d.npy' % i)) for i in range(3)]" %t/out | FileCheck %s

// CHECK: 0 [-1. 2. -3. 4.]
// CHECK: 1 [-1. 2. -3. 4.]
// CHECK: 2 [ 1. -2. 3. -4.]
!t = tensor<4xf16>
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> !t
  %0:4 = ge.node "Neg" "fused"(%x) : (!t) -> (!t, !t, !t) {
  ^bb0(%a: !t):
    %n, %n_ctl = ge.node "Neg" "neg"(%a) : (!t) -> !t
    ge.yield %n, %n, %a : !t, !t, !t
  }
  %1 = ge.node "NetOutput" "out"(%0#0, %0#1, %0#2) : (!t, !t, !t)
}
