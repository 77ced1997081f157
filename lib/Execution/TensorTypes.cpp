//===- TensorTypes.cpp - Tensor types and descriptors ---------------------===//

#include "npu/Execution/TensorTypes.h"

#include "npu/Dialect/GE/IR/ElementTypes.h"
#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace npu;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Expected<TensorDesc> npu::readTensorDesc(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor)
    return Status::error("expected a tensor of known rank, found " +
                         (type ? print(type) : "no type"));

  TensorDesc desc;
  StringRef name = ge::getDataTypeName(tensor.getElementType());
  std::optional<DataType> dtype = parseDataType(name);
  if (!dtype)
    return Status::error("unknown data type '" + name.str() + "'");
  desc.dtype = *dtype;
  for (int64_t dim : tensor.getShape())
    desc.shape.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  desc.originShape = desc.shape;

  auto layout = dyn_cast_or_null<ge::LayoutAttr>(tensor.getEncoding());
  if (!layout)
    return desc;
  auto readFormat = [](StringRef name, FormatAndGroups &result) {
    if (name.empty())
      return Status();
    std::optional<FormatAndGroups> format = parseFormat(name);
    if (!format)
      return Status::error("unknown format '" + name.str() + "'");
    result = *format;
    return Status();
  };
  FormatAndGroups format;
  if (Status status = readFormat(layout.getFormat(), format); !status)
    return status;
  desc.format = format.format;
  desc.groups = format.groups;
  FormatAndGroups origin = format;
  if (layout.getOriginFormat())
    if (Status status = readFormat(layout.getOriginFormat(), origin); !status)
      return status;
  desc.originFormat = origin.format;
  if (layout.getOriginShape()) {
    ArrayRef<int64_t> dims = layout.getOriginShape();
    desc.originShape.assign(dims.begin(), dims.end());
  }
  return desc;
}

Expected<TensorDesc> npu::getTensorDesc(Type type) {
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type);
      tensor && !tensor.hasStaticShape())
    return Status::error("expected known dimensions, found " + print(type));
  Expected<TensorDesc> desc = readTensorDesc(type);
  if (!desc)
    return desc;
  // Strings lie elsewhere.
  if (getBitWidth(desc->dtype) == 0 && desc->dtype != DataType::String)
    return Status::error("elements of type " +
                         std::string(getName(desc->dtype)) +
                         " have no fixed size");
  if (!getCheckedByteSize(desc->dtype, desc->shape))
    return Status::error("expected a size that 64 bits hold, found " +
                         print(type));
  if (!getCheckedByteSize(desc->dtype, desc->originShape))
    return Status::error("expected known origin dimensions, found " +
                         print(type));
  return desc;
}
