//===- Optimizer.cpp - Optimizers -----------------------------------------===//

#include "Families.h"

using namespace npu::catalog;

static constexpr Row rows[] = {
    {"AdamApplyOne",
     "input0, input1, input2, input3, input4, mul0_x, mul1_x, mul2_x, mul3_x, "
     "add2_y",
     "output0, output1, output2", "", Engine::AiCore, ShapeRule::Broadcast},
    {"AdamApplyOneAssign",
     "input0, input1, input2, input3, input4, mul0_x, mul1_x, mul2_x, mul3_x, "
     "add2_y",
     "input1, input2, input3", ""},
    {"AdamApplyOneWithDecay",
     "input0, input1, input2, input3, input4, mul0_x, mul1_x, mul2_x, mul3_x, "
     "mul4_x, add2_y",
     "output0, output1, output2", "", Engine::AiCore, ShapeRule::Broadcast},
    {"AdamApplyOneWithDecayAssign",
     "input0, input1, input2, input3, input4, mul0_x, mul1_x, mul2_x, mul3_x, "
     "mul4_x, add2_y",
     "input1, input2, input3", ""},
    {"ApplyAdagradD", "var, accum, lr, grad", "var, accum",
     "update_slots: bool = true; use_locking: bool = false"},
    {"ApplyAdam",
     "var, m&, v&, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad",
     "var", "use_locking: bool = false; use_nesterov: bool = false"},
    {"ApplyAdamD",
     "var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad",
     "var, m, v", "use_locking: bool = false; use_nesterov: bool = false"},
    {"ApplyAdamW",
     "var, m, v, beta1_power, beta2_power, lr, weight_decay, beta1, beta2, "
     "epsilon, grad, max_grad_norm?",
     "var, m, v", "amsgrad: bool = false; maximize: bool = false"},
    {"ApplyAdamWithAmsgradD",
     "var, m, v, vhat, beta1_power, beta2_power, lr, grad", "var, m, v, vhat",
     "beta1: float; beta2: float; epsilon: float; use_locking: bool = false"},
    {"ApplyGradientDescent", "var, alpha, delta", "var",
     "use_locking: bool = false"},
    {"ApplyMomentum", "var, accum&, lr, grad, momentum", "var",
     "use_nesterov: bool = false; use_locking: bool = false"},
    {"ApplyMomentumD", "var, accum, lr, grad, momentum", "var, accum",
     "use_nesterov: bool = false; use_locking: bool = false"},
    {"ApplyRMSPropD", "var, ms, mom, lr, grad", "var, ms, mom",
     "rho: float; momentum: float; epsilon: float; use_locking: bool = false"},
    {"ClipByNormNoDivSum", "x, greater_zeros, select_ones, maximum_ones", "y",
     "", Engine::AiCore, ShapeRule::SameAsFirst},
    {"FusedMulApplyMomentum", "var, accum, lr, x1, momentum, x2", "var, accum",
     "use_nesterov: bool = false; use_locking: bool = false"},
    {"FusedMulApplyMomentumExtern",
     "var, accum, lr, x1, momentum, x2, var_copy", "var, var_copy, accum",
     "use_nesterov: bool = false; use_locking: bool = false"},
    {"LambApplyOptimizerAssign",
     "grad, inputv, inputm, input3, mul0_x, mul1_x, mul2_x, mul3_x, add2_y, "
     "steps, do_use_weight, weight_decay_rate",
     "output0, inputv, inputm", "", Engine::AiCore, ShapeRule::Broadcast},
    {"LambApplyWeightAssign", "input0, input1, input2, input3, input_param",
     "input_param", ""},
    {"LambNextMV",
     "input_mul3, input_mul2, input_realdiv1, input_mul1, input_mul0, "
     "input_realdiv0, input_mul4, mul0_x, mul1_sub, mul2_x, mul3_sub1, mul4_x, "
     "add2_y",
     "y1, y2, y3, y4", "", Engine::AiCore, ShapeRule::Broadcast},
    {"LambNextMVWithDecay",
     "input_mul3, input_mul2, input_realdiv1, input_mul1, input_mul0, "
     "input_realdiv0, input_mul4, mul0_x, mul1_sub, mul2_x, mul3_sub1, mul4_x, "
     "add2_y",
     "y1, y2, y3, y4", "", Engine::AiCore, ShapeRule::Broadcast},
    {"LambNextRight",
     "input_square, input_mul2, mul2_x, mul3_x, truediv1_recip, add2_y",
     "y1, y2", "", Engine::AiCore, ShapeRule::Broadcast},
    {"LambUpdateWithLr",
     "input_greater1, input_greater_realdiv, input_realdiv, input_mul0, "
     "input_mul1, input_sub, greater_y, select_e, minimum_y",
     "y", "", Engine::AiCore, ShapeRule::Broadcast},
    {"LambUpdateWithLrV2", "x1, x2, x3, x4, x5, greater_y, select_e", "y", "",
     Engine::AiCore, ShapeRule::Broadcast},
    {"LarsV2Update",
     "w, g, w_square_sum, g_square_sum, weight_decay, learning_rate", "g_new",
     "hyperpara: float = 0.001; epsilon: float = 0.00001; use_clip: bool = "
     "false",
     Engine::AiCore, ShapeRule::SameAsFirst},
    {"LarsV2UpdateD",
     "w, g, w_square_sum, g_square_sum, weight_decay, learning_rate", "g_new",
     "hyperpara: float = 0.001; epsilon: float = 0.00001; use_clip: bool = "
     "false",
     Engine::AiCore, ShapeRule::SameAsFirst},
    {"SGD", "parameters, gradient, learning_rate, accum&, momentum, stat&",
     "parameters",
     "dampening: float = 0.0; weight_decay: float = 0.0; nesterov: bool = "
     "false"},
    {"SquareSumAll", "x1, x2", "y1, y2", "", Engine::AiCore, ShapeRule::Scalar},
    {"SquareSumV1", "x", "y", "axis: list int; keep_dims: bool = false",
     Engine::AiCore, ShapeRule::Reduction},
    {"SquareSumV2", "x", "y1, y2", "axis: list int; keep_dims: bool = false",
     Engine::AiCore, ShapeRule::SquareSum},
};
static_assert(isWellFormed(rows));

const std::span<const Row> npu::catalog::optimizerRows = rows;
