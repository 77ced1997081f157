//===- VectorUnit-inl.h - The vector instructions of the NPU ---*- C++ -*-===//
//
// An operator is written once as a program of vector instructions; the unit
// that runs it decides where results are rounded and which status bits they
// raise (reference rows in docs/Kernels.md):
//
//   HalfUnit    every instruction rounds its result to fp16
//   FloatUnit   fp32 instructions; whoever wants another type rounds at the end
//
// A HalfUnit gives its result as Pending, not yet rounded, so that the last
// instruction of a program is rounded by the store alone.
//
// Included once for each target, after hwy/highway.h.
//
//===----------------------------------------------------------------------===//

#if defined(NPU_LIB_KERNELS_VECTORUNIT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef NPU_LIB_KERNELS_VECTORUNIT_INL_H
#undef NPU_LIB_KERNELS_VECTORUNIT_INL_H
#else
#define NPU_LIB_KERNELS_VECTORUNIT_INL_H
#endif

#include "VectorMath-inl.h"
#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {

namespace nn = npu::numerics::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using V = hn::Vec<DF>;

//===----------------------------------------------------------------------===//
// Element types in memory
//===----------------------------------------------------------------------===//

struct HalfMemory {
  using Element = uint16_t;
  static HWY_INLINE V load(const Element *from) {
    return nn::loadHalf(DF(), from);
  }
  template <OverflowMode M>
  static HWY_INLINE void store(V v, Element *to) {
    nn::storeHalf<M>(DF(), v, to);
  }
};

/// fp32 keeps infinities and NaNs in both modes: saturation covers the 16-bit
/// types only.
struct FloatMemory {
  using Element = float;
  static HWY_INLINE V load(const Element *from) {
    return hn::LoadU(DF(), from);
  }
  template <OverflowMode M>
  static HWY_INLINE void store(V v, Element *to) {
    hn::StoreU(nn::canonicalizeNaN(DF(), v), DF(), to);
  }
};

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// A result that is to be rounded when it is used.
struct Pending {
  V value;
};

template <OverflowMode M>
class HalfUnit {
public:
  static NPU_VECTOR_INLINE V use(V v) { return v; }
  static NPU_VECTOR_INLINE V use(Pending p) {
    return nn::roundToHalf<M>(DF(), p.value);
  }
  /// A scalar operand, rounded to fp16 as the instruction's register holds it.
  static NPU_VECTOR_INLINE V scalar(float value) {
    return nn::roundToHalf<M>(DF(), hn::Set(DF(), value));
  }

  template <class A, class B>
  NPU_VECTOR_INLINE Pending add(A a, B b) {
    return tracked(hn::Add(use(a), use(b)));
  }
  template <class A, class B>
  NPU_VECTOR_INLINE Pending sub(A a, B b) {
    return tracked(hn::Sub(use(a), use(b)));
  }
  template <class A, class B>
  NPU_VECTOR_INLINE Pending mul(A a, B b) {
    const V result = hn::Mul(use(a), use(b));
    underflow.update(result);
    return tracked(result);
  }
  template <class A, class B>
  NPU_VECTOR_INLINE Pending div(A a, B b) {
    const V x = use(a), y = use(b);
    const V result = hn::Div(x, y);
    overflow.update(result, nn::areFinite(DF(), x, y));
    // A quotient by an infinity is zero without having been too small.
    underflow.update(
        hn::IfThenElse(nn::isFinite(DF(), y), result, hn::Set(DF(), 1.0f)));
    return {result};
  }
  template <class A, class B>
  NPU_VECTOR_INLINE V max(A a, B b) {
    const V x = use(a), y = use(b);
    overflow.update(x);
    overflow.update(y);
    return nn::maximum(DF(), x, y);
  }
  template <class A, class B>
  NPU_VECTOR_INLINE V min(A a, B b) {
    const V x = use(a), y = use(b);
    overflow.update(x);
    overflow.update(y);
    return nn::minimum(DF(), x, y);
  }
  template <class A>
  NPU_VECTOR_INLINE V abs(A a) {
    const V x = use(a);
    overflow.update(x);
    return hn::Abs(x);
  }
  template <class A>
  NPU_VECTOR_INLINE V neg(A a) {
    const V x = use(a);
    overflow.update(x);
    return hn::Neg(x);
  }
  template <class A>
  NPU_VECTOR_INLINE Pending sqrt(A a) {
    const V x = use(a);
    return unary(x, hn::Sqrt(x));
  }
  template <class A>
  NPU_VECTOR_INLINE Pending exp(A a) {
    const V x = use(a);
    const V result = expLanes(DF(), x);
    // Where fp32 has zero already, a finite x still underflowed.
    underflow.update(hn::IfThenElse(nn::isFinite(DF(), x),
                                    hn::Add(result, hn::Set(DF(), 0x1p-126f)),
                                    hn::Set(DF(), 1.0f)));
    return unary(x, result);
  }
  template <class A>
  NPU_VECTOR_INLINE Pending log(A a) {
    const V x = use(a);
    return unary(x, logLanes(DF(), x));
  }

