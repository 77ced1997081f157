// Optimizers against their definitions, bit for bit.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t Count = 1537;

TestTensor plain(DataType dtype, const Floats &values) {
  return floatTensor(dtype, {Count}, values);
}

/// Runs \p type on tensors and scalars (vectors of one value).
std::vector<Floats> run(const char *type, DataType dtype,
                        const std::vector<Floats> &inputs, size_t results,
                        const Attributes &attrs = {},
                        StatusBits expected = status::None) {
  std::vector<TestTensor> tensors;
  for (const Floats &input : inputs)
    tensors.push_back(input.size() == 1 ? scalarTensor(dtype, input[0])
                                        : plain(dtype, input));
  auto result = runEverywhere(
      type, tensors,
      std::vector<TensorDesc>(results, plainDesc(dtype, {Count})), attrs);
  EXPECT_EQ(result.status.valid & status::Documented, expected);
  std::vector<Floats> outputs;
  for (TestTensor &output : result.outputs)
    outputs.push_back(floatsOf(output));
  return outputs;
}

Floats values(float low, float high, unsigned seed) {
  return randomFloats(Count, low, high, seed);
}

template <class F>
Floats each(F f) {
  Floats result;
  for (int64_t i = 0; i < Count; ++i)
    result.push_back(f(i));
  return result;
}

float half(float value) { return toHalfAndBack(value); }

Attributes boolAttr(const char *name) {
  Attributes attrs;
  attrs.set(name, true);
  return attrs;
}

} // namespace

TEST(OptimizerTest, Momentum) {
  const Floats var = values(-2, 2, 1), accum = values(-1, 1, 2),
               gradient = values(-1, 1, 3), factor = values(0, 2, 4);
  const float rate = 0.0999755859375f, momentum = 0.89990234375f; // in fp16 too
  for (DataType dtype : {DataType::Float, DataType::Float16}) {
    auto rounded = [&](float value) {
      return dtype == DataType::Float ? value : half(value);
    };
    for (bool nesterov : {false, true})
      for (bool fused : {false, true}) {
        auto next = [&](size_t i) {
          return accum[i] * momentum +
                 (fused ? gradient[i] * factor[i] : gradient[i]);
        };
        auto step = [&](size_t i) {
          const float g = fused ? gradient[i] * factor[i] : gradient[i];
          return nesterov ? g * rate + next(i) * momentum * rate
                          : next(i) * rate;
        };
        std::vector<Floats> inputs{var, accum, {rate}, gradient, {momentum}};
        if (fused)
          inputs.push_back(factor);
        auto outputs =
            run(fused ? "FusedMulApplyMomentum" : "ApplyMomentumD", dtype,
                inputs, 2, nesterov ? boolAttr("use_nesterov") : Attributes());
        expectSameBits(outputs[0], each([&](size_t i) {
                         return rounded(var[i] - step(i));
                       }));
        expectSameBits(outputs[1],
                       each([&](size_t i) { return rounded(next(i)); }));
      }
  }
}

TEST(OptimizerTest, ApplyMomentumShowsWhatItHides) {
  const Floats var = values(-2, 2, 1), accum = values(-1, 1, 2),
               gradient = values(-1, 1, 3);
  const std::vector<Floats> inputs{var, accum, {0.5f}, gradient, {0.25f}};
  auto shown = run("ApplyMomentumD", DataType::Float16, inputs, 2);
  auto hidden = run("ApplyMomentum", DataType::Float16, inputs, 2);
  expectSameBits(hidden[0], shown[0]);
  expectSameBits(hidden[1], shown[1]);
}

