//===- StatusTableTraining.cpp - Rows of masks and pooling gradients ------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

/// Random operators report nothing; the first number of the seed 1.
Rows randomRows() {
  auto row = [](const char *type, std::vector<Operand> inputs, DataType dtype,
                uint64_t bits) {
    return Row{type,  "the first number", std::move(inputs), {},
               dtype, {0, {bits}},        {0, {bits}}}
        .with("seed", int64_t(1));
  };
  constexpr DataType Byte = DataType::UInt8;
  const Operand one = ints({1});
  return {row("RandomUniform", {one}, Float, 0x3F500CE0),
          row("RandomStandardNormal", {one}, Float, 0x3E9C43CB),
          row("TruncatedNormal", {one}, Float, 0x3E9C43CB),
          row("RandomUniformInt", {one, ints({5}), ints({9})}, Int, 5),
          row("DropOutGenMask", {one, half({0x3C00})}, Byte, 0xFF),
          row("DropOutGenMaskV3", {one, half({0x3C00})}, Byte, 1),
          row("DropOutGenMaskV4", {one, floats({0})}, Byte, 0)};
}

Rows maskRows() {
  constexpr DataType Byte = DataType::UInt8;
  const Operand mask = {Byte, {1}};
  Rows rows = {Row{"ReluV2",
                   "an infinite operand",
                   {half({0x7C00})},
                   {half({0x7BFF})},
                   Half,
                   {VN, {0x7BFF}},
                   {VN, {0x7C00}},
                   {0, {0x7BFF}}}
                   .besides(Byte, {1}),
               {"ReluGradV2",
                "an infinite operand",
                {half({0xFC00}), mask},
                {half({0xFBFF}), mask},
                Half,
                {VN, {0xFBFF}},
                {VN, {0xFC00}},
                {0, {0xFBFF}}}};
  // x, mask, keep_prob. Times 2; times 0.5.
  const Rows dropped = {{"",
                         "the product",
                         {half({0x7800}), mask, half({0x3800})},
                         {half({0x77FF}), mask, half({0x3800})},
                         Half,
                         {FO, {0x7BFF}},
                         {FO, {0x7C00}},
                         {0, {0x7BFF}}},
                        {"",
                         "the product is too small",
                         {half({1}), mask, half({0x4000})},
                         {half({2}), mask, half({0x4000})},
                         Half,
                         {FU, {0}},
                         {FU, {0}},
                         {0, {1}}},
                        {"",
                         "keep_prob to fp16",
                         {half({0x3C00}), mask, floats({65520})},
                         {half({0x3C00}), mask, floats({65519.996f})},
                         Half,
                         {CO, {0x0100}},
                         {CO | VN, {0}},
                         {0, {0x0100}}},
                        // 1 / 0
                        {"",
                         "keep_prob to fp16, too small",
                         {half({0x3C00}), mask, floats({0x1p-25f})},
                         {half({0x3C00}), mask, floats({1})},
                         Half,
                         {CU | FO, {0x7BFF}},
                         {CU | FO | VN, {0x7C00}},
                         {0, {0x3C00}}},
                        {"",
                         "an infinite operand",
                         {half({0x7C00}), mask, half({0x3C00})},
                         {half({0x7BFF}), mask, half({0x3C00})},
                         Half,
                         {VN, {0x7BFF}},
                         {VN, {0x7C00}},
                         {0, {0x7BFF}}}};
  for (const char *type :
       {"DropOutDoMask", "DropOutDoMaskV3", "DropOutDoMaskV3D"})
    for (Row row : dropped) {
      row.type = type;
      rows.push_back(row);
    }
  return rows;
}

/// keep_prob as the attribute it is of DropOutDoMaskV3D.
Row withAttribute(Row row) {
  auto value = [](const Operand &operand) {
    const uint32_t bits = static_cast<uint32_t>(operand.bits[0]);
    if (operand.dtype == Float)
      return std::bit_cast<float>(bits);
    return bits == 0x3800 ? 0.5f : bits == 0x4000 ? 2.0f : 1.0f;
  };
  row = row.with("keep_prob", value(row.raising[2]));
  if (!row.calm.empty())
    row = row.calmWith("keep_prob", value(row.calm[2]));
  for (auto *side : {&row.raising, &row.calm})
    if (!side->empty())
      side->pop_back();
  return row;
}

/// Gradients of windows of three pixels in a row of three, with padding of one:
/// the pixel in the middle gets all of them.
Rows averageGradientRows() {
  constexpr uint64_t Power127 = 0x7F000000, HalfOfMax = 0x7EFFFFFF;
  const Rows rows = {
      // 32752 + 32752 + 48 / 3 and 47.96875 / 3, all products in fp16
      {"",
       "rounding of the sum",
       {half({0x7BFF, 0x5200, 0x7BFF})},
       {half({0x7BFF, 0x51FF, 0x7BFF})},
       Half,
       {CO, {0x7800, 0x7BFF}},
       {CO, {0x7800, 0x7C00}},
       {0, {0x7800, 0x7BFF}}},
      {"",
       "fp32 sum",
       {floats({Max, 0x1p105f, Max})},
       {floats({Max, 0x1p103f, Max})},
       Float,
       {FO, {Power127, FloatInf}},
       {FO, {Power127, FloatInf}},
       {0, {HalfOfMax, FloatMax}}},
      {"",
       "the product is too small",
       {half({0, 1, 0})},
       {half({0, 2, 0})},
       Half,
       {FU, {0}},
       {FU, {0}},
       {0, {1}}},
      {"",
       "rounding of the sum, too small",
       {brain({0, 1, 0})},
       {brain({0, 2, 0})},
       Brain,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0, 0})},
       {half({0x7BFF, 0, 0})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x77FF}}}};
  Rows result;
  for (Row row : rows) {
    row.type = "AvgPoolGradD";
    for (auto *side : {&row.raising, &row.calm})
      for (Operand &operand : *side)
        operand = operand.shaped({1, 1, 1, 3}, Format::NC1HWC0);
    row = row.with("ksize", List{1, 1, 1, 3})
              .with("padding", std::string("SAME"))
              .into({1, 1, 1, 3}, Format::NC1HWC0);
    result.push_back(row);
    row.type = "AvgPoolGrad";
    for (auto *side : {&row.raising, &row.calm})
      if (!side->empty())
        side->insert(side->begin(), ints({1, 1, 1, 3}));
    result.push_back(row);
  }
  return result;
}

