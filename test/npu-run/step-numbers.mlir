// Iterations may be numbered as a device does that is in the middle of its run:
// step * (iterations_per_loop + 1) + loop_cond. --dump-step, folders and the
// report go by these numbers. U50.

// RUN: rm -rf %t && mkdir -p %t/one %t/some
// RUN: npu-run %s --init=random:1 --step-id=2 --iterations-per-loop=9 --loop-cond=4 --enable-dump --dump-path=%t/one
// RUN: ls %t/one/*/0/g/1 | FileCheck %s --implicit-check-not={{.}} --check-prefix=ONE
// ONE: {{^}}24{{$}}
// RUN: npu-run %s --init=random:1 --iterations=3 --step_id=2 --iterations_per_loop=9 --loop_cond=4 --enable-dump --dump-path=%t/some --dump-step="2|25-40" --output-dir=%t/out --report=%t/report.json | FileCheck %s
// RUN: ls %t/some/*/0/g/1 | sort | tr '\n' ' ' | FileCheck %s --check-prefix=SOME
// RUN: ls %t/out | sort | tr '\n' ' ' | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json
// CHECK: dump: 4 files
// CHECK: wrote 4 dump files
// SOME: {{^}}25 26 {{$}}
// OUT: {{^}}24 25 26 {{$}}
// REPORT: "first_iteration": 24
// RUN: not npu-run %s --init=random:1 --iterations-per-loop=9 --loop-cond=10 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: --loop-cond 10: expected at most the value of --iterations-per-loop, 9
// RUN: not npu-run %s --init=random:1 --step-id=2147483648 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: error: --step-id 2147483648: expected at most 2147483647

// An input with a value for each iteration gives them in the order they run.
// RUN: %python -c "import numpy as n; n.save(r'%t/x', n.array([[1]*4, [2]*4], 'f2'))"
// RUN: npu-run %s --input x=%t/x.npy --iterations=2 --step-id=7 --output-dir=%t/each
// RUN: %python -c "import numpy as n; print([n.load(rf'%t/each/{i}/r.0.npy')[0] for i in (7, 8)])" | FileCheck %s --check-prefix=EACH
// EACH: [{{.*}}1.0{{.*}}, {{.*}}2.0
ge.graph @g {
  %x, %x_ctl = ge.node "Data" "x"() -> tensor<4xf16>
  %r, %r_ctl = ge.node "Relu" "r"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %out_ctl = ge.node "NetOutput" "out"(%r) : (tensor<4xf16>)
}
