//===- Export.cpp - MLIR to GE graph text ---------------------------------===//

#include "npu/Target/GE/Export.h"

#include "AttributeConversion.h"

using namespace mlir;
using namespace npu::ge;

namespace {

class Exporter {
public:
  Exporter(ModuleOp module, raw_ostream &os)
      : module(module), writer(os), attributes(writer) {}

  LogicalResult run();

private:
  LogicalResult checkExportable();
  void exportGraph(GraphOp graph);
  void exportNode(NodeOp node);
  std::string getEdge(Value value);
  StringRef getGraphName(Attribute subgraph);

  ModuleOp module;
  TextWriter writer;
  AttributeExporter attributes;
};

} // namespace

/// Whether importGE could have made \p attr as the value of an attribute.
static bool isAttrValue(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getType().isInteger(64) || isa<BoolAttr>(attr);
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getType().isF32();
  if (auto array = dyn_cast<ArrayAttr>(attr))
    return llvm::all_of(array, llvm::IsaPred<StringAttr>);
  return isa<UnitAttr, StringAttr, DenseI64ArrayAttr, DenseF32ArrayAttr,
             DenseBoolArrayAttr, ValueAttr>(attr);
}

static LogicalResult checkAttrs(Operation *op, DictionaryAttr attrs) {
  if (!attrs)
    return success();
  for (NamedAttribute attr : attrs)
    if (!isAttrValue(attr.getValue()))
      return op->emitError()
             << "attribute '" << attr.getName().getValue()
             << "' has a value that graph text has no form for: "
             << attr.getValue();
  return success();
}

LogicalResult Exporter::checkExportable() {
  for (Operation &op : module.getOps()) {
    auto graph = dyn_cast<GraphOp>(op);
    if (!graph)
      return op.emitError() << "'" << op.getName()
                            << "' has no form in graph text; expected only "
                               "ge.graph in the module";
    if (failed(checkAttrs(graph, graph.getAttrsAttr())))
      return failure();
    for (Operation &inner : graph.getBody().getOps()) {
      auto node = dyn_cast<NodeOp>(inner);
      if (!node)
        return inner.emitError()
               << "'" << inner.getName()
               << "' has no form in graph text; expected only ge.node in the "
                  "graph (remove instrumentation with "
                  "npu-strip-instrumentation)";
      if (failed(checkAttrs(node, node.getAttrsAttr())))
        return failure();
      for (Type type : node.getOutputs().getTypes())
        if (!isa<TensorType>(type))
          return node.emitError()
                 << "has an output of type " << type << "; expected tensors";
    }
  }
  return success();
}

std::string Exporter::getEdge(Value value) {
  auto result = cast<OpResult>(value);
  auto producer = cast<NodeOp>(result.getOwner());
  std::string edge = (producer.getNodeName() + ":").str();
  edge += value == producer.getControl()
              ? "-1"
              : std::to_string(result.getResultNumber());
  return edge;
}

StringRef Exporter::getGraphName(Attribute subgraph) {
  if (auto name = dyn_cast<StringAttr>(subgraph))
    return name;
  auto symbol = cast<FlatSymbolRefAttr>(subgraph);
  auto graph = module.lookupSymbol<GraphOp>(symbol.getAttr());
  return graph.getGraphName();
}

void Exporter::exportNode(NodeOp node) {
  DictionaryAttr fields = node.getFieldsAttr();
  attributes.exportFields(nodeSpec, fields, [&](unsigned index) {
    StringRef name = nodeSpec.fields[index].name;
    if (name == "name") {
      writer.writeString(name, node.getNodeName());
    } else if (name == "type") {
      writer.writeString(name, node.getOpType());
    } else if (name == "input") {
      for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e;
           ++anchor) {
        Value value = node.getAnchor(anchor);
        writer.writeString(name, value ? getEdge(value) : "");
      }
      for (Value control : node.getControls())
        writer.writeString(name, getEdge(control));
    } else if (name == "attr") {
      attributes.exportAttrMap(name, node.getAttrs());
    } else if (name == "id" && node.getNodeId() != 0) {
      writer.writeInt(name, node.getNodeId());
    } else if (name == "stream_id" && node.getStreamId() != 0) {
      writer.writeInt(name, node.getStreamId());
    } else if (name == "input_desc" && node.getInputDescs()) {
      for (unsigned i = 0, e = node.getInputDescs()->size(); i != e; ++i)
        writer.writeMessage(name, [&] {
          attributes.exportDesc(node.getAnchorType(i),
                                node.getInputDesc(i).getFields());
        });
    } else if (name == "output_desc") {
      for (auto [i, type] : llvm::enumerate(node.getOutputs().getTypes()))
        writer.writeMessage(name, [&, i = i, type = type] {
          DescAttr desc = node.getOutputDesc(i);
          attributes.exportDesc(type,
                                desc ? desc.getFields()
                                     : DictionaryAttr::get(node.getContext()));
        });
    } else if (name == "subgraph_name" && node.getSubgraphs()) {
      for (Attribute subgraph : node.getSubgraphsAttr())
        writer.writeString(name, getGraphName(subgraph));
    }
  });
}

void Exporter::exportGraph(GraphOp graph) {
  attributes.exportFields(graphSpec, graph.getFieldsAttr(), [&](unsigned i) {
    StringRef name = graphSpec.fields[i].name;
    if (name == "name" && !graph.getGraphName().empty())
      writer.writeString(name, graph.getGraphName());
    else if (name == "op")
      for (NodeOp node : graph.getBody().getOps<NodeOp>())
        writer.writeMessage(name, [&] { exportNode(node); });
    else if (name == "attr" && graph.getAttrsAttr())
      attributes.exportAttrMap(name, graph.getAttrsAttr());
  });
}

LogicalResult Exporter::run() {
  if (failed(checkExportable()))
    return failure();
  if (module->hasAttr(BareGraphAttrName)) {
    for (GraphOp graph : module.getOps<GraphOp>())
      exportGraph(graph);
    return success();
  }
  attributes.exportFields(
      modelSpec, module->getAttrOfType<DictionaryAttr>(ModelAttrName),
      [&](unsigned i) {
        if (modelSpec.fields[i].name != "graph")
          return;
        for (GraphOp graph : module.getOps<GraphOp>())
          writer.writeMessage("graph", [&] { exportGraph(graph); });
      });
  return success();
}

LogicalResult npu::ge::exportGE(ModuleOp module, raw_ostream &os) {
  return Exporter(module, os).run();
}
