//===- JsonReader.cpp - JSON as fields ------------------------------------===//

#include "JsonReader.h"

#include "StringLiteral.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace npu::ge;

namespace {

class JsonReader {
public:
  JsonReader(StringRef text, TextTree &tree, std::string &message,
             TextPosition &at)
      : cursor(text.begin()), end(text.end()), lineStart(text.begin()),
        tree(tree), message(message), at(at) {}

  LogicalResult run();

private:
  void skipSpace();
  TextPosition position() const {
    return {line, static_cast<uint32_t>(cursor - lineStart) + 1};
  }
  LogicalResult fail(const Twine &expected);
  /// The string at the cursor, with its quotes.
  LogicalResult readString(StringRef &literal);
  /// A string or another scalar into \p field.
  LogicalResult readScalar(TextField &field);

  const char *cursor, *end, *lineStart;
  uint32_t line = 1;
  TextTree &tree;
  std::string &message;
  TextPosition &at;
};

} // namespace

LogicalResult JsonReader::fail(const Twine &expected) {
  at = position();
  if (cursor == end)
    message = ("expected " + expected +
               ", but the text ends here (is the file cut off?)")
                  .str();
  else if (isPrint(*cursor))
    message =
        ("expected " + expected + ", found '" + Twine(*cursor) + "'").str();
  else
    message = ("expected " + expected + ", found byte 0x" +
               utohexstr(uint8_t(*cursor)))
                  .str();
  return failure();
}

void JsonReader::skipSpace() {
  for (; cursor != end; ++cursor) {
    if (*cursor == '\n') {
      ++line;
      lineStart = cursor + 1;
    } else if (*cursor != ' ' && *cursor != '\t' && *cursor != '\r') {
      return;
    }
  }
}

LogicalResult JsonReader::readString(StringRef &literal) {
  if (cursor == end || *cursor != '"')
    return fail("a string in quotes");
  const char *begin = cursor;
  const TextPosition start = position();
  cursor = findLiteralEnd(cursor + 1, end, '"');
  if (cursor == end || *cursor != '"') {
    message = cursor == end ? "a string begins here, but the text ends inside "
                              "it (is the file cut off?)"
                            : "a string begins here, but its line ends before "
                              "it";
    at = start;
    return failure();
  }
  ++cursor;
  literal = StringRef(begin, cursor - begin);
  return success();
}

LogicalResult JsonReader::readScalar(TextField &field) {
  if (*cursor == '"') {
    field.kind = TextField::Kind::String;
    return readString(field.value);
  }
  const char *begin = cursor;
  while (cursor != end && (isAlnum(*cursor) || *cursor == '-' ||
                           *cursor == '+' || *cursor == '.'))
    ++cursor;
  if (cursor == begin)
    return fail("a value");
  field.kind = TextField::Kind::Scalar;
  field.value = StringRef(begin, cursor - begin);
  return success();
}

LogicalResult JsonReader::run() {
  struct Open {
    uint32_t index;
    const char *begin;
  };
  SmallVector<Open, 16> open;
  skipSpace();
  if (cursor == end || *cursor != '{')
    return fail("'{'");
  bool first = true; // in its object or array
  do {
    const bool inObject = !open.empty() && tree[open.back().index].kind ==
                                               TextField::Kind::Message;
    skipSpace();
    if (!open.empty() && cursor != end && *cursor == (inObject ? '}' : ']')) {
      ++cursor;
      TextField &field = tree[open.back().index];
      field.text = StringRef(open.back().begin, cursor - open.back().begin);
      field.next = tree.size();
      open.pop_back();
      first = false;
      continue;
    }
    if (!open.empty() && !first) {
      if (cursor == end || *cursor != ',')
        return fail(inObject ? "',' or '}'" : "',' or ']'");
      ++cursor;
      skipSpace();
    }
    TextField field;
    field.position = position();
    const char *begin = cursor;
    if (inObject) {
      StringRef literal;
      if (failed(readString(literal)))
        return failure();
      field.name = literal.drop_front().drop_back();
      skipSpace();
      if (cursor == end || *cursor != ':')
        return fail("':' after \"" + field.name + "\"");
      ++cursor;
      skipSpace();
    }
    if (cursor == end)
      return fail("a value");
    first = *cursor == '{' || *cursor == '[';
    if (first) {
      field.kind =
          *cursor++ == '{' ? TextField::Kind::Message : TextField::Kind::List;
      open.push_back({static_cast<uint32_t>(tree.size()), begin});
      tree.push_back(field);
      continue;
    }
    if (failed(readScalar(field)))
      return failure();
    if (field.kind == TextField::Kind::Scalar && field.value == "null") {
      if (field.name != "value")
        continue;
      field.kind = TextField::Kind::Message;
    }
    field.text = StringRef(begin, cursor - begin);
    field.next = static_cast<uint32_t>(tree.size()) + 1;
    tree.push_back(field);
  } while (!open.empty());
  skipSpace();
  return cursor == end ? success() : fail("the end of the text");
}

LogicalResult npu::ge::readJson(StringRef text, TextTree &tree,
                                std::string &message, TextPosition &at) {
  return JsonReader(text, tree, message, at).run();
}
