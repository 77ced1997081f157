//===- LineShapes.cpp - Shapes of element-wise operators and lines --------===//

#include "ShapeRules.h"

#include "ConstantInput.h"
#include "KernelChecks.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

using IntList = ShapeInference::IntList;
using Shapes = ShapeInference::Shapes;

Expected<Shape> ShapeInference::broadcast(size_t inputs) const {
  Shape shape;
  for (size_t index = 0; index < inputs; ++index) {
    if (!spec.inputs[index])
      continue;
    const Shape &operand = in(index);
    if (operand.size() > shape.size())
      shape.insert(shape.begin(), operand.size() - shape.size(), 1);
    for (size_t i = 0; i < operand.size(); ++i) {
      int64_t &extent = shape[shape.size() - operand.size() + i];
      if (extent == 1)
        extent = operand[i];
      else if (operand[i] != 1 && operand[i] != extent)
        return Status::error("input " + std::to_string(index) + " of " +
                             toString(operand) + " does not broadcast to " +
                             toString(shape));
    }
  }
  return shape;
}

Expected<Shape> ShapeInference::reduction() const {
  if (spec.type == "L2Loss")
    return Shape();
  const char *name = spec.type.starts_with("SquareSum") ? "axis" : "axes";
  const bool fromAttribute =
      isAttribute() || spec.type.starts_with("SquareSum");
  auto axes = readIntegers(spec, fromAttribute, 1, name);
  auto keep = spec.attribute<bool>("keep_dims");
  if (!axes)
    return axes.takeStatus();
  if (!keep)
    return keep.takeStatus();
  auto reduce = [&](const std::vector<bool> &along) {
    Shape shape;
    for (size_t i = 0; i < rank(); ++i)
      if (!along[i] || *keep)
        shape.push_back(along[i] ? 1 : in(0)[i]);
    return shape;
  };
  auto keepsAll = keepsAllAxes(spec, *axes);
  if (!keepsAll)
    return keepsAll.takeStatus();
  std::vector<bool> along(rank(), axes->empty() && !*keepsAll), image = along;
  // Of an image in NC1HWC0 the numbers may count N, C, H, W, whatever the
  // origin; then the other reading contradicts what is known of the output.
  bool isImage = spec.inputs[0]->format == Format::NC1HWC0 && rank() == 4;
  for (int64_t value : *axes) {
    auto axis = normalizeAxis(value, rank());
    if (!axis)
      return axis.takeStatus();
    along[*axis] = true;
    auto place = isImage ? find(*spec.inputs[0], "NCHW"[*axis]) : std::nullopt;
    isImage &= place.has_value();
    if (place)
      image[*place] = true;
  }
  const Shape shape = reduce(along), known = spec.outputs[0].originShape;
  const bool contradicts =
      shape.size() == known.size() &&
      !std::equal(shape.begin(), shape.end(), known.begin(),
                  [](int64_t dim, int64_t k) { return k < 0 || dim == k; });
  return isImage && contradicts ? reduce(image) : shape;
}

Expected<Shape> ShapeInference::argReduction() const {
  auto axis = this->axis(isAttribute(), 1, "dimension", rank());
  if (!axis)
    return axis.takeStatus();
  Shape shape = in(0);
  shape.erase(shape.begin() + *axis);
  return shape;
}

Expected<Shapes> ShapeInference::crossEntropy() const {
  if (rank() == 0)
    return needs("rows", in(0));
  const Shape loss(in(0).begin(), in(0).end() - 1);
  return Shapes{loss, in(0)};
}

Expected<Shapes> ShapeInference::layerNorm() const {
  Expected<int64_t> begin = int64_t(0);
  if (spec.type == "LayerNormV4") {
    auto shape = readConstantInput(spec, 1, "normalized_shape");
    begin = shape ? Expected<int64_t>(-static_cast<int64_t>(shape->size()))
                  : Expected<int64_t>(shape.takeStatus());
  } else {
    begin = spec.attribute<int64_t>("begin_norm_axis");
  }
  if (!begin)
    return begin.takeStatus();
  auto first = normalizeAxis(*begin, rank());
  if (!first)
    return first.takeStatus();
  Shape statistics = in(0);
  std::fill(statistics.begin() + *first, statistics.end(), 1);
  return Shapes{in(0), statistics, statistics};
}

Expected<Shapes> ShapeInference::rmsNorm() const {
  const size_t gamma = spec.type == "AddRmsNorm" ? 2 : 1;
  if (in(gamma).size() > rank())
    return needs("no more axes than x, " + toString(in(0)), in(gamma));
  Shape root = in(0);
  std::fill(root.end() - in(gamma).size(), root.end(), 1);
  return Shapes{in(0), root, in(0)};
}

