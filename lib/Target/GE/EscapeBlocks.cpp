//===- EscapeBlocks.cpp - Blocks of a literal in vectors ------------------===//
//
// Each character is decoded as if an escape began there, and those stay that no
// escape before them covers. Which these are is bits of one word, so that no
// branch and no address depends on the characters.
//
//===----------------------------------------------------------------------===//

#include "EscapeBlocks.h"

#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "EscapeBlocks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <bit>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace npu::ge::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
void decode(const char *&, const char *, char, char *&) {} // one by one
#else

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<uint8_t, EscapeBlockSize>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

constexpr D d;

HWY_INLINE M is(V chars, char c) { return hn::Eq(chars, hn::Set(d, c)); }

/// The backslashes that begin an escape: in a row of them every other.
HWY_INLINE uint64_t findStarts(uint64_t backslashes) {
  constexpr uint64_t Even = 0x5555555555555555;
  const uint64_t rows = backslashes & ~(backslashes << 1); // the first ones
  // The carry goes through all of a row and leaves none of it.
  const uint64_t oddRows = backslashes & (backslashes + (rows & Even));
  const uint64_t evenRows = backslashes & ~oddRows;
  return (evenRows & Even) | (oddRows & ~Even);
}

/// The masks of a block, a bit for each character.
struct Masks {
  uint64_t backslash = 0, quote = 0, octal = 0, simple = 0;
};

void decode(const char *&text, const char *end, char quote, char *&out) {
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint8_t bytes[EscapeBlockSize]; // decoded, to be moved together
  uint64_t covered = 0; // by an escape that began in the block before
  // Digits of the last character's escape are read behind the block.
  while (end - text >= EscapeBlockSize + 3) {
    const auto *chars = reinterpret_cast<const uint8_t *>(text);
    hwy::Prefetch(chars + 16 * EscapeBlockSize);
    Masks masks;
    for (size_t i = 0; i < EscapeBlockSize; i += lanes) {
      const V zero = hn::Set(d, '0');
      const V c = hn::LoadU(d, chars + i), next = hn::LoadU(d, chars + i + 1);
      const V first = hn::Sub(next, zero);
      const V second = hn::Sub(hn::LoadU(d, chars + i + 2), zero);
      const V third = hn::Sub(hn::LoadU(d, chars + i + 3), zero);
      const M backslash = is(c, '\\');
      const M octal = hn::Eq(
          hn::And(hn::Or(first, hn::Or(second, third)), hn::Set(d, 0xF8)),
          hn::Zero(d));
      const M n = is(next, 'n'), r = is(next, 'r'), t = is(next, 't');
      const M simple =
          hn::Or(hn::Or(n, hn::Or(r, t)),
                 hn::Or(is(next, '\\'), hn::Or(is(next, '"'), is(next, '\''))));
      // first * 64 + second * 8 + third without what does not fit.
      const V number = hn::Add(
          hn::ShiftLeft<3>(hn::Add(hn::ShiftLeft<3>(first), second)), third);
      V escaped = hn::IfThenElse(octal, number, next);
      escaped = hn::IfThenElse(n, hn::Set(d, '\n'), escaped);
      escaped = hn::IfThenElse(r, hn::Set(d, '\r'), escaped);
      escaped = hn::IfThenElse(t, hn::Set(d, '\t'), escaped);
      hn::Store(hn::IfThenElse(backslash, escaped, c), d, bytes + i);
      auto addTo = [&](uint64_t &bits, M mask) {
        uint64_t part = 0;
        hn::StoreMaskBits(d, mask, reinterpret_cast<uint8_t *>(&part));
        bits |= part << i;
      };
      addTo(masks.backslash, backslash);
      addTo(masks.quote, is(c, quote));
      addTo(masks.octal, octal);
      addTo(masks.simple, simple);
    }
    const uint64_t starts = findStarts(masks.backslash & ~covered);
    const uint64_t octal = starts & masks.octal, simple = starts & masks.simple;
    const uint64_t dropped = covered | starts << 1 | octal << 2 | octal << 3;
    if (starts != (octal | simple) || (masks.quote & ~dropped)) {
      // Up to here the characters are done that an escape has covered.
      text += std::popcount(covered);
      return;
    }
    const uint64_t kept = ~dropped;
    for (size_t i = 0; i < EscapeBlockSize; i += lanes) {
      const uint64_t part = kept >> i;
      out += hn::CompressBitsStore(hn::Load(d, bytes + i),
                                   reinterpret_cast<const uint8_t *>(&part), d,
                                   reinterpret_cast<uint8_t *>(out));
    }
    covered = starts >> 63 | octal >> 62 | octal >> 61;
    text += EscapeBlockSize;
  }
  text += std::popcount(covered);
}
#endif

} // namespace
} // namespace npu::ge::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npu::ge {
HWY_EXPORT(decode);
} // namespace npu::ge

void npu::ge::decodeEscapeBlocks(const char *&text, const char *end, char quote,
                                 char *&out) {
  HWY_DYNAMIC_DISPATCH(decode)(text, end, quote, out);
}
#endif
