//===- AtomicSum.h - fp32 sums that a device makes in memory ----*- C++ -*-===//
//
// Some kernels of a device have every core add its part to the output in
// memory. The order of the parts is not defined there; here it is: sources are
// added to each destination one after the other, in the order of the input. An
// overflow is reported by its code, in place of the bit FloatOverflow that a
// vector instruction raises.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_ATOMICSUM_H
#define NPU_LIB_KERNELS_ATOMICSUM_H

#include "npu/Kernels/Kernel.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace npu::kernels {

/// Whether the graph says that the node accumulates by atomics:
/// atomic_output_index lists outputs, tbe_op_atomic_output_index has a flag for
/// each output.
inline Expected<bool> accumulatesByAtomics(const NodeSpec &spec) {
  auto indices =
      spec.attrs.get<std::vector<int64_t>>("atomic_output_index", {});
  if (!indices)
    return indices.takeStatus();
  auto flags =
      spec.attrs.get<std::vector<int64_t>>("tbe_op_atomic_output_index", {});
  if (!flags)
    return flags.takeStatus();
  return !indices->empty() ||
         std::any_of(flags->begin(), flags->end(),
                     [](int64_t flag) { return flag != 0; });
}

/// destination += source, rounded to nearest even. An infinite sum stays
/// infinite in both overflow modes.
inline AtomicOverflow addAtomically(float &destination, float source) {
  const float before = destination;
  destination += source;
  if (std::isfinite(destination)) [[likely]]
    return AtomicOverflow::None;
  if (!std::isfinite(source))
    return std::isfinite(before) ? AtomicOverflow::InvalidSource
                                 : AtomicOverflow::InvalidBoth;
  if (!std::isfinite(before))
    return AtomicOverflow::InvalidDestination;
  return destination > 0 ? AtomicOverflow::Upward : AtomicOverflow::Downward;
}

/// The same for destinations side by side, as many as sources.
inline AtomicOverflow addAtomically(std::span<float> destinations,
                                    std::span<const float> sources) {
  AtomicOverflow overflow = AtomicOverflow::None;
  for (size_t i = 0; i < sources.size(); ++i)
    overflow = combine(overflow, addAtomically(destinations[i], sources[i]));
  return overflow;
}

/// All \p sources added to one destination.
inline AtomicOverflow sumAtomically(float &destination,
                                    std::span<const float> sources) {
  AtomicOverflow overflow = AtomicOverflow::None;
  for (float source : sources)
    overflow = combine(overflow, addAtomically(destination, source));
  return overflow;
}

/// The same for two destinations, each with sources of its own, as many for
/// both: one addition does not wait for the other.
inline AtomicOverflow sumAtomically(float &first, std::span<const float> a,
                                    float &second, std::span<const float> b) {
  float sumA = first, sumB = second;
  for (size_t i = 0; i < a.size(); ++i) {
    sumA += a[i];
    sumB += b[i];
  }
  // A sum that was infinite or NaN never becomes finite again.
  if (!std::isfinite(sumA) || !std::isfinite(sumB)) [[unlikely]]
    return combine(sumAtomically(first, a), sumAtomically(second, b));
  first = sumA;
  second = sumB;
  return AtomicOverflow::None;
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ATOMICSUM_H
