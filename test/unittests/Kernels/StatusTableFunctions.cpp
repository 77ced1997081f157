//===- StatusTableFunctions.cpp - Rows of chains of instructions ----------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

constexpr int64_t HighPerformance = 2, HighPrecision = 4;

Rows leakyReluRows() {
  Rows rows = {
      // x is the result, and still x * slope has overflowed; in InfNan mode min
      // reads the infinity.
      Row{"LeakyRelu",
          "the product overflows",
          {half({0x7800})},
          {half({0x77FF})},
          Half,
          {FO, {0x7800}},
          {FO | VN, {0x7800}},
          {0, {0x77FF}}}
          .with("negative_slope", 2.0f),
      Row{"LeakyRelu",
          "the product is too small",
          {half({0x8001})},
          {half({0x8002})},
          Half,
          {FU, {0x8000}},
          {FU, {0x8000}},
          {0, {0x8001}}}
          .with("negative_slope", 0.5f),
      {"LeakyRelu",
       "an infinite operand",
       {half({0x7C00})},
       {half({0x7BFF})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x7BFF}}}};
  append(rows, castRows("LeakyRelu", {}));
  return rows;
}

Rows rootRows() {
  return {
      {"Sqrt",
       "fp32 to fp16, too large",
       {floats({0x1.FFC002p31f})},
       {floats({0x1.FFCp31f})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"Sqrt",
       "fp32 to fp16, too small",
       {floats({0x1.000002p-50f})},
       {floats({0x1.000004p-50f})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      {"Sqrt",
       "an infinite operand",
       {half({0x7C00})},
       {half({0x3C00})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x3C00}}},
      {"Sqrt", "of -1", {half({0xBC00})}, {}, Half, {0, {0}}, {0, {0x7E00}}},
      {"Sqrt",
       "a subnormal epsilon",
       {half({0x00A8})},
       {},
       Half,
       {0, {0x1A7B}},
       {0, {0x1A7B}}},
      {"Rsqrt",
       "of 0",
       {half({0x0000})},
       {half({0x0001})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x6C00}}},
      {"Rsqrt",
       "fp32 to fp16, too large",
       {floats({0x1.002002p-32f})},
       {floats({0x1.002004p-32f})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"Rsqrt",
       "fp32 to fp16, too small",
       {floats({0x1p50f})},
       {floats({0x1.FFFFFEp49f})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      {"Rsqrt",
       "an infinite operand",
       {half({0x7C00})},
       {half({0x3C00})},
       Half,
       {VN, {0}},
       {VN, {0}},
       {0, {0x3C00}}},
  };
}

Rows exponentialRows() {
  Rows rows = {
      // exp(11.09375) = 65759, exp(11.0859375) = 65247
      {"Exp",
       "fp16",
       {half({0x498C})},
       {half({0x498B})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BF7}}},
      {"Exp",
       "worked example, exp(12)",
       {half({0x4A00})},
       {},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}}},
      // 2.936e-8 and 2.982e-8, on both sides of 2^-25
      {"Exp",
       "fp16, too small",
       {half({0xCC56})},
       {half({0xCC55})},
       Half,
       {FU, {0}},
       {FU, {0}},
       {0, {1}}},
      {"Exp",
       "an infinite operand",
       {half({0xFC00})},
       {half({0x8000})},
       Half,
       {VN, {0}},
       {VN, {0}},
       {0, {0x3C00}}},
      Row{"Exp",
          "high_precision",
          {half({0x498C})},
          {half({0x498B})},
          Half,
          {CO, {0x7BFF}},
          {CO, {0x7C00}},
          {0, {0x7BF7}}}
          .with("_op_impl_mode_enum", HighPrecision)
          .on(notOn310),
      Row{"Exp",
          "high_precision, too small",
          {half({0xCC56})},
          {half({0xCC55})},
          Half,
          {CU, {0}},
          {CU, {0}},
          {0, {1}}}
          .with("_op_impl_mode_enum", HighPrecision)
          .on(notOn310),
      // 40000 * 2 overflows, and 65504 - 65504 is a harmless operand; an
      // infinity stays one.
      Row{"Exp",
          "the product before it",
          {half({0x78E2})},
          {half({0x77FF})},
          Half,
          {FO, {0x3C00}},
          {FO | VN, {0x7C00}},
          {0, {0x3C00}}}
          .with("scale", 2.0f)
          .with("shift", -65504.0f),
      {"Log",
       "ln 0",
       {half({0x0000})},
       {half({0x0001})},
       Half,
       {FO, {0xFBFF}},
       {FO, {0xFC00}},
       {0, {0xCC29}}},
      {"Log", "ln -1", {half({0xBC00})}, {}, Half, {0, {0}}, {0, {0x7E00}}},
      {"Log",
       "an infinite operand",
       {half({0x7C00})},
       {half({0x3C00})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0}}},
      // The product becomes 0, and its logarithm overflows.
      Row{"Log",
          "the product before it",
          {half({0x0001})},
          {half({0x0002})},
          Half,
          {FU | FO, {0xFBFF}},
          {FU | FO, {0xFC00}},
          {0, {0xCC29}}}
          .with("scale", 0.5f),
      // ln(1.0087890625) / ln(1.0000001) = 73406
      Row{"Log",
          "high_precision, a base near 1",
          {half({0x3C09})},
          {half({0x3C08})},
          Half,
          {CO, {0x7BFF}},
          {CO, {0x7C00}},
          {0, {0x7BF8}}}
          .with("_op_impl_mode_enum", HighPrecision)
          .with("base", 1.0000001f)
          .on(notOn310),
      // ln(1 - 43 * 2^-24) / ln(1e38) = -0.983 * 2^-25
      Row{"Log",
          "fp32 to fp16, too small",
          {floats({1 - 43 * 0x1p-24f})},
          {floats({1 - 44 * 0x1p-24f})},
          Half,
          {CU, {0x8000}},
          {CU, {0x8000}},
          {0, {0x8001}}}
          .with("base", 1e38f)
          .on(notOn310),
      // ln 0, of an fp32 operand
      Row{"Log",
          "the operand of ln to fp16, too small",
          {floats({0x1p-25f})},
          {floats({0x1.000002p-25f})},
          Float,
          {CU | FO, {bitsOf(-65504)}},
          {CU | FO, {0xFF800000}},
          {0, {bitsOf(-16.640625f)}}}
          .on(on310),
      // The middle between the neighbours of ln 65520 in fp16.
      Row{"Exp",
          "an fp32 operand of exp in fp16",
          {floats({11.08984375f})},
          {floats({0x1.62DFFEp3f})},
          Float,
          {FO, {bitsOf(65504)}},
          {FO, {FloatInf}},
          {0, {bitsOf(65248)}}}
          .on(on310),
      Row{"Sigmoid",
          "an fp32 operand of exp in fp16",
          {floats({-65520})},
          {floats({-11})},
          Float,
          {CO | FO, {bitsOf(1 / 65505.0f)}},
          {CO | VN, {0}},
          {0, {bitsOf(1 / 59873.0f)}}}
          .on(on310)};
  return rows;
}

