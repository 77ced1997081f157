//===- ShapeInference.cpp - Shapes of outputs -----------------------------===//

#include "npu/Kernels/ShapeInference.h"

#include "Aipp.h"
#include "ConstantInput.h"
#include "KernelChecks.h"
#include "Range.h"
#include "ShapeRules.h"
#include "Slice.h"
#include "npu/Kernels/Layout.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using catalog::ShapeRule;

using IntList = ShapeInference::IntList;
using Shapes = ShapeInference::Shapes;

//===----------------------------------------------------------------------===//
// Attributes and constants
//===----------------------------------------------------------------------===//

std::optional<size_t> ShapeInference::find(const TensorDesc &desc,
                                           char letter) {
  const std::string_view letters = axisLetters(desc.originFormat);
  const size_t place = letters.find(letter);
  if (letters.size() != desc.originShape.size() || place == letters.npos)
    return std::nullopt;
  return place;
}

Expected<size_t> ShapeInference::axisOf(const TensorDesc &desc,
                                        char letter) const {
  if (auto place = find(desc, letter))
    return *place;
  return Status::error(desc.toString() + " has no axis " +
                       std::string(1, letter));
}

Expected<int64_t> ShapeInference::number(bool fromAttribute, size_t index,
                                         const std::string &name) const {
  if (fromAttribute)
    return spec.attribute<int64_t>(name);
  auto values = readConstantInput(spec, index, name);
  if (!values)
    return values.takeStatus();
  if (values->size() != 1)
    return Status::error("input " + std::to_string(index) + " (" + name +
                         ") has " + std::to_string(values->size()) +
                         " elements, expected one");
  return values->front();
}

Expected<unsigned> ShapeInference::axis(bool fromAttribute, size_t index,
                                        const std::string &name,
                                        size_t rank) const {
  auto value = number(fromAttribute, index, name);
  if (!value)
    return value.takeStatus();
  return normalizeAxis(*value, rank);
}

Expected<bool>
ShapeInference::transposes(std::initializer_list<const char *> names) const {
  for (const char *name : names)
    if (spec.attrs.has(name))
      return spec.attrs.require<bool>(name);
  return false;
}

