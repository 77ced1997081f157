//===- ShapeInference.cpp - Shapes of outputs -----------------------------===//

#include "npu/Kernels/ShapeInference.h"

#include "ConstantInput.h"
#include "KernelChecks.h"
#include "PoolingWindow.h"
#include "Slice.h"
#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/Layout.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using catalog::ShapeRule;

namespace {

using IntList = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

/// A node seen as logical tensors.
class ShapeInference {
public:
  explicit ShapeInference(const NodeSpec &spec) : spec(spec) {}
  Expected<Shapes> run(ShapeRule rule);

private:
  const Shape &in(size_t index) const {
    return spec.inputs[index]->originShape;
  }
  size_t rank() const { return in(0).size(); }
  /// Place of \p letter in the format of \p desc, for a tensor of as many axes.
  static std::optional<size_t> find(const TensorDesc &desc, char letter);
  Expected<size_t> axisOf(const TensorDesc &desc, char letter) const;

  bool isAttribute() const { return spec.type.ends_with("D"); }
  /// One number, from an attribute or the constant input \p index.
  Expected<int64_t> number(bool fromAttribute, size_t index,
                           const std::string &name) const;
  Expected<bool> transposes(std::initializer_list<const char *> names) const;
  /// Runs \p rule on an axis from attribute or input, of a tensor of \p rank.
  Expected<unsigned> axis(bool fromAttribute, size_t index,
                          const std::string &name, size_t rank) const;

  Expected<Shapes> same(const Shape &shape) const {
    return Shapes(spec.outputs.size(), shape);
  }
  Expected<Shapes> same(Expected<Shape> shape) const {
    if (!shape)
      return shape.takeStatus();
    return same(*shape);
  }

  Expected<Shapes> split() const;
  Expected<Shapes> layerNorm() const;
  Expected<Shapes> crossEntropy() const;
  Expected<Shape> broadcast(size_t inputs) const;
  Expected<Shape> concat() const;
  Expected<Shape> convolution() const;
  Expected<Shape> fullyConnection() const;
  Expected<Shape> gather() const;
  Expected<Shape> matMul() const;
  Expected<Shape> oneHot() const;
  Expected<Shape> pad() const;
  Expected<Shape> pooling() const;
  Expected<Shape> reduction() const;
  Expected<Shape> argReduction() const;
  Expected<Shape> reshape() const;
  Expected<Shape> resize() const;
  Expected<Shape> segmentSum() const;
  Expected<Shape> tile() const;
  Expected<Shape> transpose() const;
  Expected<Shape> flatten() const;
  Expected<Shape> squeeze() const;
  Expected<Shape> unsqueeze() const;
  Expected<Shape> pack() const;
  Expected<Shape> unpack() const;
  Expected<Shape> sizeAttribute(const std::string &name) const;

  const NodeSpec &spec;
};

Status needs(const std::string &what, const Shape &shape) {
  return Status::error("expected " + what + ", found " + toString(shape));
}

} // namespace

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
// Windows and matrices
//===----------------------------------------------------------------------===//

Expected<Shape> ShapeInference::convolution() const {
  const TensorDesc &x = *spec.inputs[0], &filter = *spec.inputs[1],
                   &y = spec.outputs[0];
  auto strides = spec.attribute<IntList>("strides");
  auto pads = spec.attribute<IntList>("pads");
  auto dilations = spec.attribute<IntList>("dilations");
  for (auto *list : {&strides, &pads, &dilations}) {
    if (!*list)
      return list->takeStatus();
    if ((*list)->size() != 4)
      return Status::error("strides, pads and dilations: expected 4 numbers");
  }
  auto order = spec.attrs.get<std::string>(
      "data_format", std::string(getName(x.originFormat)));
  if (!order)
    return order.takeStatus();
  if (*order != "NHWC")
    *order = "NCHW";
  const std::string_view letters = axisLetters(y.originFormat);
  if (letters.size() != 4)
    return Status::error("output 0 has the format " +
                         std::string(getName(y.originFormat)) +
                         ", expected one with N, C, H and W");
  Shape shape(4);
  size_t place = 0;
  for (char letter : letters) {
    int64_t &extent = shape[place++];
    auto from = axisOf(x, letter);
    if (!from)
      return from.takeStatus();
    extent = in(0)[*from];
    if (letter == 'N')
      continue;
    if (letter == 'C') {
      // N and C of a depthwise filter are channels and their multiples.
      auto n = axisOf(filter, 'N'), c = axisOf(filter, 'C');
      if (!n)
        return n.takeStatus();
      if (!c)
        return c.takeStatus();
      extent = in(1)[*n];
      if (spec.type == "DepthwiseConv2D")
        extent *= in(1)[*c];
      continue;
    }
    auto tap = axisOf(filter, letter);
    if (!tap)
      return tap.takeStatus();
    const size_t entry = order->find(letter), side = letter == 'H' ? 0 : 2;
    const int64_t stride = (*strides)[entry];
    if (stride < 1)
      return Status::error("attribute 'strides' is not positive");
    if ((*pads)[side] == -1)
      extent = (extent + stride - 1) / stride;
    else
      extent = (extent + (*pads)[side] + (*pads)[side + 1] -
                (*dilations)[entry] * (in(1)[*tap] - 1) - 1) /
                   stride +
               1;
  }
  return shape;
}

