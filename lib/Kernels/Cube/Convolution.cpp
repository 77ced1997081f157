//===- Convolution.cpp - Convolutions as contractions ---------------------===//
//
// Forward: rows are output points, columns output channels, and k runs over
// (c1, kh, kw, c0). The gradient to the input: rows are input points, columns
// input channels, k runs over (co1, kh, kw, co0); input points whose position
// modulo the stride is equal meet the same taps, so each such phase is a
// convolution of stride 1 of the output gradient.
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"

#include "ImageView.h"
#include "Offsets.h"
#include "Window.h"

#include <algorithm>
#include <functional>
#include <limits>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

namespace {

/// A tap of the window that takes part, and how far it reads from the row's
/// position.
struct Tap {
  int64_t h, w;
  int64_t dh, dw;
};

/// The part of a filter that one group uses: channels within the group.
using FilterElement = std::function<int64_t(int64_t group, int64_t out,
                                            int64_t in, int64_t h, int64_t w)>;

struct ConvNode {
  const NodeSpec &spec;
  CubePlan plan;
  Window window;
  ImageView from, to; ///< what rows read and write
  int64_t groups = 1;
  /// Channels of a group on the two sides.
  int64_t depthChannels = 0, columns = 0;
  /// Element of the filter for (group, column, depth channel, tap).
  FilterElement filter;
  float outside = 0;
  /// LeftOperand::panelPitch; not zero when all channels are one depthwise
  /// product.
  int64_t leftPanelPitch = 0;

