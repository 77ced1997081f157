//===- FilterGradient.cpp - Gradients to filters as contractions ----------===//
//
//   df[co, ci, kh, kw] = sum over k = (n, oh, ow) of
//     x[n, ci, oh * sh - top + kh * dh, ow * sw - left + kw * dw] dy[n, co, oh,
//     ow]
//
// Columns are output channels. Rows are channels of x times taps: a grid with
// the channels as its images, over whose points the dilation strides. What k
// adds to a row's position is the same for all rows, and the part of it that
// falls outside the image reads zero. Where channels lie side by side, each tap
// is a contraction of its own, which reads 16 channels at once.
//
//===----------------------------------------------------------------------===//

#include "FilterGradient.h"

#include "../AtomicSum.h"
#include "ImageView.h"
#include "Offsets.h"
#include "Window.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

namespace {

struct GradientNode {
  CubePlan plan;
  Window window;
  ImageView x, dy;
  NamedAxes filter;
  int64_t groups = 1;
  int64_t groupIn = 0, groupOut = 0; ///< channels of a group
  /// The filter has an axis of multipliers in place of all output channels.
  bool multipliers = false;

  int64_t filterElement(int64_t group, int64_t out, int64_t in, int64_t h,
                        int64_t w) const {
    return multipliers ? filter.elementAt(out, group, h, w)
                       : filter.elementAt(group * groupOut + out, in, h, w);
  }
  Status bindChannels(const NodeSpec &spec, bool depthwise);
  bool tapsAreUniform() const;
  size_t addRuns();
  void addTaps(const PlannedPart &all);
  void addGroup(int64_t group, size_t runTable, size_t depthTable);
};

Status GradientNode::bindChannels(const NodeSpec &spec, bool depthwise) {
  const int64_t channels = static_cast<int64_t>(x.channels.size());
  const int64_t outChannels = static_cast<int64_t>(dy.channels.size());
  groupIn = filter.extent('C');
  if (depthwise) {
    groups = channels;
    multipliers =
        groupIn == channels && filter.extent('N') * channels == outChannels;
    groupIn = multipliers ? 1 : groupIn;
  } else {
    auto given = spec.attrs.get<int64_t>(
        "groups", std::max<int64_t>(spec.outputs[0].groups, 1));
    if (!given)
      return given.takeStatus();
    groups = *given;
  }
  groupOut = groups < 1 ? 0 : outChannels / groups;
  if (groups < 1 || groupIn < 1 || groupOut < 1 ||
      groups > MaxParts / channels || groupIn * groups != channels ||
      groupOut * groups != outChannels ||
      (!multipliers && filter.extent('N') != outChannels))
    return Status::error("a filter " + spec.outputs[0].toString() + " in " +
                         std::to_string(groups) +
                         " groups does not lead from " +
                         std::to_string(channels) + " to " +
                         std::to_string(outChannels) + " channels");
  return {};
}

/// Whether taps lie at fixed distances in the filter.
bool GradientNode::tapsAreUniform() const {
  const int64_t base = filter.elementAt(0, 0, 0, 0);
  const int64_t line =
      window.kernelH > 1 ? filter.elementAt(0, 0, 1, 0) - base : 0;
  const int64_t pixel =
      window.kernelW > 1 ? filter.elementAt(0, 0, 0, 1) - base : 0;
  for (int64_t h = 0; h < window.kernelH; ++h)
    for (int64_t w = 0; w < window.kernelW; ++w)
      if (filter.elementAt(0, 0, h, w) != base + h * line + w * pixel)
        return false;
  return true;
}

/// The values of k, each a run of its own; returns their table.
size_t GradientNode::addRuns() {
  const int64_t last = (x.images - 1) * x.imagePitch +
                       (x.height - 1) * x.linePitch +
                       (x.width - 1) * x.pixelPitch;
  const bool readable =
      last + *std::max_element(x.channels.begin(), x.channels.end()) +
          PanelWidth <=
      x.numElements;
  std::vector<Run> runs;
  for (int64_t n = 0; n < dy.images; ++n)
    for (int64_t h = 0; h < dy.height; ++h)
      for (int64_t w = 0; w < dy.width; ++w) {
        Run run;
        const int64_t fromTop = h * window.strideH - window.top;
        const int64_t fromLeft = w * window.strideW - window.left;
        run.offset =
            n * x.imagePitch + fromTop * x.linePitch + fromLeft * x.pixelPitch;
        run.dh = static_cast<int32_t>(fromTop);
        run.dw = static_cast<int32_t>(fromLeft);
        run.length = 1;
        run.readable = readable;
        runs.push_back(run);
      }
  plan.runs.push_back(std::move(runs));
  return plan.runs.size() - 1;
}

/// Adds the taps of \p all, whose channels are adjacent, one by one.
void GradientNode::addTaps(const PlannedPart &all) {
  for (int64_t h = 0; h < window.kernelH; ++h)
    for (int64_t w = 0; w < window.kernelW; ++w) {
      PlannedPart part = all;
      part.left.height = part.left.width = 1;
      part.left.originH = h * window.dilationH;
      part.left.originW = w * window.dilationW;
      part.left.areRowsAdjacent = true;
      part.outBase += h * all.out.linePitch + w * all.out.pixelPitch;
      plan.parts.push_back(std::move(part));
    }
}

/// Group \p group: one contraction for every stretch of its channels that lie
/// at fixed distances both in the image and in the filter.
void GradientNode::addGroup(int64_t group, size_t runTable, size_t depthTable) {
  const int64_t *in = &x.channels[group * groupIn];
  const int64_t *out = &dy.channels[group * groupOut];
  std::vector<int64_t> columns, destinations;
  for (int64_t n = 0; n < groupOut; ++n) {
    columns.push_back(out[n] - out[0]);
    destinations.push_back(filterElement(group, n, 0, 0, 0) -
                           filterElement(group, 0, 0, 0, 0));
  }
  const size_t right = plan.right.size();
  plan.right.push_back({out[0], depthTable, plan.addOffsets(columns)});
  const size_t outColumns = plan.addOffsets(destinations);

  auto target = [&](int64_t c) { return filterElement(group, 0, c, 0, 0); };
  for (int64_t c = 0; c < groupIn;) {
    int64_t end = c + 1;
    while (end < groupIn && in[end] - in[end - 1] == in[c + 1] - in[c] &&
           target(end) - target(end - 1) == target(c + 1) - target(c))
      ++end;
    PlannedPart part;
    part.left.images = end - c;
    part.left.imagePitch = end - c > 1 ? in[c + 1] - in[c] : 0;
    part.left.height = window.kernelH;
    part.left.width = window.kernelW;
    part.left.strideH = window.dilationH;
    part.left.strideW = window.dilationW;
    part.left.inputHeight = x.height;
    part.left.inputWidth = x.width;
    part.left.linePitch = x.linePitch;
    part.left.pixelPitch = x.pixelPitch;
    part.leftBase = in[c];
    part.runTable = runTable;
    part.right = right;
    part.columns = groupOut;
    part.outBase = target(c);
    part.outColumns = outColumns;
    const int64_t base = part.outBase;
    part.out.imagePitch = end - c > 1 ? target(c + 1) - base : 0;
    part.out.linePitch =
        window.kernelH > 1 ? filterElement(group, 0, c, 1, 0) - base : 0;
    part.out.pixelPitch =
        window.kernelW > 1 ? filterElement(group, 0, c, 0, 1) - base : 0;
    if (part.left.imagePitch == 1 && !plan.types.isInteger() &&
        window.kernelH * window.kernelW <= MaxParts / groupIn / groups)
      addTaps(part);
    else
      plan.parts.push_back(std::move(part));
    c = end;
  }
}

} // namespace

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createFilterGradient(const NodeSpec &spec,
                                         const NumericConfig &config) {
  const auto fail = [&](Status status) {
    return std::move(status).withContext(spec.type + " " + spec.name);
  };
  if (spec.inputs.size() != 2 || !spec.inputs[0] || !spec.inputs[1] ||
      spec.outputs.size() != 1)
    return fail(Status::error("expected x, out_backprop and one output"));
  GradientNode node;
  auto x = ImageView::create(*spec.inputs[0], "input 0");
  if (!x)
    return fail(x.takeStatus());
  auto dy = ImageView::create(*spec.inputs[1], "input 1");
  if (!dy)
    return fail(dy.takeStatus());
  auto filter = NamedAxes::create(spec.outputs[0], "the output");
  if (!filter)
    return fail(filter.takeStatus());
  node.x = std::move(*x);
  node.dy = std::move(*dy);
  node.filter = std::move(*filter);
  if (node.x.images != node.dy.images)
    return fail(Status::error("inputs have " + std::to_string(node.x.images) +
                              " and " + std::to_string(node.dy.images) +
                              " images"));
  if (Status status =
          node.bindChannels(spec, spec.type.starts_with("Depthwise"));
      !status)
    return fail(std::move(status));
  auto window = readWindow(spec, *spec.inputs[0], node.filter.extent('H'),
                           node.filter.extent('W'), node.x.height, node.x.width,
                           node.dy.height, node.dy.width);
  if (!window)
    return fail(window.takeStatus());
  node.window = *window;
  if (node.dy.images > MaxTableSize / (node.dy.height * node.dy.width))
    return fail(Status::error("out_backprop " + spec.inputs[1]->toString() +
                              " is too large"));
  if (!node.tapsAreUniform())
    return fail(Status::error("no gradient to a filter in the layout of " +
                              spec.outputs[0].toString()));
  node.plan.leftInput = 0;
  node.plan.rightInput = 1;
  if (Status status = bindTypes(spec, config, std::nullopt, 0, node.plan);
      !status)
    return fail(std::move(status));
  if (node.plan.types.out == DataType::Float) {
    auto byAtomics = accumulatesByAtomics(spec);
    if (!byAtomics)
      return fail(byAtomics.takeStatus());
    node.plan.byAtomics = *byAtomics;
  }

  std::vector<int64_t> depth;
  for (int64_t n = 0; n < node.dy.images; ++n)
    for (int64_t h = 0; h < node.dy.height; ++h)
      for (int64_t w = 0; w < node.dy.width; ++w)
        depth.push_back(n * node.dy.imagePitch + h * node.dy.linePitch +
                        w * node.dy.pixelPitch);
  const size_t depthTable = node.plan.addOffsets(std::move(depth));
  const size_t runTable = node.addRuns();
  for (int64_t group = 0; group < node.groups; ++group)
    node.addGroup(group, runTable, depthTable);
  // Filters are small: clear all of one that has padding.
  auto layout = Layout::create(spec.outputs[0]);
  if (!layout)
    return fail(layout.takeStatus());
  if (layout->hasPadding())
    node.plan.padding.push_back({0, layout->numElements()});
  return makeCubeKernel(std::move(node.plan));
}
