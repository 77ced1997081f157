//===- ConstantInput.cpp - Inputs that a factory reads --------------------===//

#include "ConstantInput.h"

using namespace npu;
using namespace npu::kernels;

Expected<std::vector<int64_t>>
kernels::readConstantInput(const NodeSpec &spec, size_t index,
                           const std::string &name) {
  const std::string what = "input " + std::to_string(index) + " (" + name + ")";
  const bool isThere = index < spec.inputs.size() && spec.inputs[index];
  if (isThere && spec.inputs[index]->numElements() == 0)
    return std::vector<int64_t>();
  if (!isThere || index >= spec.constants.size() || !spec.constants[index])
    return Status::error(what + " is not a constant");
  const TensorDesc &desc = *spec.inputs[index];
  const std::byte *data = spec.constants[index];
  std::vector<int64_t> values;
  for (int64_t i = 0; i < desc.numElements(); ++i) {
    if (desc.dtype == DataType::Int32)
      values.push_back(reinterpret_cast<const int32_t *>(data)[i]);
    else if (desc.dtype == DataType::Int64)
      values.push_back(reinterpret_cast<const int64_t *>(data)[i]);
    else
      return Status::error(what + " is " + std::string(getName(desc.dtype)) +
                           ", expected DT_INT32 or DT_INT64");
  }
  return values;
}

Expected<std::vector<int64_t>> kernels::readIntegers(const NodeSpec &spec,
                                                     bool isAttribute,
                                                     size_t index,
                                                     const std::string &name) {
  if (isAttribute)
    return spec.attrs.require<std::vector<int64_t>>(name);
  return readConstantInput(spec, index, name);
}

Expected<bool> kernels::keepsAllAxes(const NodeSpec &spec,
                                     const std::vector<int64_t> &axes) {
  if (!axes.empty() || !spec.type.starts_with("ReduceMean"))
    return false;
  return spec.attribute<bool>("noop_with_empty_axes");
}
