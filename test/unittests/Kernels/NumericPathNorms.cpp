//===- NumericPathNorms.cpp - Ways of normalisations ----------------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

std::vector<PathRow> kernels::statustable::normPaths() {
  return {
      PathRow{"LayerNorm",
              "moments and root",
              [](M &m, X x) {
                const bool roundsMoments = m.path.form == 0 || m.path.form == 2;
                const bool byQuotient = m.path.form >= 2;
                auto moment = [&](double value) {
                  return roundsMoments ? m.cast(value) : value;
                };
                const double share = m.constant(1.0f / x[0].size());
                const double mean = moment(m.sum(scaled(m, x[0], share)));
                Values differences, squares;
                for (double value : x[0]) {
                  differences.push_back(m.sub(value, mean));
                  squares.push_back(m.mul(
                      m.mul(differences.back(), differences.back()), share));
                }
                const double sum = m.add(moment(m.sum(squares)), 1e-5f);
                const double root = byQuotient ? m.div(1, m.sqrt(sum))
                                               : m.exp(m.mul(m.log(sum), -0.5));
                for (size_t i = 0; i < differences.size(); ++i)
                  differences[i] = m.add(
                      m.mul(m.mul(differences[i], root), x[1][i]), x[2][i]);
                return differences;
              },
              {half({0x3EB3, 0x3540, 0x4876, 0xB890}).shaped({1, 4}),
               half({0x3800, 0x3F00, 0x3C00, 0x3A00}),
               half({0x3C00, 0xB940, 0x3400, 0x3340})},
              Half,
              {{"moments to fp16, the root by exp and ln",
                notOn310,
                {},
                {0x3B06, 0xBEDA, 0x3FC5, 0xB680},
                0},
               {"fp32 moments, exp and ln in fp16",
                on310,
                {.halfExp = true, .form = 1},
                {0x3B06, 0xBEDB, 0x3FC6, 0xB682},
                0},
               {"fp32 moments",
                nowhere,
                {.form = 1},
                {0x3B06, 0xBEDA, 0x3FC5, 0xB681},
                0}},
              {{"begin_norm_axis", int64_t(1)}, {"epsilon", 9.9999997e-06f}}}
          .into({1, 4})
          .besides(Half, {1, 1})
          .besides(Half, {1, 1}),
      PathRow{"LayerNorm",
              "high_precision",
              [](M &m, X x) {
                const bool roundsMoments = m.path.form == 0 || m.path.form == 2;
                const bool byQuotient = m.path.form >= 2;
                auto moment = [&](double value) {
                  return roundsMoments ? m.cast(value) : value;
                };
                const double share = m.constant(1.0f / x[0].size());
                const double mean = moment(m.sum(scaled(m, x[0], share)));
                Values differences, squares;
                for (double value : x[0]) {
                  differences.push_back(m.sub(value, mean));
                  squares.push_back(m.mul(
                      m.mul(differences.back(), differences.back()), share));
                }
                const double sum = m.add(moment(m.sum(squares)), 1e-5f);
                const double root = byQuotient ? m.div(1, m.sqrt(sum))
                                               : m.exp(m.mul(m.log(sum), -0.5));
                for (size_t i = 0; i < differences.size(); ++i)
                  differences[i] = m.add(
                      m.mul(m.mul(differences[i], root), x[1][i]), x[2][i]);
                return differences;
              },
              {half({0x3FE7, 0xC340, 0xC700, 0x4800}).shaped({1, 4}),
               half({0x3D10, 0x3DE0, 0x3F80, 0x3C00}),
               half({0xBC00, 0xB942, 0xB900, 0x3800})},
              Half,
              {{"moments to fp16, the root by a quotient",
                notOn310,
                {.form = 2},
                {0xB834, 0xBE33, 0xC1BF, 0x3FBA},
                0,
                {{"_op_impl_mode_enum", int64_t(4)}}},
               {"fp32 moments, the root by a quotient",
                on310,
                {.form = 3},
                {0xB834, 0xBE33, 0xC1C0, 0x3FBA},
                0,
                {{"_op_impl_mode_enum", int64_t(4)}}}},
              {{"begin_norm_axis", int64_t(1)}, {"epsilon", 9.9999997e-06f}}}
          .into({1, 4})
          .besides(Half, {1, 1})
          .besides(Half, {1, 1}),
      PathRow{"LayerNormXBackprop",
              "root and sums",
              [](M &m, X x) {
                const Values &dy = x[0], &at = x[1], &gamma = x[4];
                const double variance =
                    m.add(x[2][0], m.path.form == 1 ? 1e-12f : 1e-5f);
                const double root = m.path.form == 2
                                        ? m.div(1, m.sqrt(variance))
                                        : m.exp(m.mul(m.log(variance), -0.5));
                const double cube = m.mul(m.mul(root, root), root);
                const double share = m.constant(1.0f / dy.size());
                Values g, d, products;
                for (size_t i = 0; i < dy.size(); ++i) {
                  g.push_back(m.mul(dy[i], gamma[i]));
                  d.push_back(m.sub(at[i], x[3][0]));
                  products.push_back(m.mul(g[i], d[i]));
                }
                const double ofVariance =
                    m.mul(m.mul(m.sum(products), cube), -0.5);
                const double ofMean = m.mul(-m.mul(m.sum(g), root), share);
                Values result;
                for (size_t i = 0; i < dy.size(); ++i)
                  result.push_back(m.add(
                      m.add(m.mul(root, g[i]),
                            m.mul(m.mul(ofVariance, d[i]), m.mul(2, share))),
                      ofMean));
                return result;
              },
              {half({0xC000, 0xB980, 0x3FA0, 0xB000}).shaped({1, 4}),
               half({0xBF00, 0xBDE0, 0x3A00, 0xC000}).shaped({1, 4}),
               half({0x3F00}).shaped({1, 1}), half({0xB980}).shaped({1, 1}),
               half({0x3C00, 0x4000, 0x4000, 0x3F78})},
              Half,
              {{"fp32, the root by exp and ln",
                notOn310,
                {},
                {0xB828, 0xB51E, 0x3DCB, 0x3C3C},
                0},
               {"exp and ln in fp16",
                on310,
                {.halfExp = true},
                {0xB828, 0xB51F, 0x3DCB, 0x3C3C},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0xB827, 0xB51E, 0x3DCA, 0x3C3C},
                0}}}
          .into({1, 4}),
      PathRow{"LayerNormXBackpropV2",
              "root and sums",
              [](M &m, X x) {
                const Values &dy = x[0], &at = x[1], &gamma = x[4];
                const double variance =
                    m.add(x[2][0], m.path.form == 1 ? 1e-12f : 1e-5f);
                const double root = m.path.form == 2
                                        ? m.div(1, m.sqrt(variance))
                                        : m.exp(m.mul(m.log(variance), -0.5));
                const double cube = m.mul(m.mul(root, root), root);
                const double share = m.constant(1.0f / dy.size());
                Values g, d, products;
                for (size_t i = 0; i < dy.size(); ++i) {
                  g.push_back(m.mul(dy[i], gamma[i]));
                  d.push_back(m.sub(at[i], x[3][0]));
                  products.push_back(m.mul(g[i], d[i]));
                }
                const double ofVariance =
                    m.mul(m.mul(m.sum(products), cube), -0.5);
                const double ofMean = m.mul(-m.mul(m.sum(g), root), share);
                Values result;
                for (size_t i = 0; i < dy.size(); ++i)
                  result.push_back(m.add(
                      m.add(m.mul(root, g[i]),
                            m.mul(m.mul(ofVariance, d[i]), m.mul(2, share))),
                      ofMean));
                return result;
              },
              {half({0x3280, 0xB800, 0x3EAC, 0xB800}).shaped({1, 4}),
               half({0x3C00, 0x3B40, 0xB800, 0x3D00}).shaped({1, 4}),
               half({0x3F48}).shaped({1, 1}), half({0xBC00}).shaped({1, 1}),
               half({0x3D7C, 0x3E00, 0x3E00, 0x3E8F})},
              Half,
              {{"fp32, the root by exp and ln",
                notOn310,
                {},
                {0x347D, 0xB7EE, 0x3ED2, 0xB7F0},
                0},
               {"exp and ln in fp16",
                on310,
                {.halfExp = true},
                {0x347E, 0xB7EE, 0x3ED2, 0xB7F0},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0x347D, 0xB7ED, 0x3ED1, 0xB7EF},
                0}}}
          .into({1, 4})
          .besides(Half, {1, 4}),
      PathRow{"LayerNormXBackprop",
              "epsilon is 1e-5 whatever LayerNorm had",
              [](M &m, X x) {
                const Values &dy = x[0], &at = x[1], &gamma = x[4];
                const double variance =
                    m.add(x[2][0], m.path.form == 1 ? 1e-12f : 1e-5f);
                const double root = m.path.form == 2
                                        ? m.div(1, m.sqrt(variance))
                                        : m.exp(m.mul(m.log(variance), -0.5));
                const double cube = m.mul(m.mul(root, root), root);
                const double share = m.constant(1.0f / dy.size());
                Values g, d, products;
                for (size_t i = 0; i < dy.size(); ++i) {
                  g.push_back(m.mul(dy[i], gamma[i]));
                  d.push_back(m.sub(at[i], x[3][0]));
                  products.push_back(m.mul(g[i], d[i]));
                }
                const double ofVariance =
                    m.mul(m.mul(m.sum(products), cube), -0.5);
                const double ofMean = m.mul(-m.mul(m.sum(g), root), share);
                Values result;
                for (size_t i = 0; i < dy.size(); ++i)
                  result.push_back(m.add(
                      m.add(m.mul(root, g[i]),
                            m.mul(m.mul(ofVariance, d[i]), m.mul(2, share))),
                      ofMean));
                return result;
              },
              {half({0, 0xBE10, 0x4000, 0xBC80}).shaped({1, 4}),
               half({0x3E40, 0xBFF3, 0xBA00, 0x3C00}).shaped({1, 4}),
               half({0x00A8}).shaped({1, 1}), half({0x3C00}).shaped({1, 1}),
               half({0x3E00, 0x3C70, 0x3B00, 0x3900})},
              Half,
              {{"1e-5", notOn310, {}, {0xFBFF, 0x7BFF, 0x7BFF, 0xD79B}, CO},
               {"1e-12, that of fp32 tensors",
                nowhere,
                {.form = 1},
                {0xFBFF, 0x7BFF, 0x7BFF, 0xD961},
                CO}}}
          .into({1, 4}),
      PathRow{"LayerNormBetaGammaBackpropV2",
              "products and their sum",
              [](M &m, X x) { return Values{m.sum(products(m, x[0], x[1]))}; },
              {half({0x4700, 0xBC40, 0x4380, 0x3C00}).shaped({4, 1}),
               half({0x4638, 0x4880, 0x3B40, 0x4818}).shaped({4, 1})},
              Float,
              {{"fp32", everywhere, {}, {0x42363800}, 0},
               {"fp16", nowhere, {.half = true}, {0x42364000}, 0}},
              {{"shape_gamma", List{1}}}}
          .into({1})
          .besides(Float, {1}),
      PathRow{"RmsNorm",
              "squares and root",
              [](M &m, X x) {
                const double share = m.constant(1.0f / x[0].size());
                const double square =
                    m.mul(m.sum(products(m, x[0], x[0])), share);
                const double root =
                    m.div(1, m.sqrt(m.add(square, m.constant(1e-3f))));
                Values result;
                for (size_t i = 0; i < x[0].size(); ++i)
                  result.push_back(m.mul(m.mul(x[0][i], root), x[1][i]));
                return result;
              },
              {half({0xC808, 0x4690, 0xC200, 0xC820}).shaped({1, 4}),
               half({0x3D6D, 0x3E00, 0x3D00, 0x3B80})},
              Half,
              {{"fp32, one rounding",
                everywhere,
                {},
                {0xBE6E, 0x3DCA, 0xB869, 0xBC8C},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0xBE6D, 0x3DC9, 0xB869, 0xBC8C},
                0}},
              {{"epsilon", 0.001f}}}
          .into({1, 4})
          .besides(Float, {1, 1}),
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
          .besides(Float, {1})};
}
