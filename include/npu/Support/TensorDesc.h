//===- TensorDesc.h - What a tensor in memory is ---------------*- C++ -*-===//

#ifndef NPU_SUPPORT_TENSORDESC_H
#define NPU_SUPPORT_TENSORDESC_H

#include "npu/Support/DataType.h"
#include "npu/Support/Format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// Dimensions, outermost first. A scalar has none. A negative entry is an
/// unknown dimension and never reaches a kernel.
using Shape = std::vector<int64_t>;

/// Product of the dimensions; 1 for a scalar.
inline int64_t getNumElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

/// Bytes of a tensor whose shape nobody has checked, sub-byte types packed; 0
/// for types without a fixed size. None where a dimension is negative or 64
/// bits do not hold the size in bits.
std::optional<uint64_t> getCheckedByteSize(DataType type, const Shape &shape);

/// "1x16x7x7x16"; "scalar" when there are no dimensions.
std::string toString(const Shape &shape);

/// A tensor as it lies in memory (dtype, format, shape: the device layout) and
/// the logical tensor it stands for (originFormat, originShape).
struct TensorDesc {
  DataType dtype = DataType::Undefined;
  Format format = Format::ND;
  int64_t groups = 0; ///< sub-format of FRACTAL_Z, 0 for none
  Shape shape;
  Format originFormat = Format::ND;
  Shape originShape; ///< equals shape where the graph gives none

  int64_t numElements() const { return getNumElements(shape); }
  /// Bytes in memory; sub-byte types are packed.
  uint64_t byteSize() const {
    return getByteSize(dtype, static_cast<uint64_t>(numElements()));
  }
  /// "float16 1x16x7x7x16 NC1HWC0 of 1x256x7x7 NCHW", for messages.
  std::string toString() const;

  friend bool operator==(const TensorDesc &, const TensorDesc &) = default;
};

} // namespace npu

#endif // NPU_SUPPORT_TENSORDESC_H
