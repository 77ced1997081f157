//===- SpeedBench.cpp - What the processor does right now -----------------===//
//
// Fused multiply-adds in registers: the speed of the machine in this second,
// which shared machines change from minute to minute. One line of JSON.
//
//   SpeedBench
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "SpeedBench.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Floating-point operations done.
double multiplyAdds(float *sink) {
  const hn::ScalableTag<float> df;
  constexpr int Steps = 100000;
  const auto factor = hn::Set(df, 0.999f), term = hn::Set(df, 0.001f);
  // Ten chains cover the latency of two units.
  auto a = hn::Set(df, *sink), b = a, c = a, d = a, e = a;
  auto f = a, g = a, h = a, i = a, j = a;
  for (int step = 0; step < Steps; ++step) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    d = hn::MulAdd(d, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
  }
  const auto sum = a + b + c + d + e + f + g + h + i + j;
  *sink = 0.1f * hn::GetLane(sum);
  return 2.0 * 10 * Steps * static_cast<double>(hn::Lanes(df));
}

} // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {
HWY_EXPORT(multiplyAdds);
} // namespace bench

using namespace npu::bench;

namespace {

/// GFLOP/s, the median of 9 rounds.
double rate() {
  float sink = 1;
  std::vector<double> rates;
  for (int round = 0; round < 9; ++round) {
    double work = 0;
    const double seconds = timeOf(
        [&] { work = HWY_DYNAMIC_DISPATCH(bench::multiplyAdds)(&sink); });
    rates.push_back(work / seconds * 1e-9);
  }
  return median(rates);
}

} // namespace

int main() {
  const double alone = rate();
  // A new thread may share a processor for some time: the second result counts.
  const auto settled = [] { return rate(), rate(); };
  double other = 0;
  std::thread thread([&] { other = settled(); });
  const double own = settled();
  thread.join();
  std::printf("{\"gflops_1\": %.1f, \"gflops_2\": %.1f}\n", alone, own + other);
}
#endif // HWY_ONCE
