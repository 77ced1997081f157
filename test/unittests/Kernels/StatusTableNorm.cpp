//===- StatusTableNorm.cpp - Rows of normalisations and updates -----------===//

#include "StatusTable.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

constexpr float Big = 0x1p64f, Below = 0x1.FFFFFEp63f; // squares overflow, fit

/// One line of two fp16 values; gamma and beta are 1 and 0 unless given.
Row layerNorm(const std::string &type, Row row) {
  const DataType dtype = row.outType;
  row.type = type;
  for (auto *side : {&row.raising, &row.calm})
    if (!side->empty())
      (*side)[0] = (*side)[0].shaped({1, 2});
  return row.with("begin_norm_axis", int64_t(1))
      .into({1, 2})
      .besides(dtype, {1, 1})
      .besides(dtype, {1, 1});
}

Rows layerNormRows() {
  const Operand ones = half({0x3C00, 0x3C00}), zeros = half({0, 0});
  const Operand floatOnes = floats({1, 1}), floatZeros = floats({0, 0});
  constexpr int64_t HighPrecision = 4;
  Rows rows;
  for (const char *type : {"LayerNorm", "LayerNormV3"}) {
    append(
        rows,
        {// 65504 * 1 + 16
         layerNorm(type, {"",
                          "rounding of the result",
                          {half({0x3C00, 0xBC00}), half({0x7BFF, 0x3C00}),
                           half({0x4C00, 0})},
                          {half({0x3C00, 0xBC00}), half({0x7BFF, 0x3C00}),
                           half({0x4BFF, 0})},
                          Half,
                          {CO, {0x7BFF, 0xBC00}},
                          {CO, {0x7C00, 0xBC00}},
                          {0, {0x7BFF, 0xBC00}}})
             .with("epsilon", 0.0f)
             .with("_op_impl_mode_enum", HighPrecision),
         // The squares do not fit fp32, so that the root is 0.
         layerNorm(type, {"",
                          "fp32 squares",
                          {floats({Big, -Big}), floatOnes, floatZeros},
                          {floats({Below, -Below}), floatOnes, floatZeros},
                          Float,
                          {FO | VN, {0, 0}},
                          {FO | VN, {0, 0}},
                          {0, {FloatOne, FloatOne | 0x80000000}}})
             .with("_op_impl_mode_enum", HighPrecision),
         // 1 / sqrt(1 - 0.75) is 2; the shift reads the product.
         layerNorm(type,
                   {"",
                    "fp32 product",
                    {floats({1, -1}), floats({0x1p127f, 1}), floatZeros},
                    {floats({1, -1}), floats({0x1.FFFFFEp126f, 1}), floatZeros},
                    Float,
                    {FO | VN, {FloatInf, bitsOf(-2)}},
                    {FO | VN, {FloatInf, bitsOf(-2)}},
                    {0, {FloatMax, bitsOf(-2)}}})
             .with("epsilon", -0.75f)
             .with("_op_impl_mode_enum", HighPrecision),
         layerNorm(
             type,
             {"",
              "fp32 sum with the shift",
              {floats({1, -1}), floats({Max, 1}), floats({0x1p103f, 0})},
              {floats({1, -1}), floats({Max, 1}), floats({0x1.FFFFFEp102f, 0})},
              Float,
              {FO, {FloatInf, bitsOf(-1)}},
              {FO, {FloatInf, bitsOf(-1)}},
              {0, {FloatMax, bitsOf(-1)}}})
             .with("epsilon", 0.0f)
             .with("_op_impl_mode_enum", HighPrecision),
         // 2^-24 / sqrt(1 + 3)
         layerNorm(type, {"",
                          "too small",
                          {half({0x3C00, 0xBC00}), half({1, 1}), zeros},
                          {half({0x3C00, 0xBC00}), half({2, 2}), zeros},
                          Half,
                          {CU, {0, 0x8000}},
                          {CU, {0, 0x8000}},
                          {0, {1, 0x8001}}})
             .with("epsilon", 3.0f)
             .with("_op_impl_mode_enum", HighPrecision),
         layerNorm(type, {"",
                          "a NaN operand",
                          {half({0x7E00, 0}), ones, zeros},
                          {},
                          Half,
                          {VN, {0, 0}},
                          {VN, {0x7E00, 0x7E00}}})
             .with("_op_impl_mode_enum", HighPrecision)});
  }
  // The same with the shape of lines as an input.
  for (const Row &row : Rows(rows)) {
    if (row.type != "LayerNormV3")
      continue;
    Row other = row;
    other.type = "LayerNormV4";
    for (auto *side : {&other.raising, &other.calm})
      if (!side->empty())
        side->insert(side->begin() + 1, ints({2}));
    rows.push_back(other);
  }
  return rows;
}