TEST(OptimizerTest, StochasticGradientDescent) {
  const Floats var = values(-2, 2, 1), gradient = values(-1, 1, 2),
               accum = values(-1, 1, 3);
  // Where it is above 0 an element takes its first step.
  Floats stat(Count);
  for (int64_t i = 0; i < Count; i += 3)
    stat[i] = 1;
  const float rate = 0.0999755859375f, dampening = 0.25f, decay = 0.125f;
  for (DataType dtype : {DataType::Float, DataType::Float16})
    for (bool nesterov : {false, true})
      for (float momentum : {0.0f, 0.89990234375f}) {
        auto rounded = [&](float value) {
          return dtype == DataType::Float ? value : half(value);
        };
        Attributes attrs;
        attrs.set("nesterov", nesterov);
        attrs.set("dampening", dampening);
        attrs.set("weight_decay", decay);
        auto outputs =
            run("SGD", dtype, {var, gradient, {rate}, accum, {momentum}, stat},
                3, attrs);
        auto g = [&](size_t i) { return gradient[i] + var[i] * decay; };
        auto next = [&](size_t i) {
          return stat[i] > 0 ? g(i)
                             : accum[i] * momentum + g(i) * (1 - dampening);
        };
        auto step = [&](size_t i) {
          return momentum == 0 ? g(i)
                 : nesterov    ? g(i) + next(i) * momentum
                               : next(i);
        };
        expectSameBits(outputs[0], each([&](size_t i) {
                         return rounded(var[i] - step(i) * rate);
                       }));
        expectSameBits(outputs[1], each([&](size_t i) {
                         return rounded(momentum == 0 ? accum[i] : next(i));
                       }));
        expectSameBits(outputs[2], each([&](size_t i) {
                         return momentum == 0 ? stat[i] : 0.0f;
                       }));
      }
}

TEST(OptimizerTest, MomentumWithACopy) {
  const Floats var = values(-2, 2, 1), accum = values(-1, 1, 2),
               gradient = values(-1, 1, 3);
  const float rate = 0.1f, momentum = 0.9f, scale = 0.25f;
  for (bool nesterov : {false, true}) {
    const Attributes attrs = nesterov ? boolAttr("use_nesterov") : Attributes();
    auto result = runEverywhere(
        "FusedMulApplyMomentumExtern",
        {plain(DataType::Float, var), plain(DataType::Float, accum),
         scalarTensor(DataType::Float, rate), plain(DataType::Float, gradient),
         scalarTensor(DataType::Float, momentum),
         scalarTensor(DataType::Float, scale), plain(DataType::Float16, var)},
        {plainDesc(DataType::Float, {Count}),
         plainDesc(DataType::Float16, {Count}),
         plainDesc(DataType::Float, {Count})},
        attrs);
    auto expected =
        run("FusedMulApplyMomentum", DataType::Float,
            {var, accum, {rate}, gradient, {momentum}, {scale}}, 2, attrs);
    expectSameBits(floatsOf(result.outputs[0]), expected[0]);
    expectSameBits(floatsOf(result.outputs[1]),
                   each([&](size_t i) { return half(expected[0][i]); }));
    expectSameBits(floatsOf(result.outputs[2]), expected[1]);
  }
}

TEST(OptimizerTest, RmsProp) {
  const Floats var = values(-2, 2, 1), ms = values(0, 1, 2),
               mom = values(-1, 1, 3), gradient = values(-1, 1, 4);
  const float rate = 0.0999755859375f, rho = 0.9f, momentum = 0.5f,
              epsilon = 1e-3f;
  Attributes attrs;
  attrs.set("rho", rho);
  attrs.set("momentum", momentum);
  attrs.set("epsilon", epsilon);
  for (DataType dtype : {DataType::Float, DataType::Float16}) {
    auto rounded = [&](float value) {
      return dtype == DataType::Float ? value : half(value);
    };
    auto squares = [&](size_t i) {
      return ms[i] * rho + gradient[i] * gradient[i] * (1 - rho);
    };
    auto step = [&](size_t i) {
      return mom[i] * momentum +
             gradient[i] * rate / std::sqrt(squares(i) + epsilon);
    };
    auto outputs =
        run("ApplyRMSPropD", dtype, {var, ms, mom, {rate}, gradient}, 3, attrs);
    expectSameBits(outputs[0],
                   each([&](size_t i) { return rounded(var[i] - step(i)); }));
    expectSameBits(outputs[1],
                   each([&](size_t i) { return rounded(squares(i)); }));
    expectSameBits(outputs[2],
                   each([&](size_t i) { return rounded(step(i)); }));
  }
}

TEST(OptimizerTest, Adagrad) {
  const Floats var = values(-2, 2, 1), accum = values(0.125f, 1, 2),
               gradient = values(-1, 1, 3);
  const float rate = 0.0999755859375f;
  for (DataType dtype : {DataType::Float, DataType::Float16})
    for (bool updates : {false, true}) {
      auto rounded = [&](float value) {
        return dtype == DataType::Float ? value : half(value);
      };
      Attributes attrs;
      attrs.set("update_slots", updates);
      auto squares = [&](size_t i) {
        return updates ? accum[i] + gradient[i] * gradient[i] : accum[i];
      };
      auto outputs =
          run("ApplyAdagradD", dtype, {var, accum, {rate}, gradient}, 2, attrs);
      expectSameBits(outputs[0], each([&](size_t i) {
                       return rounded(var[i] - gradient[i] * rate /
                                                   std::sqrt(squares(i)));
                     }));
      expectSameBits(outputs[1],
                     each([&](size_t i) { return rounded(squares(i)); }));
    }
}

