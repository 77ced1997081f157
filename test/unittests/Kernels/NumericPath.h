//===- NumericPath.h - Inputs that tell numeric paths apart -----*- C++ -*-===//
//
// One row for one operator: an input, and for each way to compute it where a
// device could round what the result is. A way that no platform takes shows
// that the input would notice.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_NUMERICPATH_H
#define NPU_TEST_UNITTESTS_KERNELS_NUMERICPATH_H

#include "ScalarArithmetic.h"
#include "StatusTable.h"

#include <functional>

namespace npu::kernels::statustable {

using M = ScalarArithmetic;
using Values = M::Values;
using X = const std::vector<Values> &;
using List = std::vector<int64_t>;

/// The operator by its instructions: the first elements of the first output,
/// before they are rounded to its type, from the elements of the operands.
using Definition = std::function<Values(M &, X)>;

using AttributeList = std::vector<std::pair<std::string, AttributeValue>>;

inline const std::vector<Soc> everywhere = {Soc::Ascend310, Soc::Ascend310P,
                                            Soc::Ascend910A, Soc::Ascend910B};
inline const std::vector<Soc> nowhere = {};

/// Where a result rounds, on what, and what comes of it in saturating mode.
struct Way {
  const char *what;
  std::vector<Soc> socs;
  Path path;
  Elements bits;
  StatusBits status = status::None;
  AttributeList attrs = {}; ///< that ask for it
};

struct PathRow {
  std::string type;
  const char *what;
  Definition definition;
  std::vector<Operand> operands;
  DataType outType;
  std::vector<Way> ways;
  AttributeList attrs = {};
  Shape outShape = {};
  Format outFormat = Format::ND;
  std::vector<std::pair<DataType, Shape>> moreOutputs = {};

  PathRow into(Shape shape, Format format = Format::ND) const {
    PathRow row = *this;
    row.outShape = std::move(shape);
    row.outFormat = format;
    return row;
  }
  PathRow besides(DataType type, Shape shape) const {
    PathRow row = *this;
    row.moreOutputs.push_back({type, std::move(shape)});
    return row;
  }
};

// What definitions of lines share.

inline Values scaled(M &m, const Values &values, double factor) {
  Values result;
  for (double value : values)
    result.push_back(m.mul(value, factor));
  return result;
}
inline Values products(M &m, const Values &a, const Values &b) {
  Values result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(m.mul(a[i], b[i]));
  return result;
}
inline double largest(const Values &values) {
  return *std::max_element(values.begin(), values.end());
}

std::vector<PathRow> elementwisePaths();
std::vector<PathRow> activationPaths();
std::vector<PathRow> mathPaths();
std::vector<PathRow> linePaths(); ///< reductions, softmax
std::vector<PathRow> normPaths(); ///< of lines
std::vector<PathRow> rangePaths();
std::vector<PathRow> responsePaths(); ///< LRN
std::vector<PathRow> batchNormPaths();
std::vector<PathRow> trainingPaths(); ///< optimizers, losses
std::vector<PathRow> windowPaths();   ///< products, poolings

} // namespace npu::kernels::statustable

#endif // NPU_TEST_UNITTESTS_KERNELS_NUMERICPATH_H
