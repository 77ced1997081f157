//===- DescriptorImport.cpp - Tensor descriptors to types -----------------===//

#include "AttributeConversion.h"

#include "npu/Dialect/GE/IR/ElementTypes.h"
#include "npu/Support/DataType.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace npu::ge;

/// The proto3 name of a data type that the text has as a number.
static StringRef getCanonicalDataTypeName(StringRef name) {
  unsigned number;
  if (name.getAsInteger(10, number))
    return name;
  std::optional<npu::DataType> type = npu::dataTypeFromProto(number);
  return type ? StringRef(npu::getName(*type)) : name;
}

LogicalResult AttributeImporter::importDesc(TextRange range, Type &type,
                                            DictionaryAttr &rest) {
  StringRef dataType;
  bool hasShape = false, untypedOriginShape = false;
  SmallVector<int64_t, 8> dims;
  StringAttr layout, originFormat;
  DenseI64ArrayAttr originShape;
  SmallVector<NamedAttribute, 16> attrs;

  auto importShape = [&](TextRange children) {
    hasShape = true;
    dims.clear();
    return children.forEach(
        [&](const TextField &dim, TextRange elements) -> LogicalResult {
          if (dim.name != "dim")
            return emitError(dim.position)
                   << "expected 'dim' in a shape, found '" << dim.name << "'";
          return forEachValue(dim, elements,
                              [&](const TextField &value, TextRange) {
                                FailureOr<int64_t> size = importInt(value);
                                dims.push_back(succeeded(size) ? *size : 0);
                                return LogicalResult(size);
                              });
        });
  };
  /// Takes the attributes that the type holds.
  auto takeOrigin = [&](NamedAttribute attr) {
    if (attr.getName() == "origin_format") {
      originFormat = dyn_cast<StringAttr>(attr.getValue());
      return originFormat != nullptr;
    }
    if (attr.getName() != "origin_shape")
      return false;
    originShape = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
    auto value = dyn_cast<ValueAttr>(attr.getValue());
    if (!originShape && value && value.getKind() == "list") {
      // Older releases print no val_type.
      auto list = dyn_cast<DictionaryAttr>(value.getPayload());
      if (list && list.size() == 1)
        originShape = list.getAs<DenseI64ArrayAttr>("i");
      untypedOriginShape = originShape != nullptr;
    }
    return originShape != nullptr;
  };
  auto hook = [&](unsigned index, const TextField &field, TextRange children,
                  bool &handled) -> LogicalResult {
    StringRef name = descSpec.fields[index].name;
    handled = true;
    if (name == "dtype") {
      FailureOr<StringRef> value = importEnum(field);
      if (succeeded(value))
        dataType = getCanonicalDataTypeName(*value);
      return value;
    }
    if (name == "shape")
      return importShape(children);
    if (name == "layout") {
      FailureOr<StringAttr> value = importString(field);
      if (succeeded(value))
        layout = *value;
      return value;
    }
    if (name == "attr")
      return importMapEntry(field, children, attrs);
    handled = false;
    return success();
  };
  FailureOr<DictionaryAttr> others = importFields(descSpec, range, hook);
  if (failed(others))
    return failure();

  Type elementType = getElementType(builder.getContext(), dataType);
  const bool unknownRank = dims.size() == 1 && dims[0] == -2;
  const bool ranked = llvm::all_of(dims, [](int64_t dim) { return dim >= -1; });
  SmallVector<NamedAttribute, 16> entries(others->getValue());
  if (!hasShape)
    entries.push_back(builder.getNamedAttr(NoShapeKey, builder.getUnitAttr()));
  if (ranked) {
    // Of a key that repeats only the last value counts.
    llvm::SmallPtrSet<const void *, 16> later;
    SmallVector<NamedAttribute, 16> kept;
    for (NamedAttribute attr : llvm::reverse(attrs))
      if (later.insert(attr.getName().getAsOpaquePointer()).second &&
          !takeOrigin(attr))
        kept.push_back(attr);
    attrs = std::move(kept);
    if (untypedOriginShape)
      entries.push_back(
          builder.getNamedAttr(UntypedOriginShapeKey, builder.getUnitAttr()));
    for (int64_t &dim : dims)
      if (dim == -1)
        dim = ShapedType::kDynamic;
    LayoutAttr encoding;
    if (layout || originFormat || originShape)
      encoding = LayoutAttr::get(builder.getContext(),
                                 layout ? layout : builder.getStringAttr(""),
                                 originFormat, originShape);
    type = RankedTensorType::get(dims, elementType, encoding);
  } else {
    type = UnrankedTensorType::get(elementType);
    if (layout)
      entries.push_back(builder.getNamedAttr("layout", layout));
    if (!unknownRank)
      entries.push_back(
          builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(dims)));
  }
  if (!attrs.empty())
    entries.push_back(builder.getNamedAttr("attr", makeDictionary(attrs)));
  rest = makeDictionary(entries);
  return success();
}
