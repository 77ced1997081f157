//===- StatusTableBatchNorm.cpp - Rows of batch normalisation -------------===//
//
// One channel of two values. Mean and variance are 0 and 1 unless given,
// epsilon is 0.
//
//===----------------------------------------------------------------------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

namespace {

/// \p rows of operands that vary, as rows of \p type: \p fill makes the
/// operands, of which the first \p lines are the channel; the result is a
/// channel if \p givesChannel, and \p values further outputs are one value.
template <typename Fill>
Rows ofChannel(const std::string &type, Rows rows, size_t lines,
               bool givesChannel, unsigned values, const Fill &fill) {
  for (Row &row : rows) {
    row.type = type;
    for (auto *side : {&row.raising, &row.calm})
      if (!side->empty()) {
        *side = fill(*side);
        for (size_t i = 0; i < lines; ++i)
          (*side)[i] = (*side)[i].shaped({2, 1});
      }
    row = row.into(givesChannel ? Shape{2, 1} : Shape{1});
    for (unsigned i = 0; i < values; ++i)
      row = row.besides(Float, {1});
    if (!row.attrs.has("epsilon"))
      row = row.with("epsilon", 0.0f);
  }
  return rows;
}

using Operands = std::vector<Operand>;

const Operand none = floats({0}), one = floats({1});

Operand zerosLike(const Operand &operand) {
  return {operand.dtype, Elements(operand.bits.size())};
}

Rows sumRows() {
  // x -> sum, square_sum
  const Rows sums = {{"",
                      "fp32 sum",
                      {floats({Max, 0x1p103f})},
                      {floats({0x1.FFFFFEp63f, 0})},
                      Float,
                      {FO | VN, {FloatInf}},
                      {FO | VN, {FloatInf}},
                      {0, {0x5F7FFFFF}}},
                     {"",
                      "fp32 square",
                      {floats({0x1p64f, 0})},
                      {floats({0x1.FFFFFEp63f, 0})},
                      Float,
                      {FO | VN, {0x5F800000}},
                      {FO | VN, {0x5F800000}},
                      {0, {0x5F7FFFFF}}},
                     {"",
                      "an infinite operand",
                      {half({0x7C00, 0})},
                      {half({0x7BFF, 0})},
                      Float,
                      {VN, {FloatInf}},
                      {VN, {FloatInf}},
                      {0, {0x477FE000}}},
                     {"",
                      "sum to fp16",
                      {half({0x7BFF, 0x4C00})},
                      {half({0x7BFF, 0x4BFF})},
                      Half,
                      {CO, {0x7BFF}},
                      {CO, {0x7C00}},
                      {0, {0x7BFF}}},
                     {"",
                      "sum to fp16, too small",
                      {floats({0x1p-25f, 0})},
                      {floats({0x1.000002p-25f, 0})},
                      Half,
                      {CU, {0}},
                      {CU, {0}},
                      {0, {0x0001}}}};
  // grads, x, variance -> diff_scale, diff_offset
  const Rows gradients = {
      {"",
       "fp32 sum of products",
       {floats({Max, 0x1p103f}), floats({1, 1}), floats({1})},
       {floats({Max, 0x1.FFFFFEp102f}), floats({1, 1}), floats({1})},
       Float,
       {FO, {FloatInf}},
       {FO, {FloatInf}},
       {0, {FloatMax}}},
      {"",
       "fp32 product",
       {floats({0x1p64f, 0}), floats({0x1p64f, 0}), floats({1})},
       {floats({0x1.FFFFFEp63f, 0}), floats({0x1p64f, 0}), floats({1})},
       Float,
       {FO | VN, {FloatInf}},
       {FO | VN, {FloatInf}},
       {0, {FloatMax}}},
      {"",
       "1 / sqrt(0)",
       {half({0x3C00, 0}), half({0x3C00, 0}), floats({0})},
       {half({0x3C00, 0}), half({0x3C00, 0}), floats({1})},
       Float,
       {FO | VN, {0x7FC00000}},
       {FO | VN, {0x7FC00000}},
       {0, {FloatOne}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), half({0x3C00, 0}), floats({1})},
       {half({0x7BFF, 0}), half({0x3C00, 0}), floats({1})},
       Float,
       {VN, {FloatInf}},
       {VN, {FloatInf}},
       {0, {0x477FE000}}},
      {"",
       "sum to fp16",
       {half({0x7BFF, 0x4C00}), half({0x3C00, 0x3C00}), floats({1})},
       {half({0x7BFF, 0x4BFF}), half({0x3C00, 0x3C00}), floats({1})},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"",
       "sum to fp16, too small",
       {half({0x0001, 0}), half({0x3800, 0}), floats({1})},
       {half({0x0001, 0}), half({0x3801, 0}), floats({1})},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {0x0001}}}};
  Rows rows = ofChannel("BNTrainingReduce", sums, 1, false, 1,
                        [](const Operands &o) { return o; });
  append(rows, ofChannel("BNTrainingUpdateGrad", gradients, 2, false, 1,
                         [](const Operands &o) {
                           return Operands{o[0], o[1], none, o[2]};
                         }));
  return rows;
}