Expected<Shape> ShapeInference::pooling() const {
  const TensorDesc &x = *spec.inputs[0];
  auto h = axisOf(x, 'H'), w = axisOf(x, 'W');
  if (!h)
    return h.takeStatus();
  if (!w)
    return w.takeStatus();
  const bool isCaffe = spec.type == "Pooling";
  // Windows are read for an image in NC1HWC0.
  const Shape image{1, 1, in(0)[*h], in(0)[*w], 16};
  NodeSpec onImage = spec;
  onImage.inputs[0]->shape = image;
  auto window =
      isCaffe ? readCaffeWindow(onImage) : readPoolingWindow(onImage, image);
  if (!window)
    return window.takeStatus();
  bool up = isCaffe; // Caffe's own rounding
  if (spec.attrs.has("ceil_mode")) {
    auto mode = spec.attribute<int64_t>("ceil_mode");
    auto flag = spec.attribute<bool>("ceil_mode");
    if (!mode && !flag)
      return mode.takeStatus();
    up = isCaffe ? (mode && *mode == 0) : (flag && *flag);
  }
  auto count = [&](const WindowAxis &axis, int64_t size) -> Expected<int64_t> {
    if (axis.stride < 1)
      return Status::error("strides are not positive");
    const int64_t room = size + axis.before + axis.after - axis.window;
    int64_t out = (up ? room + axis.stride - 1 : room) / axis.stride + 1;
    // The last window begins in the image or the padding before it.
    if (up && (out - 1) * axis.stride >= size + axis.before)
      --out;
    return out;
  };
  Shape shape = in(0);
  auto rows = count(window->height, in(0)[*h]);
  auto columns = count(window->width, in(0)[*w]);
  if (!rows)
    return rows.takeStatus();
  if (!columns)
    return columns.takeStatus();
  shape[*h] = *rows;
  shape[*w] = *columns;
  return shape;
}

Expected<Shape> ShapeInference::matMul() const {
  auto first = transposes({"transpose_x1", "transpose_a", "adj_x1"});
  auto second = transposes({"transpose_x2", "transpose_b", "adj_x2"});
  if (!first)
    return first.takeStatus();
  if (!second)
    return second.takeStatus();
  const Shape &a = in(0), &b = in(1);
  for (const Shape *shape : {&a, &b})
    if (shape->size() < 2)
      return needs("a matrix", *shape);
  const size_t ra = a.size(), rb = b.size(), rank = std::max(ra, rb);
  const int64_t depthA = a[ra - (*first ? 2 : 1)],
                depthB = b[rb - (*second ? 1 : 2)];
  if (depthA != depthB)
    return Status::error("matrices " + toString(a) + " and " + toString(b) +
                         " have " + std::to_string(depthA) + " and " +
                         std::to_string(depthB) + " values of K");
  Shape shape(rank);
  for (size_t i = 0; i + 2 < rank; ++i) {
    auto extent = [&](const Shape &m) {
      return i + m.size() < rank ? 1 : m[i + m.size() - rank];
    };
    shape[i] = extent(a) == 1 ? extent(b) : extent(a);
  }
  shape[rank - 2] = a[ra - (*first ? 1 : 2)];
  shape[rank - 1] = b[rb - (*second ? 2 : 1)];
  return shape;
}

Expected<Shape> ShapeInference::fullyConnection() const {
  auto axis = spec.attribute<int64_t>("axis");
  auto transpose = spec.attribute<bool>("transpose");
  if (!axis)
    return axis.takeStatus();
  if (!transpose)
    return transpose.takeStatus();
  if (rank() < 2 || in(1).empty())
    return needs("a matrix", in(0));
  int64_t outputs = *transpose ? in(1).back() : in(1).front();
  if (auto n = find(*spec.inputs[1], 'N'))
    outputs = in(1)[*n];
  if (*axis == 2)
    return Shape{in(0)[0], in(0)[1], outputs};
  // An image stays one.
  if (auto c = find(spec.outputs[0], 'C')) {
    Shape shape(spec.outputs[0].originShape.size(), 1);
    shape[0] = in(0)[0];
    shape[*c] = outputs;
    return shape;
  }
  return Shape{in(0)[0], outputs};
}