/// In fp16 throughout.
Rows halfLayerNormRows() {
  Rows rows = {{"LayerNorm",
                "keep_fp16: the squares",
                {half({0x59A8, 0xD9A8}), half({0x3C00, 0x3C00}), half({0, 0})},
                {half({0x59A7, 0xD9A7}), half({0x3C00, 0x3C00}), half({0, 0})},
                Half,
                {FO, {0x3BFE, 0xBBFE}},
                {FO | VN, {0, 0}},
                {0, {0x3BFD, 0xBBFD}}},
               {"LayerNorm",
                "keep_fp16: the square is too small",
                {half({0x09A8, 0x89A8}), half({0x3C00, 0x3C00}), half({0, 0})},
                {half({0x09A9, 0x89A9}), half({0x3C00, 0x3C00}), half({0, 0})},
                Half,
                {FU, {0x09A8, 0x89A8}},
                {FU, {0x09A8, 0x89A8}},
                {0, {0x09A9, 0x89A9}}}};
  for (Row &row : rows)
    row = layerNorm("LayerNorm", row)
              .with("epsilon", 1.0f)
              .with("op_precision_mode_str", std::string("keep_fp16"));
  return rows;
}

/// One group, which is one channel of two values.
Rows groupNormRows() {
  const Rows groups = {
      {"GroupNorm",
       "rounding of the result",
       {half({0x3C00, 0xBC00}), half({0x7BFF}), half({0x4C00})},
       {half({0x3C00, 0xBC00}), half({0x7BFF}), half({0x4BFF})},
       Half,
       {CO, {0x7BFF, 0xFBFE}},
       {CO, {0x7C00, 0xFBFE}},
       {0, {0x7BFF, 0xFBFF}}},
      {"GroupNorm",
       "too small",
       {half({0x3C00, 0xBC00}), half({0x0001}), half({0})},
       {},
       Half,
       {0, {0x0001, 0x8001}},
       {0, {0x0001, 0x8001}}},
      {"GroupNorm",
       "fp32 to fp16, too small",
       {floats({1, -1}), floats({0x1p-25f}), floats({0})},
       {floats({1, -1}), floats({0x1.000002p-25f}), floats({0})},
       Half,
       {CU, {0, 0x8000}},
       {CU, {0, 0x8000}},
       {0, {0x0001, 0x8001}}},
      {"GroupNorm",
       "fp32 squares",
       {floats({0x1p64f, -0x1p64f}), floats({1}), floats({0})},
       {floats({0x1.FFFFFEp63f, -0x1.FFFFFEp63f}), floats({1}), floats({0})},
       Float,
       {FO | VN, {0, 0}},
       {FO | VN, {0, 0}},
       {0, {FloatOne, 0xBF800000}}},
      {"GroupNorm",
       "an infinite operand",
       {half({0x7C00, 0}), half({0x3C00}), half({0})},
       {half({0x3C00, 0}), half({0x3C00}), half({0})},
       Half,
       {VN, {0, 0}},
       {VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0xBC00}}}};
  Rows rows;
  for (Row row : groups) {
    for (auto *side : {&row.raising, &row.calm})
      if (!side->empty())
        (*side)[0] = (*side)[0].shaped({1, 1, 2});
    row = row.with("data_format", std::string("NCHW"))
              .into({1, 1, 2})
              .besides(row.outType, {1})
              .besides(row.outType, {1});
    rows.push_back(row.with("num_groups", int64_t(1)).with("eps", 0.0f));
    row.type = "InstanceNorm";
    rows.push_back(row.with("epsilon", 0.0f));
  }
  return rows;
}

