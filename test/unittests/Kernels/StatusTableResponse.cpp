//===- StatusTableResponse.cpp - Rows of LRN ------------------------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

const std::vector<Soc> inFloat = {Soc::Ascend910A};
const std::vector<Soc> inHalf = {Soc::Ascend310, Soc::Ascend310P,
                                 Soc::Ascend910B};

/// Of one channel: x * (bias + alpha x^2)^-beta.
Row normOf(Row row, float bias, float alpha, float beta) {
  row.type = "LRN";
  for (auto *side : {&row.raising, &row.calm})
    (*side)[0] = (*side)[0].shaped({1, 1, 1, 1}, Format::NCHW);
  return row.with("bias", bias)
      .with("alpha", alpha)
      .with("beta", beta)
      .into({1, 1, 1, 1}, Format::NCHW);
}

} // namespace

Rows kernels::statustable::responseRows() {
  // A power of 0 leaves x as it is, unless an infinity makes it NaN.
  return {normOf({"",
                  "rounding of 4 x",
                  {half({0x7400})},
                  {half({0x73FF})},
                  Half,
                  {CO, {0x7BFF}},
                  {CO, {0x7C00}},
                  {0, {0x7BFF}}},
                 4, 0, -1)
              .on(inFloat),
          normOf({"",
                  "x / 3 too small",
                  {half({1})},
                  {half({2})},
                  Half,
                  {CU, {0}},
                  {CU, {0}},
                  {0, {1}}},
                 3, 0, 1)
              .on(inFloat),
          normOf({"",
                  "fp32 square",
                  {floats({0x1p64f})},
                  {floats({0x1.FFFFFEp63f})},
                  Float,
                  {FO | VN, {0x7FC00000}},
                  {FO | VN, {0x7FC00000}},
                  {0, {bitsOf(0x1.FFFFFEp63f)}}},
                 1, 1, 0)
              .on(notOn310),
          normOf({"",
                  "fp16 square",
                  {half({0x5C00})},
                  {half({0x5BFF})},
                  Half,
                  {FO, {0x5C00}},
                  {FO | VN, {0x7E00}},
                  {0, {0x5BFF}}},
                 1, 1, 0)
              .on(inHalf),
          normOf({"",
                  "fp16 square too small",
                  {half({0x09A8})},
                  {half({0x09A9})},
                  Half,
                  {FU, {0x09A8}},
                  {FU, {0x09A8}},
                  {0, {0x09A9}}},
                 1, 1, 0)
              .on(inHalf),
          // Ascend310 has no ln of fp32: its tensors become fp16 first.
          normOf({"",
                  "an fp32 operand becomes fp16",
                  {floats({0x1p-25f})},
                  {floats({0x1.000002p-25f})},
                  Float,
                  {CU, {0}},
                  {CU, {0}},
                  {FU, {bitsOf(0x1p-24f)}}},
                 1, 1, 0)
              .on(on310)};
}
