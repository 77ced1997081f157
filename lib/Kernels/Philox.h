//===- Philox.h - Random numbers by their place -----------------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_PHILOX_H
#define NPU_LIB_KERNELS_PHILOX_H

#include <array>
#include <cstdint>

namespace npu::kernels {

/// Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
/// SC 2011): four words for each value of a counter, a function of counter and
/// key alone.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round != 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9; // the golden ratio
    key[1] += 0xBB67AE85; // the square root of 3
  }
  return counter;
}

/// The numbers of two seeds: the first is the key, the second the upper half of
/// the counter, as in TensorFlow.
class Philox {
public:
  Philox(uint64_t seed = 0, uint64_t seed2 = 0)
      : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        high{static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)} {
  }
  std::array<uint32_t, 4> operator()(uint64_t block) const {
    return philox4x32({static_cast<uint32_t>(block),
                       static_cast<uint32_t>(block >> 32), high[0], high[1]},
                      key);
  }

private:
  std::array<uint32_t, 2> key, high;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_PHILOX_H
