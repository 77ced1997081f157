//===- TextReader.h - Reader of protobuf text format -----------*- C++ -*-===//
//
// A reader of the protobuf text format that knows no message types. Against
// protobuf's own parser it keeps unknown fields (a graph dumped by a newer
// release loses nothing), has the position of every field, takes one message
// at a time of a text of any size without copying strings, nests to any depth,
// and is several times faster.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_TEXTREADER_H
#define NPU_LIB_TARGET_GE_TEXTREADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace npu::ge {

/// A place in the text; both count from 1, columns in bytes.
struct TextPosition {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// A field of a message. Fields of a tree lie in preorder; the children of the
/// field at index i are at i + 1 up to its next.
struct TextField {
  enum class Kind : uint8_t {
    Scalar,  ///< number, enumerator, true, false
    String,  ///< one or more adjacent literals
    Message, ///< { fields }
    List,    ///< [ values ]; the elements are fields without a name
  };
  llvm::StringRef name;
  llvm::StringRef value; ///< as written; quotes and escapes included
  llvm::StringRef text;  ///< the whole field as written
  TextPosition position;
  uint32_t next = 0; ///< index behind the subtree
  Kind kind = Kind::Scalar;
};

/// Fields in preorder.
using TextTree = llvm::SmallVector<TextField, 0>;

/// Reads fields one by one.
class TextReader {
public:
  explicit TextReader(llvm::StringRef text);

  /// Skips white space and comments; true at the end of the text.
  bool atEnd();
  /// Whether the next token closes the message that enterMessage opened.
  bool atMessageEnd();
  /// The name of the next field, without reading it; empty if there is none.
  llvm::StringRef peekName();
  /// Reads the name and the opening brace of the next field, to go through a
  /// long message field by field. Fails if it is no message.
  llvm::LogicalResult enterMessage();
  llvm::LogicalResult leaveMessage();

  /// Appends the next field with all it contains to \p tree.
  llvm::LogicalResult readField(TextTree &tree);

  TextPosition position() const {
    return {line, static_cast<uint32_t>(cursor - lineStart) + 1};
  }

  /// After a failure: what is wrong, and where.
  const std::string &errorMessage() const { return message; }
  TextPosition errorPosition() const { return errorAt; }

private:
  void skipSpace();
  void skipSeparator();
  llvm::LogicalResult readName(llvm::StringRef &name);
  /// Reads a scalar, a string or an opening bracket into \p field; for a
  /// message or list \p closer becomes its closing character, otherwise 0.
  llvm::LogicalResult readValue(TextField &field, char &closer);
  llvm::LogicalResult readString(TextField &field);
  llvm::LogicalResult fail(const llvm::Twine &what, TextPosition at);
  llvm::LogicalResult failHere(const llvm::Twine &expected);

  const char *cursor, *end, *lineStart;
  uint32_t line = 1;
  llvm::SmallVector<char, 8> openMessages; // closers, of enterMessage
  std::string message;
  TextPosition errorAt;
};

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_TEXTREADER_H
