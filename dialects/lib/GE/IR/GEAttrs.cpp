//===- GEAttrs.cpp - Assembly of the ge attributes ------------------------===//

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace npu::ge;

static FailureOr<StringAttr> parseKeywordOrStringAttr(AsmParser &parser) {
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  return StringAttr::get(parser.getContext(), text);
}

//===----------------------------------------------------------------------===//
// LayoutAttr: `<` format (`of` origin-format? (`[` dims `]`)?)? `>`
//===----------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  StringAttr originFormat;
  DenseI64ArrayAttr originShape;
  if (parser.parseLess())
    return {};
  FailureOr<StringAttr> format = parseKeywordOrStringAttr(parser);
  if (failed(format))
    return {};
  if (succeeded(parser.parseOptionalKeyword("of"))) {
    std::string text;
    if (succeeded(parser.parseOptionalKeywordOrString(&text)))
      originFormat = StringAttr::get(parser.getContext(), text);
    if (succeeded(parser.parseOptionalLSquare())) {
      SmallVector<int64_t> dims;
      if (failed(parser.parseOptionalRSquare())) {
        if (parser.parseCommaSeparatedList(
                [&] { return parser.parseInteger(dims.emplace_back()); }) ||
            parser.parseRSquare())
          return {};
      }
      originShape = DenseI64ArrayAttr::get(parser.getContext(), dims);
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *format, originFormat, originShape);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printKeywordOrString(getFormat());
  if (getOriginFormat() || getOriginShape()) {
    printer << " of";
    if (getOriginFormat()) {
      printer << ' ';
      printer.printKeywordOrString(getOriginFormat());
    }
    if (getOriginShape()) {
      printer << " [";
      llvm::interleaveComma(getOriginShape().asArrayRef(), printer);
      printer << ']';
    }
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// DescAttr: `<` (type `,`)? dictionary `>`
//===----------------------------------------------------------------------===//

Attribute DescAttr::parse(AsmParser &parser, Type) {
  Type type;
  DictionaryAttr fields;
  if (parser.parseLess())
    return {};
  OptionalParseResult parsed = parser.parseOptionalType(type);
  if (parsed.has_value() && (failed(*parsed) || parser.parseComma()))
    return {};
  if (parser.parseAttribute(fields) || parser.parseGreater())
    return {};
  return get(parser.getContext(), type, fields);
}

void DescAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getType())
    printer << getType() << ", ";
  printer << getFields() << '>';
}

//===----------------------------------------------------------------------===//
// ValueAttr: `<` kind `,` payload `>`
//===----------------------------------------------------------------------===//

Attribute ValueAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<StringAttr> kind = parseKeywordOrStringAttr(parser);
  Attribute payload;
  if (failed(kind) || parser.parseComma() || parser.parseAttribute(payload) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), *kind, payload);
}

void ValueAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printKeywordOrString(getKind());
  printer << ", " << getPayload() << '>';
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Attribute npu::ge::getPlainValue(Attribute value) {
  auto wrapped = dyn_cast_or_null<ValueAttr>(value);
  if (!wrapped)
    return value;
  if (wrapped.getKind() == "dt")
    return wrapped.getPayload();
  auto list = dyn_cast<DictionaryAttr>(wrapped.getPayload());
  if (wrapped.getKind() != "list" || !list)
    return value;
  if (list.empty())
    return DenseI64ArrayAttr::get(value.getContext(), {});
  return list.size() == 1 ? list.begin()->getValue() : value;
}
