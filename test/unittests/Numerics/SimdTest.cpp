//===- SimdTest.cpp - Vector arithmetic against the scalar reference ------===//

#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/Half.h"

#include <cstddef>
#include <cstdint>

#ifndef NPU_UNITTESTS_SIMDTEST_OPS
#define NPU_UNITTESTS_SIMDTEST_OPS
namespace npu::numerics {
enum class Op { Add, Sub, Mul, Div, Max, Min, Sqrt, MulAdd };
} // namespace npu::numerics
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "SimdTest.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::numerics::HWY_NAMESPACE {

/// An fp16 operator as a kernel would write it.
template <OverflowMode M>
static StatusBits applyIn(Op op, const uint16_t *a, const uint16_t *b,
                          uint16_t *to, size_t count) {
  const hn::ScalableTag<float> df;
  const size_t lanes = hn::Lanes(df);
  OverflowTracker tracker(df);
  for (size_t i = 0; i < count; i += lanes) {
    const size_t n = count - i < lanes ? count - i : lanes;
    const auto x = loadHalfN(df, a + i, n), y = loadHalfN(df, b + i, n);
    auto result = x;
    switch (op) {
    case Op::Add:
      result = hn::Add(x, y);
      break;
    case Op::Sub:
      result = hn::Sub(x, y);
      break;
    case Op::Mul:
      result = hn::Mul(x, y);
      break;
    case Op::Div:
      result = hn::Div(x, y);
      break;
    case Op::Max:
      result = maximum(df, x, y);
      break;
    case Op::Min:
      result = minimum(df, x, y);
      break;
    case Op::Sqrt:
      result = hn::Sqrt(x);
      break;
    case Op::MulAdd: { // x * y + x, two roundings
      const auto product = hn::Mul(x, y);
      tracker.update(product);
      result = hn::Add(roundToHalf<M>(df, product), x);
      break;
    }
    }
    // The unused lanes of a tail hold zero, and 0 / 0 reports nothing.
    switch (op) {
    case Op::Div:
    case Op::Max:
    case Op::Min:
      tracker.update(result, areFinite(df, x, y));
      break;
    case Op::Sqrt:
      tracker.update(result, isFinite(df, x));
      break;
    default:
      tracker.update(result);
      break;
    }
    if (n == lanes)
      storeHalf<M>(df, result, to + i);
    else
      storeHalfN<M>(df, result, to + i, n);
  }
  return tracker.status(HalfOverflowLimit, status::FloatOverflow);
}

static StatusBits apply(Op op, OverflowMode mode, const uint16_t *a,
                        const uint16_t *b, uint16_t *to, size_t count) {
  if (mode == OverflowMode::Saturate)
    return applyIn<OverflowMode::Saturate>(op, a, b, to, count);
  return applyIn<OverflowMode::InfNan>(op, a, b, to, count);
}

/// fp32 products, for the overflow of fp32 results.
static StatusBits multiplyFloats(const float *a, const float *b, float *to,
                                 size_t count) {
  const hn::ScalableTag<float> df;
  const size_t lanes = hn::Lanes(df);
  OverflowTracker tracker(df);
  for (size_t i = 0; i < count; i += lanes) {
    const size_t n = count - i < lanes ? count - i : lanes;
    const auto x = loadLanes(df, a + i, n), y = loadLanes(df, b + i, n);
    const auto product = hn::Mul(x, y);
    tracker.update(product, areFinite(df, x, y));
    storeLanes(df, product, to + i, n);
  }
  return tracker.status(FloatOverflowLimit, status::FloatOverflow);
}

/// loadBFloat16, roundToBFloat16 and storeBFloat16 in one pass: a * a.
template <OverflowMode M>
static void squareBFloat16In(const uint16_t *a, uint16_t *to, size_t count) {
  const hn::ScalableTag<float> df;
  const size_t lanes = hn::Lanes(df);
  for (size_t i = 0; i + lanes <= count; i += lanes) {
    const auto x = loadBFloat16(df, a + i);
    storeBFloat16<M>(df, roundToBFloat16<M>(df, hn::Mul(x, x)), to + i);
  }
  const size_t tail = count % lanes, start = count - tail;
  const auto x = loadBFloat16N(df, a + start, tail);
  storeBFloat16N<M>(df, hn::Mul(x, x), to + start, tail);
}

static void squareBFloat16(OverflowMode mode, const uint16_t *a, uint16_t *to,
                           size_t count) {
  if (mode == OverflowMode::Saturate)
    squareBFloat16In<OverflowMode::Saturate>(a, to, count);
  else
    squareBFloat16In<OverflowMode::InfNan>(a, to, count);
}

} // namespace npu::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "HalfSamples.h"
#include "npu/Numerics/SimdTarget.h"

#include "gtest/gtest.h"

