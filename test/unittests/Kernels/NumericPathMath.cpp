//===- NumericPathMath.cpp - Ways of simple mathematics -------------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

/// (-1)^k sin r for |r| up to pi / 2.
double sineOf(M &m, double r, double k) {
  const double square = m.mul(r, r);
  double sum = m.constant(2.604926501e-6f);
  for (float coefficient :
       {-0.0001980894471f, 0.008333049340f, -0.1666665792f, 1.0f})
    sum = m.add(m.mul(sum, square), m.constant(coefficient));
  const double sign = std::fmod(std::abs(k), 2) == 0 ? 1 : -1;
  return m.mul(m.mul(sum, r), sign);
}

constexpr float piParts[] = {3.140625f, 0.0009670257568359375f,
                             6.2771141529083251953125e-7f,
                             1.21644916362129151821136474609375e-10f,
                             -1.0290623200529979163359041220560e-13f};

double sine(M &m, double x) {
  const double k =
      std::nearbyint(m.mul(x, m.constant(0.3183098733425140380859375f)));
  double rest = x;
  for (float part : piParts)
    rest = m.sub(rest, m.mul(k, m.constant(part)));
  return sineOf(m, rest, k);
}

double cosine(M &m, double x) {
  const double k = std::nearbyint(
      m.add(m.mul(x, m.constant(0.3183098733425140380859375f)), 0.5));
  double rest = x;
  for (int i = 0; i < 5; ++i) {
    rest = m.sub(rest, m.mul(k, m.constant(piParts[i])));
    if (i == 1)
      rest = m.add(rest, m.constant(1.57079637050628662109375f));
  }
  rest = m.add(rest, m.constant(-0.00000004371139000189375f));
  return m.max(m.min(sineOf(m, rest, k), 1), -1);
}

/// x + mean and times variance in fp16 if \p half.
double normalized(M &m, X x, bool half) {
  return half ? m.halfMul(m.halfAdd(x[0][0], x[1][0]), x[2][0])
              : m.mul(m.add(x[0][0], x[1][0]), x[2][0]);
}

const Operand none = half({0});

} // namespace

