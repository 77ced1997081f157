//===- PoolingWindow.cpp - Windows of poolings and their gradients --------===//

#include "PoolingWindow.h"
#include "AttributeOr.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using IntList = std::vector<int64_t>;

/// H and W of a list of four numbers in the order of \p format.
Expected<std::pair<int64_t, int64_t>>
spatial(const IntList &list, const std::string &format, const char *name) {
  const size_t h = format.find('H'), w = format.find('W');
  if (format.size() != 4 || list.size() != 4 || h == std::string::npos ||
      w == std::string::npos)
    return Status::error("attribute '" + std::string(name) + "' has " +
                         std::to_string(list.size()) +
                         " elements, expected 4 in the order " + format);
  return std::pair(list[h], list[w]);
}

/// TensorFlow's SAME: as many outputs as strides fit, padding split evenly
/// with the odd one after.
void padToSame(WindowAxis &axis, int64_t size) {
  const int64_t outputs = (size + axis.stride - 1) / axis.stride;
  const int64_t padding =
      std::max<int64_t>((outputs - 1) * axis.stride + axis.window - size, 0);
  axis.before = padding / 2;
  axis.after = padding - padding / 2;
}

/// Every window must begin in the padded image.
Status checkAxis(const WindowAxis &axis, int64_t in, int64_t out, char name) {
  constexpr int64_t Limit = int64_t(1) << 31;
  if (axis.window < 1 || axis.stride < 1 || axis.before < 0 || axis.after < 0 ||
      axis.window > Limit || axis.stride > Limit || axis.before > Limit ||
      axis.after > Limit || in < 1 || out < 1 || out > Limit ||
      (out - 1) * axis.stride >= in + axis.before + axis.after)
    return Status::error(std::string(1, name) + ": " + std::to_string(out) +
                         " windows of " + std::to_string(axis.window) +
                         " with stride " + std::to_string(axis.stride) +
                         " and padding " + std::to_string(axis.before) + ", " +
                         std::to_string(axis.after) + " do not fit " +
                         std::to_string(in));
  return {};
}

} // namespace

Expected<PoolingWindow> kernels::readCaffeWindow(const NodeSpec &spec) {
  auto mode = spec.attribute<int64_t>("mode");
  auto global = spec.attribute<bool>("global_pooling");
  auto size = spec.attribute<IntList>("window");
  auto stride = spec.attribute<IntList>("stride");
  auto pad = spec.attribute<IntList>("pad");
  if (!mode)
    return mode.takeStatus();
  if (!global)
    return global.takeStatus();
  for (auto *list : {&size, &stride, &pad})
    if (!*list)
      return list->takeStatus();
  if (*mode != 0 && *mode != 1)
    return Status::error("attribute 'mode' is " + std::to_string(*mode) +
                         ", expected 0 (max) or 1 (average)");
  if (size->size() != 2 || stride->size() != 2 || pad->size() != 4)
    return Status::error("attributes 'window', 'stride' and 'pad' have " +
                         std::to_string(size->size()) + ", " +
                         std::to_string(stride->size()) + " and " +
                         std::to_string(pad->size()) +
                         " elements, expected 2, 2 and 4");
  PoolingWindow window;
  window.average = *mode == 1;
  window.countsPadding = true;
  window.height = {(*size)[0], (*stride)[0], (*pad)[0], (*pad)[1]};
  window.width = {(*size)[1], (*stride)[1], (*pad)[2], (*pad)[3]};
  if (*global) {
    window.height = {spec.inputs[0]->shape[2], 1, 0, 0};
    window.width = {spec.inputs[0]->shape[3], 1, 0, 0};
  }
  return window;
}

Expected<PoolingWindow> kernels::readPoolingWindow(const NodeSpec &spec,
                                                   const Shape &shape) {
  const bool hasMode = spec.type == "MaxPoolV3" || spec.type == "AvgPoolV2";
  auto format = attributeOr<std::string>(spec, "data_format", "NHWC");
  auto size = spec.attrs.require<IntList>("ksize");
  auto stride = spec.attrs.require<IntList>("strides");
  auto padding = hasMode ? spec.attribute<std::string>("padding_mode")
                         : spec.attrs.require<std::string>("padding");
  auto pads = attributeOr<IntList>(spec, "pads", {0, 0, 0, 0});
  auto global = attributeOr(spec, "global_pooling", false);
  auto exclusive = attributeOr(spec, "exclusive", true);
  auto divisor = attributeOr<int64_t>(spec, "divisor_override", 0);
  for (auto *text : {&format, &padding})
    if (!*text)
      return text->takeStatus();
  for (auto *list : {&size, &stride, &pads})
    if (!*list)
      return list->takeStatus();
  for (auto *flag : {&global, &exclusive})
    if (!*flag)
      return flag->takeStatus();
  if (!divisor)
    return divisor.takeStatus();
  auto kernel = spatial(*size, *format, "ksize");
  auto step = spatial(*stride, *format, "strides");
  if (!kernel)
    return kernel.takeStatus();
  if (!step)
    return step.takeStatus();
  PoolingWindow window;
  window.average = spec.type.starts_with("AvgPool");
  window.height = {kernel->first, step->first, 0, 0};
  window.width = {kernel->second, step->second, 0, 0};
  if (*global) {
    window.height = {shape[2], 1, 0, 0};
    window.width = {shape[3], 1, 0, 0};
  } else if (*padding == "SAME") {
    if (window.height.stride < 1 || window.width.stride < 1)
      return Status::error("attribute 'strides' is not positive");
    padToSame(window.height, shape[2]);
    padToSame(window.width, shape[3]);
  } else if (*padding == "CALCULATED" && hasMode) {
    if (pads->size() != 4)
      return Status::error("attribute 'pads' has " +
                           std::to_string(pads->size()) +
                           " elements, expected 4");
    window.height.before = (*pads)[0];
    window.height.after = (*pads)[1];
    window.width.before = (*pads)[2];
    window.width.after = (*pads)[3];
  } else if (*padding != "VALID") {
    return Status::error("padding '" + *padding + "' is none of SAME, VALID" +
                         (hasMode ? " and CALCULATED" : ""));
  }
  window.divisor = *divisor;
  if (!*exclusive && *divisor == 0)
    window.divisor = window.height.window * window.width.window;
  return window;
}

Status kernels::checkWindow(const PoolingWindow &window, const Shape &image,
                            const Shape &output) {
  if (Status status = checkAxis(window.height, image[2], output[2], 'H');
      !status)
    return status;
  return checkAxis(window.width, image[3], output[3], 'W');
}
