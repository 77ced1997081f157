//===- OptimizerFloat.cpp - Programs of optimizers ------------------------===//
//
// Operands and results in the order of the operator's inputs and outputs
// (docs/Kernels.md).
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "OptimizerFloat.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "ElementwiseLoop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

/// Inputs var, accum, lr, grad, momentum; outputs var, accum.
template <bool Nesterov>
struct MomentumStep : ProgramTraits<5, 2> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    update(c, x[0], x[1], x[2], x[3], x[4], y);
  }
  template <class C>
  static NPU_VECTOR_INLINE void update(C &c, V var, V accum, V rate, V gradient,
                                       V momentum, V *y) {
    const V next = c.add(c.mul(accum, momentum), gradient);
    V step;
    if constexpr (Nesterov)
      step = c.add(c.mul(gradient, rate), c.mul(c.mul(next, momentum), rate));
    else
      step = c.mul(next, rate);
    y[0] = c.sub(var, step);
    y[1] = next;
  }
};
using Momentum = MomentumStep<false>;
using NesterovMomentum = MomentumStep<true>;

/// Inputs var, accum, lr, x1, momentum, x2, the gradient being x1 * x2.
template <bool Nesterov>
struct FusedStep : ProgramTraits<6, 2> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    MomentumStep<Nesterov>::update(c, x[0], x[1], x[2], c.mul(x[3], x[5]), x[4],
                                   y);
  }
};
using FusedMomentum = FusedStep<false>;
using FusedNesterovMomentum = FusedStep<true>;

/// The same with a copy of var, which only is an output as well: var, its copy,
/// accum.
template <bool Nesterov>
struct FusedStepWithCopy : ProgramTraits<7, 3> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    V results[2];
    FusedStep<Nesterov>::apply(c, p, x, results);
    y[0] = y[1] = results[0];
    y[2] = results[1];
  }
};
using FusedMomentumExtern = FusedStepWithCopy<false>;
using FusedNesterovMomentumExtern = FusedStepWithCopy<true>;

/// Inputs var, alpha, delta.
struct GradientDescent : ProgramTraits<3, 1, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    y[0] = c.sub(x[0], c.mul(x[2], x[1]));
  }
};

/// Inputs var, grad, lr, accum, momentum, stat; outputs var, accum, stat. A
/// stat above 0 marks the first step. p0 = 1 - dampening, p1 = weight decay, p2
/// = 1 for nesterov.
struct StochasticGradientDescent : ProgramTraits<6, 3> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V var = x[0], accum = x[3], momentum = x[4], stat = x[5];
    const V zero = c.scalar(0);
    const V gradient =
        p[1] == 0 ? x[1] : c.add(x[1], c.mul(var, c.scalar(p[1])));
    const auto isFirst = hn::Gt(stat, zero);
    const V next = hn::IfThenElse(
        isFirst, gradient,
        c.add(c.mul(accum, momentum), c.mul(gradient, c.scalar(p[0]))));
    const V direction =
        p[2] == 0 ? next : c.add(gradient, c.mul(next, momentum));
    // Without momentum there is no state.
    const auto hasMomentum = hn::Gt(momentum, zero);
    const V step = hn::IfThenElse(hasMomentum, direction, gradient);
    y[0] = c.sub(var, c.mul(step, x[2]));
    y[1] = hn::IfThenElse(hasMomentum, next, accum);
    y[2] = hn::IfThenElse(hn::And(hasMomentum, isFirst), zero, stat);
  }
};

/// Inputs grad, v, m, var, rate, beta1, 1 - beta1, beta2, 1 - beta2, [decay,]
/// epsilon; outputs v, m, var.
template <bool Decays>
struct AdamStep : ProgramTraits<Decays ? 11 : 10, 3, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V gradient = x[0];
    const V v =
        c.add(c.mul(x[1], x[7]), c.mul(c.mul(gradient, gradient), x[8]));
    const V m = c.add(c.mul(x[2], x[5]), c.mul(gradient, x[6]));
    V step = c.div(m, c.add(c.sqrt(v), x[Decays ? 10 : 9]));
    if constexpr (Decays)
      step = c.add(step, c.mul(x[3], x[9]));
    y[0] = v;
    y[1] = m;
    y[2] = c.sub(x[3], c.mul(step, x[4]));
  }
};
using AdamApplyOne = AdamStep<false>;
using AdamApplyOneWithDecay = AdamStep<true>;

