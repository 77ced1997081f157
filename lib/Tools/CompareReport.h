//===- CompareReport.h - The result of compare for people --------*- C++
//-*-===//

#ifndef NPU_LIB_TOOLS_COMPAREREPORT_H
#define NPU_LIB_TOOLS_COMPAREREPORT_H

#include "ComparePlot.h"

#include "npu/DumpTools/Compare.h"

namespace npu {

/// What a report of compare says beside the rows.
struct CompareReport {
  std::string table; ///< the worst rows, the worst first
  /// Of several outputs that differ the first, by the time of its dump, and how
  /// many come after it.
  std::string firstDifference;
  std::string firstNonFinite; ///< empty where all is finite
  ComparePlot plot;
};

/// Reads the CSV file of \p summary, whatever its length a row at a time, and
/// makes the table of its \p numWorst worst rows. With a \p jsonPath, writes
/// the same rows as JSON.
Expected<CompareReport> makeCompareReport(const dump::CompareSummary &summary,
                                          size_t numWorst,
                                          const std::string &jsonPath);

} // namespace npu

#endif // NPU_LIB_TOOLS_COMPAREREPORT_H
