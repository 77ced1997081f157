//===- StatusTableElementwise.cpp - Rows of element-wise arithmetic -------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

constexpr int32_t IntMax = std::numeric_limits<int32_t>::max();
constexpr int32_t IntMin = std::numeric_limits<int32_t>::min();
constexpr int64_t LongMax = std::numeric_limits<int64_t>::max();
constexpr uint64_t LongMin = uint64_t(1) << 63;
constexpr uint64_t IntMinBits = 0x80000000;

constexpr int64_t HighPrecision = 4;

} // namespace

Rows kernels::statustable::castRows(const std::string &type,
                                    const std::vector<Operand> &neutral,
                                    bool overflows) {
  auto operands = [&](float x) {
    std::vector<Operand> result = {floats({x})};
    result.insert(result.end(), neutral.begin(), neutral.end());
    return result;
  };
  Rows rows = {{type,
                "fp32 to fp16, too small",
                operands(0x1p-25f),
                operands(0x1.000002p-25f),
                Half,
                {CU, {0}},
                {CU, {0}},
                {0, {1}}}};
  if (overflows)
    rows.push_back({type,
                    "fp32 to fp16, too large",
                    operands(65520),
                    operands(0x1.FFDFFEp15f),
                    Half,
                    {CO, {0x7BFF}},
                    {CO, {0x7C00}},
                    {0, {0x7BFF}}});
  return rows;
}

/// A sum of two operands, the second subtracted if \p negated; \p wide when
/// fp16 tensors are summed in fp32.
Rows kernels::statustable::sumRows(const std::string &type, bool negated,
                                   bool wide) {
  auto h = [&](uint64_t bits) {
    return half({negated ? bits ^ 0x8000 : bits});
  };
  auto f = [&](float value) { return floats({negated ? -value : value}); };
  auto i = [&](int32_t value) { return ints({negated ? -value : value}); };
  auto l = [&](int64_t value) { return longs({negated ? -value : value}); };
  // 65504 + 16 ties to 65536; 15.9921875 does not.
  const StatusBits bit = wide ? CO : FO;
  Rows rows = {
      {type,
       "fp16 sum",
       {half({0x7BFF}), h(0x4C00)},
       {half({0x7BFF}), h(0x4BFF)},
       Half,
       {bit, {0x7BFF}},
       {bit, {0x7C00}},
       {0, {0x7BFF}}},
      {type,
       "fp16 sum, negative",
       {half({0xFBFF}), h(0xCC00)},
       {half({0xFBFF}), h(0xCBFF)},
       Half,
       {bit, {0xFBFF}},
       {bit, {0xFC00}},
       {0, {0xFBFF}}},
      {type,
       "fp32 sum",
       {floats({Max}), f(0x1p103f)},
       {floats({Max}), f(0x1.FFFFFEp102f)},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {FloatMax}}},
      // bf16: the sum is exact in fp32 and rounded once.
      {type,
       "bf16 sum",
       {brain({0x7F7F}), brain({negated ? 0xFB00u : 0x7B00u})},
       {brain({0x7F7F}), brain({negated ? 0xFAFFu : 0x7AFFu})},
       Brain,
       {CO, {0x7F7F}},
       {CO, {0x7F80}},
       {0, {0x7F7F}}},
      {type,
       "int32 sum",
       {ints({IntMax}), i(1)},
       {ints({IntMax - 1}), i(1)},
       Int,
       {IO, {IntMinBits}},
       {IO, {IntMinBits}},
       {0, {0x7FFFFFFF}}},
      {type,
       "int64 sum",
       {longs({LongMax}), l(1)},
       {longs({LongMax - 1}), l(1)},
       Long,
       {IO, {LongMin}},
       {IO, {LongMin}},
       {0, {LongMin - 1}}},
      {type,
       "an infinite operand",
       {half({0x7C00}), h(0x3C00)},
       {half({0x7BFF}), h(0x3C00)},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x7BFF}}},
      {type,
       "a NaN operand",
       {half({0x7E00}), h(0x3C00)},
       {},
       Half,
       {VN, {0}},
       {VN, {0x7E00}}},
  };
  append(rows, castRows(type, {f(0)}));
  return rows;
}

