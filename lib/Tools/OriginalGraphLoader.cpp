//===- OriginalGraphLoader.cpp - The names of original operators ----------===//

#include "OriginalGraphLoader.h"

#include "GraphLoader.h"
#include "OneLineDiagnostics.h"

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"
#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"

using namespace mlir;
using namespace npu;

static dump::OriginalOutput getOriginalOutput(ge::NodeOp node, unsigned index) {
  dump::OriginalOutput original;
  original.index = index;
  ge::DescAttr desc = node.getOutputDesc(index);
  auto attrs =
      desc ? desc.getFields().getAs<DictionaryAttr>("attr") : DictionaryAttr();
  if (!attrs)
    return original;
  if (auto name = attrs.getAs<StringAttr>("_datadump_origin_name"))
    original.name = name.str();
  if (auto number = attrs.getAs<IntegerAttr>("_datadump_origin_output_index"))
    original.index = static_cast<uint32_t>(number.getInt());
  return original;
}

Expected<dump::OriginalGraph> npu::loadOriginalGraph(std::string path) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerExternalModels(registry);
  MLIRContext context(registry);
  OneLineDiagnostics diagnostics(&context);
  Expected<OwningOpRef<ModuleOp>> module = loadGraph(path, &context);
  if (!module)
    return module.takeStatus();
  dump::OriginalGraph graph;
  (*module)->walk([&](ge::NodeOp node) {
    std::vector<dump::OriginalOutput> &outputs =
        graph.outputs[node.getNodeName().str()];
    for (unsigned i = 0; i < node.getOutputs().size(); ++i)
      outputs.push_back(getOriginalOutput(node, i));
    llvm::append_range(
        graph.fusedNames[node.getNodeName().str()],
        cast<instr::InstrumentableOpInterface>(node.getOperation())
            .getInstrumentationAliases());
  });
  if (graph.outputs.empty())
    return Status::error(path + ": no operator in it");
  return graph;
}
