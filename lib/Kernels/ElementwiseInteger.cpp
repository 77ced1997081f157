//===- ElementwiseInteger.cpp - Element-wise operators on integers --------===//

#include "ElementwiseOps.h"

#include <algorithm>
#include <limits>
#include <type_traits>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Vector instructions on integers: results wrap. The status register knows of
/// 32 and 64 bits with a sign; other types are computed on a CPU of the device,
/// which has none.
template <typename T>
class IntegerUnit {
  static constexpr bool Reports =
      std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

public:
  StatusBits status = status::None;

  T add(T a, T b) {
    T result;
    note(__builtin_add_overflow(a, b, &result), status::IntegerOverflow);
    return result;
  }
  T sub(T a, T b) {
    T result;
    note(__builtin_sub_overflow(a, b, &result), status::IntegerOverflow);
    return result;
  }
  T mul(T a, T b) {
    T result;
    note(__builtin_mul_overflow(a, b, &result), status::IntegerOverflow);
    return result;
  }
  T square(T a) { return mul(a, a); }
  T neg(T a) {
    T result;
    note(__builtin_sub_overflow(T(0), a, &result), status::NegateMinimum);
    return result;
  }

  /// Rounded towards minus infinity; by zero the largest magnitude.
  T floorDiv(T a, T b) {
    if (b == 0)
      return byZero(a);
    if (isMinusOne(b))
      return sub(T(0), a);
    return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  }
  /// Rounded towards zero; by zero the largest magnitude. Reports nothing.
  T div(T a, T b) {
    if (b == 0)
      return byZero(a);
    return isMinusOne(b) ? wrappedProduct(a, b) : static_cast<T>(a / b);
  }
  T divNoNan(T a, T b) { return b == 0 ? T(0) : div(a, b); }
  /// By squares; a fraction is 0. Reports nothing.
  T pow(T base, T exponent) {
    if (exponent < 0)
      return base == 0 ? byZero(T(1))
             : base == 1 || (isMinusOne(base) && exponent % 2 == 0) ? T(1)
             : isMinusOne(base)                                     ? base
                                                                    : T(0);
    T result = 1;
    for (; exponent != 0; exponent = static_cast<T>(exponent / 2)) {
      if (exponent % 2 != 0)
        result = wrappedProduct(result, base);
      base = wrappedProduct(base, base);
    }
    return result;
  }
  /// The sign is that of the divisor; a by zero.
  T floorMod(T a, T b) {
    const T rest = mod(a, b);
    return rest != 0 && b != 0 && (rest < 0) != (b < 0)
               ? static_cast<T>(rest + b)
               : rest;
  }
  /// The sign is that of the dividend; a by zero.
  T mod(T a, T b) {
    if (b == 0)
      return a;
    return isMinusOne(b) ? T(0) : static_cast<T>(a % b);
  }

private:
  void note(bool happened, StatusBits bit) {
    if constexpr (Reports)
      status |= happened ? bit : status::None;
  }
  static bool isMinusOne(T value) {
    return std::is_signed_v<T> && value == static_cast<T>(-1);
  }
  static T byZero(T dividend) {
    return dividend == 0  ? T(0)
           : dividend > 0 ? std::numeric_limits<T>::max()
                          : std::numeric_limits<T>::min();
  }
  static T wrappedProduct(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};

template <typename T, typename Program>
StatusBits run(const ElementwiseArgs &args) {
  IntegerUnit<T> unit;
  T *to = static_cast<T *>(args.outputs[0]);
  auto input = [&](size_t i) { return static_cast<const T *>(args.inputs[i]); };
  if constexpr (std::is_invocable_v<Program, IntegerUnit<T> &, T, T>) {
    std::copy_n(input(0), args.count, to);
    for (size_t operand = 1; operand < args.inputs.size(); ++operand)
      for (size_t i = 0; i < args.count; ++i)
        to[i] = Program()(unit, to[i], input(operand)[i]);
  } else {
    // Scalars are whole numbers here; the kernel checks it.
    const T scalar = args.params.empty()
                         ? T(0)
                         : static_cast<T>(static_cast<int64_t>(args.params[0]));
    for (size_t i = 0; i < args.count; ++i)
      to[i] = Program()(unit, input(0)[i], scalar, nullptr);
  }
  return unit.status;
}

#define BINARY_PROGRAM(NAME, ...)                                              \
  struct NAME {                                                                \
    template <typename T>                                                      \
    T operator()(IntegerUnit<T> &unit, T a, T b) const {                       \
      return __VA_ARGS__;                                                      \
    }                                                                          \
  };
BINARY_PROGRAM(Add, unit.add(a, b))
BINARY_PROGRAM(Sub, unit.sub(a, b))
BINARY_PROGRAM(Mul, unit.mul(a, b))
BINARY_PROGRAM(SquaredDifference, unit.square(unit.sub(a, b)))
BINARY_PROGRAM(Maximum, std::max(a, b))
BINARY_PROGRAM(Minimum, std::min(a, b))
BINARY_PROGRAM(Div, unit.div(a, b))
BINARY_PROGRAM(DivNoNan, unit.divNoNan(a, b))
BINARY_PROGRAM(Pow, unit.pow(a, b))
BINARY_PROGRAM(ReluGrad, b > 0 ? a : T(0))
BINARY_PROGRAM(Relu6Grad, b > 0 && b < 6 ? a : T(0))
BINARY_PROGRAM(Either, T(a != 0 || b != 0))
BINARY_PROGRAM(Both, T(a != 0 && b != 0))
BINARY_PROGRAM(FloorDiv, unit.floorDiv(a, b))
BINARY_PROGRAM(FloorMod, unit.floorMod(a, b))
BINARY_PROGRAM(Mod, unit.mod(a, b))
#undef BINARY_PROGRAM

// The last parameter tells these from the binary ones.
#define UNARY_PROGRAM(NAME, ...)                                               \
  struct NAME {                                                                \
    template <typename T>                                                      \
    T operator()(IntegerUnit<T> &unit, T x, T scalar, std::nullptr_t) const {  \
      return __VA_ARGS__;                                                      \
    }                                                                          \
  };
UNARY_PROGRAM(Neg, unit.neg(x))
UNARY_PROGRAM(Abs, x < 0 ? unit.neg(x) : x)
UNARY_PROGRAM(Square, unit.square(x))
UNARY_PROGRAM(Relu, std::max(x, T(0)))
UNARY_PROGRAM(Relu6, std::clamp(x, T(0), T(6)))
UNARY_PROGRAM(MulScalar, unit.mul(x, scalar))
UNARY_PROGRAM(AddScalar, unit.add(x, scalar))
UNARY_PROGRAM(MaxScalar, std::max(x, scalar))
UNARY_PROGRAM(MinScalar, std::min(x, scalar))
UNARY_PROGRAM(Sign, T((x > 0) - (x < 0)))
UNARY_PROGRAM(Reciprocal, unit.div(T(1), x))
UNARY_PROGRAM(Copy, x)
#undef UNARY_PROGRAM

/// Inputs x, least, most.
template <typename T>
StatusBits clip(const ElementwiseArgs &args) {
  auto input = [&](size_t i) { return static_cast<const T *>(args.inputs[i]); };
  for (size_t i = 0; i < args.count; ++i)
    static_cast<T *>(args.outputs[0])[i] =
        std::max(std::min(input(0)[i], input(2)[i]), input(1)[i]);
  return status::None;
}

template <typename T>
ElementwiseFunction select(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Sum:
    return run<T, Add>;
  case ElementwiseOp::Sub:
    return run<T, Sub>;
  case ElementwiseOp::Mul:
  case ElementwiseOp::Product:
    return run<T, Mul>;
  case ElementwiseOp::Maximum:
  case ElementwiseOp::Largest:
    return run<T, Maximum>;
  case ElementwiseOp::Minimum:
    return run<T, Minimum>;
  case ElementwiseOp::Div:
    return run<T, Div>;
  case ElementwiseOp::DivNoNan:
    return run<T, DivNoNan>;
  case ElementwiseOp::Pow:
    return run<T, Pow>;
  case ElementwiseOp::ReluGrad:
    return run<T, ReluGrad>;
  case ElementwiseOp::Relu6Grad:
    return run<T, Relu6Grad>;
  case ElementwiseOp::Reciprocal:
    return run<T, Reciprocal>;
  case ElementwiseOp::RoundToEven:
    return run<T, Copy>;
  case ElementwiseOp::FloorDiv:
    return run<T, FloorDiv>;
  case ElementwiseOp::FloorMod:
    return run<T, FloorMod>;
  case ElementwiseOp::Mod:
    return run<T, Mod>;
  case ElementwiseOp::Clip:
    return clip<T>;
  case ElementwiseOp::Neg:
    return run<T, Neg>;
  case ElementwiseOp::Abs:
    return run<T, Abs>;
  case ElementwiseOp::Square:
    return run<T, Square>;
  case ElementwiseOp::Relu:
    return run<T, Relu>;
  case ElementwiseOp::Relu6:
    return run<T, Relu6>;
  case ElementwiseOp::MulScalar:
    return run<T, MulScalar>;
  case ElementwiseOp::AddScalar:
    return run<T, AddScalar>;
  case ElementwiseOp::MaxScalar:
    return run<T, MaxScalar>;
  case ElementwiseOp::MinScalar:
    return run<T, MinScalar>;
  case ElementwiseOp::Sign:
    return run<T, Sign>;
  case ElementwiseOp::SquaredDifference:
    return run<T, SquaredDifference>;
  default:
    return nullptr;
  }
}

/// A sum of booleans is whether one of them holds, a product whether all do.
ElementwiseFunction selectLogical(ElementwiseOp op) {
  switch (op) {
  case ElementwiseOp::Add:
    return run<uint8_t, Either>;
  case ElementwiseOp::Mul:
    return run<uint8_t, Both>;
  default:
    return nullptr;
  }
}

} // namespace

ElementwiseFunction kernels::getIntegerFunction(ElementwiseOp op,
                                                DataType dtype) {
  switch (dtype) {
  case DataType::Int32:
    return select<int32_t>(op);
  case DataType::Int64:
    return select<int64_t>(op);
  case DataType::Int8:
    return select<int8_t>(op);
  case DataType::Int16:
    return select<int16_t>(op);
  case DataType::UInt8:
    return select<uint8_t>(op);
  case DataType::UInt16:
    return select<uint16_t>(op);
  case DataType::UInt32:
    return select<uint32_t>(op);
  case DataType::UInt64:
    return select<uint64_t>(op);
  case DataType::Bool:
    return selectLogical(op);
  default:
    return nullptr;
  }
}
