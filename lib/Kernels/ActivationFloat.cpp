//===- ActivationFloat.cpp - Programs of activations and gradients --------===//
//
// One program for an operator, in the instructions of the device's kernel
// where that is public (docs/Kernels.md).
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ActivationFloat.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "ElementwiseLoop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

//===----------------------------------------------------------------------===//
// Gelu
//===----------------------------------------------------------------------===//

/// x + 0.044715 x^3.
template <class C>
NPU_VECTOR_INLINE V geluCubic(C &c, V x) {
  const V cube = c.mul(c.mul(x, x), x);
  return c.add(c.mul(cube, 0.044715f), x);
}

/// x / (1 + e^-|t|) * e^min(t, 0): no exp overflows.
NPU_PROGRAM(GeluSymmetric, InHalfWithExp<1>) {
  const V t = c.mul(geluCubic(c, x[0]), 1.5957691f);
  const V right = c.exp(c.min(t, 0));
  const V left = c.div(x[0], c.add(c.exp(c.neg(c.abs(t))), 1));
  return c.mul(left, right);
}

/// x / (1 + e^-t).
NPU_PROGRAM(GeluDirect, InFloatWithExp<1>) {
  const V t = c.mul(geluCubic(c, x[0]), -1.5957691f);
  return c.div(x[0], c.add(c.exp(t), 1));
}

/// x (sgn(x) (0.5 - 0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2) + 0.5), the sign
/// being x / |x| of an x that is moved from zero.
NPU_PROGRAM(GeluQuadratic, InHalf<1>) {
  const V bounded = c.min(c.abs(c.mul(x[0], 0.7071f)), 1.769f);
  const V distance = c.add(bounded, -1.769f);
  const V half = c.add(c.mul(c.mul(distance, distance), -0.1444f), 0.5f);
  const V moved = c.add(x[0], C::InHalf ? 1e-7f : 1e-12f);
  const V sign = c.mul(moved, c.reciprocal(c.abs(moved)));
  return c.mul(x[0], c.add(c.mul(half, sign), 0.5f));
}

/// dy (0.5 (1 + tanh m) + x (1 - tanh^2 m) m' / 2), inputs dy, x.
NPU_PROGRAM(GeluGradTanh, InHalfWithExp<2>) {
  const V dy = x[0], at = x[1];
  const V m = c.mul(geluCubic(c, at), 0.7978846f);
  const V magnitude = c.abs(m);
  const V e = c.exp(c.mul(magnitude, -2));
  const V up = c.sub(m, c.mul(e, m));
  const V down = c.mul(c.add(e, 1), c.add(magnitude, C::SmallestNormal));
  const V tanh = c.div(up, down);
  const V slope = c.add(c.mul(c.mul(at, at), 0.0535161122f), 0.3989422804f);
  const V inner = c.mul(c.add(c.neg(c.mul(tanh, tanh)), 1), at);
  const V product = c.mul(slope, inner);
  return c.mul(dy, c.add(c.mul(c.add(tanh, 1), 0.5f), product));
}

/// The same by the logistic function: t = 1 / (1 + e), e = e^-2m;
/// dy (e t (2 x m') t + t), inputs dy, x.
NPU_PROGRAM(GeluGradDirect, InFloatWithExp<2>) {
  const V dy = x[0], at = x[1];
  const V square = c.mul(at, at);
  const V e =
      c.exp(c.mul(c.add(c.mul(square, -0.0713548162726f), -1.5957691216f), at));
  const V slope =
      c.mul(c.add(c.mul(square, 0.2140644488178f), 1.5957691216f), at);
  const V t = c.reciprocal(c.add(e, 1));
  V product = c.mul(c.mul(c.mul(e, t), slope), t);
  // Infinity times zero, where the exp overflowed.
  product = hn::IfThenElseZero(hn::Eq(product, product), product);
  return c.mul(dy, c.add(product, t));
}

/// x e^(0.851 (x - |x|)) / (1 + e^(-1.702 |x|)), by the reciprocal.
NPU_PROGRAM(FastGeluSymmetric, InHalfWithExp<1>) {
  const V magnitude = c.abs(x[0]);
  const V down = c.add(c.exp(c.mul(magnitude, -1.702f)), 1);
  const V e = c.exp(c.mul(c.sub(x[0], magnitude), 0.851f));
  return c.mul(c.mul(x[0], e), c.reciprocal(down));
}

/// x / (1 + e^(-1.702 x)).
NPU_PROGRAM(FastGeluDirect, InHalf<1>) {
  return c.div(x[0], c.add(c.exp(c.mul(x[0], -1.702f)), 1));
}

