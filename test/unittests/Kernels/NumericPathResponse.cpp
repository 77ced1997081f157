//===- NumericPathResponse.cpp - Ways of LRN ------------------------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

const std::vector<Soc> on910A = {Soc::Ascend910A};
const std::vector<Soc> notOn910A = {Soc::Ascend310, Soc::Ascend310P,
                                    Soc::Ascend910B};

/// Channels with one neighbour on either side. Form 1 multiplies x by the root
/// of alpha, form 0 the sum by alpha.
Definition responseOf(float bias, float alpha, float beta) {
  return [=](M &m, X x) {
    const bool scalesFirst = m.path.form == 1;
    const double scale = m.constant(
        scalesFirst ? static_cast<float>(std::sqrt(double(alpha))) : alpha);
    Values squares, results;
    for (double value : x[0]) {
      const double scaled = scalesFirst ? m.mul(value, scale) : value;
      squares.push_back(m.mul(scaled, scaled));
    }
    for (size_t c = 0; c < squares.size(); ++c) {
      double sum = 0;
      for (size_t i = c == 0 ? 0 : c - 1; i <= c + 1 && i < squares.size(); ++i)
        sum = m.add(sum, squares[i]);
      if (!scalesFirst)
        sum = m.mul(sum, scale);
      sum = m.add(sum, m.constant(bias));
      results.push_back(
          m.mul(m.exp(m.mul(m.log(sum), m.constant(-beta))), x[0][c]));
    }
    return results;
  };
}

PathRow rowOf(const char *what, float bias, float alpha, float beta,
              std::vector<Way> ways) {
  const Shape shape = {1, 3, 1, 1};
  return PathRow{"LRN",
                 what,
                 responseOf(bias, alpha, beta),
                 {half({0x4248, 0xC4D3, 0x4711}).shaped(shape, Format::NCHW)},
                 Half,
                 std::move(ways),
                 {{"depth_radius", int64_t(1)},
                  {"bias", bias},
                  {"alpha", alpha},
                  {"beta", beta}}}
      .into(shape, Format::NCHW);
}

} // namespace

std::vector<PathRow> kernels::statustable::responsePaths() {
  const AttributeList highPrecision = {{"_op_impl_mode_enum", int64_t(4)}};
  return {
      rowOf("power of the sum of squares", 2, 0.75f, 0.75f,
            {{"fp32, one rounding", on910A, {}, {0x3443, 0xB2CC, 0x3575}, 0},
             {"every instruction in fp16",
              notOn910A,
              {.half = true},
              {0x3443, 0xB2CC, 0x3577},
              0}}),
      rowOf("by precision mode", 2, 0.75f, 0.75f,
            {{"high_precision: fp32",
              {Soc::Ascend310P, Soc::Ascend910A, Soc::Ascend910B},
              {},
              {0x3443, 0xB2CC, 0x3575},
              0,
              highPrecision},
             {"high_precision where ln has no fp32",
              on310,
              {.half = true},
              {0x3443, 0xB2CC, 0x3577},
              0,
              highPrecision}}),
      rowOf("a small alpha", 1, 0.0009f, 0.75f,
            {{"its root times x",
              notOn910A,
              {.half = true, .form = 1},
              {0x4225, 0xC492, 0x46BC},
              0},
             {"alpha times the sum",
              nowhere,
              {.half = true},
              {0x4225, 0xC492, 0x46BD},
              0}}),
  };
}