TEST(OptimizerTest, AdamWithTheLargestMoment) {
  const Floats var = values(-2, 2, 1), m = values(-1, 1, 2),
               v = values(0, 1, 3), largest = values(0, 1, 4),
               gradient = values(-1, 1, 5);
  const float rate = 0.01f, b1 = 0.9f, b2 = 0.999f, p1 = 0.81f, p2 = 0.998f,
              epsilon = 1e-6f;
  Attributes attrs;
  attrs.set("beta1", b1);
  attrs.set("beta2", b2);
  attrs.set("epsilon", epsilon);
  auto first = [&](size_t i) { return m[i] * b1 + gradient[i] * (1 - b1); };
  auto second = [&](size_t i) {
    return v[i] * b2 + gradient[i] * gradient[i] * (1 - b2);
  };
  auto most = [&](size_t i) { return std::max(largest[i], second(i)); };
  auto outputs =
      run("ApplyAdamWithAmsgradD", DataType::Float,
          {var, m, v, largest, {p1}, {p2}, {rate}, gradient}, 4, attrs);
  expectSameBits(outputs[0], each([&](size_t i) {
                   const float step = rate * std::sqrt(1 - p2) / (1 - p1);
                   return var[i] -
                          step * first(i) / (std::sqrt(most(i)) + epsilon);
                 }));
  expectSameBits(outputs[1], each(first));
  expectSameBits(outputs[2], each(second));
  expectSameBits(outputs[3], each(most));
}

TEST(OptimizerTest, GradientDescent) {
  const Floats var = values(-2, 2, 1), delta = values(-9, 9, 2);
  auto inHalf =
      run("ApplyGradientDescent", DataType::Float16, {var, {0.5f}, delta}, 1);
  expectSameBits(inHalf[0], each([&](size_t i) {
                   return half(var[i] - half(delta[i] * 0.5f));
                 }));
  auto inFloat =
      run("ApplyGradientDescent", DataType::Float, {var, {0.1f}, delta}, 1);
  expectSameBits(inFloat[0],
                 each([&](size_t i) { return var[i] - delta[i] * 0.1f; }));
  // A product beyond fp16.
  run("ApplyGradientDescent", DataType::Float16, {var, {60000}, delta}, 1, {},
      status::FloatOverflow);
}

TEST(OptimizerTest, AdamApplyOne) {
  const Floats g = values(-1, 1, 1), v = values(0, 1, 2), m = values(-1, 1, 3),
               var = values(-2, 2, 4);
  const float rate = 0.01f, b1 = 0.9f, r1 = 0.1f, b2 = 0.999f, r2 = 0.001f,
              decay = 0.01f, epsilon = 1e-6f;
  for (bool decays : {false, true})
    for (bool assigns : {false, true}) {
      std::vector<Floats> inputs{g,    v,    m,    var,  {rate},
                                 {b1}, {r1}, {b2}, {r2}, {epsilon}};
      if (decays)
        inputs.insert(inputs.end() - 1, Floats{decay});
      const std::string type = std::string("AdamApplyOne") +
                               (decays ? "WithDecay" : "") +
                               (assigns ? "Assign" : "");
      auto outputs = run(type.c_str(), DataType::Float, inputs, 3);
      auto second = [&](size_t i) { return v[i] * b2 + g[i] * g[i] * r2; };
      auto first = [&](size_t i) { return m[i] * b1 + g[i] * r1; };
      expectSameBits(outputs[0], each(second));
      expectSameBits(outputs[1], each(first));
      expectSameBits(outputs[2], each([&](size_t i) {
                       float step = first(i) / (std::sqrt(second(i)) + epsilon);
                       if (decays)
                         step += var[i] * decay;
                       return var[i] - step * rate;
                     }));
    }
}

