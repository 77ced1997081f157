// Padding, resizing by the nearest pixel, triangles, and other copies with
// random shapes and attributes against their definitions.

#include "RandomTensor.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

using List = std::vector<int64_t>;
using Ints = std::vector<int32_t>;

namespace {

Ints valuesOf(TestTensor &tensor) {
  auto span = tensor.as<int32_t>();
  return {span.begin(), span.end()};
}

Attributes with(const char *name, AttributeValue value) {
  Attributes attrs;
  attrs.set(name, std::move(value));
  return attrs;
}

} // namespace

TEST(IndexedCopyTest, Padding) {
  std::mt19937 random(3);
  for (const std::string type : {"PadV2", "PadV3", "PadV3D", "MirrorPad"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape from = randomShape(random, 1, 4, 5);
      const bool isMirror = type == "MirrorPad";
      std::string mode = "constant";
      if (isMirror)
        mode = random() % 2 ? "REFLECT" : "SYMMETRIC";
      else if (type != "PadV2")
        mode = std::array{"constant", "edge", "reflect",
                          "symmetric"}[random() % 4];
      const bool isReflect = mode == "reflect" || mode == "REFLECT";
      const bool isSymmetric = mode == "symmetric" || mode == "SYMMETRIC";
      Shape to = from;
      List before, behind;
      for (size_t i = 0; i < from.size(); ++i) {
        const int64_t most = isReflect     ? from[i] - 1
                             : isSymmetric ? from[i]
                                           : 3;
        before.push_back(random() % (most + 1));
        behind.push_back(random() % (most + 1));
        to[i] += before[i] + behind[i];
      }
      const bool inPairs = !type.starts_with("PadV3") || random() % 2;
      List paddings;
      for (size_t i = 0; i < 2 * from.size(); ++i)
        paddings.push_back(inPairs           ? (i % 2 ? behind : before)[i / 2]
                           : i < from.size() ? before[i]
                                             : behind[i - from.size()]);
      const TestTensor x = numbered(from);
      Attributes attrs = with("mode", mode);
      attrs.set("paddings_contiguous", inPairs);
      std::vector<TestTensor> inputs = {x};
      if (type == "PadV3D") {
        attrs.set("paddings", paddings);
        attrs.set("constant_values", int64_t(-7));
      } else {
        inputs.push_back(indexTensor(paddings));
        if (!isMirror)
          inputs.push_back(
              tensor<int32_t>(plainDesc(DataType::Int32, {}), {-7}));
      }
      auto result =
          runNode(type, inputs, {plainDesc(DataType::Int32, to)}, attrs, {}, 2);
      Ints expected;
      forEachIndex(to, [&](List index, size_t) {
        bool isPadding = false;
        for (size_t i = 0; i < from.size(); ++i) {
          int64_t &place = index[i];
          place -= before[i];
          if (place >= 0 && place < from[i])
            continue;
          isPadding |= mode == "constant";
          // Like a mirror behind the last element, or through its middle.
          if (place < 0)
            place = isReflect ? -place : isSymmetric ? -place - 1 : 0;
          else
            place = isReflect     ? 2 * from[i] - 2 - place
                    : isSymmetric ? 2 * from[i] - 1 - place
                                  : from[i] - 1;
        }
        expected.push_back(
            isPadding ? -7 : static_cast<int32_t>(placeOf(index, from)) + 1);
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected)
          << type << " " << mode << " " << x.desc.toString();
    }
}

TEST(IndexedCopyTest, PaddingRefusals) {
  const TensorDesc x = plainDesc(DataType::Int32, {3}),
                   y = plainDesc(DataType::Int32, {6});
  Attributes attrs = with("paddings", List{3, 0});
  attrs.set("mode", std::string("reflect"));
  EXPECT_EQ(refusal("PadV3D", {x}, {y}, attrs),
            "PadV3D 'node': axis 0 of " + x.toString() +
                " has no 3 and 0 elements to pad (reflect)");
  attrs.set("mode", std::string("wrap"));
  EXPECT_EQ(refusal("PadV3D", {x}, {y}, attrs),
            "PadV3D 'node': attribute 'mode' is 'wrap', expected constant, "
            "edge, reflect or symmetric");
}

TEST(IndexedCopyTest, NearestPixels) {
  std::mt19937 random(5);
  for (const std::string type :
       {"ResizeNearestNeighborV2", "ResizeNearestNeighborV2D", "Resize"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const bool last = random() % 2;
      const Format format = last ? Format::NHWC : Format::NCHW;
      const int64_t n = 1 + random() % 2, c = 1 + random() % 3,
                    h = 1 + random() % 7, w = 1 + random() % 7,
                    height = 1 + random() % 9, width = 1 + random() % 9;
      const int mode = static_cast<int>(random() % 3);
      Attributes attrs = with("align_corners", mode == 1);
      attrs.set("half_pixel_centers", mode == 2);
      attrs.set("coordinate_transformation_mode",
                std::string(mode == 1   ? "align_corners"
                            : mode == 2 ? "pytorch_half_pixel"
                                        : "asymmetric"));
      // Ascend910B has halves away from zero.
      const Soc soc = random() % 2 ? Soc::Ascend910A : Soc::Ascend910B;
      const Shape from = last ? Shape{n, h, w, c} : Shape{n, c, h, w},
                  to = last ? Shape{n, height, width, c}
                            : Shape{n, c, height, width};
      TestTensor x = numbered(from);
      x.desc.format = x.desc.originFormat = format;
      std::vector<TestTensor> inputs = {x};
      if (type.ends_with('D'))
        attrs.set("size", List{height, width});
      else if (type != "Resize")
        inputs.push_back(indexTensor({height, width}));
      auto result =
          runNode(type, inputs, {plainDesc(DataType::Int32, to, format)}, attrs,
                  {soc, OverflowMode::Saturate});
      auto place = [&](int64_t at, int64_t in, int64_t out) {
        const float scale = mode == 1 && out > 1
                                ? float(in - 1) / float(out - 1)
                                : float(in) / float(out);
        const float exact =
            mode == 1
                ? (soc == Soc::Ascend910B ? std::round(float(at) * scale)
                                          : std::nearbyint(float(at) * scale))
            : mode == 2 ? std::floor((float(at) + 0.5f) * scale)
                        : std::floor(float(at) * scale);
        return std::min(int64_t(exact), in - 1);
      };
      Ints expected;
      forEachIndex(to, [&](List index, size_t) {
        const size_t row = last ? 1 : 2;
        index[row] = place(index[row], h, height);
        index[row + 1] = place(index[row + 1], w, width);
        expected.push_back(static_cast<int32_t>(placeOf(index, from)) + 1);
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected) << mode;
    }
}

TEST(IndexedCopyTest, Triangles) {
  std::mt19937 random(7);
  for (const std::string type : {"Tril", "Triu"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 2, 4, 6);
      const int64_t diagonal = int64_t(random() % 13) - 6;
      const TestTensor x = numbered(shape);
      auto result = runNode(type, {x}, {x.desc}, with("diagonal", diagonal));
      Ints expected;
      forEachIndex(shape, [&](const List &index, size_t place) {
        const int64_t distance =
            index[shape.size() - 1] - index[shape.size() - 2];
        const bool keeps =
            type == "Tril" ? distance <= diagonal : distance >= diagonal;
        expected.push_back(keeps ? static_cast<int32_t>(place) + 1 : 0);
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected) << diagonal;
    }
}

TEST(IndexedCopyTest, Bands) {
  std::mt19937 random(9);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape shape = randomShape(random, 2, 4, 6);
    const int64_t lower = int64_t(random() % 9) - 1,
                  upper = int64_t(random() % 9) - 1;
    const TestTensor x = numbered(shape);
    auto result =
        runNode("MatrixBandPart",
                {x, indexTensor({lower}), indexTensor({upper})}, {x.desc});
    Ints expected;
    forEachIndex(shape, [&](const List &index, size_t place) {
      const int64_t row = index[shape.size() - 2],
                    column = index[shape.size() - 1];
      // A negative number keeps all.
      const bool keeps = (lower < 0 || row - column <= lower) &&
                         (upper < 0 || column - row <= upper);
      expected.push_back(keeps ? static_cast<int32_t>(place) + 1 : 0);
    });
    EXPECT_EQ(valuesOf(result.outputs[0]), expected) << lower << " " << upper;
  }
}

//===----------------------------------------------------------------------===//
// Copies whose kernels are elsewhere
//===----------------------------------------------------------------------===//

TEST(RandomCopyTest, ReadSelect) {
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Shape to = randomShape(random, 1, 5, 5);
    Shape from;
    List strides;
    for (int64_t extent : to) {
      strides.push_back(1 + random() % 3);
      // Some of what is read last may be behind it.
      from.push_back((extent - 1) * strides.back() + 1 +
                     random() % strides.back());
    }
    auto result =
        runNode("ReadSelect", {numbered(from)},
                {plainDesc(DataType::Int32, to)}, with("stride_list", strides));
    Ints expected;
    forEachIndex(to, [&](List index, size_t) {
      for (size_t i = 0; i < index.size(); ++i)
        index[i] *= strides[i];
      expected.push_back(static_cast<int32_t>(placeOf(index, from)) + 1);
    });
    EXPECT_EQ(valuesOf(result.outputs[0]), expected);
  }
}

TEST(RandomCopyTest, Reverse) {
  std::mt19937 random(13);
  for (const std::string type : {"ReverseV2", "ReverseV2D"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 1, 4, 6);
      List axes;
      std::vector<bool> reverses;
      for (size_t i = 0; i < shape.size(); ++i) {
        reverses.push_back(random() % 2);
        if (reverses.back())
          axes.push_back(static_cast<int64_t>(i) -
                         (random() % 2 ? int64_t(shape.size()) : 0));
      }
      std::shuffle(axes.begin(), axes.end(), random);
      std::vector<TestTensor> inputs = {numbered(shape)};
      if (type.ends_with('2'))
        inputs.push_back(indexTensor(axes));
      auto result = runNode(type, inputs, {inputs[0].desc}, with("axis", axes));
      Ints expected;
      forEachIndex(shape, [&](List index, size_t) {
        for (size_t i = 0; i < index.size(); ++i)
          if (reverses[i])
            index[i] = shape[i] - 1 - index[i];
        expected.push_back(static_cast<int32_t>(placeOf(index, shape)) + 1);
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected);
    }
}

TEST(RandomCopyTest, StridedSliceGradient) {
  std::mt19937 random(17);
  for (const std::string type : {"StridedSliceGrad", "StridedSliceGradD"})
    for (int repeat = 0; repeat < 80; ++repeat) {
      const Shape whole = randomShape(random, 1, 4, 7);
      List begin, end, strides, counts;
      int64_t beginMask = 0, endMask = 0;
      List starts;
      for (size_t i = 0; i < whole.size(); ++i) {
        const int64_t first = random() % whole[i], stride = 1 + random() % 3,
                      count =
                          1 + random() % ((whole[i] - 1 - first) / stride + 1);
        int64_t last = first + (count - 1) * stride + 1;
        starts.push_back(first);
        strides.push_back(stride);
        counts.push_back(count);
        // Masks and numbers from the end say the same.
        if (first == 0 && random() % 2)
          beginMask |= int64_t(1) << i;
        if (last + stride > whole[i] && random() % 2)
          endMask |= int64_t(1) << i;
        begin.push_back(random() % 2 ? first : first - whole[i]);
        end.push_back(last == whole[i] || random() % 2 ? last
                                                       : last - whole[i]);
      }
      const TestTensor dy = numbered(Shape(counts.begin(), counts.end()));
      Attributes attrs = with("begin_mask", beginMask);
      attrs.set("end_mask", endMask);
      std::vector<TestTensor> inputs;
      const List shape(whole.begin(), whole.end());
      if (type.ends_with('D')) {
        attrs.set("shape", shape);
        attrs.set("begin", begin);
        attrs.set("end", end);
        attrs.set("strides", strides);
      } else {
        for (const List &list : {shape, begin, end, strides})
          inputs.push_back(indexTensor(list));
      }
      inputs.push_back(dy);
      auto result =
          runNode(type, inputs, {plainDesc(DataType::Int32, whole)}, attrs);
      Ints expected(getNumElements(whole));
      forEachIndex(dy.desc.shape, [&](List index, size_t place) {
        for (size_t i = 0; i < index.size(); ++i)
          index[i] = starts[i] + index[i] * strides[i];
        expected[placeOf(index, whole)] = static_cast<int32_t>(place) + 1;
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected);
    }
}

TEST(RandomCopyTest, OneHot) {
  std::mt19937 random(19);
  for (const std::string type : {"OneHot", "OneHotD"})
    for (int repeat = 0; repeat < 60; ++repeat) {
      const Shape shape = randomShape(random, 1, 3, 5);
      const int64_t depth = 1 + random() % 6;
      const size_t axis = random() % (shape.size() + 1);
      Shape to = shape;
      to.insert(to.begin() + axis, depth);
      Ints indices(getNumElements(shape));
      for (int32_t &index : indices) // some outside
        index = static_cast<int32_t>(random() % (depth + 2)) - 1;
      auto number = [](int32_t value) {
        return tensor<int32_t>(plainDesc(DataType::Int32, {}), {value});
      };
      Attributes attrs =
          with("axis", axis == shape.size() ? int64_t(-1) : int64_t(axis));
      std::vector<TestTensor> inputs = {
          tensor(plainDesc(DataType::Int32, shape), indices)};
      if (type.ends_with('D'))
        attrs.set("depth", depth);
      else
        inputs.push_back(number(static_cast<int32_t>(depth)));
      inputs.push_back(number(5));
      inputs.push_back(number(-2));
      auto result =
          runNode(type, inputs, {plainDesc(DataType::Int32, to)}, attrs);
      Ints expected;
      forEachIndex(to, [&](List index, size_t) {
        const int64_t place = index[axis];
        index.erase(index.begin() + axis);
        expected.push_back(indices[placeOf(index, shape)] == place ? 5 : -2);
      });
      EXPECT_EQ(valuesOf(result.outputs[0]), expected);
    }
}

// Axes of one element go or come; elements stay.
TEST(RandomCopyTest, SqueezeAndUnsqueeze) {
  std::mt19937 random(23);
  for (const std::string type :
       {"Squeeze", "SqueezeV2", "Unsqueeze", "UnsqueezeV2"})
    for (int repeat = 0; repeat < 40; ++repeat) {
      Shape with1 = randomShape(random, 1, 5, 3), without;
      List axes;
      for (size_t i = 0; i < with1.size(); ++i)
        if (with1[i] == 1 && random() % 2)
          axes.push_back(static_cast<int64_t>(i));
        else
          without.push_back(with1[i]);
      const bool isSqueeze = type.starts_with("Squeeze");
      Attributes attrs = with(type == "Unsqueeze" ? "axes" : "axis", axes);
      const TestTensor x = numbered(isSqueeze ? with1 : without);
      auto result = runNode(
          type, {x}, {plainDesc(DataType::Int32, isSqueeze ? without : with1)},
          attrs);
      EXPECT_EQ(result.outputs[0].bytes, x.bytes);
    }
}
