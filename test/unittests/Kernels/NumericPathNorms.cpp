//===- NumericPathNorms.cpp - Ways of normalisations of lines -------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

/// Two channels of two values each, of which \p groups are normalised.
Values groupNorm(M &m, X x, size_t groups) {
  Values result;
  const size_t length = x[0].size() / groups;
  for (size_t group = 0; group < groups; ++group) {
    const Values line(x[0].begin() + group * length,
                      x[0].begin() + (group + 1) * length);
    const double share = m.constant(1.0f / length);
    const double mean = m.sum(scaled(m, line, share));
    Values differences, squares;
    for (double value : line) {
      differences.push_back(m.sub(value, mean));
      squares.push_back(
          m.mul(m.mul(differences.back(), differences.back()), share));
    }
    const double root =
        m.div(1, m.sqrt(m.add(m.sum(squares), m.constant(1e-5f))));
    for (size_t i = 0; i < length; ++i) {
      const size_t channel = (group * length + i) / 2;
      result.push_back(m.add(m.mul(m.mul(differences[i], root), x[1][channel]),
                             x[2][channel]));
    }
  }
  return result;
}

std::vector<PathRow> ofLines() {
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
      PathRow{"AddRmsNorm",
              "x1 + x2 before the squares",
              [](M &m, X x) {
                Values sum;
                for (size_t i = 0; i < x[0].size(); ++i)
                  sum.push_back(m.path.form == 1 ? m.add(x[0][i], x[1][i])
                                                 : m.halfAdd(x[0][i], x[1][i]));
                const double share = m.constant(1.0f / sum.size());
                const double square =
                    m.mul(m.sum(products(m, sum, sum)), share);
                const double root =
                    m.div(1, m.sqrt(m.add(square, m.constant(1e-3f))));
                Values result;
                for (size_t i = 0; i < sum.size(); ++i)
                  result.push_back(m.mul(m.mul(sum[i], root), x[2][i]));
                return result;
              },
              {half({0xC200, 0x398A, 0xC6A0, 0xB880}).shaped({1, 4}),
               half({0, 0x4740, 0xC5FF, 0x4680}).shaped({1, 4}),
               half({0x3E80, 0x3F30, 0x3900, 0x3E00})},
              Half,
              {{"the sum in fp16, the rest in fp32",
                everywhere,
                {},
                {0xB8C7, 0x3EFD, 0xBBBB, 0x3C5D},
                0},
               {"fp32, one rounding",
                nowhere,
                {.form = 1},
                {0xB8C7, 0x3EFE, 0xBBBB, 0x3C5D},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0xB8C7, 0x3EFE, 0xBBBC, 0x3C5E},
                0}},
              {{"epsilon", 0.001f}}}
          .into({1, 4})
          .besides(Float, {1, 1})
          .besides(Half, {1, 4}),
      PathRow{"LayerNormV3",
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
              {half({0x4188, 0x3500, 0xC300, 0xC700}).shaped({1, 4}),
               half({0x3B00, 0x3880, 0x3D00, 0x3DC0}),
               half({0xBA58, 0xBC00, 0xB000, 0})},
              Half,
              {{"fp32, the root by a quotient",
                everywhere,
                {.form = 3},
                {0x34B9, 0xB960, 0xB96D, 0xBFF6},
                0},
               {"moments to fp16",
                nowhere,
                {.form = 2},
                {0x34BA, 0xB960, 0xB96D, 0xBFF6},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true, .form = 3},
                {0x34B8, 0xB960, 0xB96C, 0xBFF5},
                0}},
              {{"begin_norm_axis", int64_t(1)}, {"epsilon", 9.9999997e-06f}}}
          .into({1, 4})
          .besides(Half, {1, 1})
          .besides(Half, {1, 1}),
      PathRow{"LayerNormXBackpropV3",
              "the root is given",
              [](M &m, X x) {
                const Values &dy = x[0], &at = x[1], &gamma = x[4];
                const double root = x[2][0];
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
              {half({0x3554, 0, 0x3E80, 0xBE00}).shaped({1, 4}),
               half({0x3E30, 0, 0, 0x3FB0}).shaped({1, 4}),
               half({0x3C3C}).shaped({1, 1}), half({0xBA00}).shaped({1, 1}),
               half({0x4000, 0x3F40, 0x3A00, 0x3B60})},
              Half,
              {{"fp32, one rounding",
                everywhere,
                {},
                {0x3DB2, 0x30A7, 0x3DBE, 0xB8D8},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0x3DB4, 0x30AA, 0x3DBE, 0xB8D6},
                0}}}
          .into({1, 4})
          .besides(Half, {1, 4})};
}