/// One line; \p adds: the first operand is a sum with zero.
Rows rmsNormRows(const std::string &type, bool adds) {
  Rows rows;
  auto add = [&](Row row) {
    const int64_t length = static_cast<int64_t>(row.raising[0].bits.size());
    const DataType dtype = row.outType;
    row.type = type;
    for (auto *side : {&row.raising, &row.calm})
      if (!side->empty()) {
        (*side)[0] = (*side)[0].shaped({1, length});
        if (adds && side->size() == 2)
          side->insert(side->begin() + 1,
                       Operand{dtype, Elements(length)}.shaped({1, length}));
        else if (adds)
          (*side)[1] = (*side)[1].shaped({1, length});
      }
    row = row.with("epsilon", 0.0f).into({1, length}).besides(Float, {1, 1});
    rows.push_back(adds ? row.besides(dtype, {1, length}) : row);
  };
  // 1 / sqrt(mean(1, 0)) = 1.4142; times 46336 and 46304.
  add({"",
       "rounding of the result",
       {half({0x3C00, 0}), half({0x79A8, 0})},
       {half({0x3C00, 0}), half({0x79A7, 0})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFE}}});
  // 2^-24 * 1.4142 times 0.35352 and 0.35376.
  add({"",
       "too small",
       {half({1, 0x3C00}), half({0x35A8, 0})},
       {half({1, 0x3C00}), half({0x35A9, 0})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}});
  add({"",
       "fp32 square",
       {floats({Big}), floats({1})},
       {floats({Below}), floats({1})},
       Float,
       {FO | VN, {0}},
       {FO | VN, {0}},
       {0, {FloatOne}}});
  add({"",
       "a NaN operand",
       {half({0x7E00, 0x3C00}), half({0x3C00, 0x3C00})},
       {},
       Half,
       {VN, {0}},
       {VN, {0x7E00}}});
  if (adds)
    add({"",
         "fp32 sum",
         {floats({Max}), floats({0x1p103f}), floats({1})},
         {},
         Float,
         {FO | VN, {0x7FC00000}},
         {FO | VN, {0x7FC00000}}});
  if (adds)
    add({"",
         "fp16 sum",
         {half({0x7BFF}), half({0x4C00}), half({0x3C00})},
         {half({0x7BFF}), half({0x4BFF}), half({0x3C00})},
         Half,
         {FO, {0x3C00}},
         {FO | VN, {0x7E00}},
         {0, {0x3C00}}});
  return rows;
}

} // namespace

