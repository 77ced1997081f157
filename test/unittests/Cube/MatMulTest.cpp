//===- MatMulTest.cpp - Matrix products -----------------------------------===//

#include "CubeTesting.h"

using namespace npu;
using namespace npu::cubetest;

namespace {

/// Where element (i, j) of matrix \p b of a stack lies.
int64_t at(const TensorDesc &desc, int64_t b, int64_t i, int64_t j) {
  const Shape &s = desc.shape;
  const size_t r = s.size();
  if (desc.format == Format::FRACTAL_NZ)
    return ((b * s[r - 4] + j / s[r - 1]) * s[r - 3] + i / 16) * 16 * s[r - 1] +
           i % 16 * s[r - 1] + j % s[r - 1];
  if (desc.format == Format::FRACTAL_Z)
    return ((i / s[3] * s[1] + j / 16) * 16 + j % 16) * s[3] + i % s[3];
  return (b * s[r - 2] + i) * s[r - 1] + j;
}

Tensor makeMatrix(DataType type, Format format, Shape batch, int64_t rows,
                  int64_t columns, int64_t c0 = 16) {
  Shape origin = batch, shape = std::move(batch);
  origin.insert(origin.end(), {rows, columns});
  if (format == Format::FRACTAL_NZ)
    shape.insert(shape.end(),
                 {ceilDiv(columns, c0), ceilDiv(rows, 16), 16, c0});
  else if (format == Format::FRACTAL_Z)
    shape = {ceilDiv(rows, c0), ceilDiv(columns, 16), 16, c0};
  else
    shape = origin;
  return Tensor(type, format, shape, Format::ND, origin);
}

void fillMatrix(Tensor &t, Random &random, int64_t rare, bool rubbish) {
  const int64_t count = t.desc.numElements();
  const int64_t rows = t.desc.originShape.end()[-2],
                columns = t.desc.originShape.end()[-1];
  // Padding lanes must not matter, whatever they hold.
  if (rubbish)
    for (int64_t i = 0; i < count; ++i)
      t.set(i, randomBits(random, t.desc.dtype, 3));
  const int64_t batch = getNumElements(t.desc.originShape) / (rows * columns);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        t.set(at(t.desc, b, i, j), randomBits(random, t.desc.dtype, rare));
}

struct Product {
  Tensor x1, x2, out;
  std::optional<Tensor> bias;
  bool transpose1 = false, transpose2 = false;
  /// Matrix of an operand for a matrix of the output.
  std::vector<int64_t> batch1 = {0}, batch2 = {0};

  /// Computes out; returns the status.
  StatusBits define(OverflowMode mode) {
    const int64_t m = out.desc.originShape.end()[-2];
    const int64_t n = out.desc.originShape.end()[-1];
    const int64_t k = x1.desc.originShape.end()[transpose1 ? -2 : -1];
    std::fill(out.bytes.begin(), out.bytes.end(), std::byte());
    Accumulator acc(x1.desc.dtype, mode);
    for (size_t b = 0; b < batch1.size(); ++b)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          acc.start(bias ? &*bias : nullptr, j);
          for (int64_t p = 0; p < k; ++p)
            acc.add(x1.value(transpose1 ? at(x1.desc, batch1[b], p, i)
                                        : at(x1.desc, batch1[b], i, p)),
                    x2.value(transpose2 ? at(x2.desc, batch2[b], j, p)
                                        : at(x2.desc, batch2[b], p, j)),
                    maxOf(x1.desc.dtype), maxOf(x2.desc.dtype));
          acc.finish(out, at(out.desc, b, i, j));
        }
    return acc.getStatus();
  }

  void check(const std::string &type, OverflowMode mode, bool constant) {
    Node node;
    node.type = type;
    const bool adj = type.starts_with("Batch");
    node.attrs.set(adj ? "adj_x1" : "transpose_x1", transpose1);
    node.attrs.set(adj ? "adj_x2" : "transpose_x2", transpose2);
    node.inputs = {&x1, &x2};
    if (bias)
      node.inputs.push_back(&*bias);
    node.constant = {false, constant};
    const StatusBits status = define(mode);
    expectRuns(node, out, mode, status);
  }
};