Expected<Shape> ShapeInference::sizeAttribute(const std::string &name) const {
  if (!isAttribute())
    return readConstantInput(spec, spec.type.ends_with("Filter") ? 1 : 0, name);
  return spec.attrs.require<IntList>(name);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Expected<Shapes> ShapeInference::run(ShapeRule rule) {
  switch (rule) {
  case ShapeRule::Unknown:
    return Status::error("no rule for the shapes of its outputs");
  case ShapeRule::Aipp:
    return same(inferAippShape(spec));
  case ShapeRule::AllGather:
  case ShapeRule::ReduceScatter: {
    auto ranks = spec.attrs.require<int64_t>("rank_size");
    if (!ranks)
      return ranks.takeStatus();
    Shape shape = in(0);
    if (shape.empty())
      return needs("an axis", shape);
    if (rule == ShapeRule::AllGather)
      shape[0] *= *ranks;
    else if (*ranks < 1 || shape[0] % *ranks != 0)
      return needs("parts for " + std::to_string(*ranks) + " ranks", shape);
    else
      shape[0] /= *ranks;
    return same(shape);
  }
  case ShapeRule::AllToAll:
    return same(allToAll());
  case ShapeRule::ArgReduction:
    return same(argReduction());
  case ShapeRule::BatchNorm:
    return batchNorm();
  case ShapeRule::BatchSpace:
    return same(batchSpace());
  case ShapeRule::BatchSums:
    return batchSums();
  case ShapeRule::Bitcast:
    return same(bitcast());
  case ShapeRule::BitMask:
    return same(bitMask());
  case ShapeRule::Broadcast:
    return same(broadcast(spec.inputs.size()));
  case ShapeRule::BroadcastTo:
    return same(readIntegers(spec, isAttribute(), 1, "shape"));
  case ShapeRule::Channels: {
    auto format = spec.attribute<std::string>("data_format");
    if (!format)
      return format.takeStatus();
    if (rank() == 0)
      return needs("channels", in(0));
    const size_t channel =
        format->starts_with("NC") && rank() > 1 ? 1 : rank() - 1;
    return same(Shape{in(0)[find(*spec.inputs[0], 'C').value_or(channel)]});
  }
  case ShapeRule::ClassLoss:
  case ShapeRule::Loss: {
    auto reduction = spec.attribute<std::string>("reduction");
    if (!reduction)
      return reduction.takeStatus();
    const size_t ofEach = rule == ShapeRule::ClassLoss ? 1 : 0;
    return Shapes{*reduction == "none" ? in(ofEach) : Shape(), Shape()};
  }
  case ShapeRule::Concat:
    return same(concat());
  case ShapeRule::ConfusionTranspose:
    return same(confusionTranspose());
  case ShapeRule::Convolution:
    return same(convolution());
  case ShapeRule::CrossEntropy:
    return crossEntropy();
  case ShapeRule::Deconvolution:
    return same(deconvolution());
  case ShapeRule::ExpandDims:
  case ShapeRule::Unsqueeze:
    return same(unsqueeze());
  case ShapeRule::Fill:
    return same(readConstantInput(spec, 0, "dims"));
  case ShapeRule::FilterSize:
    return same(sizeAttribute("filter_size"));
  case ShapeRule::InputSize:
    return same(sizeAttribute("input_size"));
  case ShapeRule::Flatten:
    return same(flatten());
  case ShapeRule::FullyConnection:
    return same(fullyConnection());
  case ShapeRule::GammaSize:
    return same(spec.attrs.require<IntList>("shape_gamma"));
  case ShapeRule::Gather:
    return same(gather());
  case ShapeRule::GatherNd:
    return same(gatherNd());
  case ShapeRule::GlobalPooling:
    return same(globalPooling());
  case ShapeRule::GroupNorm:
    return groupNorm();
  case ShapeRule::LayerNorm:
    return layerNorm();
  case ShapeRule::MatMul:
    return same(matMul());
  case ShapeRule::MaxPoolWithArgmax:
    return maxPoolWithArgmax();
  case ShapeRule::Merge:
    return Shapes{in(0), Shape()};
  case ShapeRule::NonMaxSuppression:
    return nonMaxSuppression();
  case ShapeRule::OneHot:
    return same(oneHot());
  case ShapeRule::OriginalInput:
    return same(sizeAttribute("orig_input_shape"));
  case ShapeRule::Pack:
    return same(pack());
  case ShapeRule::Pad:
    return same(pad());
  case ShapeRule::Pooling:
    return same(pooling());
  case ShapeRule::Range:
    return same(inferRangeShape(spec));
  case ShapeRule::ReadSelect:
    return same(readSelect());
  case ShapeRule::Reduction:
    return same(reduction());
  case ShapeRule::ReluMask:
    return reluMask();
  case ShapeRule::Reshape:
    return same(reshape());
  case ShapeRule::Resize:
    return same(resize());
  case ShapeRule::ResizeByScales:
    return same(resizeByScales());
  case ShapeRule::RmsNorm:
    return rmsNorm();
  case ShapeRule::SameAsEach: {
    Shapes shapes;
    for (const auto &input : spec.inputs)
      shapes.push_back(input ? input->originShape : Shape());
    return shapes;
  }
  case ShapeRule::SameAsFirst:
    return same(in(0));
  case ShapeRule::SameAsSecond:
    return same(in(1));
  case ShapeRule::Scalar:
    return same(Shape());
  case ShapeRule::ScatterNd:
    return same(readConstantInput(spec, 2, "shape"));
  case ShapeRule::SegmentSum:
    return same(segmentSum());
  case ShapeRule::ShapeOf: {
    Shapes shapes;
    for (const auto &input : spec.inputs)
      shapes.push_back({static_cast<int64_t>(input->originShape.size())});
    return shapes;
  }
  case ShapeRule::Slice:
  case ShapeRule::StridedSlice:
    return same(inferSliceShape(spec));
  case ShapeRule::SpaceDepth:
    return same(spaceDepth());
  case ShapeRule::Split:
    return split();
  case ShapeRule::SquareSum: {
    auto sums = reduction();
    if (!sums)
      return sums.takeStatus();
    return Shapes{*sums, in(0)};
  }
  case ShapeRule::Squeeze:
    return same(squeeze());
  case ShapeRule::StridedSliceGradient:
    return same(spec.attrs.require<IntList>("shape"));
  case ShapeRule::Tile:
    return same(tile());
  case ShapeRule::TopK:
    return same(topK());
  case ShapeRule::Transpose:
    return same(transpose());
  case ShapeRule::Unique:
    return same(Shape{getNumElements(in(0))});
  case ShapeRule::Unpack:
    return same(unpack());
  case ShapeRule::Where:
    return same(Shape{getNumElements(in(0)), static_cast<int64_t>(rank())});
  }
  return Status::error("no rule for the shapes of its outputs");
}

Expected<Shapes> kernels::inferShapes(const NodeSpec &spec) {
  const catalog::Row *row = catalog::lookup(spec.type);
  if (!row)
    return nodeError(spec, "no rule for the shapes of its outputs");
  size_t required = 0;
  for (const catalog::Port &port : catalog::getPorts(row->inputs))
    required += port.kind == catalog::Port::Required;
  // The tensor of an operator with a dynamic input counts as well.
  required = std::max<size_t>(required, row->inputs.empty() ? 0 : 1);
  for (size_t i = 0; i < required; ++i)
    if (i >= spec.inputs.size() || !spec.inputs[i])
      return nodeError(spec, "input " + std::to_string(i) + " is absent");

  const std::vector<catalog::Update> updates = catalog::getUpdates(*row);
  Shapes shapes(spec.outputs.size());
  if (row->shape != ShapeRule::Unknown || updates.size() < shapes.size()) {
    auto ruled = ShapeInference(spec).run(row->shape);
    if (!ruled)
      return inNode(spec, ruled.takeStatus());
    if (ruled->size() < shapes.size())
      return nodeError(spec, "has " + std::to_string(shapes.size()) +
                                 " outputs; the rule gives shapes for " +
                                 std::to_string(ruled->size()));
    ruled->resize(shapes.size());
    shapes = std::move(*ruled);
  }
  for (const catalog::Update &update : updates)
    if (update.output < shapes.size() && update.input < spec.inputs.size() &&
        spec.inputs[update.input])
      shapes[update.output] = spec.inputs[update.input]->originShape;
  for (const Shape &shape : shapes)
    if (std::any_of(shape.begin(), shape.end(),
                    [](int64_t extent) { return extent < 0; }))
      return nodeError(spec,
                       "its inputs lead to an output of " + toString(shape));
  return shapes;
}
