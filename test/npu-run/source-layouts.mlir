// An array for an input in NC1HWC0 has the shape in memory or that of the
// logical tensor; both give the same run.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as n; x = n.arange(1 * 20 * 2 * 3, dtype='f2').reshape(1, 20, 2, 3); n.save(r'%t/logical', x); p = n.zeros((1, 32, 2, 3), 'f2'); p[:, :20] = x; n.save(r'%t/physical', n.ascontiguousarray(p.reshape(1, 2, 16, 2, 3).transpose(0, 1, 3, 4, 2)))"
// RUN: npu-run %s --input x=%t/logical.npy --output-dir=%t/a
// RUN: npu-run %s --input x=%t/physical.npy --output-dir=%t/b
// RUN: cmp %t/a/r.0.npy %t/b/r.0.npy
// RUN: cmp %t/a/r.0.npy %t/physical.npy
!t = tensor<1x2x2x3x16xf16, #ge.layout<NC1HWC0 of NCHW [1, 20, 2, 3]>>
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> !t
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (!t) -> !t
  %out_ctl = ge.node "NetOutput" "out"(%r) : (!t)
}