/// The first output is that of the first input; the others, or all of an
/// operator that has parameters' gradients alone, are those of a parameter.
Expected<Shapes> ShapeInference::batchNorm() const {
  const std::vector<catalog::Port> ports =
      catalog::getPorts(catalog::lookup(spec.type)->inputs);
  const auto parameter =
      std::find_if(ports.begin(), ports.end(), [](const catalog::Port &port) {
        return port.name == "scale" || port.name == "gamma" ||
               port.name == "batch_mean";
      });
  Shapes shapes(spec.outputs.size(), in(parameter - ports.begin()));
  if (spec.type != "BNTrainingUpdateGrad")
    shapes.front() = in(0);
  return shapes;
}

/// Ones beside the channels, or the channels alone where the output has one
/// axis.
Expected<Shapes> ShapeInference::batchSums() const {
  auto channel = axisOf(*spec.inputs[0], 'C');
  if (!channel)
    return channel.takeStatus();
  Shapes shapes;
  for (const TensorDesc &output : spec.outputs) {
    Shape sums(rank(), 1);
    sums[*channel] = in(0)[*channel];
    if (output.originShape.size() == 1)
      sums = {in(0)[*channel]};
    shapes.push_back(std::move(sums));
  }
  return shapes;
}

/// Masks come in units of 128 bits.
Expected<Shape> ShapeInference::bitMask() const {
  auto shape = readConstantInput(spec, 0, "shape");
  if (!shape)
    return shape.takeStatus();
  return Shape{(getNumElements(*shape) + 127) / 128 * 16};
}

Expected<Shape> ShapeInference::segmentSum() const {
  Expected<int64_t> segments = int64_t(0);
  if (spec.type == "SegmentSum") { // up to the last id
    auto ids = readConstantInput(spec, 1, "segment_ids");
    segments = !ids           ? Expected<int64_t>(ids.takeStatus())
               : ids->empty() ? Expected<int64_t>(int64_t(0))
                              : Expected<int64_t>(ids->back() + 1);
  } else if (spec.type == "EmbeddingDenseGrad") {
    segments = spec.attribute<int64_t>("num_weights");
  } else {
    segments = number(isAttribute(), 2, "num_segments");
  }
  if (!segments)
    return segments.takeStatus();
  if (in(1).size() > rank())
    return needs("no more axes than data, " + toString(in(0)), in(1));
  Shape shape{*segments};
  shape.insert(shape.end(), in(0).begin() + in(1).size(), in(0).end());
  return shape;
}

Expected<Shape> ShapeInference::topK() const {
  auto count = number(false, 1, "k");
  auto axis = this->axis(true, 0, "dim", rank());
  if (!count)
    return count.takeStatus();
  if (!axis)
    return axis.takeStatus();
  Shape shape = in(0);
  if (*count > shape[*axis])
    return needs(std::to_string(*count) + " values to choose", shape);
  shape[*axis] = *count;
  return shape;
}

/// GroupNorm: statistics for each image and group. InstanceNorm: for each image
/// and channel, with ones beside them.
Expected<Shapes> ShapeInference::groupNorm() const {
  if (rank() < 2)
    return needs("an image", in(0));
  if (spec.type == "GroupNorm") {
    auto groups = spec.attrs.require<int64_t>("num_groups");
    if (!groups)
      return groups.takeStatus();
    const Shape statistics{in(0)[0], *groups};
    return Shapes{in(0), statistics, statistics};
  }
  auto channel = find(*spec.inputs[0], 'C');
  if (!channel && spec.type == "InstanceNormV2")
    return needs("an image with channels", in(0));
  if (!channel) {
    auto format = spec.attribute<std::string>("data_format");
    if (!format)
      return format.takeStatus();
    channel = format->starts_with("NC") ? 1 : rank() - 1;
  }
  Shape statistics(rank(), 1);
  statistics[0] = in(0)[0];
  statistics[*channel] = in(0)[*channel];
  return Shapes{in(0), statistics, statistics};
}

/// A mask has the bits of a block of 16 channels in two bytes.
Expected<Shapes> ShapeInference::reluMask() const {
  Shape mask;
  for (char letter : {'N', 'C', 'H', 'W'}) {
    auto axis = axisOf(*spec.inputs[0], letter);
    if (!axis)
      return axis.takeStatus();
    const int64_t extent = in(0)[*axis];
    mask.push_back(letter == 'C' ? (extent + 15) / 16 : extent);
  }
  mask.push_back(2);
  return Shapes{in(0), mask};
}

/// Corners, scores and classes of so many boxes as there can be, and how many
/// there are: in a Build graph eight numbers, of which the first is used.
Expected<Shapes> ShapeInference::nonMaxSuppression() const {
  auto total = spec.attrs.require<int64_t>("max_total_size");
  if (!total)
    return total.takeStatus();
  auto isTransposed = spec.attribute<bool>("transpose_box");
  if (!isTransposed)
    return isTransposed.takeStatus();
  if (in(1).empty())
    return needs("scores of a batch", in(1));
  const int64_t batch = in(1)[0];
  const Shape corners =
      *isTransposed ? Shape{batch, 4, *total} : Shape{batch, *total, 4};
  Shape counts{batch};
  if (spec.outputs.size() > 3 && spec.outputs[3].originShape.size() == 2)
    counts.push_back(8);
  return Shapes{corners, {batch, *total}, {batch, *total}, counts};
}
