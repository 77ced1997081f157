//===- StatusTableLines.cpp - Rows of casts, reductions, softmax ----------===//

#include "StatusTable.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

Operand copies(Operand one, size_t count) {
  one.bits.resize(count, one.bits.front());
  return one;
}

} // namespace

Rows kernels::statustable::conversionRows() {
  Rows rows;
  for (const char *type : {"Cast", "TransData"})
    append(rows, {{type,
                   "fp32 to fp16, too large",
                   {floats({65504, 65519.996f, 65520, 65536, 65600, 98304,
                            131072, 1048576, 3.4e38f, -65520})},
                   {floats({65504, 65519.996f, -65519.996f})},
                   Half,
                   {CO,
                    {0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF, 0x7BFF,
                     0x7BFF, 0x7BFF, 0xFBFF}},
                   {CO,
                    {0x7BFF, 0x7BFF, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00,
                     0x7C00, 0x7C00, 0xFC00}},
                   {0, {0x7BFF, 0x7BFF, 0xFBFF}}},
                  {type,
                   "the edge alone",
                   {floats({65520})},
                   {floats({65519.996f})},
                   Half,
                   {CO, {0x7BFF}},
                   {CO, {0x7C00}},
                   {0, {0x7BFF}}},
                  {type,
                   "1e-8, and what has an fp16 near",
                   {floats({1e-8f, 5.96e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f})},
                   {floats({5.96e-8f, 1e-7f, 1e-6f, 1e-5f, 1e-4f})},
                   Half,
                   {CU, {0, 1, 2, 0x11, 0xA8, 0x068E}},
                   {CU, {0, 1, 2, 0x11, 0xA8, 0x068E}},
                   {0, {1, 2, 0x11, 0xA8, 0x068E}}},
                  {type,
                   "2^-25 ties to 0",
                   {floats({-0x1p-25f})},
                   {floats({-0x1.000002p-25f})},
                   Half,
                   {CU, {0x8000}},
                   {CU, {0x8000}},
                   {0, {0x8001}}},
                  {type,
                   "negative to uint16",
                   {floats({-0x1p-149f})},
                   {floats({-0.0f})},
                   DataType::UInt16,
                   {NU, {0}},
                   {NU, {0}},
                   {0, {0}}},
                  {type,
                   "negative to uint32",
                   {half({0x8001})},
                   {half({0x8000})},
                   DataType::UInt32,
                   {NU, {0}},
                   {NU, {0}},
                   {0, {0}}},
                  {type,
                   "an infinity is cast",
                   {floats({INFINITY})},
                   {},
                   Half,
                   {0, {0x7BFF}},
                   {0, {0x7C00}}}});
  append(rows, {{"Cast",
                 "before a norm",
                 {floats({70000, 1})},
                 {},
                 Half,
                 {CO, {0x7BFF, 0x3C00}},
                 {CO, {0x7C00, 0x3C00}}},
                {"Cast",
                 "a mask of -1e15",
                 {floats({-1e15f})},
                 {},
                 Half,
                 {CO, {0xFBFF}},
                 {CO, {0xFC00}}},
                {"Cast",
                 "int32 to fp16",
                 {ints({65520})},
                 {ints({65519})},
                 Half,
                 {CO, {0x7BFF}},
                 {CO, {0x7C00}},
                 {0, {0x7BFF}}},
                {"Cast",
                 "int64 to fp16",
                 {longs({-65520})},
                 {longs({-65519})},
                 Half,
                 {CO, {0xFBFF}},
                 {CO, {0xFC00}},
                 {0, {0xFBFF}}},
                {"Cast",
                 "fp32 to bf16",
                 {floats({0x1.FFp127f})},
                 {floats({0x1.FEFFFEp127f})},
                 DataType::BFloat16,
                 {CO, {0x7F7F}},
                 {CO, {0x7F80}},
                 {0, {0x7F7F}}},
                {"Cast",
                 "fp32 to bf16, too small",
                 {floats({0x1p-134f})},
                 {floats({0x1.8p-134f})},
                 DataType::BFloat16,
                 {CU, {0}},
                 {CU, {0}},
                 {0, {1}}},
                // By way of fp16, of which the low byte is kept; an infinity is
                // the largest int32.
                Row{"Cast",
                    "fp32 to int8",
                    {floats({65520})},
                    {floats({65519})},
                    DataType::Int8,
                    {CO, {0xE0}},
                    {CO, {0xFF}},
                    {0, {0xE0}}}
                    .on({Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A}),
                Row{"Cast",
                    "fp32 to int8 directly",
                    {floats({65520})},
                    {},
                    DataType::Int8,
                    {0, {0xF0}},
                    {0, {0xF0}}}
                    .on({Soc::Ascend910B}),
                // Wraps, as documented: no status.
                {"Cast",
                 "negative to uint8",
                 {half({0xBC00})},
                 {},
                 DataType::UInt8,
                 {0, {0xFF}},
                 {0, {0xFF}}},
                {"Cast",
                 "beyond int32",
                 {floats({0x1p31f})},
                 {},
                 Int,
                 {0, {0x7FFFFFFF}},
                 {0, {0x7FFFFFFF}}},
                {"Cast",
                 "fp16 to fp32",
                 {half({0x7BFF, 0x7C00})},
                 {},
                 Float,
                 {0, {bitsOf(65504), FloatInf}},
                 {0, {bitsOf(65504), FloatInf}}}});
  return rows;
}

