//===- StatusTableOptimizers.cpp - Rows of optimizers ---------------------===//
//
// Operands that do not matter are 0 and 1, so that a parameter, its gradient or
// its step is the result.
//
//===----------------------------------------------------------------------===//

#include "StatusTable.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

using Operands = std::vector<Operand>;

/// \p rows of operands that vary, as rows of \p type with \p results outputs.
/// \p fill makes the operands; it is given those that vary, 0 and 1.
template <typename Fill>
Rows filled(const std::string &type, Rows rows, unsigned results,
            const Fill &fill) {
  for (Row &row : rows) {
    row.type = type;
    for (Operands *side : {&row.raising, &row.calm})
      if (!side->empty()) {
        const DataType dtype = side->front().dtype;
        *side = fill(*side, constant(dtype, 0), constant(dtype, 1));
      }
    for (unsigned i = 1; i < results; ++i)
      row = row.besides(row.outType, {1});
  }
  return rows;
}

using Op = Operand;

Rows momentumRows() {
  // var, rate, gradient
  const Rows steps = {{"",
                       "rounding of var",
                       {half({0x7BFF}), half({0x3C00}), half({0xCC00})},
                       {half({0x7BFF}), half({0x3C00}), half({0xCBFF})},
                       Half,
                       {CO, {0x7BFF}},
                       {CO, {0x7C00}},
                       {0, {0x7BFF}}},
                      {"",
                       "rounding, too small",
                       {half({0}), half({0x3800}), half({0x0001})},
                       {half({0}), half({0x3801}), half({0x0001})},
                       Half,
                       {CU, {0x8000}},
                       {CU, {0x8000}},
                       {0, {0x8001}}},
                      {"",
                       "fp32 step",
                       {floats({0}), floats({0x1.000002p0f}), floats({Max})},
                       {floats({0}), floats({1}), floats({Max})},
                       Float,
                       {FO | VN, {0xFF800000}},
                       {FO | VN, {0xFF800000}},
                       {0, {0xFF7FFFFF}}},
                      {"",
                       "an infinite gradient",
                       {half({0}), half({0x3C00}), half({0x7C00})},
                       {half({0}), half({0x3C00}), half({0x7BFF})},
                       Half,
                       {VN, {0xFBFF}},
                       {VN, {0xFC00}},
                       {0, {0xFBFF}}}};
  Rows rows;
  for (const char *type : {"ApplyMomentum", "ApplyMomentumD"})
    append(rows, filled(type, steps, 2,
                        [](const Operands &o, const Op &zero, const Op &) {
                          return Operands{o[0], zero, o[1], o[2], zero};
                        }));
  append(rows, filled("FusedMulApplyMomentum", steps, 2,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        return Operands{o[0], zero, o[1], o[2], zero, one};
                      }));
  append(rows, filled("FusedMulApplyMomentumExtern", steps, 3,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        return Operands{o[0], zero, o[1], o[2],
                                        zero, one,  zero};
                      }));
  append(rows, filled("SGD", steps, 3,
                      [](const Operands &o, const Op &zero, const Op &) {
                        return Operands{o[0], o[2], o[1], zero, zero, zero};
                      }));
  for (const Row &row :
       filled("ApplyAdagradD", steps, 2,
              [](const Operands &o, const Op &, const Op &one) {
                return Operands{o[0], one, o[1], o[2]};
              }))
    rows.push_back(row.with("update_slots", false));
  // The first moment is what is multiplied by the rate.
  for (const Row &row :
       filled("ApplyAdamWithAmsgradD", steps, 4,
              [](const Operands &o, const Op &zero, const Op &one) {
                return Operands{o[0], o[2], zero, one, zero, zero, o[1], zero};
              }))
    rows.push_back(
        row.with("beta1", 1.0f).with("beta2", 1.0f).with("epsilon", 0.0f));
  // var, mom, gradient; the rate and what momentum multiplies are 0.5
  const Rows rootMeanSquare = {
      {"",
       "rounding of var",
       {half({0x7BFF}), half({0xD000}), half({0})},
       {half({0x7BFF}), half({0xCFFF}), half({0})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"",
       "rounding, too small",
       {half({0}), half({0x0001}), half({0})},
       {half({0}), half({0x0002}), half({0})},
       Half,
       {CU, {0x8000}},
       {CU, {0x8000}},
       {0, {0x8001}}},
      {"",
       "fp32 square",
       {floats({0}), floats({0}), floats({0x1p64f})},
       {floats({0}), floats({0}), floats({0x1.FFFFFEp63f})},
       Float,
       {FO | VN, {0}},
       {FO | VN, {0}},
       {0, {0}}},
      {"",
       "an infinite gradient",
       {half({0}), half({0}), half({0x7C00})},
       {},
       Half,
       {VN, {0}},
       {VN, {0x7E00}}}};
  for (const Row &row :
       filled("ApplyRMSPropD", rootMeanSquare, 3,
              [](const Operands &o, const Op &zero, const Op &) {
                return Operands{o[0], zero, o[1], zero, o[2]};
              }))
    rows.push_back(
        row.with("rho", 0.5f).with("momentum", 0.5f).with("epsilon", 1.0f));
  // var, alpha, delta
  const Rows descent = {{"",
                         "the fp16 step",
                         {half({0}), half({0x3C01}), half({0x7BFF})},
                         {half({0}), half({0x3C00}), half({0x7BFF})},
                         Half,
                         {FO, {0xFBFF}},
                         {FO | VN, {0xFC00}},
                         {0, {0xFBFF}}},
                        {"",
                         "the fp16 difference",
                         {half({0x7BFF}), half({0x3C00}), half({0xCC00})},
                         {half({0x7BFF}), half({0x3C00}), half({0xCBFF})},
                         Half,
                         {FO, {0x7BFF}},
                         {FO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "the step is too small",
                         {half({0}), half({0x3800}), half({0x0001})},
                         {half({0}), half({0x3801}), half({0x0001})},
                         Half,
                         {FU, {0}},
                         {FU, {0}},
                         {0, {0x8001}}},
                        {"",
                         "an infinite gradient",
                         {half({0}), half({0x3C00}), half({0x7C00})},
                         {half({0}), half({0x3C00}), half({0x7BFF})},
                         Half,
                         {VN, {0xFBFF}},
                         {VN, {0xFC00}},
                         {0, {0xFBFF}}}};
  append(rows, ofType("ApplyGradientDescent", descent));
  append(rows, castRows("ApplyGradientDescent", {floats({0}), floats({0})}));
  append(rows, sumRows("AssignAdd", false, false));
  append(rows, sumRows("AssignSub", true, false));
  return rows;
}

Rows adamRows() {
  // gradient, v
  const Rows steps = {{"",
                       "the fp16 square",
                       {half({0x5C00}), half({0})},
                       {half({0x5BFF}), half({0})},
                       Half,
                       {FO, {0x7BFF}},
                       {FO | VN, {0x7C00}},
                       {0, {0x7BFE}}},
                      {"",
                       "the fp16 square is too small",
                       {half({0x09A8}), half({0})},
                       {half({0x09A9}), half({0})},
                       Half,
                       {FU, {0}},
                       {FU, {0}},
                       {0, {0x0001}}},
                      {"",
                       "fp32 to fp16",
                       {floats({0}), floats({65520})},
                       {floats({0}), floats({0x1.FFDFFEp15f})},
                       Half,
                       {CO, {0x7BFF}},
                       {CO, {0x7C00}},
                       {0, {0x7BFF}}},
                      {"",
                       "fp32 to fp16, too small",
                       {floats({0}), floats({0x1p-25f})},
                       {floats({0}), floats({0x1.000002p-25f})},
                       Half,
                       {CU, {0}},
                       {CU, {0}},
                       {0, {0x0001}}},
                      {"",
                       "an infinite gradient",
                       {half({0x7C00}), half({0})},
                       {},
                       Half,
                       {VN, {0x7BFF}},
                       {VN, {0x7C00}}}};
  Rows rows;
  for (const char *type : {"AdamApplyOne", "AdamApplyOneAssign"})
    append(rows, filled(type, steps, 3,
                        [](const Operands &o, const Op &zero, const Op &one) {
                          return Operands{o[0], o[1], zero, zero, zero,
                                          zero, zero, one,  one,  one};
                        }));
  for (const char *type :
       {"AdamApplyOneWithDecay", "AdamApplyOneWithDecayAssign"})
    append(rows, filled(type, steps, 3,
                        [](const Operands &o, const Op &zero, const Op &one) {
                          return Operands{o[0], o[1], zero, zero, zero, zero,
                                          zero, one,  one,  zero, one};
                        }));
  // var, gradient
  const Rows decoupled = {{"",
                           "fp32 to fp16",
                           {floats({65520}), floats({0})},
                           {floats({0x1.FFDFFEp15f}), floats({0})},
                           Half,
                           {CO, {0x7BFF}},
                           {CO, {0x7C00}},
                           {0, {0x7BFF}}},
                          {"",
                           "fp32 to fp16, too small",
                           {floats({0x1p-25f}), floats({0})},
                           {floats({0x1.000002p-25f}), floats({0})},
                           Half,
                           {CU, {0}},
                           {CU, {0}},
                           {0, {0x0001}}},
                          {"",
                           "the square of the gradient",
                           {floats({0}), floats({0x1p64f})},
                           {floats({0}), floats({0x1.FFFFFEp63f})},
                           Float,
                           {FO | VN, {0}},
                           {FO | VN, {0}},
                           {0, {0}}},
                          {"",
                           "an infinite gradient",
                           {half({0}), half({0x7C00})},
                           {},
                           Half,
                           {VN, {0}},
                           {VN, {0x7E00}}}};
  append(rows, filled("ApplyAdamW", decoupled, 3,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        return Operands{o[0], zero, zero, zero, zero, zero,
                                        zero, zero, zero, one,  o[1]};
                      }));
  return rows;
}

