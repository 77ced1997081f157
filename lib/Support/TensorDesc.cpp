//===- TensorDesc.cpp - Tensor descriptions in messages -------------------===//

#include "npu/Support/TensorDesc.h"

using namespace npu;

std::optional<uint64_t> npu::getCheckedByteSize(DataType type,
                                                const Shape &shape) {
  uint64_t bits = getBitWidth(type);
  bool overflow = false, isEmpty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    isEmpty |= dim == 0;
    overflow |=
        __builtin_mul_overflow(bits, static_cast<uint64_t>(dim), &bits);
  }
  if (isEmpty)
    return 0;
  if (overflow)
    return std::nullopt;
  return bits / 8 + (bits % 8 != 0);
}

std::string npu::toString(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : shape) {
    if (!text.empty())
      text += 'x';
    text += std::to_string(dim);
  }
  return text;
}

std::string TensorDesc::toString() const {
  std::string text(getName(dtype));
  text += ' ';
  text += npu::toString(shape);
  text += ' ';
  text += getName(format);
  if (originFormat != format || originShape != shape) {
    text += " of ";
    text += npu::toString(originShape);
    text += ' ';
    text += getName(originFormat);
  }
  return text;
}
