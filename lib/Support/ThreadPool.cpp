//===- ThreadPool.cpp - Persistent workers --------------------------------===//

#include "npu/Support/ThreadPool.h"

#include "npu/Support/Relax.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace npu;

using Body = std::function<void(int64_t, int64_t, int64_t)>;

struct ThreadPool::Impl {
  // The next node's loop begins a few microseconds after this one, and waking a
  // thread takes longer than many a loop: whoever waits first spins, some 100
  // microseconds. Not where threads outnumber processors, as a spinning thread
  // would then keep one that works from its processor.
  static constexpr int MaxSpins = 8000;
  int spins = 0;

  std::vector<std::thread> workers;
  // Taken by those alone who sleep or wake others. Whoever goes to sleep says
  // so and then looks once more whether there is a reason to; whoever gives a
  // reason does so and then looks whether anybody sleeps.
  std::mutex mutex;
  std::condition_variable wake, finished;
  /// Counts loops up: odd while one is handed out.
  std::atomic<uint64_t> loop{0};
  std::atomic<unsigned> inside{0};   // workers that may be in it
  std::atomic<unsigned> sleeping{0}; // workers that wait for wake
  std::atomic<bool> callerSleeps{false};
  std::atomic<bool> stopping{false};

  const Body *body = nullptr;
  int64_t count = 0, grain = 1;
  /// The chunks of a thread, in a cache line of its own.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  std::vector<Share> shares; // by thread, the caller first

  void share() {
    const int64_t chunks = (count + grain - 1) / grain;
    const int64_t threads = static_cast<int64_t>(shares.size());
    for (int64_t thread = 0; thread < threads; ++thread) {
      shares[thread].next = chunks * thread / threads;
      shares[thread].end = chunks * (thread + 1) / threads;
    }
  }

  /// The thread's own chunks first, then what others have left.
  void runChunks(size_t thread) {
    for (size_t i = 0; i < shares.size(); ++i) {
      Share &share = shares[(thread + i) % shares.size()];
      for (int64_t chunk; (chunk = share.next.fetch_add(1)) < share.end;)
        (*body)(chunk *grain, std::min(count, (chunk + 1) * grain), chunk);
    }
  }

  std::atomic<bool> hasIdleWork{false};
  std::atomic<unsigned> idling{0}; ///< workers that do idleWork
  std::shared_mutex idleMutex;     // shared by those who do idleWork
  std::function<bool()> idleWork;

  bool doIdleWork() {
    if (!hasIdleWork)
      return false;
    std::shared_lock lock(idleMutex, std::try_to_lock);
    if (!lock || !idleWork)
      return false;
    ++idling;
    const bool didSome = idleWork();
    --idling;
    return didSome;
  }

  template <class Condition>
  bool spinUntil(const Condition &holds) const {
    for (int i = 0; i < spins; ++i) {
      if (holds())
        return true;
      relax();
    }
    return holds();
  }

  /// The same for a worker.
  template <class Condition>
  bool workUntil(const Condition &holds) {
    constexpr int spinsBetween = 100;
    for (int i = 0; !holds(); ++i) {
      if (i % spinsBetween == 0 && doIdleWork())
        i = 0;
      if (i >= spins)
        return false;
      relax();
    }
    return true;
  }

  /// Takes part in the loop \p seen unless it is over: a worker that comes late
  /// is not waited for.
  void join(uint64_t seen, size_t thread) {
    ++inside;
    if (loop == seen)
      runChunks(thread);
    if (--inside == 0 && callerSleeps) {
      std::lock_guard lock(mutex);
      finished.notify_one();
    }
  }

  void work(size_t thread) {
    uint64_t seen = 0;
    const auto isCalled = [&] {
      const uint64_t now = loop;
      return (now % 2 != 0 && now != seen) || stopping;
    };
    while (true) {
      if (!workUntil(isCalled)) {
        std::unique_lock lock(mutex);
        ++sleeping;
        wake.wait(lock, isCalled);
        --sleeping;
      }
      if (stopping)
        return;
      seen = loop;
      if (seen % 2 == 0)
        continue;
      // What waits has to be done anyway, and others begin the loop meanwhile.
      doIdleWork();
      join(seen, thread);
    }
  }
};

ThreadPool::ThreadPool(unsigned numThreads) : impl(std::make_unique<Impl>()) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  if (numThreads == 0)
    numThreads = processors;
  if (numThreads <= processors)
    impl->spins = Impl::MaxSpins;
  impl->shares = std::vector<Impl::Share>(numThreads);
  for (unsigned i = 1; i < numThreads; ++i)
    impl->workers.emplace_back([this, i] { impl->work(i); });
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

bool ThreadPool::isDoingIdleWork() const { return impl->idling != 0; }

void ThreadPool::setIdleWork(std::function<bool()> work) {
  std::lock_guard lock(impl->idleMutex);
  impl->hasIdleWork = work != nullptr;
  impl->idleWork = std::move(work);
}

void ThreadPool::parallelFor(int64_t count, int64_t grain, const Body &body) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  if (impl->workers.empty() || count <= grain) {
    for (int64_t begin = 0, chunk = 0; begin < count; begin += grain, ++chunk)
      body(begin, std::min(count, begin + grain), chunk);
    return;
  }
  impl->body = &body;
  impl->count = count;
  impl->grain = grain;
  impl->share();
  ++impl->loop;
  if (impl->sleeping != 0) {
    {
      std::lock_guard lock(impl->mutex);
    } // they are inside wait
    impl->wake.notify_all();
  }
  impl->runChunks(0);
  ++impl->loop;
  const auto isDone = [&] { return impl->inside == 0; };
  if (impl->spinUntil(isDone))
    return;
  std::unique_lock lock(impl->mutex);
  impl->callerSleeps = true;
  impl->finished.wait(lock, isDone);
  impl->callerSleeps = false;
}
