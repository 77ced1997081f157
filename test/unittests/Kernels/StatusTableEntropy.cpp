//===- StatusTableEntropy.cpp - Rows of losses by class -------------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

/// One row with one class: its loss, or the gradient of that.
Rows likelihoodRows() {
  struct Case {
    const char *what;
    Operand raising, raisingWeight, calm, calmWeight;
    DataType outType;
    Outcome saturate, infNan, ofCalm;
    StatusBits moreOfGradient = status::None; ///< it is negative once more
  };
  const Operand one = floats({1});
  const Case cases[] = {{"fp32 to fp16",
                         floats({-65520}),
                         one,
                         floats({-0x1.FFDFFEp15f}),
                         one,
                         Half,
                         {CO, {0x7BFF}},
                         {CO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"fp32 to fp16, too small",
                         floats({-0x1p-25f}),
                         one,
                         floats({-0x1.000002p-25f}),
                         one,
                         Half,
                         {CU, {0}},
                         {CU, {0}},
                         {0, {0x0001}}},
                        {"fp32 product",
                         floats({-Max}),
                         floats({0x1.000002p0f}),
                         floats({-Max}),
                         one,
                         Float,
                         {FO, {FloatInf}},
                         {FO, {FloatInf}},
                         {0, {FloatMax}},
                         VN},
                        {"an infinite operand",
                         half({0xFC00}),
                         one,
                         half({0xFBFF}),
                         one,
                         Half,
                         {VN, {0x7BFF}},
                         {VN, {0x7C00}},
                         {0, {0x7BFF}}}};
  Rows rows;
  for (const Case &c : cases) {
    Row row{"NLLLoss", c.what,     {},       {},
            c.outType, c.saturate, c.infNan, c.ofCalm};
    row = row.with("reduction", std::string("none"));
    row.raising = {c.raising.shaped({1, 1}), ints({0}), c.raisingWeight};
    row.calm = {c.calm.shaped({1, 1}), ints({0}), c.calmWeight};
    rows.push_back(row.into({1}).besides(Float, {1}));
    row.type = "NLLLossGrad";
    const Operand x = half({0}).shaped({1, 1});
    row.raising = {x, c.raising, ints({0}), c.raisingWeight, one};
    row.calm = {x, c.calm, ints({0}), c.calmWeight, one};
    for (Outcome *outcome : {&row.saturate, &row.infNan})
      outcome->bits |= c.moreOfGradient;
    rows.push_back(row.into({1, 1}));
  }
  return rows;
}

Rows softmaxRows() {
  // loss, from features and labels; ln 2 and exp are fp16 instructions on 310
  const Operand none = half({0, 0});
  Rows rows = {Row{"SoftmaxCrossEntropyWithLogits",
                   "ln 2 * (65504 + 29024)",
                   {none, half({0x7BFF, 0x7716})},
                   {none, half({0x7BFF, 0x7715})},
                   Half,
                   {CO, {0x7BFF}},
                   {CO, {0x7C00}},
                   {0, {0x7BFF}}}
                   .on(notOn310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "0.69336 * (65504 + 29008)",
                   {none, half({0x7BFF, 0x7715})},
                   {none, half({0x7BFF, 0x7714})},
                   Half,
                   {CO, {0x7BFF}},
                   {CO, {0x7C00}},
                   {0, {0x7BFF}}}
                   .on(on310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "the gradient is too small",
                   {half({0, 0xCC56}), none},
                   {half({0, 0xCC55}), none},
                   Half,
                   {CU, {0}},
                   {CU, {0}},
                   {0, {0}}}
                   .on(notOn310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "the exp in fp16 is too small",
                   {half({0, 0xCC56}), none},
                   {half({0, 0xCC55}), none},
                   Half,
                   {FU, {0}},
                   {FU, {0}},
                   {0, {0}}}
                   .on(on310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "the operand of exp to fp16",
                   {floats({-65520, 0}), floats({0, 0})},
                   {floats({-65519.996f, 0}), floats({0, 0})},
                   Float,
                   {CO | FU, {0}},
                   {CO | VN, {0}},
                   {FU, {0}}}
                   .on(on310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "fp32 x - max",
                   {floats({-Max, 0x1p103f}), floats({0, 0})},
                   {floats({-Max, 0}), floats({0, 0})},
                   Float,
                   {FO | VN, {0x7FC00000}},
                   {FO | VN, {0x7FC00000}},
                   {0, {0}}}
                   .on(notOn310),
               // 128 times a label; the sum reads the product.
               Row{"SoftmaxCrossEntropyWithLogits",
                   "fp32 product",
                   {floats({-128, 0}), floats({0x1p121f, 0})},
                   {floats({-128, 0}), floats({0x1.FFFFFEp120f, 0})},
                   Float,
                   {FO | VN, {FloatInf}},
                   {FO | VN, {FloatInf}},
                   {0, {FloatMax}}}
                   .on(notOn310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "fp32 product",
                   {floats({-128, 0}), floats({0x1p121f, 0})},
                   {floats({-128, 0}), floats({0x1.FFFFFEp120f, 0})},
                   Float,
                   {FO | FU | VN, {FloatInf}},
                   {FO | FU | VN, {FloatInf}},
                   {FU, {FloatMax}}}
                   .on(on310),
               Row{"SoftmaxCrossEntropyWithLogits",
                   "an infinite feature",
                   {half({0x7C00, 0}), none},
                   {},
                   Half,
                   {VN, {0}},
                   {VN, {0x7E00}}}
                   .on(notOn310),
               // The difference from it is the smallest fp16 number.
               Row{"SoftmaxCrossEntropyWithLogits",
                   "an infinite feature",
                   {half({0x7C00, 0}), none},
                   {},
                   Half,
                   {VN | FU, {0}},
                   {VN, {0x7E00}}}
                   .on(on310),
               {"SoftmaxCrossEntropyWithLogits",
                "an infinite label",
                {none, half({0x7C00, 0})},
                {},
                Half,
                {VN, {0x7BFF}},
                {VN, {0x7C00}}}};
  for (Row &row : rows) {
    for (auto *side : {&row.raising, &row.calm})
      for (Operand &operand : *side)
        operand = operand.shaped({1, 2});
    row = row.into({1}).besides(row.outType, {1, 2});
  }
  return rows;
}

} // namespace

Rows kernels::statustable::entropyRows() {
  Rows rows = softmaxRows();
  append(rows, likelihoodRows());
  return rows;
}
