//===- ThreadPoolTest.cpp - Loops run whole, once, and in the same pieces -===//

#include "npu/Support/ThreadPool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace npu;

namespace {

/// More threads than processors: they sleep in place of spinning.
unsigned manyThreads() { return 2 * std::thread::hardware_concurrency() + 1; }

class ThreadPoolTest : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest,
                         testing::Values(1u, 2u, 3u, manyThreads()));

TEST_P(ThreadPoolTest, EveryIndexRunsOnceAndPiecesDependOnTheLengthAlone) {
  ThreadPool pool(GetParam());
  for (int64_t count : {0, 1, 7, 64, 65, 1000}) {
    std::vector<std::atomic<int>> runs(count);
    std::mutex mutex;
    std::set<std::vector<int64_t>> pieces;
    pool.parallelFor(count, 64, [&](int64_t begin, int64_t end, int64_t chunk) {
      for (int64_t i = begin; i < end; ++i)
        ++runs[i];
      std::lock_guard lock(mutex);
      EXPECT_TRUE(pieces.insert({chunk, begin, end}).second);
    });
    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](int value) {
      return value == 1;
    })) << count;
    std::set<std::vector<int64_t>> expected;
    for (int64_t chunk = 0; chunk * 64 < count; ++chunk)
      expected.insert({chunk, chunk * 64, std::min(count, chunk * 64 + 64)});
    EXPECT_EQ(pieces, expected);
  }
}

TEST_P(ThreadPoolTest, ALoopIsOverWhenItReturns) {
  // Short loops, one upon the other: a worker that comes late to one must not
  // run a piece of the next, nor write after the return.
  ThreadPool pool(GetParam());
  for (int64_t loop = 0; loop < 20000; ++loop) {
    const int64_t count = 1 + loop % 5;
    std::vector<int64_t> values(count, -1);
    pool.parallelFor(count, 1, [&](int64_t begin, int64_t end, int64_t) {
      for (int64_t i = begin; i < end; ++i)
        values[i] = loop;
    });
    ASSERT_EQ(std::count(values.begin(), values.end(), loop), count) << loop;
  }
}

TEST_P(ThreadPoolTest, SleepersWakeUp) {
  ThreadPool pool(GetParam());
  std::atomic<int64_t> sum = 0;
  for (int pause : {0, 20, 0, 20}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    pool.parallelFor(100, 1, [&](int64_t begin, int64_t, int64_t) {
      if (begin % 50 == 0) // the caller has to wait for others, too
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      sum += begin;
    });
  }
  EXPECT_EQ(sum, 4 * 4950);
}

TEST(ThreadPool, ThreadsAreUsed) {
  ThreadPool pool(2);
  // Each of the two pieces waits for the other to begin.
  std::atomic<int> begun = 0;
  pool.parallelFor(2, 1, [&](int64_t, int64_t, int64_t) {
    ++begun;
    while (begun != 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadPool, TellsThatAWorkerDoesIdleWork) {
  ThreadPool pool(2);
  EXPECT_FALSE(pool.isDoingIdleWork());
  std::atomic<bool> begun{false}, mayEnd{false};
  pool.setIdleWork([&] {
    if (begun.exchange(true))
      return false; // once is enough
    while (!mayEnd)
      std::this_thread::yield();
    return true;
  });
  while (!begun) // a worker that sleeps looks when there is a loop
    pool.parallelFor(2, 1, [](int64_t, int64_t, int64_t) {});
  EXPECT_TRUE(pool.isDoingIdleWork());
  mayEnd = true;
  pool.setIdleWork(nullptr);
  EXPECT_FALSE(pool.isDoingIdleWork());
}

} // namespace
