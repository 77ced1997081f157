//===- StatusTableEntropy.cpp - Rows of the cross entropy -----------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

Rows kernels::statustable::entropyRows() {
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
