//===- AttributeImport.cpp - Messages to attributes -----------------------===//

#include "AttributeConversion.h"

#include "StringLiteral.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemAlloc.h"

#include <charconv>
#include <cstdlib>

using namespace mlir;
using namespace npu::ge;

/// Attribute messages nested deeper than this are refused: their conversion is
/// recursive. (Fields that are kept as text nest to any depth.)
static constexpr unsigned MaxDepth = 256;

AttributeImporter::AttributeImporter(MLIRContext *context, StringRef fileName,
                                     bool strict)
    : builder(context), fileName(builder.getStringAttr(fileName)),
      strict(strict) {}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

Location AttributeImporter::getLoc(TextPosition position) {
  return FileLineColLoc::get(fileName, position.line, position.column);
}

InFlightDiagnostic AttributeImporter::emitError(TextPosition position) {
  return mlir::emitError(getLoc(position));
}

InFlightDiagnostic AttributeImporter::emitWarning(TextPosition position) {
  return mlir::emitWarning(getLoc(position));
}

LogicalResult AttributeImporter::reportUnknown(const MessageSpec &spec,
                                               const TextField &field) {
  if (strict)
    return emitError(field.position)
           << "unknown field '" << field.name << "' of " << spec.name;
  emitWarning(field.position) << "unknown field '" << field.name << "' of "
                              << spec.name << " is kept as text";
  return success();
}

LogicalResult AttributeImporter::reportUnknowns(const MessageSpec &spec,
                                                TextRange range) {
  return range.forEach([&](const TextField &field, TextRange) {
    return spec.find(field.name) < 0 ? reportUnknown(spec, field) : success();
  });
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// What a message says was found.
static StringRef describe(const TextField &field) {
  switch (field.kind) {
  case TextField::Kind::Message:
    return "a message";
  case TextField::Kind::List:
    return "a list";
  default:
    return field.value.take_front(40);
  }
}

FailureOr<StringAttr> AttributeImporter::importString(const TextField &field) {
  if (field.kind != TextField::Kind::String)
    return emitError(field.position) << "expected a string in quotes";
  return builder.getStringAttr(decodeString(field.value, storage));
}

FailureOr<int64_t> AttributeImporter::importInt(const TextField &field) {
  StringRef digits = field.value;
  bool negative = digits.consume_front("-");
  digits = digits.ltrim();
  uint64_t magnitude = 0;
  if (field.kind != TextField::Kind::Scalar || digits.empty() ||
      digits.getAsInteger(0, magnitude) ||
      magnitude > INT64_MAX + uint64_t(negative))
    return emitError(field.position)
           << "expected a 64-bit integer, found " << describe(field);
  return static_cast<int64_t>(negative ? -magnitude : magnitude);
}

FailureOr<bool> AttributeImporter::importBool(const TextField &field) {
  if (field.kind == TextField::Kind::Scalar) {
    if (field.value == "true" || field.value == "True" || field.value == "t" ||
        field.value == "1")
      return true;
    if (field.value == "false" || field.value == "False" ||
        field.value == "f" || field.value == "0")
      return false;
  }
  return emitError(field.position)
         << "expected true or false, found " << describe(field);
}

FailureOr<float> AttributeImporter::importFloat(const TextField &field) {
  StringRef digits = field.value;
  bool negative = digits.consume_front("-");
  digits = digits.ltrim();
  if (digits.ends_with_insensitive("f") && !digits.ends_with_insensitive("inf"))
    digits = digits.drop_back();
  // Through double, as protobuf reads it.
  double value = 0;
  auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  bool outOfRange = error == std::errc::result_out_of_range;
  if (field.kind != TextField::Kind::Scalar || end != digits.end() ||
      digits.empty() || (error != std::errc() && !outOfRange))
    return emitError(field.position)
           << "expected a number, found " << describe(field);
  if (outOfRange)
    digits.getAsDouble(value);
  return static_cast<float>(negative ? -value : value);
}

FailureOr<StringRef> AttributeImporter::importEnum(const TextField &field) {
  if (quotedEnumerators && field.kind == TextField::Kind::String)
    return field.value.drop_front().drop_back();
  if (field.kind != TextField::Kind::Scalar)
    return emitError(field.position)
           << "expected an enumerator, found " << describe(field);
  return field.value;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

LogicalResult AttributeImporter::expectMessage(const TextField &field,
                                               StringRef name) {
  if (field.kind == TextField::Kind::Message)
    return success();
  return emitError(field.position) << "expected a message in braces for '"
                                   << name << "', found " << describe(field);
}

StringAttr AttributeImporter::getFieldName(const FieldSpec &spec) {
  StringAttr &name = fieldNames[&spec];
  if (!name)
    name = builder.getStringAttr(spec.name);
  return name;
}

DictionaryAttr
AttributeImporter::makeDictionary(SmallVectorImpl<NamedAttribute> &entries) {
  SmallVector<NamedAttribute, 48> sorted(entries.begin(), entries.end());
  auto sameName = [](const NamedAttribute &a, const NamedAttribute &b) {
    return a.getName() == b.getName();
  };
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end(), sameName) !=
      sorted.end()) {
    // A key that repeats has its last value.
    llvm::DenseSet<StringAttr> seen;
    sorted.clear();
    for (NamedAttribute entry : llvm::reverse(entries))
      if (seen.insert(entry.getName()).second)
        sorted.push_back(entry);
    llvm::sort(sorted);
  }
  return DictionaryAttr::getWithSorted(builder.getContext(), sorted);
}

