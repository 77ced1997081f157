//===- OriginalGraphLoader.cpp - The names of original operators ----------===//

#include "OriginalGraphLoader.h"

#include "GraphLoader.h"
#include "OneLineDiagnostics.h"

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"
#include "npu/InitAllDialects.h"
#include "npu/InitAllExternalModels.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace npu;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

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

static Expected<dump::OriginalGraph> readGraph(std::string path) {
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
  return graph;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

using llvm::json::Array;
using llvm::json::Object;

static const Array &getArray(const Object &object, StringRef key) {
  static const Array none;
  const Array *array = object.getArray(key);
  return array ? *array : none;
}

/// The value of the attribute \p key: {"key": ..., "value": {"s": ...}}.
static const Object *getAttribute(const Object &holder, StringRef key) {
  for (const llvm::json::Value &entry : getArray(holder, "attr")) {
    const Object *attribute = entry.getAsObject();
    if (attribute && attribute->getString("key") == key)
      return attribute->getObject("value");
  }
  return nullptr;
}

static void readOp(const Object &op, dump::OriginalGraph &graph) {
  std::optional<StringRef> name = op.getString("name");
  if (!name)
    return;
  if (const Object *value = getAttribute(op, "_datadump_original_op_names"))
    if (const Object *list = value->getObject("list"))
      for (const llvm::json::Value &original : getArray(*list, "s"))
        if (std::optional<StringRef> text = original.getAsString();
            text && !text->empty())
          graph.fusedNames[name->str()].push_back(text->str());
  std::vector<dump::OriginalOutput> &outputs = graph.outputs[name->str()];
  for (const llvm::json::Value &entry : getArray(op, "output_desc")) {
    dump::OriginalOutput &output = outputs.emplace_back();
    output.index = static_cast<uint32_t>(outputs.size() - 1);
    const Object *desc = entry.getAsObject();
    if (!desc)
      continue;
    if (const Object *value = getAttribute(*desc, "_datadump_origin_name"))
      output.name = value->getString("s").value_or("").str();
    if (const Object *value =
            getAttribute(*desc, "_datadump_origin_output_index"))
      output.index =
          static_cast<uint32_t>(value->getInteger("i").value_or(output.index));
  }
}

static Expected<dump::OriginalGraph> readJson(StringRef text,
                                              const std::string &path) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  if (!json)
    return Status::error(path + ": " + llvm::toString(json.takeError()));
  dump::OriginalGraph graph;
  if (const Object *root = json->getAsObject())
    for (const llvm::json::Value &entry : getArray(*root, "graph"))
      if (const Object *subgraph = entry.getAsObject())
        for (const llvm::json::Value &op : getArray(*subgraph, "op"))
          if (const Object *object = op.getAsObject())
            readOp(*object, graph);
  if (graph.outputs.empty())
    return Status::error(path + ": no operator in it, expected "
                                "{\"graph\": [{\"op\": [...]}]}");
  return graph;
}

Expected<dump::OriginalGraph> npu::loadOriginalGraph(std::string path) {
  if (StringRef(path).ends_with(".json")) {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
        llvm::MemoryBuffer::getFile(path);
    if (!file)
      return Status::error(path + ": " + file.getError().message());
    return readJson((*file)->getBuffer(), path);
  }
  return readGraph(std::move(path));
}
