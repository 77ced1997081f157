//===- KernelBinding.cpp - Kernels for nodes ------------------------------===//

#include "KernelBinding.h"

#include "DenormalFlush.h"
#include "FusedKernel.h"

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

/// Adds the attribute \p name. One that is a function adds the attributes of
/// that, with its name in front: "aipp.crop".
static void addAttribute(std::string name, Attribute attr,
                         Attributes &attributes) {
  if (auto value = dyn_cast<ge::ValueAttr>(attr);
      value && value.getKind() == "func") {
    auto function = dyn_cast<DictionaryAttr>(value.getPayload());
    if (auto inner = function ? function.getAs<DictionaryAttr>("attr")
                              : DictionaryAttr())
      for (NamedAttribute ofFunction : inner)
        addAttribute(name + "." + ofFunction.getName().str(),
                     ofFunction.getValue(), attributes);
    return;
  }
  if (std::optional<AttributeValue> value = getAttributeValue(attr))
    attributes.set(std::move(name), std::move(*value));
}

Attributes npu::getKernelAttributes(NodeOp node) {
  Attributes attributes;
  for (NamedAttribute attr : node.getAttrs())
    addAttribute(attr.getName().str(), attr.getValue(), attributes);
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

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Kernel>>
npu::bindKernel(NodeOp node, const NodeTensors &tensors,
                std::vector<const std::byte *> constants,
                const Registry &registry, const NumericConfig &config,
                BufferPool &pool, MemberValues &memberValues) {
  if (node.isFused())
    return makeFusedKernel(node, tensors, constants, registry, config, pool,
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
