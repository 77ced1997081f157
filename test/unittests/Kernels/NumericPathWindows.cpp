//===- NumericPathWindows.cpp - Ways of products and poolings -------------===//

#include "NumericPath.h"

using namespace npu;
using namespace npu::kernels::statustable;

std::vector<PathRow> kernels::statustable::windowPaths() {
  return {
      PathRow{
          "MatMul",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x4D96, 0x4C20, 0x4180, 0x4700}).shaped({1, 4}),
           half({0x4200, 0x4895, 0x4540, 0x4100}).shaped({4, 1})},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x5BD1}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x5BD2}, 0}}}
          .into({1, 1}),
      PathRow{
          "MatMulV2",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x4CE8, 0x4CAC, 0x41A8, 0x48C4}).shaped({1, 4}),
           half({0x4B6E, 0x4800, 0x4B00, 0x4CFA}).shaped({4, 1})},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x613D}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x613C}, 0}}}
          .into({1, 1}),
      PathRow{
          "BatchMatMul",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x44C0, 0x4DA4, 0x4997, 0x4AEE}).shaped({1, 1, 4}),
           half({0x4F04, 0x4C60, 0x4000, 0x4D2E}).shaped({1, 4, 1})},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x628B}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x628C}, 0}}}
          .into({1, 1, 1}),
      PathRow{
          "BatchMatMulV2",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x49DC, 0x4D90, 0x4980, 0x41CC}).shaped({1, 1, 4}),
           half({0x4E30, 0x4E00, 0x46C0, 0x4B80}).shaped({1, 4, 1})},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x635C}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x635B}, 0}}}
          .into({1, 1, 1}),
      PathRow{
          "FullyConnection",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x4730, 0x4F78, 0x4D10, 0x4CD3}).shaped({1, 4}),
           half({0x4943, 0x4C40, 0x421B, 0x4150}).shaped({1, 4})},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x6171}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x6172}, 0}}}
          .into({1, 1}),
      PathRow{
          "MatMulV2",
          "bias",
          [](M &m, X x) {
            return Values{
                m.path.form == 1
                    ? m.halfAdd(m.cast(m.running(products(m, x[0], x[1]))),
                                x[2][0])
                    : m.add(m.running(products(m, x[0], x[1])), x[2][0])};
          },
          {half({0x4838, 0x4E92, 0x4D00, 0x460D}).shaped({1, 4}),
           half({0x47E0, 0x4D87, 0x4BF8, 0x4C6E}).shaped({4, 1}),
           half({0x4D91})},
          Half,
          {{"added to the fp32 sum", everywhere, {}, {0x6448}, 0},
           {"added to the rounded product", nowhere, {.form = 1}, {0x6447}, 0}}}
          .into({1, 1}),
      PathRow{
          "Conv2D",
          "sum of products",
          [](M &m, X x) { return Values{m.running(products(m, x[0], x[1]))}; },
          {half({0x4180, 0x4CE0, 0x4C01, 0x4C40})
               .shaped({1, 4, 1, 1}, Format::NCHW),
           half({0x4EC0, 0x4DA3, 0x4A74, 0x42C0})
               .shaped({1, 4, 1, 1}, Format::NCHW)},
          Half,
          {{"fp32 sum, one rounding", everywhere, {}, {0x6214}, 0},
           {"fp16 sum", nowhere, {.half = true}, {0x6215}, 0}},
          {{"strides", List{1, 1, 1, 1}},
           {"pads", List{0, 0, 0, 0}},
           {"dilations", List{1, 1, 1, 1}},
           {"data_format", std::string("NCHW")}}}
          .into({1, 1, 1, 1}, Format::NCHW),
      PathRow{
          "Conv2D",
          "bias",
          [](M &m, X x) {
            return Values{
                m.path.form == 1
                    ? m.halfAdd(m.cast(m.running(products(m, x[0], x[1]))),
                                x[2][0])
                    : m.add(m.running(products(m, x[0], x[1])), x[2][0])};
          },
          {half({0x4CA0, 0x4EC8, 0x4E20, 0x4BC0})
               .shaped({1, 4, 1, 1}, Format::NCHW),
           half({0x4AA0, 0x4480, 0x4718, 0x4B66})
               .shaped({1, 4, 1, 1}, Format::NCHW),
           half({0x4CD0})},
          Half,
          {{"added to the fp32 sum", everywhere, {}, {0x622B}, 0},
           {"added to the rounded product", nowhere, {.form = 1}, {0x622C}, 0}},
          {{"strides", List{1, 1, 1, 1}},
           {"pads", List{0, 0, 0, 0}},
           {"dilations", List{1, 1, 1, 1}},
           {"data_format", std::string("NCHW")}}}
          .into({1, 1, 1, 1}, Format::NCHW),
      PathRow{
          "AvgPool",
          "sum and product",
          [](M &m, X x) {
            return Values{m.mul(m.running(x[0]), m.constant(1.0f / 3))};
          },
          {half({0x6651, 0x6886, 0x64E0})
               .shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          Half,
          {{"fp32 sum, one rounding", notOn310, {}, {0x66BF}, 0},
           {"every instruction in fp16", on310, {.half = true}, {0x66BE}, 0}},
          {{"ksize", List{1, 1, 1, 3}},
           {"strides", List{1, 1, 1, 3}},
           {"data_format", std::string("NCHW")},
           {"padding", std::string("VALID")},
           {"padding_mode", std::string("VALID")},
           {"window", List{1, 3}},
           {"stride", List{1, 3}}}}
          .into({1, 1, 1, 1}, Format::NC1HWC0),
      PathRow{
          "AvgPool",
          "by precision mode",
          [](M &m, X x) {
            return Values{m.mul(m.running(x[0]), m.constant(1.0f / 3))};
          },
          {half({0x67AE, 0x696A, 0x6758})
               .shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          Half,
          {{"every instruction in fp16", on310, {.half = true}, {0x684E}, 0},
           {"high_precision: fp32",
            on310,
            {},
            {0x684F},
            0,
            {{"_op_impl_mode_enum", int64_t(4)}}}},
          {{"ksize", List{1, 1, 1, 3}},
           {"strides", List{1, 1, 1, 3}},
           {"data_format", std::string("NCHW")},
           {"padding", std::string("VALID")},
           {"padding_mode", std::string("VALID")},
           {"window", List{1, 3}},
           {"stride", List{1, 3}}}}
          .into({1, 1, 1, 1}, Format::NC1HWC0),
      PathRow{
          "Pooling",
          "sum and product",
          [](M &m, X x) {
            return Values{m.mul(m.running(x[0]), m.constant(1.0f / 3))};
          },
          {half({0x68BB, 0x6825, 0x68A9})
               .shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          Half,
          {{"fp32 sum, one rounding", notOn310, {}, {0x6883}, 0},
           {"every instruction in fp16", on310, {.half = true}, {0x6882}, 0}},
          {{"ksize", List{1, 1, 1, 3}},
           {"strides", List{1, 1, 1, 3}},
           {"data_format", std::string("NCHW")},
           {"padding", std::string("VALID")},
           {"padding_mode", std::string("VALID")},
           {"window", List{1, 3}},
           {"stride", List{1, 3}},
           {"mode", int64_t(1)}}}
          .into({1, 1, 1, 1}, Format::NC1HWC0),
      PathRow{
          "AvgPoolGradD",
          "the pixel in the middle, which all windows have",
          [](M &m, X x) {
            // Windows at the edges are cut to two pixels.
            const bool inFloat = m.path.form == 1;
            auto share = [&](double value, float area) {
              return inFloat ? m.mul(value, 1 / area)
                             : m.halfMul(value, m.cast(1 / area));
            };
            const double edge = share(x[0][0], 2);
            return Values{
                m.add(edge, share(x[0][1], 3)),
                m.add(m.add(edge, share(x[0][1], 3)), share(x[0][2], 2))};
          },
          {half({0x65D9, 0x675D, 0x658A})
               .shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          Half,
          {{"products in fp16, sum in fp32",
            everywhere,
            {},
            {0x6560, 0x6813},
            0},
           {"fp32, one rounding", nowhere, {.form = 1}, {0x6561, 0x6813}, 0},
           {"every instruction in fp16",
            nowhere,
            {.half = true},
            {0x6560, 0x6812},
            0}},
          {{"ksize", List{1, 1, 1, 3}},
           {"padding", std::string("SAME")},
           {"strides", List{1, 1, 1, 1}},
           {"data_format", std::string("NCHW")}}}
          .into({1, 1, 1, 3}, Format::NC1HWC0),
      PathRow{"MaxPoolGrad",
              "the pixel in the middle has both maxima",
              [](M &m, X x) { return Values{0, m.add(x[2][0], x[2][1])}; },
              {half({0, 0x3C00, 0}).shaped({1, 1, 1, 3}, Format::NC1HWC0),
               half({0x3C00, 0x3C00}).shaped({1, 1, 1, 2}, Format::NC1HWC0),
               half({0x7BFF, 0x4C00}).shaped({1, 1, 1, 2}, Format::NC1HWC0)},
              Half,
              {{"fp32, one rounding", everywhere, {}, {0, 0x7BFF}, CO},
               {"every instruction in fp16",
                nowhere,
                {.half = true},
                {0, 0x7BFF},
                FO}},
              {{"ksize", List{1, 1, 1, 2}},
               {"padding", std::string("VALID")},
               {"strides", List{1, 1, 1, 1}},
               {"data_format", std::string("NCHW")}}}
          .into({1, 1, 1, 3}, Format::NC1HWC0)};
}
