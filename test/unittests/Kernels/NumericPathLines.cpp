//===- NumericPathLines.cpp - Ways of reductions and softmax --------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

Values halfSquares(M &m, const Values &a) {
  Values result;
  for (double value : a)
    result.push_back(m.halfMul(value, value));
  return result;
}

} // namespace

static std::vector<PathRow> ownPaths() {
  return {
      PathRow{
          "ReduceSumD",
          "sum",
          [](M &m, X x) { return Values{m.sum(x[0])}; },
          {half({0x6914, 0x6937, 0x66A4, 0x6848})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x7079}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x707A}, 0}},
          {{"axes", List{0}}}}
          .into({1}),
      PathRow{
          "ReduceSum",
          "sum",
          [](M &m, X x) { return Values{m.sum(x[0])}; },
          {half({0x6654, 0x67BB, 0x681D, 0x688D}), ints({0})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x6FD9}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x6FD8}, 0}}}
          .into({1}),
      PathRow{
          "ReduceMeanD",
          "products and their sum",
          [](M &m, X x) {
            return Values{
                m.sum(scaled(m, x[0], m.constant(1.0f / x[0].size())))};
          },
          {half({0x65E4, 0x66F0, 0x67CE, 0x6791})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x670D}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x670C}, 0}},
          {{"axes", List{0}}}}
          .into({1}),
      PathRow{
          "ReduceMeanD",
          "by precision mode",
          [](M &m, X x) {
            return Values{
                m.sum(scaled(m, x[0], m.constant(1.0f / x[0].size())))};
          },
          {half({0x6965, 0x657B, 0x67CA, 0x6496})},
          Half,
          {{"fp16, one after the other", on310, {.half = true}, {0x672A}, 0},
           {"high_precision: fp32",
            on310,
            {},
            {0x6729},
            0,
            {{"_op_impl_mode_enum", int64_t(4)}}}},
          {{"axes", List{0}}}}
          .into({1}),
      PathRow{
          "GlobalAveragePool",
          "products and their sum",
          [](M &m, X x) {
            return Values{
                m.sum(scaled(m, x[0], m.constant(1.0f / x[0].size())))};
          },
          {half({0x687A, 0x65EA, 0x64B9, 0x689B}).shaped({1, 1, 4})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x6733}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x6734}, 0}}}
          .into({1, 1, 1}),
      PathRow{"ReduceProdD",
              "three factors",
              [](M &m, X x) {
                return Values{m.mul(m.mul(x[0][0], x[0][1]), x[0][2])};
              },
              {half({0x42B0, 0x43A8, 0xAE00})},
              Half,
              {{"every instruction in fp16",
                everywhere,
                {.half = true},
                {0xBCCC},
                0},
               {"fp32, one rounding", nowhere, {}, {0xBCCD}, 0}},
              {{"axes", List{0}}}}
          .into({1}),
      PathRow{
          "CumsumD",
          "three terms",
          [](M &m, X x) {
            const double second = m.add(x[0][0], x[0][1]);
            return Values{x[0][0], second, m.add(second, x[0][2])};
          },
          {half({0xC2F3, 0xC364, 0xC37E})},
          Half,
          {{"every instruction in fp16",
            everywhere,
            {.half = true},
            {0xC2F3, 0xC72C, 0xC976},
            0},
           {"fp32, one rounding", nowhere, {}, {0xC2F3, 0xC72C, 0xC975}, 0}},
          {{"axis", int64_t(0)}}}
          .into({3}),
      PathRow{
          "ReduceMean",
          "products and their sum",
          [](M &m, X x) {
            return Values{
                m.sum(scaled(m, x[0], m.constant(1.0f / x[0].size())))};
          },
          {half({0x687A, 0x65EA, 0x64B9, 0x689B}), ints({0})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x6733}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x6734}, 0}}}
          .into({1}),
      PathRow{
          "BiasAddGrad",
          "sum over all but the channels",
          [](M &m, X x) { return Values{m.sum(x[0])}; },
          {half({0x668E, 0x6910, 0x699A, 0x67F1}).shaped({4, 1})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x707A}, 0},
           {"fp16, one after the other", on310, {.half = true}, {0x707B}, 0}}}
          .into({1}),
      PathRow{
          "SoftmaxV2",
          "x - max, exp, quotient",
          [](M &m, X x) {
            const bool inFloat = m.path.form == 2;
            Values powers = x[0];
            const double max = largest(x[0]);
            for (double &value : powers)
              value =
                  m.exp(inFloat ? m.sub(value, max) : m.halfSub(value, max));
            const double sum = m.sum(powers);
            for (double &value : powers)
              value = m.path.form == 1 ? m.mul(value, m.div(1, sum))
                                       : m.div(value, sum);
            return powers;
          },
          {half({0xC300, 0xBF00, 0x3C05}).shaped({1, 3})},
          Half,
          {{"x - max in fp16, the rest in fp32",
            {Soc::Ascend910A, Soc::Ascend910B},
            {},
            {0x2146, 0x2B96, 0x3B72},
            0},
           {"exp in fp16, times 1 / sum",
            on310,
            {.halfExp = true, .form = 1},
            {0x2145, 0x2B95, 0x3B72},
            0},
           {"all in fp32", nowhere, {.form = 2}, {0x2144, 0x2B94, 0x3B72}, 0}}}
          .into({1, 3}),
      PathRow{"SoftmaxV2",
              "times 1 / sum on 310P",
              [](M &m, X x) {
                const bool inFloat = m.path.form == 2;
                Values powers = x[0];
                const double max = largest(x[0]);
                for (double &value : powers)
                  value = m.exp(inFloat ? m.sub(value, max)
                                        : m.halfSub(value, max));
                const double sum = m.sum(powers);
                for (double &value : powers)
                  value = m.path.form == 1 ? m.mul(value, m.div(1, sum))
                                           : m.div(value, sum);
                return powers;
              },
              {half({0x4021, 0x3B00, 0}).shaped({1, 3})},
              Half,
              {{"quotient",
                {Soc::Ascend910A, Soc::Ascend910B},
                {},
                {0x3997, 0x32CE, 0x2DAC},
                0},
               {"times 1 / sum",
                {Soc::Ascend310P},
                {.form = 1},
                {0x3997, 0x32CE, 0x2DAD},
                0}}}
          .into({1, 3}),
      PathRow{
          "SoftmaxV2",
          "times 1 / sum for FRACTAL_NZ on 910A",
          [](M &m, X x) {
            const bool inFloat = m.path.form == 2;
            Values powers = x[0];
            const double max = largest(x[0]);
            for (double &value : powers)
              value =
                  m.exp(inFloat ? m.sub(value, max) : m.halfSub(value, max));
            const double sum = m.sum(powers);
            for (double &value : powers)
              value = m.path.form == 1 ? m.mul(value, m.div(1, sum))
                                       : m.div(value, sum);
            return powers;
          },
          {half({0x4021, 0x3B00, 0}).shaped({1, 1, 1, 3}, Format::FRACTAL_NZ)},
          Half,
          {{"quotient", {Soc::Ascend910B}, {}, {0x3997, 0x32CE, 0x2DAC}, 0},
           {"times 1 / sum",
            {Soc::Ascend310P, Soc::Ascend910A},
            {.form = 1},
            {0x3997, 0x32CE, 0x2DAD},
            0}}}
          .into({1, 1, 1, 3}, Format::FRACTAL_NZ),
      PathRow{"SoftmaxV2",
              "the maximum of fp32 rows",
              [](M &m, X x) {
                Values powers = x[0];
                const double max =
                    m.path.form == 1 ? m.cast(largest(x[0])) : largest(x[0]);
                for (double &value : powers)
                  value = m.exp(m.sub(value, max));
                const double sum = m.sum(powers);
                for (double &value : powers)
                  value = m.div(value, sum);
                return powers;
              },
              {floats({2.4394531f, 2.9580078f}).shaped({1, 2})},
              Float,
              {{"in fp32",
                {Soc::Ascend310P, Soc::Ascend910B},
                {},
                {0x3EBF12CB, 0x3F20769B},
                0},
               {"through fp16",
                {Soc::Ascend910A},
                {.form = 1},
                {0x3EBF12CB, 0x3F20769A},
                0},
               {"through fp16, exp in fp16",
                on310,
                {.halfExp = true, .form = 1},
                {0x3EBF1E9A, 0x3F2070B3},
                0}}}
          .into({1, 2}),
      PathRow{"SoftmaxV2",
              "the maximum of fp32 rows by precision mode",
              [](M &m, X x) {
                Values powers = x[0];
                const double max =
                    m.path.form == 1 ? m.cast(largest(x[0])) : largest(x[0]);
                for (double &value : powers)
                  value = m.exp(m.sub(value, max));
                const double sum = m.sum(powers);
                for (double &value : powers)
                  value = m.div(value, sum);
                return powers;
              },
              {floats({2.3564453f, -3.90625f}).shaped({1, 2})},
              Float,
              {{"through fp16",
                {Soc::Ascend910A},
                {.form = 1},
                {0x3F7F8352, 0x3AF95C78},
                0},
               {"through fp16, exp in fp16",
                on310,
                {.halfExp = true, .form = 1},
                {0x3F7F834C, 0x3AF967CF},
                0},
               {"high_precision: in fp32",
                {Soc::Ascend910A},
                {},
                {0x3F7F8351, 0x3AF95C77},
                0,
                {{"_op_impl_mode_enum", int64_t(4)}}},
               {"high_precision: in fp32, exp in fp16",
                on310,
                {.halfExp = true},
                {0x3F7F832D, 0x3AF9A60A},
                0,
                {{"_op_impl_mode_enum", int64_t(4)}}}}}
          .into({1, 2}),
      PathRow{
          "LogSoftmaxV2",
          "x - max, exp, ln",
          [](M &m, X x) {
            const bool inHalf = m.path.form == 1;
            const double max = largest(x[0]);
            Values differences, powers;
            for (double value : x[0]) {
              differences.push_back(inHalf ? m.halfSub(value, max)
                                           : m.sub(value, max));
              powers.push_back(m.exp(differences.back()));
            }
            const double logarithm = m.log(m.sum(powers));
            for (double &value : differences)
              value = m.sub(value, logarithm);
            return differences;
          },
          {half({0xC500, 0x4709, 0x40C2}).shaped({1, 3})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0xCA06, 0xA0D8, 0xC4AA}, 0},
           {"exp and ln in fp16",
            on310,
            {.halfExp = true},
            {0xCA06, 0xA0FA, 0xC4AA},
            0},
           {"x - max in fp16",
            nowhere,
            {.form = 1},
            {0xCA05, 0xA0D8, 0xC4AA},
            0}}}
          .into({1, 3}),
      PathRow{
          "SoftmaxGrad",
          "y, dy",
          [](M &m, X x) {
            Values products = x[0];
            for (size_t i = 0; i < products.size(); ++i)
              products[i] = m.mul(x[0][i], x[1][i]);
            const double sum = m.sum(products);
            for (size_t i = 0; i < products.size(); ++i)
              products[i] = m.mul(x[0][i], m.sub(x[1][i], sum));
            return products;
          },
          {half({0x3940, 0x3780, 0x37CC}).shaped({1, 3}),
           half({0xC3A9, 0x3800, 0xBF00}).shaped({1, 3})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0xB755, 0x3ECF, 0x3963}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0xB752, 0x3ED0, 0x3964},
            0}}}
          .into({1, 3}),
      PathRow{"ConfusionSoftmaxGrad",
              "gradient, y",
              [](M &m, X x) {
                const bool inFloat = m.path.form == 1;
                Values products = x[0];
                for (size_t i = 0; i < products.size(); ++i)
                  products[i] = inFloat ? m.mul(x[0][i], x[1][i])
                                        : m.halfMul(x[0][i], x[1][i]);
                const double sum =
                    inFloat ? m.sum(products) : m.cast(m.sum(products));
                for (size_t i = 0; i < products.size(); ++i)
                  products[i] =
                      inFloat ? m.sub(x[0][i], sum) : m.halfSub(x[0][i], sum);
                return products;
              },
              {half({0xBFC0, 0xC3C8, 0x4200}).shaped({1, 3}),
               half({0x2CC0, 0x3A00, 0x3800}).shaped({1, 3})},
              Half,
              {{"product, sum and difference to fp16",
                everywhere,
                {},
                {0xB604, 0xC0A8, 0x4490},
                0},
               {"fp32, one rounding",
                nowhere,
                {.form = 1},
                {0xB603, 0xC0A8, 0x4490},
                0},
               {"the sum in fp16 too",
                nowhere,
                {.half = true},
                {0xB600, 0xC0A8, 0x4490},
                0}}}
          .into({1, 3}),
      PathRow{
          "LogSoftmaxGrad",
          "gradient, y",
          [](M &m, X x) {
            const double sum = m.sum(x[0]);
            Values result = x[0];
            for (size_t i = 0; i < result.size(); ++i)
              result[i] = m.sub(x[0][i], m.mul(m.exp(x[1][i]), sum));
            return result;
          },
          {half({0x3A00, 0x4290, 0x3A00}).shaped({1, 3}),
           half({0xC000, 0xBDF4, 0xC000}).shaped({1, 3})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x2E96, 0x4067, 0x2E96}, 0},
           {"exp in fp16",
            on310,
            {.halfExp = true},
            {0x2E93, 0x4067, 0x2E93},
            0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x2E90, 0x4068, 0x2E90},
            0}},
          {{"axis", List{-1}}}}
          .into({1, 3}),
      PathRow{
          "SquareSumV1",
          "squares and their sum",
          [](M &m, X x) {
            return Values{m.sum(m.path.form == 1 ? halfSquares(m, x[0])
                                                 : products(m, x[0], x[0]))};
          },
          {half({0x4810, 0x4824, 0x459E, 0x3D30}).shaped({1, 4})},
          Half,
          {{"fp32, one rounding", notOn310, {}, {0x593F}, 0},
           {"squares in fp16, sum in fp32", on310, {.form = 1}, {0x593E}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x593D}, 0}},
          {{"axis", List{1}}}}
          .into({1}),
      PathRow{"SquareSumV1",
              "squares by precision mode",
              [](M &m, X x) {
                return Values{m.sum(m.path.form == 1
                                        ? halfSquares(m, x[0])
                                        : products(m, x[0], x[0]))};
              },
              {half({0x4580, 0x4060, 0x3E5C, 0x4498}).shaped({1, 4})},
              Half,
              {{"squares in fp16", on310, {.form = 1}, {0x5356}, 0},
               {"high_precision: fp32",
                on310,
                {},
                {0x5355},
                0,
                {{"_op_impl_mode_enum", int64_t(4)}}}},
              {{"axis", List{1}}}}
          .into({1}),
      PathRow{
          "SquareSumV2",
          "squares and their sum",
          [](M &m, X x) { return Values{m.sum(products(m, x[0], x[0]))}; },
          {half({0x4760, 0x3E00, 0x4620, 0x3F80}).shaped({1, 4})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x561B}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x561A}, 0}},
          {{"axis", List{1}}}}
          .into({1})
          .besides(Half, {1, 4}),
      PathRow{
          "SquareSumAll",
          "squares and their sum",
          [](M &m, X x) { return Values{m.sum(products(m, x[0], x[0]))}; },
          {half({0x4600, 0x4438, 0x3F80, 0x3C80}),
           half({0x4400, 0x3C52, 0x4840, 0x4750})},
          Half,
          {{"fp32, one rounding", everywhere, {}, {0x5353}, 0},
           {"every instruction in fp16", nowhere, {.half = true}, {0x5352}, 0}}}
          .into({1})
          .besides(Half, {1}),
      PathRow{"SoftmaxGradExt",
              "gradient, y, a number",
              [](M &m, X x) {
                // form 1: not even the products and the difference.
                const bool inFloat = m.path.form == 1;
                auto mul = [&](double a, double b) {
                  return inFloat ? m.mul(a, b) : m.halfMul(a, b);
                };
                Values result;
                for (size_t i = 0; i < x[0].size(); ++i)
                  result.push_back(mul(x[0][i], x[1][i]));
                const double sum =
                    inFloat ? m.sum(result) : m.cast(m.sum(result));
                for (size_t i = 0; i < x[0].size(); ++i)
                  result[i] = mul(inFloat ? m.sub(x[0][i], sum)
                                          : m.halfSub(x[0][i], sum),
                                  mul(x[1][i], x[2][0]));
                return result;
              },
              {half({0x425C, 0x4182, 0xBAE0}).shaped({1, 3}),
               half({0x37E0, 0x3968, 0x2C00}).shaped({1, 3}), half({0x3870})},
              Half,
              {{"products and difference in fp16, the sum to fp16",
                everywhere,
                {},
                {0xAAC1, 0xB36D, 0xB0B3},
                0},
               {"fp32, one rounding",
                nowhere,
                {.form = 1},
                {0xAABB, 0xB36B, 0xB0B2},
                0},
               {"the sum in fp16 too",
                nowhere,
                {.half = true},
                {0xAAB0, 0xB367, 0xB0B1},
                0}},
              {{"keep_dims", true}}}
          .into({1, 3}),
      PathRow{"L2Loss",
              "half the sum of squares",
              [](M &m, X x) {
                const Values halves = scaled(m, x[0], m.constant(0.70710678f));
                return Values{m.sum(products(m, halves, halves))};
              },
              {half({0x4800, 0x4300, 0x3E80, 0x4540})},
              Float,
              {{"fp32", everywhere, {}, {0x4254E7FF}, 0},
               {"fp16", nowhere, {.half = true}, {0x4254E000}, 0}}}
          .into({1})};
}

std::vector<PathRow> kernels::statustable::linePaths() {
  std::vector<PathRow> rows = ownPaths();
  // The same with the axis as an input.
  for (PathRow row : ownPaths())
    if (row.type == "ReduceProdD" || row.type == "CumsumD") {
      row.type.pop_back();
      row.attrs.clear();
      row.operands.push_back(ints({0}));
      rows.push_back(row);
    }
  return rows;
}
