// Comparisons and selection with broadcasting.

#include "KernelTester.h"

#include <cmath>
#include <random>

using namespace npu;
using namespace npu::kernels;

TEST(ComparisonTest, ComparesEveryType) {
  struct Case {
    const char *type;
    bool (*holds)(double, double);
  };
  const Case cases[] = {
      {"Equal", [](double a, double b) { return a == b; }},
      {"NotEqual", [](double a, double b) { return a != b; }},
      {"Less", [](double a, double b) { return a < b; }},
      {"LessEqual", [](double a, double b) { return a <= b; }},
      {"Greater", [](double a, double b) { return a > b; }},
      {"GreaterEqual", [](double a, double b) { return a >= b; }},
  };
  const double nan = std::nan("");
  const std::vector<double> a{0, -0.0, 1, -1, 2, nan, INFINITY, 3};
  const std::vector<double> b{-0.0, 0, 2, -1, 1, nan, INFINITY, nan};
  for (const Case &test : cases) {
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < a.size(); ++i)
      expected.push_back(test.holds(a[i], b[i]));
    EXPECT_EQ(runNode(test.type, {halves({8}, a), halves({8}, b)},
                      {plainDesc(DataType::Bool, {8})})
                  .values<uint8_t>(),
              expected)
        << test.type;
    auto floats = [](const std::vector<double> &values) {
      return tensor(plainDesc(DataType::Float, {8}),
                    std::vector<float>(values.begin(), values.end()));
    };
    EXPECT_EQ(runNode(test.type, {floats(a), floats(b)},
                      {plainDesc(DataType::Bool, {8})})
                  .values<uint8_t>(),
              expected)
        << test.type;
  }
}

TEST(ComparisonTest, KindsOfNumbers) {
  const std::vector<double> x{0,         -0.0,  std::nan(""), INFINITY,
                              -INFINITY, 65504, -1,           0x1p-24};
  struct Case {
    const char *type;
    bool (*holds)(double);
  };
  for (const Case &test :
       {Case{"IsNan", [](double v) { return std::isnan(v); }},
        Case{"IsInf", [](double v) { return std::isinf(v); }},
        Case{"IsFinite", [](double v) { return std::isfinite(v); }}}) {
    std::vector<uint8_t> expected;
    for (double value : x)
      expected.push_back(test.holds(value));
    const TensorDesc out = plainDesc(DataType::Bool, {8});
    EXPECT_EQ(runNode(test.type, {halves({8}, x)}, {out}).values<uint8_t>(),
              expected);
    EXPECT_EQ(
        runNode(test.type, {tensor(plainDesc(DataType::Double, {8}), x)}, {out})
            .values<uint8_t>(),
        expected);
    EXPECT_NE(refusal(test.type, {plainDesc(DataType::Int32, {8})}, {out}),
              "accepted");
  }
}

TEST(ComparisonTest, Bits) {
  const std::vector<uint16_t> a{0xFFFF, 0x0F0F, 0x8000}, b{0x00FF, 0x3333, 0};
  for (DataType dtype : {DataType::Int16, DataType::UInt16}) {
    const TensorDesc desc = plainDesc(dtype, {3});
    EXPECT_EQ(runNode("BitwiseAnd", {tensor(desc, a), tensor(desc, b)}, {desc})
                  .values<uint16_t>(),
              (std::vector<uint16_t>{0x00FF, 0x0303, 0}));
    EXPECT_EQ(runNode("BitwiseOr", {tensor(desc, a), tensor(desc, b)}, {desc})
                  .values<uint16_t>(),
              (std::vector<uint16_t>{0xFFFF, 0x3F3F, 0x8000}));
  }
  // A row and a column of 64 bits.
  auto row = tensor<int64_t>(plainDesc(DataType::Int64, {2}), {-1, 1ll << 40});
  auto column = tensor<int64_t>(plainDesc(DataType::Int64, {2, 1}), {3, -1});
  EXPECT_EQ(
      runNode("BitwiseAnd", {row, column}, {plainDesc(DataType::Int64, {2, 2})})
          .values<int64_t>(),
      (std::vector<int64_t>{3, 0, -1, 1ll << 40}));
}

TEST(ComparisonTest, Broadcasts) {
  std::vector<int64_t> x(10000);
  std::mt19937_64 random(1);
  for (int64_t &value : x)
    value = int64_t(random() % 3) + (int64_t(1) << 60);
  auto scalar =
      tensor<int64_t>(plainDesc(DataType::Int64, {}), {(int64_t(1) << 60) + 1});
  auto result =
      runNode("Less",
              {tensor(plainDesc(DataType::Int64, {100, 100}), x), scalar},
              {plainDesc(DataType::Bool, {100, 100})}, {}, {}, 3)
          .values<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(result[i], x[i] == int64_t(1) << 60);
  // A row against a column.
  auto row = tensor<int32_t>(plainDesc(DataType::Int32, {3}), {1, 2, 3});
  auto column = tensor<int32_t>(plainDesc(DataType::Int32, {2, 1}), {1, 3});
  EXPECT_EQ(runNode("Equal", {row, column}, {plainDesc(DataType::Bool, {2, 3})})
                .values<uint8_t>(),
            (std::vector<uint8_t>{1, 0, 0, 0, 0, 1}));
}

