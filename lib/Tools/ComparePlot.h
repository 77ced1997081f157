//===- ComparePlot.h - Differences of a comparison as a picture -*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_COMPAREPLOT_H
#define NPU_LIB_TOOLS_COMPAREPLOT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace npu {

/// The largest absolute difference of each tensor, on a logarithmic axis. Takes
/// the same little memory for any number of tensors: beyond some thousands,
/// neighbours share a line that shows the largest of them.
class ComparePlot {
public:
  /// The next tensor, by cells of compare.csv: its MaxAbsoluteError ("NaN"
  /// where there is none) and its NonFinite ("2 nan, 1 inf, first nan (0,1)").
  void add(llvm::StringRef difference, llvm::StringRef nonFinite);

  /// An HTML page with the picture, \p table in plain text and \p summary.
  std::string toHtml(llvm::StringRef summary, llvm::StringRef table) const;

private:
  std::string toSvg() const;

  std::vector<double> largest; ///< by group of neighbours; 0 where all is equal
  uint64_t groupSize = 1;
  uint64_t numTensors = 0;
  double smallestDifference = 0, largestDifference = 0; ///< of those above 0
  uint64_t numWithout = 0; ///< tensors without a finite difference
  uint64_t nans = 0, positiveInfs = 0, negativeInfs = 0;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_COMPAREPLOT_H
