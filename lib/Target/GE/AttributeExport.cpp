//===- AttributeExport.cpp - Attributes to messages -----------------------===//

#include "AttributeConversion.h"

#include "npu/Dialect/GE/IR/ElementTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace npu::ge;

void AttributeExporter::exportFields(const MessageSpec &spec,
                                     DictionaryAttr dict, Hook hook) {
  for (auto [index, field] : llvm::enumerate(spec.fields)) {
    if (hook)
      hook(index);
    if (!dict || field.kind == FieldKind::Shape) // exportDesc writes shapes
      continue;
    if (Attribute value = dict.get(field.name))
      exportField(field, value);
  }
  if (!dict)
    return;
  if (auto unknown = dict.getAs<ArrayAttr>(UnknownKey))
    for (auto text : unknown.getAsRange<StringAttr>())
      writer.writeRaw(text);
}

void AttributeExporter::exportMapEntry(StringRef name, StringRef key,
                                       llvm::function_ref<void()> value) {
  writer.writeMessage(name, [&] {
    writer.writeString("key", key);
    writer.writeMessage("value", value);
  });
}

void AttributeExporter::exportAttrMap(StringRef name, DictionaryAttr map) {
  for (NamedAttribute entry : map)
    exportMapEntry(name, entry.getName(),
                   [&] { exportAttr(entry.getValue()); });
}

void AttributeExporter::exportField(const FieldSpec &spec, Attribute value) {
  if (spec.repeated) {
    if (auto ints = dyn_cast<DenseI64ArrayAttr>(value)) {
      for (int64_t element : ints.asArrayRef())
        writer.writeInt(spec.name, element);
      return;
    }
    if (auto floats = dyn_cast<DenseF32ArrayAttr>(value)) {
      for (float element : floats.asArrayRef())
        writer.writeFloat(spec.name, element);
      return;
    }
    if (auto bools = dyn_cast<DenseBoolArrayAttr>(value)) {
      for (bool element : bools.asArrayRef())
        writer.writeBool(spec.name, element);
      return;
    }
    if (spec.kind == FieldKind::AttrMap) {
      exportAttrMap(spec.name, cast<DictionaryAttr>(value));
      return;
    }
    FieldSpec element = spec;
    element.repeated = false;
    for (Attribute attr : cast<ArrayAttr>(value))
      exportField(element, attr);
    return;
  }

  switch (spec.kind) {
  case FieldKind::Int:
    return writer.writeInt(spec.name, cast<IntegerAttr>(value).getInt());
  case FieldKind::Float:
    return writer.writeFloat(
        spec.name, cast<FloatAttr>(value).getValue().convertToFloat());
  case FieldKind::Bool:
    return writer.writeBool(spec.name, cast<BoolAttr>(value).getValue());
  case FieldKind::String:
    return writer.writeString(spec.name, cast<StringAttr>(value));
  case FieldKind::Enum:
    return writer.writeToken(spec.name, cast<StringAttr>(value));
  case FieldKind::Text:
    return writer.writeRaw(cast<StringAttr>(value));
  case FieldKind::Desc: {
    auto desc = cast<DescAttr>(value);
    return writer.writeMessage(
        spec.name, [&] { exportDesc(desc.getType(), desc.getFields()); });
  }
  case FieldKind::Tensor:
    return writer.writeMessage(
        spec.name, [&] { exportTensor(cast<DictionaryAttr>(value)); });
  case FieldKind::Named:
    return writer.writeMessage(
        spec.name, [&] { exportNamed(cast<DictionaryAttr>(value)); });
  default:
    llvm_unreachable("written by exportAttr and exportDesc");
  }
}

void AttributeExporter::exportNamed(DictionaryAttr named) {
  if (auto name = named.getAs<StringAttr>("name"))
    writer.writeString("name", name);
  if (auto attrs = named.getAs<DictionaryAttr>("attr"))
    exportAttrMap("attr", attrs);
  if (auto unknown = named.getAs<ArrayAttr>(UnknownKey))
    for (auto text : unknown.getAsRange<StringAttr>())
      writer.writeRaw(text);
}

void AttributeExporter::exportTensor(DictionaryAttr tensor) {
  if (auto desc = tensor.getAs<DescAttr>("desc"))
    writer.writeMessage("desc",
                        [&] { exportDesc(desc.getType(), desc.getFields()); });
  Attribute data = tensor.get("data");
  if (auto string = dyn_cast_or_null<StringAttr>(data)) {
    writer.writeString("data", string);
  } else if (auto resource =
                 dyn_cast_or_null<DenseResourceElementsAttr>(data)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      ArrayRef<char> bytes = blob->getData();
      writer.writeString("data", StringRef(bytes.data(), bytes.size()));
    }
  }
  if (auto unknown = tensor.getAs<ArrayAttr>(UnknownKey))
    for (auto text : unknown.getAsRange<StringAttr>())
      writer.writeRaw(text);
}

