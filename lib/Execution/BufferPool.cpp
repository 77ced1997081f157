//===- BufferPool.cpp - Memory that tensors share over time ---------------===//

#include "npu/Execution/BufferPool.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <vector>

using namespace npu;

static constexpr uint64_t HugePage = uint64_t(2) << 20;

struct BufferPool::Impl {
  std::mutex mutex;
  std::multimap<uint64_t, std::byte *> unused; // by size
  uint64_t total = 0;

  ~Impl() {
    for (auto [size, memory] : unused)
      std::free(memory);
  }
};

BufferPool::BufferPool() : impl(std::make_shared<Impl>()) {}

uint64_t BufferPool::totalBytes() const {
  std::lock_guard lock(impl->mutex);
  return impl->total;
}

/// Sizes are rounded so that tensors of similar size use the same memory.
static uint64_t roundSize(uint64_t bytes) {
  const uint64_t step = bytes >= HugePage ? HugePage : 4096;
  return (bytes + step - 1) / step * step;
}

Buffer BufferPool::acquire(uint64_t bytes) {
  const uint64_t size = roundSize(bytes ? bytes : 1);
  std::byte *memory = nullptr;
  uint64_t capacity = size;
  {
    std::lock_guard lock(impl->mutex);
    // Not one that is more than twice as large: it will be wanted itself.
    auto it = impl->unused.lower_bound(size);
    if (it != impl->unused.end() && it->first <= 2 * size) {
      capacity = it->first;
      memory = it->second;
      impl->unused.erase(it);
    }
  }
  if (!memory) {
    const uint64_t alignment = size >= HugePage ? HugePage : BufferAlignment;
    memory = static_cast<std::byte *>(std::aligned_alloc(alignment, size));
    if (!memory)
      return nullptr;
    if (size >= HugePage)
      (void)::madvise(memory, size, MADV_HUGEPAGE);
    std::lock_guard lock(impl->mutex);
    impl->total += size;
  }
  const uint64_t end =
      (bytes + BufferAlignment - 1) / BufferAlignment * BufferAlignment;
  std::memset(memory + bytes, 0, end - bytes);
  return Buffer(memory, [pool = impl, capacity](std::byte *memory) {
    std::lock_guard lock(pool->mutex);
    pool->unused.emplace(capacity, memory);
  });
}
