//===- OnnxConversion.cpp - Nodes of ge_onnx text -------------------------===//

#include "OnnxConversion.h"

#include "JsonReader.h"
#include "Schema.h"
#include "StringLiteral.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace llvm;
using namespace npu::ge;

namespace {

using Kind = TextField::Kind;

/// An attribute of a node.
struct OnnxAttribute {
  StringRef name;
  TextPosition position;
  StringRef type;               ///< INT, FLOATS...
  SmallVector<uint32_t> values; ///< fields with a value
};

/// Appends fields to a tree.
class TreeWriter {
public:
  explicit TreeWriter(TextTree &tree) : tree(tree) {}

  uint32_t begin(StringRef name, TextPosition position) {
    add(name, Kind::Message, "", position);
    return static_cast<uint32_t>(tree.size()) - 1;
  }
  void end(uint32_t message) {
    tree[message].next = static_cast<uint32_t>(tree.size());
  }
  void add(StringRef name, Kind kind, StringRef value, TextPosition position) {
    TextField field;
    field.name = name;
    field.kind = kind;
    field.value = value;
    field.text = value;
    field.position = position;
    field.next = static_cast<uint32_t>(tree.size()) + 1;
    tree.push_back(field);
  }
  /// A copy of the value at \p from, under another name.
  void copy(StringRef name, const TextField &from) {
    add(name, from.kind, from.value, from.position);
  }

private:
  TextTree &tree;
};

/// A kind of attribute: the field with its values, and what it is in an
/// AttrDef.
struct AttributeRow {
  StringLiteral type;
  StringLiteral onnxField;
  StringLiteral geField;
  StringLiteral listType; ///< empty for a single value
  StringLiteral zero = "0";
};
constexpr AttributeRow attributeRows[] = {
    {"INT", "i", "i", ""},
    {"FLOAT", "f", "f", ""},
    {"STRING", "s", "s", "", "\"\""},
    {"INTS", "ints", "i", "VT_LIST_INT"},
    {"FLOATS", "floats", "f", "VT_LIST_FLOAT"},
    {"STRINGS", "strings", "s", "VT_LIST_STRING"},
};

const AttributeRow *findRow(StringRef type) {
  const AttributeRow *row = find_if(
      attributeRows, [&](const AttributeRow &row) { return row.type == type; });
  return row == std::end(attributeRows) ? nullptr : row;
}

class NodeConverter {
public:
  NodeConverter(const TextTree &tree, uint32_t index, StringSaver &saver,
                TextTree &op, ConversionFault &fault)
      : tree(tree), index(index), saver(saver), op(op), writer(op),
        fault(fault) {}

  LogicalResult run();

private:
  LogicalResult fail(TextPosition position, const Twine &message) {
    fault = {message.str(), position};
    return failure();
  }
  StringRef decode(StringRef literal) {
    StringRef text = decodeString(literal, storage);
    return !storage.empty() && text.data() == storage.data() ? saver.save(text)
                                                             : text;
  }
  /// \p text as a literal.
  StringRef quote(StringRef text) {
    std::string literal = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\')
        literal += '\\';
      literal += c;
    }
    return saver.save(literal + "\"");
  }

  LogicalResult readAttribute(uint32_t at);
  LogicalResult sortAttribute(const OnnxAttribute &attribute);
  void writeEntry(StringRef key, const OnnxAttribute &attribute);
  /// The values of \p attribute as fields called \p name.
  void writeField(StringRef name, const OnnxAttribute &attribute, bool isFlag);
  void writeTensor(StringRef name);
  LogicalResult writeDesc(StringRef message, unsigned number);
  void writeDescFields(StringRef side, unsigned number);
  LogicalResult writeJsonDesc(StringRef message,
                              const OnnxAttribute &attribute);

  const TextTree &tree;
  const uint32_t index;
  StringSaver &saver;
  TextTree &op;
  TreeWriter writer;
  ConversionFault &fault;
  SmallVector<char, 0> storage;

  MapVector<StringRef, OnnxAttribute> attributes;
  std::array<int64_t, 2> counts = {0, 0}; ///< descriptors of inputs, outputs
};

constexpr StringLiteral sides[] = {"input_desc", "output_desc"};

} // namespace

