//===- KernelTester.h - Runs one node on raw tensors ------------*- C++ -*-===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_KERNELTESTER_H
#define NPU_TEST_UNITTESTS_KERNELS_KERNELTESTER_H

#include "../KernelParts.h"

#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <gtest/gtest.h>

#include <cstring>

namespace npu::kernels {

/// Bytes with their descriptor.
struct TestTensor {
  TensorDesc desc;
  std::vector<std::byte> bytes;

  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

inline TensorDesc plainDesc(DataType dtype, Shape shape,
                            Format format = Format::ND) {
  return {dtype, format, 0, shape, format, shape};
}

inline TensorDesc privateDesc(DataType dtype, Format format,
                              Format originFormat, Shape origin) {
  auto shape = physicalShape(format, 0, dtype, originFormat, origin);
  EXPECT_TRUE(shape.ok()) << shape.status().message();
  return {dtype, format, 0, *shape, originFormat, std::move(origin)};
}

template <typename T>
TestTensor tensor(TensorDesc desc, const std::vector<T> &values) {
  EXPECT_EQ(desc.byteSize(), values.size() * sizeof(T));
  TestTensor result{std::move(desc), {}};
  result.bytes.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

inline uint16_t halfBits(double value) {
  StatusBits ignored = 0;
  return numerics::doubleToHalf(value, OverflowMode::InfNan, ignored).bits;
}
inline float halfValue(uint16_t bits) {
  return numerics::halfToFloat(numerics::Half{bits});
}

/// fp16 in plain ND.
inline TestTensor halves(Shape shape, const std::vector<double> &values) {
  std::vector<uint16_t> bits;
  for (double value : values)
    bits.push_back(halfBits(value));
  return tensor(plainDesc(DataType::Float16, std::move(shape)), bits);
}

struct TestResult {
  std::vector<TestTensor> outputs;
  NodeStatus status;

  template <typename T>
  std::vector<T> values(size_t output = 0) {
    auto span = outputs[output].as<T>();
    return {span.begin(), span.end()};
  }
};

/// Creates and runs a kernel; fails the test when that fails.
inline TestResult runNode(const std::string &type,
                          std::vector<TestTensor> inputs,
                          std::vector<TensorDesc> outputs,
                          const Attributes &attrs = {},
                          NumericConfig config = {}, unsigned threads = 1) {
  NodeSpec spec{type, "node", attrs, {}, outputs, {}};
  std::vector<ConstTensor> in;
  std::vector<MutableTensor> out;
  TestResult result;
  for (TestTensor &input : inputs) {
    spec.inputs.push_back(input.desc);
    spec.constants.push_back(input.bytes.data());
    in.push_back({&input.desc, input.bytes.data()});
  }
  for (TensorDesc &desc : outputs)
    result.outputs.push_back(
        {desc, std::vector<std::byte>(desc.byteSize(), std::byte(0xCD))});
  for (TestTensor &output : result.outputs)
    out.push_back({&output.desc, output.bytes.data()});
  const Registry registry = Registry::withBuiltins();
  const KernelEntry *entry = registry.lookup(type);
  if (!entry) {
    ADD_FAILURE() << "no kernel for " << type;
    return result;
  }
  auto kernel = entry->create(spec, config);
  if (!kernel) {
    ADD_FAILURE() << kernel.status().message();
    return result;
  }
  ThreadPool pool(threads);
  RunContext context{pool};
  auto status = (*kernel)->run(context, in, out);
  if (!status) {
    ADD_FAILURE() << status.status().message();
    return result;
  }
  result.status = *status;
  EXPECT_EQ((status->valid | status->padding) & ~entry->statusBits, 0u)
      << type << " raises a bit that its registry row does not have";
  expectFinishedParts(**kernel, pool, in, out);
  if (!out.empty())
    expectPointwise(**kernel, in, out[0], *status);
  return result;
}

/// The message with which the kernel refuses the node.
inline std::string refusal(const std::string &type,
                           const std::vector<TensorDesc> &inputs,
                           std::vector<TensorDesc> outputs,
                           const Attributes &attrs = {}) {
  NodeSpec spec{type, "node", attrs, {}, std::move(outputs), {}};
  for (const TensorDesc &input : inputs)
    spec.inputs.push_back(input);
  spec.constants.resize(inputs.size());
  const Registry registry = Registry::withBuiltins();
  auto kernel = registry.lookup(type)->create(spec, NumericConfig());
  return kernel ? "accepted" : kernel.status().message();
}

} // namespace npu::kernels

#endif // NPU_TEST_UNITTESTS_KERNELS_KERNELTESTER_H
