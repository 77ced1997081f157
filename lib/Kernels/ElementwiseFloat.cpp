//===- ElementwiseFloat.cpp - Programs of floating-point operators --------===//
//
// One program for an operator, written in instructions of a unit
// (VectorUnit-inl.h). What is rounded where follows from the unit.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ElementwiseFloat.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "ElementwiseLoop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

#define BINARY_PROGRAM(NAME, INSTRUCTION)                                      \
  struct NAME {                                                                \
    template <class U>                                                         \
    static HWY_INLINE auto apply(U &unit, Params, V a, V b) {                  \
      return unit.INSTRUCTION(a, b);                                           \
    }                                                                          \
  };
BINARY_PROGRAM(Add, add)
BINARY_PROGRAM(Sub, sub)
BINARY_PROGRAM(Mul, mul)
BINARY_PROGRAM(Div, div)
BINARY_PROGRAM(Maximum, max)
BINARY_PROGRAM(Minimum, min)
#undef BINARY_PROGRAM

#define UNARY_PROGRAM(NAME, ...)                                               \
  struct NAME {                                                                \
    template <class U>                                                         \
    static HWY_INLINE auto apply(U &unit, Params p, V x) {                     \
      return __VA_ARGS__;                                                      \
    }                                                                          \
  };
UNARY_PROGRAM(Neg, unit.neg(x))
UNARY_PROGRAM(Abs, unit.abs(x))
UNARY_PROGRAM(Square, unit.mul(x, x))
UNARY_PROGRAM(Sqrt, unit.sqrt(x))
UNARY_PROGRAM(Rsqrt, unit.div(unit.scalar(1), unit.sqrt(x)))
UNARY_PROGRAM(Reciprocal, unit.div(unit.scalar(1), x))
UNARY_PROGRAM(Relu, unit.max(x, unit.scalar(0)))
UNARY_PROGRAM(Relu6, unit.min(unit.max(x, unit.scalar(0)), unit.scalar(6)))
UNARY_PROGRAM(MulScalar, unit.mul(x, unit.scalar(p[0])))
UNARY_PROGRAM(AddScalar, unit.add(x, unit.scalar(p[0])))
#undef UNARY_PROGRAM

struct Exp {
  template <class U>
  static HWY_INLINE auto apply(U &unit, Params p, V x) {
    return unit.exp(
        scaleAndShift(unit, scaleAndShift(unit, x, p[0], p[1]), p[2], 0));
  }
};

struct Log {
  template <class U>
  static HWY_INLINE auto apply(U &unit, Params p, V x) {
    const V result = settle(unit, unit.log(scaleAndShift(unit, x, p[0], p[1])));
    return scaleAndShift(unit, result, p[2], 0);
  }
};

struct LeakyRelu {
  template <class U>
  static HWY_INLINE V apply(U &unit, Params p, V x) {
    const float slope = p[0];
    if (slope == 0)
      return unit.max(x, unit.scalar(0));
    const V scaled = settle(unit, unit.mul(x, unit.scalar(slope)));
    return slope <= 1 ? unit.max(x, scaled) : unit.min(x, scaled);
  }
};

struct DivNoNan {
  template <class U>
  static HWY_INLINE V apply(U &unit, Params, V a, V b) {
    const auto isZero = hn::Eq(b, hn::Zero(DF()));
    const V divisor = hn::IfThenElse(isZero, unit.scalar(1), b);
    return hn::IfThenZeroElse(isZero, settle(unit, unit.div(a, divisor)));
  }
};

struct ReluGrad {
  template <class U>
  static HWY_INLINE auto apply(U &unit, Params, V gradient, V feature) {
    const V factor =
        hn::IfThenElseZero(hn::Gt(feature, hn::Zero(DF())), unit.scalar(1));
    return unit.mul(gradient, factor);
  }
};

