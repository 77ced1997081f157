//===- ElementwiseQuiet.cpp - fp16 chunks in which nothing happens --------===//
//
// Almost all chunks of a network have finite operands and results. The
// instructions here take that for granted, which leaves little more than the
// arithmetic, and find out at the end whether it was so: an infinite or NaN
// operand, or a result beyond the type, stays infinite or NaN until then.
// Exact operators need no arithmetic but compare bits.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ElementwiseQuiet.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DH = nn::HalfTag<DF>; ///< as many halves
using DU = hn::ScalableTag<uint16_t>;
using DI = hn::RebindToSigned<DU>;
using V = hn::Vec<DF>;
using H = hn::Vec<DU>;

constexpr uint16_t SignBit = 0x8000;

const uint16_t *halves(const ElementwiseArgs &args, size_t input) {
  return static_cast<const uint16_t *>(args.inputs[input]);
}

/// Calls \p block with the begin of each \p lanes elements, the last ones
/// overlapping those before. False if there are fewer.
template <class Block>
HWY_INLINE bool forEachBlock(size_t lanes, size_t count, const Block &block) {
  if (count < lanes)
    return false;
  size_t at = 0;
  for (; at + lanes <= count; at += lanes)
    block(at);
  if (at < count)
    block(count - lanes);
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

struct Add {
  static HWY_INLINE V apply(V a, V b) { return hn::Add(a, b); }
};
struct Sub {
  static HWY_INLINE V apply(V a, V b) { return hn::Sub(a, b); }
};
struct Mul {
  static HWY_INLINE V apply(V a, V b) { return hn::Mul(a, b); }
};

/// fp16 instructions of finite operands.
class QuietUnit {
public:
  static HWY_INLINE V load(const uint16_t *from) {
    return nn::loadHalf(DF(), from);
  }
  /// A scalar operand, as the instruction's register holds it.
  static HWY_INLINE V scalar(float value) {
    return rounded(hn::Set(DF(), value));
  }
  /// To the type; infinite beyond it, whatever the mode.
  static HWY_INLINE V rounded(V v) {
    return nn::widenHalf(DF(), nn::narrowToHalf(DF(), v));
  }
  /// What comes of an instruction of Op, not yet rounded.
  template <class Op>
  HWY_INLINE V apply(V a, V b) {
    const V result = Op::apply(a, b);
    if constexpr (std::is_same_v<Op, Mul>)
      underflow.update(result);
    return result;
  }
  HWY_INLINE void store(V v, uint16_t *to) {
    const auto bits = nn::narrowToHalf(DF(), v);
    check.update(bits);
    hn::StoreU(bits, DH(), to);
  }
  std::optional<StatusBits> status() const {
    if (!check.holds())
      return std::nullopt;
    return underflow.status(numerics::HalfUnderflowLimit,
                            npu::status::FloatUnderflow);
  }

private:
  nn::UnderflowTracker<DF> underflow{DF()};
  nn::FiniteCheck<DH> check{DH()};
};

/// What the results of Op tell, looked at as bits.
template <class Op>
class ResultCheck {
public:
  ResultCheck() : finite(DU()), largestLost(hn::Zero(DU())) {}

  /// \p result is that of the operands at \p a and \p b.
  HWY_INLINE void update(H result, const uint16_t *a, const uint16_t *b) {
    const DU du;
    finite.update(result);
    if constexpr (std::is_same_v<Op, Mul>) {
      const auto isZero = hn::Eq(hn::Add(result, result), hn::Zero(du));
      const H smaller = hn::Min(magnitudeAt(a), magnitudeAt(b));
      largestLost = hn::Max(largestLost, hn::IfThenElseZero(isZero, smaller));
    }
  }
  std::optional<StatusBits> status() const {
    if (!finite.holds())
      return std::nullopt;
    return hn::AllTrue(DU(), hn::Eq(largestLost, hn::Zero(DU())))
               ? status::None
               : status::FloatUnderflow;
  }

private:
  static HWY_INLINE H magnitudeAt(const uint16_t *halves) {
    return hn::And(hn::LoadU(DU(), halves), hn::Set(DU(), 0x7FFF));
  }

  nn::FiniteCheck<DU> finite;
  /// The smaller magnitude of operands whose product became zero: not zero
  /// where neither operand is.
  H largestLost;
};

template <class Op>
HWY_INLINE V resultAt(const uint16_t *a, const uint16_t *b, size_t at) {
  return Op::apply(QuietUnit::load(a + at), QuietUnit::load(b + at));
}

/// \p count elements. Results that are converted straight to memory are looked
/// at two vectors as one.
template <class Op>
HWY_INLINE void binaryPiece(const uint16_t *a, const uint16_t *b, uint16_t *to,
                            size_t count, ResultCheck<Op> &check) {
  const DU du;
  if constexpr (nn::NarrowsToMemory)
    forEachBlock(hn::Lanes(DF()), count, [&](size_t at) HWY_ATTR {
      hn::StoreU(nn::narrowToHalf(DF(), resultAt<Op>(a, b, at)), DH(), to + at);
    });
  forEachBlock(hn::Lanes(du), count, [&](size_t at) HWY_ATTR {
    H result;
    if constexpr (nn::NarrowsToMemory) {
      result = hn::LoadU(du, to + at);
    } else {
      result = nn::narrowPairToHalf(DF(), resultAt<Op>(a, b, at),
                                    resultAt<Op>(a, b, at + hn::Lanes(DF())));
      hn::StoreU(result, du, to + at);
    }
    check.update(result, a + at, b + at);
  });
}

template <class Op>
std::optional<StatusBits> binary(const ElementwiseArgs &args) {
  if (args.count < hn::Lanes(DU()))
    return std::nullopt;
  constexpr size_t pieceSize = 512; // of all operands in the first-level cache
  const uint16_t *a = halves(args, 0), *b = halves(args, 1);
  auto *to = static_cast<uint16_t *>(args.outputs[0]);
  ResultCheck<Op> check;
  const size_t pieces =
      nn::NarrowsToMemory ? std::max<size_t>(1, args.count / pieceSize) : 1;
  for (size_t piece = 0; piece < pieces; ++piece) {
    const size_t begin = args.count * piece / pieces;
    const size_t end = args.count * (piece + 1) / pieces;
    binaryPiece(a + begin, b + begin, to + begin, end - begin, check);
  }
  return check.status();
}

std::optional<StatusBits> square(const ElementwiseArgs &args) {
  const void *const operands[] = {args.inputs[0], args.inputs[0]};
  return binary<Mul>({operands, args.outputs, args.count, args.params});
}

/// With a scalar as the second operand.
template <class Op>
std::optional<StatusBits> withScalar(const ElementwiseArgs &args) {
  const uint16_t *a = halves(args, 0);
  auto *to = static_cast<uint16_t *>(args.outputs[0]);
  QuietUnit unit;
  const V b = unit.scalar(args.params[0]);
  if (!forEachBlock(hn::Lanes(DF()), args.count, [&](size_t at) HWY_ATTR {
        unit.store(unit.apply<Op>(unit.load(a + at), b), to + at);
      }))
    return std::nullopt;
  return unit.status();
}

/// Any number of operands from left to right; rounds each result, or the last
/// one alone.
template <class Op, bool RoundsEach>
std::optional<StatusBits> fold(const ElementwiseArgs &args) {
  auto *to = static_cast<uint16_t *>(args.outputs[0]);
  QuietUnit unit;
  if (!forEachBlock(hn::Lanes(DF()), args.count, [&](size_t at) HWY_ATTR {
        V result = unit.load(halves(args, 0) + at);
        for (size_t i = 1; i < args.inputs.size(); ++i) {
          if (RoundsEach && i > 1)
            result = unit.rounded(result);
          result = unit.apply<Op>(result, unit.load(halves(args, i) + at));
        }
        unit.store(result, to + at);
      }))
    return std::nullopt;
  return unit.status();
}

//===----------------------------------------------------------------------===//
// Exact operators
//===----------------------------------------------------------------------===//

HWY_INLINE hn::Vec<DI> orderOf(H bits) { return nn::orderOfHalf(DI(), bits); }
HWY_INLINE H bitsOf(hn::Vec<DI> order) { return nn::halfOfOrder(DI(), order); }
/// Of a finite value, max(x, +0).
HWY_INLINE hn::Vec<DI> notNegative(H bits) {
  return hn::Max(hn::BitCast(DI(), bits), hn::Zero(DI()));
}

struct Maximum {
  static HWY_INLINE H apply(H a, H b) {
    return bitsOf(hn::Max(orderOf(a), orderOf(b)));
  }
};
struct Minimum {
  static HWY_INLINE H apply(H a, H b) {
    return bitsOf(hn::Min(orderOf(a), orderOf(b)));
  }
};
struct ReluGrad {
  /// A gradient times 0 keeps its sign.
  static HWY_INLINE H apply(H gradient, H feature) {
    const auto isAbove = hn::Gt(hn::BitCast(DI(), feature), hn::Zero(DI()));
    return hn::IfThenElse(hn::RebindMask(DU(), isAbove), gradient,
                          hn::And(gradient, hn::Set(DU(), SignBit)));
  }
};
struct Neg {
  static HWY_INLINE H apply(H x) { return hn::Xor(x, hn::Set(DU(), SignBit)); }
};
struct Abs {
  static HWY_INLINE H apply(H x) {
    return hn::AndNot(hn::Set(DU(), SignBit), x);
  }
};
struct Relu {
  static HWY_INLINE H apply(H x) { return hn::BitCast(DU(), notNegative(x)); }
};
struct Relu6 {
  static HWY_INLINE H apply(H x) {
    constexpr int16_t six = 0x4600;
    return hn::BitCast(DU(), hn::Min(notNegative(x), hn::Set(DI(), six)));
  }
};

template <class Op>
std::optional<StatusBits> exactUnary(const ElementwiseArgs &args) {
  const uint16_t *from = halves(args, 0);
  auto *to = static_cast<uint16_t *>(args.outputs[0]);
  nn::FiniteCheck<DU> check{DU()};
  const bool enough =
      forEachBlock(hn::Lanes(DU()), args.count, [&](size_t at) HWY_ATTR {
        const H x = hn::LoadU(DU(), from + at);
        check.update(x);
        hn::StoreU(Op::apply(x), DU(), to + at);
      });
  if (!enough || !check.holds())
    return std::nullopt;
  return status::None;
}

template <class Op>
std::optional<StatusBits> exactFold(const ElementwiseArgs &args) {
  auto *to = static_cast<uint16_t *>(args.outputs[0]);
  nn::FiniteCheck<DU> check{DU()};
  const bool enough =
      forEachBlock(hn::Lanes(DU()), args.count, [&](size_t at) HWY_ATTR {
        H result = hn::LoadU(DU(), halves(args, 0) + at);
        check.update(result);
        for (size_t i = 1; i < args.inputs.size(); ++i) {
          const H x = hn::LoadU(DU(), halves(args, i) + at);
          check.update(x);
          result = Op::apply(result, x);
        }
        hn::StoreU(result, DU(), to + at);
      });
  if (!enough || !check.holds())
    return std::nullopt;
  return status::None;
}

} // namespace

