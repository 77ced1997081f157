//===- StatusTableOrder.cpp - Rows of products, running sums, orders ------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

using List = std::vector<int64_t>;

namespace {

/// \p row of \p type, which has \p axis as its second input.
Row withAxisInput(const std::string &type, Row row) {
  row.type = type;
  for (auto *side : {&row.raising, &row.calm})
    if (!side->empty())
      side->push_back(ints({0}));
  return row;
}

Rows productsOfLines() {
  const Rows products = {{"",
                          "fp16 product",
                          {half({0x7BFF, 0x3C01})},
                          {half({0x7BFF, 0x3C00})},
                          Half,
                          {FO, {0x7BFF}},
                          {FO, {0x7C00}},
                          {0, {0x7BFF}}},
                         {"",
                          "fp16 product, too small",
                          {half({0x0001, 0x3800})},
                          {half({0x0001, 0x3801})},
                          Half,
                          {FU, {0}},
                          {FU, {0}},
                          {0, {0x0001}}},
                         {"",
                          "a product in the middle",
                          {half({0x7BFF, 0x3C01, 0x3800})},
                          {half({0x7BFF, 0x3C00, 0x3800})},
                          Half,
                          {FO, {0x77FF}},
                          {FO | VN, {0x7C00}},
                          {0, {0x77FF}}},
                         {"",
                          "fp32 product",
                          {floats({Max, 0x1.000002p0f})},
                          {floats({Max, 1})},
                          Float,
                          {FO, {FloatInf}},
                          {FO, {FloatInf}},
                          {0, {FloatMax}}},
                         {"",
                          "an infinite operand",
                          {half({0x7C00, 0x3C00})},
                          {half({0x7BFF, 0x3C00})},
                          Half,
                          {VN, {0x7BFF}},
                          {VN, {0x7C00}},
                          {0, {0x7BFF}}},
                         {"",
                          "to bf16, too large",
                          {brain({0x5F35, 0x5FB5})},
                          {brain({0x5F34, 0x5FB5})},
                          Brain,
                          {CO, {0x7F7F}},
                          {CO, {0x7F80}},
                          {0, {0x7F7F}}},
                         {"",
                          "to bf16, too small",
                          {brain({0x1F80, 0x1C80})},
                          {brain({0x1F81, 0x1C80})},
                          Brain,
                          {CU, {0}},
                          {CU, {0}},
                          {0, {0x0001}}}};
  Rows rows;
  for (Row row : products) {
    row.type = "ReduceProdD";
    row = row.into({1});
    rows.push_back(row.with("axes", List{0}));
    rows.push_back(withAxisInput("ReduceProd", row));
  }
  return rows;
}

Rows runningSums() {
  const Rows sums = {{"",
                      "fp16 sum",
                      {half({0x7BFF, 0x4C00})},
                      {half({0x7BFF, 0x4BFF})},
                      Half,
                      {FO, {0x7BFF, 0x7BFF}},
                      {FO, {0x7BFF, 0x7C00}},
                      {0, {0x7BFF, 0x7BFF}}},
                     {"",
                      "fp32 sum",
                      {floats({Max, 0x1p103f})},
                      {floats({Max, 0x1.FFFFFEp102f})},
                      Float,
                      {FO, {FloatMax, FloatInf}},
                      {FO, {FloatMax, FloatInf}},
                      {0, {FloatMax, FloatMax}}},
                     {"",
                      "an infinite operand",
                      {half({0x7C00, 0})},
                      {half({0x7BFF, 0})},
                      Half,
                      {VN, {0x7BFF, 0x7BFF}},
                      {VN, {0x7C00, 0x7C00}},
                      {0, {0x7BFF, 0x7BFF}}},
                     {"",
                      "to bf16, too large",
                      {brain({0x7F7F, 0x7B00})},
                      {brain({0x7F7F, 0x7AFF})},
                      Brain,
                      {CO, {0x7F7F, 0x7F7F}},
                      {CO, {0x7F7F, 0x7F80}},
                      {0, {0x7F7F, 0x7F7F}}},
                     {"",
                      "int32 sum",
                      {ints({2147483647, 1})},
                      {ints({2147483647, 0})},
                      Int,
                      {IO, {0x7FFFFFFF, 0x80000000}},
                      {IO, {0x7FFFFFFF, 0x80000000}},
                      {0, {0x7FFFFFFF, 0x7FFFFFFF}}}};
  Rows rows;
  for (Row row : sums) {
    row.type = "CumsumD";
    rows.push_back(row.with("axis", int64_t(0)));
    rows.push_back(withAxisInput("Cumsum", row));
  }
  return rows;
}

/// Indices of the largest and the smallest; booleans.
Rows indicesAndBooleans() {
  const Row largest = Row{
      "ArgMinD",
      "an infinite operand",
      {half({0, 0xFC00})},
      {half({0, 0xFBFF})},
      Int,
      {VN, {1}},
      {VN, {1}},
      {0, {1}}}.into({1});
  Rows rows = {largest.with("dimension", int64_t(0)),
               withAxisInput("ArgMaxV2", largest)};
  rows.back().raising[0] = half({0, 0x7C00});
  rows.back().calm[0] = half({0, 0x7BFF});
  for (const auto &[type, out] :
       {std::pair<const char *, Elements>{"ReduceAll", {0}},
        {"ReduceAny", {1}}}) {
    const Row row = Row{
        type,    "booleans",     {Operand{DataType::Bool, {1, 0, 1}}},
        {},      DataType::Bool, {0, out},
        {0, out}}.into({1});
    rows.push_back(withAxisInput(type, row));
    rows.push_back(row.with("axes", List{0}));
    rows.back().type += "D";
  }
  for (const char *type : {"TopK", "TopKV2"})
    rows.push_back(Row{type,
                       "infinities and NaNs are sorted",
                       {half({0xFC00, 0x7E01, 0x7C00}), ints({2})},
                       {},
                       Half,
                       {0, {0x7E01, 0x7C00}},
                       {0, {0x7E01, 0x7C00}}}
                       .into({2})
                       .besides(Int, {2}));
  return rows;
}

} // namespace

Rows kernels::statustable::orderRows() {
  Rows rows = productsOfLines();
  append(rows, runningSums());
  append(rows, indicesAndBooleans());
  return rows;
}
