//===- KernelBinding.cpp - Kernels for nodes ------------------------------===//

#include "KernelBinding.h"

#include "DenormalFlush.h"

#include "npu/Catalog/Catalog.h"
#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Execution/TensorTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace npu;
using namespace npu::kernels;
using ge::NodeOp;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The integers of a list of lists, as of paddings, one after the other.
static std::optional<AttributeValue> getFlattened(ArrayAttr lists) {
  std::vector<int64_t> result;
  for (auto list : lists.getAsRange<DenseI64ArrayAttr>())
    result.insert(result.end(), list.asArrayRef().begin(),
                  list.asArrayRef().end());
  return result;
}

/// The value of an attribute of the graph, if it is one that kernels can read.
static std::optional<AttributeValue> getAttributeValue(Attribute attr) {
  attr = ge::getPlainValue(attr);
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
  if (auto lists =
          value ? dyn_cast<ArrayAttr>(value.getPayload()) : ArrayAttr();
      lists && value.getKind() == "list_list_int")
    return getFlattened(lists);
  return std::nullopt;
}

Attributes npu::getKernelAttributes(NodeOp node) {
  Attributes attributes;
  for (NamedAttribute attr : node.getAttrs())
    if (std::optional<AttributeValue> value =
            getAttributeValue(attr.getValue()))
      attributes.set(attr.getName().str(), std::move(*value));
  return attributes;
}

std::optional<ByteView> npu::getPayload(NodeOp node) {
  auto value = dyn_cast_or_null<ge::ValueAttr>(node.getNodeAttr("value"));
  if (!value || value.getKind() != "t")
    return std::nullopt;
  Attribute data = cast<DictionaryAttr>(value.getPayload()).get("data");
  auto view = [](const char *bytes, size_t size) {
    return ByteView(reinterpret_cast<const std::byte *>(bytes), size);
  };
  if (auto string = dyn_cast_or_null<StringAttr>(data))
    return view(string.data(), string.size());
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(data))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return view(blob->getData().data(), blob->getData().size());
  return std::nullopt;
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

Value npu::getOuterValue(Value value) {
  while (auto node = dyn_cast<NodeOp>(value.getParentBlock()->getParentOp())) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      value = node.getInputs()[argument.getArgNumber()];
      continue;
    }
    OperandRange yielded = node.getBody().front().back().getOperands();
    auto it = llvm::find(yielded, value);
    if (it == yielded.end())
      return value;
    value = node.getOutputs()[it - yielded.begin()];
  }
  return value;
}

NodeOp npu::getSubjectNode(instr::DumpOp dump) {
  return dump.getToken() ? dump.getToken().getDefiningOp<NodeOp>() : NodeOp();
}

MemberValues npu::getDumpedMemberValues(NodeOp node) {
  MemberValues dumped;
  node.getBody().walk([&](instr::DumpOp dump) {
    NodeOp member = getSubjectNode(dump);
    if (!member)
      return;
    auto add = [&](ValueRange values, ArrayRef<int64_t> indices) {
      for (int64_t index : indices) {
        if (index >= static_cast<int64_t>(values.size()))
          continue;
        Value value = getOuterValue(values[index]);
        if (value.getParentBlock() != node->getBlock())
          dumped.try_emplace(value);
      }
    };
    add(member.getInputs(), dump.getInputIndices());
    add(member.getOutputs(), dump.getOutputIndices());
  });
  return dumped;
}

namespace {

/// Runs the members of a fused node one after the other. Values between them
/// live in buffers of the pool.
class FusedKernel : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>>
  create(NodeOp node, const NodeTensors &tensors,
         const std::vector<const std::byte *> &constants,
         const Registry &registry, const NumericConfig &config,
         BufferPool &pool, MemberValues &memberValues);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  explicit FusedKernel(BufferPool &pool) : pool(pool) {}

  static constexpr unsigned NoValue = std::numeric_limits<unsigned>::max();
  struct Member {
    std::string name;
    std::unique_ptr<Kernel> kernel;
    NodeTensors tensors;
    std::vector<unsigned> inputs, outputs; // values; NoValue if unconnected
    std::vector<unsigned> lastUses;        // values that nobody reads later
  };
  /// Values: the node's connected inputs, then what members compute.
  unsigned numInputs = 0, numValues = 0;
  std::vector<Member> members;
  std::vector<unsigned> results; // values that are the node's outputs
  std::vector<std::pair<unsigned, Buffer *>> kept; // values to leave behind
  BufferPool &pool;
};

} // namespace

