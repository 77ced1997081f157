//===- QuietChannels.h - Channels in which nothing happens -----*- C++ -*-===//
//
// Sums and maps over the elements of 16 channels that lie side by side, as in a
// block of NC1HWC0: one vector holds one position of all of them. fp16
// elements, fp32 arithmetic with the bits of the lines of single channels as
// long as every value is finite. An infinite or NaN element makes each result
// so.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_QUIETCHANNELS_H
#define NPU_LIB_KERNELS_QUIETCHANNELS_H

#include "npu/Numerics/StatusBits.h"

#include <array>
#include <optional>
#include <span>

namespace npu::kernels {

/// A value of each of 16 channels.
struct ChannelValues {
  static constexpr size_t Count = 16;
  alignas(64) std::array<float, Count> lanes;

  ChannelValues() = default;
  ChannelValues(float all) { lanes.fill(all); }
};

/// The positions of the channels: element \p c of position \p i is
/// offsets[i] + c.
using ChannelOffsets = std::span<const int64_t>;

/// The sums of x and of x * x: in the order of sumInOrder, or one after the
/// other where a device makes them \p byAtomics.
struct SquareSums {
  ChannelValues values, squares;
};
SquareSums sumSquares(const uint16_t *x, ChannelOffsets offsets,
                      bool byAtomics);

/// The sums of g and of g * ((x - mean) * inverse).
struct GradientSums {
  ChannelValues gradients, products;
};
GradientSums sumGradients(const uint16_t *g, const uint16_t *x,
                          ChannelOffsets offsets, const ChannelValues &mean,
                          const ChannelValues &inverse, bool byAtomics);

/// to = x * scale + shift, rounded. nullopt where a result is beyond the type;
/// else CastUnderflow or nothing.
std::optional<StatusBits> scaleAndShift(const uint16_t *x, uint16_t *to,
                                        ChannelOffsets offsets,
                                        const ChannelValues &scale,
                                        const ChannelValues &shift);

/// to = (g - ((x - mean) * inverse) * slope - offset) * factor, rounded.
/// Returns as scaleAndShift.
struct Propagation {
  ChannelValues mean, inverse, slope, offset, factor;
};
std::optional<StatusBits> propagate(const uint16_t *g, const uint16_t *x,
                                    uint16_t *to, ChannelOffsets offsets,
                                    const Propagation &values);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_QUIETCHANNELS_H
