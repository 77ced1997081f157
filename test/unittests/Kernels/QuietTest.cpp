// Quick ways for values of which nothing is to be reported: the same bits and
// status as the way that is ready for everything.

#include "FloatTester.h"

#include "npu/Numerics/SimdTarget.h"
#include "npu/Numerics/StatusBits.h"

#include <functional>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr DataType Half = DataType::Float16;

/// Values of all magnitudes up to \p limit, some of them zeros of both signs.
Floats manyMagnitudes(size_t count, float limit, unsigned seed) {
  std::mt19937 random(seed);
  Floats values(count);
  for (float &value : values) {
    do
      value = halfValue(static_cast<uint16_t>(random()));
    while (!(std::abs(value) <= limit));
    if (random() % 16 == 0)
      value = random() % 2 ? 0.0f : -0.0f;
  }
  return values;
}

/// What a node made of fp16 values gives.
struct Outcome {
  std::vector<uint16_t> bits;
  StatusBits status;
};

Outcome runOn(const std::string &type, const std::vector<Floats> &operands,
              const Attributes &attrs, NumericConfig config) {
  const Shape shape{static_cast<int64_t>(operands[0].size())};
  std::vector<TestTensor> inputs;
  for (const Floats &values : operands)
    inputs.push_back(floatTensor(Half, shape, values));
  TestResult result =
      runEverywhere(type, inputs, {plainDesc(Half, shape)}, attrs, config);
  return {result.values<uint16_t>(), result.status.valid};
}

Attributes withValue(const char *name, float value) {
  Attributes attrs;
  attrs.set(name, value);
  return attrs;
}

} // namespace

TEST(QuietTest, AnInfinityInTheChunkChangesNothingElse) {
  struct Case {
    const char *type;
    size_t operands;
    Attributes attrs = {};
  };
  std::vector<Case> cases;
  for (const char *type : {"Add", "Sub", "Mul", "Maximum", "Minimum",
                           "ReluGrad", "AddN", "Eltwise"})
    cases.push_back({type, 2});
  for (const char *type : {"Neg", "Abs", "Square", "Relu", "Relu6"})
    cases.push_back({type, 1});
  cases.push_back({"AddN", 3});
  for (int64_t mode : {0, 1, 2}) {
    Attributes attrs;
    attrs.set("mode", mode);
    cases.push_back({"Eltwise", 3, attrs});
  }
  cases.push_back({"Muls", 1, withValue("value", 0.3f)});
  cases.push_back({"Adds", 1, withValue("value", -2.5f)});
  unsigned seed = 1;
  for (const Case &c : cases)
    for (float limit : {1.0f, 200.0f, 20000.0f})
      for (size_t count : {1, 15, 16, 33, 1000}) {
        SCOPED_TRACE(std::string(c.type) + " of " + std::to_string(count) +
                     " up to " + std::to_string(limit));
        NumericConfig config;
        config.overflow =
            seed % 2 ? OverflowMode::Saturate : OverflowMode::InfNan;
        std::vector<Floats> operands;
        for (size_t i = 0; i < c.operands; ++i)
          operands.push_back(manyMagnitudes(count, limit, seed++));
        const Outcome quiet = runOn(c.type, operands, c.attrs, config);
        for (Floats &values : operands)
          values.push_back(1);
        operands[0].back() = std::numeric_limits<float>::infinity();
        Outcome other = runOn(c.type, operands, c.attrs, config);
        other.bits.pop_back();
        EXPECT_EQ(quiet.bits, other.bits);
        EXPECT_EQ(quiet.status | status::VectorNanInfInput, other.status);
      }
}

