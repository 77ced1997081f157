//===- Random.cpp - Random tensors and dropout masks ----------------------===//
//
// A device draws them on its CPUs, so they report nothing. Which generator it
// has is not public: these are the numbers that TensorFlow draws from the same
// seeds (docs/Kernels.md). Each run of a node draws new ones.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "Philox.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

using namespace npu;
using namespace npu::kernels;

namespace {

enum class Draw : uint8_t {
  Uniform,
  Normal,
  TruncatedNormal,
  Integers, ///< inputs 1 and 2 are the bounds
  MaskBits, ///< input 1 is the probability of a 1
  MaskBytes,
};

struct RandomRow {
  std::string_view type;
  Draw draw;
  size_t arity;
};
constexpr RandomRow rows[] = {
    {"RandomUniform", Draw::Uniform, 1},
    {"RandomStandardNormal", Draw::Normal, 1},
    {"TruncatedNormal", Draw::TruncatedNormal, 1},
    {"RandomUniformInt", Draw::Integers, 3},
    {"DropOutGenMask", Draw::MaskBits, 2},
    {"DropOutGenMaskV3", Draw::MaskBytes, 2},
    {"DropOutGenMaskV4", Draw::MaskBytes, 2},
};

/// Elements that are drawn together.
constexpr int64_t GroupSize = 4;
/// Blocks that an element may need; so many are set aside for each.
constexpr uint64_t ReservedBlocks = 256;

/// In [0, 1), of the lowest \p bits bits of \p word: the mantissa of a number
/// in [1, 2).
float toUnit(uint32_t word, unsigned bits = 23) {
  const uint32_t mantissa = (word & ((1u << bits) - 1)) << (23 - bits);
  return std::bit_cast<float>(0x3F800000 | mantissa) - 1.0f;
}

/// Two normal numbers of two words (Box and Muller).
std::pair<float, float> toNormal(uint32_t first, uint32_t second) {
  const double u = std::max(toUnit(first), 1e-7f);
  const double angle = 2 * std::numbers::pi * toUnit(second);
  const double radius = std::sqrt(-2 * std::log(u));
  return {static_cast<float>(std::sin(angle) * radius),
          static_cast<float>(std::cos(angle) * radius)};
}

class RandomKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  Status checkTypes(const NodeSpec &spec) const;
  /// The four fp32 numbers of group \p group.
  std::array<float, GroupSize> drawFloats(uint64_t group) const;
  void fillFloats(int64_t begin, int64_t end, const MutableTensor &out) const;
  template <typename T>
  void fillIntegers(int64_t begin, int64_t end, T low, T high, T *out) const;
  void fillMask(int64_t begin, int64_t end, float probability,
                std::byte *out) const;

  Draw draw = Draw::Uniform;
  Philox words;
  uint64_t firstBlock = 0; ///< of this run
  int64_t count = 0;
  DataType dtype = DataType::Undefined; ///< of the output
  DataType probabilityType = DataType::Undefined;
  OverflowMode mode = OverflowMode::Saturate;
};

} // namespace

Status RandomKernel::checkTypes(const NodeSpec &spec) const {
  const TensorDesc &out = spec.outputs[0];
  const auto refuse = [&](const std::string &expected) {
    return nodeError(spec,
                     "no random " + out.toString() + "; expected " + expected);
  };
  if (!isPlain(out.format))
    return refuse("a plain format");
  switch (draw) {
  case Draw::Uniform:
  case Draw::Normal:
  case Draw::TruncatedNormal:
    return isFloatType(out.dtype) ? Status()
                                  : refuse("DT_FLOAT16, DT_FLOAT or DT_BF16");
  case Draw::Integers:
    if (out.dtype != DataType::Int32 && out.dtype != DataType::Int64)
      return refuse("DT_INT32 or DT_INT64");
    for (size_t i : {1, 2})
      if (spec.inputs[i]->dtype != out.dtype ||
          spec.inputs[i]->numElements() != 1)
        return nodeError(spec, "bound " + spec.inputs[i]->toString() +
                                   " is not one number of the type of " +
                                   out.toString());
    return {};
  case Draw::MaskBits:
    if (out.dtype != DataType::UInt8 && out.dtype != DataType::UInt1)
      return refuse("bits in bytes");
    break;
  case Draw::MaskBytes:
    if (out.dtype != DataType::UInt8 && out.dtype != DataType::Bool)
      return refuse("bytes");
    break;
  }
  const TensorDesc &probability = *spec.inputs[1];
  if (!isFloatType(probability.dtype) || probability.numElements() != 1)
    return nodeError(spec, "prob " + probability.toString() +
                               " is not one floating-point number");
  return {};
}

Expected<std::unique_ptr<Kernel>>
RandomKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const RandomRow &row = *std::ranges::find(rows, spec.type, &RandomRow::type);
  if (Status status = checkArity(spec, row.arity, 1); !status)
    return status;
  auto seed = spec.attribute<int64_t>("seed");
  auto seed2 = spec.attribute<int64_t>("seed2");
  for (auto *attr : {&seed, &seed2})
    if (!*attr)
      return inNode(spec, attr->takeStatus());
  if (*seed == 0 && *seed2 == 0)
    return nodeError(spec, "attributes 'seed' and 'seed2' are 0: what the "
                           "device drew cannot be repeated; expected a seed "
                           "(--seed=N), or the output from a dump");
  auto kernel = std::make_unique<RandomKernel>();
  kernel->draw = row.draw;
  if (row.draw == Draw::MaskBytes && spec.outputs[0].dtype == DataType::UInt1)
    kernel->draw = Draw::MaskBits; // DropOutGenMaskV4 has a choice
  if (Status status = kernel->checkTypes(spec); !status)
    return status;
  kernel->words =
      Philox(static_cast<uint64_t>(*seed), static_cast<uint64_t>(*seed2));
  kernel->dtype = spec.outputs[0].dtype;
  kernel->mode = config.overflow;
  kernel->count = kernel->draw == Draw::MaskBits
                      ? static_cast<int64_t>(spec.outputs[0].byteSize()) * 8
                      : spec.outputs[0].numElements();
  if (row.draw == Draw::MaskBits || row.draw == Draw::MaskBytes)
    kernel->probabilityType = spec.inputs[1]->dtype;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