/// Inputs dy, x; a = e^(-1.702 |x|):
/// dy (a + 1.702 x a + e^(1.702 (x - |x|))) / (a + 1)^2, by the reciprocal.
NPU_PROGRAM(FastGeluGradSymmetric, InHalfWithExp<2>) {
  const V dy = x[0], at = x[1];
  const V magnitude = c.abs(at);
  const V a = c.exp(c.mul(magnitude, -1.702f));
  const V linear = c.mul(c.mul(at, a), 1.702f);
  const V tail = c.exp(c.mul(c.sub(at, magnitude), 1.702f));
  const V up = c.add(c.add(a, linear), tail);
  const V root = c.add(a, 1);
  return c.mul(dy, c.mul(up, c.reciprocal(c.mul(root, root))));
}

/// s = 1 / (1 + e^b), b = -1.702 x: dy (b (s - 1) + 1) s.
NPU_PROGRAM(FastGeluGradDirect, InHalf<2>) {
  const V b = c.mul(x[1], -1.702f);
  const V s = c.reciprocal(c.add(c.exp(b), 1));
  return c.mul(x[0], c.mul(c.add(c.mul(b, c.add(s, -1)), 1), s));
}

//===----------------------------------------------------------------------===//
// Other activations
//===----------------------------------------------------------------------===//

/// alpha (e^x - 1) below zero, x above; p = alpha, scale, scale of the input
/// below zero.
NPU_PROGRAM(Elu, InFloatWithExp<1>) {
  const V below = c.min(x[0], 0), above = c.max(x[0], 0);
  const V scaled = p[2] == 1 ? below : c.mul(below, p[2]);
  const V negative = c.mul(c.add(c.exp(scaled), -1), p[0]);
  const V sum = c.add(negative, above);
  return p[1] == 1 ? sum : c.mul(sum, p[1]);
}

/// ln(1 + e^-|x|) + max(x, 0).
template <class C>
NPU_VECTOR_INLINE V softplus(C &c, V x) {
  return c.add(c.log(c.add(c.exp(c.neg(c.abs(x))), 1)), c.max(x, 0));
}

NPU_PROGRAM(Softplus, InFloatWithExp<1>) { return softplus(c, x[0]); }

NPU_PROGRAM(Softsign, InFloat<1>) { return c.div(x[0], c.add(c.abs(x[0]), 1)); }

NPU_PROGRAM(HardSwish, InFloat<1>) {
  const V gate = c.min(c.max(c.add(x[0], 3), 0), 6);
  return c.mul(c.mul(x[0], gate), 1.0f / 6);
}

/// p = alpha, beta.
NPU_PROGRAM(HardSigmoid, InFloat<1>) {
  return c.min(c.max(c.add(c.mul(x[0], p[0]), p[1]), 0), 1);
}

/// x / (1 + e^min(-scale x, 11.089)); p = -scale, and 1 if the product is an
/// fp16 instruction.
NPU_PROGRAM(Swish, InFloatAfterHalf<1>) {
  const V product = p[1] == 1 ? c.inHalf().mul(x[0], p[0]) : c.mul(x[0], p[0]);
  return c.div(x[0], c.add(c.exp(c.min(product, 11.089f)), 1));
}

/// x tanh(softplus x) = x ((1 + e^x)^2 - 1) / ((1 + e^x)^2 + 1), by
/// e = e^-|x| on the side where it does not overflow.
NPU_PROGRAM(Mish, InFloatWithExp<1>) {
  const V e = c.exp(c.neg(c.abs(x[0])));
  const V square = c.mul(e, e), twice = c.mul(e, 2);
  const V above =
      c.div(c.add(twice, 1), c.add(c.add(c.mul(square, 2), twice), 1));
  const V below = c.div(c.add(square, twice), c.add(c.add(square, twice), 2));
  return c.mul(x[0], c.selectGreater(x[0], 0, above, below));
}

