//===- GEOps.cpp - Assembly and verification of the ge operations ---------===//

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace npu::ge;

#define GET_OP_CLASSES
#include "npu/Dialect/GE/IR/GEOps.cpp.inc"

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

StringRef GraphOp::getGraphName() {
  return getOriginalName() ? *getOriginalName() : getSymName();
}

LogicalResult GraphOp::verifyRegions() {
  if (getBody().getNumArguments() != 0)
    return emitOpError("has block arguments; inputs of a graph are Data nodes");
  llvm::DenseMap<Attribute, NodeOp> seen;
  for (NodeOp node : getBody().getOps<NodeOp>()) {
    auto [it, inserted] = seen.try_emplace(node.getNodeNameAttr(), node);
    if (inserted)
      continue;
    InFlightDiagnostic diag = node.emitOpError()
                              << "has the name '" << node.getNodeName()
                              << "' of another node of the graph";
    diag.attachNote(it->second.getLoc()) << "the other node";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// NodeOp
//===----------------------------------------------------------------------===//

StringRef NodeOp::getKernelName() {
  for (const std::string &key :
       {std::string("_kernelname"), (getNodeName() + "_kernelname").str()})
    if (auto name = dyn_cast_or_null<StringAttr>(getNodeAttr(key)))
      return name;
  return {};
}

unsigned NodeOp::getNumAnchors() {
  std::optional<ArrayRef<bool>> connected = getConnected();
  return connected ? connected->size() : getInputs().size();
}

Value NodeOp::getAnchor(unsigned anchor) {
  std::optional<ArrayRef<bool>> connected = getConnected();
  if (!connected)
    return anchor < getInputs().size() ? getInputs()[anchor] : Value();
  if (anchor >= connected->size() || !(*connected)[anchor])
    return {};
  return getInputs()[llvm::count(connected->take_front(anchor), true)];
}

static DescAttr getDesc(std::optional<ArrayAttr> descs, unsigned index) {
  if (!descs || index >= descs->size())
    return {};
  return cast<DescAttr>((*descs)[index]);
}

static std::optional<int64_t> getParentIndex(DictionaryAttr attrs) {
  auto index =
      attrs ? attrs.getAs<IntegerAttr>("_parent_node_index") : IntegerAttr();
  return index ? std::optional(index.getInt()) : std::nullopt;
}

std::optional<int64_t> NodeOp::getParentInput() {
  return getParentIndex(getAttrs());
}

int64_t NodeOp::getParentOutput(unsigned anchor) {
  DescAttr desc = getInputDesc(anchor);
  auto attrs =
      desc ? desc.getFields().getAs<DictionaryAttr>("attr") : DictionaryAttr();
  return getParentIndex(attrs).value_or(anchor);
}

DescAttr NodeOp::getInputDesc(unsigned anchor) {
  return getDesc(getInputDescs(), anchor);
}

DescAttr NodeOp::getOutputDesc(unsigned index) {
  return getDesc(getOutputDescs(), index);
}

Type NodeOp::getAnchorType(unsigned anchor) {
  if (DescAttr desc = getInputDesc(anchor); desc && desc.getType())
    return desc.getType();
  Value value = getAnchor(anchor);
  return value ? value.getType() : Type();
}

void NodeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (!getOutputs().empty())
    setName(getOutputs().front(), getNodeName());
  setName(getControl(), (getNodeName() + "_ctl").str());
}

static LogicalResult verifyDescs(NodeOp node, std::optional<ArrayAttr> descs,
                                 StringRef what) {
  if (!descs)
    return success();
  for (Attribute desc : *descs)
    if (!isa<DescAttr>(desc))
      return node.emitOpError()
             << "expects " << what << " to hold #ge.desc, found " << desc;
  return success();
}

LogicalResult NodeOp::verify() {
  if (std::optional<ArrayRef<bool>> connected = getConnected()) {
    size_t count = llvm::count(*connected, true);
    if (count != getInputs().size())
      return emitOpError() << "connects " << count << " anchors but has "
                           << getInputs().size() << " data inputs";
  }
  if (failed(verifyDescs(*this, getInputDescs(), "input_descs")) ||
      failed(verifyDescs(*this, getOutputDescs(), "output_descs")))
    return failure();
  if (getInputDescs())
    for (unsigned i = 0, e = getInputDescs()->size(); i != e; ++i)
      if (!getInputDesc(i).getType() && !getAnchor(i))
        return emitOpError() << "expects a type in input_descs[" << i
                             << "]: its anchor is not connected";
  if (getOutputDescs()) {
    if (getOutputDescs()->size() != getOutputs().size())
      return emitOpError() << "has " << getOutputDescs()->size()
                           << " output_descs for " << getOutputs().size()
                           << " outputs";
    for (unsigned i = 0, e = getOutputs().size(); i != e; ++i)
      if (getOutputDesc(i).getType())
        return emitOpError() << "has a type in output_descs[" << i
                             << "]; the type of an output is that of its value";
  }

  if (getBody().empty())
    return success();
  if (!getBody().hasOneBlock())
    return emitOpError("expects one block of members");
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "has " << getInputs().size()
                         << " data inputs but its members take "
                         << block.getNumArguments();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("expects ge.yield after its members");
  if (yield.getValues().getTypes() != getOutputs().getTypes())
    return emitOpError("yields other types than its outputs have");
  return success();
}

LogicalResult NodeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (!getSubgraphsAttr())
    return success();
  for (Attribute subgraph : getSubgraphsAttr()) {
    // A graph that the text names but does not have stays a plain string.
    if (isa<StringAttr>(subgraph))
      continue;
    auto symbol = dyn_cast<FlatSymbolRefAttr>(subgraph);
    if (!symbol)
      return emitOpError()
             << "expects subgraphs to be symbols or strings, found "
             << subgraph;
    auto module = getOperation()->getParentOfType<ModuleOp>();
    if (!module ||
        !symbolTable.lookupSymbolIn<GraphOp>(module.getOperation(), symbol))
      return emitOpError() << "calls " << symbol << ", which is no ge.graph";
  }
  return success();
}

