//===- ElementwiseLoop-inl.h - Programs on chunks of elements --*- C++ -*-===//
//
// What the files with programs of element-wise operators share.
//
// Included once for each target, after hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#if defined(NPU_LIB_KERNELS_ELEMENTWISELOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_ELEMENTWISELOOP_INL_H
#undef NPU_LIB_KERNELS_ELEMENTWISELOOP_INL_H
#else
#define NPU_LIB_KERNELS_ELEMENTWISELOOP_INL_H
#endif

#include "ElementwiseOps.h"
#include "VectorUnit-inl.h"

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {

using Params = std::span<const float>;

/// What one instruction gives, as the operand of the next.
template <class U, class A>
HWY_INLINE V settle(U &, A a) {
  if constexpr (std::is_same_v<A, V>)
    return a;
  else
    return U::use(a);
}

/// x * scale + shift, without the instructions that change nothing.
template <class U>
HWY_INLINE V scaleAndShift(U &unit, V x, float scale, float shift) {
  if (scale != 1)
    x = settle(unit, unit.mul(x, unit.scalar(scale)));
  if (shift != 0)
    x = settle(unit, unit.add(x, unit.scalar(shift)));
  return x;
}

/// Elements from \p from on, \p n of them; the first once more in lanes that
/// have none, so that those raise nothing of their own.
template <class Memory>
HWY_INLINE V loadSome(const typename Memory::Element *from, size_t n) {
  if (HWY_LIKELY(n == hn::Lanes(DF())))
    return Memory::load(from);
  typename Memory::Element lanes[hn::MaxLanes(DF())];
  std::fill(std::begin(lanes), std::end(lanes), from[0]);
  std::copy_n(from, n, lanes);
  return Memory::load(lanes);
}

template <class Memory, class U, class A>
HWY_INLINE void storeSome(U &unit, A value, typename Memory::Element *to,
                          size_t n) {
  if (HWY_LIKELY(n == hn::Lanes(DF())))
    return unit.template store<Memory>(value, to);
  typename Memory::Element lanes[hn::MaxLanes(DF())];
  unit.template store<Memory>(value, lanes);
  std::copy_n(lanes, n, to);
}

template <class U>
inline constexpr bool RoundsToHalf = false;
template <OverflowMode M>
inline constexpr bool RoundsToHalf<HalfUnit<M>> = true;

/// The instructions of a unit with settled results: for programs that keep
/// values in variables and select between them.
template <class U>
class Chain {
public:
  /// Whether instructions round to fp16.
  static constexpr bool InHalf = RoundsToHalf<U>;
  /// Of the type that they round to.
  static constexpr float SmallestNormal =
      RoundsToHalf<U> ? 0x1p-14f : 0x1p-126f;

  explicit HWY_INLINE Chain(U &unit) : unit(unit) {}

  HWY_INLINE V scalar(float value) { return unit.scalar(value); }
  HWY_INLINE V add(V a, V b) { return settle(unit, unit.add(a, b)); }
  HWY_INLINE V sub(V a, V b) { return settle(unit, unit.sub(a, b)); }
  HWY_INLINE V mul(V a, V b) { return settle(unit, unit.mul(a, b)); }
  HWY_INLINE V div(V a, V b) { return settle(unit, unit.div(a, b)); }
  HWY_INLINE V max(V a, V b) { return unit.max(a, b); }
  HWY_INLINE V min(V a, V b) { return unit.min(a, b); }
  HWY_INLINE V add(V a, float b) { return add(a, scalar(b)); }
  HWY_INLINE V mul(V a, float b) { return mul(a, scalar(b)); }
  HWY_INLINE V max(V a, float b) { return max(a, scalar(b)); }
  HWY_INLINE V min(V a, float b) { return min(a, scalar(b)); }
  HWY_INLINE V abs(V a) { return unit.abs(a); }
  HWY_INLINE V neg(V a) { return unit.neg(a); }
  /// fp16 instructions on fp16 values, on a unit that is fp32 otherwise too.
  HWY_INLINE auto inHalf() {
    if constexpr (RoundsToHalf<U>)
      return *this;
    else
      return Chain<std::remove_reference_t<decltype(unit.halfUnit())>>(
          unit.halfUnit());
  }
  HWY_INLINE V sqrt(V a) { return settle(unit, unit.sqrt(a)); }
  HWY_INLINE V exp(V a) { return settle(unit, unit.exp(a)); }
  HWY_INLINE V log(V a) { return settle(unit, unit.log(a)); }
  /// 1 / a.
  HWY_INLINE V reciprocal(V a) { return div(scalar(1), a); }
  /// a > b ? x : y; no arithmetic.
  HWY_INLINE V selectGreater(V a, float b, V x, V y) {
    return hn::IfThenElse(hn::Gt(a, scalar(b)), x, y);
  }

private:
  U &unit;
};

/// Runs Program::apply(chain, params, x, y), which makes the Program::Results
/// values y of the Program::Operands values x, on every element.
template <class Program, class U, class Memory>
StatusBits runProgram(const ElementwiseArgs &args) {
  U unit;
  const size_t lanes = hn::Lanes(DF());
  for (size_t at = 0; at < args.count; at += lanes) {
    const size_t n = std::min(lanes, args.count - at);
    V x[Program::Operands], y[Program::Results];
    for (size_t i = 0; i < Program::Operands; ++i)
      x[i] = loadSome<Memory>(
          static_cast<const typename Memory::Element *>(args.inputs[i]) + at,
          n);
    Chain<U> chain(unit);
    Program::apply(chain, args.params, x, y);
    for (size_t i = 0; i < Program::Results; ++i)
      storeSome<Memory>(
          unit, y[i],
          static_cast<typename Memory::Element *>(args.outputs[i]) + at, n);
  }
  return unit.template status<Memory>();
}

/// The function for \p path: every program runs in fp32; those with InHalf in
/// fp16 too, those with HalfExp also with exp and ln in fp16.
template <class Program, OverflowMode M>
ElementwiseFunction selectProgram(ElementwisePath path) {
  // fp32 arithmetic is the same in both modes.
  constexpr OverflowMode FloatMode =
      Program::HalfInstructions ? M : OverflowMode::InfNan;
  if constexpr (Program::InHalf)
    if (path == ElementwisePath::Half)
      return runProgram<Program, HalfUnit<M>, HalfMemory>;
  if constexpr (Program::HalfExp)
    if (path == ElementwisePath::FloatHalfExp)
      return runProgram<Program, FloatUnit<M, true>, FloatMemory>;
  return runProgram<Program, FloatUnit<FloatMode>, FloatMemory>;
}

/// What programs derive from.
template <size_t NumOperands, size_t NumResults = 1, bool Half = false,
          bool Exp = false>
struct ProgramTraits {
  static constexpr size_t Operands = NumOperands, Results = NumResults;
  static constexpr bool InHalf = Half, HalfExp = Exp;
  /// Whether fp32 programs have fp16 instructions.
  static constexpr bool HalfInstructions = false;
};

// Kinds of programs by the units they run on.
template <size_t Operands>
using InFloat = ProgramTraits<Operands>;
template <size_t Operands>
using InFloatWithExp = ProgramTraits<Operands, 1, false, true>;
template <size_t Operands>
struct InFloatAfterHalf : InFloatWithExp<Operands> {
  static constexpr bool HalfInstructions = true;
};
template <size_t Operands>
using InHalf = ProgramTraits<Operands, 1, true, false>;
template <size_t Operands>
using InHalfWithExp = ProgramTraits<Operands, 1, true, true>;

/// A program of one result, whose body computes it from x and p by c.
#ifndef NPU_PROGRAM
#define NPU_PROGRAM(NAME, ...)                                                 \
  struct NAME : __VA_ARGS__ {                                                  \
    template <class C>                                                         \
    static HWY_INLINE void apply(C &c, Params p, const V *x, V *y) {           \
      y[0] = compute(c, p, x);                                                 \
    }                                                                          \
    template <class C>                                                         \
    static NPU_VECTOR_INLINE V compute(C &c, Params p, const V *x);            \
  };                                                                           \
  template <class C>                                                           \
  NPU_VECTOR_INLINE V NAME::compute(C &c, [[maybe_unused]] Params p,           \
                                    const V *x)
#endif

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_ELEMENTWISELOOP_INL_H