Expected<std::unique_ptr<Kernel>>
FusedKernel::create(NodeOp node, const NodeTensors &nodeTensors,
                    const std::vector<const std::byte *> &constants,
                    const Registry &registry, const NumericConfig &config,
                    BufferPool &pool, MemberValues &memberValues) {
  auto kernel = std::unique_ptr<FusedKernel>(new FusedKernel(pool));
  Block &body = node.getBody().front();
  llvm::DenseMap<Value, unsigned> values;
  std::vector<const std::byte *> bytes; // by value, of constant inputs
  std::vector<uint64_t> sizes;          // by value
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor)
    if (node.getAnchor(anchor)) {
      values[body.getArgument(values.size())] = values.size();
      bytes.push_back(anchor < constants.size() ? constants[anchor] : nullptr);
      sizes.push_back(nodeTensors.inputs[anchor]->byteSize());
    }
  kernel->numInputs = values.size();

  for (NodeOp op : body.getOps<NodeOp>()) {
    Member member;
    member.name = op.getNodeName().str();
    const std::string context = "member " + member.name;
    Expected<NodeTensors> tensors = getNodeTensors(op);
    if (!tensors)
      return tensors.takeStatus().withContext(context);
    std::vector<const std::byte *> memberConstants;
    for (unsigned anchor = 0; anchor != tensors->inputs.size(); ++anchor) {
      Value input = op.getAnchor(anchor);
      if (!input) {
        member.inputs.push_back(NoValue);
        memberConstants.push_back(nullptr);
        continue;
      }
      auto it = values.find(input);
      if (it == values.end())
        return Status::error(context + ": input " + std::to_string(anchor) +
                             " is of no member before it; expected members in "
                             "the order of execution");
      if (tensors->inputs[anchor]->byteSize() > sizes[it->second])
        return Status::error(
            context + ": input " + std::to_string(anchor) + " has " +
            std::to_string(tensors->inputs[anchor]->byteSize()) +
            " bytes, but its producer gives " +
            std::to_string(sizes[it->second]));
      member.inputs.push_back(it->second);
      memberConstants.push_back(it->second < bytes.size() ? bytes[it->second]
                                                          : nullptr);
    }
    for (auto [output, desc] :
         llvm::zip_equal(op.getOutputs(), tensors->outputs)) {
      const unsigned value = values.size();
      values[output] = value;
      sizes.push_back(desc.byteSize());
      member.outputs.push_back(value);
      if (auto it = memberValues.find(output); it != memberValues.end())
        kernel->kept.emplace_back(value, &it->second);
    }
    Expected<std::unique_ptr<Kernel>> bound =
        bindKernel(op, *tensors, std::move(memberConstants), registry, config,
                   pool, memberValues);
    if (!bound)
      return bound.takeStatus().withContext(context);
    member.kernel = std::move(*bound);
    member.tensors = std::move(*tensors);
    kernel->members.push_back(std::move(member));
  }
  kernel->numValues = values.size();
  for (auto [value, desc] :
       llvm::zip_equal(body.back().getOperands(), nodeTensors.outputs)) {
    auto it = values.find(value);
    if (it == values.end() || sizes[it->second] < desc.byteSize())
      return Status::error("its members do not yield " + desc.toString() +
                           "; expected an input or output of a member of that "
                           "size");
    kernel->results.push_back(it->second);
  }

  std::vector<bool> seen(kernel->numValues);
  for (unsigned result : kernel->results)
    seen[result] = true; // written into the node's own outputs
  for (auto [value, buffer] : kernel->kept)
    seen[value] = true;
  for (Member &member : llvm::reverse(kernel->members))
    for (unsigned input : member.inputs)
      if (input != NoValue && input >= kernel->numInputs && !seen[input]) {
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
    for (auto [anchor, value] : llvm::enumerate(member.inputs))
      memberInputs.push_back(
          value == NoValue ? ConstTensor{}
                           : ConstTensor{&*member.tensors.inputs[anchor],
                                         value < numInputs ? inputData[value]
                                                           : data[value]});
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
  // An input, or what another output has already, is passed on.
  for (auto [output, result] : llvm::zip_equal(outputs, results)) {
    const std::byte *from =
        result < numInputs ? inputData[result] : data[result];
    if (from != output.data)
      std::memcpy(output.data, from, output.desc->byteSize());
  }
  for (auto [value, buffer] : kept)
    *buffer = std::move(owned[value]);
  return status;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Kernel>>
npu::bindKernel(NodeOp node, const NodeTensors &tensors,
                std::vector<const std::byte *> constants,
                const Registry &registry, const NumericConfig &config,
                BufferPool &pool, MemberValues &memberValues) {
  if (node.isFused())
    return FusedKernel::create(node, tensors, constants, registry, config, pool,
                               memberValues);
  const KernelEntry *entry = registry.lookup(node.getOpType().str());
  if (!entry) {
    std::string why =
        "no kernel for operator type '" + node.getOpType().str() + "'";
    if (auto facts = catalog::getMissingFacts(node.getOpType().str());
        !facts.empty())
      why += ": " + std::string(facts);
    return Status::error(ErrorKind::Incomplete, std::move(why));
  }
  NodeSpec spec;
  spec.type = node.getOpType().str();
  spec.name = node.getNodeName().str();
  spec.attrs = getKernelAttributes(node);
  spec.inputs = tensors.inputs;
  spec.outputs = tensors.outputs;
  spec.constants = std::move(constants);
  spec.constants.resize(spec.inputs.size());
  Expected<std::unique_ptr<Kernel>> kernel = entry->create(spec, config);
  if (kernel && config.flushDenormals)
    return makeFlushingKernel(std::move(*kernel));
  return kernel;
}
