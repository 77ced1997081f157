// Operators that only move elements, against index arithmetic.

#include "KernelTester.h"

#include <functional>
#include <numeric>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

using IntList = std::vector<int64_t>;

/// 0, 1, 2... in row-major order.
TestTensor counting(Shape shape) {
  std::vector<int32_t> values(getNumElements(shape));
  std::iota(values.begin(), values.end(), 0);
  return tensor(plainDesc(DataType::Int32, std::move(shape)), values);
}

/// Calls \p visit for every index of \p shape in row-major order.
void forEachIndex(const Shape &shape,
                  const std::function<void(const IntList &)> &visit) {
  IntList index(shape.size());
  for (int64_t i = 0, e = getNumElements(shape); i < e; ++i) {
    int64_t rest = i;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      index[axis] = rest % shape[axis];
    visit(index);
  }
}

int64_t flatten(const Shape &shape, const IntList &index) {
  int64_t at = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    at = at * shape[axis] + index[axis];
  return at;
}

Attributes
attrs(std::initializer_list<std::pair<const char *, AttributeValue>> list) {
  Attributes result;
  for (const auto &[name, value] : list)
    result.set(name, value);
  return result;
}

Shape randomShape(std::mt19937 &random, size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(1 + random() % 5);
  return shape;
}

std::vector<int32_t> runInts(const std::string &type,
                             std::vector<TestTensor> inputs, Shape output,
                             const Attributes &attributes,
                             unsigned threads = 3) {
  return runNode(type, std::move(inputs),
                 {plainDesc(DataType::Int32, std::move(output))}, attributes,
                 {}, threads)
      .values<int32_t>();
}

TensorDesc ints(Shape shape) {
  return plainDesc(DataType::Int32, std::move(shape));
}

/// Elements that a slice of TensorFlow takes of an axis, one entry at a time.
IntList takenBy(int64_t begin, int64_t end, int64_t stride, bool openBegin,
                bool openEnd, int64_t extent) {
  auto wrap = [&](int64_t i) { return i < 0 ? i + extent : i; };
  IntList taken;
  int64_t at = openBegin ? (stride > 0 ? 0 : extent - 1) : wrap(begin);
  if (!openBegin && stride > 0)
    at = std::max<int64_t>(at, 0);
  if (!openBegin && stride < 0)
    at = std::min(at, extent - 1);
  for (; at >= 0 && at < extent; at += stride) {
    if (!openEnd && (stride > 0 ? at >= wrap(end) : at <= wrap(end)))
      break;
    taken.push_back(at);
  }
  return taken;
}

} // namespace

TEST(ArrangementTest, TransposesAnyRank) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const size_t rank = 1 + random() % 5;
    const Shape from = randomShape(random, rank);
    IntList perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    Shape to;
    for (int64_t axis : perm)
      to.push_back(from[axis]);
    std::vector<int32_t> expected;
    forEachIndex(to, [&](const IntList &index) {
      IntList source(rank);
      for (size_t i = 0; i < rank; ++i)
        source[perm[i]] = index[i];
      expected.push_back(flatten(from, source));
    });
    EXPECT_EQ(
        runInts("TransposeD", {counting(from)}, to, attrs({{"perm", perm}})),
        expected);
    auto input = tensor<int64_t>(
        plainDesc(DataType::Int64, {static_cast<int64_t>(rank)}), perm);
    EXPECT_EQ(runInts("Transpose", {counting(from), input}, to, {}), expected);
  }
}

TEST(ArrangementTest, ConfusionTransposeSplitsAndMergesHeads) {
  // Rows of a matrix are images' words, its columns heads' features.
  const int64_t images = 2, words = 3, heads = 4, features = 5;
  const Shape matrix = {images * words, heads * features},
              byWord = {images, words, heads, features},
              byHead = {images, heads, words, features};
  std::vector<int32_t> expected;
  forEachIndex(byHead, [&](const IntList &index) {
    expected.push_back(
        flatten(byWord, {index[0], index[2], index[1], index[3]}));
  });
  EXPECT_EQ(runInts("ConfusionTransposeD", {counting(matrix)}, byHead,
                    attrs({{"perm", IntList{0, 2, 1, 3}},
                           {"shape", IntList(byWord.begin(), byWord.end())},
                           {"transpose_first", false}})),
            expected);
  std::vector<int32_t> merged(getNumElements(matrix));
  std::iota(merged.begin(), merged.end(), 0);
  const TestTensor split = tensor(ints(byHead), expected);
  EXPECT_EQ(runInts("ConfusionTransposeD", {split}, matrix,
                    attrs({{"perm", IntList{0, 2, 1, 3}},
                           {"shape", IntList(matrix.begin(), matrix.end())},
                           {"transpose_first", true}})),
            merged);
}

