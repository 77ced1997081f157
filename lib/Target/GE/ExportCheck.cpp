//===- ExportCheck.cpp - What has a form in graph text --------------------===//
//
// The verifier leaves open what attributes hold; the exporter does not. Here
// the functions of AttributeExporter have their counterparts.
//
//===----------------------------------------------------------------------===//

#include "ExportCheck.h"

#include "AttributeConversion.h"

#include "npu/Dialect/GE/IR/ElementTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace npu::ge;

namespace {

class Checker {
public:
  explicit Checker(Operation *op) : op(op) {}

  /// The entries of \p dict are fields of \p spec, but none of \p taken, which
  /// the operation holds elsewhere.
  LogicalResult checkFields(const MessageSpec &spec, DictionaryAttr dict,
                            ArrayRef<StringRef> taken);
  LogicalResult checkAttrMap(DictionaryAttr map);
  LogicalResult checkDesc(StringRef name, Type type, DictionaryAttr fields);

private:
  LogicalResult refuse(StringRef name, Attribute value) {
    return op->emitError() << "attribute '" << name
                           << "' has a value that graph text has no form for: "
                           << value;
  }
  LogicalResult expect(bool holds, StringRef name, Attribute value) {
    return holds ? success() : refuse(name, value);
  }
  LogicalResult checkField(const FieldSpec &spec, Attribute value);
  LogicalResult checkAttr(StringRef name, Attribute attr);
  LogicalResult checkValue(StringRef name, ValueAttr value);
  /// \p value is a dictionary whose entries pass \p check, but for the text
  /// of unknown fields, which every message may have.
  using EntryCheck = llvm::function_ref<LogicalResult(NamedAttribute)>;
  LogicalResult checkMessage(StringRef name, Attribute value, EntryCheck check);

  Operation *op;
};

} // namespace

static bool isArrayOfStrings(Attribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr);
  return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
}

static bool isInt(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  return integer && integer.getType().isInteger(64);
}

static bool isFloat(Attribute attr) {
  auto number = dyn_cast<FloatAttr>(attr);
  return number && number.getType().isF32();
}

