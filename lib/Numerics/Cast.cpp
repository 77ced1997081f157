//===- Cast.cpp - The Cast operator between data types --------------------===//

#include "npu/Numerics/Cast.h"

#include "npu/Numerics/Convert.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

using namespace npu;
using namespace npu::numerics;

namespace {

/// A bool in memory: any byte but 0 is true.
struct Bool {
  uint8_t bits = 0;
};

template <typename T>
constexpr bool isSixteenBitFloat =
    std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Elements that are widened at a time: both buffers stay in the L1 cache.
constexpr size_t ChunkSize = 1024;

/// Truncation, saturating; NaN gives 0.
template <typename Int, typename Float>
Int truncate(Float x) {
  using Limits = std::numeric_limits<Int>;
  // The power of two one past the largest value; exact in every Float.
  constexpr Float Beyond = static_cast<Float>(Limits::max() / 2 + 1) * 2;
  if (x >= Beyond)
    return Limits::max();
  if (x <= static_cast<Float>(Limits::min()))
    return Limits::min();
  return x == x ? static_cast<Int>(x) : Int(0);
}

template <typename Int, typename Float>
Int floatToInteger(Float x, StatusBits &status) {
  // To 8 bits by way of int32, of which the low byte is kept.
  if constexpr (sizeof(Int) == 1)
    return static_cast<Int>(truncate<int32_t>(x));
  else if constexpr (std::is_unsigned_v<Int>)
    status |= x < 0 ? status::NegativeToUnsigned : status::None;
  return truncate<Int>(x);
}

/// One element, where neither type is fp16 or bf16 (double apart).
template <typename To, typename From>
To convertElement(From x, const NumericConfig &config, StatusBits &status) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convertElement<To>(uint8_t(x.bits != 0), config, status);
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{uint8_t(x != 0)};
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(x);
  } else if constexpr (std::is_floating_point_v<From>) {
    return floatToInteger<To>(x, status);
  } else if constexpr (std::is_same_v<From, int64_t> &&
                       std::is_same_v<To, int32_t>) {
    // The one integer conversion that A2 has an instruction for.
    if (config.soc == Soc::Ascend910B)
      return static_cast<int32_t>(std::clamp<int64_t>(x, INT32_MIN, INT32_MAX));
    return static_cast<int32_t>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename From>
void widen(std::span<const From> from, std::span<float> to,
           const NumericConfig &config) {
  if constexpr (std::is_same_v<From, Half>) {
    halfToFloat(from, to);
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    bfloat16ToFloat(from, to);
  } else {
    StatusBits none = status::None;
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = convertElement<float>(from[i], config, none);
  }
}

template <typename To>
StatusBits narrow(std::span<const float> from, std::span<To> to,
                  const NumericConfig &config) {
  if constexpr (std::is_same_v<To, Half>) {
    return floatToHalf(from, to, config.overflow);
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return floatToBFloat16(from, to, config.overflow);
  } else {
    StatusBits status = status::None;
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = convertElement<To>(from[i], config, status);
    return status;
  }
}

/// By way of fp32, which holds every fp16 and bf16 value and rounds no integer
/// that fp16 can hold; straight where it is fp32 already.
template <typename From, typename To>
StatusBits castThroughFloat(std::span<const From> from, std::span<To> to,
                            const NumericConfig &config) {
  if constexpr (std::is_same_v<From, float>)
    return narrow<To>(from, to, config);
  StatusBits status = status::None;
  std::array<float, ChunkSize> buffer;
  for (size_t i = 0; i < from.size(); i += ChunkSize) {
    const size_t n = std::min(ChunkSize, from.size() - i);
    const std::span<float> wide(buffer.data(), n);
    widen(from.subspan(i, n), wide, config);
    status |= narrow<To>(wide, to.subspan(i, n), config);
  }
  return status;
}

/// fp32 to 8 bits where the vector unit converts only fp16 to them.
template <typename To>
StatusBits castThroughHalf(std::span<const float> from, std::span<To> to,
                           const NumericConfig &config) {
  StatusBits status = status::None;
  std::array<Half, ChunkSize> buffer;
  for (size_t i = 0; i < from.size(); i += ChunkSize) {
    const size_t n = std::min(ChunkSize, from.size() - i);
    const std::span<Half> halves(buffer.data(), n);
    status |= floatToHalf(from.subspan(i, n), halves, config.overflow);
    status |= castThroughFloat<Half, To>(halves, to.subspan(i, n), config);
  }
  return status;
}

/// double is a type of the AI CPU: IEEE arithmetic without a STATUS register.
template <typename From, typename To>
void castOnCpu(std::span<const From> from, std::span<To> to,
               const NumericConfig &config) {
  StatusBits none = status::None;
  for (size_t i = 0; i < from.size(); ++i) {
    if constexpr (std::is_same_v<From, Half>)
      to[i] = halfToFloat(from[i]);
    else if constexpr (std::is_same_v<From, BFloat16>)
      to[i] = bfloat16ToFloat(from[i]);
    else if constexpr (std::is_same_v<To, Half>)
      to[i] = doubleToHalf(from[i], OverflowMode::InfNan, none);
    else if constexpr (std::is_same_v<To, BFloat16>)
      to[i] = doubleToBFloat16(from[i], OverflowMode::InfNan, none);
    else
      to[i] = convertElement<To>(from[i], config, none);
  }
}

template <typename From, typename To>
StatusBits cast(const void *fromData, void *toData, size_t count,
                const NumericConfig &config) {
  const std::span from(static_cast<const From *>(fromData), count);
  const std::span to(static_cast<To *>(toData), count);
  if constexpr (std::is_same_v<From, To> && !std::is_same_v<From, Bool>) {
    if (count != 0)
      std::memcpy(toData, fromData, count * sizeof(From));
    return status::None;
  } else if constexpr (std::is_same_v<From, double> ||
                       std::is_same_v<To, double>) {
    castOnCpu<From, To>(from, to, config);
    return status::None;
  } else if constexpr (isSixteenBitFloat<From> || isSixteenBitFloat<To>) {
    return castThroughFloat<From, To>(from, to, config);
  } else {
    if constexpr (std::is_same_v<From, float> &&
                  (std::is_same_v<To, int8_t> || std::is_same_v<To, uint8_t>))
      if (config.soc != Soc::Ascend910B)
        return castThroughHalf<To>(from, to, config);
    StatusBits status = status::None;
    for (size_t i = 0; i < count; ++i)
      to[i] = convertElement<To>(from[i], config, status);
    return status;
  }
}

template <typename From>
CastFunction getCastFrom(DataType to) {
  switch (to) {
  case DataType::Float:
    return cast<From, float>;
  case DataType::Float16:
    return cast<From, Half>;
  case DataType::BFloat16:
    return cast<From, BFloat16>;
  case DataType::Double:
    return cast<From, double>;
  case DataType::Int8:
    return cast<From, int8_t>;
  case DataType::UInt8:
    return cast<From, uint8_t>;
  case DataType::Int16:
    return cast<From, int16_t>;
  case DataType::UInt16:
    return cast<From, uint16_t>;
  case DataType::Int32:
    return cast<From, int32_t>;
  case DataType::UInt32:
    return cast<From, uint32_t>;
  case DataType::Int64:
    return cast<From, int64_t>;
  case DataType::UInt64:
    return cast<From, uint64_t>;
  case DataType::Bool:
    return cast<From, Bool>;
  default:
    return nullptr;
  }
}

CastFunction find(DataType from, DataType to) {
  switch (from) {
  case DataType::Float:
    return getCastFrom<float>(to);
  case DataType::Float16:
    return getCastFrom<Half>(to);
  case DataType::BFloat16:
    return getCastFrom<BFloat16>(to);
  case DataType::Double:
    return getCastFrom<double>(to);
  case DataType::Int8:
    return getCastFrom<int8_t>(to);
  case DataType::UInt8:
    return getCastFrom<uint8_t>(to);
  case DataType::Int16:
    return getCastFrom<int16_t>(to);
  case DataType::UInt16:
    return getCastFrom<uint16_t>(to);
  case DataType::Int32:
    return getCastFrom<int32_t>(to);
  case DataType::UInt32:
    return getCastFrom<uint32_t>(to);
  case DataType::Int64:
    return getCastFrom<int64_t>(to);
  case DataType::UInt64:
    return getCastFrom<uint64_t>(to);
  case DataType::Bool:
    return getCastFrom<Bool>(to);
  default:
    return nullptr;
  }
}

} // namespace

Expected<CastFunction> numerics::getCast(DataType from, DataType to) {
  if (CastFunction function = find(from, to))
    return function;
  return Status::error("cannot cast " + std::string(getName(from)) + " to " +
                       std::string(getName(to)) +
                       ": expected float, float16, bfloat16, double, an "
                       "integer of 8 to 64 bits or bool");
}
