//===- SquareSum.cpp - Sums of squares ------------------------------------===//
//
// SquareSumV1 (sum), SquareSumV2 (sum, squares), SquareSumAll (sums of two
// tensors), L2Loss (half the sum).
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "npu/Kernels/Registry.h"

#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

class SquareSumKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  /// Sums of one operand.
  struct Sums {
    FloatLines from;
    LineValues to;
  };
  std::vector<Sums> operands;
  std::optional<FloatLines> squares; ///< the second output of SquareSumV2
  float factor = 1;                  ///< of x before it is squared
  bool halfSquares = false;          ///< squares are fp16 instructions
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;

  template <class Instructions>
  StatusBits squareLine(std::span<float> values) const;
};

Expected<std::unique_ptr<Kernel>>
SquareSumKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const bool ofTwo = spec.type == "SquareSumAll";
  const bool givesSquares = spec.type == "SquareSumV2";
  if (Status status =
          checkArity(spec, ofTwo ? 2 : 1, ofTwo || givesSquares ? 2 : 1);
      !status)
    return status;
  auto kernel = std::make_unique<SquareSumKernel>();
  kernel->mode = config.overflow;
  if (spec.type == "L2Loss")
    kernel->factor = 0.70710678f;
  auto byAtomics = accumulatesByAtomics(spec);
  if (!byAtomics)
    return inNode(spec, byAtomics.takeStatus());
  kernel->byAtomics = *byAtomics;
  // Ascend310 has the older kernel, which squares in fp16 unless told.
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  kernel->halfSquares = spec.type == "SquareSumV1" &&
                        spec.inputs[0]->dtype == DataType::Float16 &&
                        config.soc == Soc::Ascend310 &&
                        !(*implMode & HighPrecision);
  for (size_t i = 0; i < (ofTwo ? 2 : 1); ++i) {
    const TensorDesc &x = *spec.inputs[i];
    std::vector<int64_t> axes;
    if (spec.type == "SquareSumV1" || givesSquares) {
      auto given = spec.attrs.require<std::vector<int64_t>>("axis");
      if (!given)
        return inNode(spec, given.takeStatus());
      axes = std::move(*given);
    }
    auto along = markAxes(x, axes);
    if (!along)
      return inNode(spec, along.takeStatus());
    if (axes.empty())
      along->assign(along->size(), true);
    auto from = FloatLines::create(x, *along);
    if (!from)
      return inNode(spec, from.takeStatus());
    auto to = LineValues::create(spec.outputs[i], from->numLines());
    if (!to)
      return inNode(spec, to.takeStatus());
    if (givesSquares) {
      auto squares = FloatLines::createLike(*from, spec.outputs[1], *along);
      if (!squares)
        return inNode(spec, squares.takeStatus());
      kernel->squares = std::move(*squares);
    }
    kernel->operands.push_back({std::move(*from), std::move(*to)});
  }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <class Instructions>
StatusBits SquareSumKernel::squareLine(std::span<float> values) const {
  Instructions unit;
  StatusBits bits = status::None;
  for (float &value : values) {
    const float scaled = factor == 1 ? value : unit.mul(value, factor);
    value = unit.mul(scaled, scaled);
  }
  if (halfSquares)
    for (float &value : values)
      value = roundToHalf(value, mode, bits);
  return bits | unit.bits;
}

Expected<NodeStatus>
SquareSumKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  StatusCollector status;
  if (squares)
    squares->clearPadding(outputs[1].data);
  for (size_t operand = 0; operand < operands.size(); ++operand) {
    const auto &[from, to] = operands[operand];
    to.clearPadding(outputs[operand].data);
    context.pool.parallelFor(
        from.numLines(), from.grain(),
        [&, operand](int64_t begin, int64_t end, int64_t) {
          const auto &[from, to] = operands[operand];
          std::vector<float> values(static_cast<size_t>(from.length()));
          NodeStatus ofChunk;
          for (int64_t line = begin; line < end; ++line) {
            from.read(inputs[operand].data, line, values);
            const bool finite = areFinite(values);
            ofChunk.valid |= squareLine<PlainInstructions>(values);
            const float sum = sumOfLine(values, byAtomics, ofChunk);
            if (!finite || !std::isfinite(sum)) {
              from.read(inputs[operand].data, line, values);
              ofChunk.valid |= squareLine<WatchedInstructions>(values);
            }
            ofChunk.valid |= to.write(outputs[operand].data, line, sum, mode);
            if (squares)
              ofChunk.valid |=
                  squares->write(outputs[1].data, line, values, mode);
          }
          status.add(ofChunk);
        });
  }
  return status.get();
}

} // namespace

void kernels::addSquareSum(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  registry.add("SquareSumV1",
               {SquareSumKernel::create,
                "fp32 squares and sum, one rounding; 310: fp16 squares",
                bits | status::FloatUnderflow});
  registry.add("L2Loss",
               {SquareSumKernel::create,
                "fp32 sum of (x * 0.70710678)^2, one rounding", bits});
  for (const char *type : {"SquareSumV2", "SquareSumAll"})
    registry.add(type, {SquareSumKernel::create,
                        "fp32 squares and sum, one rounding", bits});
}
