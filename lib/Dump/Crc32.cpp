//===- Crc32.cpp - The checksum of a dump file ----------------------------===//
//
// libdeflate's, but for most of the bytes where the processor multiplies
// polynomials in vectors of 256 bits: libdeflate before 1.20 takes 128 bits at
// a time, 4.1 ms of an iteration of ResNet-50, and memory allows for a third of
// that.
//
//===----------------------------------------------------------------------===//

#include "Crc32.h"

#include "npu/Support/Prefetch.h"

#include <algorithm>
#include <libdeflate.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace npu;
using namespace npu::dump;

/// What is asked for ahead: tensors come from memory, or from the cache of
/// another processor, at half the speed where nobody does.
static constexpr size_t Ahead = 2048;

static uint32_t updateAnywhere(uint32_t crc, ByteView bytes) {
  for (size_t at = 0; at < bytes.size(); at += Ahead) {
    const size_t end = std::min(at + Ahead, bytes.size());
    prefetch(bytes.data() + end, std::min(Ahead, bytes.size() - end));
    crc = ::libdeflate_crc32(crc, bytes.data() + at, end - at);
  }
  return crc;
}

#ifdef __x86_64__
namespace {

constexpr size_t NumVectors = 8;
constexpr size_t FoldSize = NumVectors * sizeof(__m256i);

/// x^n modulo the polynomial of the checksum, whose bits, and those of the
/// result, begin with the highest power. One place further, as the product of
/// such numbers is one short.
constexpr int64_t power(unsigned n) {
  uint64_t value = 0x80000000; // x^0
  for (; n != 0; --n)
    value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320 : 0);
  return static_cast<int64_t>(value << 1);
}

bool canFold() {
  static const bool can =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq");
  return can;
}

/// The same for a multiple of FoldSize, not 0. Each half of 128 bits is
/// multiplied by the power of x by which it is moved on, and added to what lies
/// there (Gopal et al., Fast CRC Computation for Generic Polynomials Using
/// PCLMULQDQ Instruction, Intel 2009). What is left, one such multiple, has the
/// checksum of all.
__attribute__((target("avx2,vpclmulqdq"))) uint32_t fold(uint32_t crc,
                                                         ByteView bytes) {
  constexpr unsigned distance = 8 * FoldSize;
  constexpr int64_t low = power(distance + 32), high = power(distance - 32);
  const __m256i factors = _mm256_set_epi64x(high, low, high, low);
  const auto *from = reinterpret_cast<const __m256i *>(bytes.data());
  const auto *const end = from + bytes.size() / sizeof(__m256i);
  __m256i sums[NumVectors];
  for (size_t i = 0; i < NumVectors; ++i)
    sums[i] = _mm256_loadu_si256(from + i);
  // As if it stood in front.
  sums[0] = _mm256_xor_si256(sums[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128(
                                          static_cast<int>(~crc))));
  for (from += NumVectors; from != end; from += NumVectors) {
    prefetch(reinterpret_cast<const std::byte *>(from) + Ahead, FoldSize);
    for (size_t i = 0; i < NumVectors; ++i)
      sums[i] = _mm256_xor_si256(
          _mm256_xor_si256(_mm256_clmulepi64_epi128(sums[i], factors, 0x00),
                           _mm256_clmulepi64_epi128(sums[i], factors, 0x11)),
          _mm256_loadu_si256(from + i));
  }
  // From the state 0 on, which the function takes inverted.
  return ::libdeflate_crc32(~uint32_t(0), sums, FoldSize);
}

} // namespace
#endif

uint32_t npu::dump::updateCrc32(uint32_t crc, ByteView bytes) {
#ifdef __x86_64__
  const size_t folded = bytes.size() / FoldSize * FoldSize;
  if (folded != 0 && canFold()) {
    crc = fold(crc, bytes.first(folded));
    bytes = bytes.subspan(folded);
  }
#endif
  return updateAnywhere(crc, bytes);
}
