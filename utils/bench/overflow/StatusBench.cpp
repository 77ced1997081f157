//===- StatusBench.cpp - What status tracking costs a kernel --------------===//
//
// Kernels of fp16 tensors that fit the second-level cache, against loops that
// load, compute, round and store the same way and look at no event. One thread.
//
//===----------------------------------------------------------------------===//

#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "StatusBench.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
constexpr npu::OverflowMode Mode = npu::OverflowMode::Saturate;

/// to[i] = op(i) for whole vectors.
template <class Op>
HWY_INLINE void loop(uint16_t *to, size_t count, const Op &op) {
  const DF df;
  for (size_t i = 0; i < count; i += hn::Lanes(df))
    nn::storeHalf<Mode>(df, op(i), to + i);
}

void untracked(int op, const void *a, const void *b, uint16_t *to,
               size_t count) {
  const DF df;
  const auto *x = static_cast<const uint16_t *>(a);
  const auto *y = static_cast<const uint16_t *>(b);
  switch (op) {
  case 0:
    return loop(to, count, [&](size_t i) HWY_ATTR {
      return hn::Add(nn::loadHalf(df, x + i), nn::loadHalf(df, y + i));
    });
  case 1:
    return loop(to, count, [&](size_t i) HWY_ATTR {
      return hn::Mul(nn::loadHalf(df, x + i), nn::loadHalf(df, y + i));
    });
  case 2:
    return loop(to, count, [&](size_t i) HWY_ATTR {
      return nn::maximum(df, nn::loadHalf(df, x + i), hn::Zero(df));
    });
  default:
    return loop(to, count, [&](size_t i) HWY_ATTR {
      return hn::LoadU(df, static_cast<const float *>(a) + i);
    });
  }
}

} // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bench {
HWY_EXPORT(untracked);
} // namespace bench

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t Count = 64 * 1024;
constexpr int Rounds = 15, Repetitions = 400;

struct Case {
  const char *type;
  unsigned inputs;
  DataType inputType;
};
constexpr Case cases[] = {{"Add", 2, DataType::Float16},
                          {"Mul", 2, DataType::Float16},
                          {"Relu", 1, DataType::Float16},
                          {"Cast", 1, DataType::Float}};

/// Seconds of processor time for one call.
template <class Call>
double measure(const Call &call) {
  const std::clock_t start = std::clock();
  for (int i = 0; i < Repetitions; ++i)
    call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
         Repetitions;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

TensorDesc vectorOf(DataType dtype) {
  return {dtype, Format::ND, 0, {Count}, Format::ND, {Count}};
}

} // namespace

int main() {
  std::mt19937 random(1);
  alignas(64) static uint16_t halves[2][Count], result[Count];
  alignas(64) static float floats[Count];
  for (int64_t i = 0; i < Count; ++i) {
    // From 0.25 to 4, so that nothing happens.
    for (auto &half : halves)
      half[i] = static_cast<uint16_t>(0x3400 + random() % 0x1000);
    floats[i] = 0.25f + static_cast<float>(random() % 4096) / 1024;
  }
  const Registry registry = Registry::withBuiltins();
  ThreadPool pool(1);
  RunContext context{pool};
  std::printf("%-6s %14s %14s %6s\n", "kernel", "tracked Gel/s",
              "untracked Gel/s", "ratio");
  for (int op = 0; op < 4; ++op) {
    const Case &c = cases[op];
    const TensorDesc in = vectorOf(c.inputType);
    const TensorDesc out = vectorOf(DataType::Float16);
    NodeSpec spec{c.type, "node", {}, {}, {out}, {}};
    spec.inputs.assign(c.inputs, in);
    spec.constants.assign(c.inputs, nullptr);
    auto kernel = registry.lookup(c.type)->create(spec, {});
    if (!kernel) {
      std::fprintf(stderr, "%s\n", kernel.status().message().c_str());
      return EXIT_FAILURE;
    }
    const bool isCast = c.inputType == DataType::Float;
    const void *a = isCast ? static_cast<const void *>(floats) : halves[0];
    const ConstTensor inputs[] = {
        {&in, static_cast<const std::byte *>(a)},
        {&in, reinterpret_cast<const std::byte *>(halves[1])}};
    const MutableTensor output{&out, reinterpret_cast<std::byte *>(result)};
    std::vector<double> tracked, untracked, ratios;
    for (int round = 0; round < Rounds; ++round) {
      tracked.push_back(measure([&] {
        if (!(*kernel)->run(context, {inputs, c.inputs}, {&output, 1}))
          std::abort();
      }));
      untracked.push_back(measure([&] {
        HWY_DYNAMIC_DISPATCH(bench::untracked)
        (op, a, halves[1], result, Count);
      }));
      ratios.push_back(tracked.back() / untracked.back());
    }
    std::printf("%-6s %14.2f %14.2f %6.2f\n", c.type,
                Count / median(tracked) * 1e-9,
                Count / median(untracked) * 1e-9, median(ratios));
  }
}
#endif // HWY_ONCE
