//===- StringLiteralTest.cpp - Strings in quotes --------------------------===//

#include "StringLiteral.h"

#include "EscapeBlocks.h"

#include "npu/Numerics/SimdTarget.h"

#include "gtest/gtest.h"

#include <array>
#include <random>
#include <string>

using namespace npu::ge;

namespace {

/// Characters of a literal and what they stand for.
struct Piece {
  std::string text, bytes;
};

const std::array<Piece, 33> pieces = {{
    {"a", "a"},
    {"\xc3\xa9", "\xc3\xa9"},
    {"'", "'"}, // in double quotes
    {"\\n", "\n"},
    {"\\r", "\r"},
    {"\\t", "\t"},
    {"\\a", "\a"},
    {"\\b", "\b"},
    {"\\f", "\f"},
    {"\\v", "\v"},
    {"\\\\", "\\"},
    {"\\\"", "\""},
    {"\\'", "'"},
    {"\\?", "?"},
    {"\\8", "8"},
    {"\\\n", "\n"},
    {"\\000", std::string(1, '\0')},
    {"\\134", "\\"},
    {"\\042", "\""},
    {"\\1774", "\1774"},
    {"\\377", "\xff"},
    {"\\777", "\xff"}, // what fits of it
    {"\\400", std::string(1, '\0')},
    {"\\1z", "\1z"},
    {"\\12z", "\12z"},
    {"\\128", "\0128"},
    {"\\x1fz", "\x1fz"},
    {"\\XFf", "\xff"},
    {"\\x4z", "\4z"},
    {"\\u00e9", "\xc3\xa9"},
    {"\\u6587", "\xe6\x96\x87"},
    {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
    {"\\U0001F600", "\xf0\x9f\x98\x80"},
}};

/// Expects that \p value is decoded into \p bytes on all targets, within the
/// room of its length.
void expectDecoded(const std::string &value, const std::string &bytes) {
  auto decode = [&] {
    std::string out(value.size() + EscapeBlockSize, '#');
    const size_t size = decodeString(value, out.data()) - out.data();
    EXPECT_EQ(out.substr(value.size()), std::string(EscapeBlockSize, '#'));
    return out.substr(0, size);
  };
  EXPECT_EQ(decode(), bytes) << value;
  for (npu::numerics::SimdTarget target :
       npu::numerics::getSupportedTargets()) {
    npu::numerics::setTargetForTest(target);
    EXPECT_EQ(decode(), bytes)
        << npu::numerics::getName(target) << ": " << value;
  }
  npu::numerics::setTargetForTest(std::nullopt);
  llvm::SmallVector<char> storage;
  EXPECT_EQ(decodeString(value, storage), llvm::StringRef(bytes));
}

std::string quote(const std::string &text) { return '"' + text + '"'; }

} // namespace

TEST(StringLiteral, DecodesEachEscapeAtEachPlaceOfABlock) {
  for (const Piece &piece : pieces)
    for (size_t before = 0; before != 2 * EscapeBlockSize + 4; ++before) {
      const std::string head(before, '-'), tail(3 * EscapeBlockSize, '+');
      expectDecoded(quote(head + piece.text + tail), head + piece.bytes + tail);
      expectDecoded(quote(head + piece.text), head + piece.bytes);
    }
}

TEST(StringLiteral, DecodesRowsOfEscapesFromEachPlaceOfABlock) {
  for (const Piece &piece : pieces)
    for (size_t before = 0; before != EscapeBlockSize; ++before) {
      std::string text(before, '-'), bytes = text;
      for (int i = 0; i != 2 * EscapeBlockSize; ++i) {
        text += piece.text;
        bytes += piece.bytes;
      }
      expectDecoded(quote(text), bytes);
    }
}

TEST(StringLiteral, DecodesEscapesOfAllKindsInAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round != 3000; ++round) {
    std::string text, bytes;
    // Rows of what blocks can have, and of all.
    const size_t first = round % 2 ? 0 : 10,
                 last = round % 2 ? pieces.size() : 23;
    for (size_t count = random() % 300; count != 0; --count) {
      const Piece &piece = pieces[first + random() % (last - first)];
      text += piece.text;
      bytes += piece.bytes;
    }
    expectDecoded(quote(text), bytes);
  }
}

TEST(StringLiteral, DecodesAdjacentLiterals) {
  const std::string head(70, 'h'), tail(80, 't');
  expectDecoded("\"" + head + "'\\001\" \n '" + tail + "\"\\\\' \"\"",
                head + "'\1" + tail + "\"\\");
}

TEST(StringLiteral, EndsAtTheQuoteOrNewlineThatIsNotEscaped) {
  auto findEnd = [](llvm::StringRef text, char quote = '"') {
    return findLiteralEnd(text.begin(), text.end(), quote) - text.begin();
  };
  EXPECT_EQ(findEnd("ab\"c\""), 2);
  EXPECT_EQ(findEnd("\""), 0);
  EXPECT_EQ(findEnd("a'b\"", '\''), 1);
  EXPECT_EQ(findEnd("a\\\"b\"c"), 4);
  EXPECT_EQ(findEnd("a\\\\\"b\""), 3);
  EXPECT_EQ(findEnd("\\\\\\\"\""), 4);
  EXPECT_EQ(findEnd("\\\"\\\"\\\""), 6);
  EXPECT_EQ(findEnd("ab\nc\""), 2);
  EXPECT_EQ(findEnd("ab\\\nc\""), 5);
  EXPECT_EQ(findEnd("ab\\\\\nc\""), 4);
  EXPECT_EQ(findEnd("a\\\"\n\""), 3);
  EXPECT_EQ(findEnd("a\\\nb\nc"), 4);
  EXPECT_EQ(findEnd("abc"), 3);
  EXPECT_EQ(findEnd("abc\\"), 4);
  EXPECT_EQ(findEnd(""), 0);
}
