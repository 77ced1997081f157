//===- Measure.h - Two programs in turn ------------------------*- C++ -*-===//
//
// What the benchmarks share: bodies of this project and of a peer are timed in
// turn, round by round, so that a machine whose speed drifts slows both, and
// the medians of the rounds are compared.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_UTILS_BENCH_MEASURE_H
#define NPU_UTILS_BENCH_MEASURE_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace npu::bench {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds of one call, the mean over calls of at least 10 ms.
template <class Body>
double timeOf(const Body &body) {
  const Clock::time_point begin = Clock::now();
  int count = 0;
  do {
    body();
    ++count;
  } while (secondsSince(begin) < 0.01);
  return secondsSince(begin) / count;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Medians of both, in seconds of a call.
struct Times {
  double ours = 0, peer = 0;
  double ratio() const { return ours / peer; }
};

/// Prepares the turn of \p body. Threads of OpenMP spin after their work:
/// nobody runs until they sleep. Then both sides have to wake threads, which
/// may share a processor for a while: what is measured comes after that.
template <class Body>
void beginTurn(int threads, const Body &body) {
  if (threads == 1)
    return;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  timeOf(body);
}

template <class Ours, class Peer>
Times compare(int rounds, int threads, const Ours &ours, const Peer &peer) {
  std::vector<double> a, b;
  ours();
  peer();
  for (int round = 0; round < rounds; ++round) {
    beginTurn(threads, ours);
    a.push_back(timeOf(ours));
    beginTurn(threads, peer);
    b.push_back(timeOf(peer));
  }
  return {median(a), median(b)};
}

/// One line of JSON: \p group is what the line counts to, \p count how often
/// the case occurs in it, \p work its operations or elements.
inline void print(const std::string &group, const std::string &name, int count,
                  double work, const Times &times) {
  std::printf("{\"group\": \"%s\", \"name\": \"%s\", \"count\": %d, "
              "\"work\": %.0f, \"ours\": %.9f, \"peer\": %.9f}\n",
              group.c_str(), name.c_str(), count, work, times.ours, times.peer);
  std::fflush(stdout);
}

} // namespace npu::bench

#endif // NPU_UTILS_BENCH_MEASURE_H
