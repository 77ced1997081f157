// Which inputs an optimizer changes in place is its own: of other places than its
// outputs, or without an output at all. Values after three iterations.

// RUN: rm -rf %t
// RUN: npu-run %s --iterations=3 --output-dir=%t
// RUN: %python %S/Inputs/print-arrays.py %t/2 | FileCheck %s

// CHECK: a_m: 0.875{{$}}
// CHECK-NEXT: a_var: 7.875{{$}}
// CHECK-NEXT: adam_m: 0.875{{$}}
// CHECK-NEXT: adam_v: 64.0{{$}}
// CHECK-NEXT: adam_var: 9.453125{{$}}
// CHECK-NEXT: bn_mean: 1.75{{$}}
// CHECK-NEXT: bn_variance: 1.75{{$}}
// CHECK-NEXT: lamb_m: 0.875{{$}}
// CHECK-NEXT: lamb_v: 0.875{{$}}
// CHECK-NEXT: lw_var: 7.0{{$}}
// CHECK-NEXT: mom_accum: 1.75{{$}}
// CHECK-NEXT: mom_var: 5.75{{$}}
// CHECK-NEXT: sgd_accum: 0.6875{{$}}
// CHECK-NEXT: sgd_stat: 0.0{{$}}
// CHECK-NEXT: sgd_var: 7.5625{{$}}

ge.graph @g {
  %mom_var, %mom_var_ctl = ge.node "Variable" "mom_var"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %mom_accum, %mom_accum_ctl = ge.node "Variable" "mom_accum"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %sgd_var, %sgd_var_ctl = ge.node "Variable" "sgd_var"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %sgd_accum, %sgd_accum_ctl = ge.node "Variable" "sgd_accum"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %sgd_stat, %sgd_stat_ctl = ge.node "Variable" "sgd_stat"() attrs {value = #ge.value<t, {data = "\00\00\80\3F"}>} -> tensor<1xf32>
  %bn_mean, %bn_mean_ctl = ge.node "Variable" "bn_mean"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %bn_variance, %bn_variance_ctl = ge.node "Variable" "bn_variance"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %lw_var, %lw_var_ctl = ge.node "Variable" "lw_var"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %adam_v, %adam_v_ctl = ge.node "Variable" "adam_v"() attrs {value = #ge.value<t, {data = "\00\00\80\3F"}>} -> tensor<1xf32>
  %adam_m, %adam_m_ctl = ge.node "Variable" "adam_m"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %adam_var, %adam_var_ctl = ge.node "Variable" "adam_var"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %lamb_v, %lamb_v_ctl = ge.node "Variable" "lamb_v"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %lamb_m, %lamb_m_ctl = ge.node "Variable" "lamb_m"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %a_var, %a_var_ctl = ge.node "Variable" "a_var"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %a_m, %a_m_ctl = ge.node "Variable" "a_m"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %a_v, %a_v_ctl = ge.node "Variable" "a_v"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %x, %x_ctl = ge.node "Const" "x"() attrs {value = #ge.value<t, {data = "\00\00\80\3F\00\00\40\40"}>} -> tensor<2x1xf32>
  %c0p0, %c0p0_ctl = ge.node "Const" "c0p0"() attrs {value = #ge.value<t, {data = "\00\00\00\00"}>} -> tensor<1xf32>
  %c0p25, %c0p25_ctl = ge.node "Const" "c0p25"() attrs {value = #ge.value<t, {data = "\00\00\80\3E"}>} -> tensor<1xf32>
  %c0p5, %c0p5_ctl = ge.node "Const" "c0p5"() attrs {value = #ge.value<t, {data = "\00\00\00\3F"}>} -> tensor<1xf32>
  %c1p0, %c1p0_ctl = ge.node "Const" "c1p0"() attrs {value = #ge.value<t, {data = "\00\00\80\3F"}>} -> tensor<1xf32>
  %c4p0, %c4p0_ctl = ge.node "Const" "c4p0"() attrs {value = #ge.value<t, {data = "\00\00\80\40"}>} -> tensor<1xf32>
  %c10p0, %c10p0_ctl = ge.node "Const" "c10p0"() attrs {value = #ge.value<t, {data = "\00\00\20\41"}>} -> tensor<1xf32>
  %momentum, %momentum_ctl = ge.node "ApplyMomentum" "momentum"(%mom_var, %mom_accum, %c1p0, %c1p0, %c0p5)
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %sgd, %sgd_ctl = ge.node "SGD" "sgd"(%sgd_var, %c1p0, %c1p0, %sgd_accum, %c0p25, %sgd_stat) attrs {dampening = 5.0e-01 : f32}
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %bn:5, %bn_ctl = ge.node "BNTrainingUpdate" "bn"(%x, %c4p0, %c10p0, %c1p0, %c0p0, %bn_mean, %bn_variance) attrs {epsilon = 0.0 : f32, factor = 5.0e-01 : f32}
    : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %lamb_weight, %lamb_weight_ctl = ge.node "LambApplyWeightAssign" "lamb_weight"(%c0p0, %c0p0, %c1p0, %c1p0, %lw_var)
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %adam:3, %adam_ctl = ge.node "AdamApplyOneAssign" "adam"(%c1p0, %adam_v, %adam_m, %adam_var, %c1p0, %c0p5, %c0p5, %c4p0, %c0p0, %c0p0)
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %lamb:3, %lamb_ctl = ge.node "LambApplyOptimizerAssign" "lamb"(%c1p0, %lamb_v, %lamb_m, %c1p0, %c0p5, %c0p5, %c0p5, %c0p5, %c1p0, %c1p0, %c0p0, %c0p0)
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %apply_adam, %apply_adam_ctl = ge.node "ApplyAdam" "apply_adam"(%a_var, %a_m, %a_v, %c0p0, %c0p0, %c1p0, %c0p5, %c1p0, %c1p0, %c1p0)
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %out_ctl = ge.node "NetOutput" "out"(%mom_var, %mom_accum, %sgd_var, %sgd_accum, %sgd_stat, %bn_mean, %bn_variance, %lw_var, %adam_v, %adam_m, %adam_var, %lamb_v, %lamb_m, %a_var, %a_m)
    [%momentum_ctl, %sgd_ctl, %bn_ctl, %lamb_weight_ctl, %adam_ctl, %lamb_ctl, %apply_adam_ctl] : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
}
