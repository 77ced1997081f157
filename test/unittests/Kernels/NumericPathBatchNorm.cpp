//===- NumericPathBatchNorm.cpp - Ways of batch normalisation -------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

std::vector<PathRow> kernels::statustable::batchNormPaths() {
  return {
      PathRow{
          "BNInfer",
          "root, product, sum",
          [](M &m, X x) {
            const double scale = x[1][0], offset = x[2][0], mean = x[3][0],
                         variance = x[4][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double multiplier = m.mul(scale, root);
            const double shift = m.sub(offset, m.mul(mean, multiplier));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(value, multiplier), shift));
            return result;
          },
          {half({0x435F, 0xBE00, 0xC400}).shaped({3, 1}), floats({1.75f}),
           floats({0.3125f}), floats({0.5f}), floats({1.0f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x45E2, 0xC25F, 0xC78F}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x45E3, 0xC260, 0xC790},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1}),
      PathRow{
          "BNTrainingUpdate",
          "moments, root, product, sum",
          [](M &m, X x) {
            const double share = m.constant(1.0f / x[0].size());
            const double mean = m.mul(x[1][0], share);
            const double variance =
                m.sub(m.mul(x[2][0], share), m.mul(mean, mean));
            const double scale = x[3][0], offset = x[4][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double multiplier = m.mul(scale, root);
            const double shift = m.sub(offset, m.mul(mean, multiplier));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(value, multiplier), shift));
            return result;
          },
          {half({0x4000, 0x4038, 0x4200}).shaped({3, 1}), floats({1.4990234f}),
           floats({15.078125f}), floats({1.1269531f}), floats({-0.5f}),
           floats({0.0f}), floats({0.0f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x3461, 0x3548, 0x3A50}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x3460, 0x3548, 0x3A50},
            0}},
          {{"epsilon", 0.001f}, {"factor", 0.1f}}}
          .into({3, 1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{
          "BNTrainingUpdateV2",
          "moments, root, product, sum",
          [](M &m, X x) {
            const double share = m.constant(1.0f / x[0].size());
            const double mean = m.mul(x[1][0], share);
            const double variance =
                m.sub(m.mul(x[2][0], share), m.mul(mean, mean));
            const double scale = x[3][0], offset = x[4][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double multiplier = m.mul(scale, root);
            const double shift = m.sub(offset, m.mul(mean, multiplier));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(value, multiplier), shift));
            return result;
          },
          {half({0xB800, 0x3200, 0x3C00}).shaped({3, 1}), floats({1.5f}),
           floats({12.9375f}), floats({0.9375f}), floats({0.4375f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xA70F, 0x34AD, 0x395C}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0xA710, 0x34AD, 0x395C},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1})
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{
          "BNTrainingUpdateV3",
          "moments, root, product, sum",
          [](M &m, X x) {
            const double share = m.constant(1.0f / x[0].size());
            const double mean = m.mul(x[1][0], share);
            const double variance =
                m.sub(m.mul(x[2][0], share), m.mul(mean, mean));
            const double scale = x[3][0], offset = x[4][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double multiplier = m.mul(scale, root);
            const double shift = m.sub(offset, m.mul(mean, multiplier));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(value, multiplier), shift));
            return result;
          },
          {half({0x3E28, 0x4200, 0x3E00}).shaped({3, 1}), floats({-1.6289062f}),
           floats({11.0f}), floats({1.5f}), floats({-0.25f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x3DCD, 0x414A, 0x3DAD}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x3DCD, 0x4149, 0x3DAC},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{"BNTrainingReduce",
              "sum",
              [](M &m, X x) { return Values{m.sum(x[0])}; },
              {half({0x661E, 0x6815, 0x689A, 0x65F3}).shaped({4, 1})},
              Float,
              {{"fp32", everywhere, {}, {0x45EB7800}, 0},
               {"fp16", nowhere, {.half = true}, {0x45EB8000}, 0}}}
          .into({1})
          .besides(Float, {1}),
      PathRow{"BNTrainingUpdateGrad",
              "products and their sum",
              [](M &m, X x) {
                const double mean = x[2][0], variance = x[3][0];
                const double root =
                    m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
                Values terms;
                for (size_t i = 0; i < x[0].size(); ++i)
                  terms.push_back(
                      m.mul(x[0][i], m.mul(m.sub(x[1][i], mean), root)));
                return Values{m.sum(terms)};
              },
              {half({0xB800, 0x3F20, 0xC27A, 0x4200}).shaped({4, 1}),
               half({0xC098, 0x3C00, 0xC200, 0xC000}).shaped({4, 1}),
               floats({0.0f}), floats({1.5f})},
              Float,
              {{"fp32", everywhere, {}, {0x40AD8CBC}, 0},
               {"fp16", nowhere, {.half = true}, {0x40AD6000}, 0}},
              {{"epsilon", 0.001f}}}
          .into({1})
          .besides(Float, {1}),
      PathRow{
          "BNTrainingReduceGrad",
          "chain",
          [](M &m, X x) {
            const double diffScale = x[2][0], diffOffset = x[3][0],
                         scale = x[4][0], mean = x[5][0], variance = x[6][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double share = m.constant(1.0f / x[0].size());
            const double slope = m.mul(diffScale, share),
                         shift = m.mul(diffOffset, share);
            Values result;
            for (size_t i = 0; i < x[0].size(); ++i) {
              const double normal = m.mul(m.sub(x[1][i], mean), root);
              result.push_back(
                  m.mul(m.sub(m.sub(x[0][i], m.mul(normal, slope)), shift),
                        m.mul(scale, root)));
            }
            return result;
          },
          {half({0, 0xC080, 0xBC00}).shaped({3, 1}),
           half({0x4300, 0x4300, 0x3C80}).shaped({3, 1}), floats({-1.8789062f}),
           floats({-0.0625f}), floats({1.0f}), floats({-0.625f}),
           floats({2.0f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x3D39, 0xB48E, 0xB09F}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x3D37, 0xB494, 0xB0A4},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1}),
      PathRow{
          "BatchNormGrad",
          "sums and chain",
          [](M &m, X x) {
            const double scale = x[2][0], mean = x[3][0], variance = x[4][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            Values terms;
            for (size_t i = 0; i < x[0].size(); ++i)
              terms.push_back(
                  m.mul(x[0][i], m.mul(m.sub(x[1][i], mean), root)));
            const double diffScale = m.sum(terms), diffOffset = m.sum(x[0]);
            const double share = m.constant(1.0f / x[0].size());
            const double slope = m.mul(diffScale, share),
                         shift = m.mul(diffOffset, share);
            Values result;
            for (size_t i = 0; i < x[0].size(); ++i) {
              const double normal = m.mul(m.sub(x[1][i], mean), root);
              result.push_back(
                  m.mul(m.sub(m.sub(x[0][i], m.mul(normal, slope)), shift),
                        m.mul(scale, root)));
            }
            return result;
          },
          {half({0xBCE0, 0x3800, 0xB740}).shaped({3, 1}),
           half({0xC380, 0xC340, 0x3E00}).shaped({3, 1}), floats({1.0f}),
           floats({0.0f}), floats({1.0f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x3F10, 0x42CC, 0xBC66}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x3F12, 0x42CD, 0xBC68},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{
          "BatchNorm",
          "moments, root, product, sum",
          [](M &m, X x) {
            const double share = m.constant(1.0f / x[0].size());
            const double mean = m.mul(m.sum(x[0]), share);
            const double variance =
                m.sub(m.mul(m.sum(products(m, x[0], x[0])), share),
                      m.mul(mean, mean));
            const double scale = x[1][0], offset = x[2][0];
            const double root =
                m.div(1, m.sqrt(m.add(variance, m.constant(1e-3f))));
            const double multiplier = m.mul(scale, root);
            const double shift = m.sub(offset, m.mul(mean, multiplier));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(value, multiplier), shift));
            return result;
          },
          {half({0x4000, 0xC0E0, 0xC05C}).shaped({3, 1}), floats({1.375f}),
           floats({0.76953125f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x416C, 0xB49E, 0xAF4F}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x416C, 0xB4A0, 0xAF50},
            0}},
          {{"epsilon", 0.001f}}}
          .into({3, 1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{
          "InstanceNormV2",
          "moments, root, product, sum",
          [](M &m, X x) {
            const double share = m.constant(1.0f / x[0].size());
            Values squares;
            for (double value : x[0])
              squares.push_back(m.mul(value, value));
            const double mean = m.mul(m.sum(x[0]), share);
            const double variance =
                m.sub(m.mul(m.sum(squares), share), m.mul(mean, mean));
            const double root = m.sqrt(m.add(variance, m.constant(1e-3f)));
            const double scale = m.div(x[1][0], root);
            const double shift = m.sub(x[2][0], m.mul(scale, mean));
            Values result;
            for (double value : x[0])
              result.push_back(m.add(m.mul(scale, value), shift));
            return result;
          },
          {half({0x4000, 0x4038, 0x4200}).shaped({1, 1, 1, 3}, Format::NCHW),
           floats({1.1269531f}), floats({-0.5f})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xBDB6, 0xBC9D, 0x3C54}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0xBDB0, 0xBC98, 0x3C4C},
            0}},
          {{"epsilon", 0.001f}}}
          .into({1, 1, 1, 3}, Format::NCHW)
          .besides(Float, {1})
          .besides(Float, {1}),
      PathRow{"BNInference",
              "x, mean, variance, momentum, scale, offset",
              [](M &m, X x) {
                const bool half = m.path.form == 1;
                const double mean = m.cast(-x[1][0] / x[3][0]);
                const double root =
                    m.cast(1 / std::sqrt(x[2][0] / x[3][0] + 1e-5));
                const double normal =
                    half ? m.halfMul(m.halfAdd(x[0][0], mean), root)
                         : m.mul(m.add(x[0][0], mean), root);
                return Values{m.add(m.mul(normal, x[4][0]), x[5][0])};
              },
              {half({0x3AE0}), half({0x4200}), half({0x3393}), half({0x4000}),
               half({0xC2E8}), half({0xC400})},
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
               {"fp32, one rounding", nowhere, {}, {0x40DC}, 0}}}};
}
