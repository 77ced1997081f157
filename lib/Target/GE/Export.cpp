//===- Export.cpp - MLIR to GE graph text ---------------------------------===//

#include "npu/Target/GE/Export.h"

#include "AttributeConversion.h"
#include "ExportCheck.h"

using namespace mlir;
using namespace npu::ge;

namespace {

class Exporter {
public:
  Exporter(ModuleOp module, raw_ostream &os)
      : module(module), writer(os), attributes(writer) {}

  void run();

private:
  void exportGraph(GraphOp graph);
  void exportNode(NodeOp node);
  std::string getEdge(Value value);
  StringRef getGraphName(Attribute subgraph);

  ModuleOp module;
  TextWriter writer;
  AttributeExporter attributes;
};

} // namespace

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

void Exporter::run() {
  if (module->hasAttr(BareGraphAttrName)) {
    for (GraphOp graph : module.getOps<GraphOp>())
      exportGraph(graph);
    return;
  }
  attributes.exportFields(
      modelSpec, module->getAttrOfType<DictionaryAttr>(ModelAttrName),
      [&](unsigned i) {
        if (modelSpec.fields[i].name != "graph")
          return;
        for (GraphOp graph : module.getOps<GraphOp>())
          writer.writeMessage("graph", [&] { exportGraph(graph); });
      });
}

LogicalResult npu::ge::exportGE(ModuleOp module, raw_ostream &os) {
  if (failed(checkExportable(module)))
    return failure();
  Exporter(module, os).run();
  return success();
}
