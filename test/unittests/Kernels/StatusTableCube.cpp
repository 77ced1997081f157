//===- StatusTableCube.cpp - Rows of windows and products -----------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

Rows kernels::statustable::windowRows() {
  // Two pixels of one channel, one window.
  auto image = [](Operand operand) {
    return operand.shaped({1, 1, 1, 2}, Format::NC1HWC0);
  };
  auto pool = [&](const char *type, Row row) {
    row.type = type;
    for (auto *side : {&row.raising, &row.calm})
      for (Operand &operand : *side)
        operand = image(operand);
    return row.with("ksize", List{1, 1, 1, 2})
        .with("strides", List{1, 1, 1, 2})
        .with("data_format", std::string("NCHW"))
        .with("padding", std::string("VALID"))
        .with("padding_mode", std::string("VALID"))
        .with("window", List{1, 2})
        .with("stride", List{1, 2})
        .into({1, 1, 1, 1}, Format::NC1HWC0);
  };
  const Row average[] = {{"",
                          "fp32 sum",
                          {floats({Max, 0x1p103f})},
                          {floats({Max, 0x1.FFFFFEp102f})},
                          Float,
                          // The product with 1 / area reads the sum.
                          {FO | VN, {FloatInf}},
                          {FO | VN, {FloatInf}},
                          {0, {bitsOf(Max / 2)}}},
                         Row{"",
                             "rounding of the average",
                             {half({1, 0})},
                             {half({2, 0})},
                             Half,
                             {CU, {0}},
                             {CU, {0}},
                             {0, {1}}}
                             .on(notOn310),
                         Row{"",
                             "no overflow of fp16",
                             {half({0x7BFF, 0x7BFF})},
                             {},
                             Half,
                             {0, {0x7BFF}},
                             {0, {0x7BFF}}}
                             .on(notOn310),
                         Row{"",
                             "infinities of both signs",
                             {half({0x7C00, 0xFC00})},
                             {},
                             Half,
                             {VN, {0}},
                             {VN, {0x7E00}}}
                             .on(notOn310),
                         Row{"",
                             "an infinite operand",
                             {half({0x7C00, 0})},
                             {half({0x7BFF, 0})},
                             Half,
                             {VN, {0x7BFF}},
                             {VN, {0x7C00}},
                             {0, {0x77FF}}}
                             .on(notOn310),
                         // The older platform rounds every sum and the product.
                         Row{"",
                             "fp16 sum",
                             {half({0x7BFF, 0x4C00})},
                             {half({0x7BFF, 0x4BFF})},
                             Half,
                             {FO, {0x77FF}},
                             {FO | VN, {0x7C00}},
                             {0, {0x77FF}}}
                             .on(on310),
                         Row{"",
                             "fp16 product, too small",
                             {half({1, 0})},
                             {half({2, 0})},
                             Half,
                             {FU, {0}},
                             {FU, {0}},
                             {0, {1}}}
                             .on(on310),
                         Row{"",
                             "high_precision",
                             {half({1, 0})},
                             {half({2, 0})},
                             Half,
                             {CU, {0}},
                             {CU, {0}},
                             {0, {1}}}
                             .with("_op_impl_mode_enum", int64_t(4))
                             .on(on310)};
  // An infinity that is not the maximum is read all the same.
  const Row maximum[] = {{"",
                          "an infinite operand",
                          {half({0xFC00, 0x3C00})},
                          {half({0xFBFF, 0x3C00})},
                          Half,
                          {VN, {0x3C00}},
                          {VN, {0x3C00}},
                          {0, {0x3C00}}},
                         {"",
                          "an infinite maximum",
                          {half({0x7C00, 0x3C00})},
                          {half({0x7BFF, 0x3C00})},
                          Half,
                          {VN, {0x7BFF}},
                          {VN, {0x7C00}},
                          {0, {0x7BFF}}}};
  Rows rows;
  for (const Row &row : average) {
    for (const char *type : {"AvgPool", "AvgPoolV2"})
      rows.push_back(pool(type, row));
    rows.push_back(pool("Pooling", row).with("mode", int64_t(1)));
  }
  for (const Row &row : maximum)
    for (const char *type : {"MaxPool", "MaxPoolV3", "Pooling"})
      rows.push_back(pool(type, row));
  return rows;
}

