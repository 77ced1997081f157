// SparseSoftmaxCrossEntropyWithLogits against its definition, logical
// operators.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

TEST(SparseCrossEntropyTest, Definition) {
  const int64_t rows = 33, classes = 10;
  const Floats x = randomFloats(rows * classes, -5, 5, 1);
  std::vector<int32_t> labels;
  std::vector<int64_t> wide;
  std::vector<double> loss, gradient;
  for (int64_t row = 0; row < rows; ++row) {
    const int label = static_cast<int>(row * 7 % classes);
    labels.push_back(label), wide.push_back(label);
    double sum = 0;
    for (int64_t i = 0; i < classes; ++i)
      sum += std::exp(double(x[row * classes + i]));
    loss.push_back(std::log(sum) - x[row * classes + label]);
    for (int64_t i = 0; i < classes; ++i)
      gradient.push_back(std::exp(double(x[row * classes + i])) / sum -
                         (i == label));
  }
  for (DataType dtype : {DataType::Float, DataType::Float16})
    for (bool isWide : {false, true}) {
      const TestTensor ids =
          isWide ? tensor(plainDesc(DataType::Int64, {rows}), wide)
                 : tensor(plainDesc(DataType::Int32, {rows}), labels);
      auto result = runEverywhere(
          "SparseSoftmaxCrossEntropyWithLogits",
          {floatTensor(dtype, {rows, classes}, x), ids},
          {plainDesc(dtype, {rows}), plainDesc(dtype, {rows, classes})});
      const double tolerance = dtype == DataType::Float ? 2e-6 : 1e-3;
      expectNear(floatsOf(result.outputs[0]), loss, tolerance);
      expectNear(floatsOf(result.outputs[1]), gradient, tolerance);
      EXPECT_EQ(result.status.valid, status::None);
    }
}

TEST(SparseCrossEntropyTest, RefusesLabelsThatAreNoClass) {
  const auto x = floatTensor(DataType::Float, {1, 3}, {1, 2, 3});
  for (int32_t label : {-1, 3}) {
    const auto ids = tensor<int32_t>(plainDesc(DataType::Int32, {1}), {label});
    NodeSpec spec{"SparseSoftmaxCrossEntropyWithLogits",
                  "node",
                  {},
                  {x.desc, ids.desc},
                  {plainDesc(DataType::Float, {1}), x.desc},
                  {}};
    const Registry registry = Registry::withBuiltins();
    auto kernel = registry.lookup(spec.type)->create(spec, {});
    ASSERT_TRUE(kernel.ok());
    std::vector<float> loss(1), gradient(3);
    ThreadPool pool(1);
    RunContext context{pool};
    const ConstTensor inputs[] = {{&x.desc, x.bytes.data()},
                                  {&ids.desc, ids.bytes.data()}};
    const MutableTensor outputs[] = {
        {&spec.outputs[0], reinterpret_cast<std::byte *>(loss.data())},
        {&spec.outputs[1], reinterpret_cast<std::byte *>(gradient.data())}};
    auto status = (*kernel)->run(context, inputs, outputs);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.status().message(), "label " + std::to_string(label) +
                                             " of row 0 is none of 3 classes");
  }
}

TEST(LogicalTest, TruthTables) {
  const TensorDesc desc = plainDesc(DataType::Bool, {4});
  const auto a = tensor<uint8_t>(desc, {0, 0, 1, 1});
  const auto b = tensor<uint8_t>(desc, {0, 1, 0, 1});
  using Bytes = std::vector<uint8_t>;
  auto run = [&](const char *type, std::vector<TestTensor> inputs) {
    return runNode(type, std::move(inputs), {desc}).values<uint8_t>();
  };
  EXPECT_EQ(run("LogicalAnd", {a, b}), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(run("LogicalOr", {a, b}), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(run("LogicalNot", {a}), (Bytes{1, 1, 0, 0}));
  EXPECT_EQ(run("LogicalAnd",
                {a, tensor<uint8_t>(plainDesc(DataType::Bool, {}), {1})}),
            (Bytes{0, 0, 1, 1}));
  const TensorDesc ints = plainDesc(DataType::Int32, {4});
  EXPECT_EQ(refusal("LogicalAnd", {ints, ints}, {desc}),
            "LogicalAnd 'node': no comparison of " + ints.toString() +
                " with " + ints.toString() + " to " + desc.toString());
}