LogicalResult NodeConverter::readAttribute(uint32_t at) {
  OnnxAttribute attribute;
  attribute.position = tree[at].position;
  for (uint32_t i = at + 1; i != tree[at].next; i = tree[i].next) {
    StringRef name = tree[i].name;
    if (name == "name" && tree[i].kind == Kind::String) {
      attribute.name = decode(tree[i].value);
    } else if (name == "type") {
      attribute.type = tree[i].value;
    } else if (tree[i].kind == Kind::List) { // ints: [1, 2]
      for (uint32_t element = i + 1; element != tree[i].next;
           element = tree[element].next)
        attribute.values.push_back(element);
    } else {
      attribute.values.push_back(i);
    }
  }
  if (attribute.name.empty())
    return fail(tree[at].position, "expected a name in an attribute");
  const AttributeRow *row = findRow(attribute.type);
  // Tensors and graphs are of no use in a node.
  if (!row)
    return attribute.type.empty()
               ? fail(tree[at].position, "attribute '" + attribute.name +
                                             "' has no type; expected INT, "
                                             "INTS, STRING...")
               : success();
  for (uint32_t value : attribute.values)
    if ((tree[value].kind == Kind::String) != row->zero.starts_with("\"") &&
        !(row->geField == "s" && tree[value].kind == Kind::String))
      return fail(tree[value].position, "attribute '" + attribute.name +
                                            "' is of type " + attribute.type +
                                            ", but has another value");
  attributes[attribute.name] = std::move(attribute);
  return success();
}

void NodeConverter::writeField(StringRef name, const OnnxAttribute &attribute,
                               bool isFlag) {
  for (uint32_t value : attribute.values) {
    if (isFlag && tree[value].kind == Kind::Scalar)
      writer.add(name, Kind::Scalar,
                 tree[value].value == "0" ? "false" : "true",
                 tree[value].position);
    else
      writer.copy(name, tree[value]);
  }
}

/// Writes an entry of an attribute map.
void NodeConverter::writeEntry(StringRef key, const OnnxAttribute &attribute) {
  const AttributeRow *row = findRow(attribute.type);
  const uint32_t entry = writer.begin("attr", attribute.position);
  writer.add("key", Kind::String, quote(key), attribute.position);
  const uint32_t value = writer.begin("value", attribute.position);
  if (!row->listType.empty()) {
    const uint32_t list = writer.begin("list", attribute.position);
    writeField(row->geField, attribute, false);
    writer.add("val_type", Kind::Scalar, row->listType, attribute.position);
    writer.end(list);
  } else if (attribute.values.empty()) {
    writer.add(row->geField, Kind::Scalar, row->zero, attribute.position);
    if (row->geField == "s")
      op.back().kind = Kind::String;
  } else {
    writer.copy(row->geField, tree[attribute.values.back()]);
  }
  writer.end(value);
  writer.end(entry);
}

/// A tensor that is spread over NAME_desc_dtype, NAME_data...
void NodeConverter::writeTensor(StringRef name) {
  const TextPosition position =
      attributes.find((name + "_desc_dtype").str())->second.position;
  const uint32_t entry = writer.begin("attr", position);
  writer.add("key", Kind::String, quote(name), position);
  const uint32_t value = writer.begin("value", position);
  const uint32_t tensor = writer.begin("t", position);
  const uint32_t desc = writer.begin("desc", position);
  auto field = [&](StringRef suffix) -> const OnnxAttribute * {
    auto it = attributes.find((name + suffix).str());
    return it == attributes.end() ? nullptr : &it->second;
  };
  if (auto *dtype = field("_desc_dtype"); dtype && !dtype->values.empty())
    writer.add("dtype", Kind::Scalar, decode(tree[dtype->values.front()].value),
               dtype->position);
  if (auto *shape = field("_desc_shape")) {
    const uint32_t message = writer.begin("shape", shape->position);
    writeField("dim", *shape, false);
    writer.end(message);
  }
  for (StringRef text : {"layout", "device_type"})
    if (auto *given = field(("_desc_" + text).str()))
      writeField(text, *given, false);
  writer.end(desc);
  if (auto *data = field("_data"))
    writeField("data", *data, false);
  writer.end(tensor);
  writer.end(value);
  writer.end(entry);
}

