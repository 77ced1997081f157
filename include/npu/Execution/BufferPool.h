//===- BufferPool.h - Memory that tensors share over time ------*- C++ -*-===//

#ifndef NPU_EXECUTION_BUFFERPOOL_H
#define NPU_EXECUTION_BUFFERPOOL_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npu {

constexpr uint64_t BufferAlignment = 64;

/// Bytes aligned to BufferAlignment; shared by all who still need them.
using Buffer = std::shared_ptr<std::byte>;

/// Hands out buffers and takes them back when their last user lets go, from any
/// thread. Memory is never given back to the system in between: fresh pages
/// cost more than most operators. Which buffer an operator gets has no effect
/// on results.
class BufferPool {
public:
  BufferPool();

  /// A buffer of \p bytes with undefined content, and zeros from there to the
  /// next multiple of BufferAlignment. Null where the system has no memory
  /// left.
  Buffer acquire(uint64_t bytes);

  /// Bytes that the pool holds, in use or not.
  uint64_t totalBytes() const;

private:
  struct Impl;
  std::shared_ptr<Impl> impl; // outlived by no buffer
};

} // namespace npu

#endif // NPU_EXECUTION_BUFFERPOOL_H
