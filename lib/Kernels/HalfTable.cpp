//===- HalfTable.cpp - A function of fp16, tabulated ----------------------===//

#include "HalfTable.h"

#include <algorithm>
#include <limits>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "HalfTable.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npu::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace nn = npu::numerics::HWY_NAMESPACE;

using D = hn::ScalableTag<uint16_t>;
using DI = hn::RebindToSigned<D>;

#if HWY_TARGET == HWY_AVX2
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

void lookUp(const uint16_t *table, const uint16_t *from, uint16_t *to,
            size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm_unpacklo_epi64(lookUpFour(table, from + i),
                                        lookUpFour(table, from + i + 4)));
#endif
  for (; i < count; ++i)
    to[i] = table[from[i]];
}

bool areInRange(const HalfTable::QuietRange &range, const uint16_t *from,
                size_t count) {
  const D d;
  const DI di;
  const size_t lanes = hn::Lanes(d);
  const auto bias = hn::Set(d, range.magnitudeBias);
  auto least = hn::Set(di, std::numeric_limits<int16_t>::max());
  auto most = hn::Set(di, std::numeric_limits<int16_t>::min());
  auto smallest = least;
  const auto inspect = [&](hn::Vec<D> bits) HWY_ATTR {
    const auto order = nn::orderOfHalf(di, bits);
    const auto magnitude = hn::And(bits, hn::Set(d, 0x7FFF));
    least = hn::Min(least, order);
    most = hn::Max(most, order);
    smallest = hn::Min(smallest, hn::BitCast(di, hn::Add(magnitude, bias)));
  };
  size_t at = 0;
  for (; at + lanes <= count; at += lanes)
    inspect(hn::LoadU(d, from + at));
  if (at < count && at > 0)
    inspect(hn::LoadU(d, from + count - lanes)); // some of them again
  else
    for (; at < count; ++at)
      inspect(hn::Set(d, from[at]));
  return hn::AllFalse(di, hn::Lt(least, hn::Set(di, range.lowest))) &&
         hn::AllFalse(di, hn::Gt(most, hn::Set(di, range.highest))) &&
         hn::AllFalse(di,
                      hn::Lt(smallest, hn::Set(di, range.smallestMagnitude)));
}

} // namespace

/// Returns whether all operands raise nothing.
bool lookUpHalves(const uint16_t *table, const HalfTable::QuietRange &range,
                  const uint16_t *from, uint16_t *to, size_t count) {
  const bool areQuiet = areInRange(range, from, count);
  lookUp(table, from, to, count);
  return areQuiet;
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

/// Orders operands like their values: -0 is -1, +0 is 0.
constexpr int16_t orderOf(uint16_t bits) {
  return static_cast<int16_t>(bits ^
                              ((static_cast<int16_t>(bits) >> 15) & ~SignBit));
}
/// The operand at a place of that order.
constexpr uint16_t operandAt(int16_t order) {
  return static_cast<uint16_t>(orderOf(static_cast<uint16_t>(order)));
}
/// Orders magnitudes: the one after bias - SignBit comes first.
constexpr int16_t magnitudeOrder(uint16_t bits, uint16_t bias) {
  return static_cast<int16_t>((bits & ~SignBit) + bias);
}

} // namespace

HalfTable::HalfTable(const Function &function)
    : results(Size + 1), statuses(Size, status::None) {
  std::vector<uint16_t> operands(Size);
  std::iota(operands.begin(), operands.end(), uint16_t(0));
  // Where a block raises nothing none of its operands does.
  constexpr size_t block = 64;
  for (size_t begin = 0; begin < Size; begin += block) {
    if (function(&operands[begin], &results[begin], block) == status::None)
      continue;
    for (size_t i = begin; i < begin + block; ++i)
      statuses[i] =
          static_cast<uint16_t>(function(&operands[i], &results[i], 1));
  }
  findQuietRange();
}

void HalfTable::findQuietRange() {
  // Magnitudes from first on are asked about; zero is, if it raises something.
  uint16_t first = 1;
  for (uint16_t magnitude = 1; magnitude < SmallestNormal; ++magnitude)
    if (statuses[magnitude] || statuses[magnitude | SignBit])
      first = magnitude + 1;
  const bool quietZero = !statuses[0] && !statuses[SignBit];
  quiet.magnitudeBias = quietZero ? SignBit - 1 : SignBit;
  quiet.smallestMagnitude = magnitudeOrder(first, quiet.magnitudeBias);

  const auto isQuiet = [&](int order) {
    return statuses[operandAt(static_cast<int16_t>(order))] == status::None;
  };
  int low = orderOf(first | SignBit), high = first;
  while (low >= std::numeric_limits<int16_t>::min() && isQuiet(low))
    --low;
  while (high <= std::numeric_limits<int16_t>::max() && isQuiet(high))
    ++high;
  quiet.lowest = static_cast<int16_t>(low + 1);
  quiet.highest = static_cast<int16_t>(high - 1);
}

StatusBits HalfTable::apply(const uint16_t *from, uint16_t *to,
                            size_t count) const {
  if (HWY_DYNAMIC_DISPATCH(lookUpHalves)(results.data(), quiet, from, to,
                                         count))
    return status::None;
  uint16_t bits = status::None;
  for (size_t i = 0; i < count; ++i)
    bits |= statuses[from[i]];
  return bits;
}

#endif // HWY_ONCE
