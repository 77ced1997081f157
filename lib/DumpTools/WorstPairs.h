//===- WorstPairs.h - The largest errors of a tensor -----------*- C++ -*-===//

#ifndef NPU_LIB_DUMPTOOLS_WORSTPAIRS_H
#define NPU_LIB_DUMPTOOLS_WORSTPAIRS_H

#include "npu/DumpTools/Metrics.h"

#include <vector>

namespace npu::dump {

/// The pairs of a tensor with the largest errors, the largest first.
struct WorstPairs {
  std::vector<Difference> absolute, relative;
};

/// |mine - golden|; infinite where only one is NaN, or an infinity meets
/// anything else.
double getAbsoluteError(const Difference &pair);
/// |mine / golden - 1|; none where golden is 0 and mine is not.
std::optional<double> getRelativeError(const Difference &pair);

/// Of \p count pairs the \p number ones with the largest errors that are not 0;
/// of equal errors the first.
WorstPairs findWorstPairs(const MetricsInput &mine, const MetricsInput &golden,
                          uint64_t count, size_t number);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_WORSTPAIRS_H
