//===- HalfTable.cpp - A function of fp16, tabulated ----------------------===//

#include "HalfTable.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "HalfTable.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<uint16_t>;
using DI = hn::RebindToSigned<D>;

/// Whether operands raise nothing.
class QuietWatch {
public:
  explicit HWY_INLINE QuietWatch(const HalfTable::QuietRange &range)
      : range(range) {}

  HWY_INLINE void inspect(hn::Vec<D> bits) {
    const D d;
    // Negative operands have the largest bits, and as signed numbers the least.
    largest = hn::Max(largest, hn::BitCast(DI(), bits));
    mostNegative = hn::Max(mostNegative, bits);
    const auto magnitude = hn::Add(bits, bits); // twice that, without a sign
    smallest =
        hn::Min(smallest, hn::Add(magnitude, hn::Set(d, range.magnitudeBias)));
  }

  HWY_INLINE void inspect(const uint16_t *from, size_t count) {
    const D d;
    const size_t lanes = hn::Lanes(d);
    size_t at = 0;
    for (; at + lanes <= count; at += lanes)
      inspect(hn::LoadU(d, from + at));
    if (at < count && at > 0)
      inspect(hn::LoadU(d, from + count - lanes)); // some of them again
    else
      for (; at < count; ++at)
        inspect(hn::Set(d, from[at]));
  }

  HWY_INLINE bool isQuiet() const {
    const D d;
    const DI di;
    return hn::AllFalse(di, hn::Gt(largest, hn::Set(di, range.largest))) &&
           hn::AllFalse(d,
                        hn::Gt(mostNegative, hn::Set(d, range.mostNegative))) &&
           hn::AllFalse(d,
                        hn::Lt(smallest, hn::Set(d, range.smallestMagnitude)));
  }

private:
  const HalfTable::QuietRange &range;
  hn::Vec<DI> largest = hn::Zero(DI());
  hn::Vec<D> mostNegative = hn::Zero(D());
  hn::Vec<D> smallest = hn::Set(D(), std::numeric_limits<uint16_t>::max());
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
/// The values of four operands. Each is read into its lane, and the operands
/// at once: less of both reading and writing than one by one. Reads one value
/// more than there are.
HWY_INLINE __m128i lookUpFour(const uint16_t *table, const uint16_t *from) {
  uint64_t operands;
  std::memcpy(&operands, from, sizeof(operands));
  const auto operand = [=](int i) {
    return static_cast<uint16_t>(operands >> 16 * i);
  };
  __m128i values = _mm_loadu_si32(table + operand(0));
  values = _mm_insert_epi16(values, table[operand(1)], 1);
  values = _mm_insert_epi16(values, table[operand(2)], 2);
  return _mm_insert_epi16(values, table[operand(3)], 3);
}
#endif

#if HWY_TARGET == HWY_AVX3
/// Whether gathers are quicker than reading values one by one. Of processors
/// that lack fp16 arithmetic some gather in microcode, others have been made to
/// do so, as theirs leaked what they read.
bool gathersAreQuick() {
  static const bool areQuick = __builtin_cpu_supports("avx512fp16");
  return areQuick;
}

/// The values of a vector of operands. Pairs are read of which one is wanted:
/// with the next one those of even lanes, with the one before those of odd
/// ones.
HWY_INLINE hn::Vec<D> gather(const uint16_t *table, hn::Vec<D> operands) {
  const hn::RepartitionToWide<DI> dw;
  const auto *before = reinterpret_cast<const int32_t *>(table - 1);
  const auto *pairs = reinterpret_cast<const int32_t *>(table);
  // Offsets in bytes.
  const auto mask = hn::Set(dw, 0x1FFFE);
  const auto both = hn::BitCast(dw, operands);
  const auto even = hn::And(hn::ShiftLeft<1>(both), mask);
  const auto odd = hn::And(hn::ShiftRight<15>(both), mask);
  const D d;
  return hn::OddEven(hn::BitCast(d, hn::GatherOffset(dw, before, odd)),
                     hn::BitCast(d, hn::GatherOffset(dw, pairs, even)));
}
#endif

void lookUp(const uint16_t *table, const uint16_t *from, uint16_t *to,
            size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm_unpacklo_epi64(lookUpFour(table, from + i),
                                        lookUpFour(table, from + i + 4)));
#endif
  for (; i < count; ++i)
    to[i] = table[from[i]];
}

} // namespace

/// Returns whether all operands raise nothing.
bool lookUpHalves(const uint16_t *table, const HalfTable::QuietRange &range,
                  const uint16_t *from, uint16_t *to, size_t count) {
  QuietWatch watch(range);
  size_t at = 0;
#if HWY_TARGET == HWY_AVX3
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (gathersAreQuick())
    for (; at + lanes <= count; at += lanes) {
      const auto operands = hn::LoadU(d, from + at);
      watch.inspect(operands);
      hn::StoreU(gather(table, operands), d, to + at);
    }
#endif
  watch.inspect(from + at, count - at);
  lookUp(table, from + at, to + at, count - at);
  return watch.isQuiet();
}

} // namespace npu::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

using namespace npu;
using namespace npu::kernels;

namespace npu::kernels {
HWY_EXPORT(lookUpHalves);
} // namespace npu::kernels

namespace {

constexpr uint16_t SignBit = 0x8000, SmallestNormal = 0x0400;

// The highest bit; a table keeps 16 of them.
static_assert(status::CubeNanInfInput < 1 << 16);

} // namespace

HalfTable::HalfTable(const Function &function)
    : results(Size + 2), statuses(Size, status::None) {
  uint16_t *const values = results.data() + 1;
  std::vector<uint16_t> operands(Size);
  std::iota(operands.begin(), operands.end(), uint16_t(0));
  // Where a block raises nothing none of its operands does.
  constexpr size_t block = 64;
  for (size_t begin = 0; begin < Size; begin += block) {
    if (function(&operands[begin], &values[begin], block) == status::None)
      continue;
    for (size_t i = begin; i < begin + block; ++i)
      statuses[i] =
          static_cast<uint16_t>(function(&operands[i], &values[i], 1));
  }
  findQuietRange();
}

void HalfTable::findQuietRange() {
  // Magnitudes from first on are asked about; zero is, if it raises something.
  uint16_t first = 1;
  for (uint16_t magnitude = 1; magnitude < SmallestNormal; ++magnitude)
    if (statuses[magnitude] || statuses[magnitude | SignBit])
      first = magnitude + 1;
  // Vectors compare twice the magnitude; a zero less one is beyond all others.
  const bool quietZero = !statuses[0] && !statuses[SignBit];
  quiet.magnitudeBias = quietZero ? std::numeric_limits<uint16_t>::max() : 0;
  quiet.smallestMagnitude =
      static_cast<uint16_t>(2 * first + quiet.magnitudeBias);

  const auto lastQuiet = [&](uint16_t sign) {
    unsigned magnitude = first;
    while (magnitude < SignBit && statuses[magnitude | sign] == status::None)
      ++magnitude;
    return static_cast<uint16_t>((magnitude - 1) | sign);
  };
  quiet.largest = static_cast<int16_t>(lastQuiet(0));
  quiet.mostNegative = lastQuiet(SignBit);
}

StatusBits HalfTable::apply(const uint16_t *from, uint16_t *to,
                            size_t count) const {
  if (HWY_DYNAMIC_DISPATCH(lookUpHalves)(results.data() + 1, quiet, from, to,
                                         count))
    return status::None;
  uint16_t bits = status::None;
  for (size_t i = 0; i < count; ++i)
    bits |= statuses[from[i]];
  return bits;
}

#endif // HWY_ONCE