QuietFunction selectQuietFunction(ElementwiseOp op, ElementwisePath path) {
  if (path == ElementwisePath::Float)
    // A sum of fp16 values is finite in fp32, and does not underflow.
    return op == ElementwiseOp::Sum ? fold<Add, false> : QuietFunction(nullptr);
  if (path != ElementwisePath::Half)
    return nullptr;
  switch (op) {
  case ElementwiseOp::Add:
    return binary<Add>;
  case ElementwiseOp::Sub:
    return binary<Sub>;
  case ElementwiseOp::Mul:
    return binary<Mul>;
  case ElementwiseOp::Square:
    return square;
  case ElementwiseOp::MulScalar:
    return withScalar<Mul>;
  case ElementwiseOp::AddScalar:
    return withScalar<Add>;
  case ElementwiseOp::Sum:
    return fold<Add, true>;
  case ElementwiseOp::Product:
    return fold<Mul, true>;
  case ElementwiseOp::Maximum:
  case ElementwiseOp::Largest:
    return exactFold<Maximum>;
  case ElementwiseOp::Minimum:
    return exactFold<Minimum>;
  case ElementwiseOp::ReluGrad:
    return exactFold<ReluGrad>;
  case ElementwiseOp::Neg:
    return exactUnary<Neg>;
  case ElementwiseOp::Abs:
    return exactUnary<Abs>;
  case ElementwiseOp::Relu:
    return exactUnary<Relu>;
  case ElementwiseOp::Relu6:
    return exactUnary<Relu6>;
  default:
    return nullptr;
  }
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::kernels {

HWY_EXPORT(selectQuietFunction);

QuietFunction getQuietFunction(ElementwiseOp op, ElementwisePath path) {
  return HWY_DYNAMIC_DISPATCH(selectQuietFunction)(op, path);
}

} // namespace npu::kernels
#endif // HWY_ONCE
