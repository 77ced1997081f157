//===- Crc32Test.cpp - The checksum of a dump file ------------------------===//

#include "Crc32.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace npu;
using namespace npu::dump;

/// The definition, bit by bit.
static uint32_t expectedCrc(ByteView bytes) {
  uint32_t state = ~uint32_t(0);
  for (std::byte byte : bytes) {
    state ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit)
      state = (state >> 1) ^ ((state & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~state;
}

static std::vector<std::byte> makeBytes(size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Crc32, IsThatOfZlib) {
  // The check value of the catalogues of checksums.
  EXPECT_EQ(updateCrc32(0, asBytes("123456789")), 0xCBF43926u);
  EXPECT_EQ(updateCrc32(0, {}), 0u);
}

TEST(Crc32, OfAllSizes) {
  const std::vector<std::byte> bytes = makeBytes(1300);
  for (size_t size = 0; size <= bytes.size(); ++size)
    ASSERT_EQ(updateCrc32(0, ByteView(bytes).first(size)),
              expectedCrc(ByteView(bytes).first(size)))
        << size;
}

TEST(Crc32, PieceByPiece) {
  const std::vector<std::byte> bytes = makeBytes(100'003);
  const uint32_t expected = expectedCrc(bytes);
  for (size_t piece : {1u, 255u, 256u, 257u, 4099u, 65'536u}) {
    uint32_t crc = 0;
    for (size_t at = 0; at < bytes.size(); at += piece)
      crc = updateCrc32(
          crc, ByteView(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    EXPECT_EQ(crc, expected) << piece;
  }
}
