//===- Elements.cpp - Elements of dumps as NumPy has them -----------------===//

#include "npu/DumpTools/Elements.h"

#include "MetricsKernels.h"

#include "npu/Numerics/Convert.h"
#include "npu/Numerics/Float8.h"
#include "npu/Support/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace npu;
using namespace npu::dump;

/// Elements that are converted by way of a buffer on the stack.
static constexpr uint64_t chunkSize = 1024;

/// The type that NumPy gets; none for elements that cannot be decoded.
static std::optional<DataType> getArrayType(DataType type) {
  switch (type) {
  case DataType::BFloat16:
  case DataType::HiFloat8:
  case DataType::Float8E5M2:
  case DataType::Float8E4M3FN:
  case DataType::Float8E8M0:
  case DataType::Float4E2M1:
  case DataType::Float4E1M2:
    return DataType::Float;
  case DataType::Int4:
  case DataType::Int2:
  case DataType::QInt8:
    return DataType::Int8;
  case DataType::UInt1:
  case DataType::UInt2:
  case DataType::QUInt8:
    return DataType::UInt8;
  case DataType::QInt16:
    return DataType::Int16;
  case DataType::QInt32:
    return DataType::Int32;
  case DataType::QUInt16:
    return DataType::UInt16;
  case DataType::Complex32:
    return DataType::Complex64;
  default:
    if (getNpyDescr(type).empty())
      return std::nullopt;
    return type;
  }
}

/// The value of the magnitude bits of a float4: \p mantissaBits of mantissa
/// below an exponent of bias 1.
static float decodeFloat4(unsigned bits, int mantissaBits) {
  const unsigned scale = 1u << mantissaBits;
  const unsigned exponent = (bits & 7) >> mantissaBits;
  const float fraction =
      static_cast<float>(bits & (scale - 1)) / static_cast<float>(scale);
  const float magnitude =
      exponent == 0 ? fraction
                    : std::ldexp(1 + fraction, static_cast<int>(exponent) - 1);
  return (bits & 8) ? -magnitude : magnitude;
}

/// The value of the pattern \p bits of a type of at most 8 bits.
static float decodePattern(DataType type, unsigned bits) {
  const auto byte = static_cast<uint8_t>(bits);
  switch (type) {
  case DataType::HiFloat8:
    return numerics::hiFloat8ToFloat({byte});
  case DataType::Float8E5M2:
    return numerics::float8E5M2ToFloat({byte});
  case DataType::Float8E4M3FN:
    return numerics::float8E4M3FNToFloat({byte});
  case DataType::Float8E8M0: // a power of two
    return bits == 255 ? std::numeric_limits<float>::quiet_NaN()
                       : std::ldexp(1.0f, static_cast<int>(bits) - 127);
  case DataType::Float4E2M1:
    return decodeFloat4(bits, 1);
  case DataType::Float4E1M2:
    return decodeFloat4(bits, 2);
  case DataType::Int4:
    return static_cast<float>(static_cast<int>(bits ^ 8) - 8);
  case DataType::Int2:
    return static_cast<float>(static_cast<int>(bits ^ 2) - 2);
  default: // uint1, uint2
    return static_cast<float>(bits);
  }
}

static bool isFromTable(DataType stored, DataType array) {
  return getBitWidth(stored) < 8 ||
         (getBitWidth(stored) == 8 && array == DataType::Float);
}

std::optional<ElementDecoder> ElementDecoder::create(DataType type) {
  std::optional<DataType> array = getArrayType(type);
  if (!array)
    return std::nullopt;
  ElementDecoder decoder(type, *array);
  if (isFromTable(type, *array)) {
    decoder.values.resize(size_t(1) << getBitWidth(type));
    for (unsigned bits = 0; bits < decoder.values.size(); ++bits)
      decoder.values[bits] = decodePattern(type, bits);
  }
  // Quantized integers have the bits of the integers.
  decoder.isPlain = decoder.values.empty() && type != DataType::BFloat16 &&
                    type != DataType::Complex32;
  return decoder;
}