TEST(OptimizerTest, AdamApplyOneInHalf) {
  const Floats g = values(-1, 1, 1), v = values(0.1f, 1, 2),
               m = values(-1, 1, 3), var = values(-2, 2, 4);
  auto outputs = run(
      "AdamApplyOne", DataType::Float16,
      {g, v, m, var, {0.5f}, {0.5f}, {0.25f}, {0.75f}, {0.125f}, {0.5f}}, 3);
  auto second = [&](size_t i) {
    return half(half(v[i] * 0.75f) + half(half(g[i] * g[i]) * 0.125f));
  };
  auto first = [&](size_t i) {
    return half(half(m[i] * 0.5f) + half(g[i] * 0.25f));
  };
  expectSameBits(outputs[0], each(second));
  expectSameBits(outputs[1], each(first));
  expectSameBits(outputs[2], each([&](size_t i) {
                   const float down = half(half(std::sqrt(second(i))) + 0.5f);
                   return half(var[i] - half(half(first(i) / down) * 0.5f));
                 }));
}

TEST(OptimizerTest, AdamW) {
  const Floats g = values(-1, 1, 1), v = values(0, 1, 2), m = values(-1, 1, 3),
               var = values(-2, 2, 4);
  const float p1 = 0.81f, p2 = 0.998f, rate = 0.01f, decay = 0.1f, b1 = 0.9f,
              b2 = 0.999f, epsilon = 1e-6f;
  for (bool maximize : {false, true}) {
    auto outputs =
        run("ApplyAdamW", DataType::Float,
            {var, m, v, {p1}, {p2}, {rate}, {decay}, {b1}, {b2}, {epsilon}, g},
            3, maximize ? boolAttr("maximize") : Attributes());
    const float sign = maximize ? -1.0f : 1.0f;
    auto first = [&](size_t i) {
      return m[i] * b1 + sign * g[i] * (1.0f - b1);
    };
    auto second = [&](size_t i) {
      return v[i] * b2 + g[i] * g[i] * (1.0f - b2);
    };
    expectSameBits(outputs[1], each(first));
    expectSameBits(outputs[2], each(second));
    expectSameBits(outputs[0], each([&](size_t i) {
                     const float step =
                         first(i) / (1.0f - p1) /
                         (std::sqrt(second(i) / (1.0f - p2)) + epsilon);
                     return var[i] * (1.0f - rate * decay) - rate * step;
                   }));
  }
  const TensorDesc scalar = plainDesc(DataType::Float, {1});
  EXPECT_EQ(refusal("ApplyAdamW", std::vector<TensorDesc>(11, scalar),
                    std::vector<TensorDesc>(3, scalar), boolAttr("amsgrad")),
            "node: attribute 'amsgrad' is true, expected false");
}

TEST(OptimizerTest, LambStep) {
  const Floats g = values(-1, 1, 1), v = values(0.01f, 1, 2),
               m = values(-1, 1, 3), var = values(-2, 2, 4);
  const float b1 = 0.9f, r1 = 0.1f, b2 = 0.99f, r2 = 0.01f, epsilon = 1e-6f,
              steps = 3, decay = 0.01f;
  auto outputs = run(
      "LambApplyOptimizerAssign", DataType::Float,
      {g, v, m, var, {b1}, {r1}, {b2}, {r2}, {epsilon}, {steps}, {1}, {decay}},
      3);
  auto second = [&](size_t i) { return v[i] * b2 + g[i] * g[i] * r2; };
  auto first = [&](size_t i) { return m[i] * b1 + g[i] * r1; };
  expectSameBits(outputs[1], each(second));
  expectSameBits(outputs[2], each(first));
  // Powers by exp and ln: not to the last bit.
  std::vector<double> update;
  for (int64_t i = 0; i < Count; ++i)
    update.push_back(
        double(first(i)) / (1 - std::pow(b1, 3)) /
            (std::sqrt(second(i) / (1 - std::pow(b2, 3))) + epsilon) +
        var[i] * decay);
  expectNear(outputs[0], update, 2e-5);
}

