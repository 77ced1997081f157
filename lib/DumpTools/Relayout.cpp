//===- Relayout.cpp - Dumped tensors in another format --------------------===//

#include "npu/DumpTools/Relayout.h"

#include "npu/Kernels/Layout.h"

#include <cstring>
#include <vector>

using namespace npu;
using namespace npu::dump;
using namespace npu::kernels;

/// The orders of axes that a tensor's original may have, the likely ones first.
static std::vector<Format> getOrders(const DumpTensor &tensor,
                                     std::optional<Format> preferred) {
  std::vector<Format> orders;
  if (tensor.originalOp)
    if (std::optional<Format> format =
            formatFromNumber(tensor.originalOp->format & 0xff);
        format && isPlain(*format))
      orders.push_back(*format);
  if (preferred && isPlain(*preferred))
    orders.push_back(*preferred);
  orders.insert(orders.end(),
                {Format::NCHW, Format::NHWC, Format::HWCN, Format::CHWN,
                 Format::NCDHW, Format::NDHWC, Format::DHWCN, Format::ND});
  return orders;
}

Expected<TensorDesc>
npu::dump::describeLayout(const DumpTensor &tensor,
                          std::optional<Format> preferred) {
  TensorDesc desc;
  desc.dtype = tensor.dtype;
  desc.format = tensor.format;
  desc.groups = tensor.subFormat;
  desc.shape = tensor.shape;
  if (isPlain(tensor.format)) {
    // Four letters do not name the axes of another number of dimensions.
    if (axisLetters(tensor.format).size() != tensor.shape.size())
      desc.format = Format::ND;
    desc.originFormat = desc.format;
    desc.originShape = tensor.shape;
    return desc;
  }
  desc.originShape = tensor.originalShape;
  if (tensor.originalShape.empty()) {
    const Shape &s = tensor.shape;
    if (tensor.format != Format::NC1HWC0 || s.size() != 5)
      return Status::error(std::string(getName(tensor.format)) + " " +
                           toString(s) +
                           ": the dump has no original shape, expected -s");
    desc.originFormat = Format::NCHW; // of all channels
    desc.originShape = {s[0], s[1] * s[4], s[2], s[3]};
    return desc;
  }
  Status firstFault;
  for (Format order : getOrders(tensor, preferred)) {
    desc.originFormat = order;
    Expected<Layout> layout = Layout::create(desc);
    if (layout)
      return desc;
    if (firstFault.ok())
      firstFault = layout.takeStatus();
  }
  return firstFault;
}

Expected<TensorDesc> npu::dump::describeTarget(const TensorDesc &source,
                                               Format format, int64_t groups) {
  TensorDesc target = source;
  target.format = format;
  target.groups = groups;
  Expected<Shape> shape = physicalShape(
      format, groups, source.dtype, source.originFormat, source.originShape);
  if (!shape)
    return shape.takeStatus();
  target.shape = std::move(*shape);
  if (isPlain(format) && format != Format::ND) {
    target.originFormat = format;
    target.originShape = target.shape;
  }
  return target;
}

template <typename T>
static uint64_t countNonZero(ByteView data) {
  uint64_t result = 0;
  for (size_t i = 0; i + sizeof(T) <= data.size(); i += sizeof(T)) {
    T bits;
    std::memcpy(&bits, data.data() + i, sizeof(T));
    result += bits != 0;
  }
  return result;
}

uint64_t npu::dump::countNonZero(ByteView data, unsigned elementSize) {
  switch (elementSize) {
  case 1:
    return ::countNonZero<uint8_t>(data);
  case 2:
    return ::countNonZero<uint16_t>(data);
  case 4:
    return ::countNonZero<uint32_t>(data);
  default: // complex128 counts its parts
    return ::countNonZero<uint64_t>(data);
  }
}