/// Looks up elements of \p width bits.
template <typename T>
static void lookUp(const std::vector<float> &values, unsigned width,
                   bool highestFirst, const std::byte *from, uint64_t count,
                   std::byte *to) {
  const unsigned perByte = 8 / width;
  const unsigned mask = (1u << width) - 1;
  for (uint64_t i = 0; i < count; ++i) {
    unsigned position = static_cast<unsigned>(i % perByte);
    if (highestFirst)
      position = perByte - 1 - position;
    const unsigned byte = std::to_integer<unsigned>(from[i / perByte]);
    const T value = static_cast<T>(values[byte >> position * width & mask]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

/// Converts arrays of 16-bit floats, which may be unaligned, to float.
template <typename Small, typename Convert>
static void widen(const std::byte *from, uint64_t count, std::byte *to,
                  Convert convert) {
  Small narrow[chunkSize];
  float wide[chunkSize];
  for (uint64_t i = 0; i < count; i += chunkSize) {
    const uint64_t n = std::min(chunkSize, count - i);
    std::memcpy(narrow, from + i * sizeof(Small), n * sizeof(Small));
    convert(std::span<const Small>(narrow, n), std::span<float>(wide, n));
    std::memcpy(to + i * sizeof(float), wide, n * sizeof(float));
  }
}

static void widenHalves(const std::byte *from, uint64_t count, std::byte *to) {
  widen<numerics::Half>(from, count, to, [](auto narrow, auto wide) {
    numerics::halfToFloat(narrow, wide);
  });
}

void ElementDecoder::decode(const std::byte *from, uint64_t count,
                            std::byte *to) const {
  if (isPlain) {
    std::memcpy(to, from, getByteSize(array, count));
    return;
  }
  if (stored == DataType::BFloat16)
    return widen<numerics::BFloat16>(from, count, to,
                                     [](auto narrow, auto wide) {
                                       numerics::bfloat16ToFloat(narrow, wide);
                                     });
  if (stored == DataType::Complex32)
    return widenHalves(from, 2 * count, to);
  const unsigned width = getBitWidth(stored);
  switch (array) {
  case DataType::Float:
    return lookUp<float>(values, width, false, from, count, to);
  case DataType::Int8:
    return lookUp<int8_t>(values, width, false, from, count, to);
  default:
    return lookUp<uint8_t>(values, width, stored == DataType::UInt1, from,
                           count, to);
  }
}

unsigned ElementDecoder::numComponents() const {
  return array == DataType::Complex64 || array == DataType::Complex128 ? 2 : 1;
}

template <typename T>
static void toDouble(const std::byte *from, uint64_t count, double *to) {
  for (uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = static_cast<double>(value);
  }
}

/// \p count numbers of the type \p array, complex ones as their two parts.
static void arrayToDouble(DataType array, const std::byte *from, uint64_t count,
                          double *to) {
  switch (array) {
  case DataType::Float16:
    for (uint64_t i = 0; i < count; i += chunkSize) {
      numerics::Half narrow[chunkSize];
      float wide[chunkSize];
      const uint64_t n = std::min(chunkSize, count - i);
      std::memcpy(narrow, from + i * sizeof(*narrow), n * sizeof(*narrow));
      numerics::halfToFloat({narrow, n}, {wide, n});
      floatsToDoubles(wide, to + i, n);
    }
    return;
  case DataType::Float:
  case DataType::Complex64:
    for (uint64_t i = 0; i < count; i += chunkSize) {
      float aligned[chunkSize];
      const uint64_t n = std::min(chunkSize, count - i);
      std::memcpy(aligned, from + i * sizeof(float), n * sizeof(float));
      floatsToDoubles(aligned, to + i, n);
    }
    return;
  case DataType::Double:
  case DataType::Complex128:
    return toDouble<double>(from, count, to);
  case DataType::Int8:
    return toDouble<int8_t>(from, count, to);
  case DataType::Int16:
    return toDouble<int16_t>(from, count, to);
  case DataType::Int32:
    return toDouble<int32_t>(from, count, to);
  case DataType::Int64:
    return toDouble<int64_t>(from, count, to);
  case DataType::UInt16:
    return toDouble<uint16_t>(from, count, to);
  case DataType::UInt32:
    return toDouble<uint32_t>(from, count, to);
  case DataType::UInt64:
    return toDouble<uint64_t>(from, count, to);
  case DataType::Bool:
    for (uint64_t i = 0; i < count; ++i)
      to[i] = from[i] != std::byte(0);
    return;
  default: // UInt8
    return toDouble<uint8_t>(from, count, to);
  }
}

void ElementDecoder::decodeToDouble(const std::byte *from, uint64_t count,
                                    double *to) const {
  const unsigned components = numComponents();
  if (isPlain)
    return arrayToDouble(array, from, count * components, to);
  std::byte buffer[chunkSize * sizeof(float)];
  const uint64_t step = chunkSize / components;
  for (uint64_t i = 0; i < count; i += step) {
    const uint64_t n = std::min(step, count - i);
    decode(from + i * getBitWidth(stored) / 8, n, buffer);
    arrayToDouble(array, buffer, n * components, to + i * components);
  }
}
