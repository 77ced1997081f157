//===- StringLiteral.h - Strings in quotes ---------------------*- C++ -*-===//
//
// Literals of the protobuf text format and of JSON. The weights of a graph are
// literals of many megabytes, most bytes of which are octal escapes.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_STRINGLITERAL_H
#define NPU_LIB_TARGET_GE_STRINGLITERAL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace npu::ge {

/// The first \p quote or newline from \p begin on, behind the opening quote of
/// a literal, that is not escaped; \p end if there is none.
const char *findLiteralEnd(const char *begin, const char *end, char quote);

/// Bytes that the literals in \p value stand for. The result is a slice of
/// \p value where nothing is escaped, otherwise of \p storage. Escapes that
/// the format does not know stand for themselves.
llvm::StringRef decodeString(llvm::StringRef value,
                             llvm::SmallVectorImpl<char> &storage);

/// The same into \p out, which has room for as many bytes as \p value has: no
/// escape is shorter than what it stands for. Returns the end of the bytes;
/// those behind it may be overwritten as well.
char *decodeString(llvm::StringRef value, char *out);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_STRINGLITERAL_H
