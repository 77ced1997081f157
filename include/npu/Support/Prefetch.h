//===- Prefetch.h - Asking for memory before it is read ---------*- C++ -*-===//

#ifndef NPU_SUPPORT_PREFETCH_H
#define NPU_SUPPORT_PREFETCH_H

#include <cstddef>

namespace npu {

/// Asks for \p size bytes from \p data on, a few thousand of them, to be in the
/// second-level cache soon. All are on their way at once then, where a loop
/// that reads them waits for a few at a time; processors that a virtual machine
/// shares hardly fetch ahead by themselves.
inline void prefetch(const std::byte *data, size_t size) {
  constexpr size_t cacheLine = 64;
  for (size_t at = 0; at < size; at += cacheLine)
    __builtin_prefetch(data + at, /*rw=*/0, /*locality=*/2);
}

} // namespace npu

#endif // NPU_SUPPORT_PREFETCH_H