  template <class Memory, class A>
  NPU_VECTOR_INLINE void store(A a, typename Memory::Element *to) {
    Memory::template store<M>(rawValue(a), to);
  }
  template <class Memory>
  StatusBits status() const {
    return overflow.status(numerics::HalfOverflowLimit,
                           npu::status::FloatOverflow) |
           underflow.status(numerics::HalfUnderflowLimit,
                            npu::status::FloatUnderflow);
  }

private:
  nn::OverflowTracker<DF> overflow{DF()};
  nn::UnderflowTracker<DF> underflow{DF()};

  static NPU_VECTOR_INLINE V rawValue(V v) { return v; }
  static NPU_VECTOR_INLINE V rawValue(Pending p) { return p.value; }

  NPU_VECTOR_INLINE Pending tracked(V result) {
    overflow.update(result);
    return {result};
  }
  NPU_VECTOR_INLINE Pending unary(V operand, V result) {
    overflow.update(result, nn::isFinite(DF(), operand));
    return {result};
  }
};

/// With \p HalfExp, exp and ln go through fp16: the SoC has them in no other
/// precision.
template <OverflowMode M, bool HalfExp = false>
class FloatUnit {
public:
  static HWY_INLINE V use(V v) { return v; }
  static NPU_VECTOR_INLINE V scalar(float value) {
    return hn::Set(DF(), value);
  }

  NPU_VECTOR_INLINE V add(V a, V b) { return binary(a, b, hn::Add(a, b)); }
  NPU_VECTOR_INLINE V sub(V a, V b) { return binary(a, b, hn::Sub(a, b)); }
  NPU_VECTOR_INLINE V mul(V a, V b) { return binary(a, b, hn::Mul(a, b)); }
  NPU_VECTOR_INLINE V div(V a, V b) { return binary(a, b, hn::Div(a, b)); }
  /// The unit for fp16 instructions on fp16 values.
  HalfUnit<M> &halfUnit() { return half; }
  NPU_VECTOR_INLINE V max(V a, V b) {
    return binary(a, b, nn::maximum(DF(), a, b));
  }
  NPU_VECTOR_INLINE V min(V a, V b) {
    return binary(a, b, nn::minimum(DF(), a, b));
  }
  NPU_VECTOR_INLINE V abs(V a) { return unary(a, hn::Abs(a)); }
  NPU_VECTOR_INLINE V neg(V a) { return unary(a, hn::Neg(a)); }
  NPU_VECTOR_INLINE V sqrt(V a) { return unary(a, hn::Sqrt(a)); }
  NPU_VECTOR_INLINE V exp(V a) {
    if constexpr (HalfExp)
      return HalfUnit<M>::use(half.exp(narrowed(a)));
    else
      return unary(a, expLanes(DF(), a));
  }
  NPU_VECTOR_INLINE V log(V a) {
    if constexpr (HalfExp)
      return HalfUnit<M>::use(half.log(narrowed(a)));
    else
      return unary(a, logLanes(DF(), a));
  }

  template <class Memory>
  NPU_VECTOR_INLINE void store(V v, typename Memory::Element *to) {
    Memory::template store<M>(v, to);
  }
  template <class Memory>
  StatusBits status() const {
    StatusBits bits = overflow.status(numerics::FloatOverflowLimit,
                                      npu::status::FloatOverflow) |
                      half.template status<HalfMemory>();
    if constexpr (HalfExp)
      bits |= castOverflow.status(numerics::HalfOverflowLimit,
                                  npu::status::CastOverflow) |
              castUnderflow.status(numerics::HalfUnderflowLimit,
                                   npu::status::CastUnderflow);
    return bits;
  }

private:
  nn::OverflowTracker<DF> overflow{DF()};
  // Of the way to fp16 and back, with HalfExp.
  nn::OverflowTracker<DF> castOverflow{DF()};
  nn::UnderflowTracker<DF> castUnderflow{DF()};
  HalfUnit<M> half;

  NPU_VECTOR_INLINE V binary(V a, V b, V result) {
    overflow.update(result, nn::areFinite(DF(), a, b));
    return result;
  }
  NPU_VECTOR_INLINE V unary(V a, V result) {
    overflow.update(result, nn::isFinite(DF(), a));
    return result;
  }
  NPU_VECTOR_INLINE V narrowed(V v) {
    castOverflow.update(v);
    castUnderflow.update(v);
    return nn::roundToHalf<M>(DF(), v);
  }
};

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // NPU_LIB_KERNELS_VECTORUNIT_INL_H
