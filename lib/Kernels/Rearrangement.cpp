//===- Rearrangement.cpp - Kernels that move elements only ----------------===//

#include "Rearrangement.h"

#include "KernelChecks.h"

#include <cstring>

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
  }
  for (const TensorDesc &desc : spec.outputs) {
    if (Status status = checkType(desc); !status)
      return status;
    auto output = PlainOutput::create(desc);
    if (!output)
      return inNode(spec, output.takeStatus());
    result.outputs.push_back(std::move(*output));
  }
  return result;
}

class Rearrangement::MoveKernel final : public Kernel {
public:
  explicit MoveKernel(Rearrangement plan) : plan(std::move(plan)) {}

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    std::vector<std::vector<std::byte>> inputCopies(plan.inputs.size()),
        outputCopies(plan.outputs.size());
    std::vector<const std::byte *> sources;
    std::vector<std::byte *> targets;
    for (size_t i = 0; i < plan.inputs.size(); ++i)
      sources.push_back(
          plan.inputs[i].read(inputs[i].data, inputCopies[i], context.pool));
    for (size_t i = 0; i < plan.outputs.size(); ++i) {
      targets.push_back(
          plan.outputs[i].begin(outputs[i].data, outputCopies[i]));
      if (plan.clears)
        std::memset(targets[i], 0,
                    getNumElements(plan.outputs[i].shape()) * plan.elementSize);
    }
    for (const Move &move : plan.copies)
      move.copy.run(sources[move.input], targets[move.output], context.pool);
    for (size_t i = 0; i < plan.outputs.size(); ++i)
      plan.outputs[i].finish(outputs[i].data, outputCopies[i], context.pool);
    return NodeStatus{};
  }

private:
  Rearrangement plan;
};

std::unique_ptr<Kernel> Rearrangement::takeKernel() && {
  return std::make_unique<MoveKernel>(std::move(*this));
}
