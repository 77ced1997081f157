//===- ImportOnnx.cpp - ge_onnx text to MLIR ------------------------------===//

#include "Importer.h"
#include "OnnxConversion.h"

using namespace mlir;
using namespace npu::ge;

LogicalResult Importer::importOnnxNode(Block *block, const TextTree &from,
                                       uint32_t index) {
  TextTree op;
  ConversionFault fault;
  if (failed(convertOnnxNode(from, index, saver, op, fault)))
    return attributes.emitError(fault.position) << fault.message;
  return importNode(block, op, 0);
}

LogicalResult Importer::importOnnx() {
  attributes.quotedEnumerators = true; // of descriptors that are JSON
  /// A graph inside of a node, imported after the graph that has the node. It
  /// may have others in turn.
  struct Subgraph {
    std::shared_ptr<TextTree> tree;
    uint32_t index;
  };
  std::vector<Subgraph> waiting;
  auto importNodeOrKeep = [&](Block *block, std::shared_ptr<TextTree> from,
                              uint32_t index) {
    if (const uint32_t graph = findOnnxSubgraph(*from, index)) {
      waiting.push_back({from, graph});
      return success();
    }
    return importOnnxNode(block, *from, index);
  };

  TextTree head;
  bool anyGraph = false;
  while (!reader.atEnd()) {
    const TextPosition position = reader.position();
    if (reader.peekName() != "graph") {
      if (failed(reader.readField(head)))
        return readerFailure();
      continue;
    }
    anyGraph = true;
    if (failed(reader.enterMessage()))
      return readerFailure();
    GraphOp graph = beginGraph(position);
    TextTree fields;
    while (!reader.atMessageEnd()) {
      const bool isNode = reader.peekName() == "node";
      auto node = std::make_shared<TextTree>();
      TextTree &to = isNode ? *node : fields;
      const uint32_t index = to.size();
      if (failed(reader.readField(to)))
        return readerFailure();
      if (isNode) {
        if (failed(importNodeOrKeep(&graph.getBody().front(), node, 0)))
          return failure();
      } else if (to[index].name != "name") {
        to.truncate(index); // values that the nodes have as well
      }
    }
    if (failed(reader.leaveMessage()))
      return readerFailure();
    if (failed(endGraph(graph, TextRange(fields, 0, fields.size()))))
      return failure();
  }
  if (!anyGraph)
    return attributes.emitError({})
           << "the text has no graph; expected 'graph {'";

  for (size_t next = 0; next != waiting.size(); ++next) {
    const Subgraph subgraph = waiting[next];
    const TextTree &from = *subgraph.tree;
    GraphOp graph = beginGraph(from[subgraph.index].position);
    TextTree fields;
    for (uint32_t i = subgraph.index + 1; i != from[subgraph.index].next;
         i = from[i].next) {
      if (from[i].name == "node") {
        if (failed(
                importNodeOrKeep(&graph.getBody().front(), subgraph.tree, i)))
          return failure();
      } else if (from[i].name == "name") {
        fields.push_back(from[i]);
        fields.back().next = fields.size();
      }
    }
    if (failed(endGraph(graph, TextRange(fields, 0, fields.size()))))
      return failure();
  }
  return success();
}
