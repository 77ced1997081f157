//===- HalfArithmeticTest.cpp - fp16 arithmetic ---------------------------===//

#include "HalfSamples.h"
#include "Reference.h"
#include "npu/Numerics/Half.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace npu;
using namespace npu::numerics;

namespace {

struct Expectation {
  uint16_t bits;
  StatusBits status;
};

constexpr OverflowMode AllModes[] = {OverflowMode::Saturate,
                                     OverflowMode::InfNan};

bool nonFinite(uint16_t x) { return (x & 0x7C00) == 0x7C00; }

/// What a special IEEE result is written as.
Expectation special(double result, OverflowMode mode, StatusBits status) {
  const bool saturate = mode == OverflowMode::Saturate;
  if (std::isnan(result))
    return {uint16_t(saturate ? 0 : 0x7E00), status};
  const uint16_t sign = std::signbit(result) ? 0x8000 : 0;
  if (std::isinf(result))
    return {uint16_t(sign | (saturate ? 0x7BFF : 0x7C00)), status};
  return {uint16_t(sign | reference::half().round(std::fabs(result))), status};
}

/// A finite result that \p number gives exactly.
template <typename Number>
Expectation rounded(const Number &number, bool negative, bool isZero,
                    OverflowMode mode) {
  const reference::Format &half = reference::half();
  const uint32_t code = half.roundNumber(number, negative, RoundingMode::Rint);
  const uint16_t sign = negative ? 0x8000 : 0;
  if (code == half.overflow())
    return {uint16_t(sign | (mode == OverflowMode::Saturate ? 0x7BFF : 0x7C00)),
            status::FloatOverflow};
  return {uint16_t(sign | code),
          code == 0 && !isZero ? status::FloatUnderflow : status::None};
}

/// Sums and products of halves are exact in double.
Expectation roundedDouble(double result, OverflowMode mode) {
  return rounded(reference::DoubleNumber{std::fabs(result)},
                 std::signbit(result), result == 0, mode);
}

double valueOf(uint16_t bits) {
  if ((bits & 0x7FFF) > 0x7C00)
    return NAN;
  if ((bits & 0x7FFF) == 0x7C00)
    return bits & 0x8000 ? -INFINITY : INFINITY;
  return reference::halfValue(bits);
}

template <typename Op>
Expectation expectBinary(uint16_t a, uint16_t b, OverflowMode mode,
                         const Op &op) {
  const double result = op(valueOf(a), valueOf(b));
  if (nonFinite(a) || nonFinite(b))
    return special(result, mode, status::VectorNanInfInput);
  return roundedDouble(result, mode);
}

Expectation expectDiv(uint16_t a, uint16_t b, OverflowMode mode) {
  const double x = valueOf(a), y = valueOf(b);
  if (nonFinite(a) || nonFinite(b))
    return special(x / y, mode, status::VectorNanInfInput);
  if (y == 0)
    return special(x / y, mode, x == 0 ? status::None : status::FloatOverflow);
  return rounded(reference::Quotient{std::fabs(x), std::fabs(y)},
                 std::signbit(x) != std::signbit(y), x == 0, mode);
}

/// Of two values as IEEE 754-2019 maximum has it.
double larger(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return NAN;
  if (x == y)
    return std::signbit(x) ? y : x;
  return std::max(x, y);
}

using BinaryOp = Half (*)(Half, Half, OverflowMode, StatusBits &);

void check(BinaryOp op, uint16_t a, uint16_t b, OverflowMode mode,
           const Expectation &expected) {
  StatusBits status = status::None;
  const Half actual = op(Half{a}, Half{b}, mode, status);
  if (actual.bits != expected.bits || status != expected.status)
    ADD_FAILURE() << std::hex << a << " op " << b << " = " << actual.bits
                  << " status " << status << ", expected " << expected.bits
                  << " status " << expected.status << " mode " << getName(mode);
}

/// Compares \p op with expect(a, b, mode) on all pairs of samples, each in one
/// of the modes; stops at the first that fails.
template <typename Expect>
void checkPairs(BinaryOp op, const Expect &expect) {
  forEachHalfPair([&](uint16_t a, uint16_t b) {
    const OverflowMode mode = AllModes[reference::mix(a << 16 | b) & 1];
    check(op, a, b, mode, expect(a, b, mode));
    return !testing::Test::HasFailure();
  });
}

TEST(HalfArithmetic, Add) {
  checkPairs(add, [](uint16_t a, uint16_t b, OverflowMode mode) {
    return expectBinary(a, b, mode, [](double x, double y) { return x + y; });
  });
}

TEST(HalfArithmetic, Sub) {
  checkPairs(sub, [](uint16_t a, uint16_t b, OverflowMode mode) {
    return expectBinary(a, b, mode, [](double x, double y) { return x - y; });
  });
}

TEST(HalfArithmetic, Mul) {
  checkPairs(mul, [](uint16_t a, uint16_t b, OverflowMode mode) {
    return expectBinary(a, b, mode, [](double x, double y) { return x * y; });
  });
}

TEST(HalfArithmetic, Div) { checkPairs(div, expectDiv); }

TEST(HalfArithmetic, Max) {
  checkPairs(max, [](uint16_t a, uint16_t b, OverflowMode mode) {
    return expectBinary(a, b, mode, larger);
  });
}

TEST(HalfArithmetic, Min) {
  checkPairs(min, [](uint16_t a, uint16_t b, OverflowMode mode) {
    return expectBinary(a, b, mode,
                        [](double x, double y) { return -larger(-x, -y); });
  });
}

using UnaryOp = Half (*)(Half, OverflowMode, StatusBits &);

template <typename Expect>
void checkAll(UnaryOp op, const Expect &expect) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    for (OverflowMode mode : AllModes) {
      const uint16_t x = static_cast<uint16_t>(bits);
      const Expectation expected = expect(x, mode);
      StatusBits status = status::None;
      ASSERT_EQ(op(Half{x}, mode, status).bits, expected.bits)
          << std::hex << x << " mode " << getName(mode);
      ASSERT_EQ(status, expected.status) << std::hex << x;
    }
}