// Shapes that broadcast, against the comparison of each pair; Select and
// SelectV2 likewise by the result of one.
TEST(ComparisonTest, RandomShapes) {
  const std::pair<const char *, bool (*)(float, float)> cases[] = {
      {"Equal", [](float a, float b) { return a == b; }},
      {"NotEqual", [](float a, float b) { return a != b; }},
      {"Less", [](float a, float b) { return a < b; }},
      {"LessEqual", [](float a, float b) { return a <= b; }},
      {"Greater", [](float a, float b) { return a > b; }},
      {"GreaterEqual", [](float a, float b) { return a >= b; }}};
  std::mt19937 random(41);
  for (const auto &[type, holds] : cases)
    for (DataType dtype : {DataType::Float16, DataType::Float, DataType::Int32})
      for (int repeat = 0; repeat < 20; ++repeat) {
        Shape shape(1 + random() % 4), own[2];
        for (int64_t &extent : shape)
          extent = 1 + random() % 6;
        own[0] = own[1] = shape;
        for (int64_t &extent : own[1])
          if (random() % 2)
            extent = 1;
        std::vector<float> values[2];
        std::vector<TestTensor> inputs;
        for (int i = 0; i < 2; ++i) {
          // Few different values, so that equal ones meet.
          for (int64_t n = plainDesc(dtype, own[i]).numElements(); n > 0; --n)
            values[i].push_back(float(int(random() % 5)) - 2);
          inputs.push_back(
              dtype == DataType::Int32
                  ? tensor(plainDesc(dtype, own[i]),
                           std::vector<int32_t>(values[i].begin(),
                                                values[i].end()))
              : dtype == DataType::Float
                  ? tensor(plainDesc(dtype, own[i]), values[i])
                  : halves(own[i], {values[i].begin(), values[i].end()}));
        }
        std::vector<uint8_t> expected;
        std::vector<float> selected;
        const int64_t total = plainDesc(dtype, shape).numElements();
        for (int64_t n = 0; n < total; ++n) {
          int64_t at = 0, stride = 1, rest = n;
          for (size_t axis = shape.size(); axis-- > 0;) {
            if (own[1][axis] != 1)
              at += rest % shape[axis] * stride;
            rest /= shape[axis];
            stride *= own[1][axis];
          }
          expected.push_back(holds(values[0][n], values[1][at]));
          selected.push_back(expected.back() ? values[0][n] : values[1][at]);
        }
        auto compared = runNode(type, inputs,
                                {plainDesc(DataType::Bool, shape)}, {}, {}, 2);
        EXPECT_EQ(compared.values<uint8_t>(), expected) << type;
        if (dtype != DataType::Float)
          continue;
        auto chosen =
            runNode("SelectV2", {compared.outputs[0], inputs[0], inputs[1]},
                    {plainDesc(dtype, shape)}, {}, {}, 2);
        EXPECT_EQ(chosen.values<float>(), selected) << type;
      }
}

TEST(ComparisonTest, RefusesDifferentTypes) {
  EXPECT_EQ(refusal("Equal",
                    {plainDesc(DataType::Int32, {2}),
                     plainDesc(DataType::Int64, {2})},
                    {plainDesc(DataType::Bool, {2})}),
            "Equal 'node': no comparison of DT_INT32 2 ND with DT_INT64 2 ND "
            "to DT_BOOL 2 ND");
}

TEST(SelectTest, FillsWhereTheMaskIsSet) {
  auto x =
      tensor<int32_t>(plainDesc(DataType::Int32, {2, 3}), {1, 2, 3, 4, 5, 6});
  auto mask = tensor<uint8_t>(plainDesc(DataType::Bool, {3}), {0, 1, 1});
  auto value = tensor<int32_t>(plainDesc(DataType::Int32, {1}), {-7});
  EXPECT_EQ(runNode("MaskedFill", {x, mask, value}, {x.desc}).values<int32_t>(),
            (std::vector<int32_t>{1, -7, -7, 4, -7, -7}));
}

TEST(SelectTest, SelectsElementsAndRows) {
  auto x =
      tensor<int32_t>(plainDesc(DataType::Int32, {2, 3}), {1, 2, 3, 4, 5, 6});
  auto y = tensor<int32_t>(plainDesc(DataType::Int32, {2, 3}),
                           {-1, -2, -3, -4, -5, -6});
  auto each =
      tensor<uint8_t>(plainDesc(DataType::Bool, {2, 3}), {1, 0, 1, 0, 0, 1});
  const TensorDesc out = plainDesc(DataType::Int32, {2, 3});
  EXPECT_EQ(runNode("Select", {each, x, y}, {out}).values<int32_t>(),
            (std::vector<int32_t>{1, -2, 3, -4, -5, 6}));
  // A vector is along the first axis for Select, the last for SelectV2.
  auto rows = tensor<uint8_t>(plainDesc(DataType::Bool, {2}), {0, 1});
  EXPECT_EQ(runNode("Select", {rows, x, y}, {out}).values<int32_t>(),
            (std::vector<int32_t>{-1, -2, -3, 4, 5, 6}));
  auto columns = tensor<uint8_t>(plainDesc(DataType::Bool, {3}), {0, 1, 0});
  EXPECT_EQ(runNode("SelectV2", {columns, x, y}, {out}).values<int32_t>(),
            (std::vector<int32_t>{-1, 2, -3, -4, 5, -6}));
}