/// What "input_desc_FIELD:NUMBER" and "input_desc_attr_NAME:NUMBER" say.
void NodeConverter::writeDescFields(StringRef side, unsigned number) {
  const std::string suffix = ":" + std::to_string(number);
  auto field = [&](const Twine &name) -> const OnnxAttribute * {
    auto it = attributes.find((side + "_" + name + suffix).str());
    return it == attributes.end() ? nullptr : &it->second;
  };
  for (const FieldSpec &spec : descSpec.fields) {
    if (spec.name == "attr") {
      const OnnxAttribute *shape = field("attr_origin_shape");
      if (!shape)
        shape = field("origin_shape");
      // An origin without dimensions is not set, or a scalar.
      if (shape && !shape->values.empty())
        writeEntry("origin_shape", *shape);
      const OnnxAttribute *format = field("attr_origin_format");
      if (!format)
        format = field("origin_layout");
      if (format && !format->values.empty() &&
          !decode(tree[format->values.front()].value).empty())
        writeEntry("origin_format", *format);
      continue;
    }
    const OnnxAttribute *given = field(spec.name);
    if (!given)
      continue;
    if (spec.kind == FieldKind::Shape) {
      const uint32_t message = writer.begin("shape", given->position);
      writeField("dim", *given, false);
      writer.end(message);
    } else if (spec.kind == FieldKind::Enum) {
      if (!given->values.empty())
        writer.add(spec.name, Kind::Scalar,
                   decode(tree[given->values.front()].value), given->position);
    } else {
      writeField(spec.name, *given, spec.kind == FieldKind::Bool);
    }
  }
  // Attributes of the descriptor, and rows of those that are lists of lists.
  const std::string prefix = (side + "_attr_").str();
  StringRef rowsOf;
  uint32_t entry = 0, value = 0, lists = 0;
  auto closeRows = [&] {
    if (rowsOf.empty())
      return;
    writer.end(lists);
    writer.end(value);
    writer.end(entry);
    rowsOf = "";
  };
  for (const auto &[name, attribute] : attributes) {
    if (!name.starts_with(prefix))
      continue;
    auto [key, place] = name.drop_front(prefix.size()).rsplit(':');
    auto [owner, row] = place.split('_');
    unsigned given;
    if (owner.getAsInteger(10, given) || given != number)
      continue;
    if (row.empty()) {
      closeRows();
      if (key != "origin_shape" && key != "origin_format")
        writeEntry(key, attribute);
      continue;
    }
    if (rowsOf != key) {
      closeRows();
      rowsOf = key;
      entry = writer.begin("attr", attribute.position);
      writer.add("key", Kind::String, quote(key), attribute.position);
      value = writer.begin("value", attribute.position);
      lists = writer.begin("list_list_int", attribute.position);
    }
    const uint32_t list = writer.begin("list_list_i", attribute.position);
    writeField("list_i", attribute, false);
    writer.end(list);
  }
  closeRows();
}

/// A descriptor that is a string of JSON: what nodes with many ports have.
LogicalResult NodeConverter::writeJsonDesc(StringRef message,
                                           const OnnxAttribute &attribute) {
  const TextField &literal = tree[attribute.values.front()];
  TextTree json;
  std::string what;
  TextPosition at;
  StringRef text = saver.save(decode(literal.value));
  if (failed(readJson(text, json, what, at)))
    return fail(literal.position, "the JSON of attribute '" + attribute.name +
                                      "', at its byte " + Twine(at.column) +
                                      ": " + what);
  const uint32_t base = static_cast<uint32_t>(op.size());
  for (TextField field : json) {
    field.next += base;
    field.position = literal.position;
    op.push_back(field);
  }
  op[base].name = message;
  return success();
}

LogicalResult NodeConverter::writeDesc(StringRef side, unsigned number) {
  auto whole = attributes.find((side + "_" + Twine(number)).str());
  if (whole != attributes.end() && !whole->second.values.empty())
    return writeJsonDesc(side, whole->second);
  const uint32_t message = writer.begin(side, tree[index].position);
  writeDescFields(side, number);
  writer.end(message);
  return success();
}

