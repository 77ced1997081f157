//===- CubeTesting.h - Tensors and the scalar cube for tests ---*- C++ -*-===//
//
// The definition that kernels are compared with, bit for bit: written from the
// promise in docs/Cube.md, with nothing of the library in it but descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TEST_UNITTESTS_CUBE_CUBETESTING_H
#define NPU_TEST_UNITTESTS_CUBE_CUBETESTING_H

#include "../KernelParts.h"

#include "npu/Kernels/Registry.h"
#include "npu/Numerics/SimdTarget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace npu::cubetest {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

inline float halfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  float value;
  if (exponent == 31)
    value = mantissa ? std::numeric_limits<float>::quiet_NaN()
                     : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), -24);
  else
    value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return bits & 0x8000 ? -value : value;
}

/// Nearest even, by counting units in the last place.
inline uint16_t halfBits(float value, OverflowMode mode, StatusBits &status) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  const bool saturate = mode == OverflowMode::Saturate;
  if (std::isnan(value))
    return saturate ? 0 : 0x7E00;
  if (std::isinf(value))
    return sign | (saturate ? 0x7BFF : 0x7C00);
  if (magnitude == 0)
    return sign;
  const int exponent = std::max(std::ilogb(magnitude), -14);
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const double rounded = std::ldexp(units, exponent - 10);
  if (rounded > 65504) {
    status |= status::CastOverflow;
    return sign | (saturate ? 0x7BFF : 0x7C00);
  }
  if (rounded == 0)
    status |= status::CastUnderflow;
  if (rounded < std::ldexp(1.0, -14))
    return sign | static_cast<uint16_t>(std::ldexp(rounded, 24));
  const int top = std::ilogb(rounded);
  return sign |
         static_cast<uint16_t>((top + 14) << 10 |
                               0) + // the leading one carries into the exponent
             static_cast<uint16_t>(std::ldexp(rounded, 10 - top));
}

inline float bfloat16Value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Nearest even, by comparing with the two neighbours.
inline uint16_t bfloat16Bits(float value, OverflowMode mode,
                             StatusBits &status) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = bits >> 31 << 15;
  const bool saturate = mode == OverflowMode::Saturate;
  if (std::isnan(value))
    return saturate ? 0 : 0x7FC0;
  if (std::isinf(value))
    return sign | (saturate ? 0x7F7F : 0x7F80);
  const uint16_t below = bits >> 16, rest = bits & 0xFFFF;
  const bool up = rest > 0x8000 || (rest == 0x8000 && below % 2 == 1);
  const uint16_t result = below + up;
  if ((result & 0x7FFF) == 0x7F80) {
    status |= status::CastOverflow;
    return saturate ? result - 1 : result;
  }
  if ((result & 0x7FFF) == 0 && value != 0)
    status |= status::CastUnderflow;
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor in memory, exactly as large as its descriptor says.
struct Tensor {
  TensorDesc desc;
  std::vector<std::byte> bytes;

  Tensor() = default;
  Tensor(DataType type, Format format, Shape shape, Format originFormat,
         Shape originShape, int64_t groups = 0)
      : desc{type,         format,
             groups,       std::move(shape),
             originFormat, std::move(originShape)},
        bytes(desc.byteSize()) {}
  Tensor(DataType type, Shape shape)
      : Tensor(type, Format::ND, shape, Format::ND, shape) {}

  template <class T>
  T *as() {
    return reinterpret_cast<T *>(bytes.data());
  }
  /// The element's value as the cube sees it in \p mode.
  float value(int64_t i, OverflowMode mode = OverflowMode::InfNan) const {
    float value = 0, max = std::numeric_limits<float>::max();
    switch (desc.dtype) {
    case DataType::Float16:
      value = halfValue(reinterpret_cast<const uint16_t *>(bytes.data())[i]);
      max = 65504;
      break;
    case DataType::BFloat16:
      value =
          bfloat16Value(reinterpret_cast<const uint16_t *>(bytes.data())[i]);
      max = bfloat16Value(0x7F7F);
      break;
    case DataType::Float:
      value = reinterpret_cast<const float *>(bytes.data())[i];
      break;
    case DataType::Int8:
      value = reinterpret_cast<const int8_t *>(bytes.data())[i];
      break;
    case DataType::UInt8:
      value = reinterpret_cast<const uint8_t *>(bytes.data())[i];
      break;
    default:
      ADD_FAILURE() << "no value of this type";
    }
    if (mode == OverflowMode::Saturate && !std::isfinite(value))
      return std::isnan(value) ? 0 : std::copysign(max, value);
    return value;
  }
  void set(int64_t i, uint32_t bits) {
    std::memcpy(bytes.data() + i * (getBitWidth(desc.dtype) / 8), &bits,
                getBitWidth(desc.dtype) / 8);
  }
};

