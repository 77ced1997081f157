//===- ShapeTable.h - The tensors of a graph as CSV ------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_SHAPETABLE_H
#define NPU_LIB_TOOLS_SHAPETABLE_H

#include "npu/Execution/Plan.h"

namespace npu {

/// What the rows of a graph have in common.
struct ShapeTable {
  static const char *const header;

  std::string modelName;
  uint32_t modelId = 0;
  /// That have these shapes; empty for all.
  std::vector<uint64_t> iterations;

  /// A row for each input and output of \p node.
  std::string makeRows(const PlannedNode &node) const;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_SHAPETABLE_H
