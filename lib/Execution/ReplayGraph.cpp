//===- ReplayGraph.cpp - A node as a graph of its own ---------------------===//

#include "ReplayGraph.h"

#include "KernelBinding.h"

#include "npu/Support/Npy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

#include <filesystem>

using namespace mlir;
using namespace npu;
using ge::GraphOp;
using ge::NodeOp;

namespace {

/// A node without attributes.
NodeOp createNode(OpBuilder &builder, StringRef type, StringRef name,
                  ValueRange inputs, TypeRange outputs) {
  OperationState state(builder.getUnknownLoc(), NodeOp::getOperationName());
  auto &properties = state.getOrAddProperties<NodeOp::Properties>();
  properties.op_type = builder.getStringAttr(type);
  properties.node_name = builder.getStringAttr(name);
  properties.node_id = builder.getI64IntegerAttr(0);
  properties.stream_id = builder.getI64IntegerAttr(0);
  properties.attrs = builder.getDictionaryAttr({});
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()), 0};
  state.addOperands(inputs);
  state.addTypes(outputs);
  state.addTypes(ge::ControlType::get(builder.getContext()));
  state.addRegion();
  return cast<NodeOp>(builder.create(state));
}

/// The array that npu-run takes for a tensor: NumPy has no bfloat16, and none
/// of the formats in blocks, whose shape the array has then.
Status writeInput(const std::string &path, const TensorDesc &desc,
                  const Buffer &buffer) {
  return writeNpy(
      path, {desc.dtype, desc.shape, ByteView(buffer.get(), desc.byteSize())});
}

} // namespace

Status npu::writeNodeGraph(const PlannedNode &node,
                           llvm::ArrayRef<Buffer> inputs,
                           const std::string &folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return Status::error(ErrorKind::Incomplete,
                         folder + ": " + failure.message());
  NodeOp op = node.op;
  OpBuilder builder(op.getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(op.getLoc()));
  builder.setInsertionPointToStart(module->getBody());
  auto graph = cast<GraphOp>(
      builder.cloneWithoutRegions(*op->getParentOfType<GraphOp>()));
  graph.setSymName("node");
  builder.setInsertionPointToStart(&graph.getBody().emplaceBlock());

  IRMapping mapping;
  std::string arguments;
  for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
    Value value = op.getAnchor(anchor);
    if (!value || mapping.contains(value) || !inputs[anchor])
      continue;
    auto producer = value.getDefiningOp<NodeOp>();
    const bool isConstant =
        catalog::getRole(producer.getOpType()) == catalog::Role::Constant;
    if (isConstant && getPayload(producer) && producer->getNumOperands() == 0) {
      builder.clone(*producer, mapping);
      continue;
    }
    // Some kernels want what is constant to stay so.
    const std::string name = "input" + std::to_string(anchor);
    auto data = createNode(builder, isConstant ? "Const" : "Data", name, {},
                           TypeRange{value.getType()});
    mapping.map(value, data.getOutputs()[0]);
    const std::string path = folder + "/" + name + ".npy";
    if (Status status = writeInput(path, *node.inputs[anchor], inputs[anchor]);
        !status)
      return status;
    arguments +=
        (isConstant ? "--bind " : "--input ") + name + "=" + path + "\n";
  }
  // Without the nodes that it waits for.
  Operation *copy = op->cloneWithoutRegions();
  auto clone = cast<NodeOp>(copy);
  clone.getControlsMutable().clear();
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(mapping.lookupOrDefault(operand.get()));
  builder.insert(copy);
  if (op.isFused())
    op.getBody().cloneInto(&clone.getBody(), mapping);
  createNode(builder, "NetOutput", "out", clone.getOutputs(), {});

  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << '\n';
  const std::string path = folder + "/graph.mlir";
  const ByteView graphText = asBytes(text);
  if (Status status = writeFile(path, {&graphText, 1}); !status)
    return status;
  const ByteView optionText = asBytes(arguments);
  return writeFile(folder + "/options", {&optionText, 1});
}
