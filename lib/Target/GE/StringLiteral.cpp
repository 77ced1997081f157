//===- StringLiteral.cpp - Strings in quotes ------------------------------===//

#include "StringLiteral.h"

#include "EscapeBlocks.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace npu::ge;

static const char *find(const char *begin, const char *end, char c) {
  return static_cast<const char *>(std::memchr(begin, c, end - begin));
}

/// Whether the character at \p p belongs to a backslash before it, in a literal
/// whose characters start at \p begin.
static bool isEscaped(const char *begin, const char *p) {
  const char *row = p;
  while (row != begin && row[-1] == '\\')
    --row;
  return (p - row) % 2 != 0;
}

const char *npu::ge::findLiteralEnd(const char *begin, const char *end,
                                    char quote) {
  for (const char *p = begin;; ++p) {
    const char *found = find(p, end, quote);
    const char *last = found ? found : end;
    for (; (p = find(p, last, '\n')); ++p)
      if (!isEscaped(begin, p))
        return p;
    if (last == end || !isEscaped(begin, last))
      return last;
    p = last;
  }
}

static unsigned readDigits(const char *&p, const char *end, unsigned base,
                           unsigned most) {
  unsigned number = 0;
  for (unsigned i = 0; i < most && p != end; ++i, ++p) {
    unsigned digit = hexDigitValue(*p);
    if (digit >= base)
      break;
    number = number * base + digit;
  }
  return number;
}

/// Writes \p code as UTF-8.
static void writeCodePoint(unsigned code, char *&out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return;
  }
  unsigned bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  *out++ =
      static_cast<char>((0xF00 >> bytes & 0xFF) | code >> (6 * (bytes - 1)));
  for (unsigned i = bytes - 1; i-- > 0;)
    *out++ = static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

/// Decodes the escape whose backslash is before \p p.
static void decodeEscape(const char *&p, const char *end, char *&out) {
  const char c = *p++;
  switch (c) {
  case 'a':
    *out++ = '\a';
    break;
  case 'b':
    *out++ = '\b';
    break;
  case 'f':
    *out++ = '\f';
    break;
  case 'n':
    *out++ = '\n';
    break;
  case 'r':
    *out++ = '\r';
    break;
  case 't':
    *out++ = '\t';
    break;
  case 'v':
    *out++ = '\v';
    break;
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7':
    --p;
    *out++ = static_cast<char>(readDigits(p, end, 8, 3));
    break;
  case 'x':
  case 'X':
    *out++ = static_cast<char>(readDigits(p, end, 16, 2));
    break;
  case 'u': {
    unsigned code = readDigits(p, end, 16, 4);
    // JSON writes what is beyond 16 bits in two halves.
    if (code >= 0xD800 && code < 0xDC00 && end - p >= 6 && p[0] == '\\' &&
        p[1] == 'u') {
      p += 2;
      code = 0x10000 + ((code - 0xD800) << 10) +
             (readDigits(p, end, 16, 4) - 0xDC00 & 0x3FF);
    }
    writeCodePoint(code, out);
    break;
  }
  case 'U':
    writeCodePoint(readDigits(p, end, 16, 8), out);
    break;
  default:
    *out++ = c;
    break; // \\ \" \' \?
  }
}

char *npu::ge::decodeString(StringRef value, char *out) {
  const char *p = value.begin(), *end = value.end();
  while (p != end) {
    const char quote = *p++;
    if (quote != '"' && quote != '\'') // between literals
      continue;
    while (p != end && *p != quote) {
      decodeEscapeBlocks(p, end, quote, out);
      // What ended the blocks is in the next one.
      const char *next = p + std::min<ptrdiff_t>(end - p, EscapeBlockSize);
      while (p < next && *p != quote) {
        if (*p != '\\')
          *out++ = *p++;
        else if (++p != end)
          decodeEscape(p, end, out);
      }
    }
    if (p != end)
      ++p;
  }
  return out;
}

/// Whether \p value is one literal without escapes.
static bool isPlain(StringRef value) {
  return value.size() >= 2 && !std::memchr(value.data(), '\\', value.size()) &&
         value.drop_front().find(value.front()) == value.size() - 2;
}

StringRef npu::ge::decodeString(StringRef value,
                                SmallVectorImpl<char> &storage) {
  if (isPlain(value))
    return value.drop_front().drop_back();
  storage.resize_for_overwrite(value.size());
  storage.truncate(decodeString(value, storage.data()) - storage.data());
  return StringRef(storage.data(), storage.size());
}
