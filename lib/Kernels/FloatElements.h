//===- FloatElements.h - fp16, bf16 and fp32 elements as fp32 --*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_FLOATELEMENTS_H
#define NPU_LIB_KERNELS_FLOATELEMENTS_H

#include "npu/Numerics/Convert.h"
#include "npu/Numerics/Half.h"
#include "npu/Support/DataType.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace npu::kernels {

inline bool isFloatType(DataType dtype) {
  return dtype == DataType::Float16 || dtype == DataType::Float ||
         dtype == DataType::BFloat16;
}

/// The one NaN that arithmetic writes; \p value if it is a number. The host's
/// own has a sign by its operation.
inline float canonicalNaN(float value) {
  return value == value ? value : std::numeric_limits<float>::quiet_NaN();
}

/// Widens to.size() elements of \p dtype, one for which isFloatType holds.
inline void toFloat(DataType dtype, const void *from, std::span<float> to) {
  if (dtype == DataType::Float16)
    numerics::halfToFloat(
        {static_cast<const numerics::Half *>(from), to.size()}, to);
  else if (dtype == DataType::BFloat16)
    numerics::bfloat16ToFloat(
        {static_cast<const numerics::BFloat16 *>(from), to.size()}, to);
  else
    std::copy_n(static_cast<const float *>(from), to.size(), to.begin());
}

/// Rounds to \p dtype; returns CastOverflow and CastUnderflow.
inline StatusBits fromFloat(DataType dtype, std::span<const float> from,
                            void *to, OverflowMode mode) {
  if (dtype == DataType::Float16)
    return numerics::floatToHalf(
        from, {static_cast<numerics::Half *>(to), from.size()}, mode);
  if (dtype == DataType::BFloat16)
    return numerics::floatToBFloat16(
        from, {static_cast<numerics::BFloat16 *>(to), from.size()}, mode);
  std::copy(from.begin(), from.end(), static_cast<float *>(to));
  return status::None;
}

/// The same for one value.
inline StatusBits fromFloat(DataType dtype, float from, void *to,
                            OverflowMode mode) {
  if (dtype != DataType::Float16)
    return fromFloat(dtype, {&from, 1}, to, mode);
  StatusBits bits = status::None;
  const numerics::Half half = numerics::floatToHalf(from, mode, bits);
  std::memcpy(to, &half, sizeof(half));
  return bits;
}

/// Rounds the result of an fp16 instruction. It is no cast: the bits that one
/// would raise are FloatOverflow and FloatUnderflow here.
inline float roundToHalf(float result, OverflowMode mode, StatusBits &bits) {
  StatusBits cast = status::None;
  const numerics::Half half = numerics::floatToHalf(result, mode, cast);
  if (cast & status::CastOverflow)
    bits |= status::FloatOverflow;
  if (cast & status::CastUnderflow)
    bits |= status::FloatUnderflow;
  return numerics::halfToFloat(half);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_FLOATELEMENTS_H