Rows forwardRows() {
  // x, square_sum (2 for a variance of 1), scale, offset
  const Rows updates = {
      {"",
       "rounding of y",
       {half({0x7BFF, 0}), floats({2}), floats({1}), floats({16})},
       {half({0x7BFF, 0}), floats({2}), floats({1}), floats({0x1.FFEp3f})},
       Half,
       {CO, {0x7BFF, 0x4C00}},
       {CO, {0x7C00, 0x4C00}},
       {0, {0x7BFF, 0x4C00}}},
      {"",
       "rounding of y, too small",
       {half({0x0001, 0}), floats({2}), floats({0.5f}), floats({0})},
       {half({0x0001, 0}), floats({2}), floats({0x1.000002p-1f}), floats({0})},
       Half,
       {CU, {0, 0}},
       {CU, {0, 0}},
       {0, {0x0001, 0}}},
      {"",
       "fp32 product",
       {floats({Max, 0}), floats({2}), floats({0x1.000002p0f}), floats({0})},
       {floats({Max, 0}), floats({2}), floats({1}), floats({0})},
       Float,
       {FO | VN, {FloatInf, 0}},
       {FO | VN, {FloatInf, 0}},
       {0, {FloatMax, 0}}},
      {"",
       "1 / sqrt(0)",
       {half({0x3C00, 0}), floats({0}), floats({1}), floats({0})},
       {half({0x3C00, 0}), floats({2}), floats({1}), floats({0})},
       Half,
       {FO | VN, {0, 0}},
       {FO | VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), floats({2}), floats({1}), floats({0})},
       {half({0x7BFF, 0}), floats({2}), floats({1}), floats({0})},
       Half,
       {VN, {0x7BFF, 0}},
       {VN, {0x7C00, 0}},
       {0, {0x7BFF, 0}}}};
  auto fill = [](const Operands &o) {
    return Operands{o[0], none, o[1], o[2], o[3]};
  };
  Rows rows;
  for (const Row &row : ofChannel(
           "BNTrainingUpdate", updates, 1, true, 4, [](const Operands &o) {
             return Operands{o[0], none, o[1], o[2], o[3], none, none};
           }))
    rows.push_back(row.with("factor", 0.5f));
  append(rows, ofChannel("BNTrainingUpdateV2", updates, 1, true, 2, fill));
  append(rows, ofChannel("BNTrainingUpdateV3", updates, 1, true, 4, fill));

  // x, scale, offset, variance
  Rows inference = {
      {"",
       "rounding of y",
       {half({0x7BFF, 0}), floats({1}), floats({16}), floats({1})},
       {half({0x7BFF, 0}), floats({1}), floats({0x1.FFEp3f}), floats({1})},
       Half,
       {CO, {0x7BFF, 0x4C00}},
       {CO, {0x7C00, 0x4C00}},
       {0, {0x7BFF, 0x4C00}}},
      {"",
       "rounding of y, too small",
       {half({0x0001, 0}), floats({0.5f}), floats({0}), floats({1})},
       {half({0x0001, 0}), floats({0x1.000002p-1f}), floats({0}), floats({1})},
       Half,
       {CU, {0, 0}},
       {CU, {0, 0}},
       {0, {0x0001, 0}}},
      {"",
       "fp32 product",
       {floats({Max, 0}), floats({0x1.000002p0f}), floats({0}), floats({1})},
       {floats({Max, 0}), floats({1}), floats({0}), floats({1})},
       Float,
       {FO | VN, {FloatInf, 0}},
       {FO | VN, {FloatInf, 0}},
       {0, {FloatMax, 0}}},
      {"",
       "1 / sqrt(0)",
       {half({0x3C00, 0}), floats({1}), floats({0}), floats({0})},
       {half({0x3C00, 0}), floats({1}), floats({0}), floats({1})},
       Half,
       {FO | VN, {0, 0}},
       {FO | VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), floats({1}), floats({0}), floats({1})},
       {half({0x7BFF, 0}), floats({1}), floats({0}), floats({1})},
       Half,
       {VN, {0x7BFF, 0}},
       {VN, {0x7C00, 0}},
       {0, {0x7BFF, 0}}}};
  // 2^127 + 2^127; the result is 0 and does not show it.
  const Row variance = // 2^127 + 2^127; the result is 0 and does not show it.
      {"",
       "variance + epsilon",
       {floats({0x1p64f, 0}), floats({1}), floats({0}), floats({0x1p127f})},
       {floats({0x1p64f, 0}), floats({1}), floats({0}),
        floats({0x1.FFFFFCp126f})},
       Float,
       {FO | VN, {0, 0}},
       {FO | VN, {0, 0}},
       {0, {0x3F800001, 0}}};
  inference.push_back(variance.with("epsilon", 0x1p127f));
  append(rows,
         ofChannel("BNInfer", inference, 1, true, 0, [](const Operands &o) {
           return Operands{o[0], o[1], o[2], none, o[3]};
         }));

  const Rows training = {
      // x; scale, offset: mean 0, variance 1
      {"",
       "rounding of y",
       {half({0x3C00, 0xBC00}), floats({65504}), floats({16})},
       {half({0x3C00, 0xBC00}), floats({65504}), floats({0x1.FFEp3f})},
       Half,
       {CO, {0x7BFF, 0xFBFE}},
       {CO, {0x7C00, 0xFBFE}},
       {0, {0x7BFF, 0xFBFF}}},
      {"",
       "rounding of y, too small",
       {half({0x3C00, 0xBC00}), floats({0x1p-25f}), floats({0})},
       {half({0x3C00, 0xBC00}), floats({0x1.000002p-25f}), floats({0})},
       Half,
       {CU, {0, 0x8000}},
       {CU, {0, 0x8000}},
       {0, {0x0001, 0x8001}}},
      {"",
       "fp32 square",
       {floats({0x1p64f, 0}), floats({1}), floats({0})},
       {floats({0x1.FFFFFEp63f, 0}), floats({1}), floats({0})},
       Float,
       {FO | VN, {0, 0}},
       {FO | VN, {0, 0}},
       {0, {FloatOne, 0xBF800000}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), floats({1}), floats({0})},
       {half({0x7BFF, 0}), floats({1}), floats({0})},
       Half,
       {VN, {0, 0}},
       {VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0xBC00}}}};
  append(rows, ofChannel("BatchNorm", training, 1, true, 5,
                         [](const Operands &o) { return o; }));
  return rows;
}