TEST(ArrangementTest, ConfusionTransposeRefusesOtherShapes) {
  auto refuse = [&](IntList shape, Shape to, bool first) {
    return refusal("ConfusionTransposeD", {ints({4, 3})}, {ints(to)},
                   attrs({{"perm", IntList{1, 0}},
                          {"shape", shape},
                          {"transpose_first", first}}));
  };
  const std::string error =
      "ConfusionTransposeD 'node': DT_INT32 4x3 ND does not give DT_INT32 ";
  EXPECT_EQ(refuse({2, 6}, {2, 6}, false), error + "2x6 ND");
  EXPECT_EQ(refuse({2, 5}, {5, 2}, false), error + "5x2 ND");
  EXPECT_EQ(refuse({2, 6}, {6, 2}, true), error + "6x2 ND");
}

TEST(ArrangementTest, TransposeRefusesWhatIsNoPermutation) {
  EXPECT_EQ(refusal("TransposeD", {ints({2, 3})}, {ints({3, 2})},
                    attrs({{"perm", IntList{1, 1}}})),
            "TransposeD 'node': attribute or input 'perm' has axis 1 twice");
  EXPECT_EQ(refusal("TransposeD", {ints({2, 3})}, {ints({2, 3})},
                    attrs({{"perm", IntList{1, 0}}})),
            "TransposeD 'node': DT_INT32 2x3 ND does not give DT_INT32 2x3 ND");
  EXPECT_EQ(refusal("Transpose", {ints({2, 3}), ints({2})}, {ints({3, 2})}),
            "Transpose 'node': input 1 (perm) is not a constant");
}

TEST(ArrangementTest, ConcatenatesAndSplits) {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    const size_t rank = 1 + random() % 4, axis = random() % rank;
    Shape whole = randomShape(random, rank);
    std::vector<Shape> shapes(1 + random() % 4, whole);
    whole[axis] = 0;
    for (Shape &shape : shapes)
      whole[axis] += shape[axis] = 1 + random() % 4;
    const TestTensor all = counting(whole);
    std::vector<TestTensor> parts;
    std::vector<TensorDesc> descs;
    int64_t begin = 0;
    for (const Shape &shape : shapes) {
      std::vector<int32_t> values;
      forEachIndex(shape, [&](IntList index) {
        index[axis] += begin;
        values.push_back(flatten(whole, index));
      });
      begin += shape[axis];
      descs.push_back(ints(shape));
      parts.push_back(tensor(descs.back(), values));
    }
    const int64_t number = static_cast<int64_t>(axis) - (round % 2 ? rank : 0);
    for (const char *type : {"ConcatD", "ConcatV2D"})
      EXPECT_EQ(runInts(type, parts, whole, attrs({{"concat_dim", number}})),
                (std::vector<int32_t>(runInts("Reshape", {all}, whole, {}))));
    auto withAxis = parts;
    withAxis.push_back(tensor<int32_t>(ints({}), {int32_t(number)}));
    EXPECT_EQ(runInts("ConcatV2", withAxis, whole, {}),
              runInts("Reshape", {all}, whole, {}));
    auto axisFirst = parts;
    const TestTensor dim = tensor<int32_t>(ints({}), {int32_t(number)});
    axisFirst.insert(axisFirst.begin(), dim);
    EXPECT_EQ(runInts("Concat", axisFirst, whole, {}),
              runInts("Reshape", {all}, whole, {}));
    const TestTensor sizes =
        tensor(ints({1}), std::vector<int32_t>{0}); // nothing reads it
    for (auto split :
         {runNode("SplitVD", {all}, descs, attrs({{"split_dim", number}})),
          runNode("SplitV", {all, sizes, dim}, descs),
          runNode("Split", {dim, all}, descs)})
      for (size_t i = 0; i < parts.size(); ++i)
        EXPECT_EQ(split.outputs[i].bytes, parts[i].bytes);
  }
}

