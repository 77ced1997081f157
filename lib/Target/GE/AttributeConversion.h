//===- AttributeConversion.h - Messages to attributes and back -*- C++ -*-===//
//
// How the messages below an OpDef become attributes, and the inverse. The two
// classes mirror each other function by function.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_ATTRIBUTECONVERSION_H
#define NPU_LIB_TARGET_GE_ATTRIBUTECONVERSION_H

#include "Schema.h"
#include "TextReader.h"
#include "TextWriter.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace npu::ge {

/// Key of the array that keeps the text of unknown fields of a message.
constexpr llvm::StringLiteral UnknownKey = "unknown";
/// Keys of a descriptor's dictionary that are no protobuf fields.
constexpr llvm::StringLiteral NoShapeKey = "no_shape";
constexpr llvm::StringLiteral UntypedOriginShapeKey = "untyped_origin_shape";

/// Constants of at least this many bytes become resource blobs.
constexpr size_t ResourceThreshold = 64;

/// The children of a message, or the elements of a list, in a tree.
class TextRange {
public:
  TextRange(const TextTree &tree, uint32_t begin, uint32_t end)
      : tree(&tree), begin(begin), end(end) {}

  template <typename Fn>
  llvm::LogicalResult forEach(Fn fn) const {
    for (uint32_t i = begin; i != end; i = (*tree)[i].next)
      if (failed(fn((*tree)[i], TextRange(*tree, i + 1, (*tree)[i].next))))
        return llvm::failure();
    return llvm::success();
  }

private:
  const TextTree *tree;
  uint32_t begin, end;
};

/// Calls \p fn for the value of a field, or for each of a list's.
template <typename Fn>
llvm::LogicalResult forEachValue(const TextField &field, TextRange children,
                                 Fn fn) {
  if (field.kind != TextField::Kind::List)
    return fn(field, children);
  return children.forEach(fn);
}

class AttributeImporter {
public:
  AttributeImporter(mlir::MLIRContext *context, llvm::StringRef fileName,
                    bool strict);

  /// Receives a field of a message that the caller wants to convert itself.
  /// Sets handled to false to have it in the dictionary.
  using Hook = llvm::function_ref<llvm::LogicalResult(
      unsigned index, const TextField &field, TextRange children,
      bool &handled)>;

  /// The fields of a message as a dictionary with the protobuf names as keys,
  /// scalars with their default value left out.
  mlir::FailureOr<mlir::DictionaryAttr>
  importFields(const MessageSpec &spec, TextRange range, Hook hook = nullptr,
               bool reportUnknowns = true);

  /// Reports the unknown fields of a message whose importFields does not: one
  /// that is converted later than what follows it in the text.
  llvm::LogicalResult reportUnknowns(const MessageSpec &spec, TextRange range);

  /// A TensorDescriptor: the type, and a dictionary of what the type does not
  /// hold.
  llvm::LogicalResult importDesc(TextRange range, mlir::Type &type,
                                 mlir::DictionaryAttr &rest);

  /// An entry of an attribute map, appended to \p entries.
  llvm::LogicalResult
  importMapEntry(const TextField &entry, TextRange range,
                 llvm::SmallVectorImpl<mlir::NamedAttribute> &entries);
  /// A dictionary of \p entries; a key that repeats has its last value.
  mlir::DictionaryAttr
  makeDictionary(llvm::SmallVectorImpl<mlir::NamedAttribute> &entries);

  mlir::FailureOr<mlir::StringAttr> importString(const TextField &field);
  mlir::FailureOr<int64_t> importInt(const TextField &field);
  mlir::FailureOr<bool> importBool(const TextField &field);

  /// Warns of an unknown field, or fails in strict mode.
  llvm::LogicalResult reportUnknown(const MessageSpec &spec,
                                    const TextField &field);
  mlir::InFlightDiagnostic emitError(TextPosition position);
  mlir::InFlightDiagnostic emitWarning(TextPosition position);
  mlir::Location getLoc(TextPosition position);

  /// Name for the resource blobs of the next constants.
  llvm::StringRef resourceName = "constant";
  /// Whether enumerators are strings, as in JSON.
  bool quotedEnumerators = false;

private:
  mlir::FailureOr<mlir::Attribute> importAttr(TextRange range);
  mlir::FailureOr<mlir::Attribute> importList(TextRange range);
  mlir::FailureOr<mlir::Attribute> importTensor(TextRange range);
  mlir::FailureOr<mlir::Attribute> importNamed(TextRange range);
  mlir::FailureOr<mlir::Attribute> importLists(TextRange range, bool floats);
  mlir::FailureOr<mlir::Attribute> importBytes(const TextField &field);
  mlir::FailureOr<mlir::Attribute> importScalar(const FieldSpec &spec,
                                                const TextField &field,
                                                TextRange children);
  mlir::FailureOr<float> importFloat(const TextField &field);
  mlir::FailureOr<llvm::StringRef> importEnum(const TextField &field);
  llvm::LogicalResult expectMessage(const TextField &field,
                                    llvm::StringRef name);

  mlir::Builder builder;
  mlir::StringAttr fileName;
  bool strict;
  unsigned depth = 0; // of nested attribute messages
  llvm::SmallVector<char, 0> storage;
  llvm::DenseMap<const FieldSpec *, mlir::StringAttr> fieldNames;
  mlir::StringAttr getFieldName(const FieldSpec &spec);
};

class AttributeExporter {
public:
  explicit AttributeExporter(TextWriter &writer) : writer(writer) {}

  /// Writes the fields of \p dict in the order of \p spec; those for which
  /// \p hook writes something else itself are skipped in the dictionary.
  using Hook = llvm::function_ref<void(unsigned index)>;
  void exportFields(const MessageSpec &spec, mlir::DictionaryAttr dict,
                    Hook hook = nullptr);

  /// Writes the content of a TensorDescriptor.
  void exportDesc(mlir::Type type, mlir::DictionaryAttr rest);

  /// Writes the entries of an attribute map.
  void exportAttrMap(llvm::StringRef name, mlir::DictionaryAttr map);

private:
  void exportField(const FieldSpec &spec, mlir::Attribute value);
  void exportAttr(mlir::Attribute attr);
  void exportTensor(mlir::DictionaryAttr tensor);
  void exportNamed(mlir::DictionaryAttr named);
  void exportMapEntry(llvm::StringRef name, llvm::StringRef key,
                      llvm::function_ref<void()> value);

  TextWriter &writer;
};

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_ATTRIBUTECONVERSION_H
