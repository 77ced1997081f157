//===- Rearrangement.cpp - Kernels that move elements only ----------------===//

#include "Rearrangement.h"

#include "KernelChecks.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace npu;
using namespace npu::kernels;

Expected<Rearrangement> Rearrangement::create(const NodeSpec &spec,
                                              size_t numInputs) {
  if (Status status = checkArity(spec, numInputs, spec.outputs.size()); !status)
    return status;
  if (spec.outputs.empty())
    return nodeError(spec, "has no outputs");
  Rearrangement result;
  const DataType dtype = spec.outputs[0].dtype;
  if (getBitWidth(dtype) == 0 || getBitWidth(dtype) % 8 != 0)
    return nodeError(spec,
                     "cannot move elements of " + std::string(getName(dtype)));
  result.elementSize = getBitWidth(dtype) / 8;
  auto checkType = [&](const TensorDesc &desc) {
    return desc.dtype == dtype
               ? Status()
               : nodeError(spec, "moves elements between " + desc.toString() +
                                     " and " + spec.outputs[0].toString() +
                                     ", expected one type");
  };
  for (size_t i = 0; i < numInputs; ++i) {
    if (Status status = checkType(*spec.inputs[i]); !status)
      return status;
    auto input = PlainInput::create(*spec.inputs[i]);
    if (!input)
      return inNode(spec, input.takeStatus());
    result.inputs.push_back(std::move(*input));
    result.inputDescs.push_back(*spec.inputs[i]);
  }
  for (const TensorDesc &desc : spec.outputs) {
    if (Status status = checkType(desc); !status)
      return status;
    auto output = PlainOutput::create(desc);
    if (!output)
      return inNode(spec, output.takeStatus());
    result.outputs.push_back(std::move(*output));
    result.outputDescs.push_back(desc);
  }
  return result;
}

/// The layout of \p desc if it orders the axes as \p shape does.
static std::optional<Layout> findLayout(const TensorDesc &desc,
                                        const Shape &shape) {
  auto layout = Layout::create(desc);
  if (!layout)
    return std::nullopt;
  Shape axes, dims;
  for (const LogicalAxis &axis : layout->axes())
    if (axis.extent != 1)
      axes.push_back(axis.extent);
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(dims),
               [](int64_t extent) { return extent != 1; });
  return axes == dims ? std::optional(std::move(*layout)) : std::nullopt;
}

std::optional<std::vector<Rearrangement::Move>>
Rearrangement::layOutCopies() const {
  std::vector<Move> result;
  for (const Move &move : copies) {
    auto source = findLayout(inputDescs[move.input], inputShape(move.input));
    auto target =
        findLayout(outputDescs[move.output], outputShape(move.output));
    if (!source || !target)
      return std::nullopt;
    std::optional<CopyBox> box = layOut(move.box, *source, *target);
    if (!box)
      return std::nullopt;
    result.push_back({move.input, move.output, std::move(*box)});
  }
  return result;
}

/// Runs the copies between the tensors as they lie, or else between copies of
/// them in row-major order.
class Rearrangement::MoveKernel final : public Kernel {
public:
  explicit MoveKernel(Rearrangement given) : plan(std::move(given)) {
    std::optional<std::vector<Move>> moves = plan.layOutCopies();
    laidOut = moves.has_value();
    for (Move &move : laidOut ? *moves : plan.copies)
      copies.push_back({move.input, move.output,
                        StridedCopy(std::move(move.box.axes), plan.elementSize,
                                    move.box.sourceBase, move.box.targetBase)});
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      const Shape &shape =
          laidOut ? plan.outputDescs[i].shape : plan.outputs[i].shape();
      const int64_t elements = getNumElements(shape);
      const bool hasGaps =
          laidOut && elements != getNumElements(plan.outputs[i].shape());
      clearedBytes.push_back(
          plan.clears || hasGaps ? elements * plan.elementSize : 0);
    }
  }

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    std::vector<std::vector<std::byte>> inputCopies(plan.inputs.size()),
        outputCopies(plan.outputs.size());
    std::vector<const std::byte *> sources;
    std::vector<std::byte *> targets;
    for (size_t i = 0; i < plan.inputs.size(); ++i)
      sources.push_back(laidOut ? inputs[i].data
                                : plan.inputs[i].read(inputs[i].data,
                                                      inputCopies[i],
                                                      context.pool));
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      targets.push_back(
          laidOut ? outputs[i].data
                  : plan.outputs[i].begin(outputs[i].data, outputCopies[i]));
      if (clearedBytes[i] != 0)
        std::memset(targets[i], 0, clearedBytes[i]);
    }
    for (const Copy &copy : copies)
      copy.elements.run(sources[copy.input], targets[copy.output],
                        context.pool);
    if (!laidOut)
      for (size_t i = 0; i < plan.outputs.size(); ++i)
        plan.outputs[i].finish(outputs[i].data, outputCopies[i], context.pool);
    return NodeStatus{};
  }

private:
  struct Copy {
    size_t input, output;
    StridedCopy elements;
  };

  Rearrangement plan;
  std::vector<Copy> copies;
  bool laidOut = false;
  std::vector<size_t> clearedBytes; ///< by output
};

std::unique_ptr<Kernel> Rearrangement::takeKernel() && {
  return std::make_unique<MoveKernel>(std::move(*this));
}