Product makeProduct(Random &random, DataType type, DataType outType, int64_t m,
                    int64_t k, int64_t n, int64_t rare = 0) {
  const auto format = [&] {
    return pick(random, 0, 1) ? Format::ND : Format::FRACTAL_NZ;
  };
  const int64_t c0 = isInteger(type) ? 32 : 16;
  Product p;
  p.transpose1 = pick(random, 0, 1);
  p.transpose2 = pick(random, 0, 1);
  p.x1 = makeMatrix(type, format(), {}, p.transpose1 ? k : m,
                    p.transpose1 ? m : k, c0);
  p.x2 = makeMatrix(type == DataType::UInt8 ? DataType::Int8 : type,
                    pick(random, 0, 3) ? format() : Format::FRACTAL_Z, {},
                    p.transpose2 ? n : k, p.transpose2 ? k : n, c0);
  p.out = makeMatrix(outType, format(), {}, m, n);
  fillMatrix(p.x1, random, rare, true);
  fillMatrix(p.x2, random, rare, true);
  if (pick(random, 0, 1)) {
    DataType biasType = isInteger(type)      ? DataType::Int32
                        : pick(random, 0, 1) ? DataType::Float
                                             : type;
    p.bias.emplace(biasType, Shape{n});
    for (int64_t i = 0; i < n; ++i)
      p.bias->set(i, randomBits(random, biasType, rare));
  }
  return p;
}

OverflowMode pickMode(Random &random) {
  return pick(random, 0, 1) ? OverflowMode::Saturate : OverflowMode::InfNan;
}

TEST(MatMul, HalvesMatchTheScalarDefinition) {
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    Product p = makeProduct(
        random, DataType::Float16,
        pick(random, 0, 2) ? DataType::Float16 : DataType::Float,
        pick(random, 1, 40), pick(random, 1, 90), pick(random, 1, 90));
    const char *types[] = {"MatMul", "MatMulV2", "MatMulV3"};
    p.check(types[pick(random, 0, 2)], pickMode(random), pick(random, 0, 1));
  }
}

// x is seen as rows from an axis on, w as a row for each output unless it is
// transposed.
TEST(MatMul, FullyConnectionOfPlainTensors) {
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const int64_t depth = pick(random, 1, 4) * 6, outputs = pick(random, 1, 20);
    const int64_t rows = pick(random, 1, 3);
    const bool transposed = pick(random, 0, 1), isImage = pick(random, 0, 1);
    const DataType type = DataType::Float16;
    Tensor x(type, Format::ND, {rows, depth / 6, 2, 3}, Format::ND,
             {rows, depth / 6, 2, 3});
    const Shape matrix =
        transposed ? Shape{depth, outputs} : Shape{outputs, depth};
    Tensor w(type, Format::ND, matrix, Format::ND, matrix);
    const Shape result =
        isImage ? Shape{rows, outputs, 1, 1} : Shape{rows, outputs};
    const Format format = isImage ? Format::NCHW : Format::ND;
    for (Tensor *t : {&x, &w})
      for (int64_t i = 0; i < t->desc.numElements(); ++i)
        t->set(i, randomBits(random, type, 0));
    // The same as a product of matrices.
    Product flat;
    flat.x1 = Tensor(type, {rows, depth});
    flat.x1.bytes = x.bytes;
    flat.x2 = w;
    flat.out = Tensor(type, {rows, outputs});
    flat.transpose2 = !transposed;
    const StatusBits status = flat.define(OverflowMode::Saturate);
    Tensor out(type, format, result, format, result);
    out.bytes = flat.out.bytes;
    Node node{"FullyConnection", {}, {&x, &w}, {}};
    node.attrs.set("num_output", outputs);
    node.attrs.set("transpose", transposed);
    node.constant = {false, true};
    expectRuns(node, out, OverflowMode::Saturate, status);
  }
}

TEST(MatMul, DepthBlocksContinueTheSum) {
  Random random(2);
  for (int64_t k : {255, 256, 257, 272, 513, 1000}) {
    SCOPED_TRACE(k);
    Product p = makeProduct(random, DataType::Float16, DataType::Float16,
                            pick(random, 1, 130), k, pick(random, 1, 70));
    p.check("MatMul", OverflowMode::Saturate, false);
  }
}

TEST(MatMul, OneRow) {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    Product p = makeProduct(random, DataType::Float16, DataType::Float16, 1,
                            pick(random, 1, 600), pick(random, 1, 400));
    p.check("MatMulV2", pickMode(random), pick(random, 0, 1));
  }
}

TEST(MatMul, FloatsRoundEachProduct) {
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    Product p = makeProduct(random, DataType::Float, DataType::Float,
                            pick(random, 1, 30), pick(random, 1, 300),
                            pick(random, 1, 70));
    p.check("MatMul", pickMode(random), false);
  }
}

