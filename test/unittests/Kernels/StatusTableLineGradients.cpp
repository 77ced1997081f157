//===- StatusTableLineGradients.cpp - Rows of gradients along lines -------===//
//
// Gradients of softmax and layer normalisation, log-softmax, sums of squares:
// one line of values.
//
//===----------------------------------------------------------------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

/// Operands and result of \p rows as one line.
Rows asLines(const std::string &type, Rows rows) {
  for (Row &row : rows) {
    row.type = type;
    const Shape line = {1, static_cast<int64_t>(row.raising[0].bits.size())};
    for (auto *side : {&row.raising, &row.calm})
      for (Operand &operand : *side)
        operand = operand.shaped(line);
    row = row.into(line);
  }
  return rows;
}

Rows softmaxGradientRows() {
  // softmax, its gradient
  const Rows softmax = {// 2 * (dy - 2 dy)
                        {"",
                         "rounding of the result",
                         {half({0x4000, 0}), half({0x7800, 0})},
                         {half({0x4000, 0}), half({0x77FF, 0})},
                         Half,
                         {CO, {0xFBFF, 0x8000}},
                         {CO, {0xFC00, 0x8000}},
                         {0, {0xFBFF, 0x8000}}},
                        {"",
                         "rounding, too small",
                         {half({0x0001, 0}), half({0x3800, 0})},
                         {half({0x0001, 0}), half({0x3801, 0})},
                         Half,
                         {CU, {0, 0x8000}},
                         {CU, {0, 0x8000}},
                         {0, {0x0001, 0x8000}}},
                        {"",
                         "fp32 product",
                         {floats({2, 0}), floats({0x1p127f, 0})},
                         {floats({2, 0}), floats({0x1.FFFFFEp126f, 0})},
                         Float,
                         {FO | VN, {0xFF800000, 0x7FC00000}},
                         {FO | VN, {0xFF800000, 0x7FC00000}},
                         {0, {0xFF7FFFFF, 0x80000000}}},
                        {"",
                         "an infinite operand",
                         {half({0x3C00, 0}), half({0x7C00, 0})},
                         {half({0x3C00, 0}), half({0x7BFF, 0})},
                         Half,
                         {VN, {0, 0}},
                         {VN, {0x7E00, 0x7E00}},
                         {0, {0, 0x8000}}}};
  // gradient, softmax
  const Rows confusion = {{"",
                           "the fp16 product",
                           {half({0x7800, 0}), half({0x4000, 0})},
                           {half({0x77FF, 0}), half({0x4000, 0})},
                           Half,
                           {FO, {0xF7FE, 0xFBFF}},
                           {FO | VN, {0xFC00, 0xFC00}},
                           {0, {0xF7FF, 0xFBFF}}},
                          {"",
                           "the fp16 product is too small",
                           {half({0x0001, 0}), half({0x3800, 0})},
                           {half({0x0001, 0}), half({0x3801, 0})},
                           Half,
                           {FU, {0x0001, 0}},
                           {FU, {0x0001, 0}},
                           {0, {0, 0x8001}}},
                          {"",
                           "rounding of the sum",
                           {half({0x7BFF, 0x4C00}), half({0x3C00, 0x3C00})},
                           {half({0x7BFF, 0x4BFF}), half({0x3C00, 0x3C00})},
                           Half,
                           {CO, {0, 0xFBFE}},
                           {CO | VN, {0xFC00, 0xFC00}},
                           {0, {0, 0xFBFF}}},
                          {"",
                           "the fp16 difference",
                           {half({0xFBFF, 0x4C00}), half({0, 0x3C00})},
                           {half({0xFBFF, 0x4BFF}), half({0, 0x3C00})},
                           Half,
                           {FO, {0xFBFF, 0}},
                           {FO, {0xFC00, 0}},
                           {0, {0xFBFF, 0}}},
                          {"",
                           "fp32 to fp16, too small",
                           {floats({0x1p-25f, 0}), floats({0, 0})},
                           {floats({0x1.000002p-25f, 0}), floats({0, 0})},
                           Half,
                           {CU, {0, 0}},
                           {CU, {0, 0}},
                           {0, {0x0001, 0}}},
                          {"",
                           "an infinite operand",
                           {half({0xFC00, 0}), half({0, 0})},
                           {half({0xFBFF, 0}), half({0, 0})},
                           Half,
                           {VN, {0xFBFF, 0}},
                           {VN, {0x7E00, 0x7E00}},
                           {0, {0xFBFF, 0}}}};
  const Rows logarithm = {// -65504 - 16 in fp32
                          Row{"",
                              "rounding of the result",
                              {half({0xFBFF, 0x4C00})},
                              {half({0xFBFF, 0x4BFF})},
                              Half,
                              {CO, {0xFBFF, 0}},
                              {CO, {0xFC00, 0}},
                              {0, {0xFBFF, 0}}}
                              .on(notOn310),
                          // A difference of fp32 before an exp in fp16.
                          Row{"",
                              "x - max to fp16, too small",
                              {floats({-0x1p-25f, 0})},
                              {floats({-0x1.000002p-25f, 0})},
                              Float,
                              {CU, {0xBF318000, 0xBF318000}},
                              {CU, {0xBF318000, 0xBF318000}},
                              {0, {0xBF318001, 0xBF318000}}}
                              .on(on310),
                          Row{"",
                              "the exp in fp16 is too small",
                              {half({0, 0xCC56})},
                              {half({0, 0xCC55})},
                              Half,
                              {FU, {0, 0xCC56}},
                              {FU, {0, 0xCC56}},
                              {0, {0, 0xCC55}}}
                              .on(on310),
                          Row{"",
                              "fp32 x - max",
                              {floats({-Max, 0x1p103f})},
                              {floats({-Max, 0})},
                              Float,
                              {FO | VN, {0xFF800000, 0}},
                              {FO | VN, {0xFF800000, 0}},
                              {0, {0xFF7FFFFF, 0}}}
                              .on({Soc::Ascend310P, Soc::Ascend910B}),
                          Row{"",
                              "the maximum through fp16",
                              {floats({65520})},
                              {floats({0x1.FFDFFEp15f})},
                              Float,
                              {CO, {0}},
                              {CO | VN, {0x7FC00000}},
                              {0, {0}}}
                              .on({Soc::Ascend910A}),
                          Row{"",
                              "the maximum in fp32",
                              {floats({65520})},
                              {},
                              Float,
                              {0, {0}},
                              {0, {0}}}
                              .on({Soc::Ascend310P, Soc::Ascend910B}),
                          Row{"",
                              "an infinite operand",
                              {half({0x7C00, 0})},
                              {},
                              Half,
                              {VN, {0, 0}},
                              {VN, {0x7E00, 0x7E00}}}
                              .on(notOn310)};
  // gradient, log-softmax
  const Rows logarithmGradient = {
      {"",
       "rounding of the result",
       {half({0x75E3, 0}), half({0, 0x3C00})},
       {half({0x75E2, 0}), half({0, 0x3C00})},
       Half,
       {CO, {0, 0xFBFF}},
       {CO, {0, 0xFC00}},
       {0, {0, 0xFBFF}}},
      Row{"",
          "rounding, too small",
          {half({0x0001, 0}), half({0, 0xB98B})},
          {half({0x0001, 0}), half({0, 0xB98A})},
          Half,
          {CU, {0, 0x8000}},
          {CU, {0, 0x8000}},
          {0, {0, 0x8001}}}
          .on(on310),
      Row{"",
          "rounding, too small",
          {half({0x0001, 0}), half({0, 0xB98C})},
          {half({0x0001, 0}), half({0, 0xB98B})},
          Half,
          {CU, {0, 0x8000}},
          {CU, {0, 0x8000}},
          {0, {0, 0x8001}}}
          .on(notOn310),
      Row{"",
          "the exp in fp16 is too small",
          {half({0x3C00, 0}), half({0, 0xCC56})},
          {half({0x3C00, 0}), half({0, 0xCC55})},
          Half,
          {FU, {0, 0}},
          {FU, {0, 0}},
          {0, {0, 0x8001}}}
          .on(on310),
      {"",
       "fp32 sum",
       {floats({Max, 0x1p103f}), floats({0, 0})},
       {floats({Max, 0x1.FFFFFEp102f}), floats({0, 0})},
       Float,
       {FO | VN, {0xFF800000, 0xFF800000}},
       {FO | VN, {0xFF800000, 0xFF800000}},
       {0, {0, 0xFF7FFFFF}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), half({0, 0})},
       {half({0x7BFF, 0}), half({0, 0})},
       Half,
       {VN, {0, 0xFBFF}},
       {VN, {0x7E00, 0xFC00}},
       {0, {0, 0xFBFF}}}};
  // gradient, softmax; and a number for all
  const Rows scaled = {// (dy - 2 dy) (2 * 128)
                       {"",
                        "fp16 product",
                        {half({0x5C00, 0}), half({0x4000, 0})},
                        {half({0x5BFF, 0}), half({0x4000, 0})},
                        Half,
                        {FO, {0xFBFF, 0x8000}},
                        {FO, {0xFC00, 0x8000}},
                        {0, {0xFBFF, 0x8000}}},
                       // (2 - 2 * 0.5) (0.5 * 2^-24)
                       {"",
                        "fp16 product, too small",
                        {half({0x4000, 0}), half({0x3800, 0})},
                        {half({0x4000, 0}), half({0x3800, 0})},
                        Half,
                        {FU, {0, 0x8000}},
                        {FU, {0, 0x8000}},
                        {0, {0x0001, 0x8000}}},
                       {"",
                        "the sum in fp16",
                        {half({0x7BFF, 0x4C00}), half({0x3C00, 0x3C00})},
                        {half({0x7BFF, 0x4BFF}), half({0x3C00, 0x3C00})},
                        Half,
                        {CO, {0, 0xFBFE}},
                        {CO | VN, {0xFC00, 0xFC00}},
                        {0, {0, 0xFBFF}}},
                       // (dy - 0.5 dy) 0.5
                       {"",
                        "rounding, too small",
                        {floats({0x1p-23f, 0}), floats({0.5f, 0})},
                        {floats({0x1.000002p-23f, 0}), floats({0.5f, 0})},
                        Half,
                        {CU, {0, 0x8000}},
                        {CU, {0, 0x8000}},
                        {0, {0x0001, 0x8000}}},
                       {"",
                        "an infinite operand",
                        {half({0x7C00, 0}), half({0x3C00, 0})},
                        {half({0x7BFF, 0}), half({0x3C00, 0})},
                        Half,
                        {VN, {0, 0x8000}},
                        {VN, {0x7E00, 0x7E00}},
                        {0, {0, 0x8000}}}};
  Rows rows = asLines("SoftmaxGrad", softmax);
  const std::pair<Operand, Operand> numbers[] = {
      {half({0x5800}), half({0x5800})},
      {half({0x0001}), half({0x0002})},
      {half({0x3C00}), half({0x3C00})},
      {floats({1}), floats({1})},
      {half({0}), half({0})}};
  Rows scaledLines = asLines("SoftmaxGradExt", scaled);
  for (size_t i = 0; i != scaledLines.size(); ++i) {
    Row &row = scaledLines[i];
    row.raising.push_back(numbers[i].first);
    row.calm.push_back(numbers[i].second);
    rows.push_back(row.with("keep_dims", true));
  }
  append(rows, asLines("ConfusionSoftmaxGrad", confusion));
  append(rows, asLines("LogSoftmaxV2", logarithm));
  append(rows, asLines("LogSoftmaxGrad", logarithmGradient));
  return rows;
}

