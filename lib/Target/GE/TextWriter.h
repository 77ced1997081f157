//===- TextWriter.h - Writer of protobuf text format -----------*- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_TEXTWRITER_H
#define NPU_LIB_TARGET_GE_TEXTWRITER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace npu::ge {

/// Writes fields as protobuf's TextFormat prints them: two spaces a level,
/// octal escapes.
class TextWriter {
public:
  explicit TextWriter(llvm::raw_ostream &os) : os(os) {}

  void writeInt(llvm::StringRef name, int64_t value);
  void writeFloat(llvm::StringRef name, float value);
  void writeBool(llvm::StringRef name, bool value);
  void writeString(llvm::StringRef name, llvm::StringRef bytes);
  /// An enumerator, or whatever else needs no quotes.
  void writeToken(llvm::StringRef name, llvm::StringRef token);
  void writeMessage(llvm::StringRef name, llvm::function_ref<void()> body);
  /// A field that is already text.
  void writeRaw(llvm::StringRef text);

private:
  llvm::raw_ostream &startField(llvm::StringRef name);

  llvm::raw_ostream &os;
  unsigned indent = 0;
};

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_TEXTWRITER_H
