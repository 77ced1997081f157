//===- Statistics.h - Statistics of tensors ---------------------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_STATISTICS_H
#define NPU_DUMPTOOLS_STATISTICS_H

#include "npu/Dump/Info.h"
#include "npu/Support/ThreadPool.h"

namespace npu::dump {

/// What dump_data=stats writes of a tensor.
struct TensorStatistics {
  uint64_t count = 0;
  /// The extremes as the device finds them: infinities count, NaNs do not,
  /// unless the first element is one, which makes both NaN. None where there
  /// are no elements.
  Scalar maximum;
  Scalar minimum;
  /// The mean of all elements, rounded once for float16 and integers. With
  /// infinities of one sign it is that infinity, NaNs or not; with both signs,
  /// or NaNs alone, NaN. None where there are no elements.
  std::optional<double> average;
  uint64_t nans = 0;
  uint64_t negativeInfs = 0;
  uint64_t positiveInfs = 0;
  /// None where it was not asked for.
  std::optional<double> l2Norm;
};

/// The statistics of \p data, elements of \p dtype, in one pass. None for types
/// without numbers: strings, resources, complex and float6. Bytes that do not
/// fill an element are left out. Without \p withL2Norm that one may be missing,
/// which is quicker. The same bits on every processor and for any number of
/// threads; those of \p pool take part where there is one.
std::optional<TensorStatistics> computeStatistics(DataType dtype, ByteView data,
                                                  bool withL2Norm = true,
                                                  ThreadPool *pool = nullptr);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_STATISTICS_H
