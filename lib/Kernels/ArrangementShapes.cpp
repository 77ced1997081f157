//===- ArrangementShapes.cpp - Shapes of rearranged tensors ---------------===//

#include "ShapeRules.h"

#include "ConstantInput.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"

#include <algorithm>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

using IntList = ShapeInference::IntList;
using Shapes = ShapeInference::Shapes;

Expected<Shape> ShapeInference::concat() const {
  size_t first = 0, last = spec.inputs.size(), axisInput = 0;
  if (spec.type == "ConcatV2")
    axisInput = --last;
  if (spec.type == "Concat")
    first = 1;
  if (first >= last || !spec.inputs[first])
    return Status::error("has no tensors");
  Shape shape = in(first);
  auto axis = this->axis(isAttribute(), axisInput, "concat_dim", shape.size());
  if (!axis)
    return axis.takeStatus();
  for (size_t index = first + 1; index < last; ++index) {
    if (!spec.inputs[index] || in(index).size() != shape.size())
      return Status::error("input " + std::to_string(index) +
                           " does not have " + std::to_string(shape.size()) +
                           " axes");
    shape[*axis] += in(index)[*axis];
  }
  return shape;
}

Expected<Shapes> ShapeInference::split() const {
  const bool hasSizes = spec.type.starts_with("SplitV");
  // Split takes the axis before the tensor, SplitV after it and the sizes.
  const size_t tensor = spec.type == "Split" ? 1 : 0;
  if (tensor >= spec.inputs.size() || !spec.inputs[tensor])
    return Status::error("has no tensor");
  const Shape &whole = in(tensor);
  auto axis = this->axis(isAttribute(), spec.type == "Split" ? 0 : 2,
                         "split_dim", whole.size());
  if (!axis)
    return axis.takeStatus();
  const auto count = static_cast<int64_t>(spec.outputs.size());
  IntList sizes(spec.outputs.size(),
                whole[*axis] / std::max<int64_t>(count, 1));
  if (hasSizes) {
    auto given = readIntegers(spec, isAttribute(), 1, "size_splits");
    if (!given)
      return given.takeStatus();
    sizes = std::move(*given);
    if (sizes.size() != spec.outputs.size())
      return Status::error("size_splits has " + std::to_string(sizes.size()) +
                           " elements, expected one for each of " +
                           std::to_string(count) + " outputs");
    int64_t left = whole[*axis];
    for (int64_t size : sizes)
      left -= size == -1 ? 0 : size;
    std::replace(sizes.begin(), sizes.end(), int64_t(-1), left);
  } else if (count == 0 || whole[*axis] % count != 0) {
    return Status::error("an axis of " + std::to_string(whole[*axis]) +
                         " does not split into " + std::to_string(count));
  }
  Shapes shapes;
  for (int64_t size : sizes) {
    shapes.push_back(whole);
    shapes.back()[*axis] = size;
  }
  return shapes;
}

Expected<Shape> ShapeInference::pack() const {
  auto axis = this->axis(true, 0, "axis", rank() + 1);
  if (!axis)
    return axis.takeStatus();
  Shape shape = in(0);
  shape.insert(shape.begin() + *axis, static_cast<int64_t>(spec.inputs.size()));
  return shape;
}

Expected<Shape> ShapeInference::unpack() const {
  auto axis = this->axis(true, 0, "axis", rank());
  if (!axis)
    return axis.takeStatus();
  Shape shape = in(0);
  shape.erase(shape.begin() + *axis);
  return shape;
}

Expected<Shape> ShapeInference::tile() const {
  auto multiples = readIntegers(spec, isAttribute(), 1, "multiples");
  if (!multiples)
    return multiples.takeStatus();
  Shape shape = in(0);
  if (multiples->size() < shape.size())
    return Status::error("multiples has " + std::to_string(multiples->size()) +
                         " elements, expected " + std::to_string(shape.size()));
  shape.insert(shape.begin(), multiples->size() - shape.size(), 1);
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] *= (*multiples)[i];
  return shape;
}

Expected<Shape> ShapeInference::transpose() const {
  auto perm = readIntegers(spec, isAttribute(), 1, "perm");
  if (!perm)
    return perm.takeStatus();
  return permuted(in(0), *perm);
}

Expected<Shape> ShapeInference::permuted(const Shape &from,
                                         const IntList &perm) {
  if (perm.size() != from.size())
    return Status::error("perm has " + std::to_string(perm.size()) +
                         " elements, expected " + std::to_string(from.size()));
  Shape shape;
  for (int64_t value : perm) {
    auto axis = normalizeAxis(value, from.size());
    if (!axis)
      return axis.takeStatus();
    shape.push_back(from[*axis]);
  }
  return shape;
}

