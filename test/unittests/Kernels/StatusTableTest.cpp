// Every status bit of every kernel: the smallest input that raises it and its
// neighbour (StatusTable.h), on the SoCs where it computes that way, in both
// overflow modes.

#include "StatusTable.h"
#include "OperandTensor.h"

#include <algorithm>
#include <map>
#include <set>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

const Rows &kernels::statustable::allRows() {
  static const Rows rows = [] {
    Rows all;
    for (const auto &more : {arithmeticRows(),   quotientAndPowerRows(),
                             functionRows(),     activationRows(),
                             geluRows(),         gradientRows(),
                             mathRows(),         conversionRows(),
                             lineRows(),         orderRows(),
                             lineGradientRows(), windowRows(),
                             cubeRows(),         normRows(),
                             batchNormRows(),    optimizerRows(),
                             quantizationRows(), trainingRows(),
                             indexingRows(),     movementRows(),
                             rangeRows(),        responseRows(),
                             entropyRows()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

namespace {

std::string where(const Row &row, NumericConfig config) {
  return row.type + ", " + row.what + ", " + std::string(getName(config.soc)) +
         " " + std::string(getName(config.overflow));
}

void expectOutcome(const Row &row, const std::vector<Operand> &operands,
                   const Attributes &attrs, const Outcome &expected,
                   NumericConfig config) {
  std::vector<TestTensor> inputs;
  for (const Operand &operand : operands)
    inputs.push_back(place(operand));
  std::vector<TensorDesc> outputs;
  if (row.outType != DataType::Undefined) {
    Shape shape = row.outShape;
    if (shape.empty())
      shape = {static_cast<int64_t>(expected.out.size())};
    outputs.push_back(descOf(row.outType, shape, row.outFormat));
  }
  for (const auto &[dtype, shape] : row.moreOutputs)
    outputs.push_back(plainDesc(dtype, shape));
  auto result = runNode(row.type, inputs, outputs, attrs, config);
  EXPECT_EQ(result.status.valid, expected.bits);
  EXPECT_EQ(result.status.padding, status::None);
  EXPECT_EQ(result.status.atomic, AtomicOverflow::None);
  if (outputs.empty())
    return;
  const auto places = placesOf(outputs[0]);
  for (size_t i = 0; i < expected.out.size(); ++i)
    EXPECT_EQ(elementOf(result.outputs[0], places[i]), expected.out[i])
        << "element " << i;
}

template <typename Visit>
void forEachConfig(const Row &row, const Visit &visit) {
  for (Soc soc : row.socs)
    for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan}) {
      const NumericConfig config{soc, mode};
      SCOPED_TRACE(where(row, config));
      visit(config, mode == OverflowMode::Saturate ? row.saturate : row.infNan);
    }
}

} // namespace

TEST(StatusTableTest, EveryRow) {
  for (const Row &row : allRows())
    forEachConfig(row, [&](NumericConfig config, const Outcome &raised) {
      {
        SCOPED_TRACE("raising");
        expectOutcome(row, row.raising, row.attrs, raised, config);
      }
      if (!row.calm.empty()) {
        SCOPED_TRACE("calm");
        expectOutcome(row, row.calm, row.calmAttrs.value_or(row.attrs),
                      row.ofCalm, config);
        EXPECT_NE(row.ofCalm.bits, raised.bits) << "no neighbours";
      }
    });
}

// A kernel declares the bits that it can raise, and no other; for each of them
// the table has an input that raises it, and its neighbour that does not.
TEST(StatusTableTest, CoversTheRegistry) {
  std::map<std::string, StatusBits> raised, toldApart;
  for (const Row &row : allRows()) {
    const StatusBits bits = row.saturate.bits | row.infNan.bits;
    raised[row.type] |= bits | row.ofCalm.bits;
    if (!row.calm.empty())
      toldApart[row.type] |= bits & ~row.ofCalm.bits;
  }
  const Registry registry = Registry::withBuiltins();
  for (const auto &[type, entry] : registry.all()) {
    EXPECT_TRUE(raised.count(type)) << type << " has no row in the table";
    EXPECT_EQ(entry.statusBits & ~toldApart[type], 0u)
        << type << " declares bits for which no row has both neighbours";
    EXPECT_EQ(raised[type] & ~entry.statusBits, 0u)
        << type << " raises bits that it does not declare";
    raised.erase(type);
  }
  for (const auto &[type, bits] : raised)
    ADD_FAILURE() << "the table has rows of " << type << ", no kernel";
}

// What no fp16 operand raises although an fp32 one does, or although another
// form of the operator would: every value of the first operand, and of the
// second those at which an fp16 operator could overflow.
TEST(StatusTableTest, NeverOfHalves) {
  struct Case {
    const char *type;
    StatusBits never;
    std::vector<uint16_t> second = {};
    Attributes attrs = {};
  };
  auto with = [](const char *name, float value) {
    Attributes attrs;
    attrs.set(name, value);
    return attrs;
  };
  const std::vector<uint16_t> edges = {
      0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3BFF, 0x3C00, 0xBC00,
      0x3C01, 0x4200, 0x5BFF, 0x5C00, 0x7800, 0xF800, 0x7BFE, 0x7BFF, 0xFBFF};
  const std::vector<uint16_t> upToOne = {0x0000, 0x0001, 0x3800,
                                         0x3BFF, 0x3C00, 0xBC00};
  const Case cases[] = {
      {"Gelu", CO},
      {"GeluV2", CO},
      {"Softplus", CO},
      {"Elu", CO},
      {"HardSwish", CO},
      {"Mish", CO},
      {"Erf", CO},
      {"Swish", FO | CO},
      {"Tanh", CO | CU},
      {"Sqrt", FO | CO},
      {"Rsqrt", CO},
      {"Log1p", CO},
      {"LeakyRelu", FO | CO, {}, with("negative_slope", 1)},
      {"LeakyRelu", FO | CO, {}, with("negative_slope", 0.01f)},
      {"PRelu", FO | CO, upToOne},
      {"Mod", CO, edges},
      {"FloorMod", CO, edges},
      {"Maximum", FO | CO, edges},
      {"Minimum", FO | CO, edges},
      {"ReluGrad", FO | CO, edges},
      {"Relu6Grad", FO | CO, edges},
  };
  TestTensor all{plainDesc(Half, {0x10000}), std::vector<std::byte>(0x20000)};
  for (int64_t bits = 0; bits < 0x10000; ++bits)
    putElement(all, bits, static_cast<uint64_t>(bits));
  for (const Case &c : cases) {
    Row row;
    row.type = c.type;
    forEachConfig(row, [&](NumericConfig config, const Outcome &) {
      for (size_t i = 0; i < std::max<size_t>(c.second.size(), 1); ++i) {
        std::vector<TestTensor> inputs = {all};
        if (!c.second.empty())
          inputs.push_back(place(half({c.second[i]}).shaped({1})));
        const auto status =
            runNode(c.type, inputs, {all.desc}, c.attrs, config).status;
        EXPECT_EQ(status.valid & c.never, status::None)
            << "second operand number " << i;
      }
    });
  }
}

// In private formats, each combination of data and padding that raise or not.
TEST(StatusTableTest, PaddingApart) {
  const std::set<std::string> elementwise = [] {
    std::set<std::string> types = {"Cast"};
    for (const Rows &rows :
         {arithmeticRows(), quotientAndPowerRows(), functionRows(),
          activationRows(), geluRows(), gradientRows(), mathRows()})
      for (const Row &row : rows)
        types.insert(row.type);
    return types;
  }();
  const std::pair<Format, Shape> layouts[] = {
      {Format::NC1HWC0, {2, 3, 1, 2}}, {Format::FRACTAL_NZ, {1, 1, 18, 3}}};
  int tried = 0;
  for (const Row &row : allRows()) {
    const bool single =
        elementwise.count(row.type) && !row.calm.empty() && !row.calmAttrs &&
        std::all_of(row.raising.begin(), row.raising.end(),
                    [](const Operand &o) { return o.bits.size() == 1; });
    // 8-bit types have blocks of another size.
    if (!single || getBitWidth(row.outType) == 8)
      continue;
    ++tried;
    for (const auto &[format, shape] : layouts)
      forEachConfig(row, [&](NumericConfig config, const Outcome &raised) {
        for (bool data : {false, true})
          for (bool padding : {false, true}) {
            std::vector<TestTensor> inputs;
            for (size_t i = 0; i < row.raising.size(); ++i) {
              const DataType dtype = row.raising[i].dtype;
              auto bits = [&](bool raises) {
                return (raises ? row.raising : row.calm)[i].bits[0];
              };
              TestTensor tensor{privateDesc(dtype, format, Format::NCHW, shape),
                                {}};
              tensor.bytes.resize(tensor.desc.byteSize());
              for (int64_t at = 0; at < tensor.desc.numElements(); ++at)
                putElement(tensor, at, bits(padding));
              for (int64_t at : placesOf(tensor.desc))
                putElement(tensor, at, bits(data));
              inputs.push_back(std::move(tensor));
            }
            const TensorDesc out =
                privateDesc(row.outType, format, Format::NCHW, shape);
            auto result =
                runNode(row.type, inputs, {out}, row.attrs, config, 2);
            auto expected = [&](bool raises) {
              return raises ? raised : row.ofCalm;
            };
            EXPECT_EQ(result.status.valid, expected(data).bits);
            EXPECT_EQ(result.status.padding, expected(padding).bits);
            std::vector<uint64_t> elements(out.numElements(),
                                           expected(padding).out[0]);
            for (int64_t at : placesOf(out))
              elements[at] = expected(data).out[0];
            for (int64_t at = 0; at < out.numElements(); ++at)
              ASSERT_EQ(elementOf(result.outputs[0], at), elements[at])
                  << "element " << at;
          }
      });
  }
  EXPECT_GT(tried, 80);
}

// Three channels of data, 13 lanes of zeros.
TEST(StatusTableTest, ZerosInPadding) {
  const Shape shape = {1, 3, 1, 1};
  struct Case {
    const char *type;
    StatusBits padding;
    uint16_t data[3], inPadding;
  };
  const uint16_t bits[] = {0x4000, 0x4400, 0x4800}; // 2, 4, 8
  for (const Case &c :
       {Case{"Reciprocal", FO, {0x3800, 0x3400, 0x3000}, 0x7BFF},
        Case{"Log", FO, {0x398C, 0x3D8C, 0x4029}, 0xFBFF},
        Case{"Rsqrt", FO, {0x39A8, 0x3800, 0x35A8}, 0x7BFF},
        Case{"Exp", 0, {0x4764, 0x52D3, 0x69D2}, 0x3C00},
        Case{"Sqrt", 0, {0x3DA8, 0x4000, 0x41A8}, 0}}) {
    SCOPED_TRACE(c.type);
    TestTensor x{
        privateDesc(DataType::Float16, Format::NC1HWC0, Format::NCHW, shape),
        std::vector<std::byte>(32)};
    for (int i = 0; i < 3; ++i)
      putElement(x, i, bits[i]);
    auto result = runNode(c.type, {x}, {x.desc});
    EXPECT_EQ(result.status.valid, status::None);
    EXPECT_EQ(result.status.padding, c.padding);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(elementOf(result.outputs[0], i),
                i < 3 ? c.data[i] : c.inPadding)
          << i;
  }
  // A zero among the data counts.
  TestTensor x{
      privateDesc(DataType::Float16, Format::NC1HWC0, Format::NCHW, shape),
      std::vector<std::byte>(32)};
  putElement(x, 0, 0x4000);
  auto result = runNode("Reciprocal", {x}, {x.desc});
  EXPECT_EQ(result.status.valid, FO);
  EXPECT_EQ(result.status.padding, FO);
}

// Pooling computes all lanes of a block.
TEST(StatusTableTest, PaddingOfPooling) {
  for (const Row &row : windowRows()) {
    if (row.calm.empty())
      continue;
    forEachConfig(row, [&](NumericConfig config, const Outcome &raised) {
      for (bool data : {false, true})
        for (bool padding : {false, true}) {
          auto bits = [&](bool raises, int pixel) {
            return (raises ? row.raising : row.calm)[0].bits[pixel];
          };
          TestTensor x = place(row.raising[0]);
          for (int pixel : {0, 1})
            for (int lane = 0; lane < 16; ++lane)
              putElement(x, pixel * 16 + lane,
                         bits(lane == 0 ? data : padding, pixel));
          const TensorDesc out =
              descOf(row.outType, row.outShape, row.outFormat);
          auto result = runNode(row.type, {x}, {out}, row.attrs, config);
          auto expected = [&](bool raises) {
            return raises ? raised : row.ofCalm;
          };
          EXPECT_EQ(result.status.valid, expected(data).bits);
          EXPECT_EQ(result.status.padding, expected(padding).bits);
          for (int lane = 0; lane < 16; ++lane)
            EXPECT_EQ(elementOf(result.outputs[0], lane),
                      expected(lane == 0 ? data : padding).out[0]);
        }
    });
  }
}

// Products, sums and softmax leave padding alone: rows and columns beyond the
// matrix are written as zeros, whatever they hold in the operands.
TEST(StatusTableTest, LanesThatAreNotComputed) {
  auto matrix = [](Shape shape, uint16_t data, uint16_t padding) {
    TestTensor tensor{privateDesc(DataType::Float16, Format::FRACTAL_NZ,
                                  Format::NCHW, std::move(shape)),
                      {}};
    tensor.bytes.resize(tensor.desc.byteSize());
    for (int64_t at = 0; at < tensor.desc.numElements(); ++at)
      putElement(tensor, at, padding);
    for (int64_t at : placesOf(tensor.desc))
      putElement(tensor, at, data);
    return tensor;
  };
  auto expectZeros = [](TestResult &result, size_t numLogical) {
    const auto places = placesOf(result.outputs[0].desc);
    EXPECT_EQ(places.size(), numLogical);
    const std::set<int64_t> data(places.begin(), places.end());
    for (int64_t at = 0; at < result.outputs[0].desc.numElements(); ++at)
      if (!data.count(at)) {
        EXPECT_EQ(elementOf(result.outputs[0], at), 0u) << at;
      }
  };
  for (uint16_t data : {0x4C00, 0x5C00}) { // 16, 256
    const bool overflows = data == 0x5C00;
    auto x1 = matrix({1, 1, 3, 5}, data, 0x7BFF);
    auto x2 = matrix({1, 1, 5, 2}, data, 0x7C00);
    auto out = matrix({1, 1, 3, 2}, 0, 0);
    auto result = runNode("BatchMatMulV2", {x1, x2}, {out.desc});
    EXPECT_EQ(result.status.valid, overflows ? CO : status::None);
    EXPECT_EQ(result.status.padding, status::None);
    EXPECT_EQ(elementOf(result.outputs[0], 0), overflows ? 0x7BFF : 0x6500);
    expectZeros(result, 6);
  }
  auto x = matrix({1, 1, 3, 5}, 0x3C00, 0x7C00);
  auto result = runNode("SoftmaxV2", {x}, {x.desc});
  EXPECT_EQ(result.status.valid | result.status.padding, status::None);
  EXPECT_EQ(elementOf(result.outputs[0], 0), 0x3266); // 0.2
  expectZeros(result, 15);
  Attributes axes;
  axes.set("axes", std::vector<int64_t>{2});
  auto out = matrix({1, 1, 1, 5}, 0, 0);
  result = runNode("ReduceSumD", {x}, {out.desc}, axes);
  EXPECT_EQ(result.status.valid | result.status.padding, status::None);
  EXPECT_EQ(elementOf(result.outputs[0], 0), 0x4200); // 3
  expectZeros(result, 5);
}

// The status of a run is its own: what an earlier one raised is gone.
TEST(StatusTableTest, EachRunBeginsClean) {
  NodeSpec spec{"Square", "node", {}, {}, {}, {nullptr}};
  const TensorDesc desc = plainDesc(DataType::Float16, {1});
  spec.inputs.push_back(desc);
  spec.outputs.push_back(desc);
  auto kernel = Registry::withBuiltins().lookup("Square")->create(spec, {});
  ASSERT_TRUE(kernel) << kernel.status().message();
  ThreadPool pool(1);
  RunContext context{pool};
  for (bool overflows : {true, false, true, false}) {
    const uint16_t x = overflows ? 0x5C00 : 0x5BFF;
    uint16_t y = 0;
    const ConstTensor in{&desc, reinterpret_cast<const std::byte *>(&x)};
    const MutableTensor out{&desc, reinterpret_cast<std::byte *>(&y)};
    auto result = (*kernel)->run(context, {&in, 1}, {&out, 1});
    ASSERT_TRUE(result) << result.status().message();
    EXPECT_EQ(result->valid, overflows ? FO : status::None);
  }
}
