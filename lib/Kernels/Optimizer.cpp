//===- Optimizer.cpp - Optimizers by element ------------------------------===//

#include "Builtins.h"
#include "ElementwiseRow.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using Binding = ElementwiseBinding;

Expected<Binding> bindMomentum(const NodeSpec &spec, ElementwiseOp op,
                               const NumericConfig &) {
  auto nesterov = spec.attribute<bool>("use_nesterov");
  if (!nesterov)
    return nesterov.takeStatus();
  if (*nesterov)
    op = op == ElementwiseOp::Momentum ? ElementwiseOp::NesterovMomentum
         : op == ElementwiseOp::FusedMomentum
             ? ElementwiseOp::FusedNesterovMomentum
             : ElementwiseOp::FusedNesterovMomentumExtern;
  return Binding{op, {}};
}

/// Binds required attributes in this order.
template <const auto &Names>
Expected<Binding> bindFloats(const NodeSpec &spec, ElementwiseOp op,
                             const NumericConfig &) {
  Binding binding{op, {}};
  for (const char *name : Names) {
    auto value = spec.attrs.require<float>(name);
    if (!value)
      return value.takeStatus();
    binding.params.push_back(*value);
  }
  return binding;
}
constexpr const char *amsgradNames[] = {"beta1", "beta2", "epsilon"};
constexpr const char *rmsPropNames[] = {"rho", "momentum", "epsilon"};

Expected<Binding> bindAdagrad(const NodeSpec &spec, ElementwiseOp op,
                              const NumericConfig &) {
  auto updates = spec.attribute<bool>("update_slots");
  if (!updates)
    return updates.takeStatus();
  return Binding{op, {*updates ? 1.0f : 0.0f}};
}

Expected<Binding> bindAdamW(const NodeSpec &spec, ElementwiseOp op,
                            const NumericConfig &) {
  auto amsgrad = spec.attribute<bool>("amsgrad");
  auto maximize = spec.attribute<bool>("maximize");
  if (!amsgrad)
    return amsgrad.takeStatus();
  if (!maximize)
    return maximize.takeStatus();
  if (*amsgrad)
    return Status::error("attribute 'amsgrad' is true, expected false");
  return Binding{op, {*maximize ? -1.0f : 1.0f}};
}

Expected<Binding> bindSgd(const NodeSpec &spec, ElementwiseOp op,
                          const NumericConfig &) {
  auto dampening = spec.attribute<float>("dampening");
  auto decay = spec.attribute<float>("weight_decay");
  auto nesterov = spec.attribute<bool>("nesterov");
  for (auto *attr : {&dampening, &decay})
    if (!*attr)
      return attr->takeStatus();
  if (!nesterov)
    return nesterov.takeStatus();
  return Binding{op, {1.0f - *dampening, *decay, *nesterov ? 1.0f : 0.0f}};
}

Expected<Binding> bindLars(const NodeSpec &spec, ElementwiseOp op,
                           const NumericConfig &) {
  auto hyperparameter = spec.attribute<float>("hyperpara");
  auto epsilon = spec.attribute<float>("epsilon");
  auto clips = spec.attribute<bool>("use_clip");
  for (auto *attr : {&hyperparameter, &epsilon})
    if (!*attr)
      return attr->takeStatus();
  if (!clips)
    return clips.takeStatus();
  for (const auto &input : spec.inputs)
    if (input->dtype != DataType::Float)
      return Status::error("input " + input->toString() +
                           " is not DT_FLOAT as expected");
  return Binding{op, {*hyperparameter, *epsilon, *clips ? 1.0f : 0.0f}};
}

constexpr std::string_view AtEnd = "fp32, one rounding at the end";
constexpr std::string_view InType = "instructions of the tensor's type";

