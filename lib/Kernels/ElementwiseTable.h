//===- ElementwiseTable.h - Tables of element-wise functions ----*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_ELEMENTWISETABLE_H
#define NPU_LIB_KERNELS_ELEMENTWISETABLE_H

#include "ElementwiseOps.h"
#include "HalfTable.h"

#include <memory>
#include <vector>

namespace npu::kernels {

/// What makes the function of a unary operator on fp16 elements.
struct HalfFunctionKey {
  ElementwiseOp op;
  ElementwisePath path;
  OverflowMode mode;
  std::vector<float> params;

  auto operator<=>(const HalfFunctionKey &) const = default;
};

/// The table of a function, which nodes of the same function share.
std::shared_ptr<const HalfTable>
getHalfTable(const HalfFunctionKey &key, const HalfTable::Function &function);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ELEMENTWISETABLE_H