TEST(ArrangementTest, SplitsEvenly) {
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = 1 + random() % 4, axis = random() % rank;
    const int64_t count = 1 + random() % 4;
    const Shape part = randomShape(random, rank);
    Shape whole = part;
    whole[axis] *= count;
    const TestTensor all = counting(whole);
    const std::vector<TensorDesc> descs(count, ints(part));
    const int64_t number = static_cast<int64_t>(axis) - (round % 2 ? rank : 0);
    auto split = runNode("SplitD", {all}, descs,
                         attrs({{"split_dim", number}, {"num_split", count}}));
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int32_t> expected;
      forEachIndex(part, [&](IntList index) {
        index[axis] += i * part[axis];
        expected.push_back(flatten(whole, index));
      });
      EXPECT_EQ(split.values<int32_t>(i), expected);
    }
  }
}

TEST(ArrangementTest, PacksAndUnpacks) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = random() % 4, axis = random() % (rank + 1);
    const Shape part = randomShape(random, rank);
    const int64_t count = 1 + random() % 4;
    Shape whole = part;
    whole.insert(whole.begin() + axis, count);
    const TestTensor all = counting(whole);
    std::vector<TestTensor> parts;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int32_t> values;
      forEachIndex(part, [&](IntList index) {
        index.insert(index.begin() + axis, i);
        values.push_back(flatten(whole, index));
      });
      parts.push_back(tensor(ints(part), values));
    }
    const int64_t number =
        static_cast<int64_t>(axis) - (round % 2 ? rank + 1 : 0);
    EXPECT_EQ(runInts("Pack", parts, whole, attrs({{"axis", number}})),
              runInts("Reshape", {all}, whole, {}));
    auto unpacked =
        runNode("Unpack", {all}, std::vector<TensorDesc>(count, ints(part)),
                attrs({{"axis", number}, {"num", count}}));
    for (int64_t i = 0; i < count; ++i)
      EXPECT_EQ(unpacked.outputs[i].bytes, parts[i].bytes);
  }
  EXPECT_EQ(refusal("Pack", {ints({2}), ints({3})}, {ints({2, 2})}),
            "Pack 'node': DT_INT32 2 ND, DT_INT32 3 ND does not give DT_INT32 "
            "2x2 ND");
  EXPECT_EQ(refusal("Unpack", {ints({3, 2})}, {ints({2}), ints({2})}),
            "Unpack 'node': DT_INT32 3x2 ND does not give DT_INT32 2 ND");
}

TEST(ArrangementTest, PadsWithZeros) {
  std::mt19937 random(6);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = 1 + random() % 4;
    const Shape from = randomShape(random, rank);
    Shape to = from;
    IntList paddings;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t before = random() % 3, behind = random() % 3;
      paddings.insert(paddings.end(), {before, behind});
      to[i] += before + behind;
    }
    std::vector<int32_t> expected;
    forEachIndex(to, [&](IntList index) {
      bool inside = true;
      for (size_t i = 0; i < rank; ++i) {
        index[i] -= paddings[2 * i];
        inside = inside && index[i] >= 0 && index[i] < from[i];
      }
      expected.push_back(inside ? flatten(from, index) : 0);
    });
    EXPECT_EQ(
        runInts("PadD", {counting(from)}, to, attrs({{"paddings", paddings}})),
        expected);
    const auto input = tensor<int64_t>(
        plainDesc(DataType::Int64, {static_cast<int64_t>(rank), 2}), paddings);
    EXPECT_EQ(runInts("Pad", {counting(from), input}, to, {}), expected);
  }
  EXPECT_EQ(refusal("PadD", {ints({2})}, {ints({4})},
                    attrs({{"paddings", IntList{1, 2}}})),
            "PadD 'node': DT_INT32 2 ND does not give DT_INT32 4 ND");
  EXPECT_EQ(refusal("PadD", {ints({2})}, {ints({1})},
                    attrs({{"paddings", IntList{-1, 0}}})),
            "PadD 'node': DT_INT32 2 ND does not give DT_INT32 1 ND");
}