Rows kernels::statustable::cubeRows() {
  // Two values of k.
  struct Form {
    const char *type;
    Shape left, right, out;
    bool filterFirst = false;
    Format format = Format::ND;
    int sizeInput = -1; ///< where the shape of the output comes in
  };
  const Shape channels = {1, 2, 1, 1}, outputs = {2, 1, 1, 1},
              width = {1, 1, 1, 2}, one = {1, 1, 1, 1};
  const Form forms[] = {
      {"MatMul", {1, 2}, {2, 1}, {1, 1}},
      {"MatMulV2", {1, 2}, {2, 1}, {1, 1}},
      {"MatMulV3", {1, 2}, {2, 1}, {1, 1}},
      {"BatchMatMul", {1, 1, 2}, {1, 2, 1}, {1, 1, 1}},
      {"BatchMatMulV2", {1, 1, 2}, {1, 2, 1}, {1, 1, 1}},
      {"BatchMatMulV3", {1, 1, 2}, {1, 2, 1}, {1, 1, 1}},
      {"FullyConnection", {1, 2}, {1, 2}, {1, 1}},
      {"Conv2D", channels, channels, one, false, Format::NCHW},
      {"DepthwiseConv2D", width, width, one, false, Format::NCHW},
      {"Conv2DBackpropInputD", channels, outputs, one, true, Format::NCHW},
      {"Conv2DTransposeD", channels, outputs, one, false, Format::NCHW},
      {"Deconvolution", channels, outputs, one, false, Format::NCHW},
      {"Conv2DBackpropFilterD", width, width, one, false, Format::NCHW},
      {"DepthwiseConv2DBackpropFilterD", width, width, one, false,
       Format::NCHW},
      {"DepthwiseConv2DBackpropInputD", one, width, width, true, Format::NCHW},
      {"Conv2DBackpropInput", channels, outputs, one, true, Format::NCHW, 0},
      {"Conv2DTranspose", channels, outputs, one, false, Format::NCHW, 0},
      {"Conv2DBackpropFilter", width, width, one, false, Format::NCHW, 1},
      {"DepthwiseConv2DBackpropFilter", width, width, one, false, Format::NCHW,
       1},
      {"DepthwiseConv2DBackpropInput", one, width, width, true, Format::NCHW,
       0}};
  const Row products[] = {
      {"",
       "rounding of the sum",
       {half({0x7BFF, 0x4C00}), half({0x3C00, 0x3C00})},
       {half({0x7BFF, 0x4BFF}), half({0x3C00, 0x3C00})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      // The sum in the middle is fp32: 131008 - 65504 is no event.
      {"",
       "a large partial sum",
       {half({0x7BFF, 0xFBFF}), half({0x4000, 0x3C00})},
       {},
       Half,
       {0, {0x7BFF}},
       {0, {0x7BFF}}},
      {"",
       "rounding of the sum, too small",
       {half({1, 0}), half({0x3800, 0})},
       {half({1, 0}), half({0x3801, 0})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      {"",
       "fp32 accumulation",
       {floats({Max, 0x1p103f}), floats({1, 1})},
       {floats({Max, 0x1.FFFFFEp102f}), floats({1, 1})},
       Float,
       {QO, {FloatInf}},
       {QO, {FloatInf}},
       {0, {FloatMax}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), half({0x3C00, 0x3C00})},
       {half({0x7BFF, 0}), half({0x3C00, 0x3C00})},
       Half,
       {QN, {0x7BFF}},
       {QN, {0x7C00}},
       {0, {0x7BFF}}},
      {"",
       "a NaN in the weights",
       {half({0x3C00, 0}), half({0x7E00, 0x3C00})},
       {},
       Half,
       {QN, {0}},
       {QN, {0x7E00}}}};
  Rows rows;
  for (const Form &form : forms)
    for (Row row : products) {
      row.type = form.type;
      // Two taps of a gradient meet in no point; one product has to do.
      if (row.type.starts_with("DepthwiseConv2DBackpropInput")) {
        if (row.what == "a large partial sum")
          continue;
        auto factors = [&](std::vector<Operand> &side, uint64_t a, uint64_t b) {
          if (!side.empty())
            side = {{side[0].dtype, {a}}, {side[1].dtype, {b, b}}};
        };
        if (row.what == "rounding of the sum") {
          factors(row.raising, 0x7BFF, 0x3C01);
          factors(row.calm, 0x7BFF, 0x3C00);
        } else if (row.what == "fp32 accumulation") {
          factors(row.raising, FloatMax, bitsOf(0x1.000002p0f));
          factors(row.calm, FloatMax, FloatOne);
        } else {
          factors(row.raising, row.raising[0].bits[0], row.raising[1].bits[0]);
          if (!row.calm.empty())
            factors(row.calm, row.calm[0].bits[0], row.calm[1].bits[0]);
        }
      }
      for (auto *side : {&row.raising, &row.calm})
        if (!side->empty()) {
          (*side)[0] = (*side)[0].shaped(form.left, form.format);
          (*side)[1] = (*side)[1].shaped(form.right, form.format);
          if (form.filterFirst)
            std::swap((*side)[0], (*side)[1]);
          if (form.sizeInput >= 0)
            side->insert(side->begin() + form.sizeInput,
                         ints({1, 1, 1, 1}).shaped({4}));
        }
      rows.push_back(row.with("strides", List{1, 1, 1, 1})
                         .with("pads", List{0, 0, 0, 0})
                         .with("data_format", std::string("NCHW"))
                         .into(form.out, form.format));
    }
  const Operand a = Operand{DataType::Int8, {1, 1}}.shaped({1, 2});
  const Operand b = Operand{DataType::Int8, {1, 0}}.shaped({2, 1});
  rows.push_back(Row{
      "MatMul",
      "int32 accumulation",
      {a, b, ints({0x7FFFFFFF})},
      {a, b, ints({0x7FFFFFFE})},
      Int,
      {QO, {0x7FFFFFFF}},
      {QO, {0x7FFFFFFF}},
      {0,
       {0x7FFFFFFF}}}.into({1, 1}));
  return rows;
}
