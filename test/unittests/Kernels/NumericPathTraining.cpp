//===- NumericPathTraining.cpp - Ways of optimizers and losses ------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

std::vector<PathRow> kernels::statustable::trainingPaths() {
  return {
      PathRow{
          "SoftmaxCrossEntropyWithLogits",
          "the loss",
          [](M &m, X x) {
            const bool inHalf = m.path.form == 1;
            const double max = largest(x[0]);
            Values differences, powers, terms;
            for (double value : x[0]) {
              differences.push_back(inHalf ? m.halfSub(value, max)
                                           : m.sub(value, max));
              powers.push_back(m.exp(differences.back()));
            }
            const double logarithm = m.log(m.sum(powers));
            for (size_t i = 0; i < differences.size(); ++i)
              terms.push_back(m.mul(x[1][i], m.sub(logarithm, differences[i])));
            return Values{m.sum(terms)};
          },
          {half({0xBB00, 0x39DC, 0x4500}).shaped({1, 3}),
           half({0x2400, 0x3640, 0x396C}).shaped({1, 3})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x3F1C}, 0},
           {"x - max in fp16", nowhere, {.form = 1}, {0x3F1B}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x3F19}, 0}}}
          .into({1})
          .besides(Half, {1, 3}),
      PathRow{
          "ApplyMomentumD",
          "var, accum, rate, gradient, momentum",
          [](M &m, X x) {
            return Values{
                m.sub(x[0][0],
                      m.mul(m.add(m.mul(x[1][0], x[4][0]), x[3][0]), x[2][0]))};
          },
          {half({0xB800}), half({0x3A2A}), half({0x3760}), half({0xBD1E}),
           half({0x3B00})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB313}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB314}, 0}}}
          .besides(Half, {1}),
      PathRow{
          "FusedMulApplyMomentum",
          "var, accum, rate, x1, momentum, x2",
          [](M &m, X x) {
            return Values{m.sub(x[0][0], m.mul(m.add(m.mul(x[1][0], x[4][0]),
                                                     m.mul(x[3][0], x[5][0])),
                                               x[2][0]))};
          },
          {half({0x3400}), half({0x33A0}), half({0x37C0}), half({0x3DE4}),
           half({0x3B00}), half({0x3E9F})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xBC20}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xBC21}, 0}}}
          .besides(Half, {1}),
      {"ApplyGradientDescent",
       "var, rate, gradient",
       [](M &m, X x) {
         return Values{m.sub(x[0][0], m.mul(x[2][0], x[1][0]))};
       },
       {half({0xBF80}), half({0x3300}), half({0xBE55})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xBE1E}, 0},
        {"fp32, one rounding", nowhere, {}, {0xBE1D}, 0}}},
      {"AssignAdd",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.add(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0x4C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      {"AssignSub",
       "one instruction: its overflow is no cast",
       [](M &m, X x) { return Values{m.sub(x[0][0], x[1][0])}; },
       {half({0x7BFF}), half({0xCC00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x7BFF}, FO},
        {"fp32, one rounding", nowhere, {}, {0x7BFF}, CO}}},
      PathRow{"AdamApplyOne",
              "v of gradient, v, ..., beta2, 1 - beta2",
              [](M &m, X x) {
                return Values{m.add(m.mul(x[1][0], x[7][0]),
                                    m.mul(m.mul(x[0][0], x[0][0]), x[8][0]))};
              },
              {half({0x3C00}), half({0x3EC0}), half({0x3800}), half({0x3400}),
               half({0x2E66}), half({0x3B33}), half({0x2E66}), half({0x3BFE}),
               half({0x2E66}), half({0x3C00})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x3F24},
                0},
               {"fp32, one rounding", nowhere, {}, {0x3F25}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "ApplyAdamW",
          "var, ..., rate, weight decay",
          [](M &m, X x) {
            // m and v of 0 and no gradient: the step is the decay.
            return Values{m.mul(x[0][0], m.sub(1, m.mul(x[5][0], x[6][0])))};
          },
          {half({0xBF00}), half({0}), half({0}), half({0x3800}), half({0x3800}),
           half({0x3780}), half({0x211F}), half({0x3B33}), half({0x3B33}),
           half({0x3C00}), half({0})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xBEF8}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xBEF7}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      {"LambUpdateWithLr",
       "ratio, rate, update",
       [](M &m, X x) {
         return Values{m.sub(
             x[5][0], m.mul(m.mul(m.div(x[1][0], x[2][0]), x[3][0]), x[4][0]))};
       },
       {half({0x3D00}), half({0x3C00}), half({0x3F40}), half({0x3800}),
        half({0x3FB5}), half({0x381C}), half({0}), half({0x3C00}),
        half({0x4900})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xA4A0}, 0},
        {"fp32, one rounding", nowhere, {}, {0xA492}, 0}}},
      {"LambUpdateWithLrV2",
       "ratio, rate, update",
       [](M &m, X x) {
         return Values{m.sub(
             x[4][0], m.mul(m.mul(m.div(x[0][0], x[1][0]), x[2][0]), x[3][0]))};
       },
       {half({0x3FC0}), half({0x3F48}), half({0x3800}), half({0x3D30}),
        half({0xBE00}), half({0}), half({0x3C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0xC062}, 0},
        {"fp32, one rounding", nowhere, {}, {0xC061}, 0}}},
      {"LambApplyWeightAssign",
       "ratio, rate, update",
       [](M &m, X x) {
         return Values{m.sub(
             x[4][0], m.mul(m.mul(m.div(x[0][0], x[1][0]), x[2][0]), x[3][0]))};
       },
       {half({0x3C00}), half({0x40B9}), half({0x3800}), half({0x397A}),
        half({0x3438})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x2F98}, 0},
        {"fp32, one rounding", nowhere, {}, {0x2F99}, 0}}},
      PathRow{"UnsortedSegmentSum",
              "rows of one segment",
              [](M &m, X x) { return Values{m.running(x[0])}; },
              {half({0x6475, 0x697A, 0x69A5, 0x6501}), ints({0, 0, 0, 0}),
               ints({1})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x6FEC},
                0},
               {"fp32, one rounding", nowhere, {}, {0x6FED}, 0}}}
          .into({1}),
      PathRow{"UnsortedSegmentSumD",
              "rows of one segment",
              [](M &m, X x) { return Values{m.running(x[0])}; },
              {half({0x69C3, 0x67B9, 0x6476, 0x686B}), ints({0, 0, 0, 0})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x7012},
                0},
               {"fp32, one rounding", nowhere, {}, {0x7011}, 0}},
              {{"num_segments", int64_t(1)}}}
          .into({1})};
}
