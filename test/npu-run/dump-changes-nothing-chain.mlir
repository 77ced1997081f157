// y = a*b + c over random float16 values, some of which show one rounding
// instead of two: the outputs are the same bits without a dump, with a dump of
// all nodes and with one of one node; a node's tensors are the same bits
// whether it is dumped alone or with others; any number of threads gives the
// same; and y is rounded twice.

// RUN: rm -rf %t && mkdir -p %t/all %t/again %t/one %t/two %t/five
// RUN: %python -c "import numpy as n; r = n.random.default_rng(1); [n.save(rf'%t/{k}', r.standard_normal(4096).astype('f2')) for k in 'abc']"
// DEFINE: %{run} = npu-run %s --input a=%t/a.npy --input b=%t/b.npy --input c=%t/c.npy
// DEFINE: %{dump} = %{run} --enable-dump --dump-mode=all
// RUN: %{run} --output-dir=%t/none.out --threads=1
// RUN: %{dump} --dump-path=%t/all --output-dir=%t/all.out --threads=1
// RUN: %{dump} --dump-path=%t/again --output-dir=%t/again.out --threads=1
// RUN: %{dump} --dump-path=%t/one --output-dir=%t/one.out --dump-layer=y
// RUN: %{dump} --dump-path=%t/two --output-dir=%t/two.out --threads=2
// RUN: %{dump} --dump-path=%t/five --output-dir=%t/five.out --threads=5
// RUN: cmp %t/none.out/y.0.npy %t/all.out/y.0.npy
// RUN: cmp %t/none.out/y.0.npy %t/one.out/y.0.npy
// RUN: cmp %t/none.out/y.0.npy %t/two.out/y.0.npy
// RUN: cmp %t/none.out/y.0.npy %t/five.out/y.0.npy

// RUN: %python %S/Inputs/list-payloads.py %t/all > %t/all.txt
// RUN: %python %S/Inputs/list-payloads.py %t/again | diff %t/all.txt -
// RUN: %python %S/Inputs/list-payloads.py %t/two | diff %t/all.txt -
// RUN: %python %S/Inputs/list-payloads.py %t/five | diff %t/all.txt -
// RUN: %python %S/Inputs/list-payloads.py %t/one > %t/one.txt
// RUN: grep -E "Add y|Data c" %t/all.txt | diff - %t/one.txt
// RUN: grep -c "Add y" %t/one.txt | FileCheck %s --check-prefix=THREE
// THREE: 3

// RUN: %python -c "import numpy as n; a, b, c, y = [n.load(rf'%t/{k}.npy') for k in ('a', 'b', 'c', 'none.out/y.0')]; once = (a.astype('f8') * b + c).astype('f2'); assert ((a * b) + c == y).all() and (once != y).any()"
ge.graph @g {
  %a, %a_ctl = ge.node "Data" "a"() -> tensor<4096xf16>
  %b, %b_ctl = ge.node "Data" "b"() -> tensor<4096xf16>
  %c, %c_ctl = ge.node "Data" "c"() -> tensor<4096xf16>
  %p, %p_ctl = ge.node "Mul" "p"(%a, %b) : (tensor<4096xf16>, tensor<4096xf16>) -> tensor<4096xf16>
  %y, %y_ctl = ge.node "Add" "y"(%p, %c) : (tensor<4096xf16>, tensor<4096xf16>) -> tensor<4096xf16>
  %out_ctl = ge.node "NetOutput" "out"(%y) : (tensor<4096xf16>)
}