LogicalResult Checker::checkMessage(StringRef name, Attribute value,
                                    EntryCheck check) {
  auto dict = dyn_cast<DictionaryAttr>(value);
  if (!dict)
    return refuse(name, value);
  for (NamedAttribute entry : dict) {
    LogicalResult result = entry.getName() == UnknownKey
                               ? expect(isArrayOfStrings(entry.getValue()),
                                        UnknownKey, entry.getValue())
                               : check(entry);
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Checker::checkFields(const MessageSpec &spec, DictionaryAttr dict,
                                   ArrayRef<StringRef> taken) {
  if (!dict)
    return success();
  return checkMessage(
      spec.name, dict, [&](NamedAttribute entry) -> LogicalResult {
        StringRef key = entry.getName();
        const int index = spec.find(key);
        if (index < 0)
          return op->emitError()
                 << "'" << key << "' is no field of " << spec.name;
        if (llvm::is_contained(taken, key))
          return op->emitError()
                 << "'" << key << "' of " << spec.name
                 << " has a place of its own; expected it there";
        return checkField(spec.fields[index], entry.getValue());
      });
}

LogicalResult Checker::checkAttrMap(DictionaryAttr map) {
  if (map)
    for (NamedAttribute attr : map)
      if (failed(checkAttr(attr.getName(), attr.getValue())))
        return failure();
  return success();
}

LogicalResult Checker::checkField(const FieldSpec &spec, Attribute value) {
  StringRef name = spec.name;
  if (spec.repeated) {
    switch (spec.kind) {
    case FieldKind::Int:
      return expect(isa<DenseI64ArrayAttr>(value), name, value);
    case FieldKind::Float:
      return expect(isa<DenseF32ArrayAttr>(value), name, value);
    case FieldKind::Bool:
      return expect(isa<DenseBoolArrayAttr>(value), name, value);
    case FieldKind::AttrMap:
      if (auto map = dyn_cast<DictionaryAttr>(value))
        return checkAttrMap(map);
      return refuse(name, value);
    default:
      break;
    }
    auto array = dyn_cast<ArrayAttr>(value);
    if (!array)
      return refuse(name, value);
    FieldSpec element = spec;
    element.repeated = false;
    for (Attribute attr : array)
      if (failed(checkField(element, attr)))
        return failure();
    return success();
  }

  switch (spec.kind) {
  case FieldKind::Int:
    return expect(isInt(value), name, value);
  case FieldKind::Float:
    return expect(isFloat(value), name, value);
  case FieldKind::Bool:
    return expect(isa<BoolAttr>(value), name, value);
  case FieldKind::String:
  case FieldKind::Enum:
  case FieldKind::Text:
    return expect(isa<StringAttr>(value), name, value);
  case FieldKind::Desc:
    if (auto desc = dyn_cast<DescAttr>(value))
      return checkDesc(name, desc.getType(), desc.getFields());
    return refuse(name, value);
  case FieldKind::Tensor:
    return checkMessage(name, value, [&](NamedAttribute entry) {
      Attribute part = entry.getValue();
      if (entry.getName() == "data")
        return expect(isa<StringAttr, DenseResourceElementsAttr>(part), "data",
                      part);
      if (auto desc = dyn_cast<DescAttr>(part);
          desc && entry.getName() == "desc")
        return checkDesc("desc", desc.getType(), desc.getFields());
      return refuse(name, value);
    });
  case FieldKind::Named:
    return checkMessage(name, value, [&](NamedAttribute entry) {
      auto map = dyn_cast<DictionaryAttr>(entry.getValue());
      if (map && entry.getName() == "attr")
        return checkAttrMap(map);
      return expect(isa<StringAttr>(entry.getValue()) &&
                        entry.getName() == "name",
                    name, value);
    });
  default:
    return refuse(name, value);
  }
}

LogicalResult Checker::checkAttr(StringRef name, Attribute attr) {
  if (auto value = dyn_cast<ValueAttr>(attr))
    return checkValue(name, value);
  return expect(isa<UnitAttr, BoolAttr, StringAttr, DenseI64ArrayAttr,
                    DenseF32ArrayAttr, DenseBoolArrayAttr>(attr) ||
                    isInt(attr) || isFloat(attr) || isArrayOfStrings(attr),
                name, attr);
}

LogicalResult Checker::checkValue(StringRef name, ValueAttr value) {
  StringRef kind = value.getKind();
  Attribute payload = value.getPayload();
  if (kind == UnknownKey)
    return expect(isArrayOfStrings(payload), name, value);
  if (kind == "list") {
    auto fields = dyn_cast<DictionaryAttr>(payload);
    return fields ? checkFields(listSpec, fields, {}) : refuse(name, value);
  }
  if (kind == "list_list_int" || kind == "list_list_float") {
    auto lists = dyn_cast<ArrayAttr>(payload);
    const bool holds =
        lists && (kind == "list_list_int"
                      ? llvm::all_of(lists, llvm::IsaPred<DenseI64ArrayAttr>)
                      : llvm::all_of(lists, llvm::IsaPred<DenseF32ArrayAttr>));
    return expect(holds, name, value);
  }
  const int index = attrSpec.find(kind);
  if (index < 0)
    return refuse(name, value);
  return checkField(attrSpec.fields[index], payload);
}

LogicalResult Checker::checkDesc(StringRef name, Type type,
                                 DictionaryAttr fields) {
  if (type) {
    auto tensor = dyn_cast<TensorType>(type);
    auto ranked = dyn_cast<RankedTensorType>(type);
    Attribute encoding = ranked ? ranked.getEncoding() : Attribute();
    if (!tensor || getDataTypeName(tensor.getElementType()).empty() ||
        (encoding && !isa<LayoutAttr>(encoding)))
      return op->emitError() << "'" << name << "' has the type " << type
                             << "; expected a tensor of a GE data type";
  }
  SmallVector<NamedAttribute> rest;
  for (NamedAttribute entry : fields) {
    StringRef key = entry.getName();
    if (key == NoShapeKey || key == UntypedOriginShapeKey)
      continue;
    if (key != "shape")
      rest.push_back(entry);
    else if (!isa<DenseI64ArrayAttr>(entry.getValue()))
      return refuse(key, entry.getValue());
  }
  return checkFields(descSpec, DictionaryAttr::get(op->getContext(), rest),
                     {"dtype"});
}

static LogicalResult checkNode(NodeOp node) {
  Checker checker(node);
  if (failed(checker.checkAttrMap(node.getAttrsAttr())) ||
      failed(checker.checkFields(nodeSpec, node.getFieldsAttr(),
                                 {"name", "type", "input", "attr", "id",
                                  "stream_id", "input_desc", "output_desc",
                                  "subgraph_name"})))
    return failure();
  DictionaryAttr none = DictionaryAttr::get(node.getContext());
  if (node.getInputDescs())
    for (unsigned i = 0, e = node.getInputDescs()->size(); i != e; ++i)
      if (failed(checker.checkDesc("input_desc", node.getAnchorType(i),
                                   node.getInputDesc(i).getFields())))
        return failure();
  for (auto [i, type] : llvm::enumerate(node.getOutputs().getTypes())) {
    DescAttr desc = node.getOutputDesc(i);
    if (failed(checker.checkDesc("output_desc", type,
                                 desc ? desc.getFields() : none)))
      return failure();
  }
  return success();
}

static LogicalResult checkGraph(GraphOp graph) {
  Checker checker(graph);
  if (failed(checker.checkAttrMap(graph.getAttrsAttr())) ||
      failed(checker.checkFields(graphSpec, graph.getFieldsAttr(),
                                 {"name", "op", "attr"})))
    return failure();
  for (Operation &op : graph.getBody().getOps()) {
    auto node = dyn_cast<NodeOp>(op);
    if (!node)
      return op.emitError()
             << "'" << op.getName()
             << "' has no form in graph text; expected only ge.node in the "
                "graph (remove instrumentation with npu-strip-instrumentation)";
    if (failed(checkNode(node)))
      return failure();
  }
  return success();
}

LogicalResult npu::ge::checkExportable(ModuleOp module) {
  unsigned graphs = 0;
  for (Operation &op : module.getOps()) {
    auto graph = dyn_cast<GraphOp>(op);
    if (!graph)
      return op.emitError() << "'" << op.getName()
                            << "' has no form in graph text; expected only "
                               "ge.graph in the module";
    if (failed(checkGraph(graph)))
      return failure();
    ++graphs;
  }
  if (module->hasAttr(BareGraphAttrName) && graphs != 1)
    return module.emitError() << "has '" << BareGraphAttrName << "' and "
                              << graphs << " graphs; expected one graph";
  return Checker(module).checkFields(
      modelSpec, module->getAttrOfType<DictionaryAttr>(ModelAttrName),
      {"graph"});
}
