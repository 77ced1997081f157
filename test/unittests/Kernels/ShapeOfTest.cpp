// What Shape, ShapeN, Rank and Size say of tensors.

#include "KernelTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {
TestTensor zeros(const TensorDesc &desc) {
  return tensor(desc, std::vector<int32_t>(desc.numElements()));
}
} // namespace

TEST(ShapeOfTest, SaysWhatTheLogicalTensorIs) {
  const TensorDesc x = plainDesc(DataType::Int32, {2, 1, 3});
  EXPECT_EQ(runNode("Shape", {zeros(x)}, {plainDesc(DataType::Int32, {3})})
                .values<int32_t>(0),
            (std::vector<int32_t>{2, 1, 3}));
  EXPECT_EQ(runNode("Rank", {zeros(x)}, {plainDesc(DataType::Int32, {})})
                .values<int32_t>(0),
            (std::vector<int32_t>{3}));
  EXPECT_EQ(runNode("Size", {zeros(x)}, {plainDesc(DataType::Int64, {})})
                .values<int64_t>(0),
            (std::vector<int64_t>{6}));

  auto result = runNode(
      "ShapeN", {zeros(x), zeros(plainDesc(DataType::Int32, {4}))},
      {plainDesc(DataType::Int64, {3}), plainDesc(DataType::Int64, {1})});
  EXPECT_EQ(result.values<int64_t>(0), (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(result.values<int64_t>(1), (std::vector<int64_t>{4}));

  // Blocks of channels are no dimension of it.
  TensorDesc blocks = plainDesc(DataType::Int32, {1, 1, 2, 2, 16});
  blocks.format = Format::NC1HWC0;
  blocks.originFormat = Format::NCHW;
  blocks.originShape = {1, 3, 2, 2};
  EXPECT_EQ(runNode("Shape", {zeros(blocks)}, {plainDesc(DataType::Int32, {4})})
                .values<int32_t>(0),
            (std::vector<int32_t>{1, 3, 2, 2}));
}
