//===- LaneStatus.h - Status of data lanes and of padding ------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_LANESTATUS_H
#define NPU_LIB_KERNELS_LANESTATUS_H

#include "npu/Kernels/LaneMap.h"
#include "npu/Numerics/StatusBits.h"

#include <atomic>
#include <functional>
#include <span>

namespace npu::kernels {

/// An input of a chunk that is computed element by element.
struct ChunkInput {
  const std::byte *data = nullptr; ///< of the chunk's first element
  unsigned elementSize = 0;
};

/// Collects the status of chunks from many threads and attributes it to lanes.
/// Events are rare: a chunk is computed as a whole, and only one that reports
/// something is computed again, once with its data and once with its padding.
class LaneStatus {
public:
  /// Computes \p count elements of which input i starts at \p inputs[i],
  /// discards them and returns the status.
  using Recompute = std::function<StatusBits(
      std::span<const void *const> inputs, size_t count)>;

  explicit LaneStatus(const LaneMap &lanes) : lanes(lanes) {}

  /// Elements [begin, begin + count) of the output reported \p bits.
  void record(StatusBits bits, int64_t begin, int64_t count,
              std::span<const ChunkInput> inputs, const Recompute &recompute);

  NodeStatus status() const { return {valid, padding}; }

private:
  const LaneMap &lanes;
  std::atomic<StatusBits> valid{status::None};
  std::atomic<StatusBits> padding{status::None};
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_LANESTATUS_H
