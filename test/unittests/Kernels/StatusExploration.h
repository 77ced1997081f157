//===- StatusExploration.h - Operators explored at random -------*- C++ -*-===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_STATUSEXPLORATION_H
#define NPU_TEST_UNITTESTS_KERNELS_STATUSEXPLORATION_H

#include "StatusTable.h"

namespace npu::kernels::statustable {

/// An operator whose status is explored (StatusExplorationTest). Shapes are
/// those of inputs and outputs; one that is not there is that of a vector.
struct Explored {
  std::string type;
  unsigned inputs = 1, outputs = 1;
  Attributes attrs = {};
  std::vector<Shape> inputShapes = {}, outputShapes = {};
};

/// Elements of a vector, lines of two.
constexpr int64_t ExploredCount = 8192;

/// Normalisations, gradients of softmax, sums: lines of two values.
inline std::vector<Explored> exploredLineOperators() {
  constexpr int64_t N = ExploredCount;
  const Shape rows = {N, 2}, columns = {2, N}, one = {N, 1}, each = {N},
              pair = {2};
  Attributes norm, axis, gamma;
  norm.set("epsilon", 0.0f);
  norm.set("factor", 0.5f);
  axis.set("axis", std::vector<int64_t>{1});
  gamma.set("shape_gamma", std::vector<int64_t>{N});
  return {
      {"BNTrainingReduce", 1, 2, {}, {columns}, {each, each}},
      {"BNTrainingUpdate", 7, 5, norm, {columns}, {columns}},
      {"BNTrainingUpdateV2", 5, 3, norm, {columns}, {columns}},
      {"BNTrainingUpdateV3", 5, 5, norm, {columns}, {columns}},
      {"BNTrainingUpdateGrad", 4, 2, norm, {columns, columns}, {}},
      {"BNTrainingReduceGrad", 7, 1, norm, {columns, columns}, {columns}},
      {"BNInfer", 5, 1, norm, {columns}, {columns}},
      {"BatchNorm", 3, 6, norm, {columns}, {columns}},
      {"BatchNormGrad", 5, 5, norm, {columns, columns}, {columns}},
      {"LayerNormXBackprop", 5, 1, {}, {rows, rows, one, one, pair}, {rows}},
      {"LayerNormXBackpropV2",
       5,
       2,
       {},
       {rows, rows, one, one, pair},
       {rows, rows}},
      {"LayerNormXBackpropV3",
       5,
       2,
       {},
       {rows, rows, one, one, pair},
       {rows, rows}},
      {"LayerNormBetaGammaBackpropV2",
       2,
       2,
       gamma,
       {columns, columns},
       {each, each}},
      {"ConfusionSoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"LogSoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"LogSoftmaxV2", 1, 1, {}, {rows}, {rows}},
      {"SoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"SquareSumV1", 1, 1, axis, {rows}, {each}},
      {"SquareSumV2", 1, 2, axis, {rows}, {each, rows}}};
}

/// Activations, gradients, divisions, optimizers; several times those whose
/// attributes choose what can happen.
inline std::vector<Explored> exploredOperators() {
  auto with = [](const char *name, AttributeValue value) {
    Attributes attrs;
    attrs.set(name, std::move(value));
    return attrs;
  };
  Attributes elu = with("alpha", 1000.0f);
  elu.set("scale", 1000.0f);
  Attributes amsgrad = with("beta1", 0.5f), rmsProp = with("rho", 0.5f);
  amsgrad.set("beta2", 0.5f);
  amsgrad.set("epsilon", 0.0f);
  rmsProp.set("momentum", 0.5f);
  rmsProp.set("epsilon", 0.0f);
  return {{"AdamApplyOne", 10, 3},
          {"AdamApplyOneAssign", 10, 3},
          {"AdamApplyOneWithDecay", 11, 3},
          {"AdamApplyOneWithDecayAssign", 11, 3},
          {"ApplyAdagradD", 4, 2},
          {"ApplyAdamW", 11, 3},
          {"ApplyAdamWithAmsgradD", 8, 4, amsgrad},
          {"ApplyGradientDescent", 3},
          {"ApplyMomentum", 5, 2},
          {"ApplyMomentumD", 5, 2},
          {"ApplyRMSPropD", 5, 3, rmsProp},
          {"AssignAdd", 2},
          {"AssignSub", 2},
          {"ClipByValue", 3},
          {"Div", 2},
          {"DivNoNan", 2},
          {"Elu"},
          {"Elu", 1, 1, elu},
          {"Erf"},
          {"Expm1"},
          {"FastGelu"},
          {"FastGeluGrad", 2},
          {"FloorDiv", 2},
          {"FloorMod", 2},
          {"FusedMulApplyMomentum", 6, 2},
          {"FusedMulApplyMomentumExtern", 7, 3},
          {"Gelu"},
          {"GeluGrad", 3},
          {"GeluGradV2", 2},
          {"GeluGradV2", 2, 1, with("approximate", std::string("tanh"))},
          {"GeluV2"},
          {"GeluV2", 1, 1, with("approximate", std::string("tanh"))},
          {"HardSigmoid"},
          {"HardSigmoid", 1, 1, with("alpha", 1e4f)},
          {"HardSigmoid", 1, 1, with("beta", 0.0f)},
          {"HardSwish"},
          {"LambApplyOptimizerAssign", 12, 3},
          {"LambApplyWeightAssign", 5},
          {"LambNextMVWithDecay", 13, 4},
          {"LambUpdateWithLr", 9},
          {"LambUpdateWithLrV2", 7},
          {"LeakyReluGrad", 2, 1, with("negative_slope", 3.0f)},
          {"LeakyReluGrad", 2, 1, with("negative_slope", 0x1p-12f)},
          {"Log1p"},
          {"Mish"},
          {"Mod", 2},
          {"PRelu", 2},
          {"Pow", 2},
          {"ReciprocalGrad", 2},
          {"Relu6Grad", 2},
          {"ReluGrad", 2},
          {"RsqrtGrad", 2},
          {"SGD", 6, 3},
          {"Selu"},
          {"SigmoidCrossEntropyWithLogits", 2},
          {"SigmoidGrad", 2},
          {"Softplus"},
          {"Softsign"},
          {"SqrtGrad", 2},
          {"Swish", 1, 1, with("scale", 3.0f)},
          {"TanhGrad", 2},
          {"ThresholdedRelu", 1, 1, with("alpha", 0.0f)}};
}

} // namespace npu::kernels::statustable

#endif // NPU_TEST_UNITTESTS_KERNELS_STATUSEXPLORATION_H
