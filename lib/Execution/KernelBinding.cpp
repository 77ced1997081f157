//===- KernelBinding.cpp - Kernels for nodes ------------------------------===//

#include "KernelBinding.h"

#include "npu/Execution/TensorTypes.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace npu;
using namespace npu::kernels;
using ge::NodeOp;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The value of an attribute of the graph, if it is one that kernels can read.
static std::optional<AttributeValue> getAttributeValue(Attribute attr) {
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValue().convertToFloat();
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.str();
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attr))
    return std::vector<int64_t>(ints.asArrayRef());
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attr))
    return std::vector<float>(floats.asArrayRef());
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(attr))
    return std::vector<bool>(bools.asArrayRef().begin(),
                             bools.asArrayRef().end());
  if (auto strings = dyn_cast<ArrayAttr>(attr)) {
    std::vector<std::string> result;
    for (auto string : strings.getAsRange<StringAttr>())
      result.push_back(string.str());
    return result;
  }
  auto value = dyn_cast<ge::ValueAttr>(attr);
  if (!value)
    return std::nullopt;
  if (value.getKind() == "dt")
    return getAttributeValue(value.getPayload());
  // A list without val_type, as older releases print it.
  auto list = dyn_cast<DictionaryAttr>(value.getPayload());
  if (value.getKind() == "list" && list && list.size() == 1)
    return getAttributeValue(list.begin()->getValue());
  return std::nullopt;
}

