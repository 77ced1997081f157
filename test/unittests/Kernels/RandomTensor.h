//===- RandomTensor.h - Random shapes and indices ---------------*- C++ -*-===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_RANDOMTENSOR_H
#define NPU_TEST_UNITTESTS_KERNELS_RANDOMTENSOR_H

#include "KernelTester.h"

#include <numeric>
#include <random>

namespace npu::kernels {

/// From \p least to \p most axes of up to \p extent elements.
inline Shape randomShape(std::mt19937 &random, size_t least, size_t most,
                         int64_t extent) {
  Shape shape(least + random() % (most - least + 1));
  for (int64_t &axis : shape)
    axis = 1 + static_cast<int64_t>(random() % extent);
  return shape;
}

/// Numbers from 1 on, so that each element is known by its value.
inline TestTensor numbered(const Shape &shape) {
  std::vector<int32_t> values(getNumElements(shape));
  std::iota(values.begin(), values.end(), 1);
  return tensor(plainDesc(DataType::Int32, shape), values);
}

inline TestTensor indexTensor(const std::vector<int64_t> &values) {
  return tensor(
      plainDesc(DataType::Int64, {static_cast<int64_t>(values.size())}),
      values);
}

/// Calls \p visit with the index of each element and its place.
template <typename Visit>
void forEachIndex(const Shape &shape, const Visit &visit) {
  std::vector<int64_t> index(shape.size());
  for (int64_t place = 0, e = getNumElements(shape); place < e; ++place) {
    visit(index, static_cast<size_t>(place));
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i])
        break;
      index[i] = 0;
    }
  }
}

/// The place of \p index in \p shape.
inline size_t placeOf(const std::vector<int64_t> &index, const Shape &shape) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    place = place * shape[i] + index[i];
  return static_cast<size_t>(place);
}

} // namespace npu::kernels

#endif // NPU_TEST_UNITTESTS_KERNELS_RANDOMTENSOR_H