// reference: docs/Kernels.md, optimizers
constexpr ElementwiseRow rows[] = {
    {"ApplyMomentum", ElementwiseOp::Momentum, 5, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 2, bindMomentum},
    {"ApplyMomentumD", ElementwiseOp::Momentum, 5, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 2, bindMomentum},
    {"FusedMulApplyMomentum", ElementwiseOp::FusedMomentum, 6, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 2, bindMomentum},
    {"FusedMulApplyMomentumExtern", ElementwiseOp::FusedMomentumExtern, 7,
     Rounding::AtEnd, FloatArithmeticBits, AtEnd, 3, bindMomentum},
    {"ApplyRMSPropD", ElementwiseOp::RmsProp, 5, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 3, bindFloats<rmsPropNames>},
    {"ApplyAdagradD", ElementwiseOp::Adagrad, 4, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 2, bindAdagrad},
    {"ApplyAdamWithAmsgradD", ElementwiseOp::AdamWithLargestMoment, 8,
     Rounding::AtEnd, FloatArithmeticBits, AtEnd, 4, bindFloats<amsgradNames>},
    {"SGD", ElementwiseOp::StochasticGradientDescent, 6, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 3, bindSgd},
    {"ApplyGradientDescent", ElementwiseOp::GradientDescent, 3,
     Rounding::EveryInstruction, FloatProductBits, InType},
    {"AdamApplyOne", ElementwiseOp::AdamApplyOne, 10,
     Rounding::EveryInstruction, FloatProductBits, InType, 3},
    {"AdamApplyOneAssign", ElementwiseOp::AdamApplyOne, 10,
     Rounding::EveryInstruction, FloatProductBits, InType, 3},
    {"AdamApplyOneWithDecay", ElementwiseOp::AdamApplyOneWithDecay, 11,
     Rounding::EveryInstruction, FloatProductBits, InType, 3},
    {"AdamApplyOneWithDecayAssign", ElementwiseOp::AdamApplyOneWithDecay, 11,
     Rounding::EveryInstruction, FloatProductBits, InType, 3},
    {"ApplyAdamW", ElementwiseOp::AdamWithDecoupledDecay, 11, Rounding::AtEnd,
     FloatArithmeticBits, AtEnd, 3, bindAdamW},
    {"LambApplyOptimizerAssign", ElementwiseOp::LambApplyOptimizer, 12,
     Rounding::Tanh, FloatProductBits,
     "fp32, one rounding at the end; 310: exp and ln in fp16", 3},
    {"LambNextMV", ElementwiseOp::LambNext, 13, Rounding::EveryInstruction,
     FloatProductBits, InType, 4},
    {"LambNextMVWithDecay", ElementwiseOp::LambNextWithDecay, 13,
     Rounding::EveryInstruction, FloatProductBits, InType, 4},
    {"LambNextRight", ElementwiseOp::LambNextSquares, 6,
     Rounding::EveryInstruction, FloatProductBits, InType, 2},
    {"LarsV2Update", ElementwiseOp::LarsUpdate, 6, Rounding::AtEnd,
     status::FloatOverflow | status::VectorNanInfInput,
     "fp32, every instruction rounds", 1, bindLars},
    {"LarsV2UpdateD", ElementwiseOp::LarsUpdate, 6, Rounding::AtEnd,
     status::FloatOverflow | status::VectorNanInfInput,
     "fp32, every instruction rounds", 1, bindLars},
    {"LambUpdateWithLr", ElementwiseOp::LambUpdate, 9,
     Rounding::EveryInstruction, FloatProductBits, InType},
    {"LambUpdateWithLrV2", ElementwiseOp::LambUpdateV2, 7,
     Rounding::EveryInstruction, FloatProductBits, InType},
    {"LambApplyWeightAssign", ElementwiseOp::LambApplyWeight, 5,
     Rounding::EveryInstruction, FloatProductBits, InType},
};

} // namespace

void kernels::addOptimizer(Registry &registry) {
  addElementwiseRows<rows>(registry);
}
