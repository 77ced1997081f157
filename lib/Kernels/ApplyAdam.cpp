//===- ApplyAdam.cpp - A step of the Adam optimizer -----------------------===//

#include "Builtins.h"
#include "FloatElements.h"
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
class ApplyAdamKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    auto scalar = [&](Input input) { return inputs[input].as<float>()[0]; };
    const float beta1 = scalar(Beta1), beta2 = scalar(Beta2);
    const float epsilon = scalar(Epsilon);
    const float rest1 = 1.0f - beta1, rest2 = 1.0f - beta2;
    const float rate = scalar(LearningRate) *
                       std::sqrt(1.0f - scalar(Beta2Power)) /
                       (1.0f - scalar(Beta1Power));
    const float *var = inputs[Var].as<float>();
    const float *m = inputs[FirstMoment].as<float>();
    const float *v = inputs[SecondMoment].as<float>();
    const float *gradient = inputs[Gradient].as<float>();
    std::atomic<bool> overflowed{false}, special{!std::isfinite(rate)};
    context.pool.parallelFor(
        count, 4096, [&](int64_t begin, int64_t end, int64_t) {
          bool finite = true, finiteInputs = true;
          for (int64_t i = begin; i < end; ++i) {
            const float g = gradient[i];
            const float first = m[i] + rest1 * (g - m[i]);
            const float second = v[i] + rest2 * (g * g - v[i]);
            const float step = usesNesterov ? beta1 * first + rest1 * g : first;
            const float result =
                var[i] - rate * step / (std::sqrt(second) + epsilon);
            outputs[Var].as<float>()[i] = canonicalNaN(result);
            outputs[FirstMoment].as<float>()[i] = canonicalNaN(first);
            outputs[SecondMoment].as<float>()[i] = canonicalNaN(second);
            finite &= std::isfinite(first) && std::isfinite(second) &&
                      std::isfinite(result);
            finiteInputs &= std::isfinite(g) && std::isfinite(m[i]) &&
                            std::isfinite(v[i]) && std::isfinite(var[i]);
          }
          if (!finiteInputs)
            special = true;
          else if (!finite)
            overflowed = true;
        });
    StatusBits bits = status::None;
    if (special)
      bits |= status::VectorNanInfInput;
    if (overflowed)
      bits |= status::FloatOverflow;
    return NodeStatus{bits, status::None};
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
