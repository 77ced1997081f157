//===- Softmax.cpp - SoftmaxV2 --------------------------------------------===//

#include "Builtins.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "QuietLines.h"
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
  FloatLines from, to;

  /// Lines from number \p line on, \p count of them.
  StatusBits runLines(const std::byte *input, std::byte *output, int64_t line,
                      size_t count, std::vector<float> &values) const;
};

SoftmaxPath choosePath(const TensorDesc &input, const NumericConfig &config,
                       int64_t implMode, bool lastAxis) {
  SoftmaxPath path;
  const bool isMatrix = input.format == Format::FRACTAL_NZ;
  path.halfExp = config.soc == Soc::Ascend310;
  if (input.dtype == DataType::Float16) {
    path.halfDifference = true;
    path.multiplies = config.soc == Soc::Ascend310 ||
                      config.soc == Soc::Ascend310P ||
                      (isMatrix && config.soc == Soc::Ascend910A);
  } else if (input.dtype == DataType::Float) {
    // Neither has a whole-vector maximum in fp32.
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
  const TensorDesc &input = *spec.inputs[0], &output = spec.outputs[0];
  auto axes = spec.attribute<std::vector<int64_t>>("axes");
  if (!axes)
    return inNode(spec, axes.takeStatus());
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  auto along = markAxes(input, *axes);
  if (!along)
    return inNode(spec, along.takeStatus());
  auto from = FloatLines::create(input, *along);
  if (!from)
    return inNode(spec, from.takeStatus());
  auto to = FloatLines::createLike(*from, output, *along);
  if (!to)
    return inNode(spec, to.takeStatus());
  auto kernel = std::make_unique<SoftmaxKernel>();
  kernel->mode = config.overflow;
  kernel->from = std::move(*from);
  kernel->to = std::move(*to);
  kernel->path =
      choosePath(input, config, *implMode, !along->empty() && along->back());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

StatusBits SoftmaxKernel::runLines(const std::byte *input, std::byte *output,
                                   int64_t line, size_t count,
                                   std::vector<float> &values) const {
  const uint16_t *halves = from.findHalves(input, line);
  uint16_t *results = to.findHalves(output, line);
  if (halves && results)
    if (auto bits =
            softmaxQuietly(halves, results, count, from.length(), path, values))
      return *bits;
  if (count > 1) {
    StatusBits bits = npu::status::None;
    for (size_t i = 0; i < count; ++i)
      bits |=
          runLines(input, output, line + static_cast<int64_t>(i), 1, values);
    return bits;
  }
  values.resize(static_cast<size_t>(from.length()));
  from.read(input, line, values);
  StatusBits bits = softmaxLine(values, path, mode);
  bits |= to.write(output, line, values, mode);
  return bits;
}

Expected<NodeStatus>
SoftmaxKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  to.clearPadding(outputs[0].data);
  std::atomic<StatusBits> status{npu::status::None};
  constexpr int64_t group = QuietLines;
  context.pool.parallelFor(
      from.numLines(), from.grain(group),
      [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values;
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end;) {
          const int64_t count = end - line >= group ? group : 1;
          bits |= runLines(inputs[0].data, outputs[0].data, line,
                           static_cast<size_t>(count), values);
          line += count;
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