TEST(ArrangementTest, Reverses) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = 1 + random() % 4;
    const Shape shape = randomShape(random, rank);
    IntList axes;
    for (size_t i = 0; i < rank; ++i)
      if (random() % 2)
        axes.push_back(static_cast<int64_t>(i) - (random() % 2 ? rank : 0));
    std::vector<int32_t> expected;
    forEachIndex(shape, [&](IntList index) {
      for (int64_t axis : axes) {
        const size_t i = axis < 0 ? axis + rank : axis;
        index[i] = shape[i] - 1 - index[i];
      }
      expected.push_back(flatten(shape, index));
    });
    EXPECT_EQ(runInts("ReverseV2D", {counting(shape)}, shape,
                      attrs({{"axis", axes}})),
              expected);
  }
  EXPECT_EQ(refusal("ReverseV2D", {ints({2, 3})}, {ints({2, 3})},
                    attrs({{"axis", IntList{1, -1}}})),
            "ReverseV2D 'node': attribute or input 'axis' has axis 1 twice");
}

TEST(ArrangementTest, Broadcasts) {
  std::mt19937 random(8);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = random() % 4, added = random() % 3;
    Shape from = randomShape(random, rank), to = from;
    for (size_t i = 0; i < rank; ++i)
      if (random() % 2)
        from[i] = 1;
    const Shape front = randomShape(random, added);
    to.insert(to.begin(), front.begin(), front.end());
    std::vector<int32_t> expected;
    forEachIndex(to, [&](const IntList &index) {
      IntList source(index.begin() + added, index.end());
      for (size_t i = 0; i < rank; ++i)
        source[i] = from[i] == 1 ? 0 : source[i];
      expected.push_back(flatten(from, source));
    });
    EXPECT_EQ(runInts("BroadcastToD", {counting(from)}, to,
                      attrs({{"shape", IntList(to.begin(), to.end())}})),
              expected);
  }
  EXPECT_EQ(refusal("BroadcastToD", {ints({2})}, {ints({2, 3})}),
            "BroadcastToD 'node': DT_INT32 2 ND does not broadcast to DT_INT32 "
            "2x3 ND");
}

TEST(ArrangementTest, Fills) {
  const auto dims = tensor<int32_t>(ints({2}), {2, 3});
  const auto value = tensor<int32_t>(ints({}), {7});
  EXPECT_EQ(runInts("Fill", {dims, value}, {2, 3}, {}),
            std::vector<int32_t>(6, 7));
  EXPECT_EQ(refusal("Fill", {ints({2}), ints({2})}, {ints({2, 2})}),
            "Fill 'node': value DT_INT32 2 ND is not one number");
  EXPECT_EQ(runInts("ZerosLike", {counting({2, 3})}, {2, 3}, {}),
            std::vector<int32_t>(6, 0));
  // Lanes that only pad stay zero.
  const TensorDesc blocked = privateDesc(DataType::Float16, Format::NC1HWC0,
                                         Format::NCHW, {1, 3, 1, 2});
  TestTensor x{blocked, std::vector<std::byte>(blocked.byteSize())};
  auto ones = runNode("OnesLike", {x}, {blocked}).values<uint16_t>();
  ASSERT_EQ(ones.size(), 32u);
  for (size_t i = 0; i < ones.size(); ++i)
    EXPECT_EQ(ones[i], i % 16 < 3 ? 0x3C00 : 0) << i;
  Attributes constant;
  constant.set("value", -2.5f);
  const auto filled = [&](DataType dtype) {
    const TensorDesc desc = plainDesc(dtype, {2});
    return runNode("Fills", {{desc, std::vector<std::byte>(desc.byteSize())}},
                   {desc}, constant);
  };
  EXPECT_EQ(filled(DataType::Float16).values<uint16_t>(),
            std::vector<uint16_t>(2, 0xC100));
  EXPECT_EQ(filled(DataType::BFloat16).values<uint16_t>(),
            std::vector<uint16_t>(2, 0xC020));
  EXPECT_EQ(filled(DataType::Float).values<float>(),
            std::vector<float>(2, -2.5f));
  EXPECT_EQ(filled(DataType::Int8).values<int8_t>(),
            std::vector<int8_t>(2, -2));
  EXPECT_EQ(filled(DataType::Int64).values<int64_t>(),
            std::vector<int64_t>(2, -2));
}