//===----------------------------------------------------------------------===//
// Elements and lines
//===----------------------------------------------------------------------===//

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
  std::vector<bool> along(rank(), axes->empty()), image = along;
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
  auto begin = spec.attribute<int64_t>("begin_norm_axis");
  if (!begin)
    return begin.takeStatus();
  auto first = normalizeAxis(*begin, rank());
  if (!first)
    return first.takeStatus();
  Shape statistics = in(0);
  std::fill(statistics.begin() + *first, statistics.end(), 1);
  return Shapes{in(0), statistics, statistics};
}

Expected<Shape> ShapeInference::segmentSum() const {
  auto segments = number(isAttribute(), 2, "num_segments");
  if (!segments)
    return segments.takeStatus();
  if (in(1).size() > rank())
    return needs("no more axes than data, " + toString(in(0)), in(1));
  Shape shape{*segments};
  shape.insert(shape.end(), in(0).begin() + in(1).size(), in(0).end());
  return shape;
}

//===----------------------------------------------------------------------===//
// Arrangement
//===----------------------------------------------------------------------===//

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
  if (perm->size() != rank())
    return Status::error("perm has " + std::to_string(perm->size()) +
                         " elements, expected " + std::to_string(rank()));
  Shape shape;
  for (int64_t value : *perm) {
    auto axis = normalizeAxis(value, rank());
    if (!axis)
      return axis.takeStatus();
    shape.push_back(in(0)[*axis]);
  }
  return shape;
}

Expected<Shape> ShapeInference::pad() const {
  auto paddings = readIntegers(spec, isAttribute(), 1, "paddings");
  if (!paddings)
    return paddings.takeStatus();
  if (paddings->size() != 2 * rank())
    return Status::error("paddings has " + std::to_string(paddings->size()) +
                         " elements, expected " + std::to_string(2 * rank()));
  Shape shape = in(0);
  for (size_t i = 0; i < rank(); ++i)
    shape[i] += (*paddings)[2 * i] + (*paddings)[2 * i + 1];
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
  if (*axis >= rank())
    return needs("a tensor with axes", in(0));
  const size_t shared = static_cast<size_t>(
      *batch < 0 ? *batch + static_cast<int64_t>(in(1).size()) : *batch);
  if (shared > in(1).size())
    return needs(std::to_string(*batch) + " shared axes", in(1));
  Shape shape(in(0).begin(), in(0).begin() + *axis);
  shape.insert(shape.end(), in(1).begin() + shared, in(1).end());
  shape.insert(shape.end(), in(0).begin() + *axis + 1, in(0).end());
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

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Expected<Shapes> ShapeInference::run(ShapeRule rule) {
  switch (rule) {
  case ShapeRule::Unknown:
    return Status::error("no rule for the shapes of its outputs");
  case ShapeRule::AllGather: {
    auto ranks = spec.attrs.require<int64_t>("rank_size");
    if (!ranks)
      return ranks.takeStatus();
    Shape shape = in(0);
    if (!shape.empty())
      shape[0] *= *ranks;
    return same(shape);
  }
  case ShapeRule::ArgReduction:
    return same(argReduction());
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
  case ShapeRule::Concat:
    return same(concat());
  case ShapeRule::Convolution:
    return same(convolution());
  case ShapeRule::CrossEntropy:
    return crossEntropy();
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
  case ShapeRule::Gather:
    return same(gather());
  case ShapeRule::LayerNorm:
    return layerNorm();
  case ShapeRule::MatMul:
    return same(matMul());
  case ShapeRule::OneHot:
    return same(oneHot());
  case ShapeRule::Pack:
    return same(pack());
  case ShapeRule::Pad:
    return same(pad());
  case ShapeRule::Pooling:
    return same(pooling());
  case ShapeRule::Reduction:
    return same(reduction());
  case ShapeRule::Reshape:
    return same(reshape());
  case ShapeRule::Resize:
    return same(resize());
  case ShapeRule::SameAsEach: {
    Shapes shapes;
    for (const auto &input : spec.inputs)
      shapes.push_back(input ? input->originShape : Shape());
    return shapes;
  }
  case ShapeRule::SameAsFirst:
    return same(in(0));
  case ShapeRule::Scalar:
    return same(Shape());
  case ShapeRule::SegmentSum:
    return same(segmentSum());
  case ShapeRule::Select:
    return same(in(1));
  case ShapeRule::ShapeOf: {
    Shapes shapes;
    for (const auto &input : spec.inputs)
      shapes.push_back({static_cast<int64_t>(input->originShape.size())});
    return shapes;
  }
  case ShapeRule::Slice:
  case ShapeRule::StridedSlice:
    return same(inferSliceShape(spec));
  case ShapeRule::Split:
    return split();
  case ShapeRule::Squeeze:
    return same(squeeze());
  case ShapeRule::StridedSliceGradient:
    return same(spec.attrs.require<IntList>("shape"));
  case ShapeRule::Tile:
    return same(tile());
  case ShapeRule::Transpose:
    return same(transpose());
  case ShapeRule::Unpack:
    return same(unpack());
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