/// predict, label; sigma is 1.
Rows lossRows() {
  const Rows rows = {{"",
                      "rounding of the loss",
                      {half({0x7BFF}), half({0xCC20})},
                      {half({0x7BFF}), half({0xCC1F})},
                      Half,
                      {CO, {0x7BFF}},
                      {CO, {0x7C00}},
                      {0, {0x7BFF}}},
                     {"",
                      "too small",
                      {half({0x0C00}), half({0})},
                      {half({0x0C01}), half({0})},
                      Half,
                      {CU, {0}},
                      {CU, {0}},
                      {0, {1}}},
                     // Although the loss is not the square.
                     {"",
                      "fp32 square",
                      {floats({0x1.6A09E8p64f}), floats({0})},
                      {floats({0x1.6A09E6p64f}), floats({0})},
                      Float,
                      {FO | VN, {0x7FC00000}},
                      {FO | VN, {0x7FC00000}},
                      {0, {bitsOf(0x1.6A09E6p64f)}}},
                     {"",
                      "an infinite operand",
                      {half({0x7C00}), half({0})},
                      {half({0x7BFF}), half({0})},
                      Half,
                      {VN, {0}},
                      {VN, {0x7E00}},
                      {0, {0x7BFF}}}};
  Rows result;
  for (const Row &row : ofType("SmoothL1LossV2", rows))
    for (const char *reduction : {"none", "sum", "mean"})
      result.push_back(row.with("reduction", std::string(reduction)));
  return result;
}

/// Windows of two pixels in a row of three; the pixel in the middle has both
/// maxima.
Rows maximumGradientRows() {
  const Rows rows = {{"",
                      "rounding of the sum",
                      {half({0x7BFF, 0x4C00})},
                      {half({0x7BFF, 0x4BFF})},
                      Half,
                      {CO, {0, 0x7BFF}},
                      {CO, {0, 0x7C00}},
                      {0, {0, 0x7BFF}}},
                     {"",
                      "fp32 sum",
                      {floats({Max, 0x1p103f})},
                      {floats({Max, 0x1.FFFFFEp102f})},
                      Float,
                      {FO, {0, FloatInf}},
                      {FO, {0, FloatInf}},
                      {0, {0, FloatMax}}},
                     {"",
                      "an infinite operand",
                      {half({0x7C00, 0})},
                      {half({0x7BFF, 0})},
                      Half,
                      {VN, {0, 0x7BFF}},
                      {VN, {0, 0x7C00}},
                      {0, {0, 0x7BFF}}}};
  // Bit 0 of the word of tap 1 of point 0, and of tap 0 of point 1.
  Operand places = {DataType::UInt16, Elements(64)};
  places.bits[32] = places.bits[1] = 1;
  Rows result;
  for (const char *type : {"MaxPoolGrad", "MaxPoolGradWithArgmax"})
    for (Row row : rows) {
      row.type = type;
      const uint64_t one = row.outType == Half ? 0x3C00 : FloatOne;
      const Operand x = Operand{row.outType, {0, one, 0}}.shaped(
          {1, 1, 1, 3}, Format::NC1HWC0);
      for (auto *side : {&row.raising, &row.calm}) {
        const Operand gradient =
            (*side)[0].shaped({1, 1, 1, 2}, Format::NC1HWC0);
        if (row.type == "MaxPoolGrad")
          *side = {x, gradient, gradient};
        else
          *side = {x, gradient, places};
      }
      result.push_back(row.with("ksize", List{1, 1, 1, 2})
                           .with("padding", std::string("VALID"))
                           .into({1, 1, 1, 3}, Format::NC1HWC0));
    }
  result.push_back(
      Row{"MaxPoolWithArgmax",
          "an infinite operand",
          {half({0xFC00, 0x3C00, 0}).shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          {half({0xFBFF, 0x3C00, 0}).shaped({1, 1, 1, 3}, Format::NC1HWC0)},
          Half,
          {VN, {0x3C00, 0x3C00}},
          {VN, {0x3C00, 0x3C00}},
          {0, {0x3C00, 0x3C00}}}
          .with("ksize", List{1, 1, 1, 2})
          .with("padding", std::string("VALID"))
          .into({1, 1, 1, 2}, Format::NC1HWC0)
          .besides(DataType::UInt16, {64}));
  return result;
}

} // namespace

Rows kernels::statustable::trainingRows() {
  Rows rows = randomRows();
  append(rows, lossRows());
  for (const Row &row : maskRows())
    rows.push_back(row.type == "DropOutDoMaskV3D" ? withAttribute(row) : row);
  for (const Rows &gradients : {averageGradientRows(), maximumGradientRows()})
    for (const Row &row : gradients)
      rows.push_back(row.with("strides", List{1, 1, 1, 1})
                         .with("data_format", std::string("NCHW")));
  return rows;
}
