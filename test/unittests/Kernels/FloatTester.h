//===- FloatTester.h - Floating-point tensors for tests ---------*- C++ -*-===//
//
// Random tensors, and the arithmetic of the documents written out once more:
// sums in their order, roundings one by one.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_FLOATTESTER_H
#define NPU_TEST_UNITTESTS_KERNELS_FLOATTESTER_H

#include "KernelTester.h"

#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/SimdTarget.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace npu::kernels {

using Floats = std::vector<float>;

/// Uniform values that fp16 has.
inline Floats randomFloats(size_t count, float low, float high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  Floats values(count);
  for (float &value : values)
    value = halfValue(halfBits(uniform(random)));
  return values;
}

/// \p values rounded to \p dtype, in plain ND.
inline TestTensor floatTensor(DataType dtype, Shape shape,
                              const Floats &values) {
  TensorDesc desc = plainDesc(dtype, std::move(shape));
  if (dtype == DataType::Float)
    return tensor(desc, values);
  std::vector<uint16_t> bits;
  StatusBits ignored = 0;
  for (float value : values)
    bits.push_back(
        dtype == DataType::Float16
            ? halfBits(value)
            : numerics::floatToBFloat16(value, OverflowMode::InfNan, ignored)
                  .bits);
  return tensor(desc, bits);
}

inline TestTensor scalarTensor(DataType dtype, float value) {
  return floatTensor(dtype, {1}, {value});
}

/// The elements as fp32.
inline Floats floatsOf(TestTensor &tensor) {
  if (tensor.desc.dtype == DataType::Float) {
    auto span = tensor.as<float>();
    return {span.begin(), span.end()};
  }
  Floats values;
  for (uint16_t bits : tensor.as<uint16_t>())
    values.push_back(tensor.desc.dtype == DataType::Float16
                         ? halfValue(bits)
                         : numerics::bfloat16ToFloat(numerics::BFloat16{bits}));
  return values;
}

/// fp32 to fp16 and back in \p mode.
inline float toHalfAndBack(float value,
                           OverflowMode mode = OverflowMode::Saturate) {
  StatusBits ignored = 0;
  return numerics::halfToFloat(numerics::floatToHalf(value, mode, ignored));
}

/// The order of docs/Kernels.md.
inline float documentedSum(const Floats &values) {
  float partial[16] = {};
  for (size_t i = 0; i < values.size(); ++i)
    partial[i % 16] += values[i];
  for (int width : {8, 4, 2, 1})
    for (int i = 0; i < width; ++i)
      partial[i] += partial[i + width];
  return partial[0];
}

/// Equal as bits, NaNs and signs of zero included.
inline void expectSameBits(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    uint32_t a, b;
    std::memcpy(&a, &actual[i], sizeof(a));
    std::memcpy(&b, &expected[i], sizeof(b));
    ASSERT_EQ(a, b) << "element " << i << " is " << actual[i] << ", expected "
                    << expected[i];
  }
}

/// fp16 tensors: at most \p ulp or \p tolerance apart.
inline void expectHalvesNear(TestTensor &actual, const Floats &expected,
                             int ulp, float tolerance = 0) {
  auto bits = actual.as<uint16_t>();
  ASSERT_EQ(bits.size(), expected.size());
  auto ordered = [](uint16_t b) {
    return b & 0x8000 ? -int(b & 0x7FFF) : int(b);
  };
  for (size_t i = 0; i < bits.size(); ++i) {
    if (std::abs(halfValue(bits[i]) - expected[i]) <= tolerance)
      continue;
    ASSERT_LE(std::abs(ordered(bits[i]) - ordered(halfBits(expected[i]))), ulp)
        << "element " << i << " is " << halfValue(bits[i]) << ", expected "
        << expected[i];
  }
}

/// |actual - expected| <= tolerance * max(1, |expected|).
inline void expectNear(const Floats &actual,
                       const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i],
                tolerance * std::max(1.0, std::abs(expected[i])))
        << "element " << i;
}

/// Runs the node with 1 and 3 threads and for every instruction set, and fails
/// when results differ in a bit.
inline TestResult runEverywhere(const std::string &type,
                                std::vector<TestTensor> inputs,
                                std::vector<TensorDesc> outputs,
                                const Attributes &attrs = {},
                                NumericConfig config = {}) {
  TestResult result = runNode(type, inputs, outputs, attrs, config, 1);
  auto expectSame = [&](TestResult other) {
    EXPECT_EQ(result.status.valid, other.status.valid);
    EXPECT_EQ(result.status.padding, other.status.padding);
    for (size_t i = 0; i < result.outputs.size(); ++i)
      EXPECT_EQ(result.outputs[i].bytes, other.outputs[i].bytes)
          << type << " output " << i;
  };
  expectSame(runNode(type, inputs, outputs, attrs, config, 3));
  for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
    numerics::setTargetForTest(target);
    expectSame(runNode(type, inputs, outputs, attrs, config, 1));
  }
  numerics::setTargetForTest(std::nullopt);
  return result;
}

} // namespace npu::kernels

#endif // NPU_TEST_UNITTESTS_KERNELS_FLOATTESTER_H
