//===- Schema.h - The messages of GE graph text ----------------*- C++ -*-===//
//
// Fields of the ge.proto messages (public ge_ir.proto), as a table that the
// importer and the exporter share.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_SCHEMA_H
#define NPU_LIB_TARGET_GE_SCHEMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace npu::ge {

enum class FieldKind : uint8_t {
  Int,
  Float,
  Bool,
  String,     ///< string or bytes
  Enum,       ///< by name, or by number where the text has one
  Shape,      ///< ShapeDef
  Desc,       ///< TensorDescriptor
  Tensor,     ///< TensorDef
  Named,      ///< NamedAttrs
  List,       ///< AttrDef.ListValue
  IntLists,   ///< AttrDef.ListListInt
  FloatLists, ///< AttrDef.ListListFloat
  AttrMap,    ///< map<string, AttrDef>
  Text,       ///< kept as text: GraphDef in attributes, attr_groups
};

/// Whether values of a field are messages in braces.
inline bool isMessage(FieldKind kind) {
  return kind >= FieldKind::Shape && kind <= FieldKind::AttrMap;
}

struct FieldSpec {
  llvm::StringLiteral name;
  FieldKind kind;
  bool repeated = false;
};

struct MessageSpec {
  llvm::StringLiteral name;
  llvm::ArrayRef<FieldSpec> fields; ///< ascending field numbers

  /// Index of the field called \p name; -1 for an unknown one.
  int find(llvm::StringRef name) const {
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
};

extern const MessageSpec modelSpec; ///< ModelDef
extern const MessageSpec graphSpec; ///< GraphDef
extern const MessageSpec nodeSpec;  ///< OpDef
extern const MessageSpec descSpec;  ///< TensorDescriptor
extern const MessageSpec attrSpec;  ///< AttrDef, a oneof
extern const MessageSpec listSpec;  ///< AttrDef.ListValue

/// A ListValue's val_type and the field that goes with it.
struct ListKind {
  llvm::StringLiteral valType;
  llvm::StringLiteral field;
};
extern const llvm::ArrayRef<ListKind> listKinds;

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_SCHEMA_H
