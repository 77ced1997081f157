//===- InferAttributes.cpp - Attributes that shapes tell ------------------===//

#include "InferAttributes.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace npu;

namespace {

/// The logical tensor a type stands for.
struct Logical {
  StringRef format;
  ArrayRef<int64_t> shape;

  explicit operator bool() const { return !shape.empty(); }
  /// Extent of the axis \p letter; 0 if there is none or it is not known.
  int64_t operator[](char letter) const {
    size_t index = format.find(letter);
    return index < shape.size() ? std::max<int64_t>(shape[index], 0) : 0;
  }
};

/// Stride and padding of one spatial axis.
struct Window {
  int64_t stride, before, after;
};

} // namespace

static Logical getLogical(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor)
    return {};
  auto layout = dyn_cast_or_null<ge::LayoutAttr>(tensor.getEncoding());
  if (!layout)
    return {"ND", tensor.getShape()};
  StringRef format =
      layout.getOriginFormat() ? layout.getOriginFormat() : layout.getFormat();
  if (layout.getOriginShape())
    return {format, layout.getOriginShape().asArrayRef()};
  return {format, tensor.getShape()};
}

/// All ways in which a window of \p kernel gives \p out positions on \p in.
/// Frameworks that pad symmetrically (Caffe, ONNX, PyTorch) are told from
/// TensorFlow, whose padding is SAME or VALID, by the filter's format; none
/// pads by more than half a window.
static SmallVector<Window> getWindows(int64_t in, int64_t kernel, int64_t out,
                                      bool symmetric) {
  SmallVector<Window> windows;
  auto add = [&](Window window) {
    // Of strides that differ only beyond the last position the least is taken.
    for (const Window &known : windows)
      if (known.before == window.before && known.after == window.after &&
          (known.stride == window.stride || out == 1))
        return;
    windows.push_back(window);
  };
  for (int64_t stride = 1; stride <= in; ++stride) {
    if (symmetric) {
      for (int64_t pad = 0; pad <= kernel / 2; ++pad)
        if (in + 2 * pad >= kernel &&
            (in + 2 * pad - kernel) / stride + 1 == out)
          add({stride, pad, pad});
      continue;
    }
    if (in >= kernel && (in - kernel) / stride + 1 == out)
      add({stride, 0, 0});                   // VALID
    if ((in + stride - 1) / stride == out) { // SAME
      int64_t total = std::max<int64_t>((out - 1) * stride + kernel - in, 0);
      add({stride, total / 2, total - total / 2});
    }
  }
  return windows;
}

/// Infers strides, pads, dilations and groups of a convolution that takes
/// \p in with \p filter to \p out.
static InferredAttributes inferConvolution(Builder builder, Logical in,
                                           Logical filter, Logical out) {
  InferredAttributes result;
  const int64_t channels = in['C'], perGroup = filter['C'];
  if (!in['H'] || !in['W'] || !filter['H'] || !filter['W'] || !out['H'] ||
      !out['W'] || !channels || !perGroup || channels % perGroup != 0) {
    result.missing = "origin formats and shapes of input, filter and output";
    return result;
  }
  const bool symmetric = filter.format == "NCHW";
  SmallVector<Window, 2> chosen;
  for (char axis : {'H', 'W'}) {
    SmallVector<Window> windows =
        getWindows(in[axis], filter[axis], out[axis], symmetric);
    if (windows.size() != 1) {
      result.missing = llvm::formatv(
          "strides and pads ({0} {1} of the input, {2} of the "
          "filter and {3} of the output fit {4} ways)",
          axis, in[axis], filter[axis], out[axis], windows.size());
      return result;
    }
    chosen.push_back(windows.front());
  }

  SmallVector<int64_t, 4> strides(4, 1);
  const size_t h = in.format.find('H'), w = in.format.find('W');
  strides[h] = chosen[0].stride;
  strides[w] = chosen[1].stride;
  const int64_t groups = channels / perGroup;
  const int64_t pads[] = {chosen[0].before, chosen[0].after, chosen[1].before,
                          chosen[1].after};
  auto add = [&](StringRef name, Attribute value) {
    result.attrs.push_back(builder.getNamedAttr(name, value));
  };
  add("strides", builder.getDenseI64ArrayAttr(strides));
  add("pads", builder.getDenseI64ArrayAttr(pads));
  add("dilations", builder.getDenseI64ArrayAttr({1, 1, 1, 1}));
  add("groups", builder.getI64IntegerAttr(groups));
  add("data_format", builder.getStringAttr(in.format));
  result.facts.push_back(llvm::formatv(
      "strides = [{0}, {1}], pads = [{2}, {3}, {4}, {5}], groups "
      "= {6}: from the shapes, with {7} padding since the filter "
      "is {8}",
      strides[h], strides[w], pads[0], pads[1], pads[2], pads[3], groups,
      symmetric ? "symmetric" : "TensorFlow's", filter.format));
  result.facts.push_back("dilations = [1, 1]: assumed");
  return result;
}

