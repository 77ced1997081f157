//===- CompareRow.h - A row of the result of compare -------------*- C++
//-*-===//

#ifndef NPU_LIB_DUMPTOOLS_COMPAREROW_H
#define NPU_LIB_DUMPTOOLS_COMPAREROW_H

#include "CompareTensors.h"

namespace npu::dump {

/// A pair of tensors and what came out.
struct CompareRow {
  std::string opType;
  std::string opName;
  std::string mineName; ///< of the dump file
  std::string goldenName;
  std::string mineType, goldenType; ///< of data; empty for none
  Shape mineShape;                  ///< in the dump
  /// None for statistics, golden none for an array either.
  std::optional<uint64_t> mineAddress, goldenAddress;
  bool isInput = false;
  size_t index = 0;
  /// Whether float16 was searched for values from 65504 on, and had any.
  std::optional<bool> overflow;
  /// Of the operator's inputs, where this output is the first evil.
  std::string inputRanges;
  TensorComparison result;
};

/// The first line of the CSV file.
std::string getCompareHeader(const CompareOptions &options, bool hasArrays);

/// The line for \p row, the \p number-th.
std::string toCsv(const CompareRow &row, uint64_t number,
                  const CompareOptions &options, bool hasArrays);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_COMPAREROW_H