Rows squareSumRows() {
  const Rows both = {{"",
                      "fp32 square",
                      {floats({0x1p64f, 0})},
                      {floats({0x1.FFFFFEp63f, 0})},
                      Float,
                      {FO | VN, {FloatInf}},
                      {FO | VN, {FloatInf}},
                      {0, {0x7F7FFFFE}}},
                     // 255.875^2 = 65472.016; 6.93^2 and 6.926^2
                     {"",
                      "rounding of the sum",
                      {half({0x5BFF, 0x46EE})},
                      {half({0x5BFF, 0x46ED})},
                      Half,
                      {CO, {0x7BFF}},
                      {CO, {0x7C00}},
                      {0, {0x7BFF}}},
                     {"",
                      "an infinite operand",
                      {half({0x7C00, 0})},
                      {half({0x5BFF, 0})},
                      Half,
                      {VN, {0x7BFF}},
                      {VN, {0x7C00}},
                      {0, {0x7BFE}}}};
  const Rows first = {Row{"",
                          "rounding, too small",
                          {half({0x09A8, 0})},
                          {half({0x09A9, 0})},
                          Half,
                          {CU, {0}},
                          {CU, {0}},
                          {0, {0x0001}}}
                          .on(notOn310),
                      Row{"",
                          "the fp16 square",
                          {half({0x5C00, 0})},
                          {half({0x5BFF, 0})},
                          Half,
                          {FO, {0x7BFF}},
                          {FO | VN, {0x7C00}},
                          {0, {0x7BFE}}}
                          .on(on310),
                      Row{"",
                          "the fp16 square is too small",
                          {half({0x09A8, 0})},
                          {half({0x09A9, 0})},
                          Half,
                          {FU, {0}},
                          {FU, {0}},
                          {0, {0x0001}}}
                          .on(on310)};
  const Rows second = {{"",
                        "rounding, too small",
                        {half({0x09A8, 0})},
                        {half({0x09A9, 0})},
                        Half,
                        {CU, {0}},
                        {CU, {0}},
                        {0, {0x0001}}}};
  Rows rows = asLines("SquareSumV1", first);
  append(rows, asLines("SquareSumV1", both));
  for (const Rows &ofV2 : {second, both})
    for (const Row &row : asLines("SquareSumV2", ofV2))
      rows.push_back(row.besides(row.outType, {1, 2}));
  for (Row &row : rows)
    row = row.with("axis", List{1}).into({1});
  return rows;
}

