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
          {half({0xC1F5, 0x3E83, 0xC346}).shaped({1, 3}),
           half({0x1954, 0x3A08, 0x2CA6}).shaped({1, 3})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x3682}, 0},
           {"exp and ln in fp16", on310, {.halfExp = true}, {0x3684}, 0},
           {"x - max in fp16", nowhere, {.form = 1}, {0x3683}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x3681}, 0}}}
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
          "var, m, v, powers, rate, decay, betas, epsilon, gradient",
          [](M &m, X x) {
            const double gradient = x[10][0];
            const double var =
                m.mul(x[0][0], m.sub(1, m.mul(x[5][0], x[6][0])));
            const double mean = m.add(m.mul(x[1][0], x[7][0]),
                                      m.mul(gradient, m.sub(1, x[7][0])));
            const double v =
                m.add(m.mul(x[2][0], x[8][0]),
                      m.mul(m.mul(gradient, gradient), m.sub(1, x[8][0])));
            const double first = m.div(mean, m.sub(1, x[3][0]));
            const double second = m.div(v, m.sub(1, x[4][0]));
            const double step = m.div(first, m.add(m.sqrt(second), x[9][0]));
            return Values{m.sub(var, m.mul(x[5][0], step))};
          },
          {half({0xBBA8}), half({0xBAE0}), half({0x2E66}), half({0x3800}),
           half({0x3800}), half({0x3710}), half({0x3600}), half({0x3B33}),
           half({0x3B33}), half({0x1419}), half({0x3F40})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB34E}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB354}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      {"LambUpdateWithLr",
       "ratio, rate, update",
       [](M &m, X x) {
         const bool trusted = x[0][0] > x[6][0] && x[1][0] > x[6][0];
         const double quotient = trusted ? m.div(x[1][0], x[2][0]) : x[7][0];
         const double ratio = m.max(m.min(quotient, x[8][0]), x[6][0]);
         return Values{m.sub(x[5][0], m.mul(m.mul(ratio, x[3][0]), x[4][0]))};
       },
       {half({0x3C6A}), half({0x3E97}), half({0x41C0}), half({0x3640}),
        half({0x3C80}), half({0x3A00}), half({0}), half({0x3C00}),
        half({0x4900})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x37F8}, 0},
        {"fp32, one rounding", nowhere, {}, {0x37F9}, 0}}},
      {"LambUpdateWithLrV2",
       "ratio, rate, update",
       [](M &m, X x) {
         const bool trusted = x[0][0] > x[5][0] && x[1][0] > x[5][0];
         const double quotient = trusted ? m.div(x[0][0], x[1][0]) : x[6][0];
         const double ratio = quotient;
         return Values{m.sub(x[4][0], m.mul(m.mul(ratio, x[2][0]), x[3][0]))};
       },
       {half({0x3C00}), half({0x40B9}), half({0x3800}), half({0x397A}),
        half({0x3438}), half({0}), half({0x3C00})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x2F98}, 0},
        {"fp32, one rounding", nowhere, {}, {0x2F99}, 0}}},
      {"LambApplyWeightAssign",
       "ratio, rate, update",
       [](M &m, X x) {
         const bool trusted = x[0][0] > 0 && x[1][0] > 0;
         const double quotient = trusted ? m.div(x[0][0], x[1][0]) : 1;
         const double ratio = quotient;
         return Values{m.sub(x[4][0], m.mul(m.mul(ratio, x[2][0]), x[3][0]))};
       },
       {half({0x3D80}), half({0x4100}), half({0x3600}), half({0x3FA0}),
        half({0x3800})},
       Half,
       {{"every instruction in fp16", everywhere, {.half = true}, {0x2ED8}, 0},
        {"fp32, one rounding", nowhere, {}, {0x2ED6}, 0}}},
      PathRow{"UnsortedSegmentSum",
              "rows of one segment",
              [](M &m, X x) { return Values{m.running(x[0])}; },
              {half({0x67C6, 0x6663, 0x659A, 0x69AE}), ints({0, 0, 0, 0}),
               ints({1})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x6FC7},
                0},
               {"fp32, one rounding", nowhere, {}, {0x6FC8}, 0}}}
          .into({1}),
      PathRow{"SegmentSum",
              "rows of one segment",
              [](M &m, X x) { return Values{m.running(x[0])}; },
              {half({0x67C6, 0x6663, 0x659A, 0x69AE}), ints({0, 0, 0, 0})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x6FC7},
                0},
               {"fp32, one rounding", nowhere, {}, {0x6FC8}, 0}}}
          .into({1}),
      PathRow{"UnsortedSegmentSumD",
              "rows of one segment",
              [](M &m, X x) { return Values{m.running(x[0])}; },
              {half({0x68E9, 0x6724, 0x69B8, 0x686A}), ints({0, 0, 0, 0})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x70A8},
                0},
               {"fp32, one rounding", nowhere, {}, {0x70A7}, 0}},
              {{"num_segments", int64_t(1)}}}
          .into({1}),
      PathRow{
          "ApplyMomentum",
          "var, accum, rate, gradient, momentum",
          [](M &m, X x) {
            return Values{
                m.sub(x[0][0],
                      m.mul(m.add(m.mul(x[1][0], x[4][0]), x[3][0]), x[2][0]))};
          },
          {half({0xB900}), half({0x3CC0}), half({0x3480}), half({0xBE2C}),
           half({0x3BEC})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB82D}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB82C}, 0}}}
          .besides(Half, {1}),
      PathRow{
          "SGD",
          "var, gradient, rate, accum, momentum, stat",
          [](M &m, X x) {
            const double sum =
                m.add(m.mul(x[3][0], x[4][0]), m.mul(x[1][0], 1));
            const double next = x[5][0] > 0 ? x[1][0] : sum;
            return Values{
                m.sub(x[0][0], m.mul(x[4][0] > 0 ? next : x[1][0], x[2][0]))};
          },
          {half({0xBBA4}), half({0xBC00}), half({0x34B4}), half({0xBD80}),
           half({0x3B00}), half({0})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB4EB}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB4EC}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"AdamApplyOneAssign",
              "v of gradient, v, ..., beta2, 1 - beta2",
              [](M &m, X x) {
                return Values{m.add(m.mul(x[1][0], x[7][0]),
                                    m.mul(m.mul(x[0][0], x[0][0]), x[8][0]))};
              },
              {half({0x3D00}), half({0x3B98}), half({0x3C00}), half({0x3A00}),
               half({0x2E66}), half({0x3B33}), half({0x2E66}), half({0x3B80}),
               half({0x211F}), half({0x3C00})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x3B3E},
                0},
               {"fp32, one rounding", nowhere, {}, {0x3B3F}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"AdamApplyOneWithDecay",
              "v of gradient, v, ..., beta2, 1 - beta2",
              [](M &m, X x) {
                return Values{m.add(m.mul(x[1][0], x[7][0]),
                                    m.mul(m.mul(x[0][0], x[0][0]), x[8][0]))};
              },
              {half({0x3E58}), half({0x3B00}), half({0x3AC0}), half({0x3500}),
               half({0x2E66}), half({0x3B33}), half({0x2E66}), half({0x3B82}),
               half({0x211F}), half({0x211F}), half({0x3C00})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x3AC6},
                0},
               {"fp32, one rounding", nowhere, {}, {0x3AC5}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"AdamApplyOneWithDecayAssign",
              "v of gradient, v, ..., beta2, 1 - beta2",
              [](M &m, X x) {
                return Values{m.add(m.mul(x[1][0], x[7][0]),
                                    m.mul(m.mul(x[0][0], x[0][0]), x[8][0]))};
              },
              {half({0x3F25}), half({0x3A00}), half({0x2E50}), half({0}),
               half({0x2E66}), half({0x3B33}), half({0x2E66}), half({0x3BFE}),
               half({0x211F}), half({0x211F}), half({0x3C00})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x3A3F},
                0},
               {"fp32, one rounding", nowhere, {}, {0x3A40}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "LambApplyOptimizerAssign",
          "corrections by powers of beta",
          [](M &m, X x) {
            auto correction = [&](double beta) {
              return m.add(m.neg(m.exp(m.mul(x[9][0], m.log(beta)))), 1);
            };
            const double v = m.add(m.mul(x[1][0], x[6][0]),
                                   m.mul(m.mul(x[0][0], x[0][0]), x[7][0]));
            const double mean =
                m.add(m.mul(x[2][0], x[4][0]), m.mul(x[0][0], x[5][0]));
            const double first = m.div(mean, correction(x[4][0]));
            const double second = m.div(v, correction(x[6][0]));
            const double step = m.div(first, m.add(m.sqrt(second), x[8][0]));
            return Values{
                m.add(m.mul(m.mul(x[3][0], x[11][0]), x[10][0]), step)};
          },
          {half({0x3D04}), half({0x3D80}), half({0xBBB8}), half({0x3A00}),
           half({0x3B33}), half({0x2E66}), half({0x3BEC}), half({0x211F}),
           half({0x1419}), half({0x4400}), half({0x3C00}), half({0x211F})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0xB5A7}, 0},
           {"exp in fp16", on310, {.halfExp = true}, {0xB5A8}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB5A9}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"ScatterAdd",
              "two updates of one element",
              [](M &m, X x) {
                return Values{m.add(m.add(x[0][0], x[2][0]), x[2][1])};
              },
              {half({0xC2F3}), ints({0, 0}), half({0xC364, 0xC37E})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xC976},
                0},
               {"fp32, one rounding", nowhere, {}, {0xC975}, 0}}}
          .into({1}),
      PathRow{"ScatterElements",
              "two updates of one element",
              [](M &m, X x) {
                return Values{m.add(m.add(x[0][0], x[2][0]), x[2][1])};
              },
              {half({0xBF50, 0x43E5}), ints({0, 0}), half({0xC23D, 0x40C0})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xC124},
                0},
               {"fp32, one rounding", nowhere, {}, {0xC125}, 0}},
              {{"reduction", std::string("add")}}}
          .into({2}),
      PathRow{"ScatterNd",
              "three updates of one element",
              [](M &m, X x) {
                return Values{m.add(m.add(x[1][0], x[1][1]), x[1][2])};
              },
              {ints({0, 0, 0}).shaped({3, 1}), half({0xC20D, 0xBFC4, 0x43AB}),
               ints({1})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xBC8A},
                0},
               {"fp32, one rounding", nowhere, {}, {0xBC88}, 0}}}
          .into({1}),
      PathRow{"LambNextMV",
              "the step by 1 / sqrt(v + epsilon)",
              [](M &m, X x) {
                const double v =
                    m.add(m.mul(x[1][0], x[9][0]), m.mul(x[0][0], x[10][0]));
                const double mean =
                    m.add(m.mul(x[4][0], x[7][0]), m.mul(x[3][0], x[8][0]));
                const double second = m.div(v, x[2][0]),
                             first = m.div(mean, x[5][0]);
                const double root = m.div(1, m.sqrt(m.add(second, x[12][0])));
                return Values{
                    m.add(m.mul(x[6][0], x[11][0]), m.mul(root, first))};
              },
              {half({0x3AA0}), half({0x3980}), half({0x3980}), half({0}),
               half({0xB4C0}), half({0x3800}), half({0x3A00}), half({0x3B33}),
               half({0x2E66}), half({0x3BEC}), half({0x211F}), half({0x211F}),
               half({0x1419})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xB836},
                0},
               {"fp32, one rounding", nowhere, {}, {0xB835}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"LambNextRight",
              "v, from gradient, v, beta2, 1 - beta2, 1 / correction, epsilon",
              [](M &m, X x) {
                const double square = m.mul(x[0][0], x[0][0]);
                return Values{
                    m.add(m.mul(x[1][0], x[2][0]), m.mul(square, x[3][0]))};
              },
              {half({0xBC60}), half({0x46B5}), half({0x47AE}), half({0x3241}),
               half({0x4693}), half({0x1419})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0x5277},
                0},
               {"fp32, one rounding", nowhere, {}, {0x5278}, 0}}}
          .besides(Half, {1}),
      PathRow{"LambNextMVWithDecay",
              "the step by 1 / sqrt(v + epsilon)",
              [](M &m, X x) {
                const double v =
                    m.add(m.mul(x[1][0], x[9][0]), m.mul(x[0][0], x[10][0]));
                const double mean =
                    m.add(m.mul(x[4][0], x[7][0]), m.mul(x[3][0], x[8][0]));
                const double second = m.div(v, x[2][0]),
                             first = m.div(mean, x[5][0]);
                const double root = m.div(1, m.sqrt(m.add(second, x[12][0])));
                return Values{
                    m.add(m.mul(x[6][0], x[11][0]), m.mul(root, first))};
              },
              {half({0x3AA0}), half({0x3980}), half({0x3980}), half({0}),
               half({0xB4C0}), half({0x3800}), half({0x3A00}), half({0x3B33}),
               half({0x2E66}), half({0x3BEC}), half({0x211F}), half({0x211F}),
               half({0x1419})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xB836},
                0},
               {"fp32, one rounding", nowhere, {}, {0xB835}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "FusedMulApplyMomentumExtern",
          "var, accum, rate, x1, momentum, x2",
          [](M &m, X x) {
            return Values{m.sub(x[0][0], m.mul(m.add(m.mul(x[1][0], x[4][0]),
                                                     m.mul(x[3][0], x[5][0])),
                                               x[2][0]))};
          },
          {half({0xC000}), half({0x3E80}), half({0x3740}), half({0xB400}),
           half({0x3BEC}), half({0x3980}), half({0x3F4C})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xC14D}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xC14E}, 0}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "ApplyRMSPropD",
          "var, ms, mom, rate, gradient",
          [](M &m, X x) {
            const double squares =
                m.add(m.mul(x[1][0], m.constant(0.9f)),
                      m.mul(m.mul(x[4][0], x[4][0]), m.constant(1 - 0.9f)));
            const double step =
                m.div(m.mul(x[4][0], x[3][0]),
                      m.sqrt(m.add(squares, m.constant(0.001f))));
            return Values{
                m.sub(x[0][0], m.add(m.mul(x[2][0], m.constant(0.8f)), step))};
          },
          {half({0xB740}), half({0x3B00}), half({0xBA00}), half({0x3200}),
           half({0x3F2E})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB185}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB188}, 0}},
          {{"rho", 0.89999998f},
           {"momentum", 0.80000001f},
           {"epsilon", 0.001f}}}
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "ApplyAdagradD",
          "var, accum, rate, gradient",
          [](M &m, X x) {
            const double squares = m.add(x[1][0], m.mul(x[3][0], x[3][0]));
            return Values{m.sub(
                x[0][0], m.div(m.mul(x[3][0], x[2][0]), m.sqrt(squares)))};
          },
          {half({0}), half({0x3EF4}), half({0x211F}), half({0xBE80})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x1FF4}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x1FF5}, 0}}}
          .besides(Half, {1}),
      PathRow{
          "ApplyAdamWithAmsgradD",
          "var, m, v, largest v, beta1^t, beta2^t, rate, gradient",
          [](M &m, X x) {
            const double mean = m.add(m.mul(x[1][0], m.constant(0.9f)),
                                      m.mul(x[7][0], m.constant(1 - 0.9f)));
            const double v =
                m.add(m.mul(x[2][0], m.constant(0.99f)),
                      m.mul(m.mul(x[7][0], x[7][0]), m.constant(1 - 0.99f)));
            const double largest = m.max(x[3][0], v);
            const double rate = m.div(m.mul(x[6][0], m.sqrt(m.sub(1, x[5][0]))),
                                      m.sub(1, x[4][0]));
            return Values{m.sub(
                x[0][0], m.div(m.mul(rate, mean),
                               m.add(m.sqrt(largest), m.constant(0.001f))))};
          },
          {half({0x3FB0}), half({0xB5C0}), half({0x3C00}), half({0x3400}),
           half({0x3900}), half({0x3AD6}), half({0x3800}), half({0})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x402D}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x402C}, 0}},
          {{"beta1", 0.89999998f}, {"beta2", 0.99000001f}, {"epsilon", 0.001f}}}
          .besides(Half, {1})
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{
          "SmoothL1LossV2",
          "the mean, of which one is a square",
          [](M &m, X x) {
            const double sigma = 1.5;
            Values losses;
            for (size_t i = 0; i < x[0].size(); ++i) {
              const double difference = m.sub(x[0][i], x[1][i]);
              losses.push_back(
                  m.abs(difference) < sigma
                      ? m.mul(m.mul(m.mul(difference, 0.5), difference),
                              m.constant(1 / 1.5f))
                      : m.sub(m.abs(difference), 0.5 * sigma));
            }
            return Values{m.mul(m.sum(losses), m.constant(1.0f / 3))};
          },
          {half({0x413E, 0xB9D0, 0x3659}), half({0xC38F, 0x400E, 0x34E2})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x411B}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x411A}, 0}},
          {{"sigma", 1.5f}}}
          .into({1}),
      PathRow{
          "NLLLoss",
          "the mean of three rows",
          [](M &m, X x) {
            Values losses, weights;
            for (size_t row = 0; row < 3; ++row) {
              const size_t number = row == 1 ? 0 : 1;
              weights.push_back(x[2][number]);
              losses.push_back(
                  m.mul(m.mul(x[0][2 * row + number], -1), weights.back()));
            }
            return Values{m.div(m.sum(losses), m.sum(weights))};
          },
          {half({0xC178, 0xC2CE, 0xBCD4, 0xC06A, 0xBA70, 0xC21E})
               .shaped({3, 2}),
           ints({1, 0, 1}), half({0x3520, 0x3A68})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x41C9}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x41CA}, 0}}}
          .into({1})
          .besides(Half, {1}),
      PathRow{
          "NLLLossGrad",
          "gradient of the mean",
          [](M &m, X x) {
            return Values{m.div(m.mul(m.mul(x[3][0], x[1][0]), -1), x[4][0])};
          },
          {half({0}).shaped({1, 1}), half({0x39E8}), ints({0}), half({0x3770}),
           half({0x3DC8})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB399}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0xB39A}, 0}}}
          .into({1, 1}),
      PathRow{"EmbeddingDenseGrad",
              "the mean of three rows",
              [](M &m, X x) {
                return Values{m.running(scaled(m, x[0], m.constant(1.0f / 3)))};
              },
              {half({0x3C84, 0xC24A, 0x3E28}).shaped({3, 1}), ints({0, 0, 0})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xB118},
                0},
               {"fp32, one rounding", nowhere, {}, {0xB115}, 0}},
              {{"num_weights", int64_t(1)}, {"scale_grad_by_freq", true}}}
          .into({1, 1})};
}