TEST(ArrangementTest, ConcatenatesChannelsOfImages) {
  // 20 and 30 channels: blocks of the parts are none of the whole.
  const Shape a{2, 20, 3, 2}, b{2, 30, 3, 2}, c{2, 50, 3, 2};
  auto image = [](const Shape &origin, int32_t first) {
    TestTensor plain = counting(origin);
    for (int32_t &value : plain.as<int32_t>())
      value += first;
    plain.desc.format = plain.desc.originFormat = Format::NCHW;
    return runNode("TransData", {plain},
                   {privateDesc(DataType::Int32, Format::NC1HWC0, Format::NCHW,
                                origin)})
        .outputs[0];
  };
  auto result =
      runNode("ConcatD", {image(a, 1), image(b, 1000)},
              {privateDesc(DataType::Int32, Format::NC1HWC0, Format::NCHW, c)},
              attrs({{"concat_dim", int64_t(1)}}));
  TensorDesc plain = plainDesc(DataType::Int32, c, Format::NCHW);
  auto values =
      runNode("TransData", {result.outputs[0]}, {plain}).values<int32_t>();
  size_t at = 0;
  forEachIndex(c, [&](IntList index) {
    const bool first = index[1] < 20;
    index[1] -= first ? 0 : 20;
    EXPECT_EQ(values[at++], flatten(first ? a : b, index) + (first ? 1 : 1000));
  });
  // Padding is zero: 50 channels have 14 lanes of it in the last block.
  auto raw = result.values<int32_t>();
  for (int64_t lane = 2; lane < 16; ++lane)
    EXPECT_EQ(raw[3 * 6 * 16 + lane], 0);
}

TEST(ArrangementTest, ConcatCountsAxesOfTheImage) {
  // Axis 1 is C for an NC1HWC0 tensor whatever its origin.
  const TensorDesc x = privateDesc(DataType::Int32, Format::NC1HWC0,
                                   Format::NHWC, {1, 2, 2, 16});
  const TensorDesc y = privateDesc(DataType::Int32, Format::NC1HWC0,
                                   Format::NHWC, {1, 2, 2, 32});
  std::vector<int32_t> values(64);
  std::iota(values.begin(), values.end(), 0);
  auto result = runNode("ConcatD", {tensor(x, values), tensor(x, values)}, {y},
                        attrs({{"concat_dim", int64_t(1)}}))
                    .values<int32_t>();
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(result[i], values[i % 64]);
}

TEST(ArrangementTest, Tiles) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const size_t rank = 1 + random() % 4;
    const Shape from = randomShape(random, rank);
    IntList multiples;
    Shape to;
    for (int64_t extent : from) {
      multiples.push_back(random() % 4);
      to.push_back(extent * multiples.back());
    }
    std::vector<int32_t> expected;
    forEachIndex(to, [&](IntList index) {
      for (size_t i = 0; i < rank; ++i)
        index[i] %= from[i];
      expected.push_back(flatten(from, index));
    });
    EXPECT_EQ(runInts("TileD", {counting(from)}, to,
                      attrs({{"multiples", multiples}})),
              expected);
    const TestTensor constant =
        tensor(plainDesc(DataType::Int64, {static_cast<int64_t>(rank)}),
               std::vector<int64_t>(multiples.begin(), multiples.end()));
    EXPECT_EQ(runInts("Tile", {counting(from), constant}, to, {}), expected);
  }
  // More multiples than axes.
  EXPECT_EQ(runInts("TileD", {counting({2})}, {2, 2},
                    attrs({{"multiples", IntList{2, 1}}})),
            (std::vector<int32_t>{0, 1, 0, 1}));
}

