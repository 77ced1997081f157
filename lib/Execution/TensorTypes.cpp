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

Expected<TensorDesc> npu::getTensorDesc(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor)
    return Status::error("expected a tensor of known rank, found " +
                         (type ? print(type) : "no type"));
  if (!tensor.hasStaticShape())
    return Status::error("expected known dimensions, found " + print(type));

  TensorDesc desc;
  StringRef name = ge::getDataTypeName(tensor.getElementType());
  std::optional<DataType> dtype = parseDataType(name);
  if (!dtype)
    return Status::error("unknown data type '" + name.str() + "'");
  if (getBitWidth(*dtype) == 0)
    return Status::error("elements of type " + name.str() +
                         " have no fixed size");
  desc.dtype = *dtype;
  desc.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  desc.originShape = desc.shape;

  auto hasSize = [&](const Shape &shape) {
    return getCheckedByteSize(desc.dtype, shape).has_value();
  };
  if (!hasSize(desc.shape))
    return Status::error("expected a size that 64 bits hold, found " +
                         print(type));

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
    if (!hasSize(desc.originShape))
      return Status::error("expected known origin dimensions, found " +
                           print(type));
  }
  return desc;
}