namespace {
/// Values of a repeated field, in the order of the text.
struct RepeatedValues {
  unsigned index;
  SmallVector<int64_t, 4> ints;
  SmallVector<float, 0> floats;
  SmallVector<bool, 4> bools;
  SmallVector<Attribute, 4> attrs;
  SmallVector<NamedAttribute, 0> entries;
};
} // namespace

FailureOr<Attribute> AttributeImporter::importScalar(const FieldSpec &spec,
                                                     const TextField &field,
                                                     TextRange children) {
  auto toAttr = [](auto result) -> FailureOr<Attribute> {
    if (failed(result))
      return failure();
    return Attribute(*result);
  };
  switch (spec.kind) {
  case FieldKind::Int: {
    FailureOr<int64_t> value = importInt(field);
    if (failed(value))
      return failure();
    return Attribute(builder.getI64IntegerAttr(*value));
  }
  case FieldKind::Bool: {
    FailureOr<bool> value = importBool(field);
    if (failed(value))
      return failure();
    return Attribute(builder.getBoolAttr(*value));
  }
  case FieldKind::Float: {
    FailureOr<float> value = importFloat(field);
    if (failed(value))
      return failure();
    return Attribute(builder.getF32FloatAttr(*value));
  }
  case FieldKind::String:
    return toAttr(importString(field));
  case FieldKind::Enum: {
    FailureOr<StringRef> value = importEnum(field);
    if (failed(value))
      return failure();
    return Attribute(builder.getStringAttr(*value));
  }
  case FieldKind::Text:
    return Attribute(builder.getStringAttr(field.text));
  default:
    break;
  }
  if (failed(expectMessage(field, spec.name)))
    return failure();
  switch (spec.kind) {
  case FieldKind::Desc: {
    Type type;
    DictionaryAttr rest;
    if (failed(importDesc(children, type, rest)))
      return failure();
    return Attribute(DescAttr::get(builder.getContext(), type, rest));
  }
  case FieldKind::Tensor:
    return importTensor(children);
  case FieldKind::Named:
    return importNamed(children);
  case FieldKind::List:
    return importList(children);
  case FieldKind::IntLists:
    return importLists(children, /*floats=*/false);
  case FieldKind::FloatLists:
    return importLists(children, /*floats=*/true);
  default:
    return emitError(field.position)
           << "unexpected message '" << spec.name << "'";
  }
}

/// Whether proto3 does not tell \p value from an absent field.
static bool isDefault(FieldKind kind, Attribute value) {
  switch (kind) {
  case FieldKind::Int:
    return cast<IntegerAttr>(value).getInt() == 0;
  case FieldKind::Bool:
    return !cast<BoolAttr>(value).getValue();
  case FieldKind::String:
    return cast<StringAttr>(value).empty();
  default:
    return false;
  }
}

