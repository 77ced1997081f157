//===- Activation.cpp - Activations and gradients by element --------------===//

#include "Builtins.h"
#include "ElementwiseRow.h"
#include "ImplMode.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using Binding = ElementwiseBinding;

bool isFloat(const NodeSpec &spec) {
  return spec.outputs.front().dtype == DataType::Float;
}

/// Whether the attribute asks for the form by erf; Gelu has no attribute.
Expected<bool> isByErf(const NodeSpec &spec) {
  if (!spec.type.ends_with("V2"))
    return false;
  auto approximate = spec.attribute<std::string>("approximate");
  if (!approximate)
    return approximate.takeStatus();
  if (*approximate != "none" && *approximate != "tanh")
    return Status::error("attribute 'approximate' is '" + *approximate +
                         "', expected 'none' or 'tanh'");
  return *approximate == "none";
}

// The forms for chips with and without infinities differ.

Expected<Binding> bindGelu(const NodeSpec &spec, ElementwiseOp op,
                           const NumericConfig &config) {
  auto byErf = isByErf(spec);
  if (!byErf)
    return byErf.takeStatus();
  auto implMode = readImplMode(spec);
  if (!implMode)
    return implMode.takeStatus();
  if (*byErf)
    op = ElementwiseOp::GeluErf;
  else if (spec.type == "Gelu" && (*implMode & HighPerformance))
    op = ElementwiseOp::GeluQuadratic;
  else if (config.soc == Soc::Ascend910B ||
           (config.soc == Soc::Ascend310P && !isFloat(spec)))
    op = ElementwiseOp::GeluDirect;
  return Binding{op, {}};
}

Expected<Binding> bindGeluGrad(const NodeSpec &spec, ElementwiseOp op,
                               const NumericConfig &config) {
  auto byErf = isByErf(spec);
  if (!byErf)
    return byErf.takeStatus();
  if (*byErf)
    op = ElementwiseOp::GeluGradErf;
  else if (config.soc == Soc::Ascend910B)
    op = ElementwiseOp::GeluGradDirect;
  return Binding{op, {}};
}

Expected<Binding> bindFastGelu(const NodeSpec &spec, ElementwiseOp op,
                               const NumericConfig &config) {
  if (config.soc == Soc::Ascend910B)
    op = op == ElementwiseOp::FastGeluSymmetric
             ? ElementwiseOp::FastGeluDirect
             : ElementwiseOp::FastGeluGradDirect;
  return Binding{op, {}};
}

/// Attributes as parameters, in order.
Expected<Binding> bindFloats(const NodeSpec &spec, ElementwiseOp op,
                             std::initializer_list<const char *> attributes) {
  Binding binding{op, {}};
  for (const char *name : attributes) {
    auto value = spec.attribute<float>(name);
    if (!value)
      return value.takeStatus();
    binding.params.push_back(*value);
  }
  return binding;
}

Expected<Binding> bindElu(const NodeSpec &spec, ElementwiseOp op,
                          const NumericConfig &) {
  return bindFloats(spec, op, {"alpha", "scale", "input_scale"});
}

Expected<Binding> bindSelu(const NodeSpec &, ElementwiseOp op,
                           const NumericConfig &) {
  return Binding{op, {1.67326324f, 1.05070098f, 1.0f}};
}

Expected<Binding> bindHardSigmoid(const NodeSpec &spec, ElementwiseOp op,
                                  const NumericConfig &) {
  return bindFloats(spec, op, {"alpha", "beta"});
}

Expected<Binding> bindSwish(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  auto binding = bindFloats(spec, op, {"scale"});
  // Of mixed types everything is fp32.
  const bool isHalf = spec.inputs.front()->dtype == DataType::Float16 &&
                      spec.outputs.front().dtype == DataType::Float16;
  if (binding)
    binding->params = {-binding->params[0], isHalf ? 1.0f : 0.0f};
  return binding;
}

Expected<Binding> bindThreshold(const NodeSpec &spec, ElementwiseOp op,
                                const NumericConfig &) {
  return bindFloats(spec, op, {"alpha"});
}

Expected<Binding> bindSlope(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  return bindFloats(spec, op, {"negative_slope"});
}

// Programs with exp run in fp16 on Ascend310, in whole or in part.
constexpr StatusBits FloatWithExp = FloatProductBits;
constexpr StatusBits InFloat = FloatArithmeticBits;
// From -1 to 1, and whole results or differences of 1, which are no small ones.
constexpr StatusBits Bounded = InFloat & ~status::CastOverflow;
constexpr StatusBits NeverSmall = InFloat & ~status::CastUnderflow;
// No instruction but a selection, which looks at no operand.
constexpr StatusBits Selection = status::CastOverflow | status::CastUnderflow;

constexpr std::string_view AtEnd = "fp32, one rounding at the end";
constexpr std::string_view AtEndHalfExp =
    "fp32, one rounding at the end; 310: exp in fp16";
constexpr std::string_view GeluPath =
    "fp32, one rounding at the end; 310: fp16, every instruction rounds";
constexpr std::string_view HalfPath = "fp16, every instruction rounds";
constexpr std::string_view NoRounding = "exact";

