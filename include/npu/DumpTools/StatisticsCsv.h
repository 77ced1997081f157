//===- StatisticsCsv.h - The CSV of dump_data=stats -------------*- C++ -*-===//
//
// With dump_data=stats a device writes {name of the dump}.csv instead of the
// dump: a header and a row for each input and output. Two programs of a device
// write it, with different columns. The rules are in docs/DumpTools.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMPTOOLS_STATISTICSCSV_H
#define NPU_DUMPTOOLS_STATISTICSCSV_H

#include "npu/DumpTools/Statistics.h"

#include <array>
#include <map>
#include <span>

namespace npu::dump {

/// The columns, in the order of the writer with all of them. The values of the
/// statistics start at Max.
enum class StatisticsColumn : uint8_t {
  InputOutput,
  Index,
  DataSize,
  DataType,
  Format,
  Shape,
  Max,
  Min,
  Avg,
  Count,
  Nan,
  NegativeInf,
  PositiveInf,
  L2Norm,
};
constexpr size_t NumStatisticsColumns = 14;

/// The programs of a device that write statistics.
enum class StatisticsWriter : uint8_t {
  Aicpu, ///< always the same 13 columns, Count the elements that there are
  Kfc,   ///< a choice of statistics, Count the product of the dimensions
};

struct StatisticsFormat {
  StatisticsWriter writer = StatisticsWriter::Aicpu;
  /// "Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm";
  /// empty for the first six. The writer Aicpu has these only.
  std::vector<std::string> statistics;
  /// Print what a device prints: six digits, "-" for data types and formats
  /// that its program does not know, and no statistics of these types. Else
  /// numbers have the digits that read back as the same value.
  bool asDevice = false;
};

/// Checks the choice of statistics.
Status check(const StatisticsFormat &format);

/// A row of statistics: the text of each cell, by column.
struct StatisticsRow {
  std::array<std::optional<std::string>, NumStatisticsColumns> cells;
  /// Columns that are none of StatisticsColumn, under the name in the header.
  std::map<std::string, std::string> others;

  /// None where the file lacks the column, or there is no such statistic.
  const std::optional<std::string> &operator[](StatisticsColumn column) const {
    return cells[static_cast<size_t>(column)];
  }
  std::optional<std::string> &operator[](StatisticsColumn column) {
    return cells[static_cast<size_t>(column)];
  }
};

/// The name of \p column in the header.
std::string_view getHeader(StatisticsColumn column);

/// All cells of input or output \p index, which is \p tensor. The format says
/// how they are printed; what it chooses does not matter.
StatisticsRow makeStatisticsRow(const DumpTensor &tensor, bool isInput,
                                size_t index,
                                const StatisticsFormat &format = {});

/// The statistics of the inputs, then the outputs of \p record that a file in
/// \p format has; \p pool as for computeStatistics.
std::vector<std::optional<TensorStatistics>>
computeStatistics(const DumpRecord &record, const StatisticsFormat &format,
                  ThreadPool *pool = nullptr);

/// The CSV text for the tensors of \p record, whose data is not read any more.
/// Precondition: check(format).
std::string
writeStatistics(const DumpRecord &record,
                std::span<const std::optional<TensorStatistics>> statistics,
                const StatisticsFormat &format);
/// The same, with the statistics.
std::string writeStatistics(const DumpRecord &record,
                            const StatisticsFormat &format = {});

/// Reads the statistics of either writer and of the tools that follow them:
/// the case of column names does not matter, nor blanks in them and a last word
/// "Value" or "Count" ("l2norm", "L2 Norm Value"). Cells without a statistic
/// (empty, NA) are absent; a device's row of NA lacks its Count. Fails where
/// there is no header with Max or Min, and on a row of another length than the
/// header.
Expected<std::vector<StatisticsRow>> parseStatistics(std::string_view text);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_STATISTICSCSV_H