std::vector<PathRow> ofGroups() {
  return {
      PathRow{"GroupNorm",
              "one group of two channels",
              [](M &m, X x) { return groupNorm(m, x, 1); },
              {half({0xC070, 0xC320, 0x41F0, 0x4150}).shaped({1, 2, 2}),
               half({0xC0B0, 0xBC60}), half({0x42B0, 0x43A8})},
              Half,
              {{"fp32, one rounding",
                everywhere,
                {},
                {0x451C, 0x4633, 0x4162, 0x419E},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0x451C, 0x4632, 0x4162, 0x419E},
                0}},
              {{"num_groups", int64_t(1)},
               {"eps", 1e-5f},
               {"data_format", std::string("NCHW")}}}
          .into({1, 2, 2})
          .besides(Half, {1})
          .besides(Half, {1}),
      PathRow{"InstanceNorm",
              "each channel",
              [](M &m, X x) { return groupNorm(m, x, 2); },
              {half({0x4370, 0xBF30, 0x3C30, 0xC060}).shaped({1, 2, 2}),
               half({0x4110, 0x4318}), half({0x3840, 0xBBE0})},
              Half,
              {{"fp32, one rounding",
                everywhere,
                {},
                {0x4220, 0xC000, 0x4120, 0xC488},
                0},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0x4220, 0xC000, 0x411F, 0xC488},
                0}},
              {{"epsilon", 1e-5f}, {"data_format", std::string("NCHW")}}}
          .into({1, 2, 2})
          .besides(Half, {2})
          .besides(Half, {2}),
      PathRow{
          "LayerNorm",
          "keep_fp16",
          [](M &m, X x) {
            const bool half = m.path.half;
            const double share = m.constant(1.0f / x[0].size());
            const double mean = half ? m.mul(m.sum(x[0]), share)
                                     : m.sum(scaled(m, x[0], share));
            Values differences, squares;
            for (double value : x[0]) {
              differences.push_back(m.sub(value, mean));
              squares.push_back(m.mul(differences.back(), differences.back()));
            }
            const double variance = half ? m.mul(m.sum(squares), share)
                                         : m.sum(scaled(m, squares, share));
            const double root =
                m.exp(m.mul(m.log(m.add(variance, m.constant(1e-5f))), -0.5));
            for (size_t i = 0; i < differences.size(); ++i)
              differences[i] =
                  m.add(m.mul(m.mul(differences[i], root), x[1][i]), x[2][i]);
            return differences;
          },
          {half({0xBC70, 0xB8E0, 0xC370, 0x3840}).shaped({1, 4}),
           half({0x3600, 0xC090, 0x40C0, 0xC180}),
           half({0xC330, 0x4160, 0xC0F8, 0x4188})},
          Half,
          {{"every instruction in fp16",
            everywhere,
            {.half = true},
            {0xC322, 0x3F22, 0xC64A, 0xB578},
            0},
           {"fp32, one rounding",
            nowhere,
            {},
            {0xC322, 0x3F22, 0xC649, 0xB56E},
            0}},
          {{"begin_norm_axis", int64_t(1)},
           {"epsilon", 1e-5f},
           {"op_precision_mode_str", std::string("keep_fp16")}}}
          .into({1, 4})
          .besides(Half, {1, 1})
          .besides(Half, {1, 1}),
  };
}

} // namespace

std::vector<PathRow> kernels::statustable::normPaths() {
  std::vector<PathRow> rows = ofLines();
  // The whole gradients give that of x in the same way.
  for (PathRow row : ofLines())
    if (row.type == "LayerNormXBackpropV2" ||
        row.type == "LayerNormXBackpropV3") {
      row.type = row.type.ends_with("V2") ? "LayerNormGrad" : "LayerNormGradV3";
      row.moreOutputs = {{Half, {4}}, {Half, {4}}};
      rows.push_back(row);
    }
  // The shape of lines as an input.
  for (PathRow row : ofLines())
    if (row.type == "LayerNormV3") {
      row.type = "LayerNormV4";
      row.operands.insert(row.operands.begin() + 1, ints({4}));
      row.definition = [ofV3 = row.definition](M &m, X x) {
        return ofV3(m, {x[0], x[2], x[3]});
      };
      rows.push_back(row);
    }
  for (const PathRow &row : ofGroups())
    rows.push_back(row);
  return rows;
}
