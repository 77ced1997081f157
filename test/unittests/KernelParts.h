//===- KernelParts.h - Kernels that compute in parts ------------*- C++ -*-===//

#ifndef NPU_TEST_UNITTESTS_KERNELPARTS_H
#define NPU_TEST_UNITTESTS_KERNELPARTS_H

#include "npu/Kernels/Kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace npu::kernels {

/// Runs \p kernel again, with someone who wants to know of finished parts, if
/// it tells: of each element once, when it is as in the result, \p expected.
inline void expectFinishedParts(Kernel &kernel, ThreadPool &pool,
                                std::span<const ConstTensor> inputs,
                                std::span<const MutableTensor> expected) {
  if (!kernel.tellsFinished())
    return;
  const size_t size = getBitWidth(expected[0].desc->dtype) / 8;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<MutableTensor> outputs;
  for (const MutableTensor &output : expected)
    outputs.push_back(
        {output.desc,
         bytes.emplace_back(output.desc->byteSize(), std::byte(0x5A)).data()});
  std::vector<int> told(bytes[0].size() / size);
  size_t differ = 0;
  std::mutex mutex;
  RunContext context{pool};
  context.finished = [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    ASSERT_LT(begin, end);
    ASSERT_LE(static_cast<size_t>(end), told.size());
    for (int64_t i = begin; i < end; ++i)
      ++told[i];
    differ +=
        std::memcmp(bytes[0].data() + begin * size,
                    expected[0].data + begin * size, (end - begin) * size) != 0;
  };
  ASSERT_TRUE(kernel.run(context, inputs, outputs));
  EXPECT_EQ(differ, 0u) << "parts that are told of before they are there";
  EXPECT_EQ(std::count(told.begin(), told.end(), 1),
            static_cast<int64_t>(told.size()))
      << "elements that are told of once";
}

/// Computes the elements of \p expected range by range, if \p kernel can: to
/// the same bytes and \p status.
inline void expectPointwise(Kernel &kernel, std::span<const ConstTensor> inputs,
                            const MutableTensor &expected, NodeStatus status) {
  Pointwise *pointwise = kernel.pointwise();
  if (!pointwise)
    return;
  const int64_t size = getBitWidth(expected.desc->dtype) / 8;
  const int64_t count = expected.desc->numElements();
  std::vector<std::byte> bytes(count * size);
  NodeStatus all;
  pointwise->prepare();
  for (int64_t begin = 0, length = 1; begin < count;
       begin += length, length = length * 7 % 1021) {
    length = std::min(length, count - begin);
    std::vector<const void *> operands;
    for (const ConstTensor &input : inputs)
      operands.push_back(input.data +
                         begin * (getBitWidth(input.desc->dtype) / 8));
    all |= pointwise->computeRange(begin, length, operands,
                                   bytes.data() + begin * size);
  }
  EXPECT_TRUE(count == 0 ||
              std::memcmp(bytes.data(), expected.data, bytes.size()) == 0);
  EXPECT_EQ(all.valid, status.valid);
  EXPECT_EQ(all.padding, status.padding);
}

} // namespace npu::kernels

#endif // NPU_TEST_UNITTESTS_KERNELPARTS_H
