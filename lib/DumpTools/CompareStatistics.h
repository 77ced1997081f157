//===- CompareStatistics.h - Statistics against statistics -------*- C++
//-*-===//

#ifndef NPU_LIB_DUMPTOOLS_COMPARESTATISTICS_H
#define NPU_LIB_DUMPTOOLS_COMPARESTATISTICS_H

#include "CompareTensors.h"

#include "npu/DumpTools/StatisticsCsv.h"

namespace npu::dump {

/// The statistics of a tensor.
struct TensorSummary {
  StatisticsRow row;
  /// Floats have at most six digits, as a device prints them, so that they
  /// stand for all values that round to them.
  bool hasSixDigits = false;
};

/// The statistics of \p tensor, exactly.
TensorSummary summarize(const DumpTensor &tensor);

/// The statistics of the tensors of an operator.
struct StatisticsFile {
  std::vector<StatisticsRow> rows;
  bool hasSixDigits = false; ///< all floats of the file

  static Expected<StatisticsFile> open(const std::string &path);

  /// The row of input or output \p index; null where there is none.
  const StatisticsRow *find(bool isInput, size_t index) const;
};

/// What the cells of \p row say; none where they say nothing.
std::optional<DataType> getDataType(const StatisticsRow &row);
Shape getShape(const StatisticsRow &row); ///< empty for a scalar too
bool isInput(const StatisticsRow &row);
std::optional<size_t> getIndex(const StatisticsRow &row);
NonFinite getNonFinite(const StatisticsRow &row);
/// The cell as a number; NaN where there is none.
double getNumber(const StatisticsRow &row, StatisticsColumn column);

/// Compares those statistics that both sides have. Maximum, minimum, mean and
/// norm may differ by the tolerance, counts may not. Statistics of different
/// layouts are not compared, as they include the padding.
TensorComparison compareStatistics(const TensorSummary &mine,
                                   const TensorSummary &golden,
                                   const Tolerance &tolerance);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_COMPARESTATISTICS_H