/// Products. 65504 * 1.0009765625 rounds to 65568 and so beyond.
Rows kernels::statustable::productRows(const std::string &type) {
  Rows rows = {
      {type,
       "fp16 product",
       {half({0x7BFF}), half({0x3C01})},
       {half({0x7BFF}), half({0x3C00})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BFF}}},
      // 300 * 300
      {type,
       "worked example",
       {half({0x5CB0}), half({0x5CB0})},
       {},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}}},
      {type,
       "2^-14 * 2^-14",
       {half({0x0400}), half({0x0400})},
       {},
       Half,
       {FU, {0}},
       {FU, {0}}},
      // 2^-25 ties to 0
      {type,
       "fp16 product, too small",
       {half({0x0001}), half({0x3800})},
       {half({0x0001}), half({0x3801})},
       Half,
       {FU, {0}},
       {FU, {0}},
       {0, {1}}},
      {type,
       "fp32 product",
       {floats({Max}), floats({0x1.000002p0f})},
       {floats({Max}), floats({1})},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {FloatMax}}},
      {type,
       "int32 product",
       {ints({65536}), ints({32768})},
       {ints({65535}), ints({32768})},
       Int,
       {IO, {IntMinBits}},
       {IO, {IntMinBits}},
       {0, {0x7FFF8000}}},
      {type,
       "an infinite operand",
       {half({0x7C00}), half({0x3C00})},
       {half({0x7BFF}), half({0x3C00})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x7BFF}}},
      {type,
       "0 * infinity",
       {half({0x0000}), half({0x7C00})},
       {},
       Half,
       {VN, {0}},
       {VN, {0x7E00}}},
  };
  append(rows, castRows(type, {floats({1})}));
  return rows;
}

