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

  /// What is used for one group of lines after the other.
  struct Workspace {
    std::vector<float> values;
    std::vector<uint16_t> copies; ///< of operands, then results
  };

  /// Lines from number \p line on, \p count of them.
  StatusBits runLines(const std::byte *input, std::byte *output, int64_t line,
                      size_t count, Workspace &space) const;
  /// The same of fp16 lines, if nothing happens in them.
  std::optional<StatusBits> runQuietly(const std::byte *input,
                                       std::byte *output, int64_t line,
                                       size_t count, Workspace &space) const;
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

std::optional<StatusBits> SoftmaxKernel::runQuietly(const std::byte *input,
                                                    std::byte *output,
                                                    int64_t line, size_t count,
                                                    Workspace &space) const {
  const size_t length = static_cast<size_t>(from.length());
  const uint16_t *halves = from.findHalves(input, line);
  uint16_t *results = to.findHalves(output, line);
  if (halves && results)
    return softmaxQuietly(halves, results, count, length, path, space.values);
  if (!from.areHalvesInBlocks() || !to.areHalvesInBlocks())
    return std::nullopt;
  // Lines whose blocks lie apart follow each other in a copy.
  const size_t size = count * length;
  space.copies.resize(2 * size);
  uint16_t *operands = space.copies.data(), *quotients = operands + size;
  from.readHalves(input, line, count, operands);
  const auto bits =
      softmaxQuietly(operands, quotients, count, length, path, space.values);
  if (bits)
    to.writeHalves(output, line, count, quotients);
  return bits;
}

StatusBits SoftmaxKernel::runLines(const std::byte *input, std::byte *output,
                                   int64_t line, size_t count,
                                   Workspace &space) const {
  if (auto bits = runQuietly(input, output, line, count, space))
    return *bits;
  if (count > 1) {
    StatusBits bits = npu::status::None;
    for (size_t i = 0; i < count; ++i)
      bits |= runLines(input, output, line + static_cast<int64_t>(i), 1, space);
    return bits;
  }
  std::vector<float> &values = space.values;
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
        Workspace space;
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end;) {
          const int64_t count = end - line >= group ? group : 1;
          bits |= runLines(inputs[0].data, outputs[0].data, line,
                           static_cast<size_t>(count), space);
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
