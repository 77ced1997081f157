//===- ValueSummary.cpp - The values of a tensor in brief -----------------===//

#include "npu/Execution/ValueSummary.h"

#include "npu/Kernels/LaneMap.h"
#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <cmath>

using namespace npu;

namespace {
/// Adds elements to a summary.
class Collector {
public:
  Collector(ValueSummary &summary, std::span<const double> watch)
      : summary(summary), watch(watch) {}

  void add(double value, bool isSaturated) {
    ++summary.count;
    if (std::isnan(value)) {
      ++summary.nans;
      return;
    }
    if (std::isinf(value)) {
      ++(value > 0 ? summary.positiveInfs : summary.negativeInfs);
      return;
    }
    summary.zeros += value == 0;
    summary.watched +=
        std::find(watch.begin(), watch.end(), value) != watch.end();
    summary.saturated += isSaturated;
    if (!summary.anyFinite) {
      summary.minimum = summary.maximum = value;
      summary.anyFinite = true;
      return;
    }
    summary.minimum = std::min(summary.minimum, value);
    summary.maximum = std::max(summary.maximum, value);
  }

private:
  ValueSummary &summary;
  std::span<const double> watch;
};
} // namespace

/// Adds elements [begin, end) of \p data.
static void addElements(DataType dtype, const std::byte *data, int64_t begin,
                        int64_t end, Collector &collector) {
  auto addAll = [&](auto element, auto toValue) {
    const auto *elements = reinterpret_cast<const decltype(element) *>(data);
    for (int64_t i = begin; i != end; ++i)
      toValue(elements[i]);
  };
  auto addNumbers = [&](auto element) {
    addAll(element, [&](auto value) {
      collector.add(static_cast<double>(value), false);
    });
  };
  switch (dtype) {
  case DataType::Float16:
    return addAll(uint16_t(), [&](uint16_t bits) {
      collector.add(halfToFloat(bits), (bits & 0x7FFF) == 0x7BFF);
    });
  case DataType::BFloat16:
    return addAll(uint16_t(), [&](uint16_t bits) {
      collector.add(bfloat16ToFloat(bits), (bits & 0x7FFF) == 0x7F7F);
    });
  case DataType::Float:
    return addNumbers(float());
  case DataType::Double:
    return addNumbers(double());
  case DataType::Int8:
    return addNumbers(int8_t());
  case DataType::UInt8:
  case DataType::Bool:
    return addNumbers(uint8_t());
  case DataType::Int16:
    return addNumbers(int16_t());
  case DataType::UInt16:
    return addNumbers(uint16_t());
  case DataType::Int32:
    return addNumbers(int32_t());
  case DataType::UInt32:
    return addNumbers(uint32_t());
  case DataType::Int64:
    return addNumbers(int64_t());
  case DataType::UInt64:
    return addNumbers(uint64_t());
  default:
    return;
  }
}

ValueSummary npu::summarize(const TensorDesc &desc, const std::byte *data,
                            std::span<const double> watch) {
  ValueSummary summary;
  Collector collector(summary, watch);
  const int64_t count = desc.numElements();
  Expected<kernels::LaneMap> lanes = kernels::LaneMap::create(desc);
  if (lanes && lanes->hasPadding())
    lanes->forEachRun(0, count, [&](int64_t begin, int64_t end, bool valid) {
      if (valid)
        addElements(desc.dtype, data, begin, end, collector);
    });
  else
    addElements(desc.dtype, data, 0, count, collector);
  if (summary.count == 0)
    summary.count = static_cast<uint64_t>(desc.numElements());
  return summary;
}

/// Whether an element has all bits of \p exponent set. Without a branch in the
/// loop, so that compilers vectorise it.
template <typename T>
static bool anyWithExponent(const std::byte *data, int64_t count, T exponent) {
  const auto *elements = reinterpret_cast<const T *>(data);
  constexpr int64_t Block = 4096;
  for (int64_t begin = 0; begin < count; begin += Block) {
    const int64_t end = std::min(begin + Block, count);
    T largest = 0;
    for (int64_t i = begin; i != end; ++i)
      largest = std::max<T>(largest, elements[i] & exponent);
    if (largest == exponent)
      return true;
  }
  return false;
}

bool npu::hasNonFinite(const TensorDesc &desc, const std::byte *data) {
  const int64_t count = desc.numElements();
  switch (desc.dtype) {
  case DataType::Float16:
    return anyWithExponent<uint16_t>(data, count, 0x7C00);
  case DataType::BFloat16:
    return anyWithExponent<uint16_t>(data, count, 0x7F80);
  case DataType::Float:
    return anyWithExponent<uint32_t>(data, count, 0x7F800000);
  case DataType::Double:
    return anyWithExponent<uint64_t>(data, count, 0x7FF0000000000000);
  default:
    return false;
  }
}
