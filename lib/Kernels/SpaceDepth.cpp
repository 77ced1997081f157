//===- SpaceDepth.cpp - Blocks of pixels as channels or images ------------===//
//
// DepthToSpace and SpaceToDepth; BatchToSpaceNDD and SpaceToBatchNDD.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "Rearrangement.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

namespace {

using Axis = StridedCopy::Axis;

Status shapeError(const NodeSpec &spec) {
  return nodeError(spec, spec.inputs[0]->toString() + " does not give " +
                             spec.outputs[0].toString());
}

/// "NHWC" or "NCHW": the order of the tensor's axes, by its format, or by
/// data_format where that does not tell.
Expected<std::string> axisOrder(const NodeSpec &spec) {
  const TensorDesc plain = getPlainDesc(*spec.inputs[0]);
  std::string order(axisLetters(plain.format));
  if (order != "NCHW" && order != "NHWC") {
    auto format = spec.attribute<std::string>("data_format");
    if (!format)
      return format.takeStatus();
    order = *format;
  }
  if ((order != "NCHW" && order != "NHWC") || plain.shape.size() != 4)
    return Status::error(plain.toString() + " is no image");
  return order;
}

/// DepthToSpace: a block of b x b pixels for each pixel, whose channels are
/// those of the block's pixels (DCR: pixel by pixel, CRD: channel by channel).
/// SpaceToDepth: from there (DCR).
Expected<std::unique_ptr<Kernel>> createDepth(const NodeSpec &spec,
                                              const NumericConfig &) {
  const bool toSpace = spec.type == "DepthToSpace";
  auto block = spec.attrs.require<int64_t>("block_size");
  if (!block)
    return inNode(spec, block.takeStatus());
  bool byChannel = false;
  if (toSpace) {
    auto mode = spec.attribute<std::string>("mode");
    if (!mode)
      return inNode(spec, mode.takeStatus());
    if (*mode != "DCR" && *mode != "CRD")
      return nodeError(spec, "attribute 'mode' is '" + *mode +
                                 "', expected DCR or CRD");
    byChannel = *mode == "CRD";
  }
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto order = axisOrder(spec);
  if (!order)
    return inNode(spec, order.takeStatus());
  const size_t n = order->find('N'), h = order->find('H'), w = order->find('W'),
               c = order->find('C');
  const Shape &x = plan->inputShape(0), &y = plan->outputShape();
  const Shape &deep = toSpace ? x : y, &wide = toSpace ? y : x;
  const int64_t b = *block;
  if (b < 1 || wide.size() != 4 || deep.size() != 4 || wide[n] != deep[n] ||
      wide[h] != deep[h] * b || wide[w] != deep[w] * b ||
      wide[c] * b * b != deep[c])
    return shapeError(spec);
  const std::vector<int64_t> ofDeep = rowMajorSteps(deep),
                             ofWide = rowMajorSteps(wide);
  const int64_t pixel = byChannel ? ofDeep[c] : wide[c] * ofDeep[c];
  // Extent, step in the deep tensor, step in the wide one.
  std::vector<Axis> axes = {
      {deep[n], ofDeep[n], ofWide[n]},
      {deep[h], ofDeep[h], b * ofWide[h]},
      {b, b * pixel, ofWide[h]},
      {deep[w], ofDeep[w], b * ofWide[w]},
      {b, pixel, ofWide[w]},
      {wide[c], byChannel ? b * b * ofDeep[c] : ofDeep[c], ofWide[c]}};
  if (!toSpace)
    for (Axis &axis : axes)
      std::swap(axis.sourceStep, axis.targetStep);
  plan->copy(0, 0, std::move(axes));
  return std::move(*plan).takeKernel();
}

/// BatchToSpaceNDD: images of a batch become pixels of blocks along the axes
/// behind the first, of which `crops` are cut off. SpaceToBatchNDD: back, with
/// zeros by `paddings`.
Expected<std::unique_ptr<Kernel>> createBatch(const NodeSpec &spec,
                                              const NumericConfig &) {
  const bool toSpace = spec.type == "BatchToSpaceNDD";
  auto blocks = spec.attrs.require<std::vector<int64_t>>("block_shape");
  auto margins =
      spec.attrs.require<std::vector<int64_t>>(toSpace ? "crops" : "paddings");
  for (auto *list : {&blocks, &margins})
    if (!*list)
      return inNode(spec, list->takeStatus());
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  const Shape &x = plan->inputShape(0), &y = plan->outputShape();
  const Shape &many = toSpace ? x : y, &wide = toSpace ? y : x;
  const size_t count = blocks->size();
  int64_t pixels = 1;
  bool fits = many.size() == wide.size() && count < many.size() &&
              margins->size() == 2 * count;
  for (size_t i = 0; fits && i < count; ++i) {
    const int64_t block = (*blocks)[i], before = (*margins)[2 * i],
                  behind = (*margins)[2 * i + 1];
    fits = block > 0 && before >= 0 && behind >= 0 &&
           wide[i + 1] == many[i + 1] * block - before - behind;
    pixels *= block;
  }
  fits = fits && many[0] == wide[0] * pixels &&
         std::equal(many.begin() + count + 1, many.end(),
                    wide.begin() + count + 1);
  if (!fits)
    return shapeError(spec);
  const std::vector<int64_t> ofMany = rowMajorSteps(many),
                             ofWide = rowMajorSteps(wide);
  plan->clearOutputs();
  // A copy for each pixel of a block, which is a part of the batch.
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    std::vector<Axis> axes = {{wide[0], ofMany[0], ofWide[0]}};
    int64_t inMany = pixel * wide[0] * ofMany[0], inWide = 0, rest = pixel;
    for (size_t i = count; i-- > 0;) {
      const int64_t block = (*blocks)[i], before = (*margins)[2 * i];
      const int64_t offset = rest % block - before;
      rest /= block;
      // The first and the last block whose pixel is not cut off.
      const int64_t first = offset >= 0 ? 0 : (-offset + block - 1) / block;
      const int64_t last =
          std::min(many[i + 1], (wide[i + 1] - offset + block - 1) / block);
      axes.insert(axes.begin() + 1, {std::max<int64_t>(last - first, 0),
                                     ofMany[i + 1], block * ofWide[i + 1]});
      inMany += first * ofMany[i + 1];
      inWide += (first * block + offset) * ofWide[i + 1];
    }
    for (size_t i = count + 1; i < many.size(); ++i)
      axes.push_back({many[i], ofMany[i], ofWide[i]});
    if (std::any_of(axes.begin(), axes.end(),
                    [](const Axis &axis) { return axis.extent == 0; }))
      continue;
    if (!toSpace)
      for (Axis &axis : axes)
        std::swap(axis.sourceStep, axis.targetStep);
    plan->copy(0, 0, std::move(axes), toSpace ? inMany : inWide,
               toSpace ? inWide : inMany);
  }
  return std::move(*plan).takeKernel();
}

} // namespace

void kernels::addSpaceDepth(Registry &registry) {
  for (const char *type : {"DepthToSpace", "SpaceToDepth"})
    registry.add(type, {createDepth, "copies", status::None});
  for (const char *type : {"BatchToSpaceNDD", "SpaceToBatchNDD"})
    registry.add(type, {createBatch, "copies", status::None});
}
