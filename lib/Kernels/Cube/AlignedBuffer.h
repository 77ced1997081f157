//===- AlignedBuffer.h - Memory that grows and is kept ---------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_CUBE_ALIGNEDBUFFER_H
#define NPU_LIB_KERNELS_CUBE_ALIGNEDBUFFER_H

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace npu::kernels::cube {

/// Uninitialised bytes aligned to 64. Grows when asked for more, losing its
/// contents, and never shrinks: what one iteration needed is there for the
/// next.
class AlignedBuffer {
public:
  /// At least \p count values of T.
  template <class T>
  T *get(size_t count) {
    const size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
    if (bytes > size) {
      memory.reset(static_cast<std::byte *>(std::aligned_alloc(64, bytes)));
      size = bytes;
    }
    return reinterpret_cast<T *>(memory.get());
  }

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory;
  size_t size = 0;
};

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_ALIGNEDBUFFER_H