namespace {

Rows addsRows() {
  const Row above = {"Adds", "fp16 sum",     {half({0x7BFF})}, {},
                     Half,   {FO, {0x7BFF}}, {FO, {0x7C00}}};
  Row below = above;
  below.what = "fp16 sum, one ulp less";
  below.saturate = below.infNan = {0, {0x7BFF}};
  Rows rows = {above.with("value", 16.0f), below.with("value", 15.9921875f),
               Row{"Adds",
                   "int32 sum",
                   {ints({IntMax})},
                   {ints({IntMax - 1})},
                   Int,
                   {IO, {IntMinBits}},
                   {IO, {IntMinBits}},
                   {0, {0x7FFFFFFF}}}
                   .with("value", 1.0f),
               Row{"Adds",
                   "fp32 sum",
                   {floats({Max})},
                   {floats({0x1.FFFFFCp127f})},
                   Float,
                   {FO, {FloatInf}},
                   {FO, {FloatInf}},
                   {0, {FloatMax}}}
                   .with("value", 0x1.8p103f),
               Row{"Adds",
                   "an infinite operand",
                   {half({0xFC00})},
                   {half({0xFBFF})},
                   Half,
                   {VN, {0xFBFF}},
                   {VN, {0xFC00}},
                   {0, {0xFBFF}}}
                   .with("value", 1.0f)};
  for (const Row &row : castRows("Adds", {}))
    rows.push_back(row.with("value", 0.0f));
  return rows;
}

Rows mulsRows() {
  Rows rows = {Row{"Muls",
                   "fp16 product",
                   {half({0x7BFF})},
                   {half({0x7BFF})},
                   Half,
                   {FO, {0x7BFF}},
                   {FO, {0x7C00}},
                   {0, {0x7BFF}}}
                   .with("value", 1.0009765625f)
                   .calmWith("value", 1.0f),
               Row{"Muls",
                   "fp16 product, too small",
                   {half({0x0001})},
                   {half({0x0002})},
                   Half,
                   {FU, {0}},
                   {FU, {0}},
                   {0, {1}}}
                   .with("value", 0.5f),
               Row{"Muls",
                   "int32 product",
                   {ints({65536})},
                   {ints({65535})},
                   Int,
                   {IO, {IntMinBits}},
                   {IO, {IntMinBits}},
                   {0, {0x7FFF8000}}}
                   .with("value", 32768.0f),
               Row{"Muls",
                   "an infinite operand",
                   {half({0x7C00})},
                   {half({0x7BFF})},
                   Half,
                   {VN, {0x7BFF}},
                   {VN, {0x7C00}},
                   {0, {0x7BFF}}}
                   .with("value", 1.0f)};
  for (const Row &row : castRows("Muls", {}))
    rows.push_back(row.with("value", 1.0f));
  return rows;
}

Rows squareRows() {
  return {
      // 255.875^2 = 65472.016
      {"Square",
       "fp16 product",
       {half({0x5C00})},
       {half({0x5BFF})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BFE}}},
      {"Square",
       "too small",
       {half({0x09A8})},
       {half({0x09A9})},
       Half,
       {FU, {0}},
       {FU, {0}},
       {0, {1}}},
      {"Square",
       "fp32 product",
       {floats({0x1p64f})},
       {floats({0x1.FFFFFEp63f})},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {bitsOf(0x1.FFFFFCp127f)}}},
      {"Square",
       "int32 product",
       {ints({46341})},
       {ints({46340})},
       Int,
       {IO, {0x80001219}},
       {IO, {0x80001219}},
       {0, {0x7FFEA810}}},
      {"Square",
       "fp32 to fp16, too large",
       {floats({0x1.FFFp7f})},
       {floats({0x1.FFEFFEp7f})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"Square",
       "fp32 to fp16, too small",
       {floats({0x1.6A09E6p-13f})},
       {floats({0x1.6A09E8p-13f})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      {"Square",
       "an infinite operand",
       {half({0xFC00})},
       {half({0xDBFF})},
       Half,
       {VN, {0x7BFF}},
       {VN, {0x7C00}},
       {0, {0x7BFE}}},
  };
}

Rows divisionRows() {
  Rows rows = {
      {"RealDiv",
       "fp16 quotient",
       {half({0x7BFF}), half({0x3BFF})},
       {half({0x7BFF}), half({0x3C00})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BFF}}},
      // 1 / 2^-16 = 65536; 1 / (257 * 2^-24) = 65281
      {"RealDiv",
       "by a small number",
       {half({0x3C00}), half({0x0100})},
       {half({0x3C00}), half({0x0101})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x7BF8}}},
      {"RealDiv",
       "1e-8 became 0, 1e-4 did not",
       {half({0x3C00}), half({0x0000})},
       {half({0x3C00}), half({0x068E})},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}},
       {0, {0x70E2}}},
      {"RealDiv",
       "1 / 5.96e-8",
       {half({0x3C00}), half({0x0001})},
       {},
       Half,
       {FO, {0x7BFF}},
       {FO, {0x7C00}}},
      {"RealDiv",
       "-1 / 0",
       {half({0xBC00}), half({0x0000})},
       {},
       Half,
       {FO, {0xFBFF}},
       {FO, {0xFC00}}},
      {"RealDiv",
       "0 / 0",
       {half({0x0000}), half({0x0000})},
       {},
       Half,
       {0, {0}},
       {0, {0x7E00}}},
      {"RealDiv",
       "too small",
       {half({0x0001}), half({0x4000})},
       {half({0x0001}), half({0x3FFF})},
       Half,
       {FU, {0}},
       {FU, {0}},
       {0, {1}}},
      {"RealDiv",
       "fp32 quotient",
       {floats({Max}), floats({0x1.FFFFFEp-1f})},
       {floats({Max}), floats({1})},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {FloatMax}}},
      {"RealDiv",
       "an infinite operand",
       {half({0x3C00}), half({0x7C00})},
       {half({0x3C00}), half({0x7BFF})},
       Half,
       {VN, {0}},
       {VN, {0}},
       {0, {0x0100}}},
      Row{"RealDiv",
          "high_precision",
          {half({0x3C00}), half({0x0100})},
          {half({0x3C00}), half({0x0101})},
          Half,
          {CO, {0x7BFF}},
          {CO, {0x7C00}},
          {0, {0x7BF8}}}
          .with("_op_impl_mode_enum", HighPrecision)
          .on(notOn310),
      Row{"RealDiv",
          "high_precision, too small",
          {half({0x0001}), half({0x4000})},
          {half({0x0001}), half({0x3FFF})},
          Half,
          {CU, {0}},
          {CU, {0}},
          {0, {1}}}
          .with("_op_impl_mode_enum", HighPrecision)
          .on(notOn310),
  };
  append(rows, castRows("RealDiv", {floats({1})}));
  for (const char *type : {"Reciprocal", "Inv"})
    append(rows, {{type,
                   "1 / 0",
                   {half({0x0000})},
                   {half({0x0101})},
                   Half,
                   {FO, {0x7BFF}},
                   {FO, {0x7C00}},
                   {0, {0x7BF8}}},
                  {type,
                   "fp32 quotient to fp16",
                   {half({0x0100})},
                   {half({0x0101})},
                   Half,
                   {CO, {0x7BFF}},
                   {CO, {0x7C00}},
                   {0, {0x7BF8}}},
                  {type,
                   "fp32 to fp16, too small",
                   {floats({0x1p25f})},
                   {floats({0x1.FFFFFEp24f})},
                   Half,
                   {CU, {0}},
                   {CU, {0}},
                   {0, {1}}},
                  {type,
                   "an infinite operand",
                   {half({0x7C00})},
                   {half({0x7BFF})},
                   Half,
                   {VN, {0}},
                   {VN, {0}},
                   {0, {0x0100}}}});
  return rows;
}

