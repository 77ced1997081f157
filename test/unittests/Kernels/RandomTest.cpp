// Random operators against a scalar definition of what TensorFlow draws, and
// the generator against the published vectors.

#include "FloatTester.h"

#include "../../../lib/Kernels/Philox.h"

#include <bit>
#include <cmath>
#include <numbers>

using namespace npu;
using namespace npu::kernels;

namespace {

using Words = std::array<uint32_t, 4>;

/// Philox4x32-10, word by word.
Words referenceBlock(uint64_t seed, uint64_t seed2, uint64_t block) {
  uint32_t c0 = block & 0xFFFFFFFF, c1 = block >> 32, c2 = seed2 & 0xFFFFFFFF,
           c3 = seed2 >> 32;
  uint32_t k0 = seed & 0xFFFFFFFF, k1 = seed >> 32;
  for (unsigned round = 0; round < 10; ++round) {
    const uint32_t high0 = static_cast<uint32_t>(c0 * 0xD2511F53ull >> 32);
    const uint32_t high1 = static_cast<uint32_t>(c2 * 0xCD9E8D57ull >> 32);
    const uint32_t low0 = c0 * 0xD2511F53u, low1 = c2 * 0xCD9E8D57u;
    c0 = high1 ^ c1 ^ (k0 + round * 0x9E3779B9u);
    c1 = low1;
    c2 = high0 ^ c3 ^ (k1 + round * 0xBB67AE85u);
    c3 = low0;
  }
  return {c0, c1, c2, c3};
}

float unit(uint32_t word) {
  return std::ldexp(static_cast<float>(word % (1 << 23)), -23);
}

std::pair<float, float> normal(uint32_t a, uint32_t b) {
  const double radius =
      std::sqrt(-2 * std::log(double(std::max(unit(a), 1e-7f))));
  const double angle = 2 * std::numbers::pi * unit(b);
  return {float(std::sin(angle) * radius), float(std::cos(angle) * radius)};
}

constexpr int64_t Seed = 87654321012345678, Seed2 = 42;
// No whole number of groups or chunks.
constexpr int64_t Count = 4096 * 2 + 7;

Attributes seeds(int64_t seed = Seed, int64_t seed2 = Seed2) {
  Attributes attrs;
  attrs.set("seed", seed);
  attrs.set("seed2", seed2);
  return attrs;
}

TestTensor shape() {
  return tensor<int32_t>(plainDesc(DataType::Int32, {1}), {int32_t(Count)});
}

} // namespace