// reference: docs/Kernels.md, activations
constexpr ElementwiseRow rows[] = {
    {"Gelu", ElementwiseOp::GeluSymmetric, 1, Rounding::Gelu, FloatWithExp,
     "fp32, one rounding at the end; 310 and high_performance: fp16, every "
     "instruction rounds",
     1, bindGelu},
    {"GeluV2", ElementwiseOp::GeluSymmetric, 1, Rounding::Tanh, FloatWithExp,
     AtEndHalfExp, 1, bindGelu},
    {"GeluGrad", ElementwiseOp::GeluGradTanh, 3, Rounding::HalfOn310,
     FloatWithExp, GeluPath, 1, bindGeluGrad},
    {"GeluGradV2", ElementwiseOp::GeluGradTanh, 2, Rounding::Tanh, FloatWithExp,
     AtEndHalfExp, 1, bindGeluGrad},
    {"FastGelu", ElementwiseOp::FastGeluSymmetric, 1,
     Rounding::EveryInstruction, FloatWithExp, HalfPath, 1, bindFastGelu},
    {"FastGeluGrad", ElementwiseOp::FastGeluGradSymmetric, 2,
     Rounding::EveryInstruction, FloatWithExp, HalfPath, 1, bindFastGelu},
    {"Elu", ElementwiseOp::Elu, 1, Rounding::Tanh, FloatWithExp, AtEndHalfExp,
     1, bindElu},
    {"Selu", ElementwiseOp::Elu, 1, Rounding::Tanh, FloatWithExp, AtEndHalfExp,
     1, bindSelu},
    {"Softplus", ElementwiseOp::Softplus, 1, Rounding::Tanh,
     FloatWithExp & ~status::FloatOverflow, AtEndHalfExp},
    {"Softsign", ElementwiseOp::Softsign, 1, Rounding::AtEnd,
     Bounded & ~status::FloatOverflow, AtEnd},
    {"HardSwish", ElementwiseOp::HardSwish, 1, Rounding::AtEnd, InFloat, AtEnd},
    {"HardSigmoid", ElementwiseOp::HardSigmoid, 1, Rounding::AtEnd, Bounded,
     AtEnd, 1, bindHardSigmoid},
    {"Swish", ElementwiseOp::Swish, 1, Rounding::Tanh, FloatWithExp,
     "x * -scale in fp16, the rest in fp32, one rounding; 310: exp in fp16", 1,
     bindSwish},
    {"Mish", ElementwiseOp::Mish, 1, Rounding::Tanh,
     FloatWithExp & ~status::FloatOverflow, AtEndHalfExp},
    {"Erf", ElementwiseOp::Erf, 1, Rounding::Tanh,
     Bounded & ~status::FloatOverflow, AtEndHalfExp},
    {"PRelu", ElementwiseOp::PRelu, 2, Rounding::EveryInstruction,
     FloatProductBits, HalfPath, 1, nullptr, true},
    {"FusedMulAdd", ElementwiseOp::FusedMulAdd, 3, Rounding::EveryInstruction,
     FloatProductBits, HalfPath},
    {"ThresholdedRelu", ElementwiseOp::ThresholdedRelu, 1,
     Rounding::EveryInstruction, Selection, NoRounding, 1, bindThreshold},
    {"ClipByValue", ElementwiseOp::Clip, 3, Rounding::EveryInstruction,
     ExactBits, NoRounding},
    {"Log1p", ElementwiseOp::LogOnePlus, 1, Rounding::Tanh, NeverSmall,
     AtEndHalfExp},
    {"Expm1", ElementwiseOp::ExpMinusOne, 1, Rounding::Tanh, FloatWithExp,
     AtEndHalfExp},
    {"Div", ElementwiseOp::Div, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"FloorDiv", ElementwiseOp::FloorDiv, 2, Rounding::AtEnd,
     NeverSmall | status::IntegerOverflow, AtEnd},
    {"FloorMod", ElementwiseOp::FloorMod, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"Mod", ElementwiseOp::Mod, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"Pow", ElementwiseOp::Pow, 2, Rounding::Tanh, FloatWithExp, AtEndHalfExp},
    {"TanhGrad", ElementwiseOp::TanhGrad, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"SigmoidGrad", ElementwiseOp::SigmoidGrad, 2, Rounding::AtEnd, InFloat,
     AtEnd},
    {"SqrtGrad", ElementwiseOp::SqrtGrad, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"RsqrtGrad", ElementwiseOp::RsqrtGrad, 2, Rounding::AtEnd, InFloat, AtEnd},
    {"ReciprocalGrad", ElementwiseOp::ReciprocalGrad, 2, Rounding::AtEnd,
     InFloat, AtEnd},
    {"LeakyReluGrad", ElementwiseOp::LeakyReluGrad, 2,
     Rounding::EveryInstruction, FloatProductBits, HalfPath, 1, bindSlope},
    {"Relu6Grad", ElementwiseOp::Relu6Grad, 2, Rounding::EveryInstruction,
     Selection, NoRounding},
    {"SigmoidCrossEntropyWithLogits", ElementwiseOp::SigmoidCrossEntropy, 2,
     Rounding::Tanh, FloatWithExp, AtEndHalfExp},
};

} // namespace

void kernels::addActivation(Registry &registry) {
  addElementwiseRows<rows>(registry);
}