// A node that has computed often enough looks results up; one of single
// elements computes them all by its program.
TEST(QuietTest, TablesHaveTheBitsOfTheProgram) {
  // A vector of any target and elements that do not fill one. Each block lies
  // one operand further, so that an operand is also the first that raises.
  constexpr size_t Block = 44, Count = 65536;
  std::vector<uint16_t> operands(Count + Block);
  std::iota(operands.begin(), operands.end(), uint16_t(0));
  const Registry registry = Registry::withBuiltins();
  ThreadPool pool(1);
  RunContext context{pool};
  for (const char *type :
       {"Exp", "Log", "Sqrt", "Rsqrt", "Reciprocal", "LeakyRelu", "Sigmoid",
        "Tanh", "Gelu", "FastGelu", "Erf", "Softplus", "Elu", "Mish", "Swish"})
    for (Soc soc : {Soc::Ascend310, Soc::Ascend910A, Soc::Ascend910B}) {
      SCOPED_TRACE(std::string(type) + " on " + std::string(getName(soc)));
      NumericConfig config;
      config.soc = soc;
      config.overflow = soc == Soc::Ascend910B ? OverflowMode::InfNan
                                               : OverflowMode::Saturate;
      auto create = [&](const TensorDesc &desc) {
        return registry.lookup(type)->create(
            {type, "node", {}, {desc}, {desc}, {}}, config);
      };
      const TensorDesc single = plainDesc(Half, {1}),
                       block = plainDesc(Half, {Block});
      auto program = create(single), table = create(block);
      ASSERT_TRUE(program.ok() && table.ok());
      auto run = [&](Kernel &kernel, const TensorDesc &desc, size_t first,
                     uint16_t *results) {
        const ConstTensor input{
            &desc, reinterpret_cast<const std::byte *>(&operands[first])};
        const MutableTensor output{&desc,
                                   reinterpret_cast<std::byte *>(results)};
        auto outcome = kernel.run(context, {&input, 1}, {&output, 1});
        EXPECT_TRUE(outcome.ok());
        return outcome->valid;
      };
      std::vector<uint16_t> values(Count + Block);
      std::vector<StatusBits> bits(Count + Block);
      for (size_t i = 0; i < Count; ++i)
        bits[i] = run(**program, single, i, &values[i]);
      std::copy_n(values.begin(), Block, values.begin() + Count);
      std::copy_n(bits.begin(), Block, bits.begin() + Count);
      for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
        numerics::setTargetForTest(target);
        size_t different = 0;
        for (size_t first = 0; first < Count; ++first) {
          std::array<uint16_t, Block> results;
          const StatusBits raised = run(**table, block, first, results.data());
          different +=
              raised != std::accumulate(&bits[first], &bits[first] + Block,
                                        StatusBits(status::None),
                                        std::bit_or<>()) ||
              !std::equal(results.begin(), results.end(), &values[first]);
        }
        EXPECT_EQ(different, 0u) << getName(target);
      }
      numerics::setTargetForTest(std::nullopt);
    }
}

namespace {

/// Softmax of \p rows by both ways: lines that do not follow each other in
/// memory take the other one.
void expectSoftmaxOfColumns(const Floats &rows, size_t length,
                            NumericConfig config) {
  const size_t numRows = rows.size() / length;
  Floats columns(rows.size());
  for (size_t row = 0; row < numRows; ++row)
    for (size_t i = 0; i < length; ++i)
      columns[i * numRows + row] = rows[row * length + i];
  auto softmax = [&](int64_t axis, size_t first, size_t second,
                     const Floats &values) {
    Attributes attrs;
    attrs.set("axes", std::vector<int64_t>{axis});
    const Shape shape{static_cast<int64_t>(first),
                      static_cast<int64_t>(second)};
    return runEverywhere("SoftmaxV2", {floatTensor(Half, shape, values)},
                         {plainDesc(Half, shape)}, attrs, config);
  };
  TestResult quiet = softmax(1, numRows, length, rows);
  TestResult other = softmax(0, length, numRows, columns);
  EXPECT_EQ(quiet.status.valid, other.status.valid);
  const auto results = quiet.values<uint16_t>();
  const auto expected = other.values<uint16_t>();
  for (size_t row = 0; row < numRows; ++row)
    for (size_t i = 0; i < length; ++i)
      ASSERT_EQ(results[row * length + i], expected[i * numRows + row])
          << "row " << row << " element " << i;
}

} // namespace

