//===- InferValues.cpp - Values that shapes depend on ---------------------===//

#include "KernelBinding.h"
#include "ShapePropagation.h"

#include "npu/Execution/TensorTypes.h"
#include "npu/Support/Npy.h"

using namespace mlir;
using namespace npu;
using ge::NodeOp;

/// Elements up to which values are followed: shapes, axes, permutations.
static constexpr int64_t MaxFollowed = 1024;

const std::byte *ShapePropagation::valueOf(Value value) const {
  auto it = values.find(value);
  return it == values.end() ? nullptr : it->second.data();
}

/// Whether shapes may depend on the values of a tensor: sizes and axes, and
/// single numbers, which the bounds of a range may be.
static bool isFollowed(const TensorDesc &desc) {
  switch (desc.dtype) {
  case DataType::Int32:
  case DataType::Int64:
    return desc.numElements() <= MaxFollowed;
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::Float:
  case DataType::Double:
    return desc.numElements() == 1;
  default:
    return false;
  }
}

void ShapePropagation::followValues(NodeOp node) {
  if (node.getOutputs().empty())
    return;
  std::vector<TensorDesc> outputs;
  for (Type type : node.getOutputs().getTypes()) {
    Expected<TensorDesc> desc = getTensorDesc(type);
    if (!desc || !isFollowed(*desc))
      return;
    outputs.push_back(std::move(*desc));
  }
  const TensorDesc &first = outputs.front();
  auto keep = [&](ByteView bytes) {
    if (bytes.size() == first.byteSize())
      values[node.getOutputs()[0]].assign(bytes.begin(), bytes.end());
  };
  StringRef type = node.getOpType();
  if (type == "Const" || type == "Constant") {
    if (std::optional<ByteView> payload = getPayload(node))
      return keep(*payload);
    auto file = sources.constants.find(node.getNodeName());
    if (file == sources.constants.end())
      return;
    // What is wrong with a file is said when all data is read.
    if (Expected<NpyFile> array = readNpy(file->second);
        array && array->array.dtype == first.dtype)
      keep(array->array.data);
    return;
  }
  // These read no values.
  const bool isShape =
      llvm::is_contained({"Shape", "ShapeN", "Rank", "Size"}, type);
  const kernels::KernelEntry *entry = registry.lookup(type.str());
  if (!entry || node.getNumAnchors() == 0 || node.isFused() ||
      (!isShape && !llvm::all_of(node.getInputs(), [&](Value input) {
        return values.contains(input);
      })))
    return;
  Expected<kernels::NodeSpec> spec = makeSpec(node);
  if (!spec)
    return;
  Expected<std::unique_ptr<kernels::Kernel>> kernel =
      entry->create(*spec, config);
  if (!kernel)
    return;
  std::vector<kernels::ConstTensor> inputs;
  for (auto [desc, bytes] : llvm::zip_equal(spec->inputs, spec->constants))
    inputs.push_back(desc ? kernels::ConstTensor{&*desc, bytes}
                          : kernels::ConstTensor{});
  std::vector<std::vector<std::byte>> results;
  std::vector<kernels::MutableTensor> targets;
  for (const TensorDesc &desc : outputs)
    results.emplace_back(desc.byteSize());
  for (auto [desc, bytes] : llvm::zip_equal(outputs, results))
    targets.push_back({&desc, bytes.data()});
  kernels::RunContext context{pool};
  if (!(*kernel)->run(context, inputs, targets))
    return;
  for (auto [output, bytes] : llvm::zip_equal(node.getOutputs(), results))
    values[output] = std::move(bytes);
}
