//===- TextWriter.cpp - Writer of protobuf text format --------------------===//

#include "TextWriter.h"

#include <charconv>
#include <cmath>

using namespace llvm;
using namespace npu::ge;

raw_ostream &TextWriter::startField(StringRef name) {
  return os.indent(indent) << name << ": ";
}

void TextWriter::writeInt(StringRef name, int64_t value) {
  startField(name) << value << '\n';
}

void TextWriter::writeFloat(StringRef name, float value) {
  if (std::isnan(value)) {
    startField(name) << "nan\n";
    return;
  }
  if (std::isinf(value)) {
    startField(name) << (value < 0 ? "-inf\n" : "inf\n");
    return;
  }
  char digits[32];
  auto [end, error] = std::to_chars(digits, std::end(digits), value);
  startField(name) << StringRef(digits, end - digits) << '\n';
}

void TextWriter::writeBool(StringRef name, bool value) {
  startField(name) << (value ? "true\n" : "false\n");
}

void TextWriter::writeToken(StringRef name, StringRef token) {
  startField(name) << token << '\n';
}

void TextWriter::writeString(StringRef name, StringRef bytes) {
  startField(name) << '"';
  const char *pending = bytes.begin(); // start of what needs no escape
  for (const char *p = bytes.begin(); p != bytes.end(); ++p) {
    const auto c = static_cast<unsigned char>(*p);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\'' && c != '\\')
      continue;
    os.write(pending, p - pending);
    pending = p + 1;
    os << '\\';
    switch (c) {
    case '\n':
      os << 'n';
      break;
    case '\r':
      os << 'r';
      break;
    case '\t':
      os << 't';
      break;
    case '"':
    case '\'':
    case '\\':
      os << static_cast<char>(c);
      break;
    default:
      os << static_cast<char>('0' + (c >> 6))
         << static_cast<char>('0' + (c >> 3 & 7))
         << static_cast<char>('0' + (c & 7));
    }
  }
  os.write(pending, bytes.end() - pending);
  os << "\"\n";
}

void TextWriter::writeMessage(StringRef name, function_ref<void()> body) {
  os.indent(indent) << name << " {\n";
  indent += 2;
  body();
  indent -= 2;
  os.indent(indent) << "}\n";
}

void TextWriter::writeRaw(StringRef text) { os.indent(indent) << text << '\n'; }