using Random = std::mt19937;

inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

/// Bits of a random value of magnitude 2^-4 to 2^4, so that sums depend on
/// their order; sometimes zero, and infinite or NaN once in \p rare times.
inline uint32_t randomBits(Random &random, DataType type, int64_t rare = 0) {
  const uint32_t bits = static_cast<uint32_t>(random());
  const bool special = rare && pick(random, 1, rare) == 1;
  switch (type) {
  case DataType::Float16:
    if (special)
      return bits % 3 ? (bits & 0x8000) | 0x7C00 : 0x7E00 | (bits & 0x81FF);
    return bits % 17 == 0 ? bits & 0x8000
                          : (bits & 0x83FF) | (11 + bits / 65536 % 9) << 10;
  case DataType::BFloat16:
    if (special)
      return bits % 3 ? (bits & 0x8000) | 0x7F80 : 0x7FC0;
    return (bits & 0x807F) | (123 + bits / 65536 % 9) << 7;
  case DataType::Float:
    if (special)
      return bits % 3 ? (bits & 0x80000000) | 0x7F800000 : 0x7FC00000;
    return (bits & 0x807FFFFF) | (123 + random() % 9) << 23;
  case DataType::Int32:
    return static_cast<uint32_t>(static_cast<int32_t>(bits) >> 12);
  default:
    return bits & 0xFF;
  }
}

inline bool isInteger(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8;
}

//===----------------------------------------------------------------------===//
// The scalar cube
//===----------------------------------------------------------------------===//

/// One result: starts at the bias, adds products in the order of calls, rounds
/// once.
class Accumulator {
public:
  Accumulator(DataType input, OverflowMode mode)
      : integer(isInteger(input)), mode(mode) {}
  void start(const Tensor *bias, int64_t i) {
    sum = 0;
    total = 0;
    if (!bias)
      return;
    if (integer)
      total = reinterpret_cast<const int32_t *>(bias->bytes.data())[i];
    else
      sum = bias->value(i, mode) + 0.0f;
    note(integer ? 0.0f : bias->value(i));
  }
  /// \p a and \p b are values before saturation.
  void add(float a, float b, float maxA, float maxB) {
    note(a);
    note(b);
    if (mode == OverflowMode::Saturate) {
      a = tame(a, maxA);
      b = tame(b, maxB);
    }
    if (integer)
      total += static_cast<int64_t>(a) * static_cast<int64_t>(b);
    else
      sum = sum + a * b;
  }
  void finish(Tensor &out, int64_t i) {
    if (integer) {
      const int64_t clamped =
          std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max());
      if (clamped != total)
        status |= status::CubeOverflow;
      out.set(i, static_cast<uint32_t>(clamped));
      return;
    }
    if (!std::isfinite(sum))
      nonFiniteSum = true;
    if (out.desc.dtype == DataType::Float16)
      out.set(i, halfBits(sum, mode, status));
    else if (out.desc.dtype == DataType::BFloat16)
      out.set(i, bfloat16Bits(sum, mode, status));
    else
      out.set(i, std::isnan(sum) ? 0x7FC00000 : std::bit_cast<uint32_t>(sum));
  }
  StatusBits getStatus() const {
    StatusBits bits = status;
    if (nonFiniteInput)
      bits |= status::CubeNanInfInput;
    else if (nonFiniteSum)
      bits |= status::CubeOverflow;
    return bits;
  }

