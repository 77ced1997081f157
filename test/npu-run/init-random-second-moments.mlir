// Random variances and second moments are not negative: no operator takes the
// root of a negative number. Other variables have both signs.

// RUN: rm -rf %t && mkdir -p %t
// RUN: npu-run %s --init=random:1 --output-dir=%t/out
// RUN: %python -c "import numpy as np; v = np.load('%t/out/before.0.npy'); assert v.min() >= 0 and v.max() > 0.5, v"
// RUN: %python -c "import numpy as np; v = np.load('%t/out/variance.0.npy'); assert v.min() >= 0 and v.max() > 0.5, v"
// RUN: %python -c "import numpy as np; m = np.load('%t/out/first.0.npy'); assert m.min() < 0 < m.max(), m"
// RUN: %python -c "import numpy as np; y = np.load('%t/out/bn.0.npy'); assert np.isfinite(y).all(), y"

ge.graph @g {
  %var, %var_ctl = ge.node "Variable" "var"() -> tensor<64xf32>
  %m, %m_ctl = ge.node "Variable" "m"() -> tensor<64xf32>
  %v, %v_ctl = ge.node "Variable" "v"() -> tensor<64xf32>
  %s, %s_ctl = ge.node "Const" "s"() -> tensor<f32>
  %grad, %grad_ctl = ge.node "Data" "grad"() -> tensor<64xf32>
  %before, %before_ctl = ge.node "Identity" "before"(%v) : (tensor<64xf32>) -> tensor<64xf32>
  %first, %first_ctl = ge.node "Identity" "first"(%m) : (tensor<64xf32>) -> tensor<64xf32>
  %step:3, %step_ctl = ge.node "ApplyAdamD" "step"(%var, %m, %v, %s, %s, %s, %s, %s, %s, %grad) [%before_ctl, %first_ctl]
    : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<64xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)

  %x, %x_ctl = ge.node "Data" "x"() -> tensor<2x64x3x3xf16, #ge.layout<NCHW>>
  %scale, %scale_ctl = ge.node "Const" "scale"() -> tensor<64xf32>
  %variance, %variance_ctl = ge.node "Const" "half_variance"() -> tensor<64xf16>
  %single, %single_ctl = ge.node "Cast" "variance"(%variance) attrs {dst_type = 0} : (tensor<64xf16>) -> tensor<64xf32>
  %y, %y_ctl = ge.node "BNInfer" "bn"(%x, %scale, %scale, %scale, %single) attrs {epsilon = 1.0e-5 : f32}
    : (tensor<2x64x3x3xf16, #ge.layout<NCHW>>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    -> tensor<2x64x3x3xf16, #ge.layout<NCHW>>
  %out_ctl = ge.node "NetOutput" "out"(%before, %first, %single, %y) [%step_ctl]
    : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<2x64x3x3xf16, #ge.layout<NCHW>>)
}
