//===- Softmax.cpp - SoftmaxV2 --------------------------------------------===//

#include "AxisLines.h"
#include "Builtins.h"
#include "FloatElements.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "SoftmaxLine.h"
#include "npu/Kernels/Registry.h"

#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

class SoftmaxKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  SoftmaxPath path;
  OverflowMode mode = OverflowMode::Saturate;
  TensorDesc input, output;
  AxisLines from, to;
};

SoftmaxPath choosePath(const TensorDesc &input, const NumericConfig &config,
                       int64_t implMode, bool lastAxis) {
  SoftmaxPath path;
  const bool isMatrix = input.format == Format::FRACTAL_NZ;
  if (input.dtype == DataType::Float16) {
    path.halfDifference = true;
    path.halfExp = config.soc == Soc::Ascend310;
    path.multiplies = config.soc == Soc::Ascend310 ||
                      config.soc == Soc::Ascend310P ||
                      (isMatrix && config.soc == Soc::Ascend910A);
  } else if (input.dtype == DataType::Float) {
    // Neither has a whole-vector maximum in fp32; Ascend310 no exp either.
    path.halfMax =
        lastAxis && !(implMode & HighPrecision) &&
        (config.soc == Soc::Ascend910A || config.soc == Soc::Ascend310);
  }
  return path;
}

Expected<std::unique_ptr<Kernel>>
SoftmaxKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto kernel = std::make_unique<SoftmaxKernel>();
  kernel->input = *spec.inputs[0];
  kernel->output = spec.outputs[0];
  kernel->mode = config.overflow;
  if (!isFloatType(kernel->input.dtype) || !isFloatType(kernel->output.dtype))
    return nodeError(spec, "no softmax of " + kernel->input.toString() +
                               " to " + kernel->output.toString());
  auto axes = spec.attribute<std::vector<int64_t>>("axes");
  if (!axes)
    return inNode(spec, axes.takeStatus());
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  auto layout = Layout::create(kernel->input);
  auto target = Layout::create(kernel->output);
  if (!layout)
    return inNode(spec, layout.takeStatus());
  if (!target)
    return inNode(spec, target.takeStatus());
  const size_t rank = layout->axes().size();
  bool sameShape = target->axes().size() == rank;
  for (size_t i = 0; sameShape && i < rank; ++i)
    sameShape = layout->axes()[i].extent == target->axes()[i].extent;
  if (!sameShape)
    return nodeError(spec, "input " + kernel->input.toString() +
                               " and output " + kernel->output.toString() +
                               " differ in shape");
  std::vector<bool> along(rank, false);
  for (int64_t axis : *axes) {
    auto normal = normalizeAxis(axis, rank);
    if (!normal)
      return inNode(spec, normal.takeStatus());
    along[*normal] = true;
  }
  auto from = AxisLines::create(kernel->input, along);
  auto to = AxisLines::create(kernel->output, along);
  if (!from)
    return inNode(spec, from.takeStatus());
  if (!to)
    return inNode(spec, to.takeStatus());
  kernel->from = std::move(*from);
  kernel->to = std::move(*to);
  kernel->path = choosePath(kernel->input, config, *implMode,
                            !along.empty() && along.back());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
SoftmaxKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  const size_t length = static_cast<size_t>(from.length());
  if (to.layout().hasPadding())
    std::memset(outputs[0].data, 0, output.byteSize());
  std::atomic<StatusBits> status{npu::status::None};
  const int64_t grain =
      std::max<int64_t>(1, 4096 / std::max<int64_t>(from.length(), 1));
  context.pool.parallelFor(
      from.numLines(), grain, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values(length);
        std::vector<uint16_t> raw(length);
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          if (input.dtype == DataType::Float) {
            from.read(inputs[0].as<float>(), line, values.data());
          } else {
            from.read(inputs[0].as<uint16_t>(), line, raw.data());
            toFloat(input.dtype, raw.data(), values);
          }
          bits |= softmaxLine(values, path, mode);
          if (output.dtype == DataType::Float) {
            to.write(outputs[0].as<float>(), line, values.data());
          } else {
            bits |= fromFloat(output.dtype, values, raw.data(), mode);
            to.write(outputs[0].as<uint16_t>(), line, raw.data());
          }
        }
        status |= bits;
      });
  return NodeStatus{status, npu::status::None};
}

} // namespace

void kernels::addSoftmax(Registry &registry) {
  registry.add("SoftmaxV2",
               {SoftmaxKernel::create,
                "fp16: x - max in fp16, then fp32 exp, sum and division, one "
                "rounding; 310: exp in fp16",
                status::FloatOverflow | status::FloatUnderflow |
                    status::CastOverflow | status::CastUnderflow |
                    status::VectorNanInfInput});
}
