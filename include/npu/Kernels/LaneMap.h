//===- LaneMap.h - Which elements pad a private format ---------*- C++ -*-===//

#ifndef NPU_KERNELS_LANEMAP_H
#define NPU_KERNELS_LANEMAP_H

#include "npu/Kernels/Layout.h"

#include <functional>
#include <vector>

namespace npu::kernels {

/// Tells elements that hold data from elements that only pad the format.
class LaneMap {
public:
  /// Fails as Layout::create does.
  static Expected<LaneMap> create(const TensorDesc &desc);

  bool hasPadding() const { return layout.hasPadding(); }

  /// Calls \p visit(begin, end, valid) for the stretches of [begin, end) in
  /// order, as long as possible: neighbours differ in valid.
  void forEachRun(int64_t begin, int64_t end,
                  const std::function<void(int64_t begin, int64_t end,
                                           bool valid)> &visit) const;

private:
  Layout layout;
  /// One entry an element, for layouts that cannot be reversed (filters).
  std::vector<bool> explicitMap;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_LANEMAP_H