private:
  bool integer;
  OverflowMode mode;
  float sum = 0;
  int64_t total = 0;
  StatusBits status = status::None;
  bool nonFiniteInput = false, nonFiniteSum = false;

  void note(float value) { nonFiniteInput |= !std::isfinite(value); }
  static float tame(float value, float max) {
    if (std::isnan(value))
      return 0;
    return std::isinf(value) ? std::copysign(max, value) : value;
  }
};

inline float maxOf(DataType type) {
  return type == DataType::Float16    ? 65504.0f
         : type == DataType::BFloat16 ? bfloat16Value(0x7F7F)
                                      : std::numeric_limits<float>::max();
}

//===----------------------------------------------------------------------===//
// Running kernels
//===----------------------------------------------------------------------===//

struct Node {
  std::string type;
  kernels::Attributes attrs;
  std::vector<const Tensor *> inputs; // null for absent ones
  std::vector<bool> constant;
};

inline kernels::NodeSpec specOf(const Node &node, const TensorDesc &out) {
  kernels::NodeSpec spec;
  spec.type = node.type;
  spec.name = "node";
  spec.attrs = node.attrs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    spec.inputs.push_back(node.inputs[i] ? std::optional(node.inputs[i]->desc)
                                         : std::nullopt);
    spec.constants.push_back(i < node.constant.size() && node.constant[i]
                                 ? node.inputs[i]->bytes.data()
                                 : nullptr);
  }
  spec.outputs.push_back(out);
  return spec;
}

/// Why the kernel of \p node cannot be made; empty when it can.
inline std::string creationError(const Node &node, const TensorDesc &out) {
  const auto registry = kernels::Registry::withBuiltins();
  auto kernel = registry.lookup(node.type)->create(specOf(node, out), {});
  return kernel ? "" : kernel.status().message();
}

/// Runs \p node for every instruction set and some numbers of threads, twice
/// each, into memory that holds rubbish before, and expects the bytes of
/// \p expected and \p status.
inline void expectRuns(const Node &node, const Tensor &expected,
                       OverflowMode mode, StatusBits status) {
  const auto registry = kernels::Registry::withBuiltins();
  NumericConfig config;
  config.overflow = mode;
  for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
    numerics::setTargetForTest(target);
    auto kernel =
        registry.lookup(node.type)->create(specOf(node, expected.desc), config);
    ASSERT_TRUE(kernel) << kernel.status().message();
    for (unsigned threads : {1u, 3u}) {
      ThreadPool pool(threads);
      kernels::RunContext context{pool};
      // Kernels may count on an alignment of 64 bytes and on nothing behind
      // the last element.
      std::vector<std::unique_ptr<std::byte, void (*)(void *)>> memory;
      const auto place = [&](const std::vector<std::byte> &bytes) {
        void *at = nullptr;
        EXPECT_EQ(posix_memalign(&at, 64, std::max<size_t>(bytes.size(), 1)),
                  0);
        std::memcpy(at, bytes.data(), bytes.size());
        memory.emplace_back(static_cast<std::byte *>(at), std::free);
        return memory.back().get();
      };
      std::vector<kernels::ConstTensor> inputs;
      for (const Tensor *input : node.inputs)
        inputs.push_back(
            input ? kernels::ConstTensor{&input->desc, place(input->bytes)}
                  : kernels::ConstTensor{});
      std::vector<std::byte> rubbish(expected.bytes.size(), std::byte(0xA5));
      kernels::MutableTensor out = {&expected.desc, place(rubbish)};
      auto result = (*kernel)->run(context, inputs, {&out, 1});
      ASSERT_TRUE(result) << result.status().message();
      EXPECT_EQ(result->valid, status) << getName(target);
      EXPECT_EQ(result->padding, status::None);
      for (size_t i = 0; i < expected.bytes.size(); ++i)
        ASSERT_EQ(static_cast<int>(out.data[i]),
                  static_cast<int>(expected.bytes[i]))
            << "byte " << i << " of " << expected.desc.toString() << ", target "
            << getName(target) << ", " << threads << " threads";
      kernels::expectFinishedParts(**kernel, pool, inputs, {&out, 1});
    }
  }
  numerics::setTargetForTest(std::nullopt);
}

} // namespace npu::cubetest

#endif // NPU_TEST_UNITTESTS_CUBE_CUBETESTING_H
