//===- Uuid.cpp - Names made of digits ------------------------------------===//

#include "npu/Support/Uuid.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

using namespace npu;

static_assert(std::endian::native == std::endian::little,
              "MD5 reads and writes little-endian words");

using Digest = std::array<uint32_t, 4>;

/// The additive constants of the 64 steps: floor(2^32 |sin(i + 1)|).
static std::array<uint32_t, 64> makeSines() {
  std::array<uint32_t, 64> sines;
  for (size_t i = 0; i < sines.size(); ++i)
    sines[i] = static_cast<uint32_t>(
        0x1p32 * std::fabs(std::sin(static_cast<double>(i + 1))));
  return sines;
}

/// Mixes 64 bytes into \p digest (RFC 1321).
static void addBlock(Digest &digest, const char *block) {
  static const std::array<uint32_t, 64> sines = makeSines();
  static constexpr int shifts[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  uint32_t words[16];
  std::memcpy(words, block, sizeof(words));
  auto [a, b, c, d] = digest;
  for (unsigned i = 0; i < 64; ++i) {
    uint32_t mixed, word;
    switch (i / 16) {
    case 0:
      mixed = (b & c) | (~b & d);
      word = i;
      break;
    case 1:
      mixed = (d & b) | (~d & c);
      word = 5 * i + 1;
      break;
    case 2:
      mixed = b ^ c ^ d;
      word = 3 * i + 5;
      break;
    default:
      mixed = c ^ (b | ~d);
      word = 7 * i;
      break;
    }
    const uint32_t sum = a + mixed + sines[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[i / 16][i % 4]);
  }
  digest[0] += a;
  digest[1] += b;
  digest[2] += c;
  digest[3] += d;
}

std::string npu::makeNameUuid(std::string_view name) {
  constexpr std::string_view dnsNameSpace(
      "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8", 16);
  std::string text(dnsNameSpace);
  text += name;
  const uint64_t bits = text.size() * 8;
  text += '\x80';
  text.resize((text.size() + 8 + 63) / 64 * 64);
  std::memcpy(text.data() + text.size() - sizeof(bits), &bits, sizeof(bits));

  Digest digest = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t i = 0; i < text.size(); i += 64)
    addBlock(digest, text.data() + i);
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), digest.data(), sizeof(bytes));
  bytes[6] = (bytes[6] & 0x0f) | 0x30; // the version
  bytes[8] = (bytes[8] & 0x3f) | 0x80; // the variant
  std::string hex;
  for (uint8_t byte : bytes)
    for (unsigned digit : {byte >> 4, byte & 15})
      hex += "0123456789abcdef"[digit];
  return hex;
}