Rows exactRows() {
  Rows rows;
  for (const char *type : {"Maximum", "Minimum"}) {
    const bool max = type[1] == 'a';
    const uint64_t other = max ? 0xBC00 : 0x7BFF;
    append(rows, castRows(type, {floats({max ? 0 : Max})}));
    append(rows, {{type,
                   "an infinite operand",
                   {half({0x7C00}), half({other})},
                   {half({0x7BFF}), half({other})},
                   Half,
                   {VN, {0x7BFF}},
                   {VN, {max ? 0x7C00u : 0x7BFFu}},
                   {0, {0x7BFF}}}});
  }
  for (const char *type : {"Neg", "Abs"}) {
    const uint64_t sign = type[0] == 'N' ? 0x8000 : 0;
    for (Row row : castRows(type, {})) {
      for (Outcome *outcome : {&row.saturate, &row.infNan, &row.ofCalm})
        outcome->out[0] |= sign;
      rows.push_back(row);
    }
    append(rows, {{type,
                   "the smallest integer",
                   {ints({IntMin})},
                   {ints({IntMin + 1})},
                   Int,
                   {NM, {IntMinBits}},
                   {NM, {IntMinBits}},
                   {0, {0x7FFFFFFF}}},
                  {type,
                   "the smallest long integer",
                   {longs({-LongMax - 1})},
                   {longs({-LongMax})},
                   Long,
                   {NM, {LongMin}},
                   {NM, {LongMin}},
                   {0, {LongMin - 1}}},
                  {type,
                   "an infinite operand",
                   {half({0x7C00 ^ sign})},
                   {half({0x7BFF ^ sign})},
                   Half,
                   {VN, {0x7BFF}},
                   {VN, {0x7C00}},
                   {0, {0x7BFF}}}});
  }
  append(rows, castRows("Relu", {}));
  append(rows, castRows("Relu6", {}, /*overflows=*/false));
  append(rows, {{"Relu",
                 "an infinite operand",
                 {half({0x7C00})},
                 {half({0x7BFF})},
                 Half,
                 {VN, {0x7BFF}},
                 {VN, {0x7C00}},
                 {0, {0x7BFF}}},
                {"Relu6",
                 "an infinite operand",
                 {half({0x7C00})},
                 {half({0x7BFF})},
                 Half,
                 {VN, {0x4600}},
                 {VN, {0x4600}},
                 {0, {0x4600}}}});
  return rows;
}

} // namespace

Rows kernels::statustable::arithmeticRows() {
  Rows rows;
  for (const char *type : {"Add", "AddV2", "BiasAdd"})
    append(rows, sumRows(type, false, false));
  append(rows, sumRows("Sub", true, false));
  // fp32 sums, rounded once.
  for (const char *type : {"AddN", "AccumulateNV2"})
    append(rows, sumRows(type, false, true));
  for (const Rows &more : {addsRows(), productRows("Mul"), mulsRows(),
                           squareRows(), divisionRows(), exactRows()})
    append(rows, more);
  return rows;
}
