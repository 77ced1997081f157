//===- ThreadPool.cpp - Persistent workers --------------------------------===//

#include "npu/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

using namespace npu;

using Body = std::function<void(int64_t, int64_t, int64_t)>;

struct ThreadPool::Impl {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, finished;
  uint64_t generation = 0; // of the loop that is handed out
  unsigned running = 0;    // workers still inside it
  bool stopping = false;

  const Body *body = nullptr;
  int64_t count = 0, grain = 1;
  std::atomic<int64_t> nextChunk{0};

  void runChunks() {
    const int64_t chunks = (count + grain - 1) / grain;
    for (int64_t chunk; (chunk = nextChunk.fetch_add(1)) < chunks;)
      (*body)(chunk * grain, std::min(count, (chunk + 1) * grain), chunk);
  }

  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
      lock.unlock();
      runChunks();
      lock.lock();
      if (--running == 0)
        finished.notify_one();
    }
  }
};

ThreadPool::ThreadPool(unsigned numThreads) : impl(std::make_unique<Impl>()) {
  if (numThreads == 0)
    numThreads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < numThreads; ++i)
    impl->workers.emplace_back([this] { impl->work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl->mutex);
    impl->stopping = true;
  }
  impl->wake.notify_all();
  for (std::thread &worker : impl->workers)
    worker.join();
}

unsigned ThreadPool::numThreads() const {
  return static_cast<unsigned>(impl->workers.size()) + 1;
}

void ThreadPool::parallelFor(int64_t count, int64_t grain, const Body &body) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  impl->body = &body;
  impl->count = count;
  impl->grain = grain;
  impl->nextChunk = 0;
  if (impl->workers.empty() || count <= grain) {
    impl->runChunks();
    return;
  }
  {
    std::lock_guard lock(impl->mutex);
    impl->running = static_cast<unsigned>(impl->workers.size());
    ++impl->generation;
  }
  impl->wake.notify_all();
  impl->runChunks();
  std::unique_lock lock(impl->mutex);
  impl->finished.wait(lock, [&] { return impl->running == 0; });
}
