//===- Import.cpp - GE graph text to MLIR ---------------------------------===//

#include "npu/Target/GE/Import.h"

#include "AttributeConversion.h"
#include "FileKind.h"
#include "JsonReader.h"
#include "OnnxConversion.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"

#include <memory>
#include <utility>
#include <vector>

using namespace mlir;
using namespace npu::ge;

namespace {

/// A producer that a node names before its own op block has come.
struct PendingEdge {
  Operation *user;
  unsigned operand;
  StringRef producer;
  int64_t output;
  TextPosition position;
};

/// What an `input` string says: a data edge, a control edge (output -1), or
/// nothing (no producer).
struct Edge {
  StringRef producer;
  int64_t output = 0;
  TextPosition position;
};

class Importer {
public:
  Importer(StringRef text, StringRef fileName, MLIRContext *context,
           const ImportOptions &options)
      : text(text), reader(text), builder(context),
        attributes(context, fileName, options.strict), saver(allocator) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult importText(ModuleOp module);
  LogicalResult importJson(ModuleOp module);
  LogicalResult importOnnx();
  /// Imports fields of a GraphDef up to the closing brace (or, for a bare
  /// graph, the end of the text). \p head has fields that were read before.
  LogicalResult importGraph(TextPosition position, TextTree &head, bool bare);
  /// The graph that the message at \p index of \p json is.
  LogicalResult importJsonGraph(const TextTree &json, uint32_t index);
  /// Goes on with nodes of a ge_onnx text in a new graph.
  GraphOp beginGraph(TextPosition position);
  /// Ends a graph: edges, and all fields but the nodes.
  LogicalResult endGraph(GraphOp graph, TextRange fields);
  /// The node that the field at \p index of \p tree is.
  LogicalResult importNode(Block *block, const TextTree &tree, uint32_t index);
  LogicalResult importOnnxNode(Block *block, const TextTree &tree,
                               uint32_t index);
  FailureOr<Edge> importEdge(const TextField &field);
  /// The value of an edge, or null while its producer is not there yet.
  FailureOr<Value> resolve(const Edge &edge, StringRef user);
  LogicalResult resolvePending(Block *block);
  LogicalResult resolveSubgraphs(ModuleOp module);
  StringAttr makeSymbol(StringRef graphName);
  LogicalResult readerFailure();
  Value getPlaceholder();

  StringRef text;
  TextReader reader;
  OpBuilder builder;
  AttributeImporter attributes;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver;
  SmallVector<char, 0> storage;

  TextTree tree;                           // of the node at hand
  llvm::DenseMap<StringRef, NodeOp> nodes; // of the graph at hand
  SmallVector<PendingEdge> pending;
  OwningOpRef<UnrealizedConversionCastOp> placeholder;
  llvm::StringMap<StringAttr> symbols; // by graph name
  llvm::StringSet<> takenSymbols;
};

} // namespace

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
// JSON
//===----------------------------------------------------------------------===//

/// Calls \p fn with the index of each message that the field at \p index, a
/// message or a list, stands for.
template <typename Fn>
static LogicalResult forEachMessage(const TextTree &tree, uint32_t index,
                                    Fn fn) {
  if (tree[index].kind != TextField::Kind::List)
    return fn(index);
  for (uint32_t i = index + 1; i != tree[index].next; i = tree[i].next)
    if (failed(fn(i)))
      return failure();
  return success();
}

LogicalResult Importer::importJsonGraph(const TextTree &json, uint32_t index) {
  if (json[index].kind != TextField::Kind::Message)
    return attributes.emitError(json[index].position)
           << "expected an object for a graph";
  GraphOp graph = beginGraph(json[index].position);
  Block *block = &graph.getBody().front();
  for (uint32_t i = index + 1; i != json[index].next; i = json[i].next)
    if (json[i].name == "op" &&
        failed(forEachMessage(
            json, i, [&](uint32_t op) { return importNode(block, json, op); })))
      return failure();
  TextRange fields(json, index + 1, json[index].next);
  if (failed(attributes.reportUnknowns(graphSpec, fields)))
    return failure();
  return endGraph(graph, fields);
}

LogicalResult Importer::importJson(ModuleOp module) {
  attributes.quotedEnumerators = true;
  TextTree json;
  std::string message;
  TextPosition at;
  if (failed(readJson(text, json, message, at)))
    return attributes.emitError(at) << message;
  bool anyGraph = false, anyNode = false;
  for (uint32_t i = 1; i != json.front().next; i = json[i].next) {
    anyNode |= json[i].name == "op";
    if (json[i].name != "graph")
      continue;
    anyGraph = true;
    if (failed(forEachMessage(json, i, [&](uint32_t graph) {
          return importJsonGraph(json, graph);
        })))
      return failure();
  }
  if (!anyGraph && anyNode) {
    module->setAttr(BareGraphAttrName, builder.getUnitAttr());
    return importJsonGraph(json, 0);
  }
  if (!anyGraph)
    return attributes.emitError({})
           << "JSON without a graph; expected what atc --mode=1 or --mode=5 "
              "writes, with a member \"graph\"";
  FailureOr<DictionaryAttr> model = attributes.importFields(
      modelSpec, TextRange(json, 1, json.front().next),
      [](unsigned index, const TextField &, TextRange, bool &handled) {
        handled = modelSpec.fields[index].name == "graph";
        return success();
      });
  if (failed(model))
    return failure();
  if (!model->empty())
    module->setAttr(ModelAttrName, *model);
  return success();
}

//===----------------------------------------------------------------------===//
// ge_onnx text
//===----------------------------------------------------------------------===//

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
