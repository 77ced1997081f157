//===- OpDebugStatus.cpp - Status words of overflows ----------------------===//

#include "npu/Dump/OverflowStatus.h"

#include "Hex.h"

#include <iterator>

using namespace npu;
using namespace npu::dump;

namespace {
struct StatusBit {
  unsigned bit;
  bool inGuide; ///< the guide on overflow data lists it
  const char *meaning;
};
} // namespace

static constexpr StatusBit aiCoreBits[] = {
    {3, true, "negation of the smallest signed integer"},
    {4, true, "integer add/sub/mul/multiply-add overflow"},
    {5, true, "floating-point overflow"},
    {6, false, "floating-point underflow"},
    {7, true, "negative float to unsigned integer"},
    {8, true, "f32-to-f16 or int32-to-f16 overflow"},
    {9, false, "f32-to-f16 underflow"},
    {10, true, "Cube accumulation overflow"},
    {11, false, "Cube accumulation underflow"},
    {13, false, "NaN or Inf input of a scalar instruction"},
    {14, false, "NaN or Inf input of a vector instruction"},
    {15, false, "NaN or Inf input of a Cube instruction"},
    {61, false, "NaN or Inf input of a data move"},
};

/// In the order of AtomicOverflow.
static constexpr const char *atomicMeanings[] = {
    "above the largest value",          "below the smallest value",
    "source operand is NaN or invalid", "destination operand is NaN or invalid",
    "both operands are NaN or invalid",
};

static constexpr const char *noOverflow = "no overflow";

static std::string describeBit(unsigned bit) {
  const StatusBit *known = nullptr;
  for (const StatusBit &candidate : aiCoreBits)
    if (candidate.bit == bit)
      known = &candidate;
  if (known && known->inGuide)
    return known->meaning;
  std::string text = "unknown bit " + toHex(uint64_t(1) << bit);
  if (known)
    text += std::string(" (") + known->meaning + " in the Ascend C manual)";
  return text;
}

std::string npu::dump::describeAiCoreStatus(uint64_t status) {
  std::string text;
  for (unsigned bit = 0; bit < 64; ++bit)
    if (status >> bit & 1)
      text += (text.empty() ? "" : " + ") + describeBit(bit);
  return text.empty() ? std::string(noOverflow) : text;
}

/// \p encode has the codes, of which \p mask are the bits.
static std::string describeAtomic(uint64_t status, uint64_t mask,
                                  uint64_t (*encode)(AtomicOverflow)) {
  if (status == 0)
    return noOverflow;
  for (size_t i = 0; i < std::size(atomicMeanings); ++i)
    if ((status & mask) == encode(static_cast<AtomicOverflow>(i)))
      return std::string("overflow: ") + atomicMeanings[i];
  return "overflow: unknown code in " + toHex(status);
}

std::string npu::dump::describeDhaStatus(uint64_t status) {
  return describeAtomic(status, 0xff00, encodeDhaStatus);
}

std::string npu::dump::describeL2Status(uint64_t status) {
  return describeAtomic(status, 0x70000, encodeL2Status);
}