std::array<float, GroupSize> RandomKernel::drawFloats(uint64_t group) const {
  std::array<float, GroupSize> values;
  if (draw == Draw::TruncatedNormal) {
    // Of pairs one after the other those below two standard deviations.
    uint64_t block = firstBlock + group * ReservedBlocks;
    for (size_t found = 0; found != values.size();) {
      const auto w = words(block++);
      const auto [a, b] = toNormal(w[0], w[1]);
      const auto [c, d] = toNormal(w[2], w[3]);
      for (float value : {a, b, c, d})
        if (std::abs(value) < 2 && found != values.size())
          values[found++] = value;
    }
    return values;
  }
  const auto w = words(firstBlock + group);
  if (draw == Draw::Normal) {
    std::tie(values[0], values[1]) = toNormal(w[0], w[1]);
    std::tie(values[2], values[3]) = toNormal(w[2], w[3]);
    return values;
  }
  // As many bits as the type has in its mantissa.
  const unsigned bits = dtype == DataType::Float16    ? 10
                        : dtype == DataType::BFloat16 ? 7
                                                      : 23;
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = toUnit(w[i], bits);
  return values;
}

void RandomKernel::fillFloats(int64_t begin, int64_t end,
                              const MutableTensor &out) const {
  std::vector<float> values;
  for (int64_t i = begin; i < end; i += GroupSize) {
    const auto group = drawFloats(static_cast<uint64_t>(i / GroupSize));
    const int64_t size = std::min(GroupSize, end - i);
    values.insert(values.end(), group.begin(), group.begin() + size);
  }
  fromFloat(dtype, values, out.data + begin * (getBitWidth(dtype) / 8), mode);
}

template <typename T>
void RandomKernel::fillIntegers(int64_t begin, int64_t end, T low, T high,
                                T *out) const {
  using Unsigned = std::make_unsigned_t<T>;
  const Unsigned range =
      static_cast<Unsigned>(high) - static_cast<Unsigned>(low);
  constexpr int64_t perBlock = 16 / sizeof(T);
  for (int64_t i = begin; i < end; ++i) {
    const auto w = words(firstBlock + static_cast<uint64_t>(i / perBlock));
    Unsigned word;
    std::memcpy(&word, &w[i % perBlock * (GroupSize / perBlock)], sizeof(word));
    out[i] = static_cast<T>(static_cast<Unsigned>(low) + word % range);
  }
}

void RandomKernel::fillMask(int64_t begin, int64_t end, float probability,
                            std::byte *out) const {
  const double threshold =
      std::clamp(static_cast<double>(probability), 0.0, 1.0) * 0x1p32;
  for (int64_t i = begin; i < end; i += GroupSize) {
    const auto w = words(firstBlock + static_cast<uint64_t>(i / GroupSize));
    for (int64_t lane = 0; lane != std::min(GroupSize, end - i); ++lane) {
      const bool isKept = w[lane] < threshold;
      if (draw == Draw::MaskBytes)
        out[i + lane] = std::byte(isKept);
      else if (isKept)
        out[(i + lane) / 8] |= std::byte(1u << (i + lane) % 8);
    }
  }
}

Expected<NodeStatus> RandomKernel::run(RunContext &context,
                                       std::span<const ConstTensor> inputs,
                                       std::span<const MutableTensor> outputs) {
  const MutableTensor &out = outputs[0];
  float probability = 0;
  if (probabilityType != DataType::Undefined)
    toFloat(probabilityType, inputs[1].data, {&probability, 1});
  if (draw == Draw::Integers) {
    const auto isEmpty = [&](auto zero) {
      using T = decltype(zero);
      return inputs[1].as<T>()[0] >= inputs[2].as<T>()[0];
    };
    if (dtype == DataType::Int32 ? isEmpty(int32_t()) : isEmpty(int64_t()))
      return Status::error("no integer is between its bounds");
  }
  if (draw == Draw::MaskBits)
    std::memset(out.data, 0, out.desc->byteSize());
  constexpr int64_t ChunkSize = 4096; // whole groups, and bytes of a mask
  context.pool.parallelFor(
      count, ChunkSize, [&](int64_t begin, int64_t end, int64_t) {
        switch (draw) {
        case Draw::Uniform:
        case Draw::Normal:
        case Draw::TruncatedNormal:
          return fillFloats(begin, end, out);
        case Draw::Integers:
          if (dtype == DataType::Int32)
            return fillIntegers(begin, end, inputs[1].as<int32_t>()[0],
                                inputs[2].as<int32_t>()[0], out.as<int32_t>());
          return fillIntegers(begin, end, inputs[1].as<int64_t>()[0],
                              inputs[2].as<int64_t>()[0], out.as<int64_t>());
        case Draw::MaskBits:
        case Draw::MaskBytes:
          return fillMask(begin, end, probability, out.data);
        }
      });
  firstBlock += static_cast<uint64_t>(count) * ReservedBlocks;
  return NodeStatus();
}

void kernels::addRandom(Registry &registry) {
  for (const RandomRow &row : rows)
    registry.add(std::string(row.type),
                 {RandomKernel::create,
                  "Philox4x32-10 by seed and seed2, normal numbers in fp64",
                  status::None});
}