TEST(QuietTest, SoftmaxOfColumnsIsSoftmaxOfRows) {
  unsigned seed = 1;
  for (Soc soc : {Soc::Ascend310P, Soc::Ascend910A, Soc::Ascend910B})
    for (size_t length : {1, 5, 16, 31, 128, 200})
      for (float limit : {1.0f, 40.0f, 2000.0f, 65504.0f}) {
        SCOPED_TRACE(std::string(getName(soc)) + ", " + std::to_string(length) +
                     " up to " + std::to_string(limit));
        NumericConfig config;
        config.soc = soc;
        Floats rows = manyMagnitudes(7 * length, limit, seed++);
        // As attention is masked.
        rows[0] = -10000;
        expectSoftmaxOfColumns(rows, length, config);
      }
}

// A quotient that is off by one place of fp32 is seen in one of some ten
// thousand results.
TEST(QuietTest, QuotientsOfSoftmaxAreCorrectlyRounded) {
  for (unsigned seed = 1; seed <= 12; ++seed)
    expectSoftmaxOfColumns(randomFloats(64 * 256, -3, 3, seed), 256, {});
}

namespace {

/// Layer normalisation of \p x by both ways: parameters that a line does not
/// share with all others take the other one.
void expectLayerNormOfSharedParameters(const char *type, int64_t rows,
                                       const Floats &x, const Floats &gamma,
                                       const Floats &beta, int64_t implMode,
                                       NumericConfig config) {
  const auto length = static_cast<int64_t>(gamma.size());
  auto repeated = [&](const Floats &line) {
    Floats lines;
    for (int64_t row = 0; row < rows; ++row)
      lines.insert(lines.end(), line.begin(), line.end());
    return lines;
  };
  auto normalize = [&](Shape shape, const Floats &scale, const Floats &shift) {
    Attributes attrs;
    attrs.set("begin_norm_axis", int64_t(1));
    attrs.set("begin_params_axis", int64_t(shape.size() == 1));
    attrs.set("epsilon", 1e-5f);
    attrs.set("_op_impl_mode_enum", implMode);
    return runEverywhere(
        type,
        {floatTensor(Half, {rows, length}, x), floatTensor(Half, shape, scale),
         floatTensor(Half, shape, shift)},
        {plainDesc(Half, {rows, length}), plainDesc(Half, {rows, 1}),
         plainDesc(Half, {rows, 1})},
        attrs, config);
  };
  const TestResult quiet = normalize({length}, gamma, beta);
  const TestResult other =
      normalize({rows, length}, repeated(gamma), repeated(beta));
  EXPECT_EQ(quiet.status.valid, other.status.valid);
  for (size_t i = 0; i < quiet.outputs.size(); ++i)
    EXPECT_EQ(quiet.outputs[i].bytes, other.outputs[i].bytes) << "output " << i;
}

} // namespace

TEST(QuietTest, LayerNormWithParametersForEachLine) {
  unsigned seed = 1;
  for (Soc soc : {Soc::Ascend310, Soc::Ascend910A})
    for (const char *type : {"LayerNorm", "LayerNormV3"})
      for (int64_t length : {1, 5, 16, 100, 768})
        for (float limit : {0.001f, 8.0f, 30000.0f}) {
          SCOPED_TRACE(std::string(getName(soc)) + ", " + type + " of " +
                       std::to_string(length) + " up to " +
                       std::to_string(limit));
          NumericConfig config;
          config.soc = soc;
          constexpr int64_t Rows = 7;
          const Floats x = manyMagnitudes(Rows * length, limit, seed++);
          const Floats gamma = manyMagnitudes(length, 4, seed++);
          const Floats beta = manyMagnitudes(length, 4, seed++);
          expectLayerNormOfSharedParameters(type, Rows, x, gamma, beta,
                                            seed % 2 ? 4 : 2, config);
        }
}

