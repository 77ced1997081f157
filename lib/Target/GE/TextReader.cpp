//===- TextReader.cpp - Reader of protobuf text format --------------------===//

#include "TextReader.h"

#include "StringLiteral.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <array>

using namespace llvm;
using namespace npu::ge;

namespace {
/// What a byte may be part of.
enum CharClass : uint8_t { Other = 0, Space = 1, Word = 2, Scalar = 4 };
} // namespace

static constexpr std::array<uint8_t, 256> makeCharClasses() {
  std::array<uint8_t, 256> table = {};
  for (unsigned c = 0; c < 256; ++c) {
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                (c >= '0' && c <= '9') || c == '_';
    if (word)
      table[c] = Word | Scalar;
    if (c == '-' || c == '+' || c == '.')
      table[c] = Scalar;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' ||
        c == '\f')
      table[c] = Space;
  }
  return table;
}
static constexpr std::array<uint8_t, 256> charClasses = makeCharClasses();

static bool is(char c, CharClass cls) {
  return charClasses[static_cast<uint8_t>(c)] & cls;
}

TextReader::TextReader(StringRef text)
    : cursor(text.begin()), end(text.end()), lineStart(text.begin()) {}

LogicalResult TextReader::fail(const Twine &what, TextPosition at) {
  message = what.str();
  errorAt = at;
  return failure();
}

LogicalResult TextReader::failHere(const Twine &expected) {
  if (cursor == end)
    return fail("expected " + expected +
                    ", but the text ends here (is the "
                    "file cut off?)",
                position());
  if (*cursor == '\n')
    return fail("expected " + expected + ", but the line ends here",
                position());
  std::string found = isPrint(*cursor)
                          ? ("'" + Twine(*cursor) + "'").str()
                          : "byte 0x" + utohexstr(uint8_t(*cursor));
  return fail("expected " + expected + ", found " + found, position());
}

void TextReader::skipSpace() {
  while (cursor != end) {
    if (*cursor == '\n') {
      ++line;
      lineStart = ++cursor;
    } else if (is(*cursor, Space)) {
      ++cursor;
    } else if (*cursor == '#') {
      while (cursor != end && *cursor != '\n')
        ++cursor;
    } else {
      return;
    }
  }
}

void TextReader::skipSeparator() {
  skipSpace();
  if (cursor != end && (*cursor == ',' || *cursor == ';'))
    ++cursor;
}

bool TextReader::atEnd() {
  skipSpace();
  return cursor == end;
}

LogicalResult TextReader::readName(StringRef &name) {
  const char *begin = cursor;
  if (cursor != end && *cursor == '[') { // [package.extension], [domain/type]
    ++cursor;
    while (cursor != end && (is(*cursor, Scalar) || *cursor == '/'))
      ++cursor;
    if (cursor == end || *cursor != ']')
      return failHere("']' after the name of an extension");
    ++cursor;
  } else {
    while (cursor != end && is(*cursor, Word))
      ++cursor;
    if (cursor == begin)
      return failHere("a field name");
  }
  name = StringRef(begin, cursor - begin);
  return success();
}

bool TextReader::atMessageEnd() {
  skipSpace();
  return cursor != end && *cursor == openMessages.back();
}

StringRef TextReader::peekName() {
  skipSpace();
  const char *p = cursor;
  while (p != end && is(*p, Word))
    ++p;
  return StringRef(cursor, p - cursor);
}

LogicalResult TextReader::enterMessage() {
  StringRef name;
  skipSpace();
  if (failed(readName(name)))
    return failure();
  skipSpace();
  if (cursor != end && *cursor == ':') {
    ++cursor;
    skipSpace();
  }
  if (cursor == end || (*cursor != '{' && *cursor != '<'))
    return failHere("'{' after '" + name + "'");
  openMessages.push_back(*cursor++ == '{' ? '}' : '>');
  return success();
}

LogicalResult TextReader::leaveMessage() {
  skipSpace();
  if (cursor == end || *cursor != openMessages.back())
    return failHere("'" + Twine(openMessages.back()) + "'");
  openMessages.pop_back();
  ++cursor;
  skipSeparator();
  return success();
}

LogicalResult TextReader::readString(TextField &field) {
  const char *begin = cursor, *last = cursor;
  while (cursor != end && (*cursor == '"' || *cursor == '\'')) {
    TextPosition at = position();
    const char quote = *cursor++;
    cursor = findLiteralEnd(cursor, end, quote);
    if (cursor == end || *cursor == '\n')
      return fail(cursor == end
                      ? "a string begins here, but the text ends inside it "
                        "(is the file cut off?)"
                      : "a string begins here, but its line ends before it",
                  at);
    last = ++cursor;
    skipSpace();
  }
  field.kind = TextField::Kind::String;
  field.value = StringRef(begin, last - begin);
  return success();
}

LogicalResult TextReader::readValue(TextField &field, char &closer) {
  closer = 0;
  skipSpace();
  if (cursor == end)
    return failHere("a value");
  switch (*cursor) {
  case '{':
  case '<':
    closer = *cursor++ == '{' ? '}' : '>';
    field.kind = TextField::Kind::Message;
    return success();
  case '[':
    ++cursor;
    closer = ']';
    field.kind = TextField::Kind::List;
    return success();
  case '"':
  case '\'':
    return readString(field);
  default:
    break;
  }
  const char *begin = cursor;
  if (*cursor == '-') { // the sign may stand apart from its number
    ++cursor;
    skipSpace();
  }
  const char *token = cursor;
  while (cursor != end && is(*cursor, Scalar))
    ++cursor;
  if (cursor == token)
    return failHere("a value");
  field.kind = TextField::Kind::Scalar;
  field.value = StringRef(begin, cursor - begin);
  return success();
}

LogicalResult TextReader::readField(TextTree &tree) {
  struct Open {
    uint32_t index;
    char closer;
    const char *begin;
  };
  SmallVector<Open, 16> open;
  while (true) {
    skipSpace();
    const bool inList = !open.empty() && open.back().closer == ']';
    const bool closes =
        !open.empty() && cursor != end && *cursor == open.back().closer;
    const char *begin = cursor;
    if (!closes) {
      TextField field;
      field.position = position();
      char closer = 0;
      if (!inList) {
        if (failed(readName(field.name)))
          return failure();
        skipSpace();
        if (cursor != end && *cursor == ':')
          ++cursor;
        else if (cursor == end || (*cursor != '{' && *cursor != '<'))
          return failHere("':' or '{' after the field name '" + field.name +
                          "'");
      }
      if (failed(readValue(field, closer)))
        return failure();
      const uint32_t index = tree.size();
      if (closer) {
        open.push_back({index, closer, begin});
        tree.push_back(field);
        continue;
      }
      field.text = StringRef(begin, field.value.end() - begin);
      field.next = index + 1;
      tree.push_back(field);
    } else {
      ++cursor;
      TextField &field = tree[open.back().index];
      field.text = StringRef(open.back().begin, cursor - open.back().begin);
      field.next = tree.size();
      open.pop_back();
    }
    const bool isElement = !open.empty() && open.back().closer == ']';
    skipSpace();
    if (isElement) {
      if (cursor != end && *cursor == ',')
        ++cursor;
      else if (cursor == end || *cursor != ']')
        return failHere("',' or ']' in a list");
      continue;
    }
    skipSeparator();
    if (open.empty())
      return success();
  }
}
