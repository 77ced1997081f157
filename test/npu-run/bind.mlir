// --input and --bind give inputs and constants their data.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as n; n.save(r'%t/x', n.array([[1, 2], [3, 4]], 'f2')); n.save(r'%t/w', n.array([[5, 6], [7, 8]], 'f2'))"
// RUN: npu-run %s --input x=%t/x.npy --bind w=%t/w.npy --output-dir=%t | FileCheck %s
// RUN: npu-run %s --input x:0=%t/x.npy --bind=w:0=%t/w.npy --output-dir=%t/again
// RUN: cmp %t/m.0.npy %t/again/m.0.npy
// RUN: %python -c "import numpy as n; print(n.load(r'%t/m.0.npy').tolist())" | FileCheck %s --check-prefix=VALUES

// CHECK: ran 1 node of 'g' (Ascend910A, saturate)
// CHECK-NOT: {{.}}
// VALUES: {{\[\[19.0, 22.0\], \[43.0, 50.0\]\]}}
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2x2xf16>
  %w, %w_ctl = ge.node "Const" "w"() -> tensor<2x2xf16>
  %m, %m_ctl = ge.node "MatMul" "m"(%x, %w) : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %out_ctl = ge.node "NetOutput" "out"(%m) : (tensor<2x2xf16>)
}