FailureOr<DictionaryAttr>
AttributeImporter::importFields(const MessageSpec &spec, TextRange range,
                                Hook hook, bool reportUnknowns) {
  SmallVector<NamedAttribute, 16> entries;
  SmallVector<RepeatedValues, 2> repeated;
  SmallVector<Attribute, 0> unknown;

  auto importOne = [&](const FieldSpec &field, unsigned index,
                       const TextField &text,
                       TextRange children) -> LogicalResult {
    if (!field.repeated) {
      FailureOr<Attribute> value = importScalar(field, text, children);
      if (failed(value))
        return failure();
      StringAttr name = getFieldName(field);
      llvm::erase_if(entries, [&](NamedAttribute entry) {
        return entry.getName() == name; // the last one wins
      });
      if (!isDefault(field.kind, *value))
        entries.emplace_back(name, *value);
      return success();
    }
    auto *values = llvm::find_if(repeated, [&](const RepeatedValues &values) {
      return values.index == index;
    });
    if (values == repeated.end()) {
      repeated.emplace_back().index = index;
      values = &repeated.back();
    }
    switch (field.kind) {
    case FieldKind::Int: {
      FailureOr<int64_t> value = importInt(text);
      values->ints.push_back(succeeded(value) ? *value : 0);
      return value;
    }
    case FieldKind::Float: {
      FailureOr<float> value = importFloat(text);
      values->floats.push_back(succeeded(value) ? *value : 0);
      return value;
    }
    case FieldKind::Bool: {
      FailureOr<bool> value = importBool(text);
      values->bools.push_back(succeeded(value) ? *value : false);
      return value;
    }
    case FieldKind::AttrMap:
      return importMapEntry(text, children, values->entries);
    default: {
      FailureOr<Attribute> value = importScalar(field, text, children);
      values->attrs.push_back(succeeded(value) ? *value : Attribute());
      return value;
    }
    }
  };

  LogicalResult result = range.forEach(
      [&](const TextField &text, TextRange children) -> LogicalResult {
        int index = spec.find(text.name);
        if (index < 0) {
          unknown.push_back(builder.getStringAttr(text.text));
          return reportUnknowns ? reportUnknown(spec, text) : success();
        }
        const FieldSpec &field = spec.fields[index];
        if (!field.repeated && text.kind == TextField::Kind::List)
          return emitError(text.position) << "expected one value for '"
                                          << field.name << "', found a list";
        return forEachValue(
            text, children,
            [&](const TextField &value, TextRange children) -> LogicalResult {
              if (isMessage(field.kind) &&
                  failed(expectMessage(value, field.name)))
                return failure();
              bool handled = false;
              if (hook && failed(hook(index, value, children, handled)))
                return failure();
              if (handled)
                return success();
              return importOne(field, index, value, children);
            });
      });
  if (failed(result))
    return failure();

  for (RepeatedValues &values : repeated) {
    const FieldSpec &field = spec.fields[values.index];
    Attribute attr;
    switch (field.kind) {
    case FieldKind::Int:
      attr = builder.getDenseI64ArrayAttr(values.ints);
      break;
    case FieldKind::Float:
      attr = builder.getDenseF32ArrayAttr(values.floats);
      break;
    case FieldKind::Bool:
      attr = builder.getDenseBoolArrayAttr(values.bools);
      break;
    case FieldKind::AttrMap:
      attr = makeDictionary(values.entries);
      break;
    default:
      attr = builder.getArrayAttr(values.attrs);
      break;
    }
    entries.emplace_back(getFieldName(field), attr);
  }
  if (!unknown.empty())
    entries.emplace_back(builder.getStringAttr(UnknownKey),
                         builder.getArrayAttr(unknown));
  return makeDictionary(entries);
}

LogicalResult
AttributeImporter::importMapEntry(const TextField &entry, TextRange range,
                                  SmallVectorImpl<NamedAttribute> &entries) {
  StringAttr key = builder.getStringAttr("");
  Attribute value = builder.getUnitAttr();
  LogicalResult result = range.forEach(
      [&](const TextField &field, TextRange children) -> LogicalResult {
        if (field.name == "key") {
          FailureOr<StringAttr> name = importString(field);
          if (succeeded(name))
            key = *name;
          return name;
        }
        if (field.name == "value") {
          if (failed(expectMessage(field, field.name)))
            return failure();
          FailureOr<Attribute> attr = importAttr(children);
          if (succeeded(attr))
            value = *attr;
          return attr;
        }
        return emitError(field.position)
               << "expected key or value in a map entry, found '" << field.name
               << "'";
      });
  if (failed(result))
    return failure();
  if (key.empty())
    return emitError(entry.position) << "expected a key in a map entry";
  entries.emplace_back(key, value);
  return success();
}