/// Of dy and gamma; x and its mean are 0, its variance (V3: 1 / sqrt of it) 1,
/// which a fixed epsilon is added to.
Rows layerNormRows() {
  const Rows gradients = {
      {"",
       "rounding of pd_x",
       {half({0x7800, 0xF800}), half({0x4000, 0x4000})},
       {half({0x77FF, 0xF7FF}), half({0x4000, 0x4000})},
       Half,
       {CO, {0x7BFF, 0xFBFF}},
       {CO, {0x7C00, 0xFC00}},
       {0, {0x7BFF, 0xFBFF}}},
      {"",
       "rounding, too small",
       {half({0x0001, 0x8001}), half({0x3800, 0x3800})},
       {half({0x0002, 0x8002}), half({0x3800, 0x3800})},
       Half,
       {CU, {0, 0x8000}},
       {CU, {0, 0x8000}},
       {0, {0x0001, 0x8001}}},
      {"",
       "fp32 product with gamma",
       {floats({0x1p64f, -0x1p64f}), floats({0x1p64f, 0x1p64f})},
       {floats({0x1.FFFFFEp63f, -0x1.FFFFFEp63f}), floats({0x1p64f, 0x1p64f})},
       Float,
       {FO | VN, {0x7FC00000, 0x7FC00000}},
       {FO | VN, {0x7FC00000, 0x7FC00000}},
       {0, {FloatMax, 0xFF7FFFFF}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), half({0x3C00, 0x3C00})},
       {half({0x7BFF, 0}), half({0x3C00, 0x3C00})},
       Half,
       {VN, {0, 0}},
       {VN, {0x7E00, 0x7E00}},
       {0, {0x77FF, 0xF7FF}}}};
  Rows rows;
  for (const char *type :
       {"LayerNormXBackprop", "LayerNormXBackpropV2", "LayerNormXBackpropV3",
        "LayerNormGrad", "LayerNormGradV3"})
    for (Row row : asLines(type, gradients)) {
      for (auto *side : {&row.raising, &row.calm})
        if (!side->empty()) {
          const DataType dtype = row.outType;
          const Operand x = Operand{dtype, {0, 0}}.shaped({1, 2}),
                        one = constant(dtype, 1).shaped({1, 1}),
                        zero = constant(dtype, 0).shaped({1, 1});
          const Operand gamma = (*side)[1].shaped({2});
          *side = {(*side)[0], x, one, zero, gamma};
        }
      if (row.type.starts_with("LayerNormGrad"))
        row = row.besides(row.outType, {2}).besides(row.outType, {2});
      else if (row.type != "LayerNormXBackprop")
        row = row.besides(row.outType, {1, 2});
      rows.push_back(row);
    }
  return rows;
}

