//===- ExactElements.h - Integers and doubles ------------------*- C++ -*-===//
//
// Elements that are computed in their own type. Integers wrap; doubles are IEEE
// and are computed on CPUs of a device, which report nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_EXACTELEMENTS_H
#define NPU_LIB_KERNELS_EXACTELEMENTS_H

#include "npu/Numerics/StatusBits.h"
#include "npu/Support/DataType.h"

#include <concepts>
#include <limits>
#include <type_traits>

namespace npu::kernels {

/// Calls \p function with a zero of the C++ type of \p dtype; returns false for
/// a type that is no integer of whole bytes and no double.
template <typename Function>
bool visitExactType(DataType dtype, const Function &function) {
  switch (dtype) {
  case DataType::Int8:
    return function(int8_t()), true;
  case DataType::Int16:
    return function(int16_t()), true;
  case DataType::Int32:
    return function(int32_t()), true;
  case DataType::Int64:
    return function(int64_t()), true;
  case DataType::UInt8:
    return function(uint8_t()), true;
  case DataType::UInt16:
    return function(uint16_t()), true;
  case DataType::UInt32:
    return function(uint32_t()), true;
  case DataType::UInt64:
    return function(uint64_t()), true;
  case DataType::Double:
    return function(double()), true;
  default:
    return false;
  }
}

inline bool isExactType(DataType dtype) {
  return visitExactType(dtype, [](auto) {});
}

template <typename T>
struct ExactInstructions {
  /// The status register knows of 32 and 64 bits with a sign.
  static constexpr bool Reports =
      std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
  StatusBits bits = status::None;

  T add(T a, T b) {
    T sum;
    if constexpr (std::integral<T>)
      note(__builtin_add_overflow(a, b, &sum));
    else
      sum = canonical(a + b);
    return sum;
  }
  T mul(T a, T b) {
    T product;
    if constexpr (std::integral<T>)
      note(__builtin_mul_overflow(a, b, &product));
    else
      product = canonical(a * b);
    return product;
  }

private:
  void note(bool overflowed) {
    if (Reports && overflowed)
      bits |= status::IntegerOverflow;
  }
  static T canonical(T value) {
    return value == value ? value : std::numeric_limits<T>::quiet_NaN();
  }
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_EXACTELEMENTS_H