TEST(ArrangementTest, GathersFromRanksThatHoldTheSame) {
  EXPECT_EQ(runInts("HcomAllGather", {counting({2, 2})}, {6, 2},
                    attrs({{"rank_size", int64_t(3)}})),
            (std::vector<int32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(refusal("HcomAllGather", {ints({2, 2})}, {ints({5, 2})},
                    attrs({{"rank_size", int64_t(3)}})),
            "HcomAllGather 'node': DT_INT32 2x2 ND does not give DT_INT32 5x2 "
            "ND");
}

TEST(ArrangementTest, SlicesAsTensorFlowDoes) {
  std::mt19937 random(4);
  for (int round = 0; round < 400; ++round) {
    const size_t rank = 1 + random() % 3;
    const Shape from = randomShape(random, rank);
    IntList begin, end, strides;
    int64_t beginMask = random() % 8, endMask = random() % 8;
    std::vector<IntList> taken;
    Shape to;
    for (size_t i = 0; i < rank; ++i) {
      begin.push_back(int64_t(random() % 13) - 6);
      end.push_back(int64_t(random() % 13) - 6);
      strides.push_back(random() % 2 ? 1 + int64_t(random() % 3)
                                     : -1 - int64_t(random() % 3));
      taken.push_back(takenBy(begin[i], end[i], strides[i], beginMask >> i & 1,
                              endMask >> i & 1, from[i]));
      to.push_back(taken.back().size());
    }
    std::vector<int32_t> expected;
    forEachIndex(to, [&](IntList index) {
      for (size_t i = 0; i < rank; ++i)
        index[i] = taken[i][index[i]];
      expected.push_back(flatten(from, index));
    });
    const Attributes attributes = attrs({{"begin", begin},
                                         {"end", end},
                                         {"strides", strides},
                                         {"begin_mask", beginMask},
                                         {"end_mask", endMask}});
    EXPECT_EQ(runInts("StridedSliceD", {counting(from)}, to, attributes),
              expected);
    // The gradient puts everything back where it was, on zeros.
    if (expected.empty())
      continue;
    Attributes gradient = attributes;
    gradient.set("shape", IntList(from));
    std::vector<int32_t> restored(getNumElements(from));
    for (int32_t at : expected)
      restored[at] = at + 1;
    std::vector<int32_t> dy = expected;
    for (int32_t &value : dy)
      ++value;
    EXPECT_EQ(
        runInts("StridedSliceGradD", {tensor(ints(to), dy)}, from, gradient),
        restored);
  }
}

TEST(ArrangementTest, SliceMasks) {
  // x[1:, ..., 2] of 3x2x2x4.
  auto x = counting({3, 2, 2, 4});
  auto result = runInts("StridedSliceD", {x}, {2, 2, 2},
                        attrs({{"begin", IntList{1, 0, 2}},
                               {"end", IntList{0, 0, 3}},
                               {"strides", IntList{1, 1, 1}},
                               {"end_mask", int64_t(1)},
                               {"ellipsis_mask", int64_t(2)},
                               {"shrink_axis_mask", int64_t(4)}}));
  std::vector<int32_t> expected;
  for (int32_t i = 4; i < 12; ++i)
    expected.push_back(i * 4 + 2);
  EXPECT_EQ(result, expected);
  // x[newaxis, -1] of a vector.
  EXPECT_EQ(runInts("StridedSliceD", {counting({5})}, {1, 1},
                    attrs({{"begin", IntList{0, -1}},
                           {"end", IntList{0, 0}},
                           {"strides", IntList{1, 1}},
                           {"new_axis_mask", int64_t(1)},
                           {"shrink_axis_mask", int64_t(2)}})),
            (std::vector<int32_t>{4}));
}

TEST(ArrangementTest, SliceRefusals) {
  auto refuse = [&](IntList begin, IntList end, IntList strides, Shape to) {
    return refusal(
        "StridedSliceD", {ints({4})}, {ints(std::move(to))},
        attrs({{"begin", begin}, {"end", end}, {"strides", strides}}));
  };
  EXPECT_EQ(refuse({0}, {4}, {0}, {4}),
            "StridedSliceD 'node': stride 0 of entry 0, expected another than "
            "0");
  EXPECT_EQ(refuse({0}, {3}, {1}, {4}),
            "StridedSliceD 'node': a slice of 3 of DT_INT32 4 ND does not give "
            "DT_INT32 4 ND");
  EXPECT_EQ(refuse({0, 0}, {3, 3}, {1, 1}, {3}),
            "StridedSliceD 'node': slices 2 axes of a tensor of 1");
  EXPECT_EQ(refuse({0, 0}, {3}, {1}, {3}),
            "StridedSliceD 'node': begin, end and strides have 2, 1 and 1 "
            "elements, expected the same number");
  EXPECT_EQ(refusal("SliceD", {ints({4})}, {ints({3})},
                    attrs({{"offsets", IntList{2}}, {"size", IntList{3}}})),
            "SliceD 'node': size 3 from 2 on exceeds an axis of 4");
}

TEST(ArrangementTest, PlainSlices) {
  EXPECT_EQ(
      runInts("SliceD", {counting({3, 4})}, {2, 3},
              attrs({{"offsets", IntList{1, 1}}, {"size", IntList{2, -1}}})),
      (std::vector<int32_t>{5, 6, 7, 9, 10, 11}));
}