struct Sigmoid {
  template <class U>
  static HWY_INLINE auto apply(U &unit, Params, V x) {
    // Keeps the fp16 exp below the largest value; does nothing in fp32, where
    // the exp of every fp16 value but the most negative ones is finite.
    if constexpr (std::is_same_v<U, HalfUnit<OverflowMode::Saturate>> ||
                  std::is_same_v<U, HalfUnit<OverflowMode::InfNan>>)
      x = unit.max(x, unit.scalar(-11.089f));
    return unit.div(unit.scalar(1),
                    unit.add(unit.exp(unit.neg(x)), unit.scalar(1)));
  }
};

/// Below 0.55 a polynomial in x^2, above (e^2x - 1) / (e^2x + 1).
struct Tanh {
  template <class U>
  static HWY_INLINE V apply(U &unit, Params, V x) {
    const DF df;
    // Both ends are bounded, so that no lane overflows fp32 on either way.
    const V bounded = unit.max(unit.min(x, unit.scalar(20)), unit.scalar(-20));
    const V square = settle(unit, unit.mul(bounded, bounded));
    V sum = unit.scalar(0.0157396831f);
    for (float coefficient : {-0.0523039624f, 0.133152977f, -0.333327681f})
      sum = settle(unit,
                   unit.add(unit.mul(sum, square), unit.scalar(coefficient)));
    const V cube = settle(unit, unit.mul(square, bounded));
    const V small = settle(unit, unit.add(bounded, unit.mul(cube, sum)));
    const V power = settle(unit, unit.exp(unit.add(bounded, bounded)));
    const V large = settle(unit, unit.div(unit.sub(power, unit.scalar(1)),
                                          unit.add(power, unit.scalar(1))));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(df, 0.55f)), small, large);
  }
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A program of as many operands as its apply takes.
template <class Program>
struct Mapped {
  template <class U, class Source>
  static HWY_INLINE auto compute(U &unit, const ElementwiseArgs &args,
                                 size_t at, size_t n) {
    auto operand = [&](size_t i) HWY_ATTR {
      return loadSome<Source>(
          static_cast<const typename Source::Element *>(args.inputs[i]) + at,
          n);
    };
    if constexpr (requires(V v) { Program::apply(unit, args.params, v); })
      return Program::apply(unit, args.params, operand(0));
    else
      return Program::apply(unit, args.params, operand(0), operand(1));
  }
};

/// Any number of operands, combined from left to right.
template <class Program, bool Weighted = false>
struct Folded {
  template <class U, class Source>
  static HWY_INLINE V compute(U &unit, const ElementwiseArgs &args, size_t at,
                              size_t n) {
    auto operand = [&](size_t i) HWY_ATTR {
      const V v = loadSome<Source>(
          static_cast<const typename Source::Element *>(args.inputs[i]) + at,
          n);
      if constexpr (Weighted)
        return scaleAndShift(unit, v, args.params[i], 0);
      else
        return v;
    };
    V result = operand(0);
    for (size_t i = 1; i < args.inputs.size(); ++i)
      result =
          settle(unit, Program::apply(unit, args.params, result, operand(i)));
    return result;
  }
};

template <class Step, class U, class Memory>
StatusBits run(const ElementwiseArgs &args) {
  U unit;
  const size_t lanes = hn::Lanes(DF());
  auto *to = static_cast<typename Memory::Element *>(args.outputs[0]);
  for (size_t at = 0; at < args.count; at += lanes) {
    const size_t n = std::min(lanes, args.count - at);
    storeSome<Memory>(
        unit, Step::template compute<U, Memory>(unit, args, at, n), to + at, n);
  }
  return unit.template status<Memory>();
}

template <class Step, OverflowMode M>
ElementwiseFunction select(ElementwisePath path) {
  // fp32 arithmetic is the same in both modes.
  constexpr OverflowMode AnyMode = OverflowMode::InfNan;
  switch (path) {
  case ElementwisePath::Half:
    return run<Step, HalfUnit<M>, HalfMemory>;
  case ElementwisePath::FloatHalfExp:
    if constexpr (std::is_same_v<Step, Mapped<Exp>> ||
                  std::is_same_v<Step, Mapped<Log>> ||
                  std::is_same_v<Step, Mapped<Sigmoid>> ||
                  std::is_same_v<Step, Mapped<Tanh>>)
      return run<Step, FloatUnit<M, true>, FloatMemory>;
    [[fallthrough]];
  case ElementwisePath::Float:
    return run<Step, FloatUnit<AnyMode>, FloatMemory>;
  }
  return nullptr;
}