static InferredAttributes inferMatMul(Builder builder, Logical a, Logical b,
                                      Logical y) {
  InferredAttributes result;
  if (a.shape.size() < 2 || b.shape.size() < 2 || y.shape.size() < 2) {
    result.missing = "origin shapes of the matrices";
    return result;
  }
  auto rows = [](Logical m, bool transposed) {
    return m.shape[m.shape.size() - (transposed ? 1 : 2)];
  };
  auto columns = [](Logical m, bool transposed) {
    return m.shape[m.shape.size() - (transposed ? 2 : 1)];
  };
  auto isSame = [](int64_t a, int64_t b) {
    return a == b || a < 0 || b < 0; // not known
  };
  // Untransposed first: it is what frameworks write unless asked.
  SmallVector<std::pair<bool, bool>, 4> fits;
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      if (isSame(columns(a, ta), rows(b, tb)) &&
          isSame(rows(a, ta), rows(y, false)) &&
          isSame(columns(b, tb), columns(y, false)))
        fits.push_back({ta, tb});
  if (fits.empty()) {
    result.missing = "transposition (no choice fits the shapes)";
    return result;
  }
  auto [ta, tb] = fits.front();
  result.attrs.push_back(
      builder.getNamedAttr("transpose_x1", builder.getBoolAttr(ta)));
  result.attrs.push_back(
      builder.getNamedAttr("transpose_x2", builder.getBoolAttr(tb)));
  result.facts.push_back(llvm::formatv(
      "transpose_x1 = {0}, transpose_x2 = {1}: {2}", ta, tb,
      fits.size() == 1 ? "from the shapes"
                       : "assumed, the shapes fit other choices, too"));
  return result;
}

static InferredAttributes inferReadSelect(Builder builder, Type input,
                                          Type result) {
  InferredAttributes inferred;
  Logical in = getLogical(input), out = getLogical(result);
  SmallVector<int64_t, 5> strides(5, 1);
  for (auto [axis, letter] : {std::pair(2, 'H'), std::pair(3, 'W')}) {
    const int64_t from = in[letter], to = out[letter];
    SmallVector<int64_t> fits;
    for (int64_t stride = 1; to && stride <= from; ++stride)
      if ((from + stride - 1) / stride == to)
        fits.push_back(stride);
    if (fits.empty() || (fits.size() > 1 && to != 1)) {
      inferred.missing = "stride_list";
      return inferred;
    }
    strides[axis] = fits.front();
  }
  inferred.attrs.push_back(builder.getNamedAttr(
      "stride_list", builder.getDenseI64ArrayAttr(strides)));
  inferred.facts.push_back(
      llvm::formatv("stride_list = [1, 1, {0}, {1}, 1]: from the shapes",
                    strides[2], strides[3]));
  return inferred;
}

InferredAttributes npu::inferAttributes(StringRef type, ArrayRef<Type> inputs,
                                        Type result) {
  Builder builder(result.getContext());
  auto logical = [&](unsigned index) {
    return index < inputs.size() ? getLogical(inputs[index]) : Logical();
  };
  if (type == "Conv2D")
    return inferConvolution(builder, logical(0), logical(1),
                            getLogical(result));
  if (type == "Conv2DBackpropInputD") {
    // The gradient of a convolution takes its output to its input.
    InferredAttributes inferred =
        inferConvolution(builder, getLogical(result), logical(0), logical(1));
    if (llvm::any_of(getLogical(result).shape,
                     [](int64_t dim) { return dim < 0; }))
      inferred.missing = "input_size";
    if (inferred.missing.empty())
      inferred.attrs.push_back(builder.getNamedAttr(
          "input_size",
          builder.getDenseI64ArrayAttr(getLogical(result).shape)));
    return inferred;
  }
  if (type.contains("MatMul"))
    return inferMatMul(builder, logical(0), logical(1), getLogical(result));
  if (type == "ReadSelect")
    return inferReadSelect(builder, inputs.front(), result);

  InferredAttributes inferred;
  if (type == "LeakyRelu") {
    inferred.attrs.push_back(
        builder.getNamedAttr("negative_slope", builder.getF32FloatAttr(0)));
    inferred.facts.push_back("negative_slope = 0: assumed, the ReLU of Caffe "
                             "is imported as LeakyRelu");
  } else if (type == "Eltwise") {
    inferred.attrs.push_back(
        builder.getNamedAttr("mode", builder.getI64IntegerAttr(1)));
    inferred.attrs.push_back(
        builder.getNamedAttr("N", builder.getI64IntegerAttr(2)));
    inferred.facts.push_back("mode = 1 (sum): assumed, Caffe's default");
  }
  return inferred;
}
