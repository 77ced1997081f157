//===- HalfTable.cpp - A function of fp16, tabulated ----------------------===//

#include "HalfTable.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

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
    : results(Size), statuses(Size, status::None) {
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
  magnitudeBias = quietZero ? SignBit - 1 : SignBit;
  smallestMagnitude = magnitudeOrder(first, magnitudeBias);

  const auto isQuiet = [&](int order) {
    return statuses[operandAt(static_cast<int16_t>(order))] == status::None;
  };
  int low = orderOf(first | SignBit), high = first;
  while (low >= std::numeric_limits<int16_t>::min() && isQuiet(low))
    --low;
  while (high <= std::numeric_limits<int16_t>::max() && isQuiet(high))
    ++high;
  lowest = static_cast<int16_t>(low + 1);
  highest = static_cast<int16_t>(high - 1);
}

bool HalfTable::areQuiet(const uint16_t *from, size_t count) const {
  int16_t least = std::numeric_limits<int16_t>::max();
  int16_t most = std::numeric_limits<int16_t>::min();
  int16_t smallest = std::numeric_limits<int16_t>::max();
  for (size_t i = 0; i < count; ++i) {
    const int16_t order = orderOf(from[i]);
    least = std::min(least, order);
    most = std::max(most, order);
    smallest = std::min(smallest, magnitudeOrder(from[i], magnitudeBias));
  }
  return least >= lowest && most <= highest && smallest >= smallestMagnitude;
}

StatusBits HalfTable::apply(const uint16_t *from, uint16_t *to,
                            size_t count) const {
  for (size_t i = 0; i < count; ++i)
    to[i] = results[from[i]];
  if (areQuiet(from, count))
    return status::None;
  uint16_t bits = status::None;
  for (size_t i = 0; i < count; ++i)
    bits |= statuses[from[i]];
  return bits;
}
