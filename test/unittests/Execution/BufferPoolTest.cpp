//===- BufferPoolTest.cpp - Memory that tensors share over time -----------===//

#include "npu/Execution/BufferPool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <thread>
#include <vector>

using namespace npu;

namespace {

TEST(BufferPool, BuffersAreAlignedAndDistinct) {
  BufferPool pool;
  std::vector<Buffer> buffers;
  for (uint64_t size : {0, 1, 63, 4096, 5 << 20})
    buffers.push_back(pool.acquire(size));
  for (size_t i = 0; i != buffers.size(); ++i) {
    ASSERT_TRUE(buffers[i]);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers[i].get()) % 64, 0u);
    for (size_t j = 0; j != i; ++j)
      EXPECT_NE(buffers[i].get(), buffers[j].get());
  }
}

TEST(BufferPool, ReusesWhatWasLetGo) {
  BufferPool pool;
  Buffer first = pool.acquire(1000);
  std::byte *memory = first.get();
  first = nullptr;
  EXPECT_EQ(pool.acquire(900).get(), memory);
  EXPECT_EQ(pool.totalBytes(), 4096u);
}

TEST(BufferPool, DoesNotReuseWhatIsHeld) {
  BufferPool pool;
  Buffer first = pool.acquire(1000);
  Buffer second = first;
  first = nullptr;
  EXPECT_NE(pool.acquire(1000).get(), second.get());
}

TEST(BufferPool, KeepsLargeBuffersForLargeTensors) {
  BufferPool pool;
  std::byte *large = pool.acquire(1 << 20).get();
  EXPECT_NE(pool.acquire(16).get(), large);
  EXPECT_EQ(pool.acquire(600 << 10).get(), large);
}

TEST(BufferPool, CountsWhatItHolds) {
  BufferPool pool;
  EXPECT_EQ(pool.totalBytes(), 0u);
  Buffer first = pool.acquire(1), second = pool.acquire(4097);
  EXPECT_EQ(pool.totalBytes(), 3u * 4096);
  first = second = nullptr;
  EXPECT_EQ(pool.totalBytes(), 3u * 4096);
}

TEST(BufferPool, BuffersOutliveThePool) {
  std::optional<BufferPool> pool(std::in_place);
  Buffer buffer = pool->acquire(4096);
  pool.reset();
  std::memset(buffer.get(), 1, 4096);
}

TEST(BufferPool, ThreadsNeverShareABuffer) {
  BufferPool pool;
  std::vector<std::thread> threads;
  std::vector<unsigned> faults(4);
  for (unsigned id = 0; id != faults.size(); ++id)
    threads.emplace_back([&, id] {
      for (unsigned round = 0; round != 1000; ++round) {
        Buffer buffer = pool.acquire(64 * (round % 5 + 1));
        std::memset(buffer.get(), static_cast<int>(id), 64);
        std::this_thread::yield();
        for (unsigned i = 0; i != 64; ++i)
          faults[id] += buffer.get()[i] != static_cast<std::byte>(id);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(faults, std::vector<unsigned>(4));
  EXPECT_LE(pool.totalBytes(), 4u * 4096);
}

} // namespace