/// Inputs var, m, v, beta1^t, beta2^t, lr, weight decay, beta1, beta2, epsilon,
/// grad; outputs var, m, v. p0 = 1, or -1 to maximize.
struct AdamWithDecoupledDecay : ProgramTraits<11, 3> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V one = c.scalar(1);
    const V gradient = p[0] < 0 ? c.neg(x[10]) : x[10];
    const V var = c.mul(x[0], c.sub(one, c.mul(x[5], x[6])));
    const V m = c.add(c.mul(x[1], x[7]), c.mul(gradient, c.sub(one, x[7])));
    const V v = c.add(c.mul(x[2], x[8]),
                      c.mul(c.mul(gradient, gradient), c.sub(one, x[8])));
    const V first = c.div(m, c.sub(one, x[3]));
    const V second = c.div(v, c.sub(one, x[4]));
    const V step = c.div(first, c.add(c.sqrt(second), x[9]));
    y[0] = c.sub(var, c.mul(x[5], step));
    y[1] = m;
    y[2] = v;
  }
};

/// Inputs var, m, v, largest v, beta1^t, beta2^t, lr, grad; outputs the first
/// four. p0 = beta1, p1 = beta2, p2 = epsilon.
struct AdamWithLargestMoment : ProgramTraits<8, 4> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V gradient = x[7], one = c.scalar(1);
    const V m =
        c.add(c.mul(x[1], c.scalar(p[0])), c.mul(gradient, c.scalar(1 - p[0])));
    const V v = c.add(c.mul(x[2], c.scalar(p[1])),
                      c.mul(c.mul(gradient, gradient), c.scalar(1 - p[1])));
    const V largest = c.max(x[3], v);
    const V rate =
        c.div(c.mul(x[6], c.sqrt(c.sub(one, x[5]))), c.sub(one, x[4]));
    y[0] = c.sub(x[0],
                 c.div(c.mul(rate, m), c.add(c.sqrt(largest), c.scalar(p[2]))));
    y[1] = m;
    y[2] = v;
    y[3] = largest;
  }
};

/// Inputs var, ms, mom, lr, grad; outputs var, ms, mom. p0 = rho, p1 =
/// momentum, p2 = epsilon.
struct RmsProp : ProgramTraits<5, 3> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V gradient = x[4];
    const V squares =
        c.add(c.mul(x[1], c.scalar(p[0])),
              c.mul(c.mul(gradient, gradient), c.scalar(1 - p[0])));
    const V step =
        c.div(c.mul(gradient, x[3]), c.sqrt(c.add(squares, c.scalar(p[2]))));
    const V momentum = c.add(c.mul(x[2], c.scalar(p[1])), step);
    y[0] = c.sub(x[0], momentum);
    y[1] = squares;
    y[2] = momentum;
  }
};

/// Inputs var, accum, lr, grad; outputs var, accum. p0 = 0 leaves accum as it
/// is.
struct Adagrad : ProgramTraits<4, 2> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V gradient = x[3];
    const V squares = p[0] == 0 ? x[1] : c.add(x[1], c.mul(gradient, gradient));
    y[0] = c.sub(x[0], c.div(c.mul(gradient, x[2]), c.sqrt(squares)));
    y[1] = squares;
  }
};

/// Inputs grad, v, m, var, beta1, 1 - beta1, beta2, 1 - beta2, epsilon, steps,
/// whether to decay, decay; outputs update, v, m. Powers of beta by exp and ln.
struct LambApplyOptimizer : ProgramTraits<12, 3, false, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V gradient = x[0];
    const V v =
        c.add(c.mul(x[1], x[6]), c.mul(c.mul(gradient, gradient), x[7]));
    const V m = c.add(c.mul(x[2], x[4]), c.mul(gradient, x[5]));
    const V first = c.div(m, correction(c, x[4], x[9]));
    const V second = c.div(v, correction(c, x[6], x[9]));
    const V step = c.div(first, c.add(c.sqrt(second), x[8]));
    y[0] = c.add(c.mul(c.mul(x[3], x[11]), x[10]), step);
    y[1] = v;
    y[2] = m;
  }
  /// 1 - beta^steps.
  template <class C>
  static NPU_VECTOR_INLINE V correction(C &c, V beta, V steps) {
    return c.add(c.neg(c.exp(c.mul(steps, c.log(beta)))), 1);
  }
};

/// Inputs as the operator's; outputs the step by 1 / sqrt(v + epsilon) with
/// decay, m, v, the step by 1 / (sqrt(v) + epsilon), with decay if \p Decays.
template <bool Decays>
struct LambNextStep : ProgramTraits<13, 4, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V epsilon = x[12];
    const V v = c.add(c.mul(x[1], x[9]), c.mul(x[0], x[10]));
    const V m = c.add(c.mul(x[4], x[7]), c.mul(x[3], x[8]));
    const V second = c.div(v, x[2]), first = c.div(m, x[5]);
    const V root = c.reciprocal(c.sqrt(c.add(second, epsilon)));
    const V sum = c.add(c.sqrt(second), epsilon);
    const V decay = c.mul(x[6], x[11]);
    y[0] = c.add(decay, c.mul(root, first));
    y[1] = m;
    y[2] = v;
    const V step = c.div(first, sum);
    if constexpr (Decays)
      y[3] = c.add(decay, step);
    else
      y[3] = step;
  }
};
using LambNext = LambNextStep<false>;
using LambNextWithDecay = LambNextStep<true>;

