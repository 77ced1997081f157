// Copies between tensors in private formats give what the same copies between
// plain tensors give, laid out afterwards, whether boxes fit the blocks or not.

#include "KernelTester.h"
#include "npu/Kernels/FormatTransfer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

using IntList = std::vector<int64_t>;

/// A node that copies elements, with plain tensors.
struct Node {
  std::string type;
  Attributes attrs;
  std::vector<Shape> inputs, outputs;
};

/// Extents below, at and above the edges of blocks.
int64_t randomExtent(std::mt19937 &random) {
  constexpr int64_t extents[] = {1, 2, 3, 5, 16, 20, 32, 48};
  return extents[random() % std::size(extents)];
}

Shape randomShape(std::mt19937 &random, size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(randomExtent(random));
  while (getNumElements(shape) > 50'000)
    *std::max_element(shape.begin(), shape.end()) = 2;
  return shape;
}

IntList randomPermutation(std::mt19937 &random, size_t rank) {
  IntList perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::shuffle(perm.begin(), perm.end(), random);
  return perm;
}

Shape permuted(const Shape &shape, const IntList &perm) {
  Shape result;
  for (int64_t axis : perm)
    result.push_back(shape[axis]);
  return result;
}

Node transposition(std::mt19937 &random) {
  const Shape shape = randomShape(random, 4);
  const IntList perm = randomPermutation(random, 4);
  Node node{"TransposeD", {}, {shape}, {permuted(shape, perm)}};
  node.attrs.set("perm", perm);
  return node;
}

/// Heads of an attention, cut out of a matrix or put back.
Node heads(std::mt19937 &random) {
  const Shape cut = randomShape(random, 4);
  const Shape matrix = {cut[0] * cut[1], cut[2] * cut[3]};
  const IntList perm = randomPermutation(random, 4);
  const bool transposesFirst = random() % 2;
  Node node{"ConfusionTransposeD", {}, {matrix}, {permuted(cut, perm)}};
  node.attrs.set("shape", IntList(cut.begin(), cut.end()));
  if (transposesFirst) {
    const Shape turned = permuted(cut, perm);
    node.inputs = {cut};
    node.outputs = {{turned[0] * turned[1], turned[2] * turned[3]}};
    node.attrs.set("shape", IntList(node.outputs[0]));
  }
  node.attrs.set("perm", perm);
  node.attrs.set("transpose_first", transposesFirst);
  return node;
}

Node concatenation(std::mt19937 &random) {
  Shape first = randomShape(random, 4), second = first;
  const size_t axis = random() % 4;
  second[axis] = randomExtent(random);
  Shape whole = first;
  whole[axis] += second[axis];
  Node node{"ConcatD", {}, {first, second}, {whole}};
  node.attrs.set("concat_dim", int64_t(axis));
  node.attrs.set("N", int64_t(2));
  return node;
}

Node split(std::mt19937 &random) {
  const Shape part = randomShape(random, 4);
  const size_t axis = random() % 4;
  Shape whole = part;
  whole[axis] *= 2;
  Node node{"SplitD", {}, {whole}, {part, part}};
  node.attrs.set("split_dim", int64_t(axis));
  node.attrs.set("num_split", int64_t(2));
  return node;
}

Node tiles(std::mt19937 &random) {
  const Shape shape = randomShape(random, 4);
  Shape whole = shape;
  IntList multiples;
  for (int64_t &extent : whole) {
    multiples.push_back(1 + random() % 2);
    extent *= multiples.back();
  }
  Node node{"TileD", {}, {shape}, {whole}};
  node.attrs.set("multiples", multiples);
  return node;
}

/// \p shape plain, or in one of the formats that it can have.
TensorDesc randomDesc(std::mt19937 &random, DataType dtype,
                      const Shape &shape) {
  const bool isImage = shape.size() == 4;
  switch (random() % 3) {
  case 0:
    return privateDesc(dtype, Format::FRACTAL_NZ, Format::ND, shape);
  case 1:
    if (isImage)
      return privateDesc(dtype, Format::NC1HWC0, Format::NCHW, shape);
    [[fallthrough]];
  default:
    return plainDesc(dtype, shape, isImage ? Format::NCHW : Format::ND);
  }
}

TensorDesc plainOf(const TensorDesc &desc) {
  return plainDesc(desc.dtype, desc.originShape, desc.originFormat);
}

/// Every element another, none zero; lanes of padding hold rubbish.
template <class T>
std::vector<T> laidOut(const TensorDesc &desc, const std::vector<T> &plain,
                       T rubbish) {
  auto pack = FormatTransfer::create(plainOf(desc), desc);
  EXPECT_TRUE(pack) << pack.status().message();
  std::vector<T> bits(getNumElements(desc.shape));
  pack->run(reinterpret_cast<const std::byte *>(plain.data()),
            reinterpret_cast<std::byte *>(bits.data()));
  std::replace(bits.begin(), bits.end(), T(0), rubbish);
  return bits;
}

template <class T>
void check(std::mt19937 &random, DataType dtype, const Node &node) {
  std::vector<TestTensor> plainInputs, inputs;
  T next = 0;
  for (const Shape &shape : node.inputs) {
    std::vector<T> values(getNumElements(shape));
    for (T &value : values)
      value = ++next == 0 ? ++next : next;
    const TensorDesc desc = randomDesc(random, dtype, shape);
    plainInputs.push_back(tensor(plainOf(desc), values));
    inputs.push_back(tensor(desc, laidOut<T>(desc, values, T(0xA5))));
  }
  std::vector<TensorDesc> plainOutputs, outputs;
  for (const Shape &shape : node.outputs) {
    outputs.push_back(randomDesc(random, dtype, shape));
    plainOutputs.push_back(plainOf(outputs.back()));
  }
  std::string what = node.type;
  for (const TestTensor &input : inputs)
    what += " " + input.desc.toString();
  what += " ->";
  for (const TensorDesc &output : outputs)
    what += " " + output.toString();
  SCOPED_TRACE(what);
  TestResult expected =
      runNode(node.type, plainInputs, plainOutputs, node.attrs);
  TestResult result = runNode(node.type, inputs, outputs, node.attrs);
  for (size_t i = 0; i < outputs.size(); ++i)
    ASSERT_EQ(result.values<T>(i),
              laidOut<T>(outputs[i], expected.values<T>(i), T(0)));
}

} // namespace

TEST(LaidOutCopyTest, FormatsMakeNoDifference) {
  std::mt19937 random(20);
  Node (*const makers[])(std::mt19937 &) = {transposition, heads, concatenation,
                                            split, tiles};
  for (auto *make : makers)
    for (int repeat = 0; repeat < 80; ++repeat) {
      check<uint16_t>(random, DataType::Float16, make(random));
      check<uint8_t>(random, DataType::UInt8, make(random));
      if (HasFatalFailure())
        return;
    }
}
