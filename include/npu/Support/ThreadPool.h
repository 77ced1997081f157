//===- ThreadPool.h - Persistent workers for parallel loops ----*- C++ -*-===//

#ifndef NPU_SUPPORT_THREADPOOL_H
#define NPU_SUPPORT_THREADPOOL_H

#include <cstdint>
#include <functional>
#include <memory>

namespace npu {

/// Workers that live as long as the pool and run one parallel loop at a time.
/// The calling thread takes part. How a loop is cut depends on its length and
/// grain alone, never on the number of threads, so that a body which combines
/// partial results per chunk gives the same bits for any thread count.
///
/// Each thread begins with the same share of every loop, the chunks of thread t
/// of n being those from t / n to (t + 1) / n of all: what it has written in
/// one loop is in its cache when it reads the same place in the next. Then it
/// helps others with theirs.
class ThreadPool {
public:
  /// \p numThreads threads in all, the caller included; 0 means one for each
  /// processor.
  explicit ThreadPool(unsigned numThreads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned numThreads() const;

  /// Calls \p body(begin, end, chunk) for consecutive ranges of at most
  /// \p grain iterations that cover [0, count); chunk numbers them from 0.
  /// Returns when all have run. Must not be called from inside a body.
  void parallelFor(int64_t count, int64_t grain,
                   const std::function<void(int64_t begin, int64_t end,
                                            int64_t chunk)> &body);

  /// What a worker does when it has no loop to run, until there is one again,
  /// and once before it joins that: \p work does a piece, about a millisecond
  /// of it, and returns whether there was one. Several workers may be inside.
  /// null ends it, when this returns none is.
  void setIdleWork(std::function<bool()> work);

  /// Whether a worker does idle work right now, so that it joins the next loop
  /// late.
  bool isDoingIdleWork() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace npu

#endif // NPU_SUPPORT_THREADPOOL_H
