//===- WindowShapes.cpp - Shapes of what windows and matrices give --------===//

#include "ShapeRules.h"

#include "PoolingWindow.h"
#include "npu/Kernels/Layout.h"

using namespace npu;
using namespace npu::kernels;

using IntList = ShapeInference::IntList;
using Shapes = ShapeInference::Shapes;

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

/// The image from which a convolution makes one of the shape of x: N of the
/// filter are channels of x, C those of a group of the output.
Expected<Shape> ShapeInference::deconvolution() const {
  const TensorDesc &x = *spec.inputs[0], &filter = *spec.inputs[1];
  auto strides = spec.attribute<IntList>("strides");
  auto pads = spec.attribute<IntList>("pads");
  auto dilations = spec.attribute<IntList>("dilations");
  for (auto *list : {&strides, &pads, &dilations})
    if (!*list)
      return list->takeStatus();
  auto groups = spec.attribute<int64_t>("groups");
  if (!groups)
    return groups.takeStatus();
  if ((strides->size() != 2 && strides->size() != 4) || pads->size() != 4 ||
      dilations->size() != 4)
    return Status::error("expected 2 or 4 strides, 4 pads and 4 dilations");
  Shape shape = in(0);
  auto channels = axisOf(x, 'C'), ofFilter = axisOf(filter, 'C');
  for (auto *axis : {&channels, &ofFilter})
    if (!*axis)
      return axis->takeStatus();
  shape[*channels] = in(1)[*ofFilter] * *groups;
  for (char letter : {'H', 'W'}) {
    auto from = axisOf(x, letter), tap = axisOf(filter, letter);
    for (auto *axis : {&from, &tap})
      if (!*axis)
        return axis->takeStatus();
    const bool isHeight = letter == 'H';
    const size_t entry = isHeight ? 2 : 3, side = isHeight ? 0 : 2;
    const int64_t stride = (*strides)[strides->size() == 2 ? entry - 2 : entry];
    shape[*from] = (in(0)[*from] - 1) * stride +
                   (*dilations)[entry] * (in(1)[*tap] - 1) + 1 - (*pads)[side] -
                   (*pads)[side + 1];
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

Expected<Shape> ShapeInference::globalPooling() const {
  auto n = axisOf(*spec.inputs[0], 'N'), c = axisOf(*spec.inputs[0], 'C');
  if (!n)
    return n.takeStatus();
  if (!c)
    return c.takeStatus();
  Shape shape(rank(), 1);
  for (size_t axis : {*n, *c})
    shape[axis] = in(0)[axis];
  return shape;
}

/// The second output has the words that tell for each tap, along H, which
/// points it gave, along W (docs/Kernels.md).
Expected<Shapes> ShapeInference::maxPoolWithArgmax() const {
  auto maxima = pooling();
  auto sizes = spec.attrs.require<IntList>("ksize");
  auto h = axisOf(*spec.inputs[0], 'H'), w = axisOf(*spec.inputs[0], 'W');
  if (!maxima)
    return maxima.takeStatus();
  if (!sizes)
    return sizes.takeStatus();
  Shape places = *maxima;
  const int64_t points = places[*h] * places[*w];
  places[*h] = getNumElements(*sizes);
  places[*w] = (points + 15) / 16 + 1;
  return Shapes{*maxima, places};
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
