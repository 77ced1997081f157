// Element-wise operators on random operands against the scalar definitions of
// NumericPath.h: shapes that broadcast, fp16 and fp32, values of all
// magnitudes. Bit for bit, status included, unless the operator has exp or ln.

#include "FloatTester.h"
#include "NumericPath.h"
#include "OperandTensor.h"

#include <random>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

/// Operators that round nowhere, and so have one way.
std::vector<PathRow> exactRows() {
  const Operand one = half({0x3C00});
  auto row = [&](const char *type, size_t count, Definition definition,
                 AttributeList attrs = {}) {
    return PathRow{type,
                   "exact",
                   std::move(definition),
                   std::vector<Operand>(count, one),
                   Half,
                   {{"fp16", everywhere, {.half = true}, {}}},
                   std::move(attrs)};
  };
  return {
      row("Maximum", 2,
          [](M &m, X x) { return Values{m.max(x[0][0], x[1][0])}; }),
      row("Minimum", 2,
          [](M &m, X x) { return Values{m.min(x[0][0], x[1][0])}; }),
      row("Neg", 1, [](M &m, X x) { return Values{m.neg(x[0][0])}; }),
      row("Abs", 1, [](M &m, X x) { return Values{m.abs(x[0][0])}; }),
      row("Relu", 1, [](M &m, X x) { return Values{m.max(x[0][0], 0)}; }),
      row("Relu6", 1,
          [](M &m, X x) { return Values{m.min(m.max(x[0][0], 0), 6)}; }),
      row("ReluGrad", 2,
          [](M &m, X x) { return Values{m.mul(x[0][0], x[1][0] > 0)}; }),
      row("Relu6Grad", 2,
          [](M &, X x) {
            return Values{x[1][0] > 0 && x[1][0] < 6 ? x[0][0] : 0};
          }),
      row("ClipByValue", 3,
          [](M &m, X x) {
            return Values{m.max(m.min(x[0][0], x[2][0]), x[1][0])};
          }),
      row("Maxs", 1, [](M &m, X x) { return Values{m.max(x[0][0], 0.5)}; },
          {{"value", 0.5f}}),
      row("Mins", 1, [](M &m, X x) { return Values{m.min(x[0][0], 0.5)}; },
          {{"value", 0.5f}}),
      row("HardTanh", 1,
          [](M &m, X x) { return Values{m.max(m.min(x[0][0], 1), -1)}; }),
      row("Sign", 1,
          [](M &m, X x) {
            const double value = m.neg(m.neg(x[0][0]));
            return Values{value > 0 ? 1 : value < 0 ? -1 : value};
          }),
      row("Floor", 1,
          [](M &, X x) { return Values{std::floor(x[0][0]) + 0.0}; }),
      row("Ceil", 1, [](M &, X x) { return Values{std::ceil(x[0][0]) + 0.0}; }),
      row("Rint", 1,
          [](M &, X x) { return Values{std::nearbyint(x[0][0]) + 0.0}; }),
      row("Round", 1,
          [](M &, X x) { return Values{std::nearbyint(x[0][0]) + 0.0}; }),
      row("ThresholdedRelu", 1,
          [](M &, X x) { return Values{x[0][0] > 0.5 ? x[0][0] : 0}; },
          {{"alpha", 0.5f}})};
}

/// Rows of one fp16 element for each operand and the result.
std::vector<PathRow> elementwiseRows() {
  std::vector<PathRow> rows = exactRows();
  for (const auto &more :
       {elementwisePaths(), activationPaths(), mathPaths(), trainingPaths()})
    for (const PathRow &row : more)
      if (row.outType == Half && row.outShape.empty() &&
          std::all_of(row.operands.begin(), row.operands.end(),
                      [](const Operand &operand) {
                        return operand.dtype == Half &&
                               operand.bits.size() == 1;
                      }))
        rows.push_back(row);
  return rows;
}

class Oracle {
public:
  Oracle(const PathRow &row, std::mt19937 &random) : row(row), random(random) {
    ScalarArithmetic trial(row.ways.front().path);
    std::vector<Values> operands;
    for (const Operand &operand : row.operands)
      operands.push_back({halfValue(static_cast<uint16_t>(operand.bits[0]))});
    row.definition(trial, operands);
    usesFunctions = trial.usesFunctions;
  }

  bool usesFunctions = false; ///< the host's exp and ln bound what is compared

  /// New operands of \p dtype.
  void draw(DataType dtype) {
    shape.assign(2 + random() % 3, 1);
    for (int64_t &extent : shape)
      extent = 1 + random() % 7;
    inputs.clear();
    for (size_t i = 0; i < row.operands.size(); ++i) {
      Shape own = shape;
      if (i > 0)
        for (int64_t &extent : own)
          if (random() % 3 == 0)
            extent = 1;
      Floats values(plainDesc(dtype, own).numElements());
      for (float &value : values)
        value = drawValue(i, dtype);
      inputs.push_back(floatTensor(dtype, own, values));
    }
  }

