//===- LineSum.h - Sums of lines and their status ---------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_LINESUM_H
#define NPU_LIB_KERNELS_LINESUM_H

#include "AtomicSum.h"
#include "FloatInstructions.h"

#include <mutex>

namespace npu::kernels {

/// Collects the status of chunks from many threads.
class StatusCollector {
public:
  void add(const NodeStatus &ofChunk) {
    std::lock_guard lock(mutex);
    status |= ofChunk;
  }
  NodeStatus get() const { return status; }

private:
  std::mutex mutex;
  NodeStatus status;
};

/// The fp32 sum of \p values: in the order of sumInOrder, or one after the
/// other where a device makes it by atomics. Adds what it raises to \p status.
inline float sumOfLine(std::span<const float> values, bool byAtomics,
                       NodeStatus &status) {
  float sum = 0;
  if (byAtomics) {
    status.atomic = combine(status.atomic, sumAtomically(sum, values));
    return sum;
  }
  sum = sumInOrder(values.data(), values.size());
  if (!std::isfinite(sum)) {
    WatchedInstructions watched;
    watched.sum(values);
    status.valid |= watched.bits;
  }
  return sum;
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_LINESUM_H
