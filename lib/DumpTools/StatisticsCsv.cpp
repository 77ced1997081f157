//===- StatisticsCsv.cpp - The CSV of dump_data=stats ---------------------===//

#include "npu/DumpTools/StatisticsCsv.h"

#include "npu/Dump/CsvText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

using namespace npu;
using namespace npu::dump;

using Column = StatisticsColumn;

namespace {
struct ColumnName {
  std::string_view header;
  std::string_view statistic; ///< how dump_stats calls it
};
} // namespace

// Indexed by StatisticsColumn.
static constexpr ColumnName columnNames[NumStatisticsColumns] = {
    {"Input/Output", ""},
    {"Index", ""},
    {"Data Size", ""},
    {"Data Type", ""},
    {"Format", ""},
    {"Shape", ""},
    {"Max Value", "Max"},
    {"Min Value", "Min"},
    {"Avg Value", "Avg"},
    {"Count", ""},
    {"Nan Count", "Nan"},
    {"Negative Inf Count", "Negative Inf"},
    {"Positive Inf Count", "Positive Inf"},
    {"l2norm", "L2norm"},
};

static constexpr Column descriptionColumns[] = {
    Column::InputOutput, Column::Index,  Column::DataSize,
    Column::DataType,    Column::Format, Column::Shape};

static constexpr Column defaultColumns[] = {
    Column::Max, Column::Min,         Column::Avg,        Column::Count,
    Column::Nan, Column::NegativeInf, Column::PositiveInf};

std::string_view npu::dump::getHeader(Column column) {
  return columnNames[static_cast<size_t>(column)].header;
}

static bool isChosen(const StatisticsFormat &format, Column column) {
  const ColumnName &name = columnNames[static_cast<size_t>(column)];
  return std::find(format.statistics.begin(), format.statistics.end(),
                   name.statistic) != format.statistics.end();
}

/// The columns behind Shape.
static std::vector<Column> getColumns(const StatisticsFormat &format) {
  std::vector<Column> chosen;
  for (size_t i = 0; i < NumStatisticsColumns; ++i)
    if (const auto column = static_cast<Column>(i);
        !columnNames[i].statistic.empty() && isChosen(format, column))
      chosen.push_back(column);
  const bool isDefault =
      chosen.empty() || (chosen.size() == 6 && chosen.back() != Column::L2Norm);
  if (isDefault)
    return {std::begin(defaultColumns), std::end(defaultColumns)};
  chosen.insert(chosen.begin(), Column::Count);
  return chosen;
}

