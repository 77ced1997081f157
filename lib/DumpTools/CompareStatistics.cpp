//===- CompareStatistics.cpp - Statistics against statistics --------------===//

#include "CompareStatistics.h"

#include "npu/Kernels/FormatTransfer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

using namespace npu;
using namespace npu::dump;
using kernels::isPlain;

using Column = StatisticsColumn;

/// Exact for all floats and 64-bit integers.
using Number = long double;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// The text of a cell that says something.
static std::optional<std::string_view> getText(const StatisticsRow &row,
                                               Column column) {
  if (const std::optional<std::string> &cell = row[column];
      cell && !cell->empty())
    return *cell;
  return std::nullopt;
}

template <typename T>
static std::optional<T> parse(std::string_view text) {
  T value{};
  auto [next, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || next != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<DataType> npu::dump::getDataType(const StatisticsRow &row) {
  return parseDataType(row[Column::DataType].value_or(""));
}

Shape npu::dump::getShape(const StatisticsRow &row) {
  Shape shape;
  std::string_view text = getText(row, Column::Shape).value_or("");
  while (!text.empty()) {
    const size_t end = std::min(text.find('x'), text.size());
    std::optional<int64_t> dim = parse<int64_t>(text.substr(0, end));
    if (!dim)
      return {};
    shape.push_back(*dim);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return shape;
}

bool npu::dump::isInput(const StatisticsRow &row) {
  return row[Column::InputOutput] == "Input";
}

std::optional<size_t> npu::dump::getIndex(const StatisticsRow &row) {
  return parse<size_t>(row[Column::Index].value_or(""));
}

static uint64_t getCount(const StatisticsRow &row, Column column) {
  return parse<uint64_t>(row[column].value_or("")).value_or(0);
}

NonFinite npu::dump::getNonFinite(const StatisticsRow &row) {
  NonFinite values;
  values.nans = getCount(row, Column::Nan);
  values.negativeInfs = getCount(row, Column::NegativeInf);
  values.positiveInfs = getCount(row, Column::PositiveInf);
  return values;
}

double npu::dump::getNumber(const StatisticsRow &row, Column column) {
  return parse<double>(row[column].value_or("")).value_or(NAN);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool isFloat(DataType dtype) {
  switch (dtype) {
  case DataType::Float:
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::Double:
  case DataType::HiFloat8:
  case DataType::Float8E5M2:
  case DataType::Float8E4M3FN:
    return true;
  default:
    return false;
  }
}

/// Whether the numbers of \p column are floats, printed with some digits.
static bool hasFloats(const StatisticsRow &row, Column column) {
  switch (column) {
  case Column::Avg:
  case Column::L2Norm:
    return true;
  case Column::Max:
  case Column::Min:
    return isFloat(getDataType(row).value_or(DataType::Float));
  default:
    return false;
  }
}

static size_t countDigits(std::string_view number) {
  size_t numDigits = 0, numZeros = 0;
  for (char c : number.substr(0, number.find_first_of("eE"))) {
    if (c < '0' || c > '9')
      continue;
    if (c == '0') {
      numZeros += numDigits != 0; // digits if others follow
    } else {
      numDigits += numZeros + 1;
      numZeros = 0;
    }
  }
  return numDigits;
}

TensorSummary npu::dump::summarize(const DumpTensor &tensor) {
  return {makeStatisticsRow(tensor, /*isInput=*/false, 0)};
}

Expected<StatisticsFile> StatisticsFile::open(const std::string &path) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  Expected<std::vector<StatisticsRow>> rows =
      parseStatistics({reinterpret_cast<const char *>(file->bytes().data()),
                       file->bytes().size()});
  if (!rows)
    return rows.takeStatus().withContext(path);
  StatisticsFile result{std::move(*rows), /*hasSixDigits=*/true};
  for (const StatisticsRow &row : result.rows) {
    if (!getIndex(row) ||
        (!::isInput(row) && row[Column::InputOutput] != "Output"))
      return Status::error(path + ": a row has '" +
                           row[Column::InputOutput].value_or("") + "' and '" +
                           row[Column::Index].value_or("") +
                           "', expected Input or Output and a number in the "
                           "columns Input/Output and Index");
    for (Column column :
         {Column::Max, Column::Min, Column::Avg, Column::L2Norm})
      if (hasFloats(row, column) && countDigits(row[column].value_or("")) > 6)
        result.hasSixDigits = false;
  }
  return result;
}

const StatisticsRow *StatisticsFile::find(bool isInput, size_t index) const {
  auto it =
      std::find_if(rows.begin(), rows.end(), [&](const StatisticsRow &row) {
        return ::isInput(row) == isInput && getIndex(row) == index;
      });
  return it == rows.end() ? nullptr : &*it;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// \p text of a cell as a number of its type: a float that is printed with too
/// many digits, as a double, is the float again.
static std::optional<Number> toNumber(const StatisticsRow &row, Column column,
                                      std::string_view text) {
  if (column < Column::Avg && hasFloats(row, column) &&
      getDataType(row) != DataType::Double)
    if (std::optional<float> value = parse<float>(text))
      return *value;
  return parse<Number>(text);
}

static bool isSame(Number x, Number y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

/// Whether \p sixDigits, of \p row, is what a device prints of \p exact.
static bool isPrintedAs(Number exact, Number sixDigits,
                        const StatisticsRow &row, Column column) {
  char text[64];
  const int length = std::snprintf(text, sizeof(text), "%.6Lg", exact);
  std::optional<Number> rounded = toNumber(
      row, column, std::string_view(text, static_cast<size_t>(length)));
  return rounded && isSame(*rounded, sixDigits);
}

static bool isSaturation(Number finite, Number infinite,
                         const StatisticsRow &row) {
  const double largest =
      getLargestFinite(getDataType(row).value_or(DataType::Undefined));
  return std::isinf(infinite) && std::isfinite(finite) &&
         std::signbit(finite) == std::signbit(infinite) &&
         (std::fabs(finite) == largest ||
          isPrintedAs(largest, std::fabs(finite), row, Column::Max));
}

namespace {

/// Compares the cells of two rows one after the other.
class RowComparison {
public:
  RowComparison(const TensorSummary &mine, const TensorSummary &golden,
                const Tolerance &tolerance)
      : mine(mine), golden(golden), tolerance(tolerance) {}

  Status compare(Column column);

  StatisticsDifference result;
  std::string differences; ///< each of them
  bool isRounded = false;  ///< two are equal only in six digits
  bool isSaturated = false;

private:
  bool isEqual(Number x, Number y, Column column);
  bool isClose(Number x, Number y, Column column) const;

  const TensorSummary &mine;
  const TensorSummary &golden;
  const Tolerance &tolerance;
};

} // namespace

bool RowComparison::isEqual(Number x, Number y, Column column) {
  if (isSame(x, y))
    return true;
  if (!hasFloats(mine.row, column) && !hasFloats(golden.row, column))
    return false;
  const bool isPrinted =
      (golden.hasSixDigits && isPrintedAs(x, y, golden.row, column)) ||
      (mine.hasSixDigits && isPrintedAs(y, x, mine.row, column));
  isRounded |= isPrinted;
  return isPrinted;
}

bool RowComparison::isClose(Number x, Number y, Column column) const {
  const bool isCount = column == Column::Count || column == Column::Nan ||
                       column == Column::NegativeInf ||
                       column == Column::PositiveInf;
  return !isCount && std::isfinite(x) && std::isfinite(y) &&
         std::fabs(x - y) <=
             tolerance.absolute + tolerance.relative * std::fabs(y);
}

Status RowComparison::compare(Column column) {
  std::optional<std::string_view> left = getText(mine.row, column);
  std::optional<std::string_view> right = getText(golden.row, column);
  if (!left || !right)
    return Status();
  std::optional<Number> x = toNumber(mine.row, column, *left);
  std::optional<Number> y = toNumber(golden.row, column, *right);
  if (!x || !y)
    return Status::error(std::string(x ? "golden" : "mine") + " has '" +
                         std::string(x ? *right : *left) + "' as " +
                         std::string(getHeader(column)) +
                         ", expected a number");
  ++result.numCompared;
  if (isEqual(*x, *y, column))
    return Status();
  const Number distance = std::isfinite(*x) && std::isfinite(*y)
                              ? std::fabs(*x - *y) / std::fabs(*y)
                              : std::numeric_limits<Number>::infinity();
  result.distance = std::max(result.distance, static_cast<double>(distance));
  if (isClose(*x, *y, column))
    return Status();
  std::string text = std::string(getHeader(column)) + " " + std::string(*left) +
                     " against " + std::string(*right);
  if (result.numDifferent++ == 0)
    result.first = text;
  differences += (differences.empty() ? "" : ", ") + std::move(text);
  isSaturated |=
      isSaturation(*x, *y, mine.row) || isSaturation(*y, *x, golden.row);
  return Status();
}

static std::string describeShapes(const StatisticsRow &mine,
                                  const StatisticsRow &golden) {
  auto text = [](const StatisticsRow &row) {
    return std::string(getText(row, Column::Shape).value_or("?")) + " " +
           std::string(getText(row, Column::Format).value_or("?"));
  };
  return text(mine) + " against " + text(golden);
}

/// The outcome where the shapes of the two sides decide it. \p note says what
/// else there is to say of them.
static std::optional<TensorComparison>
compareShapes(const StatisticsRow &mine, const StatisticsRow &golden,
              std::string &note) {
  std::optional<std::string_view> left = getText(mine, Column::Shape);
  std::optional<std::string_view> right = getText(golden, Column::Shape);
  if (!left || !right || left == right)
    return std::nullopt;
  auto isPlainRow = [](const StatisticsRow &row) {
    std::optional<FormatAndGroups> format =
        parseFormat(getText(row, Column::Format).value_or(""));
    return !format || isPlain(format->format);
  };
  const bool sameFormat =
      getText(mine, Column::Format) == getText(golden, Column::Format);
  const bool bothPlain = isPlainRow(mine) && isPlainRow(golden);
  if (!sameFormat && !bothPlain)
    return TensorComparison{Verdict::Skip, getShape(mine),
                            "layouts differ, and statistics include the "
                            "padding: " +
                                describeShapes(mine, golden)};
  if (!bothPlain ||
      getNumElements(getShape(mine)) != getNumElements(getShape(golden)))
    return TensorComparison{Verdict::Fail, getShape(mine),
                            "shapes differ: " + describeShapes(mine, golden)};
  note = "of another shape: " + describeShapes(mine, golden);
  return std::nullopt;
}

static void append(std::string &reason, const std::string &text) {
  reason += (reason.empty() ? "" : "; ") + text;
}

TensorComparison npu::dump::compareStatistics(const TensorSummary &mine,
                                              const TensorSummary &golden,
                                              const Tolerance &tolerance) {
  TensorComparison result;
  if (auto outcome = compareShapes(mine.row, golden.row, result.reason))
    return *outcome;
  result.shape = getShape(mine.row);
  if (getText(mine.row, Column::Count) == "0" &&
      getText(golden.row, Column::Count) == "0") {
    result.reason = "no elements";
    return result;
  }
  RowComparison rows(mine, golden, tolerance);
  for (size_t i = static_cast<size_t>(Column::Max); i < NumStatisticsColumns;
       ++i)
    if (Status status = rows.compare(static_cast<Column>(i)); !status) {
      result.verdict = Verdict::Error;
      result.reason = status.message();
      return result;
    }
  if (rows.result.numCompared == 0) {
    result.reason = "no statistic that both sides have";
    return result;
  }
  result.verdict =
      rows.result.numDifferent == 0 ? Verdict::Pass : Verdict::Fail;
  if (rows.result.numDifferent != 0)
    append(result.reason, "statistics differ: " + rows.differences);
  if (rows.isSaturated)
    append(result.reason, "saturation difference: an infinity against the "
                          "largest value");
  if (rows.isRounded)
    append(result.reason, "compared in the six digits that one side has");
  rows.result.mine = getNonFinite(mine.row);
  rows.result.golden = getNonFinite(golden.row);
  result.statistics = std::move(rows.result);
  return result;
}