Rows backwardRows() {
  // grads, diff_offset, scale, variance; x is its mean
  const Rows reduced = {
      // dy + 32 / 2
      {"",
       "rounding of y",
       {half({0x7BFF, 0}), floats({-32}), floats({1}), floats({1})},
       {half({0x7BFF, 0}), floats({-0x1.FFEp4f}), floats({1}), floats({1})},
       Half,
       {CO, {0x7BFF, 0x4C00}},
       {CO, {0x7C00, 0x4C00}},
       {0, {0x7BFF, 0x4C00}}},
      {"",
       "rounding of y, too small",
       {half({0x0001, 0}), floats({0}), floats({0.5f}), floats({1})},
       {half({0x0001, 0}), floats({0}), floats({0x1.000002p-1f}), floats({1})},
       Half,
       {CU, {0, 0}},
       {CU, {0, 0}},
       {0, {0x0001, 0}}},
      {"",
       "fp32 product",
       {floats({Max, 0}), floats({0}), floats({0x1.000002p0f}), floats({1})},
       {floats({Max, 0}), floats({0}), floats({1}), floats({1})},
       Float,
       {FO, {FloatInf, 0}},
       {FO, {FloatInf, 0}},
       {0, {FloatMax, 0}}},
      {"",
       "1 / sqrt(0)",
       {half({0x3C00, 0}), floats({0}), floats({1}), floats({0})},
       {half({0x3C00, 0}), floats({0}), floats({1}), floats({1})},
       Half,
       {FO | VN, {0, 0}},
       {FO | VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), floats({0}), floats({1}), floats({1})},
       {half({0x7BFF, 0}), floats({0}), floats({1}), floats({1})},
       Half,
       {VN, {0x7BFF, 0}},
       {VN, {0x7C00, 0}},
       {0, {0x7BFF, 0}}}};
  Rows rows = ofChannel(
      "BNTrainingReduceGrad", reduced, 2, true, 0, [](const Operands &o) {
        return Operands{o[0], zerosLike(o[0]), none, o[1], o[2], none, o[3]};
      });
  // dy, scale, variance; x is its mean
  const Rows whole = {
      // dy, x; scale, mean, variance
      {"",
       "rounding of x_backprop",
       {half({0x7800, 0xF800}), floats({2}), floats({1})},
       {half({0x77FF, 0xF7FF}), floats({2}), floats({1})},
       Half,
       {CO, {0x7BFF, 0xFBFF}},
       {CO, {0x7C00, 0xFC00}},
       {0, {0x7BFF, 0xFBFF}}},
      {"",
       "rounding, too small",
       {half({0x0001, 0x8001}), floats({0.5f}), floats({1})},
       {half({0x0001, 0x8001}), floats({0x1.000002p-1f}), floats({1})},
       Half,
       {CU, {0, 0x8000}},
       {CU, {0, 0x8000}},
       {0, {0x0001, 0x8001}}},
      {"",
       "fp32 sum",
       {floats({Max, 0x1p103f}), floats({1}), floats({1})},
       {floats({Max, 0x1.FFFFFEp102f}), floats({1}), floats({1})},
       Float,
       {FO | VN, {0xFF800000, 0xFF800000}},
       {FO | VN, {0xFF800000, 0xFF800000}},
       {0, {0x7EFFFFFF, 0xFEFFFFFE}}},
      {"",
       "1 / sqrt(0)",
       {half({0x3C00, 0xBC00}), floats({1}), floats({0})},
       {half({0x3C00, 0xBC00}), floats({1}), floats({1})},
       Half,
       {FO | VN, {0, 0}},
       {FO | VN, {0x7E00, 0x7E00}},
       {0, {0x3C00, 0xBC00}}},
      {"",
       "an infinite operand",
       {half({0x7C00, 0}), floats({1}), floats({1})},
       {half({0x7BFF, 0}), floats({1}), floats({1})},
       Half,
       {VN, {0, 0}},
       {VN, {0x7E00, 0x7E00}},
       {0, {0x77FF, 0xF7FF}}}};
  append(rows,
         ofChannel("BatchNormGrad", whole, 2, true, 4, [](const Operands &o) {
           return Operands{o[0], zerosLike(o[0]), o[1], none, o[2]};
         }));
  return rows;
}

