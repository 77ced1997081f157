//===- CompareTensors.h - One tensor against another -----------*- C++ -*-===//

#ifndef NPU_LIB_DUMPTOOLS_COMPARETENSORS_H
#define NPU_LIB_DUMPTOOLS_COMPARETENSORS_H

#include "WorstPairs.h"

#include "npu/Dump/DumpFile.h"
#include "npu/DumpTools/Compare.h"

namespace npu::dump {

/// What came out for a pair of tensors of which one has only statistics.
struct StatisticsDifference {
  unsigned numCompared = 0; ///< statistics that both sides have
  unsigned numDifferent = 0;
  /// The largest |mine - golden| / |golden| of all, in or out of the tolerance.
  double distance = 0;
  std::string first; ///< the first that differs: "Max Value 2 against 3"
  NonFinite mine, golden;
};

/// What came out for a pair of tensors.
struct TensorComparison {
  Verdict verdict = Verdict::Skip;
  /// The logical shape that indices count in.
  Shape shape;
  std::string reason; ///< of a verdict that is no PASS; a note otherwise
  std::optional<Metrics> metrics{};
  std::optional<StatisticsDifference> statistics{}; ///< instead of metrics
  WorstPairs worst{};                               ///< where they are wanted

  /// Whether mine has NaNs or infinities.
  bool isNotFinite() const {
    return (metrics && metrics->mine.any()) ||
           (statistics && statistics->mine.any());
  }
};

/// Compares \p mine with \p golden, an array being a plain tensor of ND format.
/// Tensors in blocks lose their padding first, and what is laid out otherwise
/// is brought to the same order of axes; large ones in a file in \p folder.
TensorComparison compareTensors(const DumpTensor &mine,
                                const DumpTensor &golden,
                                const CompareOptions &options);

/// "(0,2,1)": the element \p index of a tensor of \p shape.
std::string toIndexText(uint64_t index, const Shape &shape);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_COMPARETENSORS_H
