//===- NumericPathActivations.cpp - Ways of activations -------------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

double geluCubic(M &m, double x) {
  return m.add(m.mul(m.mul(m.mul(x, x), x), m.constant(0.044715f)), x);
}

} // namespace

std::vector<PathRow> kernels::statustable::activationPaths() {
  return {
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
       [](M &m, X x) {
         const double scaled = m.mul(x[0][0], x[1][0]);
         return Values{x[0][0] > 0 ? x[0][0] : scaled};
       },
       {half({0xF8E2}), half({0x4000})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xFBFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0xFBFF}, CO}}},
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
      {"Gelu",
       "high_performance",
       [](M &m, X x) {
         const double bounded = m.min(
             m.abs(m.mul(x[0][0], m.constant(0.7071f))), m.constant(1.769f));
         const double distance = m.add(bounded, m.constant(-1.769f));
         const double half =
             m.add(m.mul(m.mul(distance, distance), m.constant(-0.1444f)), 0.5);
         const double moved =
             m.add(x[0][0], m.path.half ? m.constant(1e-7f) : 1e-12f);
         const double sign = m.mul(moved, m.div(1, m.abs(moved)));
         return Values{m.mul(x[0][0], m.add(m.mul(half, sign), 0.5))};
       },
       {half({0xC070})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xA2A8}, 0},
        {"fp32, one rounding", nowhere, {}, {0xA292}, 0}},
       {{"_op_impl_mode_enum", int64_t(2)}}},
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
      {"LeakyReluGrad",
       "one product",
       [](M &m, X x) {
         const double scaled = m.mul(x[0][0], 2);
         return Values{x[1][0] > 0 ? x[0][0] : scaled};
       },
       {half({0x78E2}), half({0xBC00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}},
       {{"negative_slope", 2.0f}}},
      {"HardSigmoid",
       "product and sum",
       [](M &m, X x) {
         return Values{
             m.min(m.max(m.add(m.mul(x[0][0], m.constant(0.16666666f)),
                               m.constant(0.5f)),
                         0),
                   1)};
       },
       {half({0xC120})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x2CAB}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x2CAC}, 0}}},
      {"Softsign",
       "sum and quotient",
       [](M &m, X x) {
         return Values{m.div(x[0][0], m.add(m.abs(x[0][0]), 1))};
       },
       {half({0x3EA5})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x38FE}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x38FF}, 0}}},
      {"Selu",
       "exp and products",
       [](M &m, X x) {
         return Values{m.mul(m.add(m.mul(m.add(m.exp(m.min(x[0][0], 0)), -1),
                                         m.constant(1.67326324f)),
                                   m.max(x[0][0], 0)),
                             m.constant(1.05070098f))};
       },
       {half({0xB080})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0xB361}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0xB364}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xB363}, 0}}},
      {"GeluV2",
       "by platform",
       [](M &m, X x) {
         const double t = m.mul(geluCubic(m, x[0][0]), m.constant(1.5957691f));
         if (m.path.form == 1)
           return Values{m.div(x[0][0], m.add(m.exp(m.neg(t)), 1))};
         const double right = m.exp(m.min(t, 0));
         const double left = m.div(x[0][0], m.add(m.exp(m.neg(m.abs(t))), 1));
         return Values{m.mul(left, right)};
       },
       {half({0xC1F0})},
       Half,
       {{"fp32, one rounding", {Soc::Ascend910A}, {}, {0x9C1D}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x9C1C}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0x9C20}, 0}},
       {{"approximate", std::string("tanh")}}},
      {"GeluV2",
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
         FO | VN}},
       {{"approximate", std::string("tanh")}}},
      {"GeluGradV2",
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
       {half({0x3C80}), half({0xC000})},
       Half,
       {{"fp32, one rounding",
         {Soc::Ascend310P, Soc::Ascend910A},
         {},
         {0xAE33},
         0},
        {"exp in fp16", on310, {.halfExp = true}, {0xAE34}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xAE49}, 0}},
       {{"approximate", std::string("tanh")}}},
      {"Erf",
       "above 0.9",
       [](M &m, X x) {
         // By 7.1.26 of Abramowitz and Stegun, from 0.9 on.
         const double square = m.mul(x[0][0], x[0][0]);
         const double t =
             m.div(1, m.add(m.mul(x[0][0], m.constant(0.3275911f)), 1));
         double sum = m.constant(1.061405429f);
         for (float coefficient :
              {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
           sum = m.add(m.mul(sum, t), m.constant(coefficient));
         return Values{m.sub(1, m.mul(m.mul(sum, t), m.exp(m.neg(square))))};
       },
       {half({0x3C4C})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x3AF8}, 0},
        {"exp in fp16", on310, {.halfExp = true}, {0x3AF9}, 0}}},
      {"FastGeluGrad",
       "by platform",
       [](M &m, X x) {
         const double dy = x[0][0], at = x[1][0];
         if (m.path.form == 1) {
           const double b = m.mul(at, m.constant(-1.702f));
           const double s = m.div(1, m.add(m.exp(b), 1));
           return Values{m.mul(dy, m.mul(m.add(m.mul(b, m.add(s, -1)), 1), s))};
         }
         const double magnitude = m.abs(at);
         const double e = m.exp(m.mul(magnitude, m.constant(-1.702f)));
         const double linear = m.mul(m.mul(at, e), m.constant(1.702f));
         const double tail =
             m.exp(m.mul(m.sub(at, magnitude), m.constant(1.702f)));
         const double up = m.add(m.add(e, linear), tail);
         const double root = m.add(e, 1);
         return Values{m.mul(dy, m.mul(up, m.div(1, m.mul(root, root))))};
       },
       {half({0x3C00}), half({0xBBBA})},
       Half,
       {{"every instruction in fp16",
         {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A},
         {.half = true},
         {0xABD3},
         0},
        {"by the logistic function in fp16",
         {Soc::Ascend910B},
         {.half = true, .form = 1},
         {0xABD1},
         0},
        {"fp32, one rounding", nowhere, {}, {0xABD4}, 0}}}};
}
