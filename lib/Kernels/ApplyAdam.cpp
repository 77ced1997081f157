//===- ApplyAdam.cpp - A step of the Adam optimizer -----------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <atomic>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

/// The inputs of ApplyAdam and ApplyAdamD; those that it updates are also its
/// outputs.
enum Input : size_t {
  Var,
  FirstMoment,
  SecondMoment,
  Beta1Power,
  Beta2Power,
  LearningRate,
  Beta1,
  Beta2,
  Epsilon,
  Gradient,
  NumInputs
};
constexpr size_t NumUpdated = 3;

/// rate = lr * sqrt(1 - beta2^t) / (1 - beta1^t)
/// m    = m + (1 - beta1) * (g - m)
/// v    = v + (1 - beta2) * (g * g - v)
/// var  = var - rate * m / (sqrt(v) + epsilon)
///
/// Every operation is an fp32 instruction. With use_nesterov the last line has
/// beta1 * m + (1 - beta1) * g in place of m.
struct Scalars {
  float beta1, rest1, rest2, rate, epsilon;
};
struct Element {
  float var, m, v;

  bool isFinite() const {
    return std::isfinite(var) && std::isfinite(m) && std::isfinite(v);
  }
};
template <class Instructions>
Element update(Instructions &unit, const Element &old, float gradient,
               const Scalars &s, bool usesNesterov) {
  auto moved = [&](float from, float to, float share) {
    return unit.add(from, unit.mul(share, unit.sub(to, from)));
  };
  const float m = moved(old.m, gradient, s.rest1);
  const float v = moved(old.v, unit.mul(gradient, gradient), s.rest2);
  const float step =
      usesNesterov ? unit.add(unit.mul(s.beta1, m), unit.mul(s.rest1, gradient))
                   : m;
  const float divisor = unit.add(unit.sqrt(v), s.epsilon);
  const float change = unit.div(unit.mul(s.rate, step), divisor);
  return {unit.sub(old.var, change), m, v};
}

class ApplyAdamKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    auto scalar = [&](Input input) { return inputs[input].as<float>()[0]; };
    WatchedInstructions scalars;
    const float root = scalars.sqrt(scalars.sub(1, scalar(Beta2Power)));
    Scalars s;
    s.beta1 = scalar(Beta1);
    s.rest1 = scalars.sub(1, s.beta1);
    s.rest2 = scalars.sub(1, scalar(Beta2));
    s.rate = scalars.div(scalars.mul(scalar(LearningRate), root),
                         scalars.sub(1, scalar(Beta1Power)));
    s.epsilon = scalar(Epsilon);
    // An infinite divisor would not show in the results.
    const bool isQuiet = std::isfinite(s.epsilon);
    std::atomic<StatusBits> status{scalars.bits};
    context.pool.parallelFor(
        count, 4096, [&](int64_t begin, int64_t end, int64_t) {
          PlainInstructions plain;
          WatchedInstructions watched;
          for (int64_t i = begin; i < end; ++i) {
            const Element element = {inputs[Var].as<float>()[i],
                                     inputs[FirstMoment].as<float>()[i],
                                     inputs[SecondMoment].as<float>()[i]};
            const float gradient = inputs[Gradient].as<float>()[i];
            const Element result =
                update(plain, element, gradient, s, usesNesterov);
            if (!isQuiet || !result.isFinite())
              update(watched, element, gradient, s, usesNesterov);
            outputs[Var].as<float>()[i] = canonicalNaN(result.var);
            outputs[FirstMoment].as<float>()[i] = canonicalNaN(result.m);
            outputs[SecondMoment].as<float>()[i] = canonicalNaN(result.v);
          }
          status |= watched.bits;
        });
    return NodeStatus{status, status::None};
  }

private:
  int64_t count = 0;
  bool usesNesterov = false;
};

Expected<std::unique_ptr<Kernel>>
ApplyAdamKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status = checkArity(spec, NumInputs, NumUpdated); !status)
    return status;
  const TensorDesc &var = *spec.inputs[Var];
  for (size_t i = 0; i < NumInputs; ++i) {
    const TensorDesc &input = *spec.inputs[i];
    const bool isScalar = i >= Beta1Power && i <= Epsilon;
    if (input.dtype != DataType::Float ||
        (isScalar ? input.numElements() != 1 : input.shape != var.shape))
      return nodeError(
          spec, "input " + std::to_string(i) + " is " + input.toString() +
                    ", expected " +
                    (isScalar ? "one DT_FLOAT"
                              : "DT_FLOAT of the shape of " + var.toString()));
  }
  for (size_t i = 0; i < NumUpdated; ++i)
    if (spec.outputs[i].dtype != DataType::Float ||
        spec.outputs[i].shape != var.shape)
      return nodeError(spec, "output " + std::to_string(i) + " is " +
                                 spec.outputs[i].toString() + ", expected " +
                                 var.toString());
  auto nesterov = spec.attribute<bool>("use_nesterov");
  if (!nesterov)
    return inNode(spec, nesterov.takeStatus());
  auto kernel = std::make_unique<ApplyAdamKernel>();
  kernel->count = var.numElements();
  kernel->usesNesterov = *nesterov;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

} // namespace

void kernels::addApplyAdam(Registry &registry) {
  for (const char *type : {"ApplyAdam", "ApplyAdamD"})
    registry.add(type,
                 {ApplyAdamKernel::create, "fp32, every instruction rounds",
                  status::FloatOverflow | status::VectorNanInfInput});
}