TEST(HalfArithmetic, Sqrt) {
  checkAll(numerics::sqrt, [](uint16_t bits, OverflowMode mode) {
    const double x = valueOf(bits);
    if (nonFinite(bits))
      return special(std::sqrt(x), mode, status::VectorNanInfInput);
    if (x < 0)
      return special(NAN, mode, status::None);
    return rounded(reference::Root{x}, std::signbit(x), x == 0, mode);
  });
}

template <typename Op>
void checkExact(UnaryOp op, const Op &exact) {
  checkAll(op, [&](uint16_t bits, OverflowMode mode) {
    return special(exact(valueOf(bits)), mode,
                   nonFinite(bits) ? status::VectorNanInfInput : status::None);
  });
}

TEST(HalfArithmetic, Abs) {
  checkExact(numerics::abs, [](double x) { return std::fabs(x); });
}
TEST(HalfArithmetic, Neg) {
  checkExact(neg, [](double x) { return -x; });
}
TEST(HalfArithmetic, Relu) {
  checkExact(relu, [](double x) { return larger(x, 0.0); });
}

TEST(HalfArithmetic, MulAddRoundsTheProductFirst) {
  StatusBits status = status::None;
  const OverflowMode mode = OverflowMode::InfNan;
  // (1 + 2^-10)^2 - 1 is 2^-9 + 2^-20; the rounded product loses 2^-20.
  EXPECT_EQ(mulAdd(Half{0x3C01}, Half{0x3C01}, Half{0xBC00}, mode, status),
            Half{0x1800});
  EXPECT_EQ(status, status::None);
  // The product overflows, and that is all that happens.
  EXPECT_EQ(mulAdd(Half{0x7BFF}, Half{0x4000}, Half{0x3C00}, mode, status),
            Half{0x7C00});
  EXPECT_EQ(status, status::FloatOverflow);
  status = status::None;
  EXPECT_EQ(mulAdd(Half{0x7BFF}, Half{0x4000}, Half{0xFBFF},
                   OverflowMode::Saturate, status),
            Half{});
  EXPECT_EQ(status, status::FloatOverflow);
  status = status::None;
  EXPECT_EQ(mulAdd(Half{0x3C00}, Half{0x3C00}, Half{0x7C00}, mode, status),
            Half{0x7C00});
  EXPECT_EQ(status, status::VectorNanInfInput);
}

TEST(HalfArithmetic, FirstOverflows) {
  struct {
    BinaryOp op;
    uint16_t a, b, infNan, saturate;
    StatusBits status;
  } const rows[] = {
      {add, 0x7B53, 0x70E2, 0x7C00, 0x7BFF, 0x20}, // 60000 + 10000
      {mul, 0x5CB0, 0x5CB0, 0x7C00, 0x7BFF, 0x20}, // 300 * 300
      {add, 0x7BFF, 0x4800, 0x7BFF, 0x7BFF, 0},    // 65504 + 8
      {add, 0x7BFF, 0x4C00, 0x7C00, 0x7BFF, 0x20}, // 65504 + 16
      {add, 0xFBFF, 0xCC00, 0xFC00, 0xFBFF, 0x20}, // -65504 - 16
      {add, 0xFBFF, 0xCBFF, 0xFBFF, 0xFBFF, 0},    // -65504 - 15.9921875
      {div, 0x3C00, 0x0000, 0x7C00, 0x7BFF, 0x20}, // 1 / 0
      {div, 0xBC00, 0x0000, 0xFC00, 0xFBFF, 0x20}, // -1 / 0
      {div, 0x3C00, 0x8000, 0xFC00, 0xFBFF, 0x20}, // 1 / -0
      {div, 0x0000, 0x0000, 0x7E00, 0x0000, 0},    // 0 / 0
      {div, 0x3C00, 0x0001, 0x7C00, 0x7BFF, 0x20}, // 1 / 5.96e-8
      {div, 0x3C00, 0x0002, 0x7C00, 0x7BFF, 0x20}, // 1 / 1e-7
      {div, 0x3C00, 0x0011, 0x7C00, 0x7BFF, 0x20}, // 1 / 1e-6
      {div, 0x3C00, 0x00A8, 0x7C00, 0x7BFF, 0x20}, // 1 / 1e-5
      {div, 0x3C00, 0x068E, 0x70E2, 0x70E2, 0},    // 1 / 1e-4
  };
  for (const auto &row : rows) {
    check(row.op, row.a, row.b, OverflowMode::InfNan, {row.infNan, row.status});
    check(row.op, row.a, row.b, OverflowMode::Saturate,
          {row.saturate, row.status});
  }
}

} // namespace