TEST(MatMul, BFloat16) {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    Product p =
        makeProduct(random, DataType::BFloat16,
                    pick(random, 0, 1) ? DataType::BFloat16 : DataType::Float,
                    pick(random, 1, 30), pick(random, 1, 300),
                    pick(random, 1, 70), pick(random, 0, 1) * 500);
    p.check("MatMulV2", pickMode(random), false);
  }
}

TEST(MatMul, IntegersAreExact) {
  Random random(6);
  for (DataType type : {DataType::Int8, DataType::UInt8})
    for (int round = 0; round < 20; ++round) {
      SCOPED_TRACE(round);
      Product p =
          makeProduct(random, type, DataType::Int32, pick(random, 1, 30),
                      pick(random, 1, 600), pick(random, 1, 70));
      p.check("MatMulV2", OverflowMode::Saturate, false);
    }
}

TEST(MatMul, IntegersSaturate) {
  // 2^31 - 100 + 2 * 127 * 127 and its mirror image.
  Product p;
  p.x1 = Tensor(DataType::Int8, {1, 2});
  p.x2 = Tensor(DataType::Int8, {2, 3});
  p.bias.emplace(DataType::Int32, Shape{3});
  p.out = Tensor(DataType::Int32, {1, 3});
  for (int i = 0; i < 2; ++i)
    p.x1.set(i, 127);
  for (int i = 0; i < 6; ++i)
    p.x2.set(i, i % 3 == 1 ? 0x81 : 127);
  p.bias->set(0, 0x7FFFFF9C);
  p.bias->set(1, 0x80000064);
  p.bias->set(2, 5);
  EXPECT_EQ(p.define(OverflowMode::Saturate), status::CubeOverflow);
  EXPECT_EQ(p.out.as<int32_t>()[0], 2147483647);
  EXPECT_EQ(p.out.as<int32_t>()[1], -2147483647 - 1);
  EXPECT_EQ(p.out.as<int32_t>()[2], 32263);
  p.check("MatMulV2", OverflowMode::Saturate, false);
}

TEST(MatMul, InfinitiesAndNaNs) {
  Random random(7);
  for (DataType type : {DataType::Float16, DataType::Float})
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(round);
      Product p = makeProduct(random, type, type, pick(random, 1, 40),
                              pick(random, 1, 90), pick(random, 1, 60),
                              pick(random, 0, 1) ? 40 : 1500);
      p.check("MatMul", pickMode(random), pick(random, 0, 1));
    }
}

TEST(MatMul, RoundingOverflows) {
  // 65 products 32 * 32 are 66560; 64 of them 65536; 63.98 of them 65519.
  for (auto [k, saturated, infnan, status] :
       {std::tuple(65, 0x7BFF, 0x7C00, status::CastOverflow),
        std::tuple(64, 0x7BFF, 0x7C00, status::CastOverflow),
        std::tuple(63, 0x7BE0, 0x7BE0, status::None)})
    for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan}) {
      Product p;
      p.x1 = Tensor(DataType::Float16, {1, k});
      p.x2 = Tensor(DataType::Float16, {k, 1});
      p.out = Tensor(DataType::Float16, {1, 1});
      for (int64_t i = 0; i < k; ++i) {
        p.x1.set(i, 0x5000); // 32
        p.x2.set(i, 0x5000);
      }
      p.define(mode);
      EXPECT_EQ(p.out.as<uint16_t>()[0],
                mode == OverflowMode::Saturate ? saturated : infnan);
      p.check("MatMul", mode, false);
      Node node{"MatMul", {}, {&p.x1, &p.x2}, {}};
      expectRuns(node, p.out, mode, status);
    }
}

TEST(MatMul, FiveThousandOnes) {
  Tensor x1(DataType::Float16, {1, 5120}), x2(DataType::Float16, {5120, 1});
  Tensor out(DataType::Float16, {1, 1});
  for (int64_t i = 0; i < 5120; ++i) {
    x1.set(i, 0x3C00);
    x2.set(i, 0x3C00);
  }
  out.set(0, 0x6D00);
  Node node{"MatMul", {}, {&x1, &x2}, {}};
  expectRuns(node, out, OverflowMode::Saturate, status::None);
}