TEST(RandomTest, PublishedVectors) {
  constexpr uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
                       {0xA4093822, 0x299F31D0}),
            (Words{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(RandomTest, Uniform) {
  Floats expected, inHalf;
  for (int64_t i = 0; i < Count; ++i) {
    const uint32_t word = referenceBlock(Seed, Seed2, i / 4)[i % 4];
    expected.push_back(unit(word));
    inHalf.push_back(static_cast<float>(word % 1024) / 1024);
  }
  for (DataType dtype : {DataType::Float, DataType::Float16}) {
    auto result = runEverywhere("RandomUniform", {shape()},
                                {plainDesc(dtype, {Count})}, seeds());
    expectSameBits(floatsOf(result.outputs[0]),
                   dtype == DataType::Float ? expected : inHalf);
  }
}

TEST(RandomTest, Normal) {
  Floats expected, truncated;
  for (int64_t group = 0; group * 4 < Count; ++group) {
    const Words w = referenceBlock(Seed, Seed2, group);
    for (auto [a, b] : {normal(w[0], w[1]), normal(w[2], w[3])}) {
      expected.push_back(a);
      expected.push_back(b);
    }
    for (uint64_t block = group * 256, found = 0; found < 4; ++block) {
      const Words v = referenceBlock(Seed, Seed2, block);
      for (auto [a, b] : {normal(v[0], v[1]), normal(v[2], v[3])})
        for (float value : {a, b})
          if (std::abs(value) < 2 && found < 4) {
            truncated.push_back(value);
            ++found;
          }
    }
  }
  expected.resize(Count);
  truncated.resize(Count);
  const std::vector<TensorDesc> out{plainDesc(DataType::Float, {Count})};
  expectSameBits(
      floatsOf(runEverywhere("RandomStandardNormal", {shape()}, out, seeds())
                   .outputs[0]),
      expected);
  expectSameBits(
      floatsOf(
          runEverywhere("TruncatedNormal", {shape()}, out, seeds()).outputs[0]),
      truncated);
}

TEST(RandomTest, Integers) {
  std::vector<int32_t> expected;
  std::vector<int64_t> expectedLong;
  for (int64_t i = 0; i < Count; ++i) {
    expected.push_back(-3 +
                       int32_t(referenceBlock(Seed, Seed2, i / 4)[i % 4] % 10));
    const Words w = referenceBlock(Seed, Seed2, i / 2);
    const uint64_t word = w[i % 2 * 2] | uint64_t(w[i % 2 * 2 + 1]) << 32;
    expectedLong.push_back(-3 + int64_t(word % 10));
  }
  auto ofInts = runEverywhere(
      "RandomUniformInt",
      {shape(), tensor<int32_t>(plainDesc(DataType::Int32, {}), {-3}),
       tensor<int32_t>(plainDesc(DataType::Int32, {}), {7})},
      {plainDesc(DataType::Int32, {Count})}, seeds());
  EXPECT_EQ(ofInts.values<int32_t>(), expected);
  auto ofLongs = runEverywhere(
      "RandomUniformInt",
      {shape(), tensor<int64_t>(plainDesc(DataType::Int64, {}), {-3}),
       tensor<int64_t>(plainDesc(DataType::Int64, {}), {7})},
      {plainDesc(DataType::Int64, {Count})}, seeds());
  EXPECT_EQ(ofLongs.values<int64_t>(), expectedLong);
}

TEST(RandomTest, Masks) {
  constexpr int64_t Bits = 8 * 1025;
  const TestTensor keep = scalarTensor(DataType::Float, 0.9f);
  std::vector<uint8_t> bits(Bits / 8), bytes;
  for (int64_t i = 0; i < Bits; ++i) {
    const bool one =
        referenceBlock(Seed, Seed2, i / 4)[i % 4] < 0.9f * 4294967296.0;
    bits[i / 8] |= one << i % 8;
    bytes.push_back(one);
  }
  auto run = [&](const char *type, const TensorDesc &out) {
    return runEverywhere(type, {shape(), keep}, {out}, seeds())
        .values<uint8_t>();
  };
  EXPECT_EQ(run("DropOutGenMask", plainDesc(DataType::UInt8, {Bits / 8})),
            bits);
  EXPECT_EQ(run("DropOutGenMaskV3", plainDesc(DataType::UInt8, {Bits})), bytes);
  EXPECT_EQ(run("DropOutGenMaskV4", plainDesc(DataType::Bool, {Bits})), bytes);
  EXPECT_EQ(run("DropOutGenMaskV4", plainDesc(DataType::UInt1, {Bits})), bits);
}

TEST(RandomTest, EachRunDrawsWhatFollows) {
  const Registry registry = Registry::withBuiltins();
  const TensorDesc out = plainDesc(DataType::Float, {4});
  NodeSpec spec{"RandomUniform", "node",
                seeds(),         {plainDesc(DataType::Int32, {1})},
                {out},           {nullptr}};
  auto kernel = registry.lookup("RandomUniform")->create(spec, {});
  ASSERT_TRUE(kernel) << kernel.status().message();
  ThreadPool pool(1);
  RunContext context{pool};
  TestTensor in = shape(), result{out, std::vector<std::byte>(16)};
  for (uint64_t run = 0; run < 3; ++run) {
    ASSERT_TRUE((*kernel)->run(
        context, std::vector{ConstTensor{&in.desc, in.bytes.data()}},
        std::vector{MutableTensor{&out, result.bytes.data()}}));
    const Words w = referenceBlock(Seed, Seed2, run * 4 * 256);
    expectSameBits(floatsOf(result),
                   {unit(w[0]), unit(w[1]), unit(w[2]), unit(w[3])});
  }
}

TEST(RandomTest, Refusals) {
  const TensorDesc ints = plainDesc(DataType::Int32, {1}),
                   floats = plainDesc(DataType::Float, {1}),
                   bytes = plainDesc(DataType::UInt8, {16});
  const std::string noSeed =
      "attributes 'seed' and 'seed2' are 0: what the device drew cannot be "
      "repeated; expected a seed (--seed=N), or the output from a dump";
  EXPECT_EQ(refusal("DropOutGenMask", {ints, floats}, {bytes}),
            "DropOutGenMask 'node': " + noSeed);
  EXPECT_EQ(refusal("TruncatedNormal", {ints}, {floats}),
            "TruncatedNormal 'node': " + noSeed);
  EXPECT_EQ(refusal("RandomUniform", {ints}, {ints}, seeds()),
            "RandomUniform 'node': no random " + ints.toString() +
                "; expected DT_FLOAT16, DT_FLOAT or DT_BF16");
  EXPECT_EQ(refusal("DropOutGenMask", {ints, ints}, {bytes}, seeds()),
            "DropOutGenMask 'node': prob " + ints.toString() +
                " is not one floating-point number");
  const auto bound = [&](int32_t value) {
    return tensor<int32_t>(plainDesc(DataType::Int32, {}), {value});
  };
  const Registry registry = Registry::withBuiltins();
  NodeSpec spec{"RandomUniformInt",
                "node",
                seeds(),
                {ints, bound(3).desc, bound(3).desc},
                {ints},
                {nullptr, nullptr, nullptr}};
  auto kernel = registry.lookup("RandomUniformInt")->create(spec, {});
  ASSERT_TRUE(kernel) << kernel.status().message();
  ThreadPool pool(1);
  RunContext context{pool};
  TestTensor in = shape(), low = bound(3), high = bound(3),
             out{ints, std::vector<std::byte>(4)};
  auto outcome =
      (*kernel)->run(context,
                     std::vector{ConstTensor{&in.desc, in.bytes.data()},
                                 ConstTensor{&low.desc, low.bytes.data()},
                                 ConstTensor{&high.desc, high.bytes.data()}},
                     std::vector{MutableTensor{&out.desc, out.bytes.data()}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.status().message(), "no integer is between its bounds");
}