  void expectKernel(const Way &way, Path path, NumericConfig config) {
    SCOPED_TRACE(row.type + ", " + row.what + ", " + way.what + ", " +
                 std::string(getName(config.soc)));
    Attributes attrs;
    for (const auto &list : {row.attrs, way.attrs})
      for (const auto &[name, value] : list)
        attrs.set(name, value);
    const DataType dtype = inputs[0].desc.dtype;
    const std::vector<TensorDesc> outputs(1 + row.moreOutputs.size(),
                                          plainDesc(dtype, shape));
    auto result = runNode(row.type, inputs, outputs, attrs, config, 2);
    const Floats actual = floatsOf(result.outputs[0]);
    StatusBits bits = status::None;
    size_t same = 0;
    for (size_t i = 0; i < actual.size(); ++i) {
      const float expected = define(path, dtype, i, bits);
      if (bitsOf(actual[i]) == bitsOf(expected)) {
        ++same;
        continue;
      }
      ASSERT_TRUE(usesFunctions && near(actual[i], expected))
          << "element " << i << " is " << actual[i] << ", expected "
          << expected;
    }
    EXPECT_GE(same, actual.size() * 9 / 10);
    if (usesFunctions)
      return;
    // Further results report too.
    const StatusBits seen = row.moreOutputs.empty()
                                ? result.status.valid
                                : result.status.valid & bits;
    EXPECT_EQ(seen, bits);
  }

private:
  const PathRow &row;
  std::mt19937 &random;
  Shape shape;
  std::vector<TestTensor> inputs;

  /// Near the row's own operand where only a part of the operator is defined
  /// there; else anything finite.
  float drawValue(size_t operand, DataType dtype) {
    std::uniform_real_distribution<float> uniform(0, 1);
    const float own =
        halfValue(static_cast<uint16_t>(row.operands[operand].bits[0]));
    if (usesFunctions)
      return own * (0.75f + 0.5f * uniform(random));
    switch (random() % 8) {
    case 0: {
      const float edges[] = {
          0,        -0.0f,        1,   -1,   65504, -65504, 0x1p-24f, -0x1p-24f,
          0x1p-14f, 0x1.FF8p-15f, 256, -256, 0.5f,  2048};
      return edges[random() % std::size(edges)];
    }
    case 1:
      if (dtype == Float)
        return std::ldexp(2 * uniform(random) - 1,
                          static_cast<int>(random() % 160) - 80);
      return halfValue(static_cast<uint16_t>(random() % 0x7C00 |
                                             (random() % 2 ? 0x8000 : 0)));
    default:
      return 16 * uniform(random) - 8;
    }
  }

  /// Element \p index of the result; adds its status to \p bits.
  float define(Path path, DataType dtype, size_t index, StatusBits &bits) {
    std::vector<Values> operands;
    for (TestTensor &input : inputs) {
      size_t at = 0, stride = 1, rest = index;
      for (size_t axis = shape.size(); axis-- > 0;) {
        if (input.desc.shape[axis] != 1)
          at += rest % shape[axis] * stride;
        rest /= shape[axis];
        stride *= input.desc.shape[axis];
      }
      operands.push_back({dtype == Float
                              ? input.as<float>()[at]
                              : halfValue(input.as<uint16_t>()[at])});
    }
    ScalarArithmetic arithmetic(path);
    double value = row.definition(arithmetic, operands)[0];
    if (dtype == Half)
      value = arithmetic.result(value);
    bits |= arithmetic.bits;
    return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN()
                             : static_cast<float>(value);
  }

  /// Two units of fp16 apart at most.
  static bool near(float a, float b) {
    auto ordered = [](float value) {
      const int bits = halfBits(value);
      return bits & 0x8000 ? -(bits & 0x7FFF) : bits;
    };
    return std::abs(ordered(a) - ordered(b)) <= 2;
  }
};

} // namespace

TEST(ElementwiseOracleTest, Halves) {
  std::mt19937 random(23);
  for (const PathRow &row : elementwiseRows()) {
    Oracle oracle(row, random);
    for (const Way &way : row.ways)
      for (Soc soc : way.socs)
        for (int repeat = 0; repeat < 4; ++repeat) {
          oracle.draw(Half);
          oracle.expectKernel(way, way.path, {soc, OverflowMode::Saturate});
        }
  }
}

TEST(ElementwiseOracleTest, Floats) {
  std::mt19937 random(29);
  for (const PathRow &row : elementwiseRows()) {
    Oracle oracle(row, random);
    if (oracle.usesFunctions)
      continue;
    for (Soc soc : everywhere)
      for (int repeat = 0; repeat < 2; ++repeat) {
        oracle.draw(Float);
        oracle.expectKernel(row.ways.front(), {},
                            {soc, OverflowMode::Saturate});
      }
  }
}