TEST(OptimizerTest, LambNext) {
  const Floats square = values(0, 1, 1), v = values(0.01f, 1, 2),
               g = values(-1, 1, 3), m = values(-1, 1, 4),
               var = values(-2, 2, 5);
  const float c2 = 0.1f, c1 = 0.2f, b1 = 0.9f, r1 = 0.1f, b2 = 0.99f,
              r2 = 0.01f, decay = 0.01f, epsilon = 1e-6f;
  for (const std::string type : {"LambNextMVWithDecay", "LambNextMV"}) {
    auto outputs = run(type.c_str(), DataType::Float,
                       {square,
                        v,
                        {c2},
                        g,
                        m,
                        {c1},
                        var,
                        {b1},
                        {r1},
                        {b2},
                        {r2},
                        {decay},
                        {epsilon}},
                       4);
    auto second = [&](size_t i) { return v[i] * b2 + square[i] * r2; };
    auto first = [&](size_t i) { return m[i] * b1 + g[i] * r1; };
    expectSameBits(outputs[1], each(first));
    expectSameBits(outputs[2], each(second));
    expectSameBits(outputs[0], each([&](size_t i) {
                     return var[i] * decay +
                            1.0f / std::sqrt(second(i) / c2 + epsilon) *
                                (first(i) / c1);
                   }));
    expectSameBits(outputs[3], each([&](size_t i) {
                     const float step =
                         first(i) / c1 / (std::sqrt(second(i) / c2) + epsilon);
                     return type == "LambNextMV" ? step : var[i] * decay + step;
                   }));
  }
}

TEST(OptimizerTest, LambSquares) {
  const Floats g = values(-1, 1, 1), v = values(0.01f, 1, 2);
  const float b2 = 0.99f, r2 = 0.01f, inverse = 10, epsilon = 1e-6f;
  auto outputs = run("LambNextRight", DataType::Float,
                     {g, v, {b2}, {r2}, {inverse}, {epsilon}}, 2);
  auto second = [&](size_t i) { return v[i] * b2 + g[i] * g[i] * r2; };
  expectSameBits(outputs[0], each(second));
  expectSameBits(outputs[1], each([&](size_t i) {
                   return epsilon + std::sqrt(second(i) * inverse);
                 }));
}

TEST(OptimizerTest, Lars) {
  const Floats w = values(-2, 2, 1), g = values(-1, 1, 2);
  const float ofW = 4, ofG = 9, decay = 0.01f, factor = 0.5f, epsilon = 0.1f;
  Attributes attrs;
  attrs.set("hyperpara", factor);
  attrs.set("epsilon", epsilon);
  const float coefficient = 2 * factor / (2 * decay + 3 + epsilon);
  for (const char *type : {"LarsV2Update", "LarsV2UpdateD"})
    // With a small rate the quotient is clipped.
    for (float rate : {0.01f, 2.0f})
      for (bool clips : {false, true}) {
        attrs.set("use_clip", clips);
        const float scale =
            clips ? std::min(coefficient / rate, 1.0f) : coefficient;
        expectSameBits(
            run(type, DataType::Float, {w, g, {ofW}, {ofG}, {decay}, {rate}}, 1,
                attrs)[0],
            each([&](size_t i) { return (w[i] * decay + g[i]) * scale; }));
      }
  const TensorDesc half = plainDesc(DataType::Float16, {1});
  EXPECT_EQ(refusal("LarsV2Update", std::vector<TensorDesc>(6, half), {half}),
            "node: input " + half.toString() + " is not DT_FLOAT as expected");
}

TEST(OptimizerTest, LambUpdates) {
  const Floats update = values(-1, 1, 1), var = values(-2, 2, 2);
  const float rate = 0.01f;
  struct Norms {
    float ofVar, ofUpdate, ratio;
  };
  for (const Norms &n : {Norms{3, 2, 1.5f}, {0, 2, 1}, {3, 0, 1}, {0, 0, 1}}) {
    const Floats expected =
        each([&](size_t i) { return var[i] - n.ratio * rate * update[i]; });
    expectSameBits(run("LambApplyWeightAssign", DataType::Float,
                       {{n.ofVar}, {n.ofUpdate}, {rate}, update, var}, 1)[0],
                   expected);
    expectSameBits(run("LambUpdateWithLrV2", DataType::Float,
                       {{n.ofVar}, {n.ofUpdate}, {rate}, update, var, {0}, {1}},
                       1)[0],
                   expected);
  }
  // The ratio is kept between 0 and 1.25.
  expectSameBits(
      run("LambUpdateWithLr", DataType::Float,
          {{2}, {3}, {2}, {rate}, update, var, {0}, {1}, {1.25f}}, 1)[0],
      each([&](size_t i) { return var[i] - 1.25f * rate * update[i]; }));
}