Status npu::dump::check(const StatisticsFormat &format) {
  for (const std::string &statistic : format.statistics)
    if (statistic.empty() ||
        std::none_of(std::begin(columnNames), std::end(columnNames),
                     [&](const ColumnName &name) {
                       return name.statistic == statistic;
                     }))
      return Status::error("statistic '" + statistic +
                           "', expected Max, Min, Avg, Nan, Negative Inf, "
                           "Positive Inf or L2norm");
  if (format.writer == StatisticsWriter::Aicpu &&
      getColumns(format).front() == Column::Count)
    return Status::error("the writer aicpu has all statistics but L2norm, "
                         "expected the writer kfc for others");
  return Status();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// What the documents call \p format in statistics: the enumerator.
static std::string getFormatName(const DumpTensor &tensor,
                                 const StatisticsFormat &format) {
  if (format.asDevice && format.writer == StatisticsWriter::Aicpu &&
      tensor.format > Format::RESERVED)
    return "-";
  switch (tensor.format) {
  case Format::FRACTAL_DECONV_SP_STRIDE8_TRANS:
    return "FRACTAL_DECONV_SP_STRIDE8_TRANS";
  case Format::HASHTABLE_LOOKUP_LOOKUPS:
  case Format::HASHTABLE_LOOKUP_KEYS:
  case Format::HASHTABLE_LOOKUP_VALUE:
  case Format::HASHTABLE_LOOKUP_OUTPUT:
  case Format::HASHTABLE_LOOKUP_HITS:
    return "HASHTABLE_" + std::string(getName(tensor.format));
  case Format::RESERVED:
    return "RESERVED";
  case Format::DHWCN:
    if (format.asDevice && format.writer == StatisticsWriter::Kfc)
      return "DHWCH"; // its table has this misprint
    [[fallthrough]];
  default:
    return std::string(getName(tensor.format));
  }
}

/// Whether the device's program computes statistics of \p dtype.
static bool isKnownToDevice(DataType dtype, StatisticsWriter writer) {
  switch (dtype) {
  case DataType::Float:
  case DataType::Float16:
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Int32:
  case DataType::Int64:
  case DataType::UInt32:
  case DataType::UInt64:
  case DataType::Bool:
  case DataType::Double:
    return true;
  case DataType::BFloat16:
  case DataType::HiFloat8:
  case DataType::Float8E5M2:
  case DataType::Float8E4M3FN:
    return writer == StatisticsWriter::Kfc;
  default:
    return false;
  }
}

/// \p value with the digits that read back as the same value of \p dtype, or
/// with six as a C++ stream prints it.
static std::string toText(double value, DataType dtype, bool sixDigits) {
  if (std::isnan(value))
    return "nan";
  char text[32];
  if (sixDigits)
    return std::string(text, static_cast<size_t>(std::snprintf(
                                 text, sizeof(text), "%.6g", value)));
  char *end =
      dtype == DataType::Double
          ? std::to_chars(text, std::end(text), value).ptr
          : std::to_chars(text, std::end(text), static_cast<float>(value)).ptr;
  return std::string(text, end);
}

static std::string toText(const Scalar &scalar, DataType dtype,
                          bool sixDigits) {
  if (const double *value = std::get_if<double>(&scalar))
    return toText(*value, dtype, sixDigits);
  if (const int64_t *value = std::get_if<int64_t>(&scalar))
    return std::to_string(*value);
  if (const uint64_t *value = std::get_if<uint64_t>(&scalar))
    return std::to_string(*value);
  return {};
}

static std::string getCell(Column column, const TensorStatistics &statistics,
                           const DumpTensor &tensor,
                           const StatisticsFormat &format) {
  switch (column) {
  case Column::Max:
    return toText(statistics.maximum, tensor.dtype, format.asDevice);
  case Column::Min:
    return toText(statistics.minimum, tensor.dtype, format.asDevice);
  case Column::Avg: // a double, whatever the elements are
    return statistics.average
               ? toText(*statistics.average, DataType::Double, format.asDevice)
               : std::string();
  case Column::Count:
    if (format.writer == StatisticsWriter::Kfc)
      return std::to_string(getNumElements(tensor.shape));
    return std::to_string(statistics.count);
  case Column::Nan:
    return std::to_string(statistics.nans);
  case Column::NegativeInf:
    return std::to_string(statistics.negativeInfs);
  case Column::PositiveInf:
    return std::to_string(statistics.positiveInfs);
  case Column::L2Norm:
    return statistics.l2Norm
               ? toText(*statistics.l2Norm, DataType::Double, format.asDevice)
               : std::string();
  default:
    return {};
  }
}

static std::optional<TensorStatistics>
computeStatistics(const DumpTensor &tensor, const StatisticsFormat &format,
                  bool withL2Norm, ThreadPool *pool) {
  if (format.asDevice && !isKnownToDevice(tensor.dtype, format.writer))
    return std::nullopt;
  return npu::dump::computeStatistics(tensor.dtype, tensor.data, withL2Norm,
                                      pool);
}

/// The cells of a tensor with \p statistics.
static StatisticsRow makeRow(const DumpTensor &tensor, bool isInput,
                             size_t index,
                             const std::optional<TensorStatistics> &statistics,
                             const StatisticsFormat &format) {
  StatisticsRow row;
  row[Column::InputOutput] = isInput ? "Input" : "Output";
  row[Column::Index] = std::to_string(index);
  row[Column::DataSize] = std::to_string(tensor.size);
  // The table of the device's older program ends with DT_STRING_REF.
  const bool isUnnamed =
      tensor.unknownType != 0 ||
      (format.asDevice && format.writer == StatisticsWriter::Aicpu &&
       tensor.dtype > DataType::Dual);
  row[Column::DataType] = isUnnamed ? "-" : getName(tensor.dtype);
  row[Column::Format] = getFormatName(tensor, format);
  row[Column::Shape] =
      tensor.shape.empty() ? std::string("-") : npu::toString(tensor.shape);
  if (statistics)
    for (size_t i = static_cast<size_t>(Column::Max); i < NumStatisticsColumns;
         ++i)
      row.cells[i] =
          getCell(static_cast<Column>(i), *statistics, tensor, format);
  return row;
}

StatisticsRow npu::dump::makeStatisticsRow(const DumpTensor &tensor,
                                           bool isInput, size_t index,
                                           const StatisticsFormat &format) {
  return makeRow(tensor, isInput, index,
                 ::computeStatistics(tensor, format, /*withL2Norm=*/true,
                                     /*pool=*/nullptr),
                 format);
}

std::vector<std::optional<TensorStatistics>>
npu::dump::computeStatistics(const DumpRecord &record,
                             const StatisticsFormat &format, ThreadPool *pool) {
  const bool withL2Norm = getColumns(format).back() == Column::L2Norm;
  std::vector<std::optional<TensorStatistics>> statistics;
  for (const auto *tensors : {&record.inputs, &record.outputs})
    for (const DumpTensor &tensor : *tensors)
      statistics.push_back(
          ::computeStatistics(tensor, format, withL2Norm, pool));
  return statistics;
}

std::string npu::dump::writeStatistics(const DumpRecord &record,
                                       const StatisticsFormat &format) {
  return writeStatistics(record, computeStatistics(record, format), format);
}

std::string npu::dump::writeStatistics(
    const DumpRecord &record,
    std::span<const std::optional<TensorStatistics>> statistics,
    const StatisticsFormat &format) {
  const std::vector<Column> columns = getColumns(format);
  std::string text;
  for (Column column : descriptionColumns)
    text += (text.empty() ? "" : ",") + std::string(getHeader(column));
  for (Column column : columns)
    text += "," + std::string(getHeader(column));
  text += "\n";

  auto addRow = [&](const DumpTensor &tensor, bool isInput, size_t index) {
    const StatisticsRow row =
        makeRow(tensor, isInput, index, statistics.front(), format);
    statistics = statistics.subspan(1);
    for (Column column : descriptionColumns)
      text += (column == Column::InputOutput ? "" : ",") + *row[column];
    for (Column column : columns) {
      if (row[column])
        text += "," + *row[column];
      else if (!format.asDevice || format.writer == StatisticsWriter::Aicpu)
        text += ",";
      else if (column != Column::Count) // such rows lack it on the device
        text += ",NA";
      else if (columns.front() != Column::Count)
        text += "," + std::to_string(getNumElements(tensor.shape));
    }
    text += "\n";
  };
  for (size_t i = 0; i < record.inputs.size(); ++i)
    addRow(record.inputs[i], /*isInput=*/true, i);
  for (size_t i = 0; i < record.outputs.size(); ++i)
    addRow(record.outputs[i], /*isInput=*/false, i);
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What is left of a column name where spelling does not matter.
static std::string normalize(std::string_view name) {
  std::string key;
  for (char c : name)
    if (c != ' ' && c != '_')
      key += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (std::string_view suffix : {"value", "count"})
    if (key.size() > suffix.size() && key.ends_with(suffix))
      key.resize(key.size() - suffix.size());
  return key;
}

static std::optional<Column> findColumn(std::string_view name) {
  const std::string key = normalize(name);
  for (size_t i = 0; i < NumStatisticsColumns; ++i)
    if (normalize(columnNames[i].header) == key)
      return static_cast<Column>(i);
  return std::nullopt;
}

/// Whether \p cell says that there is no such statistic.
static bool isAbsent(Column column, std::string_view cell) {
  return column >= Column::Max && (cell.empty() || cell == "NA");
}

/// The device leaves the Count out of rows without statistics: gives \p cells
/// an empty one.
static void restoreCount(std::span<const std::optional<Column>> columns,
                         std::vector<std::string> &cells) {
  const auto count = std::find(columns.begin(), columns.end(), Column::Count);
  if (count == columns.end() || cells.size() + 1 != columns.size())
    return;
  const auto at = cells.begin() + (count - columns.begin());
  if (at != cells.end() && std::all_of(at, cells.end(), [](const auto &cell) {
        return cell == "NA";
      }))
    cells.insert(at, std::string());
}

Expected<std::vector<StatisticsRow>>
npu::dump::parseStatistics(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  std::vector<std::string> header;
  if (!takeCsvRow(text, header))
    return Status::error("no statistics: the file is empty");
  std::vector<std::optional<Column>> columns;
  for (const std::string &name : header)
    columns.push_back(findColumn(name));
  auto has = [&](Column column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (!has(Column::Max) && !has(Column::Min))
    return Status::error(
        "no statistics: the header has neither 'Max Value' nor 'Min Value'");

  std::vector<StatisticsRow> rows;
  std::vector<std::string> cells;
  while (takeCsvRow(text, cells)) {
    restoreCount(columns, cells);
    if (cells.size() != header.size())
      return Status::error("row " + std::to_string(rows.size() + 1) + " has " +
                           std::to_string(cells.size()) +
                           " cells, expected the " +
                           std::to_string(header.size()) + " of the header");
    StatisticsRow &row = rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!columns[i])
        row.others.emplace(header[i], cells[i]);
      else if (!isAbsent(*columns[i], cells[i]))
        row[*columns[i]] = cells[i];
    }
  }
  return rows;
}
