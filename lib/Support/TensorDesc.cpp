//===- TensorDesc.cpp - Tensor descriptions in messages -------------------===//

#include "npu/Support/TensorDesc.h"

using namespace npu;

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
