//===- NumericPathElementwise.cpp - Ways of element-wise operators --------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

double geluCubic(M &m, double x) {
  return m.add(m.mul(m.mul(m.mul(x, x), x), m.constant(0.044715f)), x);
}

} // namespace

std::vector<PathRow> kernels::statustable::elementwisePaths() {
  return {
      {"Add",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.add(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0x4C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"AddV2",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.add(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0x4C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"BiasAdd",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.add(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0x4C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"Sub",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.sub(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0xCC00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"Mul",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.mul(x[0][0], x[1][0])}; },
       {half({0x5C00}), half({0x5C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"Square",
       "one instruction",
       [](M &m, X x) { return Values{m.mul(x[0][0], x[0][0])}; },
       {half({0x5C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"Adds",
       "one instruction",
       [](M &m, X x) { return Values{m.add(x[0][0], 16)}; },
       {half({0x7BFF})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}},
       {{"value", 16.0f}}},
      {"Muls",
       "the factor is fp16 too",
       [](M &m, X x) { return Values{m.mul(x[0][0], m.constant(0.1f))}; },
       {half({0x54A7})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x4771}, 0},
        {"fp32, one rounding", nowhere, {}, {0x4772}, 0}},
       {{"value", 0.1f}}},
      {"RealDiv",
       "by precision mode",
       [](M &m, X x) { return Values{m.div(x[0][0], x[1][0])}; },
       {half({0x3C00}), half({0x0100})},
       Half,
       {{"fp16 instruction", everywhere, {.half = true}, {0x7BFF}, FO},
        {"high_precision: fp32",
         notOn310,
         {},
         {0x7BFF},
         CO,
         {{"_op_impl_mode_enum", int64_t(4)}}}}},
      {"Exp",
       "by precision mode",
       [](M &m, X x) {
         return Values{
             m.exp(m.add(m.mul(x[0][0], m.constant(0.3f)), m.constant(0.7f)))};
       },
       {half({0x4241})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x4526}, 0},
        {"high_precision: fp32",
         notOn310,
         {},
         {0x4525},
         0,
         {{"_op_impl_mode_enum", int64_t(4)}}}},
       {{"scale", 0.30000001f}, {"shift", 0.69999999f}}},
      {"Log",
       "by precision mode",
       [](M &m, X x) {
         return Values{
             m.log(m.add(m.mul(x[0][0], m.constant(0.3f)), m.constant(0.7f)))};
       },
       {half({0x4E40})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x4036}, 0},
        {"high_precision: fp32",
         notOn310,
         {},
         {0x4035},
         0,
         {{"_op_impl_mode_enum", int64_t(4)}}}},
       {{"scale", 0.30000001f}, {"shift", 0.69999999f}}},
      {"LeakyRelu",
       "one product",
       [](M &m, X x) { return Values{m.min(x[0][0], m.mul(x[0][0], 2))}; },
       {half({0xF8E2})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xFBFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0xFBFF}, CO}},
       {{"negative_slope", 2.0f}}},
      {"PRelu",
       "one product",
       [](M &m, X x) { return Values{m.mul(x[0][0], x[1][0])}; },
       {half({0xF8E2}), half({0x4000})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xFBFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0xFBFF}, CO}}},
      {"FusedMulAdd",
       "product and sum",
       [](M &m, X x) {
         return Values{m.add(m.mul(x[0][0], x[1][0]), x[2][0])};
       },
       {half({0x4470}), half({0x3D9C}), half({0x4550})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x49C4}, 0},
        {"fp32, one rounding", nowhere, {}, {0x49C5}, 0}}},
      {"Eltwise",
       "sum of three",
       [](M &m, X x) {
         return Values{m.add(m.add(x[0][0], x[1][0]), x[2][0])};
       },
       {half({0x6665}), half({0x3D00}), half({0x3D00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x6667}, 0},
        {"fp32, one rounding", nowhere, {}, {0x6668}, 0}},
       {{"mode", int64_t(1)}}},
      {"Eltwise",
       "weights",
       [](M &m, X x) {
         return Values{m.add(m.mul(x[0][0], m.constant(0.3f)),
                             m.mul(x[1][0], m.constant(0.7f)))};
       },
       {half({0x4520}), half({0x477A})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x46C6}, 0},
        {"fp32, one rounding", nowhere, {}, {0x46C5}, 0}},
       {{"mode", int64_t(1)},
        {"coeff", std::vector<float>{0.30000001f, 0.69999999f}}}},
      {"AddN",
       "sum of three",
       [](M &m, X x) {
         return Values{m.add(m.add(x[0][0], x[1][0]), x[2][0])};
       },
       {half({0x651B}), half({0x3ED0}), half({0x3E7D})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x651E}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x651F}, 0}}},
      {"AccumulateNV2",
       "sum of three",
       [](M &m, X x) {
         return Values{m.add(m.add(x[0][0], x[1][0]), x[2][0])};
       },
       {half({0x677D}), half({0x3800}), half({0x3E84})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x677F}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x6780}, 0}}},
      {"Rsqrt",
       "root and quotient",
       [](M &m, X x) { return Values{m.div(1, m.sqrt(x[0][0]))}; },
       {half({0x4D70})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x32DD}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x32DC}, 0}}},
      {"Reciprocal",
       "the quotient overflows in the cast",
       [](M &m, X x) { return Values{m.div(1, x[0][0])}; },
       {half({0x0100})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x7BFF}, CO},
        {"every instruction in fp16", nowhere, {.half = true}, {0x7BFF}, FO}}},
      {"Inv",
       "the quotient overflows in the cast",
       [](M &m, X x) { return Values{m.div(1, x[0][0])}; },
       {half({0x0100})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x7BFF}, CO},
        {"every instruction in fp16", nowhere, {.half = true}, {0x7BFF}, FO}}},
      {"Tanh",
       "above 0.55",
       [](M &m, X x) {
         const double square = m.mul(x[0][0], x[0][0]);
         double sum = m.constant(0.0157396831f);
         for (float coefficient : {-0.0523039624f, 0.133152977f, -0.333327681f})
           sum = m.add(m.mul(sum, square), m.constant(coefficient));
         const double small =
             m.add(x[0][0], m.mul(m.mul(square, x[0][0]), sum));
         const double power = m.exp(m.add(x[0][0], x[0][0]));
         const double large = m.div(m.sub(power, 1), m.add(power, 1));
         return Values{std::abs(x[0][0]) < 0.55 ? small : large};
       },
       {half({0x3C18})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x3A2C}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x3A2B}, 0}}},
      {"Tanh",
       "the polynomial below 0.55",
       [](M &m, X x) {
         const double square = m.mul(x[0][0], x[0][0]);
         double sum = m.constant(0.0157396831f);
         for (float coefficient : {-0.0523039624f, 0.133152977f, -0.333327681f})
           sum = m.add(m.mul(sum, square), m.constant(coefficient));
         const double small =
             m.add(x[0][0], m.mul(m.mul(square, x[0][0]), sum));
         const double power = m.exp(m.add(x[0][0], x[0][0]));
         const double large = m.div(m.sub(power, 1), m.add(power, 1));
         return Values{std::abs(x[0][0]) < 0.55 ? small : large};
       },
       {half({0x3630})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x35E5}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x35E6}, 0}}},
      {"TanhGrad",
       "y, dy",
       [](M &m, X x) {
         return Values{
             m.mul(x[1][0], m.add(m.neg(m.mul(x[0][0], x[0][0])), 1))};
       },
       {half({0x3868}), half({0x4400})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x4193}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x4192}, 0}}},
      {"Sigmoid",
       "by platform and precision mode",
       [](M &m, X x) {
         return Values{m.div(1, m.add(m.exp(m.neg(x[0][0])), 1))};
       },
       {half({0xC3C0})},
       Half,
       {{"every instruction in fp16",
         {Soc::Ascend310, Soc::Ascend910A},
         {.half = true},
         {0x2534},
         0},
        {"fp32, one rounding",
         {Soc::Ascend310P, Soc::Ascend910B},
         {},
         {0x2535},
         0}}},
      {"Sigmoid",
       "high_performance on 910B",
       [](M &m, X x) {
         return Values{m.div(1, m.add(m.exp(m.neg(x[0][0])), 1))};
       },
       {half({0x4180})},
       Half,
       {{"every instruction in fp16",
         {Soc::Ascend910B},
         {.half = true},
         {0x3B86},
         0,
         {{"_op_impl_mode_enum", int64_t(2)}}},
        {"fp32, one rounding", nowhere, {}, {0x3B85}, 0}}},
      {"SigmoidGrad",
       "y, dy",
       [](M &m, X x) {
         return Values{
             m.mul(m.mul(x[1][0], m.add(m.neg(x[0][0]), 1)), x[0][0])};
       },
       {half({0x3898}), half({0x3ED0})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x36AA}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x36A9}, 0}}},
      {"Gelu",
       "by platform",
       [](M &m, X x) {
         const double t = m.mul(geluCubic(m, x[0][0]), m.constant(1.5957691f));
         if (m.path.form == 1)
           return Values{m.div(x[0][0], m.add(m.exp(m.neg(t)), 1))};
         const double right = m.exp(m.min(t, 0));
         const double left = m.div(x[0][0], m.add(m.exp(m.neg(m.abs(t))), 1));
         return Values{m.mul(left, right)};
       },
       {half({0xBE00})},
       Half,
       {{"fp32, one rounding", {Soc::Ascend910A}, {}, {0xAE6D}, 0},
        {"every instruction in fp16", on310, {.half = true}, {0xAE6F}, 0}}},
      {"Gelu",
       "the form without a bound overflows",
       [](M &m, X x) {
         const double t = m.mul(geluCubic(m, x[0][0]), m.constant(1.5957691f));
         if (m.path.form == 1)
           return Values{m.div(x[0][0], m.add(m.exp(m.neg(t)), 1))};
         const double right = m.exp(m.min(t, 0));
         const double left = m.div(x[0][0], m.add(m.exp(m.neg(m.abs(t))), 1));
         return Values{m.mul(left, right)};
       },
       {half({0xC980})},
       Half,
       {{"fp32", {Soc::Ascend910A}, {}, {0x8000}, 0},
        {"x / (1 + e^-t)",
         {Soc::Ascend310P, Soc::Ascend910B},
         {.form = 1},
         {0x8000},
         FO | VN}}},
      {"GeluGrad",
       "by platform",
       [](M &m, X x) {
         const double dy = x[0][0], at = x[1][0];
         const double smallest = m.path.half ? 0x1p-14 : 0x1p-126;
         const double t = m.mul(geluCubic(m, at), m.constant(0.7978846f));
         const double e = m.exp(m.mul(m.abs(t), -2));
         const double tanh =
             m.div(m.sub(t, m.mul(e, t)),
                   m.mul(m.add(e, 1), m.add(m.abs(t), smallest)));
         const double slope =
             m.add(m.mul(m.mul(at, at), m.constant(0.0535161122f)),
                   m.constant(0.3989422804f));
         const double product =
             m.mul(slope, m.mul(m.add(m.neg(m.mul(tanh, tanh)), 1), at));
         return Values{m.mul(dy, m.add(m.mul(m.add(tanh, 1), 0.5), product))};
       },
       {half({0x3800}), half({0xBF80}), half({0x3800})},
       Half,
       {{"fp32, one rounding",
         {Soc::Ascend310P, Soc::Ascend910A},
         {},
         {0xAA5C},
         0},
        {"every instruction in fp16", on310, {.half = true}, {0xAA50}, 0}}},
      {"FastGelu",
       "by platform",
       [](M &m, X x) {
         const double magnitude = m.abs(x[0][0]);
         const double down =
             m.add(m.exp(m.mul(magnitude, m.constant(-1.702f))), 1);
         const double e =
             m.exp(m.mul(m.sub(x[0][0], magnitude), m.constant(0.851f)));
         if (m.path.form == 1)
           return Values{m.div(
               x[0][0], m.add(m.exp(m.mul(x[0][0], m.constant(-1.702f))), 1))};
         return Values{m.mul(m.mul(x[0][0], e), m.div(1, down))};
       },
       {half({0xC140})},
       Half,
       {{"every instruction in fp16",
         {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A},
         {.half = true},
         {0xA79C},
         0},
        {"x / (1 + e^-1.702x) in fp16",
         {Soc::Ascend910B},
         {.half = true, .form = 1},
         {0xA79D},
         0},
        {"fp32, one rounding", nowhere, {}, {0xA79F}, 0}}},
      {"Softplus",
       "exp and ln",
       [](M &m, X x) {
         return Values{m.add(m.log(m.add(m.exp(m.neg(m.abs(x[0][0]))), 1)),
                             m.max(x[0][0], 0))};
       },
       {half({0xC180})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x2BEF}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x2BE1}, 0}}},
      {"Elu",
       "exp",
       [](M &m, X x) {
         return Values{m.add(m.mul(m.add(m.exp(m.min(x[0][0], 0)), -1), 1),
                             m.max(x[0][0], 0))};
       },
       {half({0xB000})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0xAF85}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0xAF88}, 0}}},
      {"HardSwish",
       "chain",
       [](M &m, X x) {
         return Values{
             m.mul(m.mul(x[0][0], m.min(m.max(m.add(x[0][0], 3), 0), 6)),
                   m.constant(1.0f / 6))};
       },
       {half({0xB9D0})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xB468}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xB467}, 0}}},
      {"Swish",
       "the product before the exp",
       [](M &m, X x) {
         return Values{m.div(
             x[0][0], m.add(m.exp(m.min(m.path.form == 1
                                            ? m.mul(x[0][0], -0.3f)
                                            : m.halfMul(x[0][0], m.cast(-0.3f)),
                                        11.089f)),
                            1))};
       },
       {half({0x4140})},
       Half,
       {{"product in fp16, the rest in fp32", notOn310, {}, {0x3F38}, 0},
        {"fp32, one rounding", nowhere, {.form = 1}, {0x3F37}, 0}},
       {{"scale", 0.30000001f}}},
      {"Swish",
       "the exp after it",
       [](M &m, X x) {
         return Values{m.div(
             x[0][0], m.add(m.exp(m.min(m.path.form == 1
                                            ? m.mul(x[0][0], -0.3f)
                                            : m.halfMul(x[0][0], m.cast(-0.3f)),
                                        11.089f)),
                            1))};
       },
       {half({0x45C0})},
       Half,
       {{"product in fp16, the rest in fp32", notOn310, {}, {0x44E2}, 0},
        {"product and exp in fp16", on310, {.halfExp = true}, {0x44E1}, 0}},
       {{"scale", 0.30000001f}}},
      {"Mish",
       "chain",
       [](M &m, X x) {
         const double e = m.exp(m.neg(m.abs(x[0][0])));
         const double square = m.mul(e, e), twice = m.mul(e, 2);
         if (x[0][0] > 0)
           return Values{
               m.mul(x[0][0], m.div(m.add(twice, 1),
                                    m.add(m.add(m.mul(square, 2), twice), 1)))};
         return Values{m.mul(x[0][0], m.div(m.add(square, twice),
                                            m.add(m.add(square, twice), 2)))};
       },
       {half({0x3B00})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x39E2}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x39E3}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x39E4}, 0}}},
      {"Log1p",
       "sum and ln",
       [](M &m, X x) { return Values{m.log(m.add(x[0][0], 1))}; },
       {half({0x211F})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x2118}, 0},
        {"ln in fp16", on310, {.halfExp = true}, {0x20FA}, 0}}},
      {"Expm1",
       "exp and difference",
       [](M &m, X x) { return Values{m.add(m.exp(x[0][0]), -1)}; },
       {half({0x3430})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x34C9}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x34C8}, 0}}},
      {"Pow",
       "e^(y ln x)",
       [](M &m, X x) { return Values{m.exp(m.mul(x[1][0], m.log(x[0][0])))}; },
       {half({0x456A}), half({0x4300})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x5DC5}, 0},
        {"exp and ln in fp16", on310, {.halfExp = true}, {0x5DC9}, 0}}},
      {"Div",
       "the quotient overflows in the cast",
       [](M &m, X x) { return Values{m.div(x[0][0], x[1][0])}; },
       {half({0x3C00}), half({0x0100})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x7BFF}, CO},
        {"every instruction in fp16", nowhere, {.half = true}, {0x7BFF}, FO}}},
      {"FloorDiv",
       "the quotient before it is floored",
       [](M &m, X x) { return Values{m.floor(m.div(x[0][0], x[1][0]))}; },
       {half({0x66CE}), half({0x46A0})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x5C18}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x5C1C}, 0}}},
      {"FloorMod",
       "quotient, product, difference",
       [](M &m, X x) {
         return Values{
             m.sub(x[0][0], m.mul(m.floor(m.div(x[0][0], x[1][0])), x[1][0]))};
       },
       {half({0x611D}), half({0x442B})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x3020}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0}, 0}}},
      {"Mod",
       "quotient, product, difference",
       [](M &m, X x) {
         return Values{
             m.sub(x[0][0], m.mul(m.trunc(m.div(x[0][0], x[1][0])), x[1][0]))};
       },
       {half({0x6468}), half({0x46DC})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x4220}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x4200}, 0}}},
      {"SqrtGrad",
       "y, dy",
       [](M &m, X x) { return Values{m.div(m.mul(x[1][0], 0.5), x[0][0])}; },
       {half({0x0001}), half({0x0001})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x3800}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0}, FU}}},
      {"RsqrtGrad",
       "y, dy",
       [](M &m, X x) {
         return Values{m.mul(
             m.mul(m.mul(m.mul(x[0][0], x[0][0]), x[0][0]), x[1][0]), -0.5)};
       },
       {half({0x3CFC}), half({0x3F40})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xBF04}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xBF03}, 0}}},
      {"ReciprocalGrad",
       "y, dy",
       [](M &m, X x) {
         return Values{m.mul(m.neg(m.mul(x[0][0], x[0][0])), x[1][0])};
       },
       {half({0x3A20}), half({0x3E00})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xBB09}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xBB08}, 0}}},
      {"SigmoidCrossEntropyWithLogits",
       "x, z",
       [](M &m, X x) {
         return Values{m.add(m.sub(m.max(x[0][0], 0), m.mul(x[0][0], x[1][0])),
                             m.log(m.add(m.exp(m.neg(m.abs(x[0][0]))), 1)))};
       },
       {half({0x40B4}), half({0x3A30})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x38FD}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x38FE}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x38FF}, 0}}},
      {"Cast",
       "fp32 to int8 by platform",
       [](M &m, X x) {
         return Values{(m.path.form == 1 ? x[0][0] : m.cast(x[0][0]))};
       },
       {floats({2049.0f})},
       DataType::Int8,
       {{"through fp16",
         {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A},
         {},
         {0},
         0},
        {"directly", {Soc::Ascend910B}, {.form = 1}, {0x1}, 0}}},
      {"DropOutDoMask",
       "1 / keep_prob is fp16",
       [](M &m, X x) {
         return Values{
             m.mul(x[0][0], m.div(1, m.path.half ? m.cast(x[2][0]) : x[2][0]))};
       },
       {half({0x41D6}), Operand{DataType::UInt8, {1}}, half({0x39C0})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x4410}, 0},
        {"fp32, one rounding", nowhere, {}, {0x440F}, 0}}}};
}
