// NumPy has no bfloat16: arrays of floats are rounded to it, and outputs are
// written as floats.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as n; n.save(r'%t/x', n.array([1, -2, 1.00390625, 1.01171875], 'f4'))"
// RUN: npu-run %s --input x=%t/x.npy --output-dir=%t
// RUN: %python -c "import numpy as n; y = n.load(r'%t/r.0.npy'); print(y.dtype, y.tolist())" | FileCheck %s
// CHECK: float32 [1.0, 2.0, 1.0, 1.015625]
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xbf16>
  %r, %r_ctl = ge.node "Abs" "r"(%x) : (tensor<4xbf16>) -> tensor<4xbf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<4xbf16>)
}