/// The rows of BNInferenceD, of statistics that are not prepared.
Rows inferenceRows() {
  Rows rows;
  for (Row row : mathRows()) {
    if (row.type != "BNInferenceD")
      continue;
    row.type = "BNInference";
    for (auto *side : {&row.raising, &row.calm}) {
      (*side)[1].bits[0] ^= 0x8000;
      uint64_t &root = (*side)[2].bits[0]; // 1, 0.5, 0.5005
      root = root == 0x3C00 ? 0x3C00 : root == 0x3800 ? 0x4400 : 0x43FC;
      side->insert(side->begin() + 3, half({0x3C00}));
    }
    rows.push_back(row.with("epsilon", 0.0f));
  }
  return rows;
}

} // namespace

/// InstanceNormV2 of one element: with statistics of 0 and 1 x * gamma + beta,
/// without 0 unless a square is infinite.
static Rows instanceRows() {
  const Operand zero = floats({0}), one = floats({1});
  Rows rows = {{"",
                "rounding",
                {half({0x7BFF}), one, floats({16}), zero, one},
                {half({0x7BFF}), one, floats({0x1.FFEp3f}), zero, one},
                Half,
                {CO, {0x7BFF}},
                {CO, {0x7C00}},
                {0, {0x7BFF}}},
               {"",
                "too small",
                {half({1}), floats({0.5f}), zero, zero, one},
                {half({1}), floats({0x1.000002p-1f}), zero, zero, one},
                Half,
                {CU, {0}},
                {CU, {0}},
                {0, {1}}},
               {"",
                "square",
                {floats({0x1p64f})},
                {floats({0x1.FFFFFEp63f})},
                Float,
                {FO | VN, {0x7FC00000}},
                {FO | VN, {0x7FC00000}},
                {0, {0}}}};
  for (Row &row : rows) {
    row.type = "InstanceNormV2";
    row = row.with("is_training", row.outType == Float)
              .with("epsilon", row.outType == Float ? 1.0f : 0.0f)
              .into({1, 1, 1, 1}, Format::NCHW)
              .besides(Float, {1})
              .besides(Float, {1});
    for (auto *side : {&row.raising, &row.calm})
      (*side)[0] = (*side)[0].shaped({1, 1, 1, 1}, Format::NCHW);
  }
  return rows;
}

Rows kernels::statustable::batchNormRows() {
  Rows rows = ::sumRows();
  append(rows, inferenceRows());
  append(rows, forwardRows());
  append(rows, backwardRows());
  append(rows, instanceRows());
  return rows;
}
