//===- JsonReader.h - JSON as fields ----------------------------*- C++ -*-===//
//
// The JSON form of a protobuf message says what the text format says: an object
// is a message, an array a list. This reader makes the tree that TextReader
// makes, with positions, so that one importer takes both.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_JSONREADER_H
#define NPU_LIB_TARGET_GE_JSONREADER_H

#include "TextReader.h"

namespace npu::ge {

/// Reads the object in \p text into \p tree: a message without a name, whose
/// fields are the members. Members that are null are left out, but for those
/// called "value", which become empty messages: attributes without a value.
/// Objects nest to any depth. After a failure \p message and \p at say what is
/// wrong, and where.
llvm::LogicalResult readJson(llvm::StringRef text, TextTree &tree,
                             std::string &message, TextPosition &at);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_JSONREADER_H