  void joinGroups();
  void joinTaps();
  void addPart(int64_t group, const std::vector<Tap> &taps,
               const LeftOperand &grid, const Destination &out,
               int64_t outBase);
  void addPadding();
  bool columnsLieInPanels(int64_t firstColumn) const;
};

/// One contraction: group \p group and the taps \p taps, for the rows of
/// \p grid.
void ConvNode::addPart(int64_t group, const std::vector<Tap> &taps,
                       const LeftOperand &grid, const Destination &out,
                       int64_t outBase) {
  const int64_t filterBase = filter(group, 0, 0, 0, 0);
  const int64_t lastPixel = (from.images - 1) * from.imagePitch +
                            (from.height - 1) * from.linePitch +
                            (from.width - 1) * from.pixelPitch;
  const int64_t begin = group * depthChannels, end = begin + depthChannels;
  std::vector<Run> runs;
  std::vector<int64_t> depth;
  for (int64_t block = begin; block < end;) {
    const int64_t blockEnd = std::min(end, (block / from.c0 + 1) * from.c0);
    for (const Tap &tap : taps)
      for (int64_t c = block; c < blockEnd;) {
        const int64_t length = std::min(
            PanelWidth, countAdjacent({&from.channels[c],
                                       static_cast<size_t>(blockEnd - c)}));
        Run run;
        run.offset = from.channels[c] + tap.dh * from.linePitch +
                     tap.dw * from.pixelPitch;
        run.dh = static_cast<int32_t>(tap.dh);
        run.dw = static_cast<int32_t>(tap.dw);
        run.length = static_cast<int16_t>(length);
        run.readable =
            lastPixel + from.channels[c] + PanelWidth <= from.numElements;
        runs.push_back(run);
        for (int64_t i = 0; i < length; ++i, ++c)
          depth.push_back(filter(group, 0, c - begin, tap.h, tap.w) -
                          filterBase);
      }
    block = blockEnd;
  }
  std::vector<int64_t> columnOffsets;
  for (int64_t n = 0; n < columns; ++n)
    columnOffsets.push_back(filter(group, n, 0, 0, 0) - filterBase);

  PlannedPart part;
  part.left = grid;
  part.left.outside = outside;
  part.left.panelPitch = leftPanelPitch;
  part.left.images = from.images;
  part.left.inputHeight = from.height;
  part.left.inputWidth = from.width;
  part.left.imagePitch = from.imagePitch;
  part.left.linePitch = from.linePitch;
  part.left.pixelPitch = from.pixelPitch;
  part.runTable = plan.runs.size();
  plan.runs.push_back(std::move(runs));
  part.right = plan.right.size();
  const size_t depthTable = plan.addOffsets(std::move(depth));
  plan.right.push_back(
      {filterBase, depthTable, plan.addOffsets(std::move(columnOffsets))});

  const int64_t firstColumn = group * columns;
  part.biasOffset = firstColumn;
  part.columns = columns;
  part.out = out;
  part.outBase = outBase;
  if (columnsLieInPanels(firstColumn)) {
    part.outBase += to.channels[firstColumn];
    part.out.panelPitch =
        columns > PanelWidth
            ? to.channels[firstColumn + PanelWidth] - to.channels[firstColumn]
            : PanelWidth;
    part.out.padColumns = to.padded && groups == 1;
  } else {
    part.outColumns =
        plan.addOffsets({to.channels.begin() + firstColumn,
                         to.channels.begin() + firstColumn + columns});
  }
  plan.parts.push_back(std::move(part));
}

/// Makes one depthwise product of groups of one channel, where memory allows
/// whole panels of channels.
void ConvNode::joinGroups() {
  const int64_t channels = static_cast<int64_t>(from.channels.size());
  if (depthChannels != 1 || columns != 1 || groups == 1 ||
      plan.types.isInteger())
    return;
  const int64_t pitch = channels > PanelWidth
                            ? from.channels[PanelWidth] - from.channels[0]
                            : PanelWidth;
  for (int64_t c = 0; c < channels; ++c)
    if (from.channels[c] !=
        from.channels[0] + c / PanelWidth * pitch + c % PanelWidth)
      return;
  const int64_t lastPixel = (from.images - 1) * from.imagePitch +
                            (from.height - 1) * from.linePitch +
                            (from.width - 1) * from.pixelPitch;
  const int64_t lastPanel = (channels - 1) / PanelWidth * PanelWidth;
  if (lastPixel + from.channels[lastPanel] + PanelWidth > from.numElements)
    return;
  leftPanelPitch = pitch;
  groups = 1;
  columns = channels;
  filter = [element = filter](int64_t, int64_t out, int64_t, int64_t h,
                              int64_t w) { return element(out, 0, 0, h, w); };
}

/// Makes the taps of a line and the channels of an image that has few of them
/// one run, in a copy without gaps: else each pixel is a run, of few values.
void ConvNode::joinTaps() {
  const auto count = static_cast<int64_t>(from.channels.size());
  if (count > DenseImage::MaxChannels || groups != 1 || window.kernelW == 1 ||
      window.dilationW != 1 || plan.types.isInteger())
    return;
  DenseImage dense;
  dense.images = from.images;
  dense.height = from.height;
  dense.width = from.width;
  dense.imagePitch = from.imagePitch;
  dense.linePitch = from.linePitch;
  dense.pixelPitch = from.pixelPitch;
  dense.channels = from.channels;
  dense.before = window.left;
  dense.lineWidth = std::max(window.left + from.width,
                             (to.width - 1) * window.strideW + window.kernelW);
  dense.slack = window.kernelW * count + PanelWidth;

  from.width = dense.lineWidth;
  from.pixelPitch = count;
  from.linePitch = dense.lineElements();
  from.imagePitch = from.height * from.linePitch;
  from.numElements = dense.numElements();
  from.channels.clear();
  for (int64_t i = 0; i < window.kernelW * count; ++i)
    from.channels.push_back(i);
  from.c0 = depthChannels = window.kernelW * count;
  filter = [element = filter, count](int64_t group, int64_t out, int64_t in,
                                     int64_t h, int64_t) {
    return element(group, out, in % count, h, in / count);
  };
  window.kernelW = 1;
  window.left = 0;
  plan.dense = std::move(dense);
}

/// Whether the columns of a group lie side by side, 16 by 16.
bool ConvNode::columnsLieInPanels(int64_t firstColumn) const {
  for (int64_t n = 0; n < columns; ++n) {
    const int64_t panel = n / PanelWidth;
    const int64_t start =
        panel ? to.channels[firstColumn] +
                    panel * (to.channels[firstColumn + PanelWidth] -
                             to.channels[firstColumn])
              : to.channels[firstColumn];
    if (to.channels[firstColumn + n] != start + n % PanelWidth)
      return false;
  }
  // Zeros beyond the last column must stay inside the block.
  return !to.padded || groups > 1 || to.c0 == PanelWidth;
}

/// Channels of the output that no column writes.
void ConvNode::addPadding() {
  const int64_t columnsOfAll = static_cast<int64_t>(to.channels.size());
  const bool written = !to.padded || (groups == 1 && to.c0 == PanelWidth);
  if (written)
    return;
  // Their lanes are scattered; clearing whole blocks costs little.
  const int64_t lastBlock = (columnsOfAll - 1) / to.c0 * to.c0;
  for (int64_t image = 0; image < to.images; ++image)
    plan.padding.push_back({image * to.imagePitch + to.channels[lastBlock],
                            to.height * to.width * to.c0});
}

/// Rows are the points of \p to.
void addForwardParts(ConvNode &node) {
  const Window &window = node.window;
  std::vector<Tap> taps;
  for (int64_t h = 0; h < window.kernelH; ++h)
    for (int64_t w = 0; w < window.kernelW; ++w)
      taps.push_back({h, w, h * window.dilationH - window.top,
                      w * window.dilationW - window.left});
  LeftOperand grid;
  grid.height = node.to.height;
  grid.width = node.to.width;
  grid.strideH = window.strideH;
  grid.strideW = window.strideW;
  Destination out;
  out.imagePitch = node.to.imagePitch;
  out.linePitch = node.to.linePitch;
  out.pixelPitch = node.to.pixelPitch;
  for (int64_t group = 0; group < node.groups; ++group)
    node.addPart(group, taps, grid, out, 0);
}

/// The taps that input points of \p phase meet in one direction: pairs of tap
/// and distance.
std::vector<std::pair<int64_t, int64_t>> findTaps(int64_t phase, int64_t kernel,
                                                  int64_t stride,
                                                  int64_t dilation,
                                                  int64_t before) {
  std::vector<std::pair<int64_t, int64_t>> taps;
  for (int64_t tap = 0; tap < kernel; ++tap)
    if (const int64_t distance = phase + before - tap * dilation;
        distance % stride == 0)
      taps.push_back({tap, distance / stride});
  return taps;
}

/// Rows are the points of \p to, phase by phase.
void addBackwardParts(ConvNode &node) {
  const Window &window = node.window;
  for (int64_t phaseH = 0; phaseH < std::min(window.strideH, node.to.height);
       ++phaseH)
    for (int64_t phaseW = 0; phaseW < std::min(window.strideW, node.to.width);
         ++phaseW) {
      std::vector<Tap> taps;
      for (auto [h, dh] : findTaps(phaseH, window.kernelH, window.strideH,
                                   window.dilationH, window.top))
        for (auto [w, dw] : findTaps(phaseW, window.kernelW, window.strideW,
                                     window.dilationW, window.left))
          taps.push_back({h, w, dh, dw});
      LeftOperand grid;
      grid.height = ceilDiv(node.to.height - phaseH, window.strideH);
      grid.width = ceilDiv(node.to.width - phaseW, window.strideW);
      Destination out;
      out.imagePitch = node.to.imagePitch;
      out.linePitch = node.to.linePitch * window.strideH;
      out.pixelPitch = node.to.pixelPitch * window.strideW;
      for (int64_t group = 0; group < node.groups; ++group)
        node.addPart(group, taps, grid, out,
                     phaseH * node.to.linePitch + phaseW * node.to.pixelPitch);
    }
}

enum class Direction { Forward, Backward };

/// What differs between the operators.
struct ConvKind {
  Direction direction = Direction::Forward;
  size_t image = 0, filter = 1;
  std::optional<size_t> bias;
  bool depthwise = false;
  bool windowIsImage = false;
};

Expected<std::unique_ptr<Kernel>> createConvolution(const NodeSpec &spec,
                                                    const NumericConfig &config,
                                                    const ConvKind &kind) {
  const auto fail = [&](Status status) {
    return std::move(status).withContext(spec.type + " " + spec.name);
  };
  if (spec.inputs.size() <= std::max(kind.image, kind.filter) ||
      !spec.inputs[kind.image] || !spec.inputs[kind.filter] ||
      spec.outputs.size() != 1)
    return fail(Status::error("expected an image, a filter and one output"));
  const TensorDesc &image = *spec.inputs[kind.image];
  const TensorDesc &filterDesc = *spec.inputs[kind.filter];
  // A fused node has the operands of its followers here.
  for (size_t i = 3; i < spec.inputs.size(); ++i)
    if (spec.inputs[i] && spec.inputs[i]->dtype != DataType::Int8)
      return fail(Status::error("input " + std::to_string(i) + " (" +
                                spec.inputs[i]->toString() +
                                ") is no offset_w; is the node fused?"));

  ConvNode node{spec, {}, {}, {}, {}, 1, 0, 0, {}, 0};
  auto from = ImageView::create(image, "input " + std::to_string(kind.image));
  if (!from)
    return fail(from.takeStatus());
  auto to = ImageView::create(spec.outputs[0], "the output");
  if (!to)
    return fail(to.takeStatus());
  auto filter =
      NamedAxes::create(filterDesc, "input " + std::to_string(kind.filter));
  if (!filter)
    return fail(filter.takeStatus());
  node.from = std::move(*from);
  node.to = std::move(*to);
  if (node.from.images != node.to.images)
    return fail(Status::error("input and output have " +
                              std::to_string(node.from.images) + " and " +
                              std::to_string(node.to.images) + " images"));

  const bool forward = kind.direction == Direction::Forward;
  const ImageView &x = forward ? node.from : node.to;
  const ImageView &y = forward ? node.to : node.from;
  const int64_t channels = static_cast<int64_t>(x.channels.size());
  const int64_t outChannels = static_cast<int64_t>(y.channels.size());

  // Channels of a group: inputs and outputs.
  int64_t groupIn = filter->extent('C'), groupOut = 0;
  if (kind.depthwise) {
    // [C, M] multipliers, or in the form of a grouped filter [1, C * M].
    node.groups = channels;
    const bool multipliers = groupIn == channels;
    groupOut =
        multipliers ? filter->extent('N') : filter->extent('N') / channels;
    if (!multipliers && groupIn != 1)
      return fail(Status::error("filter " + filterDesc.toString() +
                                " does not suit " + std::to_string(channels) +
                                " channels"));
    groupIn = 1;
    node.filter = [axes = *filter, multipliers,
                   groupOut](int64_t group, int64_t out, int64_t, int64_t h,
                             int64_t w) {
      return multipliers ? axes.elementAt(out, group, h, w)
                         : axes.elementAt(group * groupOut + out, 0, h, w);
    };
  } else {
    auto groups = spec.attrs.get<int64_t>(
        "groups", std::max<int64_t>(filterDesc.groups, 1));
    if (!groups)
      return fail(groups.takeStatus());
    if (*groups < 1 || filter->extent('N') % *groups != 0)
      return fail(Status::error("filter " + filterDesc.toString() +
                                " cannot have " + std::to_string(*groups) +
                                " groups"));
    node.groups = *groups;
    groupOut = filter->extent('N') / *groups;
    node.filter = [axes = *filter, groupOut](int64_t group, int64_t out,
                                             int64_t in, int64_t h, int64_t w) {
      return axes.elementAt(group * groupOut + out, in, h, w);
    };
  }
  if (groupIn < 1 || groupOut < 1 || node.groups > channels ||
      groupIn * node.groups != channels ||
      groupOut * node.groups != outChannels)
    return fail(Status::error("filter " + filterDesc.toString() + " in " +
                              std::to_string(node.groups) +
                              " groups does not lead from " +
                              std::to_string(channels) + " to " +
                              std::to_string(outChannels) + " channels"));
  node.depthChannels = forward ? groupIn : groupOut;
  node.columns = forward ? groupOut : groupIn;
  if (!forward)
    node.filter = [element = node.filter](int64_t group, int64_t out,
                                          int64_t in, int64_t h, int64_t w) {
      return element(group, in, out, h, w);
    };

  const int64_t kernelH = filter->extent('H'), kernelW = filter->extent('W');
  if (kind.windowIsImage) {
    if (kernelH != x.height || kernelW != x.width || y.height != 1 ||
        y.width != 1)
      return fail(Status::error("the weight must have the height and width of "
                                "the image, and the output 1 x 1"));
    node.window.kernelH = kernelH;
    node.window.kernelW = kernelW;
  } else {
    auto window = readWindow(spec, forward ? image : spec.outputs[0], kernelH,
                             kernelW, x.height, x.width, y.height, y.width);
    if (!window)
      return fail(window.takeStatus());
    node.window = *window;
  }

  // All factors are at most 2^28 each; images are below 2^26 points.
  const int64_t phases = forward ? 1
                                 : std::min(node.window.strideH, x.height) *
                                       std::min(node.window.strideW, x.width);
  if (phases > MaxParts / node.groups ||
      kernelH * kernelW > MaxTableSize / node.depthChannels)
    return fail(Status::error("filter " + filterDesc.toString() + " in " +
                              std::to_string(node.groups) +
                              " groups with its strides is too large"));

  node.plan.leftInput = kind.image;
  node.plan.rightInput = kind.filter;
  if (Status status = bindTypes(spec, config, kind.bias,
                                node.groups * node.columns, node.plan);
      !status)
    return fail(std::move(status));
  node.plan.rightConstant = spec.constants.size() > kind.filter &&
                            spec.constants[kind.filter] != nullptr;
  if (node.plan.types.isInteger() && forward) {
    auto offset = spec.attribute<int64_t>("offset_x");
    if (!offset)
      return fail(offset.takeStatus());
    if (*offset < -128 || *offset > 255)
      return fail(Status::error("offset_x " + std::to_string(*offset) +
                                " is not a value of 8 bits"));
    node.outside = static_cast<float>(*offset);
  }
  if (forward)
    node.joinTaps();
  if (node.from.isPlanar())
    node.from = node.from.repack(node.plan);
  node.joinGroups();
  if (forward)
    addForwardParts(node);
  else
    addBackwardParts(node);
  node.addPadding();
  return makeCubeKernel(std::move(node.plan));
}

} // namespace

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createConv2D(const NodeSpec &spec,
                                 const NumericConfig &config) {
  ConvKind kind;
  kind.bias = 2;
  return createConvolution(spec, config, kind);
}

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createDepthwiseConv2D(const NodeSpec &spec,
                                          const NumericConfig &config) {
  ConvKind kind;
  kind.bias = 2;
  kind.depthwise = true;
  return createConvolution(spec, config, kind);
}

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createConv2DBackpropInput(const NodeSpec &spec,
                                              const NumericConfig &config) {
  ConvKind kind;
  kind.direction = Direction::Backward;
  kind.image = 1;
  kind.filter = 0;
  kind.depthwise = spec.type.starts_with("Depthwise");
  return createConvolution(spec, config, kind);
}

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createConv2DTranspose(const NodeSpec &spec,
                                          const NumericConfig &config) {
  ConvKind kind;
  kind.direction = Direction::Backward;
  kind.bias = 2;
  return createConvolution(spec, config, kind);
}

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createImageFullyConnection(const NodeSpec &spec,
                                               const NumericConfig &config) {
  ConvKind kind;
  kind.bias = 2;
  kind.windowIsImage = true;
  return createConvolution(spec, config, kind);
}
