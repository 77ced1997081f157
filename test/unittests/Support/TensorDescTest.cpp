//===- TensorDescTest.cpp - What a tensor in memory is --------------------===//

#include "npu/Support/TensorDesc.h"

#include <gtest/gtest.h>

using namespace npu;

TEST(TensorDesc, CheckedByteSize) {
  EXPECT_EQ(getCheckedByteSize(DataType::Float, {}), 4u);
  EXPECT_EQ(getCheckedByteSize(DataType::Float16, {2, 3}), 12u);
  EXPECT_EQ(getCheckedByteSize(DataType::Int4, {3}), 2u);
  EXPECT_EQ(getCheckedByteSize(DataType::String, {7}), 0u);
  EXPECT_EQ(getCheckedByteSize(DataType::Float16, {2200000000}), 4400000000u);
  EXPECT_EQ(getCheckedByteSize(DataType::UInt1, {INT64_MAX}), 1ull << 60);
  EXPECT_EQ(getCheckedByteSize(DataType::Float, {INT64_MAX, INT64_MAX, 0}), 0u);
  EXPECT_FALSE(getCheckedByteSize(DataType::Int8, {INT64_MAX, 4}));
  EXPECT_FALSE(getCheckedByteSize(DataType::Int8, {-1}));
  EXPECT_FALSE(getCheckedByteSize(DataType::Int8, {0, -1}));
}