Expected<Shape> ShapeInference::confusionTranspose() const {
  auto shape = spec.attrs.require<IntList>("shape");
  auto perm = spec.attrs.require<IntList>("perm");
  auto transposesFirst = spec.attrs.require<bool>("transpose_first");
  for (auto *list : {&shape, &perm})
    if (!*list)
      return list->takeStatus();
  if (!transposesFirst)
    return transposesFirst.takeStatus();
  if (*transposesFirst)
    return *shape;
  return permuted(*shape, *perm);
}

Expected<Shape> ShapeInference::pad() const {
  auto paddings = readIntegers(spec, isAttribute(), 1, "paddings");
  if (!paddings)
    return paddings.takeStatus();
  if (paddings->size() != 2 * rank())
    return Status::error("paddings has " + std::to_string(paddings->size()) +
                         " elements, expected " + std::to_string(2 * rank()));
  bool inPairs = true;
  if (spec.type.starts_with("PadV3")) {
    auto contiguous = spec.attribute<bool>("paddings_contiguous");
    if (!contiguous)
      return contiguous.takeStatus();
    inPairs = *contiguous;
  }
  Shape shape = in(0);
  for (size_t i = 0; i < paddings->size(); ++i)
    shape[inPairs ? i / 2 : i % rank()] += (*paddings)[i];
  return shape;
}

Expected<Shape> ShapeInference::gather() const {
  Expected<unsigned> axis = 0u;
  if (spec.type != "Gather")
    axis = this->axis(isAttribute(), 2, "axis", rank());
  if (!axis)
    return axis.takeStatus();
  Expected<int64_t> batch = int64_t(0);
  if (!isAttribute())
    batch = spec.attribute<int64_t>("batch_dims");
  if (!batch)
    return batch.takeStatus();
  const size_t shared = static_cast<size_t>(
      *batch < 0 ? *batch + static_cast<int64_t>(in(1).size()) : *batch);
  if (shared > in(1).size())
    return needs(std::to_string(*batch) + " shared axes", in(1));
  // The first axis that is not shared.
  if (spec.type == "Gather")
    axis = static_cast<unsigned>(shared);
  if (*axis >= rank())
    return needs("a tensor with axes", in(0));
  Shape shape(in(0).begin(), in(0).begin() + *axis);
  shape.insert(shape.end(), in(1).begin() + shared, in(1).end());
  shape.insert(shape.end(), in(0).begin() + *axis + 1, in(0).end());
  return shape;
}

Expected<Shape> ShapeInference::gatherNd() const {
  const Shape &indices = in(1);
  if (indices.empty() || indices.back() < 0 ||
      indices.back() > static_cast<int64_t>(rank()))
    return needs("coordinates in " + toString(in(0)), indices);
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), in(0).begin() + indices.back(), in(0).end());
  return shape;
}

Expected<Shape> ShapeInference::oneHot() const {
  auto depth = number(isAttribute(), 1, "depth");
  if (!depth)
    return depth.takeStatus();
  auto axis = this->axis(true, 0, "axis", rank() + 1);
  if (!axis)
    return axis.takeStatus();
  Shape shape = in(0);
  shape.insert(shape.begin() + *axis, *depth);
  return shape;
}

/// Elements of a wider type lie along the last axis, which goes; narrower ones
/// are a new last axis.
Expected<Shape> ShapeInference::bitcast() const {
  const unsigned from = getBitWidth(spec.inputs[0]->dtype),
                 to = getBitWidth(spec.outputs[0].dtype);
  Shape shape = in(0);
  if (from == 0 || to == 0 || (from % to != 0 && to % from != 0))
    return Status::error("a " + std::string(getName(spec.inputs[0]->dtype)) +
                         " has not the bits of a " +
                         std::string(getName(spec.outputs[0].dtype)));
  if (from > to)
    shape.push_back(from / to);
  if (from < to) {
    if (shape.empty() || shape.back() != to / from)
      return needs(std::to_string(to / from) + " along the last axis", shape);
    shape.pop_back();
  }
  return shape;
}

Expected<Shape> ShapeInference::resize() const {
  const TensorDesc &x = *spec.inputs[0];
  auto size = readIntegers(spec, isAttribute(), 1, "size");
  auto h = axisOf(x, 'H'), w = axisOf(x, 'W');
  if (!size)
    return size.takeStatus();
  if (!h)
    return h.takeStatus();
  if (!w)
    return w.takeStatus();
  if (size->size() != 2)
    return Status::error("size has " + std::to_string(size->size()) +
                         " elements, expected 2");
  Shape shape = in(0);
  shape[*h] = (*size)[0];
  shape[*w] = (*size)[1];
  return shape;
}