Rows kernels::statustable::normRows() {
  Rows rows = layerNormRows();
  append(rows, halfLayerNormRows());
  append(rows, groupNormRows());
  append(rows, rmsNormRows("RmsNorm", false));
  append(rows, rmsNormRows("AddRmsNorm", true));
  // var, m, v, beta1^t, beta2^t, rate, beta1, beta2, epsilon, gradient; with a
  // rate and decays of 0, var stays.
  auto adam = [](float gradient) {
    std::vector<Operand> inputs = {floats({1}), floats({0}), floats({0})};
    for (float scalar : {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f})
      inputs.push_back(floats({scalar}));
    inputs.push_back(floats({gradient}));
    return inputs;
  };
  for (const Row &row : {Row{"",
                             "the square of the gradient",
                             adam(Big),
                             adam(Below),
                             Float,
                             // - v reads it.
                             {FO | VN, {FloatOne}},
                             {FO | VN, {FloatOne}},
                             {0, {FloatOne}}},
                         Row{"",
                             "an infinite gradient",
                             adam(INFINITY),
                             adam(Max),
                             Float,
                             {VN, {0x7FC00000}},
                             {VN, {0x7FC00000}},
                             {FO | VN, {FloatOne}}}})
    for (const char *type : {"ApplyAdam", "ApplyAdamD"}) {
      rows.push_back(row.besides(Float, {1}).besides(Float, {1}));
      rows.back().type = type;
    }

  // x^2 / 2 of 362 and 361.75, of 2^-12 and its neighbour.
  append(rows, {{"L2Loss",
                 "rounding",
                 {half({0x5DA8})},
                 {half({0x5DA7})},
                 Half,
                 {CO, {0x7BFF}},
                 {CO, {0x7C00}},
                 {0, {0x7BFD}}},
                {"L2Loss",
                 "too small",
                 {half({0x0C00})},
                 {half({0x0C01})},
                 Half,
                 {CU, {0}},
                 {CU, {0}},
                 {0, {1}}},
                {"L2Loss",
                 "fp32 square",
                 {floats({0x1.8p64f})},
                 {floats({0x1p64f})},
                 Float,
                 {FO | VN, {FloatInf}},
                 {FO | VN, {FloatInf}},
                 {0, {0x7EFFFFFF}}},
                {"L2Loss",
                 "an infinite operand",
                 {half({0x7C00})},
                 {half({0x5DA7})},
                 Half,
                 {VN, {0x7BFF}},
                 {VN, {0x7C00}},
                 {0, {0x7BFD}}}});
  const Rows squares = {{"SquareSumAll",
                         "rounding",
                         {half({0x5C00}), half({0})},
                         {half({0x5BFF}), half({0})},
                         Half,
                         {CO, {0x7BFF}},
                         {CO, {0x7C00}},
                         {0, {0x7BFE}}},
                        {"SquareSumAll",
                         "too small",
                         {half({0x09A8}), half({0})},
                         {half({0x09A9}), half({0})},
                         Half,
                         {CU, {0}},
                         {CU, {0}},
                         {0, {1}}},
                        {"SquareSumAll",
                         "fp32 square",
                         {floats({Big}), floats({0})},
                         {floats({Below}), floats({0})},
                         Float,
                         {FO | VN, {FloatInf}},
                         {FO | VN, {FloatInf}},
                         {0, {bitsOf(0x1.FFFFFCp127f)}}},
                        {"SquareSumAll",
                         "an infinite operand",
                         {half({0}), half({0x7C00})},
                         {half({0}), half({0x7BFF})},
                         Half,
                         {VN, {0}},
                         {VN, {0}},
                         {CO, {0}}}};
  for (const Row &row : squares)
    rows.push_back(row.besides(row.outType, {1}));

  for (const std::string type :
       {"SegmentSum", "UnsortedSegmentSum", "UnsortedSegmentSumD"}) {
    const bool isAttribute = type.ends_with('D');
    for (Row row : {Row{type,
                        "fp16 sum",
                        {half({0x7BFF, 0x4C00})},
                        {half({0x7BFF, 0x4BFF})},
                        Half,
                        {FO, {0x7BFF}},
                        {FO, {0x7C00}},
                        {0, {0x7BFF}}},
                    Row{type,
                        "fp32 sum",
                        {floats({Max, 0x1p103f})},
                        {floats({Max, 0x1.FFFFFEp102f})},
                        Float,
                        {FO, {FloatInf}},
                        {FO, {FloatInf}},
                        {0, {FloatMax}}},
                    Row{type,
                        "a sum after that",
                        {floats({Max, 0x1p103f, 0})},
                        {floats({Max, 0x1.FFFFFEp102f, 0})},
                        Float,
                        {FO | VN, {FloatInf}},
                        {FO | VN, {FloatInf}},
                        {0, {FloatMax}}},
                    Row{type,
                        "int32 sum",
                        {ints({0x7FFFFFFF, 1})},
                        {ints({0x7FFFFFFE, 1})},
                        Int,
                        {IO, {0x80000000}},
                        {IO, {0x80000000}},
                        {0, {0x7FFFFFFF}}},
                    Row{type,
                        "infinities of both signs",
                        {floats({INFINITY, -INFINITY})},
                        {floats({Max, -Max})},
                        Float,
                        {VN, {0x7FC00000}},
                        {VN, {0x7FC00000}},
                        {0, {0}}}}) {
      for (auto *side : {&row.raising, &row.calm})
        if (!side->empty()) {
          side->push_back(ints(std::vector<int32_t>((*side)[0].bits.size())));
          if (type == "UnsortedSegmentSum")
            side->push_back(ints({1}));
        }
      rows.push_back(isAttribute ? row.with("num_segments", int64_t(1)) : row);
    }
  }

  for (Row row : {Row{"EmbeddingDenseGrad",
                      "fp16 sum",
                      {half({0x7BFF, 0x4C00})},
                      {half({0x7BFF, 0x4BFF})},
                      Half,
                      {FO, {0x7BFF}},
                      {FO, {0x7C00}},
                      {0, {0x7BFF}}},
                  Row{"EmbeddingDenseGrad",
                      "fp16 product, too small",
                      {half({0x0001, 0})},
                      {half({0x0002, 0})},
                      Half,
                      {FU, {0}},
                      {FU, {0}},
                      {0, {0x0001}}}
                      .with("scale_grad_by_freq", true),
                  Row{"EmbeddingDenseGrad",
                      "an infinite gradient",
                      {half({0x7C00})},
                      {half({0x7BFF})},
                      Half,
                      {VN, {0x7BFF}},
                      {VN, {0x7C00}},
                      {0, {0x7BFF}}}}) {
    for (auto *side : {&row.raising, &row.calm}) {
      const int64_t count = static_cast<int64_t>((*side)[0].bits.size());
      (*side)[0] = (*side)[0].shaped({count, 1});
      side->push_back(ints(std::vector<int32_t>(count)));
    }
    rows.push_back(row.with("num_weights", int64_t(1)).into({1, 1}));
  }

  // Two gradients of one pixel: the second adds its half twice.
  for (Row row :
       {Row{"ResizeBilinearV2Grad",
            "fp32 sum",
            {floats({Max, 0x1p104f}), floats({0})},
            {floats({Max, 0x1.FFFFFEp103f}), floats({0})},
            Float,
            {FO | VN, {FloatInf}},
            {FO | VN, {FloatInf}},
            {0, {FloatMax}}},
        Row{"ResizeBilinearV2Grad",
            "an infinite gradient",
            {floats({std::numeric_limits<float>::infinity(), 0}), floats({0})},
            {floats({Max, 0}), floats({0})},
            Float,
            {VN, {0x7FC00000}},
            {VN, {0x7FC00000}},
            {0, {FloatMax}}}}) {
    for (auto *side : {&row.raising, &row.calm}) {
      (*side)[0] = (*side)[0].shaped({1, 1, 1, 2}, Format::NCHW);
      (*side)[1] = (*side)[1].shaped({1, 1, 1, 1}, Format::NCHW);
    }
    rows.push_back(row.into({1, 1, 1, 1}, Format::NCHW));
  }

  for (const char *type : {"Resize", "ResizeBilinearV2", "ResizeBilinearV2D"}) {
    // Two pixels to four: the second is halfway between them.
    const bool isAttribute = !std::string(type).ends_with("V2");
    for (Row row :
         {Row{type,
              "rounding, too small",
              {half({1, 0})},
              {half({2, 0})},
              Half,
              {CU, {1, 0, 0, 0}},
              {CU, {1, 0, 0, 0}},
              {0, {2, 1, 0, 0}}},
          Row{type,
              "fp32 to fp16",
              {floats({65520, 0})},
              {floats({65519.996f, 0})},
              Half,
              {CO, {0x7BFF}},
              {CO, {0x7C00}},
              {0, {0x7BFF}}},
          // b - a, which takes part in all pixels, times 0 in the first.
          Row{type,
              "fp32 difference",
              {floats({-0x1p103f, Max})},
              {floats({-0x1.FFFFFEp102f, Max})},
              Float,
              {FO | VN, {0x7FC00000, 0x7FC00000}},
              {FO | VN, {0x7FC00000, 0x7FC00000}},
              {0, {bitsOf(-0x1.FFFFFEp102f), bitsOf(Max / 2 - 0x1p103f)}}},
          Row{type,
              "a NaN operand",
              {half({0x7E00, 0})},
              {half({0x7BFF, 0})},
              Half,
              {VN, {0}},
              {VN, {0x7E00}},
              {0, {0x7BFF}}}}) {
      for (auto *side : {&row.raising, &row.calm})
        if (!side->empty()) {
          (*side)[0] = (*side)[0].shaped({1, 1, 1, 2}, Format::NCHW);
          if (!isAttribute)
            side->push_back(ints({1, 4}));
        }
      row = row.into({1, 1, 1, 4}, Format::NCHW);
      if (std::string(type) == "Resize")
        row = row.with("mode", std::string("linear"))
                  .with("coordinate_transformation_mode",
                        std::string("asymmetric"));
      rows.push_back(isAttribute ? row.with("size", List{1, 4}) : row);
    }
  }
  return rows;
}
