//===- CompareDetail.h - The largest errors of a tensor, as files -*- C++ -*-=//

#ifndef NPU_LIB_DUMPTOOLS_COMPAREDETAIL_H
#define NPU_LIB_DUMPTOOLS_COMPAREDETAIL_H

#include "CompareRow.h"

namespace npu::dump {

/// Writes the worst pairs of \p row, the \p occurrence-th dump of its operator
/// in
/// \p dataIndex, as {op}_{io}_{index}_{absolute|relative}_error_topn.csv.
Status writeDetail(const CompareRow &row, const std::string &dataIndex,
                   size_t occurrence, const CompareOptions &options);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_COMPAREDETAIL_H
