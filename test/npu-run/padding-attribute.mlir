// Paddings are a list of lists in the graph text: PadD reads them in order.

// RUN: rm -rf %t && mkdir -p %t
// RUN: npu-run %s --output-dir=%t/out
// RUN: %python -c "import numpy as np; y = np.load('%t/out/y.0.npy'); assert y.tolist() == [[0, 0, 0, 0], [0, 1, 2, 0], [0, 3, 4, 0], [0, 0, 0, 0], [0, 0, 0, 0]], y"

ge.graph @g {
  %x, %x_ctl = ge.node "Const" "x"()
    attrs {value = #ge.value<t, {data = "\01\00\00\00\02\00\00\00\03\00\00\00\04\00\00\00"}>} -> tensor<2x2xi32>
  %y, %y_ctl = ge.node "PadD" "y"(%x) attrs {paddings = #ge.value<list_list_int, [array<i64: 1, 2>, array<i64: 1, 1>]>}
    : (tensor<2x2xi32>) -> tensor<5x4xi32>
  %out_ctl = ge.node "NetOutput" "out"(%y) : (tensor<5x4xi32>)
}
