//===- InOrder.h - Tasks in parallel, results in order ----------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_INORDER_H
#define NPU_DUMPTOOLS_INORDER_H

#include "npu/Support/ThreadPool.h"

#include <map>
#include <mutex>
#include <utility>

namespace npu::dump {

/// Calls \p task(i) for every i below \p count on \p numThreads threads (0: one
/// for each processor), and \p done(i, result) for their results, one at a time
/// and in the order of i.
template <typename Task, typename Done>
void runInOrder(size_t count, unsigned numThreads, Task task, Done done) {
  using Result = decltype(task(size_t()));
  ThreadPool pool(numThreads);
  std::mutex mutex;
  std::map<size_t, Result> waiting;
  size_t next = 0;
  pool.parallelFor(
      static_cast<int64_t>(count), 1, [&](int64_t begin, int64_t, int64_t) {
        const auto index = static_cast<size_t>(begin);
        Result result = task(index);
        std::lock_guard lock(mutex);
        waiting.emplace(index, std::move(result));
        while (!waiting.empty() && waiting.begin()->first == next) {
          done(next++, waiting.begin()->second);
          waiting.erase(waiting.begin());
        }
      });
}

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_INORDER_H
