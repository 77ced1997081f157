//===- CompareTensors.h - One tensor against another -------------*- C++
//-*-===//

#ifndef NPU_LIB_DUMPTOOLS_COMPARETENSORS_H
#define NPU_LIB_DUMPTOOLS_COMPARETENSORS_H

#include "npu/Dump/DumpFile.h"
#include "npu/DumpTools/Compare.h"

namespace npu::dump {

/// What came out for a pair of tensors.
struct TensorComparison {
  Verdict verdict = Verdict::Skip;
  /// The logical shape that indices count in.
  Shape shape;
  std::optional<Metrics> metrics;
  std::string reason; ///< of a verdict that is no PASS; a note otherwise
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
