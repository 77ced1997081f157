//===- InstrumentableGE.cpp - Instrumentation of ge.node ------------------===//

#include "npu/Transforms/InstrumentableGE.h"

#include "npu/Catalog/Catalog.h"
#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace npu;
using namespace npu::ge;

/// Whether operators of an engine run without a kernel on the device that
/// could be dumped: in the host's runtime, or as a communication.
static bool isEngineWithoutDump(StringRef kernelLib) {
  return llvm::StringSwitch<bool>(kernelLib)
      .Cases({"DNN_VM_GE_LOCAL_OP_STORE", "DNN_VM_RTS_OP_STORE",
              "DNN_VM_RTS_FFTS_PLUS_OP_STORE", "DNN_VM_HOST_CPU_OP_STORE",
              "ops_kernel_info_hccl"},
             true)
      .Default(false);
}

static bool isGraphInput(StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases({"Data", "RefData", "AippData", "AnnData"}, true)
      .Default(false);
}

/// The same for a node that does not say its engine.
static bool isTypeWithoutDump(StringRef type) {
  const catalog::Row *row = catalog::lookup(type);
  return row ? !catalog::isDumped(row->engine) : type.starts_with("Hcom");
}

static SmallVector<instr::IndexedValue> enumerateValues(ValueRange values) {
  SmallVector<instr::IndexedValue> indexed;
  for (auto [index, value] : llvm::enumerate(values))
    indexed.push_back({static_cast<int64_t>(index), value});
  return indexed;
}

namespace {
struct NodeModel
    : instr::InstrumentableOpInterface::ExternalModel<NodeModel, NodeOp> {
  std::string getInstrumentationName(Operation *op) const {
    return cast<NodeOp>(op).getNodeName().str();
  }

  SmallVector<std::string> getInstrumentationAliases(Operation *op) const {
    SmallVector<std::string> aliases;
    auto names = dyn_cast_or_null<ArrayAttr>(getPlainValue(
        cast<NodeOp>(op).getNodeAttr("_datadump_original_op_names")));
    if (!names)
      return aliases;
    // One empty name stands for none: the compiler made the node.
    for (auto name : names.getAsRange<Attribute>())
      if (auto text = dyn_cast<StringAttr>(name); text && !text.empty())
        aliases.push_back(text.str());
    return aliases;
  }

  std::string getInstrumentationType(Operation *op) const {
    return cast<NodeOp>(op).getOpType().str();
  }

  bool isDumpedByDefault(Operation *op) const {
    auto node = cast<NodeOp>(op);
    if (auto noTask = dyn_cast_or_null<BoolAttr>(node.getNodeAttr("_no_task"));
        noTask && noTask.getValue())
      return false;
    auto kernelLib = dyn_cast_or_null<StringAttr>(
        node.getNodeAttr("_ge_attr_op_kernel_lib_name"));
    if (kernelLib && !kernelLib.empty())
      return !isEngineWithoutDump(kernelLib);
    return !isTypeWithoutDump(node.getOpType());
  }

  // What a branch is passed is no input of the graph.
  bool isDumpedWithConsumers(Operation *op) const {
    auto node = cast<NodeOp>(op);
    return isGraphInput(node.getOpType()) &&
           !node.getNodeAttr("_parent_node_index");
  }

  // Unconnected anchors are no operands: as on the device, the indices of
  // later inputs move up.
  SmallVector<instr::IndexedValue> getDumpableOperands(Operation *op) const {
    return enumerateValues(cast<NodeOp>(op).getInputs());
  }

  SmallVector<instr::IndexedValue> getDumpableResults(Operation *op) const {
    return enumerateValues(cast<NodeOp>(op).getOutputs());
  }

  Value getExecutionToken(Operation *op) const {
    return cast<NodeOp>(op).getControl();
  }
};
} // namespace

void npu::ge::registerInstrumentableOpInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GEDialect *) {
    NodeOp::attachInterface<NodeModel>(*context);
  });
}