namespace npu::numerics {

HWY_EXPORT(apply);
HWY_EXPORT(multiplyFloats);
HWY_EXPORT(squareBFloat16);

namespace {

constexpr OverflowMode AllModes[] = {OverflowMode::Saturate,
                                     OverflowMode::InfNan};

struct NamedOp {
  const char *name;
  Op op;
  Half (*scalar)(Half, Half, OverflowMode, StatusBits &);
};

const NamedOp Ops[] = {
    {"add", Op::Add, add},
    {"sub", Op::Sub, sub},
    {"mul", Op::Mul, mul},
    {"div", Op::Div, div},
    {"max", Op::Max, max},
    {"min", Op::Min, min},
    {"sqrt", Op::Sqrt,
     [](Half a, Half, OverflowMode mode, StatusBits &status) {
       return sqrt(a, mode, status);
     }},
    {"mulAdd", Op::MulAdd,
     [](Half a, Half b, OverflowMode mode, StatusBits &status) {
       return mulAdd(a, b, a, mode, status);
     }},
};

/// What the tracker of the operators above collects.
constexpr StatusBits Tracked =
    status::FloatOverflow | status::VectorNanInfInput;

/// Pairs in blocks, each with the scalar results.
struct Block {
  std::vector<uint16_t> a, b, to;
};

void checkBlock(const NamedOp &op, OverflowMode mode, Block &block,
                const std::vector<SimdTarget> &targets) {
  const size_t count = block.a.size();
  std::vector<uint16_t> expected(count);
  StatusBits expectedStatus = status::None;
  for (size_t i = 0; i < count; ++i)
    expected[i] =
        op.scalar(Half{block.a[i]}, Half{block.b[i]}, mode, expectedStatus)
            .bits;
  for (SimdTarget target : targets) {
    setTargetForTest(target);
    block.to.assign(count, 0xABCD);
    const StatusBits status = HWY_DYNAMIC_DISPATCH(apply)(
        op.op, mode, block.a.data(), block.b.data(), block.to.data(), count);
    for (size_t i = 0; i < count; ++i)
      if (block.to[i] != expected[i])
        ASSERT_EQ(block.to[i], expected[i])
            << getName(target) << " " << op.name << std::hex << " "
            << block.a[i] << " " << block.b[i] << " " << getName(mode);
    // An infinity that the mode made of an overflowing product is an infinite
    // operand of the sum for the tracker, but not for the scalar instruction.
    if (op.op == Op::MulAdd && (status & status::FloatOverflow))
      ASSERT_EQ(status & status::FloatOverflow,
                expectedStatus & status::FloatOverflow);
    else
      ASSERT_EQ(status, expectedStatus & Tracked)
          << getName(target) << " " << op.name << " " << getName(mode)
          << std::hex << " block of " << block.a[0] << " " << block.b[0];
  }
}

class SimdTest : public testing::TestWithParam<NamedOp> {
protected:
  void TearDown() override { setTargetForTest(std::nullopt); }
};

TEST_P(SimdTest, AllTargetsGiveTheBitsAndStatusOfScalar) {
  const std::vector<SimdTarget> targets = getSupportedTargets();
  Block block;
  size_t length = 0;
  uint64_t numBlocks = 0;
  forEachHalfPair([&](uint16_t a, uint16_t b) {
    block.a.push_back(a);
    block.b.push_back(b);
    if (block.a.size() < length)
      return true;
    // Short blocks let a status bit be missing, long ones exercise the loops.
    const uint64_t choice = reference::mix(++numBlocks);
    checkBlock(GetParam(), AllModes[choice & 1], block, targets);
    block.a.clear();
    block.b.clear();
    length = (choice >> 1) % 8 == 0 ? (choice >> 8) % 40 + 1 : 4096;
    return !HasFailure();
  });
}

INSTANTIATE_TEST_SUITE_P(Ops, SimdTest, testing::ValuesIn(Ops),
                         [](const testing::TestParamInfo<NamedOp> &info) {
                           return std::string(info.param.name);
                         });

class SimdTargetTest : public testing::TestWithParam<SimdTarget> {
protected:
  void SetUp() override { setTargetForTest(GetParam()); }
  void TearDown() override { setTargetForTest(std::nullopt); }
};

TEST_P(SimdTargetTest, TracksOverflowOfFloats) {
  const float max = std::numeric_limits<float>::max();
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  struct {
    float a, b;
    StatusBits status;
  } const rows[] = {
      {max, 1, 0},
      {max, 1.0000001f, status::FloatOverflow},
      {-max, max, status::FloatOverflow},
      {inf, 1, status::VectorNanInfInput},
      {nan, 0, status::VectorNanInfInput},
      {65536, 65536, 0},
  };
  for (const auto &row : rows)
    for (size_t count : {1, 5, 16, 19})
      for (size_t place = 0; place < count; ++place) {
        std::vector<float> a(count, 2), b(count, 3), to(count);
        a[place] = row.a;
        b[place] = row.b;
        EXPECT_EQ(HWY_DYNAMIC_DISPATCH(multiplyFloats)(a.data(), b.data(),
                                                       to.data(), count),
                  row.status)
            << row.a << " " << row.b;
        // Together with an infinite operand elsewhere.
        if (count > 1) {
          a[(place + 1) % count] = -inf;
          EXPECT_EQ(HWY_DYNAMIC_DISPATCH(multiplyFloats)(a.data(), b.data(),
                                                         to.data(), count),
                    row.status | status::VectorNanInfInput);
        }
      }
}

TEST_P(SimdTargetTest, RoundsToBFloat16) {
  std::vector<uint16_t> a(0x10000 + 5), to(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<uint16_t>(i);
  for (OverflowMode mode : AllModes) {
    HWY_DYNAMIC_DISPATCH(squareBFloat16)(mode, a.data(), to.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const float x = bfloat16ToFloat(BFloat16{a[i]});
      StatusBits status = status::None;
      BFloat16 expected = floatToBFloat16(x * x, mode, status);
      if (std::isnan(x))
        expected = mode == OverflowMode::Saturate ? BFloat16{} : BFloat16NaN;
      ASSERT_EQ(to[i], expected.bits) << std::hex << a[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SimdTargetTest,
                         testing::ValuesIn(getSupportedTargets()),
                         [](const testing::TestParamInfo<SimdTarget> &info) {
                           return std::string(getName(info.param));
                         });

} // namespace
} // namespace npu::numerics

#endif // HWY_ONCE
