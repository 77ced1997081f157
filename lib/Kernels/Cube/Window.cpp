//===- Window.cpp - Strides, pads and dilations of a node -----------------===//

#include "Window.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

namespace {

/// Bounds every factor of a position, so that no product overflows.
constexpr int64_t MaxExtent = int64_t(1) << 28;

/// One direction of a window.
struct Direction {
  char axis;
  int64_t input, output, kernel, stride, dilation, before, after;
};

Status checkDirection(const Direction &d) {
  const std::string where = std::string("along ") + d.axis;
  for (int64_t value : {d.input, d.output, d.kernel, d.stride, d.dilation})
    if (value < 1 || value > MaxExtent)
      return Status::error("size, stride or dilation " + std::to_string(value) +
                           " " + where + " is out of range");
  if (d.before < 0 || d.after < 0 || std::max(d.before, d.after) > MaxExtent)
    return Status::error("pads " + std::to_string(d.before) + ", " +
                         std::to_string(d.after) + " " + where +
                         " are out of range");
  // Both factors are at most 2^28.
  const int64_t reach = d.dilation * (d.kernel - 1) + 1;
  const int64_t room = d.input + d.before + d.after - reach;
  const int64_t expected = room < 0 ? 0 : room / d.stride + 1;
  if (expected != d.output)
    return Status::error(
        "a window of " + std::to_string(d.kernel) + " (stride " +
        std::to_string(d.stride) + ", dilation " + std::to_string(d.dilation) +
        ", pads " + std::to_string(d.before) + ", " + std::to_string(d.after) +
        ") over " + std::to_string(d.input) + " gives " +
        std::to_string(expected) + " outputs " + where + ", not " +
        std::to_string(d.output));
  return {};
}

/// SAME: the pads that make the output ceil(input / stride) long, the larger
/// one behind.
void padSame(Direction &d) {
  if (d.stride < 1 || d.stride > MaxExtent || d.output > MaxExtent ||
      d.kernel > MaxExtent || d.dilation > MaxExtent)
    return; // checkDirection reports it
  const int64_t total = std::max<int64_t>(
      (d.output - 1) * d.stride + d.dilation * (d.kernel - 1) + 1 - d.input, 0);
  d.before = total / 2;
  d.after = total - d.before;
}

} // namespace

Expected<Window> npu::kernels::cube::readWindow(const NodeSpec &spec,
                                                const TensorDesc &image,
                                                int64_t kernelH,
                                                int64_t kernelW, int64_t inputH,
                                                int64_t inputW, int64_t outputH,
                                                int64_t outputW) {
  using List = std::vector<int64_t>;
  auto strides = spec.attribute<List>("strides");
  if (!strides)
    return strides.takeStatus();
  auto pads = spec.attribute<List>("pads");
  if (!pads)
    return pads.takeStatus();
  auto dilations = spec.attribute<List>("dilations");
  if (!dilations)
    return dilations.takeStatus();
  auto order = spec.attrs.get<std::string>(
      "data_format", std::string(getName(image.originFormat)));
  if (!order)
    return order.takeStatus();
  if (*order != "NHWC")
    *order = "NCHW";
  const size_t h = order->find('H'), w = order->find('W');
  if (spec.type == "Deconvolution" && strides->size() == 2) {
    List all(4, 1);
    all[h] = (*strides)[0];
    all[w] = (*strides)[1];
    *strides = std::move(all);
  }
  for (const auto *list : {&*strides, &*dilations})
    if (list->size() != 4 || (*list)[0] != 1 || (*list)[order->find('C')] != 1)
      return Status::error("strides and dilations must be 4 numbers in the "
                           "order " +
                           *order + " that are 1 along N and C");
  if (pads->size() != 4)
    return Status::error("pads has " + std::to_string(pads->size()) +
                         " numbers, expected 4");

  Direction vertical = {'H',           inputH,          outputH,    kernelH,
                        (*strides)[h], (*dilations)[h], (*pads)[0], (*pads)[1]};
  Direction horizontal = {'W',        inputW,        outputW,
                          kernelW,    (*strides)[w], (*dilations)[w],
                          (*pads)[2], (*pads)[3]};
  if (*pads == List{-1, -1, -1, -1}) {
    padSame(vertical);
    padSame(horizontal);
  }
  for (const Direction &direction : {vertical, horizontal})
    if (Status status = checkDirection(direction); !status)
      return status;
  return Window{kernelH,           kernelW,           vertical.stride,
                horizontal.stride, vertical.dilation, horizontal.dilation,
                vertical.before,   horizontal.before};
}
