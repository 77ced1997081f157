//===- StatusTableMovement.cpp - Rows of operators that raise nothing -----===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

/// \p type with \p inputs and \p out, infinities and NaNs among them.
Row quiet(const std::string &type, std::vector<Operand> inputs, Elements out) {
  return {type,
          "infinities and NaNs are moved",
          std::move(inputs),
          {},
          Half,
          {0, out},
          {0, out}};
}

} // namespace

Rows kernels::statustable::movementRows() {
  const Operand x = half({0x7C00, 0x7E01, 0x0001});
  Rows rows;
  for (const char *type :
       {"Bitcast",     "CacheUpdate",  "End",           "ExpandDims",
        "Flatten",     "FlattenV2",    "HcomAllReduce", "HcomBroadcast",
        "HcomReduce",  "StridedWrite", "Identity",      "IdentityN",
        "MemcpyAsync", "ReadSelect",   "Reshape",       "WriteSelect",
        "Squeeze",     "SqueezeV2",    "Unsqueeze",     "UnsqueezeV2"})
    rows.push_back(quiet(type, {x}, x.bits));
  for (auto [type, value] : {std::pair("Rank", 1), std::pair("Shape", 3),
                             std::pair("ShapeN", 3), std::pair("Size", 3)}) {
    Row row = quiet(type, {x}, {static_cast<uint64_t>(value)}).into({1});
    row.outType = Int;
    rows.push_back(row);
  }
  for (const char *type : {"AtomicAddrClean", "HcomSend", "MemSet"})
    rows.push_back({type, "computes nothing", {}, {}});
  rows.push_back(quiet("Assign", {half({0, 0, 0}), x}, x.bits));
  rows.push_back(quiet("HcomAllGather", {x},
                       {0x7C00, 0x7E01, 0x0001, 0x7C00, 0x7E01, 0x0001})
                     .with("rank_size", int64_t(2)));
  rows.push_back(
      quiet("HcomReduceScatter", {x}, x.bits).with("rank_size", int64_t(1)));
  const Operand none = {DataType::Int64, {0}}, three = {DataType::Int64, {3}};
  rows.push_back(quiet("HcomAllToAllV", {x, three, none, three, none}, x.bits));
  rows.push_back(quiet("StridedRead", {x}, {0x7C00, 0x7E01})
                     .with("axis", int64_t(0))
                     .with("stride", int64_t(3)));
  const Elements joined = {0x7C00, 0x7E01, 0x0001, 0x7E00};
  for (const char *type : {"ConcatD", "ConcatV2D"})
    rows.push_back(quiet(type, {x, half({0x7E00})}, joined)
                       .with("concat_dim", int64_t(0)));
  rows.push_back(quiet("ConcatV2", {x, half({0x7E00}), ints({0})}, joined));
  for (const char *type : {"SplitD", "SplitVD"})
    rows.push_back(quiet(type, {half({0x7C00, 0x7E01})}, {0x7C00})
                       .with("split_dim", int64_t(0))
                       .with("num_split", int64_t(2))
                       .with("size_splits", List{1, 1})
                       .besides(Half, {1}));
  rows.push_back(quiet("Concat", {ints({0}), x, half({0x7E00})}, joined));
  rows.push_back(quiet("Split", {ints({0}), half({0x7C00, 0x7E01})}, {0x7C00})
                     .besides(Half, {1}));
  rows.push_back(quiet("SplitV",
                       {half({0x7C00, 0x7E01}), ints({1, 1}), ints({0})},
                       {0x7C00})
                     .besides(Half, {1}));
  rows.push_back(
      quiet("Pack", {half({0x7C00}), half({0x7E00})}, {0x7C00, 0x7E00})
          .into({2, 1}));
  rows.push_back(
      quiet("Unpack", {half({0x7C00, 0x7E01}).shaped({2, 1})}, {0x7C00})
          .besides(Half, {1}));
  const Elements padded = {0, 0x7C00, 0x7E01, 0x0001},
                 reversed = {0x0001, 0x7E01, 0x7C00},
                 repeated = {0x7C00, 0x7C00};
  rows.push_back(quiet("PadD", {x}, padded).with("paddings", List{1, 0}));
  rows.push_back(quiet("Pad", {x, ints({1, 0}).shaped({1, 2})}, padded));
  rows.push_back(quiet("ReverseV2D", {x}, reversed).with("axis", List{0}));
  rows.push_back(quiet("ReverseV2", {x, ints({0})}, reversed));
  rows.push_back(
      quiet("BroadcastToD", {half({0x7C00})}, repeated).with("shape", List{2}));
  rows.push_back(quiet("BroadcastTo", {half({0x7C00}), ints({2})}, repeated));
  rows.push_back(quiet("Fill", {ints({2}), half({0x7C00})}, repeated));
  rows.push_back(quiet("ZerosLike", {x}, {0, 0, 0}));
  rows.push_back(quiet("OnesLike", {x}, {0x3C00, 0x3C00, 0x3C00}));
  rows.push_back(
      quiet("Fills", {x}, {0x4000, 0x4000, 0x4000}).with("value", 2.0f));
  const Elements last = {0x0001, 0x7C00};
  rows.push_back(quiet("Gather", {x, ints({2, 0})}, last));
  rows.push_back(quiet("GatherV2", {x, ints({2, 0}), ints({0})}, last));
  rows.push_back(
      quiet("GatherV2D", {x, ints({2, 0})}, last).with("axis", int64_t(0)));
  rows.push_back(quiet("OneHot",
                       {ints({1}), ints({2}), half({0x7C00}), half({0x7E00})},
                       {0x7E00, 0x7C00})
                     .into({1, 2}));
  rows.push_back(quiet("OneHotD", {ints({1}), half({0x7C00}), half({0x7E00})},
                       {0x7E00, 0x7C00})
                     .with("depth", int64_t(2))
                     .into({1, 2}));
  const Elements tail = {0x7E01, 0x0001};
  rows.push_back(quiet("Slice", {x, ints({1}), ints({2})}, tail));
  rows.push_back(quiet("SliceD", {x}, tail)
                     .with("offsets", List{1})
                     .with("size", List{2}));
  rows.push_back(
      quiet("StridedSlice", {x, ints({1}), ints({3}), ints({1})}, tail));
  rows.push_back(quiet("StridedSliceV2", {x, ints({1}), ints({3})}, tail));
  const Row strided = quiet("StridedSliceD", {x}, tail)
                          .with("begin", List{1})
                          .with("end", List{3})
                          .with("strides", List{1});
  rows.push_back(strided);
  Row gradient = strided.with("shape", List{3});
  gradient.type = "StridedSliceGradD";
  gradient.raising = {half(tail)};
  gradient.saturate.out = gradient.infNan.out = {0, 0x7E01, 0x0001};
  rows.push_back(gradient);
  rows.push_back(quiet("StridedSliceGrad",
                       {ints({3}), ints({1}), ints({3}), ints({1}), half(tail)},
                       {0, 0x7E01, 0x0001}));
  const Elements twice = {0x7C00, 0x7E01, 0x7C00, 0x7E01};
  const Operand pair = half({0x7C00, 0x7E01});
  rows.push_back(quiet("Tile", {pair, ints({2})}, twice));
  rows.push_back(quiet("TileD", {pair}, twice).with("multiples", List{2}));
  rows.push_back(quiet("Transpose", {x, ints({0})}, x.bits));
  rows.push_back(quiet("Unique", {x}, x.bits).besides(Int, {3}));
  Row places = quiet("Where", {half({0x7C00, 0, 0x7E01})}, {0, 2, 0});
  places.outType = Long;
  rows.push_back(places.into({3, 1}));
  Row weights = quiet("AscendWeightQuant",
                      {{DataType::Int8, {0x85, 0x7F}}, {DataType::Int8, {5}}},
                      {0x80, 0x7A});
  weights.outType = DataType::Int8;
  rows.push_back(weights);
  rows.push_back(quiet("TransposeD", {x}, x.bits).with("perm", List{0}));
  rows.push_back(quiet("ConfusionTransposeD", {x}, x.bits)
                     .with("perm", List{0})
                     .with("shape", List{static_cast<int64_t>(x.bits.size())})
                     .with("transpose_first", false));
  const Operand condition = {DataType::Bool, {1, 0}};
  for (const char *type : {"Select", "SelectV2"})
    rows.push_back(
        quiet(type, {condition, pair, half({0, 0x7C00})}, {0x7C00, 0x7C00}));
  rows.push_back(quiet("MaskedFill", {half({0, 0x7C00}), condition, pair},
                       {0x7C00, 0x7C00}));
  rows.push_back(Row{
      "BnHost",
      "a host has no status",
      {half({0x7C00}), half({0x7BFF}), half({0x3C00})},
      {},
      Half,
      {0, {0xFBFF}},
      {0, {0xFC00}}}.besides(Half, {1}));
  for (Row row : productRows("MatrixDiagD")) {
    for (auto *side : {&row.raising, &row.calm})
      if (!side->empty())
        (*side)[1] = (*side)[1].shaped({1, 1});
    rows.push_back(row.into({1, 1}));
  }
  rows.push_back(Row{
      "Aipp",
      "the unit that loads images has no status",
      {Operand{DataType::UInt8, {255}}.shaped({1, 1, 1, 1}, Format::NHWC)},
      {},
      Half,
      {0, {0x7BFF}},
      {0, {0x7C00}}}.with("aipp.input_format", int64_t(4))
                     .with("aipp.var_reci_chn_0", 65504.0f)
                     .into({1, 1, 1, 1}, Format::NHWC));
  struct Comparison {
    const char *type;
    Elements out; ///< of 1 and 2, 2 and 1, NaN and 1
  };
  for (const Comparison &c :
       {Comparison{"Equal", {0, 0, 0}}, Comparison{"NotEqual", {1, 1, 1}},
        Comparison{"Greater", {0, 1, 0}}, Comparison{"GreaterEqual", {0, 1, 0}},
        Comparison{"Less", {1, 0, 0}}, Comparison{"LessEqual", {1, 0, 0}}})
    rows.push_back(
        {c.type,
         "a NaN is compared",
         {half({0x3C00, 0x4000, 0x7E00}), half({0x4000, 0x3C00, 0x3C00})},
         {},
         DataType::Bool,
         {0, c.out},
         {0, c.out}});
  for (const auto &[type, out] :
       {std::pair<const char *, Elements>{"IsNan", {0, 1, 0}},
        {"IsInf", {1, 0, 0}},
        {"IsFinite", {0, 0, 1}}})
    rows.push_back({type,
                    "an infinity and a NaN",
                    {x},
                    {},
                    DataType::Bool,
                    {0, out},
                    {0, out}});
  for (const auto &[type, out] :
       {std::pair<const char *, Elements>{"BitwiseAnd", {8}},
        {"BitwiseOr", {14}}})
    rows.push_back({type,
                    "integers",
                    {ints({12}), ints({10})},
                    {},
                    Int,
                    {0, out},
                    {0, out}});
  const Operand a = {DataType::Bool, {0, 0, 1, 1}},
                b = {DataType::Bool, {0, 1, 0, 1}};
  const Row logical = {"LogicalAnd",   "booleans",        {a, b},           {},
                       DataType::Bool, {0, {0, 0, 0, 1}}, {0, {0, 0, 0, 1}}};
  rows.push_back(logical);
  rows.push_back(logical);
  rows.back().type = "LogicalOr";
  rows.back().saturate.out = rows.back().infNan.out = {0, 1, 1, 1};
  rows.push_back(logical);
  rows.back().type = "LogicalNot";
  rows.back().raising = {a};
  rows.back().saturate.out = rows.back().infNan.out = {1, 1, 0, 0};
  // A CPU of the device computes it; ln 2.
  rows.push_back(Row{"SparseSoftmaxCrossEntropyWithLogits",
                     "two equal features",
                     {half({0, 0}).shaped({1, 2}), ints({0})},
                     {},
                     Half,
                     {0, {0x398C}},
                     {0, {0x398C}}}
                     .into({1})
                     .besides(Half, {1, 2}));
  // Two boxes that do not overlap, of which one is wanted.
  rows.push_back(
      Row{"BatchMultiClassNonMaxSuppression",
          "boxes are copied",
          {half({0, 0, 0x3C00, 0x3C00, 0x4000, 0x4000, 0x4200, 0x7C00})
               .shaped({1, 2, 1, 4}),
           half({0x3800, 0x3C00}).shaped({1, 2, 1})},
          {},
          Half,
          {0, {0x4000, 0x4000, 0x4200, 0x7C00}},
          {0, {0x4000, 0x4000, 0x4200, 0x7C00}}}
          .with("score_threshold", 0.0f)
          .with("iou_threshold", 0.5f)
          .with("max_size_per_class", int64_t(1))
          .with("max_total_size", int64_t(1))
          .into({1, 1, 4})
          .besides(Half, {1, 1})
          .besides(Half, {1, 1})
          .besides(Int, {1}));
  // One box and its window.
  const std::string nms = "BatchMultiClassNonMaxSuppression";
  const Operand score = half({0x3C00}).shaped({1, 1, 1});
  auto clipped = [&](const Elements &box, const Elements &window) {
    return std::vector<Operand>{half(box).shaped({1, 1, 1, 4}), score,
                                half(window).shaped({1, 4})};
  };
  const Elements wide = {0, 0, 0x7BFF, 0x7BFF};
  for (const Row &row : {Row{nms,
                             "area",
                             clipped({0, 0, 0x5C00, 0x5C00}, wide),
                             clipped({0, 0, 0x5C00, 0x5BF8}, wide),
                             Half,
                             {FO, {0, 0, 0x5C00, 0x5C00}},
                             {FO, {0, 0, 0x5C00, 0x5C00}},
                             {0, {0, 0, 0x5C00, 0x5BF8}}},
                         Row{nms,
                             "area that becomes 0",
                             clipped({0, 0, 0x0C00, 0x0800}, wide),
                             clipped({0, 0, 0x0C00, 0x0C00}, wide),
                             Half,
                             {FU, {0, 0, 0, 0}},
                             {FU, {0, 0, 0, 0}},
                             {0, {0, 0, 0x0C00, 0x0C00}}},
                         Row{nms,
                             "an endless box",
                             clipped({0, 0, 0x7C00, 0x3C00}, wide),
                             clipped({0, 0, 0x7BFF, 0x3C00}, wide),
                             Half,
                             {VN, {0, 0, 0x7BFF, 0x3C00}},
                             {VN, {0, 0, 0x7BFF, 0x3C00}},
                             {0, {0, 0, 0x7BFF, 0x3C00}}}})
    rows.push_back(row.with("score_threshold", 0.0f)
                       .with("iou_threshold", 0.5f)
                       .with("max_size_per_class", int64_t(1))
                       .with("max_total_size", int64_t(1))
                       .into({1, 1, 4})
                       .besides(Half, {1, 1})
                       .besides(Half, {1, 1})
                       .besides(Int, {1}));
  return rows;
}