Rows lambRows() {
  // gradient, 1 - beta2; the betas are 0.5, one step
  const Rows optimizer = {{"",
                           "rounding of v",
                           {half({0x5C00}), half({0x3C00})},
                           {half({0x5BFF}), half({0x3C00})},
                           Half,
                           {CO, {0x39A4}},
                           {CO, {0x39A4}},
                           {0, {0x39A4}}},
                          {"",
                           "rounding of v, too small",
                           {half({0x09A8}), half({0x3C00})},
                           {half({0x09A9}), half({0x3C00})},
                           Half,
                           {CU, {0x09A8}},
                           {CU, {0x09A8}},
                           {0, {0x09A9}}},
                          {"",
                           "the square of the gradient",
                           {floats({0x1p64f}), floats({0.5f})},
                           {floats({0x1.FFFFFEp63f}), floats({0.5f})},
                           Float,
                           {FO | VN, {0}},
                           {FO | VN, {0}},
                           {0, {FloatOne}}},
                          {"",
                           "an infinite gradient",
                           {half({0x7C00}), half({0x3C00})},
                           {},
                           Half,
                           {VN, {0}},
                           {VN, {0x7E00}}}};
  auto withHalf = [](const Operands &o, const Op &zero, const Op &one) {
    const Op half = constant(zero.dtype, 0.5f);
    return Operands{o[0], zero, zero, zero, half, half,
                    half, o[1], one,  one,  zero, zero};
  };
  Rows rows = filled("LambApplyOptimizerAssign", optimizer, 3, withHalf);
  // steps: 0.5^steps
  const Rows powers = {Row{
      "",
      "beta^steps in fp16 is too small",
      {half({0x4E80})},
      {half({0x4E40})},
      Half,
      {FU, {0}},
      {FU, {0}},
      {0, {0}}}.on(on310)};
  append(rows, filled("LambApplyOptimizerAssign", powers, 3,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        const Op half = constant(zero.dtype, 0.5f);
                        return Operands{zero, zero, zero, zero, half, half,
                                        half, half, one,  o[0], zero, zero};
                      }));
  // var, decay
  const Rows moments = {{"",
                         "the fp16 decay",
                         {half({0x7BFF}), half({0x3C01})},
                         {half({0x7BFF}), half({0x3C00})},
                         Half,
                         {FO, {0x7BFF}},
                         {FO | VN, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "the fp16 decay is too small",
                         {half({0x0001}), half({0x3800})},
                         {half({0x0001}), half({0x3801})},
                         Half,
                         {FU, {0}},
                         {FU, {0}},
                         {0, {0x0001}}},
                        {"",
                         "fp32 to fp16",
                         {floats({65520}), floats({1})},
                         {floats({0x1.FFDFFEp15f}), floats({1})},
                         Half,
                         {CO, {0x7BFF}},
                         {CO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "fp32 to fp16, too small",
                         {floats({0x1p-25f}), floats({1})},
                         {floats({0x1.000002p-25f}), floats({1})},
                         Half,
                         {CU, {0}},
                         {CU, {0}},
                         {0, {0x0001}}},
                        {"",
                         "an infinite operand",
                         {half({0x7C00}), half({0x3C00})},
                         {half({0x7BFF}), half({0x3C00})},
                         Half,
                         {VN, {0x7BFF}},
                         {VN, {0x7C00}},
                         {0, {0x7BFF}}}};
  for (const char *type : {"LambNextMV", "LambNextMVWithDecay"})
    append(rows, filled(type, moments, 4,
                        [](const Operands &o, const Op &zero, const Op &one) {
                          return Operands{zero, zero, one,  zero, zero,
                                          one,  o[0], zero, zero, zero,
                                          zero, o[1], one};
                        }));
  // rate, update, var; norms and ratios are 1
  const Rows updates = {{"",
                         "the fp16 step",
                         {half({0x3C01}), half({0x7BFF}), half({0})},
                         {half({0x3C00}), half({0x7BFF}), half({0})},
                         Half,
                         {FO, {0xFBFF}},
                         {FO | VN, {0xFC00}},
                         {0, {0xFBFF}}},
                        {"",
                         "the fp16 difference",
                         {half({0x3C00}), half({0xCC00}), half({0x7BFF})},
                         {half({0x3C00}), half({0xCBFF}), half({0x7BFF})},
                         Half,
                         {FO, {0x7BFF}},
                         {FO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "the step is too small",
                         {half({0x3800}), half({0x0001}), half({0})},
                         {half({0x3801}), half({0x0001}), half({0})},
                         Half,
                         {FU, {0}},
                         {FU, {0}},
                         {0, {0x8001}}},
                        {"",
                         "fp32 to fp16",
                         {floats({0}), floats({0}), floats({65520})},
                         {floats({0}), floats({0}), floats({0x1.FFDFFEp15f})},
                         Half,
                         {CO, {0x7BFF}},
                         {CO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "fp32 to fp16, too small",
                         {floats({0}), floats({0}), floats({0x1p-25f})},
                         {floats({0}), floats({0}), floats({0x1.000002p-25f})},
                         Half,
                         {CU, {0}},
                         {CU, {0}},
                         {0, {0x0001}}},
                        {"",
                         "an infinite update",
                         {half({0x3C00}), half({0x7C00}), half({0})},
                         {half({0x3C00}), half({0x7BFF}), half({0})},
                         Half,
                         {VN, {0xFBFF}},
                         {VN, {0xFC00}},
                         {0, {0xFBFF}}}};
  append(rows, filled("LambUpdateWithLr", updates, 1,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        return Operands{one,  one,  one, o[0], o[1],
                                        o[2], zero, one, one};
                      }));
  append(rows, filled("LambUpdateWithLrV2", updates, 1,
                      [](const Operands &o, const Op &zero, const Op &one) {
                        return Operands{one, one, o[0], o[1], o[2], zero, one};
                      }));
  append(rows, filled("LambApplyWeightAssign", updates, 1,
                      [](const Operands &o, const Op &, const Op &one) {
                        return Operands{one, one, o[0], o[1], o[2]};
                      }));
  return rows;
}

/// gradient, v, beta2, 1 - beta2, 1 / correction, epsilon
Rows lambSquareRows() {
  Rows rows = {{"LambNextRight",
                "the fp16 square",
                {half({0x5C00}), half({0}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                {half({0x5BFF}), half({0}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                Half,
                {FO, {0x7BFF}},
                {FO | VN, {0x7C00}},
                {0, {0x7BFE}}},
               {"LambNextRight",
                "the fp16 square is too small",
                {half({0x09A8}), half({0}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                {half({0x09A9}), half({0}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                Half,
                {FU, {0}},
                {FU, {0}},
                {0, {0x0001}}},
               {"LambNextRight",
                "an infinite v",
                {half({0}), half({0x7C00}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                {half({0}), half({0x7BFF}), half({0x3C00}), half({0x3C00}),
                 half({0x3C00}), half({0})},
                Half,
                {VN, {0x7BFF}},
                {VN, {0x7C00}},
                {0, {0x7BFF}}},
               {"LambNextRight",
                "fp32 to fp16",
                {floats({0}), floats({65520}), floats({1}), floats({1}),
                 floats({1}), floats({0})},
                {floats({0}), floats({0x1.FFDFFEp15f}), floats({1}),
                 floats({1}), floats({1}), floats({0})},
                Half,
                {CO, {0x7BFF}},
                {CO, {0x7C00}},
                {0, {0x7BFF}}},
               {"LambNextRight",
                "fp32 to fp16, too small",
                {floats({0}), floats({0x1p-25f}), floats({1}), floats({1}),
                 floats({1}), floats({0})},
                {floats({0}), floats({0x1.000002p-25f}), floats({1}),
                 floats({1}), floats({1}), floats({0})},
                Half,
                {CU, {0}},
                {CU, {0}},
                {0, {0x0001}}}};
  for (Row &row : rows)
    row = row.besides(row.outType, {1});
  return rows;
}

/// w, gradient, sums of their squares, decay, rate
Rows larsRows() {
  return {Row{"LarsV2Update",
              "the product with the decay",
              {floats({Max}), floats({0}), floats({1}), floats({1}),
               floats({0x1.000002p0f}), floats({1})},
              {floats({Max}), floats({0}), floats({1}), floats({1}),
               floats({1}), floats({1})},
              Float,
              {FO | VN, {FloatInf}},
              {FO | VN, {FloatInf}},
              {0, {0x7EFFFFAB}}}
              .with("hyperpara", 1.0f),
          Row{"LarsV2Update",
              "an infinite gradient",
              {floats({0}), floats({INFINITY}), floats({1}), floats({1}),
               floats({0}), floats({1})},
              {floats({0}), floats({Max}), floats({1}), floats({1}),
               floats({0}), floats({1})},
              Float,
              {VN, {FloatInf}},
              {VN, {FloatInf}},
              {0, {0x7F7FFF57}}}
              .with("hyperpara", 1.0f),
          Row{"LarsV2UpdateD",
              "the product with the decay",
              {floats({Max}), floats({0}), floats({1}), floats({1}),
               floats({0x1.000002p0f}), floats({1})},
              {floats({Max}), floats({0}), floats({1}), floats({1}),
               floats({1}), floats({1})},
              Float,
              {FO | VN, {FloatInf}},
              {FO | VN, {FloatInf}},
              {0, {0x7EFFFFAB}}}
              .with("hyperpara", 1.0f),
          Row{"LarsV2UpdateD",
              "an infinite gradient",
              {floats({0}), floats({INFINITY}), floats({1}), floats({1}),
               floats({0}), floats({1})},
              {floats({0}), floats({Max}), floats({1}), floats({1}),
               floats({0}), floats({1})},
              Float,
              {VN, {FloatInf}},
              {VN, {FloatInf}},
              {0, {0x7F7FFF57}}}
              .with("hyperpara", 1.0f)};
}

} // namespace

Rows kernels::statustable::optimizerRows() {
  Rows rows = momentumRows();
  append(rows, adamRows());
  append(rows, lambRows());
  append(rows, lambSquareRows());
  append(rows, larsRows());
  return rows;
}
