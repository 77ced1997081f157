//===- ElementwiseDouble.cpp - Element-wise operators on doubles ----------===//
//
// No vector unit of a device has doubles: its CPUs compute these operators, as
// IEEE 754 and the C library have it, and report nothing.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::kernels;

namespace {

using Params = std::span<const float>;

/// The one NaN that arithmetic writes.
double canonical(double value) {
  return value == value ? value : std::numeric_limits<double>::quiet_NaN();
}

double largerOf(double a, double b) {
  return a != a || b != b ? a + b
                          : (a < b || (a == b && std::signbit(a)) ? b : a);
}
double smallerOf(double a, double b) { return -largerOf(-a, -b); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) {
  return std::log1p(std::exp(-std::abs(x))) + largerOf(x, 0);
}
/// The sign is that of the divisor.
double floorMod(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

using Unary = double (*)(double x, Params p);
using Binary = double (*)(double a, double b, Params p);

template <Unary F>
StatusBits run(const ElementwiseArgs &args) {
  const auto *x = static_cast<const double *>(args.inputs[0]);
  auto *to = static_cast<double *>(args.outputs[0]);
  for (size_t i = 0; i < args.count; ++i)
    to[i] = canonical(F(x[i], args.params));
  return status::None;
}

/// Of all inputs from left to right.
template <Binary F>
StatusBits run(const ElementwiseArgs &args) {
  auto input = [&](size_t i) {
    return static_cast<const double *>(args.inputs[i]);
  };
  auto *to = static_cast<double *>(args.outputs[0]);
  std::copy_n(input(0), args.count, to);
  for (size_t operand = 1; operand < args.inputs.size(); ++operand)
    for (size_t i = 0; i < args.count; ++i)
      to[i] = canonical(F(to[i], input(operand)[i], args.params));
  return status::None;
}

/// Inputs x, least, most.
StatusBits clip(const ElementwiseArgs &args) {
  auto input = [&](size_t i) {
    return static_cast<const double *>(args.inputs[i]);
  };
  for (size_t i = 0; i < args.count; ++i)
    static_cast<double *>(args.outputs[0])[i] =
        canonical(largerOf(smallerOf(input(0)[i], input(2)[i]), input(1)[i]));
  return status::None;
}

} // namespace

ElementwiseFunction kernels::getDoubleFunction(ElementwiseOp op) {
  switch (op) {
#define UNARY(NAME, ...)                                                       \
  case ElementwiseOp::NAME: {                                                  \
    constexpr Unary function = [](double x, [[maybe_unused]] Params p) {       \
      return static_cast<double>(__VA_ARGS__);                                 \
    };                                                                         \
    return run<function>;                                                      \
  }
#define BINARY(NAME, ...)                                                      \
  case ElementwiseOp::NAME: {                                                  \
    constexpr Binary function = [](double a, double b,                         \
                                   [[maybe_unused]] Params p) {                \
      return static_cast<double>(__VA_ARGS__);                                 \
    };                                                                         \
    return run<function>;                                                      \
  }
    BINARY(Add, a + b)
    BINARY(Sum, a + b)
    BINARY(Sub, a - b)
    BINARY(Mul, a * b)
    BINARY(Product, a * b)
    BINARY(Div, a / b)
    BINARY(DivNoNan, b == 0 ? 0 : a / b)
    BINARY(QuotientOrZero, a == 0 ? 0 : a / b)
    BINARY(FloorDiv, std::floor(a / b))
    BINARY(FloorMod, floorMod(a, b))
    BINARY(Mod, std::fmod(a, b))
    BINARY(Pow, std::pow(a, b))
    BINARY(Maximum, largerOf(a, b))
    BINARY(Largest, largerOf(a, b))
    BINARY(Minimum, smallerOf(a, b))
    BINARY(SquaredDifference, (a - b) * (a - b))
    BINARY(ReluGrad, b > 0 ? a : 0)
    BINARY(Relu6Grad, b > 0 && b < 6 ? a : 0)
    BINARY(LeakyReluGrad, b > 0 ? a : a * p[0])
    BINARY(TanhGrad, b * (1 - a * a))
    BINARY(SigmoidGrad, b * (1 - a) * a)
    BINARY(SqrtGrad, b * 0.5 / a)
    BINARY(RsqrtGrad, b * -0.5 * a * a * a)
    BINARY(ReciprocalGrad, -b * a * a)
    UNARY(MulScalar, x * p[0])
    UNARY(AddScalar, x + p[0])
    UNARY(MaxScalar, largerOf(x, p[0]))
    UNARY(MinScalar, smallerOf(x, p[0]))
    UNARY(Neg, -x)
    UNARY(Abs, std::abs(x))
    UNARY(Square, x * x)
    UNARY(Sqrt, std::sqrt(x))
    UNARY(Rsqrt, 1 / std::sqrt(x))
    UNARY(Reciprocal, 1 / x)
    UNARY(Exp, std::exp((x * p[0] + p[1]) * p[2]))
    UNARY(Log, std::log(x * p[0] + p[1]) * p[2])
    UNARY(LogOnePlus, std::log1p(x))
    UNARY(ExpMinusOne, std::expm1(x))
    UNARY(Relu, largerOf(x, 0))
    UNARY(Relu6, smallerOf(largerOf(x, 0), 6))
    UNARY(LeakyRelu, x > 0 ? x : x * p[0])
    UNARY(Sigmoid, logistic(x))
    UNARY(Tanh, std::tanh(x))
    UNARY(Erf, std::erf(x))
    UNARY(Sine, std::sin(x))
    UNARY(Cosine, std::cos(x))
    UNARY(Sign, x != x ? x : (x > 0) - (x < 0))
    UNARY(Floor, std::floor(x) + 0.0)
    UNARY(Ceil, std::ceil(x) + 0.0)
    UNARY(RoundToEven, std::nearbyint(x) + 0.0)
    UNARY(Elu, p[0] * p[1] * std::expm1(smallerOf(x * p[2], 0)) +
                   p[1] * largerOf(x, 0))
    UNARY(Softplus, softplus(x))
    UNARY(Softsign, x / (std::abs(x) + 1))
#undef UNARY
#undef BINARY
  case ElementwiseOp::Clip:
    return clip;
  default:
    return nullptr;
  }
}
