//===- ScalarValue.h - Tensors that control execution -----------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_SCALARVALUE_H
#define NPU_LIB_EXECUTION_SCALARVALUE_H

#include "npu/Support/TensorDesc.h"

#include <cstring>

namespace npu {

/// Whether a tensor of \p dtype can say what is executed.
inline bool isControlType(DataType dtype) {
  switch (dtype) {
  case DataType::Bool:
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Int32:
  case DataType::UInt32:
  case DataType::Int64:
  case DataType::UInt64:
  case DataType::Float:
  case DataType::Double:
    return true;
  default:
    return false;
  }
}

/// Calls \p visit with the first element of each of \p data, tensors of
/// \p dtype, for which isControlType holds.
template <class F, class... Bytes>
auto visitScalars(DataType dtype, F visit, const Bytes *...data) {
  auto read = [](auto value, const std::byte *bytes) {
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  };
  switch (dtype) {
  case DataType::Bool:
    return visit((read(uint8_t(), data) != 0)...);
  case DataType::Int8:
    return visit(read(int8_t(), data)...);
  case DataType::UInt8:
    return visit(read(uint8_t(), data)...);
  case DataType::Int16:
    return visit(read(int16_t(), data)...);
  case DataType::UInt16:
    return visit(read(uint16_t(), data)...);
  case DataType::Int32:
    return visit(read(int32_t(), data)...);
  case DataType::UInt32:
    return visit(read(uint32_t(), data)...);
  case DataType::Int64:
    return visit(read(int64_t(), data)...);
  case DataType::UInt64:
    return visit(read(uint64_t(), data)...);
  case DataType::Float:
    return visit(read(float(), data)...);
  default:
    return visit(read(double(), data)...);
  }
}

} // namespace npu

#endif // NPU_LIB_EXECUTION_SCALARVALUE_H
