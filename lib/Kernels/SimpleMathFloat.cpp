//===- SimpleMathFloat.cpp - Programs of simple mathematics ---------------===//
//
// One program for an operator, in the instructions of the device's kernel
// where that is public (docs/Kernels.md).
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "SimpleMathFloat.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "ElementwiseLoop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

NPU_PROGRAM(SquaredDifference, InHalf<2>) {
  const V difference = c.sub(x[0], x[1]);
  return c.mul(difference, difference);
}

NPU_PROGRAM(ScaledSum, InHalf<2>) { return c.add(x[0], c.mul(x[1], p[0])); }

/// The divisor is 1 where both are 0, so that nothing overflows there.
NPU_PROGRAM(QuotientOrZero, InFloat<2>) {
  const V zero = hn::Zero(DF());
  const auto bothZero = hn::And(hn::Eq(x[0], zero), hn::Eq(x[1], zero));
  return c.div(x[0], hn::IfThenElse(bothZero, c.scalar(1), x[1]));
}

NPU_PROGRAM(MaxScalar, InHalf<1>) { return c.max(x[0], p[0]); }
NPU_PROGRAM(MinScalar, InHalf<1>) { return c.min(x[0], p[0]); }
NPU_PROGRAM(Between, InHalf<1>) { return c.max(c.min(x[0], p[1]), p[0]); }

/// Bounded by the smallest numbers of the type, which powers of two then raise
/// to 1. A NaN counts as 0.
NPU_PROGRAM(Sign, InHalf<1>) {
  constexpr float smallest = C::InHalf ? 0x1p-24f : 0x1p-126f;
  const V number = hn::IfThenElseZero(hn::Eq(x[0], x[0]), x[0]);
  V sign = c.min(c.max(number, -smallest), smallest);
  if (C::InHalf)
    return c.mul(c.mul(sign, 0x1p12f), 0x1p12f);
  return c.mul(c.mul(c.mul(sign, 0x1p62f), 0x1p62f), 4);
}

// Conversions to whole numbers and back: no arithmetic, and a zero is +0.
NPU_PROGRAM(Floor, InHalf<1>) {
  return hn::Add(hn::Floor(x[0]), hn::Zero(DF()));
}
NPU_PROGRAM(Ceil, InHalf<1>) { return hn::Add(hn::Ceil(x[0]), hn::Zero(DF())); }
NPU_PROGRAM(RoundToEven, InHalf<1>) {
  return hn::Add(hn::Round(x[0]), hn::Zero(DF()));
}

/// (-1)^k sin r for |r| up to pi / 2, by a polynomial.
template <class C>
NPU_VECTOR_INLINE V sineOf(C &c, V r, V k) {
  const V square = c.mul(r, r);
  V sum = c.scalar(2.604926501e-6f);
  for (float coefficient :
       {-0.0001980894471f, 0.008333049340f, -0.1666665792f, 1.0f})
    sum = c.add(c.mul(sum, square), coefficient);
  const V pairs = hn::Floor(c.mul(k, 0.5f));
  const V sign = c.add(c.add(c.mul(pairs, 4), c.mul(k, -2)), 1);
  return c.mul(c.mul(sum, r), sign);
}

constexpr float InversePi = 0.3183098733425140380859375f;
/// pi in five parts, of which k times is taken off one after the other.
constexpr float PiParts[] = {3.140625f, 0.0009670257568359375f,
                             6.2771141529083251953125e-7f,
                             1.21644916362129151821136474609375e-10f,
                             -1.0290623200529979163359041220560e-13f};

NPU_PROGRAM(Sine, InFloat<1>) {
  const V k = hn::Round(c.mul(x[0], InversePi));
  V rest = x[0];
  for (float part : PiParts)
    rest = c.sub(rest, c.mul(k, part));
  return sineOf(c, rest, k);
}

/// sin(x + pi / 2).
NPU_PROGRAM(Cosine, InFloat<1>) {
  const V k = hn::Round(c.add(c.mul(x[0], InversePi), 0.5f));
  V rest = x[0];
  for (int i = 0; i < 5; ++i) {
    rest = c.sub(rest, c.mul(k, PiParts[i]));
    if (i == 1)
      rest = c.add(rest, 1.57079637050628662109375f);
  }
  rest = c.add(rest, -0.00000004371139000189375f);
  return c.max(c.min(sineOf(c, rest, k), 1), -1);
}

/// (x + mean) * variance [* scale [+ offset]], for fp16 tensors (p0 = 1) the
/// first two in fp16.
template <size_t Operands>
struct NormalizedBy : InFloatAfterHalf<Operands> {
  static constexpr bool InHalf = true;
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    auto normalize = [&](auto unit) HWY_ATTR {
      return unit.mul(unit.add(x[0], x[1]), x[2]);
    };
    V result = p[0] == 1 ? normalize(c.inHalf()) : normalize(c);
    if constexpr (Operands > 3)
      result = c.mul(result, x[3]);
    if constexpr (Operands > 4)
      result = c.add(result, x[4]);
    y[0] = result;
  }
};
using Normalized = NormalizedBy<3>;
using NormalizedScaled = NormalizedBy<4>;
using NormalizedShifted = NormalizedBy<5>;

NPU_PROGRAM(ClipNorm, InHalf<4>) {
  const auto isAbove = hn::Gt(x[0], x[1]);
  const V root = c.sqrt(hn::IfThenElse(isAbove, x[0], x[2]));
  return c.max(hn::IfThenElse(isAbove, root, x[0]), x[3]);
}

NPU_PROGRAM(MaskedProduct, InFloat<2>) {
  return c.mul(c.mul(x[0], x[1]), p[0]);
}

/// The second operand is not read; a device only takes its shape.
NPU_PROGRAM(DivergenceGradient, InHalfWithExp<3>) {
  const V target = p[0] == 1 ? c.exp(x[2]) : x[2];
  const V gradient = c.mul(c.mul(target, x[0]), -1);
  return p.size() > 1 ? c.mul(gradient, p[1]) : gradient;
}

template <OverflowMode M>
ElementwiseFunction select(ElementwiseOp op, ElementwisePath path) {
  switch (op) {
#define OP(NAME)                                                               \
  case ElementwiseOp::NAME:                                                    \
    return selectProgram<NAME, M>(path);
    OP(SquaredDifference)
    OP(ScaledSum)
    OP(QuotientOrZero)
    OP(MaxScalar)
    OP(MinScalar)
    OP(Between)
    OP(Sign)
    OP(Floor)
    OP(Ceil)
    OP(RoundToEven)
    OP(Sine)
    OP(Cosine)
    OP(Normalized)
    OP(NormalizedScaled)
    OP(NormalizedShifted)
    OP(ClipNorm)
    OP(MaskedProduct)
    OP(DivergenceGradient)
#undef OP
  default:
    return nullptr;
  }
}

} // namespace

ElementwiseFunction selectSimpleMath(ElementwiseOp op, ElementwisePath path,
                                     OverflowMode mode) {
  return mode == OverflowMode::Saturate
             ? select<OverflowMode::Saturate>(op, path)
             : select<OverflowMode::InfNan>(op, path);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(selectSimpleMath);

ElementwiseFunction getSimpleMathFunction(ElementwiseOp op,
                                          ElementwisePath path,
                                          OverflowMode mode) {
  return HWY_DYNAMIC_DISPATCH(selectSimpleMath)(op, path, mode);
}

} // namespace npu::kernels
#endif // HWY_ONCE