// Roots are kept by variance. Lines that are a power of two times others have
// variances that share a place there; some come twice.
TEST(QuietTest, LayerNormOfLinesOfRelatedVariances) {
  constexpr int64_t Length = 48;
  const Floats first = randomFloats(Length, -1, 1, 1);
  const Floats second = randomFloats(Length, -1, 1, 2);
  Floats x;
  int64_t rows = 0;
  for (const Floats &line : {first, second, first, first})
    for (float factor : {1.0f, 4.0f, 0.5f, 1.0f, 2.0f, 8.0f}) {
      for (float value : line)
        x.push_back(value * factor);
      ++rows;
    }
  expectLayerNormOfSharedParameters("LayerNorm", rows, x,
                                    randomFloats(Length, 0.5f, 2, 3),
                                    randomFloats(Length, 0.5f, 2, 4), 2, {});
}

// A line with an infinity among others: those before and after it are computed
// as if it were not there.
TEST(QuietTest, LayerNormOfLinesAroundAnInfinity) {
  constexpr int64_t Length = 40, Rows = 23;
  for (int64_t row = 0; row < Rows; ++row) {
    SCOPED_TRACE("row " + std::to_string(row));
    Floats x = randomFloats(Length * Rows, -4, 4, static_cast<unsigned>(row));
    x[static_cast<size_t>(row * Length + row)] =
        std::numeric_limits<float>::infinity();
    NumericConfig config;
    config.overflow = OverflowMode::InfNan;
    expectLayerNormOfSharedParameters(
        "LayerNorm", Rows, x, randomFloats(Length, 0.5f, 2, 3),
        randomFloats(Length, 0.5f, 2, 4), 2, config);
  }
}

// In FRACTAL_NZ a line has 16 elements in each of its blocks. Batches, rows in
// one block and in several, lines with a rest; an infinity in some of them.
TEST(QuietTest, LinesOfFractalNz) {
  unsigned seed = 1;
  for (int64_t rows : {5, 32, 48})
    for (int64_t length : {16, 40, 128})
      for (bool isFinite : {true, false})
        for (const char *type : {"SoftmaxV2", "LayerNorm"}) {
          SCOPED_TRACE(std::string(type) + " of " + std::to_string(rows) +
                       " by " + std::to_string(length) +
                       (isFinite ? "" : " with an infinity"));
          constexpr int64_t Batch = 2;
          const TensorDesc plain = plainDesc(Half, {Batch, rows, length});
          const TensorDesc blocks =
              privateDesc(Half, Format::FRACTAL_NZ, Format::ND, plain.shape);
          const TensorDesc moment = plainDesc(Half, {Batch, rows, 1});
          Floats values = manyMagnitudes(Batch * rows * length,
                                         isFinite ? 8 : 65504, seed++);
          if (!isFinite)
            values[rows / 2 * length + 3] =
                std::numeric_limits<float>::infinity();
          const TestTensor x = floatTensor(Half, plain.shape, values);
          const bool isNorm = type == std::string("LayerNorm");
          Attributes attrs;
          attrs.set("axes", std::vector<int64_t>{-1});
          attrs.set("begin_norm_axis", int64_t(2));
          attrs.set("begin_params_axis", int64_t(2));
          attrs.set("epsilon", 1e-5f);
          NumericConfig config;
          config.overflow = OverflowMode::InfNan;
          // Softmax of a matrix is another one on 910A.
          config.soc = Soc::Ascend910B;
          std::vector<TestTensor> parameters;
          if (isNorm)
            for (unsigned i = 0; i < 2; ++i)
              parameters.push_back(floatTensor(
                  Half, {length}, randomFloats(length, 0.5f, 2, seed++)));
          auto run = [&](const TestTensor &from, const TensorDesc &to) {
            std::vector<TestTensor> inputs{from};
            inputs.insert(inputs.end(), parameters.begin(), parameters.end());
            std::vector<TensorDesc> outputs{to};
            outputs.resize(isNorm ? 3 : 1, moment);
            return runEverywhere(type, inputs, outputs, attrs, config);
          };
          const TestResult expected = run(x, plain);
          const TestResult result =
              run(runNode("TransData", {x}, {blocks}).outputs[0], blocks);
          EXPECT_EQ(result.status.valid, expected.status.valid);
          EXPECT_EQ(result.outputs[0].bytes,
                    runNode("TransData", {expected.outputs[0]}, {blocks})
                        .outputs[0]
                        .bytes);
          for (size_t i = 1; i < result.outputs.size(); ++i)
            EXPECT_EQ(result.outputs[i].bytes, expected.outputs[i].bytes);
        }
}

