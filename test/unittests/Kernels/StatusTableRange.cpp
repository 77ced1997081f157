//===- StatusTableRange.cpp - Rows of Range and RangeD --------------------===//

#include "StatusTable.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

Operand doubles(double value) {
  return {DataType::Double, {std::bit_cast<uint64_t>(value)}};
}

/// The numbers differ in delta alone.
Row floatRow(const char *what, float start, float raising, float calm,
             Outcome raised, Outcome ofCalm, int64_t count) {
  return Row{"Range",
             what,
             {floats({start}), floats({Max}), floats({raising})},
             {floats({start}), floats({Max}), floats({calm})},
             Float,
             raised,
             raised,
             std::move(ofCalm)}
      .into({count});
}

/// What rounds upwards twice passes the largest number although limit does
/// not: on so many cores the last of \p count.
Row lastOverflows(Soc soc, float start, float delta, int64_t count) {
  return floatRow("the last sum", start, delta, std::nextafter(delta, 0.0f),
                  {FO, {bitsOf(start)}}, {0, {bitsOf(start)}}, count)
      .on({soc});
}

} // namespace

Rows kernels::statustable::rangeRows() {
  Rows rows = {
      // 2 * delta is infinite, where the core begins.
      floatRow("an infinite offset", -0x1p126f, 0x1p127f, 0x1.FFFFFEp126f,
               {VN, {bitsOf(-0x1p126f), bitsOf(0x1p126f), FloatInf}},
               {0,
                {bitsOf(-0x1p126f), bitsOf(0x1.FFFFFCp125f),
                 bitsOf(0x1.7FFFFEp127f)}},
               3),
      lastOverflows(Soc::Ascend310, -0x1.d2010ap+123f, 0x1.b0e672p+125f, 6),
      lastOverflows(Soc::Ascend310P, 0x1.16fe32p+127f, 0x1.f114e6p+122f, 16),
      lastOverflows(Soc::Ascend910A, 0x1.207612p+123f, 0x1.f5cfdcp+121f, 64),
      lastOverflows(Soc::Ascend910B, 0x1.c85dd0p+121f, 0x1.541f58p+121f, 96),
      {"Range",
       "rounding",
       {doubles(0), doubles(65521), doubles(65520)},
       {doubles(0), doubles(65521), doubles(65519.99)},
       Half,
       {CO, {0, 0x7BFF}},
       {CO, {0, 0x7C00}},
       {0, {0, 0x7BFF}}},
      {"Range",
       "too small",
       {doubles(0), doubles(0x1.8p-25), doubles(0x1p-25)},
       {doubles(0), doubles(0x1.8p-25), doubles(0x1.000002p-25)},
       Half,
       {CU, {0, 0}},
       {CU, {0, 0}},
       {0, {0, 1}}}};
  const Rows given = {{"RangeD",
                       "product",
                       {floats({2})},
                       {floats({0x1.FFFFFEp0f})},
                       Float,
                       {FO | VN, {FloatInf}},
                       {FO | VN, {FloatInf}},
                       {0, {FloatMax}}},
                      {"RangeD",
                       "integer product",
                       {ints({1 << 30})},
                       {ints({(1 << 30) - 1})},
                       Int,
                       {IO, {0x80000000}},
                       {IO, {0x80000000}},
                       {0, {0x7FFFFFFE}}}};
  for (const Row &row : given)
    rows.push_back(row.with("start", 0.0f)
                       .with("limit", Max)
                       .with("delta", row.outType == Float ? 0x1p127f : 2.0f));
  return rows;
}
