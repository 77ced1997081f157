// An input file with a leading axis as long as the run has a value for each
// iteration; one of another length does not fit.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python -c "import numpy as n; n.save(r'%t/x', n.array([[1, 2], [-3, 4]], 'f2'))"
// RUN: npu-run %s --input x=%t/x.npy --iterations=2 --output-dir=%t
// RUN: %python -c "import numpy as n; print([n.load(rf'%t/{i}/r.0.npy').tolist() for i in range(2)])" | FileCheck %s
// RUN: not npu-run %s --input x=%t/x.npy --iterations=3 2>&1 | FileCheck %s --check-prefix=LENGTH

// CHECK: {{\[\[}}1.0, 2.0], [3.0, 4.0]]
// LENGTH: error: {{.*}}x.npy: for {{.*}}Data 'x' (DT_FLOAT16 2 ND): the array has the shape 2x2; expected 2
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2xf16>
  %r, %r_ctl = ge.node "Abs" "r"(%x) : (tensor<2xf16>) -> tensor<2xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<2xf16>)
}