/// Sums down one column.
Rows parameterRows() {
  Rows rows = {{"",
                "fp32 sum",
                {floats({Max, 0x1p103f}), floats({1, 1})},
                {floats({Max, 0x1.FFFFFEp102f}), floats({1, 1})},
                Float,
                {FO, {FloatInf}},
                {FO, {FloatInf}},
                {0, {FloatMax}}},
               {"",
                "fp32 product",
                {floats({0x1p64f, 0}), floats({0x1p64f, 0})},
                {floats({0x1.FFFFFEp63f, 0}), floats({0x1p64f, 0})},
                Float,
                {FO | VN, {FloatInf}},
                {FO | VN, {FloatInf}},
                {0, {FloatMax}}},
               {"",
                "sum to fp16",
                {half({0x7BFF, 0x4C00}), half({0x3C00, 0x3C00})},
                {half({0x7BFF, 0x4BFF}), half({0x3C00, 0x3C00})},
                Half,
                {CO, {0x7BFF}},
                {CO, {0x7C00}},
                {0, {0x7BFF}}},
               {"",
                "sum to fp16, too small",
                {half({0x0001, 0}), half({0x3800, 0})},
                {half({0x0001, 0}), half({0x3801, 0})},
                Half,
                {CU, {0}},
                {CU, {0}},
                {0, {0x0001}}},
               {"",
                "an infinite operand",
                {half({0x7C00, 0}), half({0x3C00, 0})},
                {half({0x7BFF, 0}), half({0x3C00, 0})},
                Float,
                {VN, {FloatInf}},
                {VN, {FloatInf}},
                {0, {0x477FE000}}}};
  for (Row &row : rows) {
    row.type = "LayerNormBetaGammaBackpropV2";
    for (auto *side : {&row.raising, &row.calm})
      for (Operand &operand : *side)
        operand = operand.shaped({2, 1});
    row = row.with("shape_gamma", List{1}).into({1}).besides(Float, {1});
  }
  return rows;
}

} // namespace

Rows kernels::statustable::lineGradientRows() {
  Rows rows;
  for (const Rows &more : {softmaxGradientRows(), squareSumRows(),
                           layerNormRows(), parameterRows()})
    append(rows, more);
  return rows;
}
