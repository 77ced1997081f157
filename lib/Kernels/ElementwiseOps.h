//===- ElementwiseOps.h - Element-wise computation of a chunk --*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_ELEMENTWISEOPS_H
#define NPU_LIB_KERNELS_ELEMENTWISEOPS_H

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/DataType.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace npu::kernels {

/// What is computed for every element; params as stated.
enum class ElementwiseOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Maximum,
  Minimum,
  Neg,
  Abs,
  Square,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Exp, ///< exp((x * p0 + p1) * p2)
  Log, ///< ln(x * p0 + p1) * p2
  Relu,
  Relu6,
  LeakyRelu, ///< slope p0
  Sigmoid,
  Tanh,
  MulScalar, ///< x * p0
  AddScalar, ///< x + p0
  Sum,       ///< of all inputs from left to right
  Product,
  Largest,
  WeightedSum, ///< of all inputs, weights p0, p1...
  DivNoNan,    ///< 0 where the divisor is 0
  ReluGrad,    ///< the first times 1 where the second is above 0, else times 0

  // Simple mathematics (SimpleMathFloat.cpp).
  SquaredDifference,
  ScaledSum,      ///< x + y * p0
  QuotientOrZero, ///< 0 where the dividend is 0
  MaxScalar,      ///< of x and p0
  MinScalar,      ///< of x and p0
  Between,        ///< x, but at least p0 and at most p1
  Sign,
  Floor,
  Ceil,
  RoundToEven,
  Sine,
  Cosine,
  Normalized,        ///< (x + y) * z; p0 = 1 for fp16 tensors
  NormalizedScaled,  ///< that times another
  NormalizedShifted, ///< that plus another
  ClipNorm, ///< the root of x where it is above y, else x; at least w. z is
            ///< what the root is taken of where it does not count
  MaskedProduct,      ///< x * y * p0
  DivergenceGradient, ///< -x * z [* p1]; p0 = 1 where e^z stands for z

  // Activations and gradients (ActivationFloat.cpp).
  GeluSymmetric,
  GeluDirect,
  GeluErf,
  GeluQuadratic,
  GeluGradTanh,
  GeluGradDirect,
  GeluGradErf,
  FastGeluSymmetric,
  FastGeluDirect,
  FastGeluGradSymmetric,
  FastGeluGradDirect,
  Elu,
  Softplus,
  Softsign,
  HardSwish,
  HardSigmoid,
  Swish,
  Mish,
  Erf,
  PRelu,
  FusedMulAdd,
  ThresholdedRelu,
  Clip,
  LogOnePlus,
  ExpMinusOne,
  FloorDiv,
  FloorMod,
  Mod,
  Pow,
  PowerScalar, ///< (x * p1 + p2)^p0; p3 = 1 for fp16 tensors
  TanhGrad,
  SigmoidGrad,
  SqrtGrad,
  RsqrtGrad,
  ReciprocalGrad,
  LeakyReluGrad,
  Relu6Grad,
  SigmoidCrossEntropy,

  // Optimizers (OptimizerFloat.cpp).
  Momentum,
  NesterovMomentum,
  FusedMomentum,
  FusedNesterovMomentum,
  FusedMomentumExtern,
  FusedNesterovMomentumExtern,
  GradientDescent,
  StochasticGradientDescent, ///< 1 - dampening p0, decay p1, nesterov p2
  AdamApplyOne,
  AdamApplyOneWithDecay,
  AdamWithDecoupledDecay,
  AdamWithLargestMoment, ///< beta1 p0, beta2 p1, epsilon p2
  RmsProp,               ///< rho p0, momentum p1, epsilon p2
  Adagrad,               ///< whether the sum of squares changes p0
  LambApplyOptimizer,
  LambNext,
  LambNextWithDecay,
  LambNextSquares,
  LarsUpdate, ///< hyperparameter p0, epsilon p1, whether to clip p2
  LambUpdate,
  LambUpdateV2,
  LambApplyWeight,
};

/// What the elements are and where results are rounded.
enum class ElementwisePath : uint8_t {
  Half,         ///< fp16 elements, every instruction rounds to fp16
  Float,        ///< fp32 elements and instructions
  FloatHalfExp, ///< the same with exp and ln in fp16
};

/// The operands of a chunk: every array has count elements, outputs overlap
/// neither each other nor an input.
struct ElementwiseArgs {
  std::span<const void *const> inputs;
  std::span<void *const> outputs;
  size_t count = 0;
  std::span<const float> params;
};

/// Returns the status bits raised.
using ElementwiseFunction = StatusBits (*)(const ElementwiseArgs &args);

/// The function for the vector instructions in use. Never null.
ElementwiseFunction getFloatFunction(ElementwiseOp op, ElementwisePath path,
                                     OverflowMode mode);

/// A quicker way to compute fp16 elements, inputs and outputs, as long as
/// operands and results are finite: the same results and status bits. Where
/// they are not, or the elements too few, returns nullopt, and the outputs hold
/// nothing of use.
using QuietFunction = std::optional<StatusBits> (*)(const ElementwiseArgs &);

/// Null when \p op has none.
QuietFunction getQuietFunction(ElementwiseOp op, ElementwisePath path);

/// What getFloatFunction is made of: null for operators of another file.
ElementwiseFunction getActivationFunction(ElementwiseOp op,
                                          ElementwisePath path,
                                          OverflowMode mode);
ElementwiseFunction getOptimizerFunction(ElementwiseOp op, ElementwisePath path,
                                         OverflowMode mode);
ElementwiseFunction getSimpleMathFunction(ElementwiseOp op,
                                          ElementwisePath path,
                                          OverflowMode mode);

/// Null when \p op is not defined for elements of \p dtype, or they are no
/// integers and no booleans. Overflowing results wrap; those of int32 and int64
/// raise IntegerOverflow, the negation of the smallest value NegateMinimum.
ElementwiseFunction getIntegerFunction(ElementwiseOp op, DataType dtype);

/// What a CPU of the device computes of double elements: IEEE, no status. Null
/// when \p op is not defined for them.
ElementwiseFunction getDoubleFunction(ElementwiseOp op);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ELEMENTWISEOPS_H