/// Inputs gradient, v, beta2, 1 - beta2, 1 / correction, epsilon; outputs v and
/// sqrt(v / correction) + epsilon.
struct LambNextSquares : ProgramTraits<6, 2, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V squares = c.mul(c.mul(x[0], x[0]), x[3]);
    y[0] = c.add(c.mul(x[1], x[2]), squares);
    y[1] = c.add(x[5], c.sqrt(c.mul(y[0], x[4])));
  }
};

/// Inputs w, gradient, sums of their squares, decay, rate. p0 = hyperparameter,
/// p1 = epsilon, p2 = 1 to clip.
struct LarsUpdate : ProgramTraits<6> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params p, const V *x, V *y) {
    const V norm = c.sqrt(x[2]);
    const V sum = c.add(c.mul(norm, x[4]), c.sqrt(x[3]));
    V factor = c.div(c.mul(norm, p[0]), c.add(sum, p[1]));
    if (p[2] != 0)
      factor = c.max(c.min(c.div(factor, x[5]), 1), 0);
    y[0] = c.mul(c.add(c.mul(x[0], x[4]), x[1]), factor);
  }
};

/// a / b in lanes of \p mask, else \p other.
template <class C>
NPU_VECTOR_INLINE V trustRatio(C &c, hn::Mask<DF> mask, V a, V b, V other) {
  // The quotient of the other lanes is nobody's: no division by zero there.
  const V one = c.scalar(1);
  const V quotient =
      c.div(hn::IfThenElse(mask, a, one), hn::IfThenElse(mask, b, one));
  return hn::IfThenElse(mask, quotient, other);
}

/// Inputs norm tested, norm above, norm below, rate, update, var, limit, ratio
/// otherwise, largest ratio.
struct LambUpdate : ProgramTraits<9, 1, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V chosen = trustRatio(
        c, hn::And(hn::Gt(x[0], x[6]), hn::Gt(x[1], x[6])), x[1], x[2], x[7]);
    const V ratio = c.max(c.min(chosen, x[8]), x[6]);
    y[0] = c.sub(x[5], c.mul(c.mul(ratio, x[3]), x[4]));
  }
};

/// Inputs norm of var, norm of update, rate, update, var, limit, ratio
/// otherwise.
struct LambUpdateV2 : ProgramTraits<7, 1, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V ratio = trustRatio(
        c, hn::And(hn::Gt(x[0], x[5]), hn::Gt(x[1], x[5])), x[0], x[1], x[6]);
    y[0] = c.sub(x[4], c.mul(c.mul(ratio, x[2]), x[3]));
  }
};

/// The same with limit 0 and ratio 1 otherwise.
struct LambApplyWeight : ProgramTraits<5, 1, true> {
  template <class C>
  static NPU_VECTOR_INLINE void apply(C &c, Params, const V *x, V *y) {
    const V ratio = trustRatio(
        c, hn::And(hn::Gt(x[0], c.scalar(0)), hn::Gt(x[1], c.scalar(0))), x[0],
        x[1], c.scalar(1));
    y[0] = c.sub(x[4], c.mul(c.mul(ratio, x[2]), x[3]));
  }
};

template <OverflowMode M>
ElementwiseFunction select(ElementwiseOp op, ElementwisePath path) {
  switch (op) {
#define OP(NAME)                                                               \
  case ElementwiseOp::NAME:                                                    \
    return selectProgram<NAME, M>(path);
    OP(Momentum)
    OP(NesterovMomentum)
    OP(FusedMomentum)
    OP(FusedNesterovMomentum)
    OP(FusedMomentumExtern)
    OP(FusedNesterovMomentumExtern)
    OP(GradientDescent)
    OP(StochasticGradientDescent)
    OP(AdamApplyOne)
    OP(AdamApplyOneWithDecay)
    OP(AdamWithDecoupledDecay)
    OP(AdamWithLargestMoment)
    OP(RmsProp)
    OP(Adagrad)
    OP(LambApplyOptimizer)
    OP(LambNext)
    OP(LambNextWithDecay)
    OP(LambNextSquares)
    OP(LarsUpdate)
    OP(LambUpdate)
    OP(LambUpdateV2)
    OP(LambApplyWeight)
#undef OP
  default:
    return nullptr;
  }
}

} // namespace

ElementwiseFunction selectOptimizer(ElementwiseOp op, ElementwisePath path,
                                    OverflowMode mode) {
  return mode == OverflowMode::Saturate
             ? select<OverflowMode::Saturate>(op, path)
             : select<OverflowMode::InfNan>(op, path);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(selectOptimizer);

ElementwiseFunction getOptimizerFunction(ElementwiseOp op, ElementwisePath path,
                                         OverflowMode mode) {
  return HWY_DYNAMIC_DISPATCH(selectOptimizer)(op, path, mode);
}

} // namespace npu::kernels
#endif // HWY_ONCE