/// Its Taylor series below 0.9; above, 7.1.26 of Abramowitz and Stegun:
/// 1 - (a1 t + ... + a5 t^5) e^-x^2 with t = 1 / (1 + 0.3275911 |x|).
template <class C>
NPU_VECTOR_INLINE V erf(C &c, V x) {
  const DF df;
  const V magnitude = c.abs(x);
  const V bounded = c.min(magnitude, 4);
  const V square = c.mul(bounded, bounded);
  V series = c.scalar(-1.0f / 6894720);
  for (float coefficient :
       {1.0f / 685440, -1.0f / 75600, 1.0f / 9360, -1.0f / 1320, 1.0f / 216,
        -1.0f / 42, 1.0f / 10, -1.0f / 3, 1.0f})
    series = c.add(c.mul(series, square), coefficient);
  const V small = c.mul(c.mul(bounded, series), 1.1283791671f);
  const V t = c.reciprocal(c.add(c.mul(bounded, 0.3275911f), 1));
  V sum = c.scalar(1.061405429f);
  for (float coefficient :
       {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
    sum = c.add(c.mul(sum, t), coefficient);
  const V tail = c.mul(c.mul(sum, t), c.exp(c.neg(square)));
  const V large = c.sub(c.scalar(1), tail);
  return hn::CopySign(
      hn::IfThenElse(hn::Lt(bounded, hn::Set(df, 0.9f)), small, large), x);
}

NPU_PROGRAM(Erf, InFloatWithExp<1>) { return erf(c, x[0]); }

/// x (1 + erf(x / sqrt 2)) / 2.
NPU_PROGRAM(GeluErf, InFloatWithExp<1>) {
  const V distribution = c.add(erf(c, c.mul(x[0], 0.70710678f)), 1);
  return c.mul(c.mul(x[0], 0.5f), distribution);
}

/// dy ((1 + erf(x / sqrt 2)) / 2 + x e^(-x^2 / 2) / sqrt(2 pi)), inputs dy, x.
NPU_PROGRAM(GeluGradErf, InFloatWithExp<2>) {
  const V at = x[1];
  const V distribution = c.mul(c.add(erf(c, c.mul(at, 0.70710678f)), 1), 0.5f);
  const V bounded = c.max(c.min(at, 20), -20);
  const V density =
      c.mul(c.exp(c.mul(c.mul(bounded, bounded), -0.5f)), 0.3989422804f);
  return c.mul(x[0], c.add(distribution, c.mul(bounded, density)));
}

/// x above zero, x * weight below.
NPU_PROGRAM(PRelu, InHalf<2>) {
  return c.selectGreater(x[0], 0, x[0], c.mul(x[0], x[1]));
}

/// x * y + z, two instructions.
NPU_PROGRAM(FusedMulAdd, InHalf<3>) { return c.add(c.mul(x[0], x[1]), x[2]); }

/// x where above p0, else 0.
NPU_PROGRAM(ThresholdedRelu, InHalf<1>) {
  return c.selectGreater(x[0], p[0], x[0], c.scalar(0));
}

/// Inputs x, least, most.
NPU_PROGRAM(Clip, InHalf<3>) { return c.max(c.min(x[0], x[2]), x[1]); }

NPU_PROGRAM(LogOnePlus, InFloatWithExp<1>) { return c.log(c.add(x[0], 1)); }
NPU_PROGRAM(ExpMinusOne, InFloatWithExp<1>) { return c.add(c.exp(x[0]), -1); }

//===----------------------------------------------------------------------===//
// Division, powers
//===----------------------------------------------------------------------===//

NPU_PROGRAM(FloorDiv, InFloat<2>) { return hn::Floor(c.div(x[0], x[1])); }
NPU_PROGRAM(FloorMod, InFloat<2>) {
  return c.sub(x[0], c.mul(hn::Floor(c.div(x[0], x[1])), x[1]));
}
NPU_PROGRAM(Mod, InFloat<2>) {
  return c.sub(x[0], c.mul(hn::Trunc(c.div(x[0], x[1])), x[1]));
}

/// |base|^y = e^(y ln |base|). Below zero the sign of a whole y's parity, NaN
/// for another y; 1 for y = 0.
template <class C>
NPU_VECTOR_INLINE V powerOf(C &c, V base, V y) {
  const DF df;
  const V zero = hn::Zero(df), one = hn::Set(df, 1);
  const auto isZero = hn::Eq(base, zero);
  // ln 0 is no overflow here: the result is 0 or, for y < 0, infinite.
  const V positive = hn::IfThenElse(isZero, one, hn::Abs(base));
  V result = c.exp(c.mul(y, c.log(positive)));
  const V half = hn::Mul(y, hn::Set(df, 0.5f));
  const auto isWhole = hn::Eq(hn::Floor(y), y);
  const auto isOdd = hn::And(isWhole, hn::Ne(hn::Floor(half), half));
  const auto isNegative = hn::Lt(base, zero);
  result = hn::IfThenElse(hn::And(isNegative, isOdd), hn::Neg(result), result);
  const V nan = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
  result = hn::IfThenElse(hn::And(isNegative, hn::Not(isWhole)), nan, result);
  const V atZero = c.selectGreater(
      y, 0, zero,
      c.div(one, hn::IfThenElseZero(hn::Not(hn::And(isZero, hn::Lt(y, zero))),
                                    one)));
  result = hn::IfThenElse(isZero, atZero, result);
  return hn::IfThenElse(hn::Eq(y, zero), one, result);
}

NPU_PROGRAM(Pow, InFloatWithExp<2>) { return powerOf(c, x[0], x[1]); }

/// (x * p1 + p2)^p0, for fp16 tensors (p3 = 1) by fp16 instructions but for exp
/// and ln and what is between them.
struct PowerScalar : InFloatAfterHalf<1> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    auto simple = [&](auto unit) HWY_ATTR {
      const V base = unit.add(unit.mul(x[0], p[1]), p[2]);
      if (p[0] == 2 || p[0] == 3) {
        const V square = unit.mul(base, base);
        return p[0] == 2 ? square : unit.mul(square, base);
      }
      return base;
    };
    const V base = p[3] == 1 ? simple(c.inHalf()) : simple(c);
    const bool isDone = p[0] == 1 || p[0] == 2 || p[0] == 3;
    y[0] = isDone ? base : powerOf(c, base, c.scalar(p[0]));
  }
};