Rows sigmoidRows() {
  const std::vector<Soc> old = {Soc::Ascend310, Soc::Ascend910A};
  const std::vector<Soc> wide = {Soc::Ascend310P, Soc::Ascend910B};
  // exp(-x) is too small for fp16, the result is 1 anyway.
  const Row small = {"Sigmoid",
                     "the exp in fp16 is too small",
                     {half({0x4C56})},
                     {half({0x4C55})},
                     Half,
                     {FU, {0x3C00}},
                     {FU, {0x3C00}},
                     {0, {0x3C00}}};
  return {
      small.on(old),
      small.with("_op_impl_mode_enum", HighPerformance).on({Soc::Ascend910B}),
      // Bounded by -11.089: 1 / (1 + 65248).
      Row{"Sigmoid",
          "the exp in fp16 does not overflow",
          {half({0xFBFF})},
          {},
          Half,
          {0, {0x0101}},
          {0, {0x0101}}}
          .on(old),
      // exp(88.75) is infinite in fp32, and 1 + and 1 / read that. The result
      // for -88.6875 is subnormal in fp32.
      Row{"Sigmoid",
          "the exp in fp32 overflows",
          {half({0xD58C})},
          {half({0xD58B})},
          Half,
          {FO | VN, {0}},
          {FO | VN, {0}},
          {CU, {0}}}
          .on(wide),
      Row{"Sigmoid",
          "fp32 to fp16, too small",
          {half({0xCC56})},
          {half({0xCC55})},
          Half,
          {CU, {0}},
          {CU, {0}},
          {0, {1}}}
          .on(wide),
      {"Sigmoid",
       "an infinite operand",
       {half({0x7C00})},
       {},
       Half,
       {VN, {0x3C00}},
       {VN, {0x3C00}}},
  };
}

Rows tanhRows() {
  return {
      // exp(2x) in fp16 where there is no other; (65504 - 1) / (65504 + 1).
      Row{"Tanh",
          "the exp in fp16 overflows",
          {half({0x458C})},
          {half({0x458B})},
          Half,
          {FO, {0x3C00}},
          {FO | VN, {0x7E00}},
          {0, {0x3C00}}}
          .on({Soc::Ascend310}),
      Row{"Tanh",
          "the exp in fp16 is too small",
          {half({0xC856})},
          {half({0xC855})},
          Half,
          {FU, {0xBC00}},
          {FU, {0xBC00}},
          {0, {0xBC00}}}
          .on({Soc::Ascend310}),
      {"Tanh",
       "fp32 to fp16, too small",
       {floats({0x1p-25f})},
       {floats({0x1.000002p-25f})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      // The polynomial for small values runs on large ones as well.
      Row{"Tanh",
          "nothing overflows",
          {half({0x7BFF})},
          {},
          Half,
          {0, {0x3C00}},
          {0, {0x3C00}}}
          .on(notOn310),
      Row{"Tanh",
          "an infinite operand",
          {half({0xFC00})},
          {},
          Half,
          {VN, {0xBC00}},
          {VN, {0xBC00}}}
          .on(notOn310),
  };
}

Rows eltwiseRows() {
  Rows rows = sumRows("Eltwise", false, false);
  for (const Row &row : productRows("Eltwise"))
    rows.push_back(row.with("mode", int64_t(0)));
  append(rows,
         {// 2 * 40000 - 30000: the sum is in range, the product was not.
          Row{"Eltwise",
              "a product in the middle",
              {half({0x78E2}), half({0x7753})},
              {half({0x77FF}), half({0x0000})},
              Half,
              {FO, {0x7856}},
              {FO | VN, {0x7C00}},
              {0, {0x7BFF}}}
              .with("coeff", std::vector<float>{2, -1}),
          Row{"Eltwise",
              "maximum",
              {half({0x7C00}), half({0})},
              {half({0x7BFF}), half({0})},
              Half,
              {VN, {0x7BFF}},
              {VN, {0x7C00}},
              {0, {0x7BFF}}}
              .with("mode", int64_t(2))});
  return rows;
}

} // namespace

Rows kernels::statustable::functionRows() {
  Rows rows;
  for (const Rows &more : {leakyReluRows(), rootRows(), exponentialRows(),
                           sigmoidRows(), tanhRows(), eltwiseRows()})
    append(rows, more);
  return rows;
}
