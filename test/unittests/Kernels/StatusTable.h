//===- StatusTable.h - Inputs at the edge of a status bit -------*- C++ -*-===//
//
// One row for one status bit of one operator on one way that it computes: the
// smallest input that raises the bit, and its neighbour that does not. What is
// expected is written down, not computed.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_STATUSTABLE_H
#define NPU_TEST_UNITTESTS_KERNELS_STATUSTABLE_H

#include "npu/Kernels/Attributes.h"
#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/TensorDesc.h"

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace npu::kernels::statustable {

// Short, for rows.
constexpr StatusBits NM = status::NegateMinimum;
constexpr StatusBits IO = status::IntegerOverflow;
constexpr StatusBits FO = status::FloatOverflow;
constexpr StatusBits FU = status::FloatUnderflow;
constexpr StatusBits NU = status::NegativeToUnsigned;
constexpr StatusBits CO = status::CastOverflow;
constexpr StatusBits CU = status::CastUnderflow;
constexpr StatusBits QO = status::CubeOverflow;
constexpr StatusBits VN = status::VectorNanInfInput;
constexpr StatusBits QN = status::CubeNanInfInput;

constexpr DataType Half = DataType::Float16, Float = DataType::Float,
                   Brain = DataType::BFloat16, Int = DataType::Int32,
                   Long = DataType::Int64;
constexpr float Max = std::numeric_limits<float>::max();
constexpr uint64_t FloatMax = 0x7F7FFFFF, FloatInf = 0x7F800000,
                   FloatOne = 0x3F800000;

/// The bits of elements, in the order of the logical tensor.
using Elements = std::vector<uint64_t>;

/// A tensor as one axis of elements, unless shape or format say otherwise.
struct Operand {
  DataType dtype = DataType::Undefined;
  Elements bits;
  Shape shape = {};
  Format format = Format::ND;

  Operand shaped(Shape to, Format as = Format::ND) const {
    return {dtype, bits, std::move(to), as};
  }
};

inline Operand half(Elements bits) {
  return {DataType::Float16, std::move(bits)};
}
inline Operand brain(Elements bits) {
  return {DataType::BFloat16, std::move(bits)};
}
inline uint64_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline Operand floats(const std::vector<float> &values) {
  Operand result{DataType::Float, {}};
  for (float value : values)
    result.bits.push_back(bitsOf(value));
  return result;
}
inline Operand ints(const std::vector<int32_t> &values) {
  Operand result{DataType::Int32, {}};
  for (int32_t value : values)
    result.bits.push_back(static_cast<uint32_t>(value));
  return result;
}
inline Operand longs(const std::vector<int64_t> &values) {
  Operand result{DataType::Int64, {}};
  for (int64_t value : values)
    result.bits.push_back(static_cast<uint64_t>(value));
  return result;
}

/// 0, 0.5 or 1 as fp16 or fp32.
inline Operand constant(DataType dtype, float value) {
  if (dtype == DataType::Float)
    return floats({value});
  return half({value == 0 ? 0u : value == 1 ? 0x3C00u : 0x3800u});
}

/// The status, and the first elements of the output.
struct Outcome {
  StatusBits bits = status::None;
  Elements out;
};

struct Row {
  std::string type;
  std::string what;
  std::vector<Operand> raising;
  std::vector<Operand> calm; ///< the neighbour; empty when there is none
  DataType outType = DataType::Undefined;
  Outcome saturate = {}, infNan = {}; ///< of raising
  Outcome ofCalm = {};                ///< the same in both modes
  Attributes attrs = {};
  std::vector<Soc> socs = {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A,
                           Soc::Ascend910B};
  /// Of the output; that of the first operand unless given.
  Shape outShape = {};
  Format outFormat = Format::ND;
  /// Behind the first, whose elements are not looked at.
  std::vector<std::pair<DataType, Shape>> moreOutputs = {};
  std::optional<Attributes> calmAttrs = {}; ///< unless they are attrs

  Row with(const std::string &name, AttributeValue value) const {
    Row row = *this;
    row.attrs.set(name, std::move(value));
    return row;
  }
  /// The neighbour has another value of the attribute.
  Row calmWith(const std::string &name, AttributeValue value) const {
    Row row = *this;
    row.calmAttrs = row.attrs;
    row.calmAttrs->set(name, std::move(value));
    return row;
  }
  Row on(std::vector<Soc> which) const {
    Row row = *this;
    row.socs = std::move(which);
    return row;
  }
  Row into(Shape shape, Format format = Format::ND) const {
    Row row = *this;
    row.outShape = std::move(shape);
    row.outFormat = format;
    return row;
  }
  Row besides(DataType type, Shape shape) const {
    Row row = *this;
    row.moreOutputs.push_back({type, std::move(shape)});
    return row;
  }
};

using Rows = std::vector<Row>;

inline void append(Rows &rows, const Rows &more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

/// Rows that hold of several operators, as those of \p type.
inline Rows ofType(const std::string &type, Rows rows) {
  for (Row &row : rows)
    row.type = type;
  return rows;
}

inline const std::vector<Soc> on310 = {Soc::Ascend310};
inline const std::vector<Soc> notOn310 = {Soc::Ascend310P, Soc::Ascend910A,
                                          Soc::Ascend910B};

/// Casts around an instruction that leaves its first operand as it is when the
/// others are \p neutral: fp32 operands, fp16 result.
Rows castRows(const std::string &type, const std::vector<Operand> &neutral,
              bool overflows = true);
Rows sumRows(const std::string &type, bool negated, bool wide);
Rows productRows(const std::string &type);

Rows arithmeticRows();       ///< sums, products, quotients, exact operators
Rows quotientAndPowerRows(); ///< fp32 division, powers, logarithms
Rows activationRows();
Rows geluRows();
Rows gradientRows(); ///< by element
Rows mathRows();
Rows functionRows(); ///< roots, exponentials, chains of instructions
Rows conversionRows();
Rows rangeRows();
Rows responseRows();     ///< LRN
Rows lineRows();         ///< reductions, softmax
Rows orderRows();        ///< products and running sums of lines
Rows lineGradientRows(); ///< gradients along lines, sums of squares
Rows windowRows();       ///< pooling
Rows cubeRows();
Rows normRows();    ///< normalisations, sums by segment
Rows entropyRows(); ///< of softmax and labels
Rows batchNormRows();
Rows optimizerRows();
Rows trainingRows(); ///< masks, gradients of poolings
Rows quantizationRows();
Rows indexingRows();
Rows movementRows(); ///< copies and comparisons

/// The rows of all of them.
const Rows &allRows();

} // namespace npu::kernels::statustable

#endif // NPU_TEST_UNITTESTS_KERNELS_STATUSTABLE_H
