//===- StatusTableIndexing.cpp - Rows of copies by indices ----------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

Row quiet(const std::string &type, std::vector<Operand> inputs, Elements out) {
  return {type,
          "infinities and NaNs are moved",
          std::move(inputs),
          {},
          Half,
          {0, out},
          {0, out}};
}

/// Of one element, by index 0.
Rows sums() {
  Rows rows = {Row{"ScatterElements",
                   "fp16 sum",
                   {half({0x7BFF}), ints({0}), half({0x4C00})},
                   {half({0x7BFF}), ints({0}), half({0x4BFF})},
                   Half,
                   {FO, {0x7BFF}},
                   {FO, {0x7C00}},
                   {0, {0x7BFF}}}
                   .with("reduction", std::string("add")),
               Row{"ScatterElements",
                   "fp16 product, too small",
                   {half({0x0001}), ints({0}), half({0x3800})},
                   {half({0x0001}), ints({0}), half({0x3801})},
                   Half,
                   {FU, {0}},
                   {FU, {0}},
                   {0, {0x0001}}}
                   .with("reduction", std::string("mul")),
               Row{"ScatterElements",
                   "int32 product",
                   {ints({65536}), ints({0}), ints({32768})},
                   {ints({65536}), ints({0}), ints({32767})},
                   Int,
                   {IO, {0x80000000}},
                   {IO, {0x80000000}},
                   {0, {0x7FFF0000}}}
                   .with("reduction", std::string("mul")),
               Row{"ScatterElements",
                   "an infinite update",
                   {half({0}), ints({0}), half({0x7C00})},
                   {half({0}), ints({0}), half({0x7BFF})},
                   Half,
                   {VN, {0x7BFF}},
                   {VN, {0x7C00}},
                   {0, {0x7BFF}}}
                   .with("reduction", std::string("add"))};
  const Rows additions = {
      {"ScatterAdd",
       "fp16 sum",
       {half({0x7BFF}), ints({0}), half({0x4C00})},
       {half({0x7BFF}), ints({0}), half({0x4BFF})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BFF}}},
      {"ScatterAdd",
       "fp32 sum",
       {floats({Max}), ints({0}), floats({0x1p103f})},
       {floats({Max}), ints({0}), floats({0x1.FFFFFEp102f})},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {FloatMax}}},
      {"ScatterAdd",
       "int32 sum",
       {ints({2147483647}), ints({0}), ints({1})},
       {ints({2147483647}), ints({0}), ints({0})},
       Int,
       {IO, {0x80000000}},
       {IO, {0x80000000}},
       {0, {0x7FFFFFFF}}},
      {"ScatterAdd",
       "an infinite update",
       {half({0}), ints({0}), half({0x7C00})},
       {half({0}), ints({0}), half({0x7BFF})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x7BFF}}}};
  append(rows, additions);
  // Two updates of an element that was zero.
  for (Row row : additions) {
    row.type = "ScatterNd";
    for (auto *side : {&row.raising, &row.calm}) {
      Operand updates = (*side)[0];
      updates.bits.push_back((*side)[2].bits[0]);
      *side = {ints({0, 0}).shaped({2, 1}), updates, ints({1})};
    }
    rows.push_back(row);
  }
  return rows;
}

} // namespace

Rows kernels::statustable::indexingRows() {
  const Operand x = half({0x7C00, 0x7E01, 0x0001}), one = half({0x7E00});
  const Elements padded = {0x4000, 0x7C00, 0x7E01, 0x0001};
  const Operand behind = ints({1, 0}).shaped({1, 2});
  Rows rows = sums();
  rows.push_back(quiet("PadV2", {x, behind, half({0x4000})}, padded));
  rows.push_back(quiet("PadV3", {x, behind, half({0x4000})}, padded));
  rows.push_back(quiet("PadV3D", {x}, padded)
                     .with("paddings", List{1, 0})
                     .with("constant_values", int64_t(2)));
  rows.push_back(
      quiet("MirrorPad", {x, behind}, {0x7E01, 0x7C00, 0x7E01, 0x0001})
          .with("mode", std::string("REFLECT")));
  const Operand image =
      half({0x7C00, 0x7E01}).shaped({1, 1, 1, 2}, Format::NCHW);
  const Row resized = quiet("ResizeNearestNeighborV2D", {image},
                            {0x7C00, 0x7C00, 0x7E01, 0x7E01})
                          .into({1, 1, 1, 4}, Format::NCHW);
  rows.push_back(resized.with("size", List{1, 4}));
  rows.push_back(resized);
  rows.back().type = "ResizeNearestNeighborV2";
  rows.back().raising.push_back(ints({1, 4}));
  const Operand square = half({0x7C00, 0x7E01, 0x0001, 0xFC00}).shaped({2, 2});
  rows.push_back(quiet("MatrixBandPart", {square, ints({0}), ints({-1})},
                       {0x7C00, 0x7E01, 0, 0xFC00})
                     .into({2, 2}));
  rows.push_back(
      quiet("Tril", {square}, {0x7C00, 0, 0x0001, 0xFC00}).into({2, 2}));
  rows.push_back(
      quiet("Triu", {square}, {0x7C00, 0x7E01, 0, 0xFC00}).into({2, 2}));
  const Operand last = ints({2, 0});
  rows.push_back(quiet("GatherElements", {x, last}, {0x0001, 0x7C00}));
  rows.push_back(quiet("GatherNd", {x, last.shaped({2, 1})}, {0x0001, 0x7C00}));
  const Elements updated = {0x7E00, 0x7E01, 0x0001};
  rows.push_back(quiet("ScatterUpdate", {x, ints({0}), one}, updated));
  for (const char *type : {"ScatterNdUpdate", "TensorScatterUpdate"})
    rows.push_back(quiet(type, {x, ints({0}).shaped({1, 1}), one}, updated));
  // Two pixels of a block of one row as channels, and as images.
  const Operand pixels =
      half({0x7C00, 0x7E01, 0x0001, 0xFC00}).shaped({1, 2, 2, 1}, Format::NHWC);
  const Row depth = quiet("SpaceToDepth", {pixels}, pixels.bits)
                        .with("block_size", int64_t(2));
  rows.push_back(depth.into({1, 1, 1, 4}, Format::NHWC));
  rows.push_back(depth.into({1, 2, 2, 1}, Format::NHWC));
  rows.back().type = "DepthToSpace";
  rows.back().raising[0] = half(pixels.bits).shaped({1, 1, 1, 4}, Format::NHWC);
  const Row batch = quiet("SpaceToBatchNDD", {pixels}, pixels.bits)
                        .with("block_shape", List{2, 2})
                        .with("paddings", List{0, 0, 0, 0})
                        .with("crops", List{0, 0, 0, 0});
  rows.push_back(batch.into({4, 1, 1, 1}, Format::NHWC));
  rows.push_back(batch.into({1, 2, 2, 1}, Format::NHWC));
  rows.back().type = "BatchToSpaceNDD";
  rows.back().raising[0] = half(pixels.bits).shaped({4, 1, 1, 1}, Format::NHWC);
  return rows;
}
