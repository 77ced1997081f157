//===- ListImport.cpp - Lists to attributes -------------------------------===//

#include "AttributeConversion.h"

using namespace mlir;
using namespace npu::ge;

FailureOr<Attribute> AttributeImporter::importList(TextRange range) {
  // The usual lists have one field and the val_type that goes with it.
  StringRef valType, onlyField;
  bool mixed = false;
  (void)range.forEach([&](const TextField &field, TextRange) {
    if (field.name == "val_type")
      valType = field.value;
    else if (onlyField.empty())
      onlyField = field.name;
    else
      mixed |= onlyField != field.name;
    return success();
  });
  const ListKind *kind = llvm::find_if(
      listKinds, [&](const ListKind &kind) { return kind.valType == valType; });
  const bool usual = kind != listKinds.end() && !mixed &&
                     (onlyField.empty() || onlyField == kind->field);
  if (!usual) {
    FailureOr<DictionaryAttr> fields = importFields(listSpec, range);
    if (failed(fields))
      return failure();
    return Attribute(ValueAttr::get(builder.getContext(),
                                    builder.getStringAttr("list"), *fields));
  }

  SmallVector<int64_t, 8> ints;
  SmallVector<float, 8> floats;
  SmallVector<bool, 8> bools;
  SmallVector<Attribute, 8> strings;
  auto importElement = [&](const TextField &value, TextRange) -> LogicalResult {
    auto push = [](auto &values, auto value) -> LogicalResult {
      if (failed(value))
        return failure();
      values.push_back(*value);
      return success();
    };
    switch (kind->field.front()) {
    case 'i':
      return push(ints, importInt(value));
    case 'f':
      return push(floats, importFloat(value));
    case 'b':
      return push(bools, importBool(value));
    default:
      return push(strings, importString(value));
    }
  };
  if (failed(range.forEach([&](const TextField &field, TextRange children) {
        return field.name == "val_type"
                   ? success()
                   : forEachValue(field, children, importElement);
      })))
    return failure();
  switch (kind->field.front()) {
  case 'i':
    return Attribute(builder.getDenseI64ArrayAttr(ints));
  case 'f':
    return Attribute(builder.getDenseF32ArrayAttr(floats));
  case 'b':
    return Attribute(builder.getDenseBoolArrayAttr(bools));
  default:
    return Attribute(builder.getArrayAttr(strings));
  }
}

FailureOr<Attribute> AttributeImporter::importLists(TextRange range,
                                                    bool floats) {
  StringRef outer = floats ? "list_list_f" : "list_list_i";
  StringRef inner = floats ? "list_f" : "list_i";
  SmallVector<Attribute> lists;
  auto importInner = [&](const TextField &field,
                         TextRange children) -> LogicalResult {
    if (failed(expectMessage(field, outer)))
      return failure();
    SmallVector<int64_t> ints;
    SmallVector<float> numbers;
    auto importElement = [&](const TextField &value,
                             TextRange) -> LogicalResult {
      if (floats) {
        FailureOr<float> number = importFloat(value);
        numbers.push_back(succeeded(number) ? *number : 0);
        return number;
      }
      FailureOr<int64_t> number = importInt(value);
      ints.push_back(succeeded(number) ? *number : 0);
      return number;
    };
    if (failed(children.forEach(
            [&](const TextField &value, TextRange elements) -> LogicalResult {
              if (value.name != inner)
                return emitError(value.position)
                       << "expected '" << inner << "', found '" << value.name
                       << "'";
              return forEachValue(value, elements, importElement);
            })))
      return failure();
    lists.push_back(floats ? Attribute(builder.getDenseF32ArrayAttr(numbers))
                           : Attribute(builder.getDenseI64ArrayAttr(ints)));
    return success();
  };
  if (failed(range.forEach([&](const TextField &field,
                               TextRange children) -> LogicalResult {
        if (field.name != outer)
          return emitError(field.position)
                 << "expected '" << outer << "', found '" << field.name << "'";
        return forEachValue(field, children, importInner);
      })))
    return failure();
  return Attribute(builder.getArrayAttr(lists));
}