// Channels that lie apart take the other way.
TEST(QuietTest, BatchNormOfBlocksOfChannels) {
  struct Case {
    const char *type;
    size_t lines, values;
    bool givesLine;
    size_t results;
  };
  const Case cases[] = {{"BNTrainingReduce", 1, 0, false, 2},
                        {"BNTrainingUpdate", 1, 6, true, 4},
                        {"BNTrainingUpdateV3", 1, 4, true, 4},
                        {"BNTrainingUpdateGrad", 2, 2, false, 2},
                        {"BNTrainingReduceGrad", 2, 5, true, 0},
                        {"BNInfer", 1, 4, true, 0},
                        {"BatchNorm", 1, 2, true, 5},
                        {"BatchNormGrad", 2, 3, true, 4}};
  constexpr int64_t N = 3, Channels = 40, H = 5, W = 7;
  const TensorDesc apart = plainDesc(Half, {N, Channels, H, W}, Format::NCHW);
  const TensorDesc blocks =
      privateDesc(Half, Format::NC1HWC0, Format::NCHW, {N, Channels, H, W});
  const TensorDesc value = plainDesc(DataType::Float, {Channels});
  const auto layout = Layout::create(blocks);
  ASSERT_TRUE(layout.ok());
  auto inBlocks = [&](const Floats &values) {
    std::vector<uint16_t> bits(blocks.numElements());
    size_t next = 0;
    for (int64_t n = 0; n < N; ++n)
      for (int64_t c = 0; c < Channels; ++c)
        for (int64_t h = 0; h < H; ++h)
          for (int64_t w = 0; w < W; ++w)
            bits[layout->elementAt({n, c, h, w})] = halfBits(values[next++]);
    return tensor(blocks, bits);
  };
  unsigned seed = 1;
  for (const Case &c : cases)
    for (bool byAtomics : {false, true})
      for (float limit : {0.001f, 4.0f, 60000.0f}) {
        SCOPED_TRACE(std::string(c.type) + (byAtomics ? " by atomics" : "") +
                     " up to " + std::to_string(limit));
        Attributes attrs;
        attrs.set("epsilon", 1e-5f);
        attrs.set("factor", 0.1f);
        if (byAtomics)
          attrs.set("atomic_output_index", std::vector<int64_t>{0, 1});
        std::vector<TestTensor> plainInputs, blockInputs;
        for (size_t i = 0; i < c.lines; ++i) {
          Floats x = manyMagnitudes(N * Channels * H * W, limit, seed++);
          TestTensor plain = floatTensor(Half, apart.shape, x);
          plain.desc = apart;
          plainInputs.push_back(std::move(plain));
          blockInputs.push_back(inBlocks(x));
        }
        for (size_t i = 0; i < c.values; ++i) {
          const TestTensor its =
              tensor(value, randomFloats(Channels, 0.1f, 4, seed++));
          plainInputs.push_back(its);
          blockInputs.push_back(its);
        }
        auto run = [&](std::vector<TestTensor> inputs, const TensorDesc &line) {
          std::vector<TensorDesc> outputs(c.givesLine, line);
          outputs.resize(outputs.size() + c.results, value);
          return runEverywhere(c.type, std::move(inputs), outputs, attrs);
        };
        TestResult other = run(plainInputs, apart);
        TestResult quiet = run(blockInputs, blocks);
        EXPECT_EQ(quiet.status.valid, other.status.valid);
        EXPECT_EQ(quiet.status.atomic, other.status.atomic);
        for (size_t i = c.givesLine; i < quiet.outputs.size(); ++i)
          EXPECT_EQ(quiet.outputs[i].bytes, other.outputs[i].bytes)
              << "output " << i;
        if (c.givesLine)
          EXPECT_EQ(quiet.outputs[0].bytes,
                    inBlocks(floatsOf(other.outputs[0])).bytes);
      }
}