//   ge.node "Type" "name" `(` (operand | `_`), ... `)` (`[` operand, ... `]`)?
//     (`id` int)? (`stream` int)? (`attrs` dict)? (`in` descs)? (`out` descs)?
//     (`calls` array)? (`fields` dict)? attr-dict-with-keyword
//     (`:` `(` types `)`)? (`->` (type | `(` types `)`))? region?
void NodeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOpTypeAttr() << ' ' << getNodeNameAttr() << '(';
  llvm::interleaveComma(llvm::seq(0u, getNumAnchors()), printer,
                        [&](unsigned anchor) {
                          if (Value value = getAnchor(anchor))
                            printer << value;
                          else
                            printer << '_';
                        });
  printer << ')';
  if (!getControls().empty()) {
    printer << '[';
    printer.printOperands(getControls());
    printer << ']';
  }
  if (getNodeId() != 0)
    printer << " id " << static_cast<int64_t>(getNodeId());
  if (getStreamId() != 0)
    printer << " stream " << static_cast<int64_t>(getStreamId());
  if (!getAttrs().empty())
    printer << " attrs " << getAttrs();
  if (getInputDescs())
    printer << " in " << *getInputDescs();
  if (getOutputDescs())
    printer << " out " << *getOutputDescs();
  if (getSubgraphs())
    printer << " calls " << *getSubgraphs();
  if (getFields())
    printer << " fields " << *getFields();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getDiscardableAttrDictionary().getValue());
  if (!getInputs().empty())
    printer << " : (" << getInputs().getTypes() << ')';
  if (!getOutputs().empty())
    printer.printArrowTypeList(getOutputs().getTypes());
  if (!getBody().empty()) {
    printer << ' ';
    printer.printRegion(getBody());
  }
}

ParseResult NodeOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  if (parser.parseAttribute(properties.op_type) ||
      parser.parseAttribute(properties.node_name))
    return failure();

  using Operand = OpAsmParser::UnresolvedOperand;
  SmallVector<Operand> inputs, controls;
  SmallVector<bool> connected;
  auto parseAnchor = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("_"))) {
      connected.push_back(false);
      return success();
    }
    connected.push_back(true);
    return parser.parseOperand(inputs.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseAnchor) ||
      parser.parseOperandList(controls, AsmParser::Delimiter::OptionalSquare))
    return failure();
  if (inputs.size() != connected.size())
    properties.connected = builder.getDenseBoolArrayAttr(connected);

  auto parseInteger = [&](StringRef keyword, IntegerAttr &attr) -> ParseResult {
    int64_t value = 0;
    if (succeeded(parser.parseOptionalKeyword(keyword)) &&
        parser.parseInteger(value))
      return failure();
    attr = builder.getI64IntegerAttr(value);
    return success();
  };
  auto parseSection = [&](StringRef keyword, auto &attr) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    return parser.parseAttribute(attr);
  };
  properties.attrs = builder.getDictionaryAttr({});
  if (parseInteger("id", properties.node_id) ||
      parseInteger("stream", properties.stream_id) ||
      parseSection("attrs", properties.attrs) ||
      parseSection("in", properties.input_descs) ||
      parseSection("out", properties.output_descs) ||
      parseSection("calls", properties.subgraphs) ||
      parseSection("fields", properties.fields) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  SmallVector<Type> inputTypes, outputTypes;
  SMLoc typesLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalColon()) &&
      (parser.parseLParen() || parser.parseTypeList(inputTypes) ||
       parser.parseRParen()))
    return failure();
  if (parser.parseOptionalArrowTypeList(outputTypes))
    return failure();
  Type controlType = ControlType::get(builder.getContext());
  if (parser.resolveOperands(inputs, inputTypes, typesLoc, result.operands) ||
      parser.resolveOperands(controls, controlType, result.operands))
    return failure();
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(controls.size())};
  result.addTypes(outputTypes);
  result.addTypes(controlType);

  Region *body = result.addRegion();
  OptionalParseResult region = parser.parseOptionalRegion(*body);
  return region.has_value() ? *region : success();
}
