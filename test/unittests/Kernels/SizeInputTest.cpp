// Gradients and transposed convolutions that are given the size of their
// output: the same bits as from an attribute.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

using IntList = std::vector<int64_t>;

TensorDesc imageDesc(DataType dtype, Shape shape) {
  return plainDesc(dtype, std::move(shape), Format::NCHW);
}

TestTensor image(const Shape &shape, unsigned seed) {
  TestTensor tensor =
      floatTensor(DataType::Float16, shape,
                  randomFloats(getNumElements(shape), -1, 1, seed));
  tensor.desc = imageDesc(DataType::Float16, shape);
  return tensor;
}

TestTensor sizeOf(const Shape &shape) {
  return tensor(plainDesc(DataType::Int32, {4}),
                std::vector<int32_t>(shape.begin(), shape.end()));
}

Attributes window() {
  Attributes attrs;
  attrs.set("strides", IntList{1, 1, 2, 2});
  attrs.set("pads", IntList{1, 1, 1, 1});
  attrs.set("dilations", IntList{1, 1, 1, 1});
  attrs.set("data_format", std::string("NCHW"));
  return attrs;
}

struct Case {
  std::string type; ///< without D
  size_t sizeInput;
  std::vector<TestTensor> inputs; ///< without the size
  TensorDesc out;
};

std::vector<Case> cases() {
  const Shape x = {2, 3, 7, 7}, filter = {4, 3, 3, 3}, dy = {2, 4, 4, 4},
              perChannel = {1, 3, 3, 3}, dyPerChannel = {2, 3, 4, 4};
  return {{"Conv2DBackpropInput",
           0,
           {image(filter, 1), image(dy, 2)},
           imageDesc(DataType::Float16, x)},
          {"Conv2DTranspose",
           0,
           {image(dy, 1), image(filter, 2)},
           imageDesc(DataType::Float16, x)},
          {"Conv2DBackpropFilter",
           1,
           {image(x, 1), image(dy, 2)},
           imageDesc(DataType::Float, filter)},
          {"DepthwiseConv2DBackpropInput",
           0,
           {image(perChannel, 1), image(dyPerChannel, 2)},
           imageDesc(DataType::Float16, x)},
          {"DepthwiseConv2DBackpropFilter",
           1,
           {image(x, 1), image(dyPerChannel, 2)},
           imageDesc(DataType::Float, perChannel)}};
}

} // namespace

TEST(SizeInputTest, TheSameBits) {
  for (const Case &c : cases()) {
    auto expected = runEverywhere(c.type + "D", c.inputs, {c.out}, window());
    std::vector<TestTensor> inputs = c.inputs;
    inputs.insert(inputs.begin() + c.sizeInput, sizeOf(c.out.shape));
    auto result = runEverywhere(c.type, inputs, {c.out}, window());
    expectSameBits(floatsOf(result.outputs[0]), floatsOf(expected.outputs[0]));
  }
}

TEST(SizeInputTest, RefusesWhatIsNoSize) {
  const TensorDesc x = imageDesc(DataType::Float16, {1, 1, 1, 1});
  EXPECT_EQ(refusal("Conv2DBackpropInput", {x, x, x}, {x}, window()),
            "Conv2DBackpropInput node: input 0 holds no sizes or axes, "
            "expected DT_INT32 or DT_INT64");
  EXPECT_EQ(refusal("Conv2DBackpropFilter", {x}, {x}, window()),
            "Conv2DBackpropFilter node: input 1 holds no sizes or axes, "
            "expected DT_INT32 or DT_INT64");
}