template <OverflowMode M>
ElementwiseFunction select(ElementwiseOp op, ElementwisePath path) {
  switch (op) {
  case ElementwiseOp::Add:
    return select<Mapped<Add>, M>(path);
  case ElementwiseOp::Sub:
    return select<Mapped<Sub>, M>(path);
  case ElementwiseOp::Mul:
    return select<Mapped<Mul>, M>(path);
  case ElementwiseOp::Div:
    return select<Mapped<Div>, M>(path);
  case ElementwiseOp::Maximum:
    return select<Mapped<Maximum>, M>(path);
  case ElementwiseOp::Minimum:
    return select<Mapped<Minimum>, M>(path);
  case ElementwiseOp::Neg:
    return select<Mapped<Neg>, M>(path);
  case ElementwiseOp::Abs:
    return select<Mapped<Abs>, M>(path);
  case ElementwiseOp::Square:
    return select<Mapped<Square>, M>(path);
  case ElementwiseOp::Sqrt:
    return select<Mapped<Sqrt>, M>(path);
  case ElementwiseOp::Rsqrt:
    return select<Mapped<Rsqrt>, M>(path);
  case ElementwiseOp::Reciprocal:
    return select<Mapped<Reciprocal>, M>(path);
  case ElementwiseOp::Exp:
    return select<Mapped<Exp>, M>(path);
  case ElementwiseOp::Log:
    return select<Mapped<Log>, M>(path);
  case ElementwiseOp::Relu:
    return select<Mapped<Relu>, M>(path);
  case ElementwiseOp::Relu6:
    return select<Mapped<Relu6>, M>(path);
  case ElementwiseOp::LeakyRelu:
    return select<Mapped<LeakyRelu>, M>(path);
  case ElementwiseOp::Sigmoid:
    return select<Mapped<Sigmoid>, M>(path);
  case ElementwiseOp::Tanh:
    return select<Mapped<Tanh>, M>(path);
  case ElementwiseOp::MulScalar:
    return select<Mapped<MulScalar>, M>(path);
  case ElementwiseOp::AddScalar:
    return select<Mapped<AddScalar>, M>(path);
  case ElementwiseOp::Sum:
    return select<Folded<Add>, M>(path);
  case ElementwiseOp::Product:
    return select<Folded<Mul>, M>(path);
  case ElementwiseOp::Largest:
    return select<Folded<Maximum>, M>(path);
  case ElementwiseOp::DivNoNan:
    return select<Mapped<DivNoNan>, M>(path);
  case ElementwiseOp::ReluGrad:
    return select<Mapped<ReluGrad>, M>(path);
  case ElementwiseOp::WeightedSum:
    return select<Folded<Add, true>, M>(path);
  default:
    return nullptr;
  }
}

} // namespace

ElementwiseFunction selectFloatFunction(ElementwiseOp op, ElementwisePath path,
                                        OverflowMode mode) {
  return mode == OverflowMode::Saturate
             ? select<OverflowMode::Saturate>(op, path)
             : select<OverflowMode::InfNan>(op, path);
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(selectFloatFunction);

ElementwiseFunction getFloatFunction(ElementwiseOp op, ElementwisePath path,
                                     OverflowMode mode) {
  if (op >= ElementwiseOp::Momentum)
    return getOptimizerFunction(op, path, mode);
  if (op >= ElementwiseOp::GeluSymmetric)
    return getActivationFunction(op, path, mode);
  if (op >= ElementwiseOp::SquaredDifference)
    return getSimpleMathFunction(op, path, mode);
  return HWY_DYNAMIC_DISPATCH(selectFloatFunction)(op, path, mode);
}

} // namespace npu::kernels
#endif // HWY_ONCE