TEST(MatMul, FloatSumsOverflow) {
  Tensor x1(DataType::Float, {1, 2}), x2(DataType::Float, {2, 1});
  Tensor out(DataType::Float, {1, 1});
  for (int i = 0; i < 2; ++i) {
    x1.set(i, 0x7F000000); // 2^127
    x2.set(i, 0x3F800000);
  }
  out.set(0, 0x7F800000);
  Node node{"MatMul", {}, {&x1, &x2}, {}};
  expectRuns(node, out, OverflowMode::Saturate, status::CubeOverflow);
}

TEST(MatMul, SumsStartAtPositiveZero) {
  Tensor x1(DataType::Float16, {1, 1}), x2(DataType::Float16, {1, 1});
  Tensor bias(DataType::Float16, {1}), out(DataType::Float16, {1, 1});
  x1.set(0, 0x8000);
  x2.set(0, 0x3C00);
  bias.set(0, 0x8000);
  Node node{"MatMul", {}, {&x1, &x2, &bias}, {}};
  expectRuns(node, out, OverflowMode::InfNan, status::None);
}

TEST(BatchMatMul, BroadcastsLeadingDimensions) {
  Random random(8);
  struct Case {
    Shape batch1, batch2, batchOut;
    std::vector<int64_t> map1, map2;
  };
  const Case cases[] = {
      {{3}, {3}, {3}, {0, 1, 2}, {0, 1, 2}},
      {{3}, {1}, {3}, {0, 1, 2}, {0, 0, 0}},
      {{3}, {}, {3}, {0, 1, 2}, {0, 0, 0}},
      {{1}, {3}, {3}, {0, 0, 0}, {0, 1, 2}},
      {{2, 1}, {1, 2}, {2, 2}, {0, 0, 1, 1}, {0, 1, 0, 1}},
      {{2}, {2, 2}, {2, 2}, {0, 1, 0, 1}, {0, 1, 2, 3}},
  };
  for (const Case &c : cases)
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE(toString(c.batch1) + " " + toString(c.batch2));
      const int64_t m = pick(random, 1, 30), k = pick(random, 1, 50),
                    n = pick(random, 1, 40);
      const auto format = [&] {
        return pick(random, 0, 1) ? Format::ND : Format::FRACTAL_NZ;
      };
      Product p;
      p.transpose1 = pick(random, 0, 1);
      p.transpose2 = pick(random, 0, 1);
      p.batch1 = c.map1;
      p.batch2 = c.map2;
      p.x1 = makeMatrix(DataType::Float16, format(), c.batch1,
                        p.transpose1 ? k : m, p.transpose1 ? m : k);
      p.x2 = makeMatrix(DataType::Float16, format(), c.batch2,
                        p.transpose2 ? n : k, p.transpose2 ? k : n);
      p.out = makeMatrix(DataType::Float16, format(), c.batchOut, m, n);
      fillMatrix(p.x1, random, 0, true);
      fillMatrix(p.x2, random, 0, true);
      for (const char *type : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"})
        p.check(type, OverflowMode::InfNan, false);
    }
}

TEST(MatMul, SaysWhatDoesNotFit) {
  Tensor a(DataType::Float16, {4, 5}), b(DataType::Float16, {6, 5});
  Tensor out(DataType::Float16, {4, 6});
  Node node{"MatMul", {}, {&a, &b}, {}};
  EXPECT_EQ(creationError(node, out.desc),
            "MatMul node: op(x1) 4x5 times op(x2) 6x5 does not give the output "
            "4x6; are transposition attributes missing?");
  node.attrs.set("transpose_x2", int64_t(1));
  EXPECT_EQ(creationError(node, out.desc), "");
  TensorDesc huge = out.desc;
  huge.shape = huge.originShape = {4, int64_t(1) << 40};
  EXPECT_EQ(creationError(node, huge),
            "MatMul node: the output: DT_FLOAT16 4x1099511627776 ND is too "
            "large");
  node.attrs.set("transpose_b", false);
  EXPECT_EQ(creationError(node, out.desc),
            "MatMul node: attribute 'transpose_b' contradicts another name of "
            "it");
  Tensor ints(DataType::Int32, {6, 5});
  Node wrong{"MatMul", {}, {&a, &ints}, {}};
  EXPECT_EQ(creationError(wrong, out.desc),
            "MatMul node: op(x1) 4x5 times op(x2) 6x5 does not give the output "
            "4x6; are transposition attributes missing?");
  wrong.attrs.set("transpose_x2", true);
  EXPECT_EQ(creationError(wrong, out.desc),
            "MatMul node: the cube has no product DT_FLOAT16 x DT_INT32 -> "
            "DT_FLOAT16");
}

} // namespace