static Attributes getAttributes(NodeOp node) {
  Attributes attributes;
  for (NamedAttribute attr : node.getAttrs())
    if (std::optional<AttributeValue> value =
            getAttributeValue(attr.getValue()))
      attributes.set(attr.getName().str(), std::move(*value));
  return attributes;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Expected<NodeTensors> npu::getNodeTensors(NodeOp node) {
  NodeTensors tensors;
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
    if (!node.getAnchor(anchor)) {
      tensors.inputs.push_back(std::nullopt);
      continue;
    }
    Expected<TensorDesc> desc = getTensorDesc(node.getAnchorType(anchor));
    if (!desc)
      return desc.takeStatus().withContext("input " + std::to_string(anchor));
    tensors.inputs.push_back(std::move(*desc));
  }
  for (auto [index, type] : llvm::enumerate(node.getOutputs().getTypes())) {
    Expected<TensorDesc> desc = getTensorDesc(type);
    if (!desc)
      return desc.takeStatus().withContext("output " + std::to_string(index));
    tensors.outputs.push_back(std::move(*desc));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Fused nodes
//===----------------------------------------------------------------------===//

namespace {

/// Runs the members of a fused node one after the other. Values between them
/// live in buffers of the pool.
class FusedKernel : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>>
  create(NodeOp node, const std::vector<const std::byte *> &constants,
         const Registry &registry, const NumericConfig &config,
         BufferPool &pool);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  explicit FusedKernel(BufferPool &pool) : pool(pool) {}

  struct Member {
    std::string name;
    std::unique_ptr<Kernel> kernel;
    NodeTensors tensors;
    std::vector<unsigned> inputs, outputs; // values
    std::vector<unsigned> lastUses;        // values that nobody reads later
  };
  /// Values: the node's connected inputs, then what members compute.
  unsigned numInputs = 0, numValues = 0;
  std::vector<Member> members;
  std::vector<unsigned> results; // values that are the node's outputs
  BufferPool &pool;
};

} // namespace

Expected<std::unique_ptr<Kernel>> FusedKernel::create(
    NodeOp node, const std::vector<const std::byte *> &constants,
    const Registry &registry, const NumericConfig &config, BufferPool &pool) {
  auto kernel = std::unique_ptr<FusedKernel>(new FusedKernel(pool));
  Block &body = node.getBody().front();
  llvm::DenseMap<Value, unsigned> values;
  std::vector<const std::byte *> bytes; // by value, of constant inputs
  for (BlockArgument argument : body.getArguments())
    values[argument] = values.size();
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor)
    if (node.getAnchor(anchor))
      bytes.push_back(anchor < constants.size() ? constants[anchor] : nullptr);
  kernel->numInputs = body.getNumArguments();

  for (NodeOp op : body.getOps<NodeOp>()) {
    Expected<NodeTensors> tensors = getNodeTensors(op);
    if (!tensors)
      return tensors.takeStatus().withContext("member " +
                                              op.getNodeName().str());
    Member member;
    member.name = op.getNodeName().str();
    std::vector<const std::byte *> memberConstants;
    for (Value input : op.getInputs()) {
      const unsigned value = values.lookup(input);
      member.inputs.push_back(value);
      memberConstants.push_back(value < bytes.size() ? bytes[value] : nullptr);
    }
    for (Value output : op.getOutputs()) {
      const unsigned value = values.size();
      values[output] = value;
      member.outputs.push_back(value);
    }
    Expected<std::unique_ptr<Kernel>> bound = bindKernel(
        op, *tensors, std::move(memberConstants), registry, config, pool);
    if (!bound)
      return bound.takeStatus().withContext("member " + member.name);
    member.kernel = std::move(*bound);
    member.tensors = std::move(*tensors);
    kernel->members.push_back(std::move(member));
  }
  kernel->numValues = values.size();
  for (Value value : body.back().getOperands())
    kernel->results.push_back(values.lookup(value));

  std::vector<bool> seen(kernel->numValues);
  for (unsigned result : kernel->results)
    seen[result] = true; // written into the node's own outputs
  for (Member &member : llvm::reverse(kernel->members))
    for (unsigned input : member.inputs)
      if (input >= kernel->numInputs && !seen[input]) {
        seen[input] = true;
        member.lastUses.push_back(input);
      }
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus> FusedKernel::run(RunContext &context,
                                      std::span<const ConstTensor> inputs,
                                      std::span<const MutableTensor> outputs) {
  std::vector<std::byte *> data(numValues);
  std::vector<const std::byte *> inputData;
  for (const ConstTensor &input : inputs)
    if (input)
      inputData.push_back(input.data);
  std::vector<Buffer> owned(numValues);
  for (auto [index, result] : llvm::enumerate(results))
    data[result] = outputs[index].data;

  NodeStatus status;
  std::vector<ConstTensor> memberInputs;
  std::vector<MutableTensor> memberOutputs;
  for (Member &member : members) {
    memberInputs.clear();
    memberOutputs.clear();
    for (auto [index, value] : llvm::enumerate(member.inputs))
      memberInputs.push_back(
          {&*member.tensors.inputs[index],
           value < numInputs ? inputData[value] : data[value]});
    for (auto [index, value] : llvm::enumerate(member.outputs)) {
      const TensorDesc &desc = member.tensors.outputs[index];
      if (!data[value]) {
        owned[value] = pool.acquire(desc.byteSize());
        if (!owned[value])
          return Status::error(ErrorKind::Incomplete,
                               "no memory for " + desc.toString());
        data[value] = owned[value].get();
      }
      memberOutputs.push_back({&desc, data[value]});
    }
    Expected<NodeStatus> memberStatus =
        member.kernel->run(context, memberInputs, memberOutputs);
    if (!memberStatus)
      return memberStatus.takeStatus().withContext("member " + member.name);
    status |= *memberStatus;
    for (unsigned value : member.lastUses)
      owned[value] = nullptr;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Kernel>>
npu::bindKernel(NodeOp node, const NodeTensors &tensors,
                std::vector<const std::byte *> constants,
                const Registry &registry, const NumericConfig &config,
                BufferPool &pool) {
  if (node.isFused())
    return FusedKernel::create(node, constants, registry, config, pool);
  const KernelEntry *entry = registry.lookup(node.getOpType().str());
  if (!entry)
    return Status::error(ErrorKind::Incomplete,
                         "no kernel for operator type '" +
                             node.getOpType().str() + "'");
  NodeSpec spec;
  spec.type = node.getOpType().str();
  spec.name = node.getNodeName().str();
  spec.attrs = getAttributes(node);
  spec.inputs = tensors.inputs;
  spec.outputs = tensors.outputs;
  spec.constants = std::move(constants);
  spec.constants.resize(spec.inputs.size());
  return entry->create(spec, config);
}
