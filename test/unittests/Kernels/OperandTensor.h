//===- OperandTensor.h - Operands of tables as tensors ----------*- C++ -*-===//

#ifndef NPU_TEST_UNITTESTS_KERNELS_OPERANDTENSOR_H
#define NPU_TEST_UNITTESTS_KERNELS_OPERANDTENSOR_H

#include "KernelTester.h"
#include "StatusTable.h"

namespace npu::kernels::statustable {

inline TensorDesc descOf(DataType dtype, const Shape &shape, Format format) {
  if (isPlain(format))
    return plainDesc(dtype, shape, format);
  return privateDesc(dtype, format, Format::NCHW, shape);
}

inline void putElement(TestTensor &tensor, int64_t index, uint64_t bits) {
  const unsigned size = getBitWidth(tensor.desc.dtype) / 8;
  std::memcpy(tensor.bytes.data() + index * size, &bits, size);
}

inline uint64_t elementOf(const TestTensor &tensor, int64_t index) {
  const unsigned size = getBitWidth(tensor.desc.dtype) / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes.data() + index * size, size);
  return bits;
}

/// Elements in memory of the logical elements, in order.
inline std::vector<int64_t> placesOf(const TensorDesc &desc) {
  auto layout = Layout::create(desc);
  EXPECT_TRUE(layout) << layout.status().message();
  std::vector<int64_t> index(layout->axes().size()), places;
  for (int64_t left = layout->numLogical(); left > 0; --left) {
    places.push_back(layout->elementAt(index));
    for (size_t i = index.size(); i-- > 0;) {
      if (++index[i] < layout->axes()[i].extent)
        break;
      index[i] = 0;
    }
  }
  return places;
}

inline TestTensor place(const Operand &operand) {
  const Shape shape = operand.shape.empty()
                          ? Shape{static_cast<int64_t>(operand.bits.size())}
                          : operand.shape;
  TestTensor result{descOf(operand.dtype, shape, operand.format), {}};
  result.bytes.resize(result.desc.byteSize());
  const auto places = placesOf(result.desc);
  EXPECT_EQ(places.size(), operand.bits.size());
  for (size_t i = 0; i < places.size(); ++i)
    putElement(result, places[i], operand.bits[i]);
  return result;
}

} // namespace npu::kernels::statustable

#endif // NPU_TEST_UNITTESTS_KERNELS_OPERANDTENSOR_H