void AttributeExporter::exportAttr(Attribute attr) {
  auto writeList = [&](StringRef valType, auto &&elements) {
    writer.writeMessage("list", [&] {
      elements();
      writer.writeToken("val_type", valType);
    });
  };
  if (isa<UnitAttr>(attr))
    return;
  if (auto string = dyn_cast<StringAttr>(attr))
    return writer.writeString("s", string);
  if (auto boolean = dyn_cast<BoolAttr>(attr))
    return writer.writeBool("b", boolean.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return writer.writeInt("i", integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attr))
    return writer.writeFloat("f", number.getValue().convertToFloat());
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attr))
    return writeList("VT_LIST_INT", [&] {
      for (int64_t element : ints.asArrayRef())
        writer.writeInt("i", element);
    });
  if (auto floats = dyn_cast<DenseF32ArrayAttr>(attr))
    return writeList("VT_LIST_FLOAT", [&] {
      for (float element : floats.asArrayRef())
        writer.writeFloat("f", element);
    });
  if (auto bools = dyn_cast<DenseBoolArrayAttr>(attr))
    return writeList("VT_LIST_BOOL", [&] {
      for (bool element : bools.asArrayRef())
        writer.writeBool("b", element);
    });
  if (auto strings = dyn_cast<ArrayAttr>(attr))
    return writeList("VT_LIST_STRING", [&] {
      for (auto element : strings.getAsRange<StringAttr>())
        writer.writeString("s", element);
    });

  auto value = cast<ValueAttr>(attr);
  StringRef kind = value.getKind();
  Attribute payload = value.getPayload();
  if (kind == UnknownKey) {
    for (auto text : cast<ArrayAttr>(payload).getAsRange<StringAttr>())
      writer.writeRaw(text);
    return;
  }
  if (kind == "list")
    return writer.writeMessage(
        "list", [&] { exportFields(listSpec, cast<DictionaryAttr>(payload)); });
  if (kind == "list_list_int" || kind == "list_list_float") {
    const bool floats = kind == "list_list_float";
    return writer.writeMessage(kind, [&] {
      for (Attribute list : cast<ArrayAttr>(payload))
        writer.writeMessage(floats ? "list_list_f" : "list_list_i", [&] {
          exportField({floats ? llvm::StringLiteral("list_f")
                              : llvm::StringLiteral("list_i"),
                       floats ? FieldKind::Float : FieldKind::Int, true},
                      list);
        });
    });
  }
  exportField(attrSpec.fields[attrSpec.find(kind)], payload);
}

void AttributeExporter::exportDesc(Type type, DictionaryAttr rest) {
  auto ranked = dyn_cast_or_null<RankedTensorType>(type);
  auto layout = ranked ? dyn_cast_or_null<LayoutAttr>(ranked.getEncoding())
                       : LayoutAttr();
  auto writeShape = [&](ArrayRef<int64_t> dims) {
    writer.writeMessage("shape", [&] {
      for (int64_t dim : dims)
        writer.writeInt("dim", ShapedType::isDynamic(dim) ? -1 : dim);
    });
  };
  exportFields(descSpec, rest.empty() ? nullptr : rest, [&](unsigned index) {
    StringRef name = descSpec.fields[index].name;
    if (name == "dtype" && type) {
      StringRef dataType =
          getDataTypeName(cast<TensorType>(type).getElementType());
      if (dataType != "DT_UNDEFINED")
        writer.writeToken("dtype", dataType);
    } else if (name == "shape" && type && !rest.contains(NoShapeKey)) {
      if (auto dims = rest.getAs<DenseI64ArrayAttr>("shape"))
        writeShape(dims);
      else if (ranked)
        writeShape(ranked.getShape());
      else
        writeShape({-2});
    } else if (name == "layout" && layout && !layout.getFormat().empty()) {
      writer.writeString("layout", layout.getFormat());
    } else if (name == "attr" && layout) {
      if (layout.getOriginFormat())
        exportMapEntry("attr", "origin_format", [&] {
          writer.writeString("s", layout.getOriginFormat());
        });
      if (layout.getOriginShape())
        exportMapEntry("attr", "origin_shape", [&] {
          writer.writeMessage("list", [&] {
            for (int64_t dim : layout.getOriginShape().asArrayRef())
              writer.writeInt("i", dim);
            if (!rest.contains(UntypedOriginShapeKey))
              writer.writeToken("val_type", "VT_LIST_INT");
          });
        });
    }
  });
}