/// Sizes or scales are for all axes.
Expected<Shape> ShapeInference::resizeByScales() const {
  auto isGiven = [&](size_t index) {
    return index < spec.inputs.size() && spec.inputs[index] &&
           spec.inputs[index]->numElements() != 0;
  };
  if (isGiven(3)) {
    auto sizes = readConstantInput(spec, 3, "sizes");
    if (sizes && sizes->size() != rank())
      return Status::error("sizes has " + std::to_string(sizes->size()) +
                           " elements, expected " + std::to_string(rank()));
    return sizes;
  }
  if (!isGiven(2))
    return Status::error("has neither scales nor sizes");
  const TensorDesc &scales = *spec.inputs[2];
  if (spec.constants.size() < 3 || !spec.constants[2])
    return Status::error("input 2 (scales) is not a constant");
  if (scales.dtype != DataType::Float ||
      scales.numElements() != static_cast<int64_t>(rank()))
    return Status::error("scales is " + scales.toString() +
                         ", expected DT_FLOAT with " + std::to_string(rank()) +
                         " elements");
  Shape shape = in(0);
  for (size_t i = 0; i < shape.size(); ++i) {
    const float scale = reinterpret_cast<const float *>(spec.constants[2])[i];
    const float extent = std::floor(static_cast<float>(shape[i]) * scale);
    if (!(extent >= 0 && extent < 0x1p31f))
      return Status::error("scales lead to no extent of axis " +
                           std::to_string(i));
    shape[i] = static_cast<int64_t>(extent);
  }
  return shape;
}

Expected<Shape> ShapeInference::reshape() const {
  auto wanted = readConstantInput(spec, 1, "shape");
  if (!wanted)
    return wanted.takeStatus();
  Shape shape = std::move(*wanted);
  const int64_t elements = getNumElements(in(0));
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && i < rank())
      shape[i] = in(0)[i];
    if (shape[i] != -1)
      known *= shape[i];
  }
  const auto open = std::count(shape.begin(), shape.end(), -1);
  if (open > 1 || (open == 1 && (known <= 0 || elements % known != 0)) ||
      (open == 0 && known != elements))
    return Status::error("the elements of " + toString(in(0)) +
                         " do not have the shape " + toString(shape));
  std::replace(shape.begin(), shape.end(), int64_t(-1),
               open ? elements / known : 0);
  return shape;
}

Expected<Shape> ShapeInference::flatten() const {
  auto begin = axis(true, 0, "axis", rank());
  if (!begin)
    return begin.takeStatus();
  if (spec.type == "Flatten") {
    Shape shape{1, 1};
    for (size_t i = 0; i < rank(); ++i)
      shape[i < *begin ? 0 : 1] *= in(0)[i];
    return shape;
  }
  auto end = axis(true, 0, "end_axis", rank());
  if (!end)
    return end.takeStatus();
  Shape shape(in(0).begin(), in(0).begin() + *begin);
  shape.push_back(1);
  for (size_t i = *begin; i <= *end; ++i)
    shape.back() *= in(0)[i];
  shape.insert(shape.end(), in(0).begin() + *end + 1, in(0).end());
  return shape;
}

Expected<Shape> ShapeInference::squeeze() const {
  auto axes = spec.attribute<IntList>("axis");
  if (!axes)
    return axes.takeStatus();
  std::vector<bool> dropped(rank());
  for (size_t i = 0; i < rank(); ++i)
    dropped[i] = axes->empty() && in(0)[i] == 1;
  for (int64_t value : *axes) {
    auto axis = normalizeAxis(value, rank());
    if (!axis)
      return axis.takeStatus();
    if (in(0)[*axis] != 1)
      return needs("one element along axis " + std::to_string(value), in(0));
    dropped[*axis] = true;
  }
  Shape shape;
  for (size_t i = 0; i < rank(); ++i)
    if (!dropped[i])
      shape.push_back(in(0)[i]);
  return shape;
}

