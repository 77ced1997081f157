// Round trip of every form of the attributes.
//
// RUN: npu-opt %s | npu-opt | FileCheck %s
// RUN: npu-opt --mlir-print-op-generic %s | npu-opt | FileCheck %s
// RUN: npu-opt --emit-bytecode %s | npu-opt | FileCheck %s

// Layouts and descriptors are printed as aliases.
// CHECK-DAG: #[[ND:.*]] = #ge.layout<ND>
// CHECK-DAG: #[[SUB:.*]] = #ge.layout<"FRACTAL_Z:240" of HWCN>
// CHECK-DAG: #[[FULL:.*]] = #ge.layout<NC1HWC0 of NCHW [1, 64, 112, 112]>
// CHECK-DAG: #[[SHAPE:.*]] = #ge.layout<ND of [-1, 3]>
// CHECK-DAG: #[[SCALAR:.*]] = #ge.layout<ND of ND []>
// CHECK-DAG: #[[NAMELESS:.*]] = #ge.layout<"" of "">
// CHECK-DAG: #[[OF:.*]] = #ge.layout<of of of>
// CHECK-DAG: #[[DESC:.*]] = #ge.desc<{device_type = "NPU", size = 301088 : i64}>
// CHECK-DAG: #[[EMPTY:.*]] = #ge.desc<{}>
// CHECK-DAG: #[[TYPED:.*]] = #ge.desc<tensor<100x1568xf16, #[[ND]]>, {}>
// CHECK-DAG: #[[UNRANKED:.*]] = #ge.desc<tensor<*xf16>, {layout = "NCHW", no_shape}>

// CHECK: module
// CHECK-SAME: desc.empty = #[[EMPTY]]
// CHECK-SAME: desc.fields = #[[DESC]]
// CHECK-SAME: desc.type = #[[TYPED]]
// CHECK-SAME: desc.unranked = #[[UNRANKED]]
// CHECK-SAME: layout.full = #[[FULL]]
// CHECK-SAME: layout.keyword = #[[OF]]
// CHECK-SAME: layout.nameless = #[[NAMELESS]]
// CHECK-SAME: layout.plain = #[[ND]]
// CHECK-SAME: layout.scalar = #[[SCALAR]]
// CHECK-SAME: layout.shape = #[[SHAPE]]
// CHECK-SAME: layout.sub = #[[SUB]]
// CHECK-SAME: value.dt = #ge.value<dt, 1 : i64>
// CHECK-SAME: value.expression = #ge.value<expression, "s0 * 2">
// CHECK-SAME: value.func = #ge.value<func, {attr = {k = 1 : i64}, name = "f"}>
// CHECK-SAME: value.list = #ge.value<list, {i = array<i64: 0, 1>}>
// CHECK-SAME: value.lists = #ge.value<list_list_int, [array<i64: 1, -1>, array<i64>]>
// CHECK-SAME: value.odd = #ge.value<"no keyword", unit>
// CHECK-SAME: value.td = #ge.value<td, #[[DESC]]>
// CHECK-SAME: value.unknown = #ge.value<unknown, ["future: 1"]>
module attributes {
  layout.plain = #ge.layout<ND>,
  layout.sub = #ge.layout<"FRACTAL_Z:240" of HWCN>,
  layout.full = #ge.layout<NC1HWC0 of NCHW [1, 64, 112, 112]>,
  layout.shape = #ge.layout<ND of [-1, 3]>,
  layout.scalar = #ge.layout<ND of ND []>,
  layout.nameless = #ge.layout<"" of "">,
  layout.keyword = #ge.layout<of of of>,
  desc.fields = #ge.desc<{device_type = "NPU", size = 301088 : i64}>,
  desc.empty = #ge.desc<{}>,
  desc.type = #ge.desc<tensor<100x1568xf16, #ge.layout<ND>>, {}>,
  desc.unranked = #ge.desc<tensor<*xf16>, {layout = "NCHW", no_shape}>,
  value.dt = #ge.value<dt, 1 : i64>,
  value.expression = #ge.value<expression, "s0 * 2">,
  value.func = #ge.value<func, {attr = {k = 1 : i64}, name = "f"}>,
  value.list = #ge.value<list, {i = array<i64: 0, 1>}>,
  value.lists = #ge.value<list_list_int, [array<i64: 1, -1>, array<i64>]>,
  value.odd = #ge.value<"no keyword", unit>,
  value.td = #ge.value<td, #ge.desc<{device_type = "NPU", size = 301088 : i64}>>,
  value.unknown = #ge.value<unknown, ["future: 1"]>
} {
}
