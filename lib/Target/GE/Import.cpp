//===- Import.cpp - GE graph text to MLIR ---------------------------------===//

#include "npu/Target/GE/Import.h"

#include "FileKind.h"
#include "Importer.h"
#include "StringLiteral.h"

#include "mlir/IR/Verifier.h"

#include <utility>

using namespace mlir;
using namespace npu::ge;

LogicalResult Importer::readerFailure() {
  return attributes.emitError(reader.errorPosition()) << reader.errorMessage();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

FailureOr<Edge> Importer::importEdge(const TextField &field) {
  if (field.kind != TextField::Kind::String)
    return attributes.emitError(field.position)
           << "expected a string in quotes for 'input'";
  StringRef text = decodeString(field.value, storage);
  if (!storage.empty() && text.data() == storage.data())
    text = saver.save(text);
  Edge edge;
  edge.position = field.position;
  if (text.empty())
    return edge;
  StringRef output;
  std::tie(edge.producer, output) = text.rsplit(':'); // names may have colons
  if (edge.producer.empty() || output.getAsInteger(10, edge.output) ||
      edge.output < -1)
    return attributes.emitError(field.position)
           << "expected 'producer:output' as input, found '" << text << "'";
  return edge;
}

Value Importer::getPlaceholder() {
  if (!placeholder) {
    OpBuilder detached(builder.getContext());
    placeholder = UnrealizedConversionCastOp::create(
        detached, builder.getUnknownLoc(),
        ControlType::get(builder.getContext()), ValueRange());
  }
  return placeholder->getResult(0);
}

FailureOr<Value> Importer::resolve(const Edge &edge, StringRef user) {
  NodeOp producer = nodes.lookup(edge.producer);
  if (!producer)
    return Value();
  if (edge.output < 0)
    return producer.getControl();
  if (edge.output >= static_cast<int64_t>(producer.getOutputs().size()))
    return attributes.emitError(edge.position)
           << "op '" << user << "' reads output " << edge.output << " of '"
           << edge.producer << "', which has " << producer.getOutputs().size()
           << " output_desc";
  return producer.getOutputs()[edge.output];
}

/// Leaves out the types of input descriptors that are those of the operands.
static void elideInputTypes(NodeOp node) {
  if (!node.getInputDescs())
    return;
  SmallVector<Attribute> descs(node.getInputDescsAttr().getValue());
  for (auto [anchor, attr] : llvm::enumerate(descs)) {
    auto desc = cast<DescAttr>(attr);
    Value value = node.getAnchor(anchor);
    if (value && desc.getType() == value.getType())
      attr = DescAttr::get(node.getContext(), Type(), desc.getFields());
  }
  node.setInputDescsAttr(ArrayAttr::get(node.getContext(), descs));
}

LogicalResult Importer::resolvePending(Block *block) {
  LogicalResult result = success();
  for (const PendingEdge &edge : pending) {
    auto user = cast<NodeOp>(edge.user);
    FailureOr<Value> value = resolve(
        {edge.producer, edge.output, edge.position}, user.getNodeName());
    if (failed(value)) {
      result = failure();
    } else if (!*value) {
      result = attributes.emitError(edge.position)
               << "op '" << user.getNodeName() << "' reads '" << edge.producer
               << ":" << edge.output << "', but the graph has no op '"
               << edge.producer << "'";
    } else {
      edge.user->setOperand(edge.operand, *value);
    }
  }
  if (succeeded(result))
    for (const PendingEdge &edge : pending)
      elideInputTypes(cast<NodeOp>(edge.user));
  pending.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult Importer::importNode(Block *block, const TextTree &tree,
                                   uint32_t index) {
  const TextField &op = tree[index];
  if (op.kind != TextField::Kind::Message)
    return attributes.emitError(op.position) << "expected '{' after 'op'";

  MLIRContext *context = builder.getContext();
  StringAttr name = builder.getStringAttr(""), type = name;
  int64_t id = 0, streamId = 0;
  SmallVector<Edge, 8> data, control;
  SmallVector<NamedAttribute, 48> attrs;
  SmallVector<Type, 4> outputTypes;
  SmallVector<Attribute, 8> inputDescs, outputDescs, subgraphs;
  SmallVector<Type, 8> inputTypes;

  auto assign = [](auto &to, auto from) -> LogicalResult {
    if (failed(from))
      return failure();
    to = *from;
    return success();
  };
  auto hook = [&](unsigned index, const TextField &field, TextRange children,
                  bool &handled) -> LogicalResult {
    StringRef key = nodeSpec.fields[index].name;
    handled = true;
    if (key == "attr")
      return attributes.importMapEntry(field, children, attrs);
    if (key == "input_desc" || key == "output_desc") {
      Type descType;
      DictionaryAttr rest;
      if (failed(attributes.importDesc(children, descType, rest)))
        return failure();
      if (key == "input_desc") {
        inputTypes.push_back(descType);
        inputDescs.push_back(rest);
      } else {
        outputTypes.push_back(descType);
        outputDescs.push_back(DescAttr::get(context, Type(), rest));
      }
      return success();
    }
    if (key == "input") {
      FailureOr<Edge> edge = importEdge(field);
      if (failed(edge))
        return failure();
      if (edge->output < 0) {
        control.push_back(*edge);
        return success();
      }
      if (!control.empty())
        return attributes.emitError(field.position)
               << "data input '" << edge->producer
               << "' follows a control input; expected all data inputs first";
      data.push_back(*edge);
      return success();
    }
    if (key == "name") {
      if (failed(assign(name, attributes.importString(field))))
        return failure();
      attributes.resourceName = name;
      return success();
    }
    if (key == "type")
      return assign(type, attributes.importString(field));
    if (key == "id")
      return assign(id, attributes.importInt(field));
    if (key == "stream_id")
      return assign(streamId, attributes.importInt(field));
    if (key == "subgraph_name") {
      FailureOr<StringAttr> subgraph = attributes.importString(field);
      if (succeeded(subgraph))
        subgraphs.push_back(*subgraph);
      return subgraph;
    }
    handled = false;
    return success();
  };
  FailureOr<DictionaryAttr> fields = attributes.importFields(
      nodeSpec, TextRange(tree, index + 1, op.next), hook);
  if (failed(fields))
    return failure();

  Location loc = NameLoc::get(name, attributes.getLoc(op.position));
  OperationState state(loc, NodeOp::getOperationName());
  auto &properties = state.getOrAddProperties<NodeOp::Properties>();
  properties.op_type = type;
  properties.node_name = name;
  properties.node_id = builder.getI64IntegerAttr(id);
  properties.stream_id = builder.getI64IntegerAttr(streamId);
  properties.attrs = attributes.makeDictionary(attrs);
  if (!fields->empty())
    properties.fields = *fields;
  if (!subgraphs.empty())
    properties.subgraphs = builder.getArrayAttr(subgraphs);

  // Operands. An edge to a node that is still to come gets a placeholder.
  SmallVector<PendingEdge, 4> forward;
  SmallVector<bool, 8> connected;
  auto addOperand = [&](const Edge &edge) -> LogicalResult {
    FailureOr<Value> value = resolve(edge, name);
    if (failed(value))
      return failure();
    if (!*value) {
      forward.push_back({nullptr, static_cast<unsigned>(state.operands.size()),
                         edge.producer, edge.output, edge.position});
      value = getPlaceholder();
    }
    state.operands.push_back(*value);
    return success();
  };
  for (const Edge &edge : data) {
    connected.push_back(!edge.producer.empty());
    if (!edge.producer.empty() && failed(addOperand(edge)))
      return failure();
  }
  const size_t numData = state.operands.size();
  for (const Edge &edge : control)
    if (failed(addOperand(edge)))
      return failure();
  properties.operandSegmentSizes = {
      static_cast<int32_t>(numData),
      static_cast<int32_t>(state.operands.size() - numData)};
  if (numData != data.size())
    properties.connected = builder.getDenseBoolArrayAttr(connected);

  // Descriptors. Types equal to those of the operands are left out.
  size_t operand = 0;
  for (auto [anchor, rest] : llvm::enumerate(inputDescs)) {
    Type descType = inputTypes[anchor];
    if (anchor < connected.size() && connected[anchor] &&
        state.operands[operand++].getType() == descType)
      descType = Type();
    rest = DescAttr::get(context, descType, cast<DictionaryAttr>(rest));
  }
  if (!inputDescs.empty())
    properties.input_descs = builder.getArrayAttr(inputDescs);
  if (!outputDescs.empty())
    properties.output_descs = builder.getArrayAttr(outputDescs);

  state.addTypes(outputTypes);
  state.addTypes(ControlType::get(context));
  state.addRegion();
  auto node = cast<NodeOp>(Operation::create(state));
  block->push_back(node);
  for (PendingEdge &edge : forward) {
    edge.user = node;
    pending.push_back(edge);
  }

  // The key is the attribute's own storage, which lives as long as the context.
  auto [it, inserted] = nodes.try_emplace(name.getValue(), node);
  if (!inserted)
    return attributes.emitError(op.position)
           << "another op of the graph has the name '" << name.getValue()
           << "', too; expected unique names";
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

StringAttr Importer::makeSymbol(StringRef graphName) {
  std::string symbol = graphName.empty() ? "graph" : graphName.str();
  for (unsigned i = 1; !takenSymbols.insert(symbol).second; ++i)
    symbol = (graphName + "_" + Twine(i)).str();
  return builder.getStringAttr(symbol);
}

GraphOp Importer::beginGraph(TextPosition position) {
  auto graph =
      GraphOp::create(builder, attributes.getLoc(position), "graph",
                      StringAttr(), DictionaryAttr(), DictionaryAttr());
  graph.getBody().emplaceBlock();
  nodes.clear();
  return graph;
}

LogicalResult Importer::importGraph(TextPosition position, TextTree &head,
                                    bool bare) {
  GraphOp graph = beginGraph(position);
  Block *block = &graph.getBody().front();

  // Everything but the nodes is short: read it whole, convert it at the end.
  while (bare ? !reader.atEnd() : !reader.atMessageEnd()) {
    const uint32_t index = head.size();
    if (reader.peekName() == "op") {
      tree.clear();
      if (failed(reader.readField(tree)))
        return readerFailure();
      if (failed(importNode(block, tree, 0)))
        return failure();
    } else if (failed(reader.readField(head))) {
      return readerFailure();
    } else if (failed(attributes.reportUnknowns(
                   graphSpec, TextRange(head, index, head.size())))) {
      return failure();
    }
  }
  return endGraph(graph, TextRange(head, 0, head.size()));
}

LogicalResult Importer::endGraph(GraphOp graph, TextRange range) {
  if (failed(resolvePending(&graph.getBody().front())))
    return failure();

  StringAttr name = builder.getStringAttr("");
  SmallVector<NamedAttribute> attrs;
  FailureOr<DictionaryAttr> fields = attributes.importFields(
      graphSpec, range,
      [&](unsigned index, const TextField &field, TextRange children,
          bool &handled) -> LogicalResult {
        StringRef key = graphSpec.fields[index].name;
        handled = key == "name" || key == "attr" || key == "op";
        if (key == "attr")
          return attributes.importMapEntry(field, children, attrs);
        if (key != "name")
          return success();
        FailureOr<StringAttr> value = attributes.importString(field);
        if (succeeded(value))
          name = *value;
        return value;
      },
      /*reportUnknowns=*/false);
  if (failed(fields))
    return failure();
  StringAttr symbol = makeSymbol(name);
  graph.setSymNameAttr(symbol);
  if (symbol != name)
    graph.setOriginalNameAttr(name);
  symbols.try_emplace(name, symbol);
  if (!attrs.empty())
    graph.setAttrsAttr(attributes.makeDictionary(attrs));
  if (!fields->empty())
    graph.setFieldsAttr(*fields);
  return success();
}

LogicalResult Importer::resolveSubgraphs(ModuleOp module) {
  for (GraphOp graph : module.getOps<GraphOp>()) {
    for (NodeOp node : graph.getBody().getOps<NodeOp>()) {
      if (!node.getSubgraphsAttr())
        continue;
      SmallVector<Attribute> callees;
      for (auto name : node.getSubgraphsAttr().getAsRange<StringAttr>()) {
        StringAttr symbol = symbols.lookup(name);
        if (!symbol)
          mlir::emitWarning(node.getLoc())
              << "op '" << node.getNodeName() << "' calls the graph '"
              << name.getValue() << "', which the text does not have";
        callees.push_back(symbol ? Attribute(FlatSymbolRefAttr::get(symbol))
                                 : Attribute(name));
      }
      node.setSubgraphsAttr(builder.getArrayAttr(callees));
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

LogicalResult Importer::importText(ModuleOp module) {
  TextTree head;
  bool anyGraph = false;
  // Which message the fields before the first graph or op belong to shows then.
  uint32_t reported = 0;
  auto reportUnknowns = [&](const MessageSpec &spec) {
    TextRange fields(head, std::exchange(reported, head.size()), head.size());
    return attributes.reportUnknowns(spec, fields);
  };
  while (!reader.atEnd()) {
    TextPosition position = reader.position();
    StringRef name = reader.peekName();
    if (name == "op" && !anyGraph) {
      module->setAttr(BareGraphAttrName, builder.getUnitAttr());
      if (failed(reportUnknowns(graphSpec)))
        return failure();
      return importGraph({}, head, /*bare=*/true);
    }
    if (name == "graph") {
      if (failed(reportUnknowns(modelSpec)))
        return failure();
      if (failed(reader.enterMessage()))
        return readerFailure();
      anyGraph = true;
      TextTree graphHead;
      if (failed(importGraph(position, graphHead, /*bare=*/false)))
        return failure();
      if (failed(reader.leaveMessage()))
        return readerFailure();
      continue;
    }
    if (failed(reader.readField(head)))
      return readerFailure();
  }
  if (!anyGraph)
    return attributes.emitError({})
           << "the text has no graph; expected 'graph {' or, for a bare graph, "
              "'op {'";
  if (failed(reportUnknowns(modelSpec)))
    return failure();
  FailureOr<DictionaryAttr> model = attributes.importFields(
      modelSpec, TextRange(head, 0, head.size()), /*hook=*/nullptr,
      /*reportUnknowns=*/false);
  if (failed(model))
    return failure();
  if (!model->empty())
    module->setAttr(ModelAttrName, *model);
  return success();
}

OwningOpRef<ModuleOp> Importer::run() {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(attributes.getLoc(TextPosition()));
  builder.setInsertionPointToEnd(module->getBody());
  const GraphForm form = getGraphForm(text);
  LogicalResult imported = form == GraphForm::Json   ? importJson(*module)
                           : form == GraphForm::Onnx ? importOnnx()
                                                     : importText(*module);
  if (failed(imported) || failed(resolveSubgraphs(*module)) ||
      failed(verify(*module))) {
    // Uses of the placeholder go before the placeholder.
    module = nullptr;
    return nullptr;
  }
  return module;
}

OwningOpRef<ModuleOp> npu::ge::importGE(StringRef text, StringRef fileName,
                                        MLIRContext *context,
                                        const ImportOptions &options) {
  context->loadDialect<GEDialect>();
  text.consume_front("\xef\xbb\xbf");
  if (StringRef other = describeOtherFile(text); !other.empty()) {
    emitError(FileLineColLoc::get(context, fileName, 1, 1))
        << "no GE graph text: the file is " << other
        << "; expected a text that begins with 'graph {'";
    return nullptr;
  }
  return Importer(text, fileName, context, options).run();
}