//===----------------------------------------------------------------------===//
// Gradients of a result y and its gradient dy
//===----------------------------------------------------------------------===//

NPU_PROGRAM(TanhGrad, InFloat<2>) {
  return c.mul(x[1], c.add(c.neg(c.mul(x[0], x[0])), 1));
}
NPU_PROGRAM(SigmoidGrad, InFloat<2>) {
  return c.mul(c.mul(x[1], c.add(c.neg(x[0]), 1)), x[0]);
}
NPU_PROGRAM(SqrtGrad, InFloat<2>) { return c.div(c.mul(x[1], 0.5f), x[0]); }
NPU_PROGRAM(RsqrtGrad, InFloat<2>) {
  const V cube = c.mul(c.mul(x[0], x[0]), x[0]);
  return c.mul(c.mul(cube, x[1]), -0.5f);
}
NPU_PROGRAM(ReciprocalGrad, InFloat<2>) {
  return c.mul(c.neg(c.mul(x[0], x[0])), x[1]);
}

/// Inputs gradients, features; p0 = slope.
NPU_PROGRAM(LeakyReluGrad, InHalf<2>) {
  return c.selectGreater(x[1], 0, x[0], c.mul(x[0], p[0]));
}
NPU_PROGRAM(Relu6Grad, InHalf<2>) {
  const V zero = c.scalar(0);
  const V above = c.selectGreater(x[1], 0, x[0], zero);
  return hn::IfThenElseZero(hn::Lt(x[1], c.scalar(6)), above);
}

/// max(x, 0) - x z + ln(1 + e^-|x|), inputs x, z.
NPU_PROGRAM(SigmoidCrossEntropy, InFloatWithExp<2>) {
  const V difference = c.sub(c.max(x[0], 0), c.mul(x[0], x[1]));
  const V tail = c.log(c.add(c.exp(c.neg(c.abs(x[0]))), 1));
  return c.add(difference, tail);
}

template <OverflowMode M>
ElementwiseFunction select(ElementwiseOp op, ElementwisePath path) {
  switch (op) {
#define OP(NAME)                                                               \
  case ElementwiseOp::NAME:                                                    \
    return selectProgram<NAME, M>(path);
    OP(GeluSymmetric)
    OP(GeluDirect)
    OP(GeluErf)
    OP(GeluQuadratic)
    OP(GeluGradTanh)
    OP(GeluGradDirect)
    OP(GeluGradErf)
    OP(FastGeluSymmetric)
    OP(FastGeluDirect)
    OP(FastGeluGradSymmetric)
    OP(FastGeluGradDirect)
    OP(Elu)
    OP(Softplus)
    OP(Softsign)
    OP(HardSwish)
    OP(HardSigmoid)
    OP(Swish)
    OP(Mish)
    OP(Erf)
    OP(PRelu)
    OP(FusedMulAdd)
    OP(ThresholdedRelu)
    OP(Clip)
    OP(LogOnePlus)
    OP(ExpMinusOne)
    OP(FloorDiv)
    OP(FloorMod)
    OP(Mod)
    OP(Pow)
    OP(PowerScalar)
    OP(TanhGrad)
    OP(SigmoidGrad)
    OP(SqrtGrad)
    OP(RsqrtGrad)
    OP(ReciprocalGrad)
    OP(LeakyReluGrad)
    OP(Relu6Grad)
    OP(SigmoidCrossEntropy)
#undef OP
  default:
    return nullptr;
  }
}

} // namespace

ElementwiseFunction selectActivation(ElementwiseOp op, ElementwisePath path,
                                     OverflowMode mode) {
  return mode == OverflowMode::Saturate
             ? select<OverflowMode::Saturate>(op, path)
             : select<OverflowMode::InfNan>(op, path);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(selectActivation);

ElementwiseFunction getActivationFunction(ElementwiseOp op,
                                          ElementwisePath path,
                                          OverflowMode mode) {
  return HWY_DYNAMIC_DISPATCH(selectActivation)(op, path, mode);
}

} // namespace npu::kernels
#endif // HWY_ONCE