Expected<Shape> ShapeInference::unsqueeze() const {
  IntList axes;
  if (spec.type == "ExpandDims") {
    auto axis = number(false, 1, "axis");
    if (!axis)
      return axis.takeStatus();
    axes = {*axis};
  } else {
    auto given =
        spec.attribute<IntList>(spec.type == "Unsqueeze" ? "axes" : "axis");
    if (!given)
      return given.takeStatus();
    axes = std::move(*given);
  }
  const size_t rankAfter = rank() + axes.size();
  std::vector<bool> added(rankAfter);
  for (int64_t value : axes) {
    auto axis = normalizeAxis(value, rankAfter);
    if (!axis)
      return axis.takeStatus();
    added[*axis] = true;
  }
  Shape shape;
  size_t next = 0;
  for (size_t i = 0; i < rankAfter; ++i)
    if (added[i])
      shape.push_back(1);
    else if (next < rank())
      shape.push_back(in(0)[next++]);
  return shape;
}

Expected<Shape> ShapeInference::spaceDepth() const {
  const TensorDesc &x = *spec.inputs[0];
  auto size = spec.attrs.require<int64_t>("block_size");
  if (!size)
    return size.takeStatus();
  const int64_t block = *size;
  if (block < 1)
    return Status::error("attribute 'block_size' is not positive");
  std::string order(axisLetters(x.originFormat));
  if (order != "NCHW" && order != "NHWC") {
    auto format = spec.attribute<std::string>("data_format");
    if (!format)
      return format.takeStatus();
    order = *format;
  }
  if (rank() != 4 || (order != "NCHW" && order != "NHWC"))
    return needs("an image", in(0));
  Shape shape = in(0);
  int64_t &c = shape[order.find('C')];
  const bool toSpace = spec.type == "DepthToSpace";
  bool fits = !toSpace || c % (block * block) == 0;
  c = toSpace ? c / (block * block) : c * block * block;
  for (char letter : {'H', 'W'}) {
    int64_t &extent = shape[order.find(letter)];
    fits &= toSpace || extent % block == 0;
    extent = toSpace ? extent * block : extent / block;
  }
  if (!fits)
    return needs("blocks of " + std::to_string(block), in(0));
  return shape;
}

Expected<Shape> ShapeInference::batchSpace() const {
  const bool toSpace = spec.type == "BatchToSpaceNDD";
  auto blocks = spec.attrs.require<IntList>("block_shape");
  auto margins = spec.attrs.require<IntList>(toSpace ? "crops" : "paddings");
  for (auto *list : {&blocks, &margins})
    if (!*list)
      return list->takeStatus();
  const size_t count = blocks->size();
  if (count >= rank() || margins->size() != 2 * count)
    return needs("axes for " + std::to_string(count) +
                     " blocks and two margins for each",
                 in(0));
  Shape shape = in(0);
  for (size_t i = 0; i < count; ++i) {
    const int64_t block = (*blocks)[i],
                  margin = (*margins)[2 * i] + (*margins)[2 * i + 1];
    int64_t &extent = shape[i + 1];
    const int64_t padded = extent + margin;
    if (block < 1 || (toSpace ? shape[0] : padded) % block != 0)
      return needs("blocks of " + std::to_string(block), in(0));
    shape[0] = toSpace ? shape[0] / block : shape[0] * block;
    extent = toSpace ? extent * block - margin : padded / block;
  }
  return shape;
}

/// Strides are those of the dimensions of NC1HWC0; of an image H and W may have
/// some.
Expected<Shape> ShapeInference::readSelect() const {
  auto strides = spec.attribute<IntList>("stride_list");
  if (!strides)
    return strides.takeStatus();
  Shape shape = in(0);
  for (size_t i = 0; i < strides->size(); ++i) {
    const int64_t stride = (*strides)[i];
    if (stride == 1)
      continue;
    const bool isSpatial = strides->size() == 5 && (i == 2 || i == 3);
    if (stride < 1 || !isSpatial)
      return Status::error("attribute 'stride_list' has " +
                           std::to_string(stride) + " for dimension " +
                           std::to_string(i));
    auto axis = axisOf(*spec.inputs[0], i == 2 ? 'H' : 'W');
    if (!axis)
      return axis.takeStatus();
    shape[*axis] = (shape[*axis] + stride - 1) / stride;
  }
  return shape;
}

/// As GE has it: whatever other ranks send lies before it.
Expected<Shape> ShapeInference::allToAll() const {
  auto counts = readConstantInput(spec, 3, "recv_counts");
  if (!counts)
    return counts.takeStatus();
  auto places = readConstantInput(spec, 4, "recv_displacements");
  if (!places)
    return places.takeStatus();
  if (counts->empty() || counts->size() != places->size())
    return Status::error("recv_counts has " + std::to_string(counts->size()) +
                         " elements and recv_displacements " +
                         std::to_string(places->size()) +
                         ", expected one of each for each rank");
  return Shape{places->back() + counts->back()};
}