/// Whether an attribute says something about a descriptor.
static bool isOfDesc(StringRef name) {
  for (StringRef side : sides) {
    StringRef rest = name;
    if (!rest.consume_front(side))
      continue;
    if (rest == "_nums" || rest.contains(':'))
      return true;
    if (rest.consume_front("_") && !rest.empty() && all_of(rest, isDigit))
      return true;
  }
  return false;
}

LogicalResult NodeConverter::run() {
  const uint32_t node = writer.begin("op", tree[index].position);
  StringRef name;
  bool isCall = false;
  for (uint32_t i = index + 1; i != tree[index].next; i = tree[i].next) {
    const TextField &field = tree[i];
    if (field.name == "name" || field.name == "input") {
      writer.copy(field.name, field);
      if (field.name == "name" && field.kind == Kind::String)
        name = decode(field.value);
    } else if (field.name == "op_type") {
      if (field.kind != Kind::String)
        return fail(field.position, "expected a string as op_type");
      StringRef type = decode(field.value);
      if (!type.consume_front("ge:"))
        return fail(field.position, "op_type is '" + type +
                                        "'; expected one that begins with "
                                        "'ge:', as GE writes it");
      isCall = type.ends_with("PartitionedCall");
      writer.add("type", Kind::String, quote(type), field.position);
    } else if (field.name == "attribute") {
      if (field.kind != Kind::Message)
        return fail(field.position, "expected '{' after 'attribute'");
      if (failed(readAttribute(i)))
        return failure();
    }
    // Outputs follow from their readers.
  }

  for (auto [side, count] : zip_equal(sides, counts))
    if (auto it = attributes.find((side + "_nums").str());
        it != attributes.end() && !it->second.values.empty() &&
        (tree[it->second.values.front()].value.getAsInteger(10, count) ||
         count < 0 || count > int64_t(tree.size())))
      return fail(it->second.position, side + "_nums is no number of "
                                              "descriptors of this node");
  for (const auto &[key, attribute] : attributes) {
    if (isOfDesc(key))
      continue;
    const int field = nodeSpec.find(key);
    if (field >= 0 && key != "name" && key != "type" && key != "input" &&
        key != "attr") {
      writeField(key, attribute,
                 nodeSpec.fields[field].kind == FieldKind::Bool);
      continue;
    }
    // Parts of a tensor are written together, at the first of them.
    bool isPart = false;
    for (StringRef suffix : {"_desc_dtype", "_desc_shape", "_desc_layout",
                             "_desc_device_type", "_data"}) {
      StringRef tensor = key;
      if (!tensor.consume_back(suffix) ||
          !attributes.contains((tensor + "_desc_dtype").str()))
        continue;
      isPart = true;
      if (suffix == "_desc_dtype")
        writeTensor(tensor);
    }
    if (!isPart)
      writeEntry(key, attribute);
  }
  for (auto [side, count] : zip_equal(sides, counts))
    for (int64_t number = 0; number != count; ++number)
      if (failed(writeDesc(side, static_cast<unsigned>(number))))
        return failure();
  if (const size_t at = name.rfind("_PartitionedCall");
      isCall && at != StringRef::npos)
    writer.add("subgraph_name", Kind::String, quote(name.take_front(at)),
               tree[index].position);
  writer.end(node);
  return success();
}

LogicalResult npu::ge::convertOnnxNode(const TextTree &tree, uint32_t index,
                                       StringSaver &saver, TextTree &op,
                                       ConversionFault &fault) {
  if (tree[index].kind != Kind::Message) {
    fault = {"expected '{' after 'node'", tree[index].position};
    return failure();
  }
  return NodeConverter(tree, index, saver, op, fault).run();
}

uint32_t npu::ge::findOnnxSubgraph(const TextTree &tree, uint32_t index) {
  bool isSubgraph = false;
  uint32_t graph = 0;
  for (uint32_t i = index + 1; i < tree[index].next; i = tree[i].next) {
    if (tree[i].name == "op_type")
      isSubgraph = tree[i].value == "\"subgraph\"";
    if (tree[i].name != "attribute")
      continue;
    for (uint32_t part = i + 1; part < tree[i].next; part = tree[part].next)
      if (tree[part].name == "g" && tree[part].kind == Kind::Message)
        graph = part;
  }
  return isSubgraph ? graph : 0;
}