Rows kernels::statustable::lineRows() {
  Rows rows;
  for (const char *type :
       {"BiasAddGrad", "ReduceSumD", "ReduceSum", "ReduceMeanD", "ReduceMean",
        "ReduceMaxD", "ReduceMax", "ReduceMinD", "ReduceMin",
        "GlobalAveragePool"}) {
    const std::string name = type;
    Rows ofType;
    if (name.starts_with("ReduceSum") || name == "BiasAddGrad")
      ofType = {Row{name,
                    "rounding of the sum",
                    {half({0x7BFF, 0x4C00})},
                    {half({0x7BFF, 0x4BFF})},
                    Half,
                    {CO, {0x7BFF}},
                    {CO, {0x7C00}},
                    {0, {0x7BFF}}}
                    .on(notOn310),
                Row{name,
                    "fp16 sum",
                    {half({0x7BFF, 0x4C00})},
                    {half({0x7BFF, 0x4BFF})},
                    Half,
                    {FO, {0x7BFF}},
                    {FO, {0x7C00}},
                    {0, {0x7BFF}}}
                    .on(on310),
                // A partial sum that has overflowed does not come back.
                Row{name,
                    "fp16 sum in the middle",
                    {half({0x7BFF, 0x4C00, 0xFBFF})},
                    {half({0x7BFF, 0x4BFF, 0xFBFF})},
                    Half,
                    {FO, {0}},
                    {FO | VN, {0x7C00}},
                    {0, {0}}}
                    .on(on310),
                {name,
                 "fp32 sum",
                 {floats({Max, 0x1p103f})},
                 {floats({Max, 0x1.FFFFFEp102f})},
                 Float,
                 {FO, {FloatInf}},
                 {FO, {FloatInf}},
                 {0, {FloatMax}}},
                Row{name,
                    "infinities of both signs",
                    {half({0x7C00, 0xFC00})},
                    {},
                    Half,
                    {VN, {0}},
                    {VN, {0x7E00}}}
                    .on(notOn310),
                Row{name,
                    "infinities, saturated one by one",
                    {half({0x7C00, 0xFC00})},
                    {},
                    Half,
                    {VN, {0xFBFF}},
                    {VN, {0x7E00}}}
                    .on(on310)};
    else if (name.starts_with("ReduceMean") || name == "GlobalAveragePool")
      ofType = {// 23 products with 1 / 23, rounded up, and their sum.
                {name,
                 "fp32 sum",
                 {copies(floats({Max}), 23)},
                 {copies(floats({0x1p127f}), 23)},
                 Float,
                 {FO, {FloatInf}},
                 {FO, {FloatInf}},
                 {0, {bitsOf(0x1p127f)}}},
                Row{name,
                    "rounding of the mean",
                    {half({1, 0})},
                    {half({2, 0})},
                    Half,
                    {CU, {0}},
                    {CU, {0}},
                    {0, {1}}}
                    .on(notOn310),
                Row{name,
                    "fp16 product",
                    {half({1, 0})},
                    {half({2, 0})},
                    Half,
                    {FU, {0}},
                    {FU, {0}},
                    {0, {1}}}
                    .on(on310),
                Row{name,
                    "fp16 sum",
                    {copies(half({0x7BFF}), 10)},
                    {copies(half({0x7BFE}), 10)},
                    Half,
                    {FO, {0x7BFF}},
                    {FO, {0x7C00}},
                    {0, {0x7BFC}}}
                    .on(on310),
                {name,
                 "an infinite operand",
                 {half({0x7C00, 0})},
                 {half({0x7BFF, 0})},
                 Half,
                 {VN, {0x7BFF}},
                 {VN, {0x7C00}},
                 {0, {0x77FF}}}};
    else
      ofType = {{name,
                 "an infinite operand",
                 {half({0x7C00, 0x7C00})},
                 {half({0x7BFF, 0x7BFF})},
                 Half,
                 {VN, {0x7BFF}},
                 {VN, {0x7C00}},
                 {0, {0x7BFF}}}};
    for (Row row : ofType) {
      if (name == "BiasAddGrad") { // one channel
        for (auto *side : {&row.raising, &row.calm})
          for (Operand &x : *side)
            x = x.shaped({static_cast<int64_t>(x.bits.size()), 1});
      } else if (name == "GlobalAveragePool") {
        for (auto *side : {&row.raising, &row.calm})
          for (Operand &x : *side)
            x = x.shaped({1, 1, static_cast<int64_t>(x.bits.size())});
        rows.push_back(row.into({1, 1, 1}));
        continue;
      } else if (name.ends_with('D')) {
        row = row.with("axes", List{0});
      } else {
        row.raising.push_back(ints({0}));
        if (!row.calm.empty())
          row.calm.push_back(ints({0}));
      }
      rows.push_back(row.into({1}));
    }
  }
  rows.push_back(Row{"ArgMaxD",
                     "an infinite operand",
                     {half({0, 0x7C00})},
                     {half({0, 0x7BFF})},
                     Int,
                     {VN, {1}},
                     {VN, {1}},
                     {0, {1}}}
                     .with("dimension", int64_t(0))
                     .into({1}));

  const std::vector<Soc> floatDifference = {Soc::Ascend310P, Soc::Ascend910B};
  append(rows,
         {// -65504 - 16: the mask at the edge of fp16.
          Row{"SoftmaxV2",
              "x - max in fp16",
              {half({0xFBFF, 0x4C00})},
              {half({0xFBFF, 0x4BFF})},
              Half,
              {FO, {0, 0x3C00}},
              {FO | VN, {0, 0x3C00}},
              {0, {0, 0x3C00}}}
              .on(notOn310),
          Row{"SoftmaxV2",
              "x - max in fp16, exp in fp16",
              {half({0xFBFF, 0x4C00})},
              {half({0xFBFF, 0x4BFF})},
              Half,
              {FO | FU, {0, 0x3C00}},
              {FO | VN, {0, 0x3C00}},
              {FU, {0, 0x3C00}}}
              .on(on310),
          Row{"SoftmaxV2",
              "exp in fp16",
              {half({0, 0xCC56})},
              {half({0, 0xCC55})},
              Half,
              {FU, {0x3C00, 0}},
              {FU, {0x3C00, 0}},
              {0, {0x3C00, 1}}}
              .on(on310),
          Row{"SoftmaxV2",
              "rounding of the result",
              {half({0, 0xCC56})},
              {half({0, 0xCC55})},
              Half,
              {CU, {0x3C00, 0}},
              {CU, {0x3C00, 0}},
              {0, {0x3C00, 1}}}
              .on(notOn310),
          {"SoftmaxV2",
           "fp32 x - max",
           {floats({-Max, 0x1p103f})},
           {floats({-Max, 0})},
           Float,
           {FO | VN, {0, FloatOne}},
           {FO | VN, {0, FloatOne}},
           {0, {0, FloatOne}}},
          // The maximum of fp32 rows goes through fp16: exp(65520 - 65504) over
          // itself, or an infinity.
          Row{"SoftmaxV2",
              "maximum through fp16",
              {floats({65520})},
              {floats({65519.996f})},
              Float,
              {CO, {FloatOne}},
              {CO | VN, {0x7FC00000}},
              {0, {FloatOne}}}
              .on({Soc::Ascend910A}),
          // exp(65593 - 65504) overflows; the sum and the quotient read it. An
          // infinite maximum leaves e^-inf.
          Row{"SoftmaxV2",
              "exp beyond a maximum that saturated",
              {floats({65593})},
              {},
              Float,
              {CO | FO | VN, {0x7FC00000}},
              {CO | VN, {0x7FC00000}}}
              .on({Soc::Ascend910A}),
          // exp(65520 - 65504) in fp16 over itself.
          Row{"SoftmaxV2",
              "maximum and exp through fp16",
              {floats({65520})},
              {},
              Float,
              {CO | FO, {FloatOne}},
              {CO | VN, {0x7FC00000}}}
              .on(on310),
          Row{"SoftmaxV2",
              "the exp of fp32 rows in fp16 is too small",
              {floats({0, -17.34375f})},
              {floats({0, -17.328125f})},
              Float,
              {FU, {FloatOne, 0}},
              {FU, {FloatOne, 0}},
              {0, {FloatOne, bitsOf(0x1p-24f)}}}
              .on(on310),
          Row{"SoftmaxV2",
              "the operand of exp to fp16, too small",
              {floats({0, -0x1p-25f})},
              {floats({0, -0x1.000002p-25f})},
              Float,
              {CU, {bitsOf(0.5f), bitsOf(0.5f)}},
              {CU, {bitsOf(0.5f), bitsOf(0.5f)}},
              {0, {bitsOf(0.5f), bitsOf(0.5f)}}}
              .on(on310),
          Row{"SoftmaxV2",
              "maximum in fp32",
              {floats({65520})},
              {},
              Float,
              {0, {FloatOne}},
              {0, {FloatOne}}}
              .on(floatDifference),
          {"SoftmaxV2",
           "masked with infinities",
           {half({0xFC00, 0xFC00})},
           {},
           Half,
           {VN, {0x3C00 - 0x400, 0x3800}},
           {VN, {0x7E00, 0x7E00}}},
          {"SoftmaxV2",
           "masked with saturated values",
           {half({0xFBFF, 0xFBFF})},
           {},
           Half,
           {0, {0x3800, 0x3800}},
           {0, {0x3800, 0x3800}}}});
  // fp32 x - max goes by way of an fp16 maximum there.
  for (Row &row : rows)
    if (row.what == "fp32 x - max")
      row = row.on(floatDifference);
  return rows;
}