std::vector<PathRow> kernels::statustable::mathPaths() {
  return {
      {"SquaredDifference",
       "the difference",
       [](M &m, X x) {
         const double difference = m.sub(x[0][0], x[1][0]);
         return Values{m.mul(difference, difference)};
       },
       {half({0xBE48}), half({0x42B9})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x4E13}, 0},
        {"fp32, one rounding", nowhere, {}, {0x4E15}, 0}}},
      {"Axpy",
       "x1 + x2 * alpha",
       [](M &m, X x) {
         return Values{m.add(x[0][0], m.mul(x[1][0], m.constant(0.3f)))};
       },
       {half({0x2C00}), half({0xC170})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xBA07}, 0},
        {"fp32, one rounding", nowhere, {}, {0xBA06}, 0}},
       {{"alpha", 0.3f}}},
      {"Xdivy",
       "a quotient beyond 65504",
       [](M &m, X x) {
         return Values{x[0][0] == 0 && x[1][0] == 0 ? 0
                                                    : m.div(x[0][0], x[1][0])};
       },
       {half({0x7800}), half({0x3400})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0x7BFF}, CO},
        {"an fp16 instruction", nowhere, {.half = true}, {0x7BFF}, FO}}},
      {"Power",
       "x * scale + shift, squared",
       [](M &m, X x) {
         const bool half = m.path.form == 1;
         const double base = half ? m.halfAdd(m.halfMul(x[0][0], 3), 0.5)
                                  : m.add(m.mul(x[0][0], 3), 0.5);
         return Values{half ? m.halfMul(base, base) : m.mul(base, base)};
       },
       {half({0x435A})},
       Half,
       {{"fp16 instructions", everywhere, {.form = 1}, {0x5828}, 0},
        {"fp32, one rounding", nowhere, {}, {0x5827}, 0}},
       {{"power", 2.0f}, {"scale", 3.0f}, {"shift", 0.5f}}},
      {"Power",
       "any other power",
       [](M &m, X x) {
         const bool half = m.path.form == 1;
         const double base = half ? m.halfAdd(m.halfMul(x[0][0], 3), 0.5)
                                  : m.add(m.mul(x[0][0], 3), 0.5);
         return Values{m.exp(m.mul(1.5, m.log(std::abs(base))))};
       },
       {half({0x459D})},
       Half,
       {{"x * scale + shift in fp16", notOn310, {.form = 1}, {0x5484}, 0},
        {"exp and ln in fp16 too",
         on310,
         {.halfExp = true, .form = 1},
         {0x5485},
         0},
        {"fp32, one rounding", nowhere, {}, {0x5483}, 0}},
       {{"power", 1.5f}, {"scale", 3.0f}, {"shift", 0.5f}}},
      {"Sin",
       "a polynomial of x less multiples of pi",
       [](M &m, X x) { return Values{sine(m, x[0][0])}; },
       {half({0xBDE0})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xBBF5}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xBBF7}, 0}}},
      {"Cos",
       "a polynomial of x less multiples of pi",
       [](M &m, X x) { return Values{cosine(m, x[0][0])}; },
       {half({0x4100})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xBA69}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xBA68}, 0}}},
      {"Scale",
       "x * scale + bias",
       [](M &m, X x) {
         return Values{m.add(m.mul(x[0][0], x[1][0]), x[2][0])};
       },
       {half({0x3C40}), half({0x41E8}), half({0xC0D0})},
       Half,
       {{"fp32, one rounding", notOn310, {}, {0x39DA}, 0},
        {"every instruction in fp16", on310, {.half = true}, {0x39D8}, 0}}},
      {"BNInferenceD",
       "x, mean, variance, scale, offset",
       [](M &m, X x) {
         return Values{m.add(m.mul(normalized(m, x, m.path.form == 1), x[3][0]),
                             x[4][0])};
       },
       {half({0x3AE0}), half({0xBE00}), half({0x41D0}), half({0xC2E8}),
        half({0xC400})},
       Half,
       {{"two instructions in fp16, then fp32",
         notOn310,
         {.form = 1},
         {0x40DB},
         0},
        {"every instruction in fp16",
         on310,
         {.half = true, .form = 1},
         {0x40DA},
         0},
        {"fp32, one rounding", nowhere, {}, {0x40DC}, 0}}},
      {"KLDivLossGrad",
       "gradient, input, target; the mean",
       [](M &m, X x) {
         Values result;
         for (size_t i = 0; i < x[0].size(); ++i)
           result.push_back(
               m.mul(m.mul(m.mul(x[2][i], x[0][i]), -1), m.constant(1.0f / 3)));
         return result;
       },
       {half({0x3CE0, 0x3CEC, 0x2C00}), half({0, 0, 0}),
        half({0x3490, 0x2B00, 0x3620})},
       Half,
       {{"every instruction in fp16",
         everywhere,
         {.half = true},
         {0xAF6A, 0xA5BD, 0xA015},
         0},
        {"fp32, one rounding", nowhere, {}, {0xAF6A, 0xA5BE, 0xA015}, 0}}},
      {"MaskedScale",
       "two products",
       [](M &m, X x) {
         return Values{m.mul(m.mul(x[0][0], x[1][0]), m.constant(0.3f))};
       },
       {half({0xB430}), half({0x3BC8})},
       Half,
       {{"fp32, one rounding", everywhere, {}, {0xACE3}, 0},
        {"every instruction in fp16", nowhere, {.half = true}, {0xACE4}, 0}},
       {{"value", 0.3f}}},
      PathRow{"MatrixDiagD",
              "one instruction: its overflow is no cast",
              [](M &m, X x) { return Values{m.mul(x[0][0], x[1][0])}; },
              {half({0x7BFF}), half({0x3C01}).shaped({1, 1})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x7BFF},
                FO},
               {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}}
          .into({1, 1}),
  };
}