FailureOr<Attribute> AttributeImporter::importAttr(TextRange range) {
  // Nothing set, as conversions through JSON leave it.
  Attribute result = builder.getUnitAttr();
  SmallVector<Attribute, 0> unknown;
  ++depth;
  LogicalResult status = range.forEach(
      [&](const TextField &field, TextRange children) -> LogicalResult {
        if (depth > MaxDepth)
          return emitError(field.position)
                 << "attributes nest deeper than " << MaxDepth << " levels";
        int index = attrSpec.find(field.name);
        if (index < 0) {
          unknown.push_back(builder.getStringAttr(field.text));
          return reportUnknown(attrSpec, field);
        }
        const FieldSpec &spec = attrSpec.fields[index];
        FailureOr<Attribute> value = importScalar(spec, field, children);
        if (failed(value))
          return failure();
        switch (spec.kind) {
        case FieldKind::Int:
        case FieldKind::Float:
        case FieldKind::Bool:
        case FieldKind::String:
          result = *value;
          if (spec.name == "s" || spec.name == "i" || spec.name == "f" ||
              spec.name == "b")
            return success();
          break;
        case FieldKind::List:
          result = *value;
          return success();
        default:
          result = *value;
          break;
        }
        result =
            ValueAttr::get(builder.getContext(), getFieldName(spec), result);
        return success();
      });
  --depth;
  if (failed(status))
    return failure();
  if (!unknown.empty()) // a kind of value of a later release
    result =
        ValueAttr::get(builder.getContext(), builder.getStringAttr(UnknownKey),
                       builder.getArrayAttr(unknown));
  return result;
}

FailureOr<Attribute> AttributeImporter::importNamed(TextRange range) {
  static constexpr FieldSpec fields[] = {{"name", FieldKind::String},
                                         {"attr", FieldKind::AttrMap, true}};
  static constexpr MessageSpec spec = {"NamedAttrs", fields};
  FailureOr<DictionaryAttr> named = importFields(spec, range);
  if (failed(named))
    return failure();
  return Attribute(*named);
}

FailureOr<Attribute> AttributeImporter::importBytes(const TextField &field) {
  if (field.kind != TextField::Kind::String ||
      field.value.size() < ResourceThreshold) {
    FailureOr<StringAttr> bytes = importString(field);
    if (failed(bytes))
      return failure();
    return Attribute(*bytes);
  }
  // Room for as many bytes as characters; what is too much is given back and,
  // if the literal is a large one, has taken no memory.
  auto *data = static_cast<char *>(llvm::safe_malloc(field.value.size()));
  const size_t size = decodeString(field.value, data) - data;
  if (size < ResourceThreshold) {
    Attribute bytes = builder.getStringAttr(StringRef(data, size));
    std::free(data);
    return bytes;
  }
  data = static_cast<char *>(llvm::safe_realloc(data, size));
  // MLIR refuses bytecode in a buffer less aligned than a blob in it; this is
  // what every buffer has.
  AsmResourceBlob blob(
      ArrayRef<char>(data, size), /*dataAlignment=*/16,
      [](void *data, size_t, size_t) { std::free(data); },
      /*dataIsMutable=*/true);
  auto type = RankedTensorType::get({static_cast<int64_t>(size)},
                                    builder.getIntegerType(8));
  return Attribute(
      DenseResourceElementsAttr::get(type, resourceName, std::move(blob)));
}

FailureOr<Attribute> AttributeImporter::importTensor(TextRange range) {
  static constexpr FieldSpec fields[] = {{"desc", FieldKind::Desc},
                                         {"data", FieldKind::String}};
  static constexpr MessageSpec spec = {"TensorDef", fields};
  Attribute data;
  FailureOr<DictionaryAttr> rest =
      importFields(spec, range,
                   [&](unsigned index, const TextField &field, TextRange,
                       bool &handled) -> LogicalResult {
                     if (index != 1)
                       return success();
                     handled = true;
                     FailureOr<Attribute> bytes = importBytes(field);
                     if (succeeded(bytes))
                       data = *bytes;
                     return bytes;
                   });
  if (failed(rest))
    return failure();
  if (!data)
    return Attribute(*rest);
  SmallVector<NamedAttribute> entries(rest->getValue());
  if (auto string = dyn_cast<StringAttr>(data); !string || !string.empty())
    entries.push_back(builder.getNamedAttr("data", data));
  return Attribute(makeDictionary(entries));
}
