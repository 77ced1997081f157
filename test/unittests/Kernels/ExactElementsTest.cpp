// Integers of every width, and doubles, against the definition of each operator
// in wider arithmetic that wraps at the end.

#include "KernelTester.h"

#include <cmath>
#include <map>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

template <typename T>
struct TypeOf;
#define TYPE(T, NAME)                                                          \
  template <>                                                                  \
  struct TypeOf<T> {                                                           \
    static constexpr DataType value = DataType::NAME;                          \
  };
TYPE(int8_t, Int8)
TYPE(int16_t, Int16)
TYPE(int32_t, Int32)
TYPE(int64_t, Int64)
TYPE(uint8_t, UInt8)
TYPE(uint16_t, UInt16)
TYPE(uint32_t, UInt32)
TYPE(uint64_t, UInt64)
TYPE(double, Double)
#undef TYPE

template <typename T>
class ExactElementsTest : public testing::Test {
protected:
  static constexpr bool IsInteger = std::is_integral_v<T>;
  /// Holds what two elements give, or wraps as they do.
  using Wide = std::conditional_t<
      !IsInteger, double,
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;
  std::mt19937_64 random{7};

  /// Small ones, so that equal ones meet, and some from the ends of the type.
  std::vector<T> values(size_t count) {
    std::vector<T> result(count);
    for (T &value : result) {
      const auto small =
          static_cast<int64_t>(random() % 15) - (std::is_signed_v<T> ? 7 : 0);
      if constexpr (IsInteger)
        value = random() % 4 ? static_cast<T>(small)
                             : static_cast<T>(std::numeric_limits<T>::max() -
                                              static_cast<T>(random() % 3));
      else
        value = static_cast<double>(small) / 4;
    }
    return result;
  }
  TestTensor make(Shape shape, const std::vector<T> &from) {
    return tensor(plainDesc(TypeOf<T>::value, std::move(shape)), from);
  }
  TestTensor make(const std::vector<T> &from) {
    return make({static_cast<int64_t>(from.size())}, from);
  }
  /// The one NaN is not equal to itself: compared by bits.
  static void expectEqual(const std::vector<T> &found,
                          const std::vector<T> &expected,
                          const std::string &what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    EXPECT_EQ(
        std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)), 0)
        << what << ": " << testing::PrintToString(found) << ", expected "
        << testing::PrintToString(expected);
  }
  void checkBinary(const std::string &type, auto definition) {
    const std::vector<T> a = values(100), b = values(100);
    std::vector<T> expected(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      expected[i] = static_cast<T>(definition(Wide(a[i]), Wide(b[i])));
    auto result =
        runNode(type, {make(a), make(b)}, {plainDesc(TypeOf<T>::value, {100})});
    expectEqual(result.template values<T>(), expected, type);
  }
  void checkUnary(const std::string &type, auto definition,
                  const Attributes &attrs = {}) {
    const std::vector<T> x = values(100);
    std::vector<T> expected(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      expected[i] = static_cast<T>(definition(Wide(x[i])));
    auto result =
        runNode(type, {make(x)}, {plainDesc(TypeOf<T>::value, {100})}, attrs);
    expectEqual(result.template values<T>(), expected, type);
  }
};

using Types = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t,
                             uint16_t, uint32_t, uint64_t, double>;
TYPED_TEST_SUITE(ExactElementsTest, Types);

TYPED_TEST(ExactElementsTest, Arithmetic) {
  using Wide = typename TestFixture::Wide;
  for (const char *type : {"Add", "AddV2", "AddN"})
    this->checkBinary(type, [](Wide a, Wide b) { return a + b; });
  this->checkBinary("Sub", [](Wide a, Wide b) { return a - b; });
  this->checkBinary("Mul", [](Wide a, Wide b) { return a * b; });
  this->checkBinary("Maximum", [](Wide a, Wide b) { return a > b ? a : b; });
  this->checkBinary("Minimum", [](Wide a, Wide b) { return a < b ? a : b; });
  this->checkBinary("DivNoNan", [](Wide a, Wide b) -> Wide {
    return b == 0 ? Wide(0) : a / b;
  });
  this->checkBinary("ReluGrad",
                    [](Wide a, Wide b) { return b > 0 ? a : Wide(0); });
  this->checkBinary(
      "Relu6Grad", [](Wide a, Wide b) { return b > 0 && b < 6 ? a : Wide(0); });
  this->checkUnary("Relu", [](Wide x) { return x > 0 ? x : Wide(0); });
  this->checkUnary(
      "Relu6", [](Wide x) { return x < 0 ? Wide(0) : (x < 6 ? x : Wide(6)); });
  this->checkUnary("Sign", [](Wide x) { return Wide((x > 0) - (x < 0)); });
  Attributes scalar;
  scalar.set("value", 3.0f);
  this->checkUnary("Muls", [](Wide x) { return x * 3; }, scalar);
  this->checkUnary("Adds", [](Wide x) { return x + 3; }, scalar);
}

TYPED_TEST(ExactElementsTest, Quotients) {
  using T = TypeParam;
  auto run = [&](const char *type, const std::vector<T> &a,
                 const std::vector<T> &b) {
    return runNode(
               type, {this->make(a), this->make(b)},
               {plainDesc(TypeOf<T>::value, {static_cast<int64_t>(a.size())})})
        .template values<T>();
  };
  for (const char *type : {"Div", "RealDiv"}) {
    EXPECT_EQ(run(type, {12, 6, 0}, {4, 6, 3}), (std::vector<T>{3, 1, 0}));
    if constexpr (std::is_integral_v<T>)
      EXPECT_EQ(run(type, {7, 7, 0}, {2, 0, 0}),
                (std::vector<T>{3, std::numeric_limits<T>::max(), 0}));
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      EXPECT_EQ(run(type, {-7, std::numeric_limits<T>::min(), -7}, {2, -1, 0}),
                (std::vector<T>{-3, std::numeric_limits<T>::min(),
                                std::numeric_limits<T>::min()}));
  }
  if constexpr (std::is_signed_v<T>) {
    EXPECT_EQ(run("FloorDiv", {-7, 7, -6}, {2, -2, 2}),
              (std::vector<T>{-4, -4, -3}));
    EXPECT_EQ(run("FloorMod", {-7, 7, -6}, {4, -4, 3}),
              (std::vector<T>{1, -1, 0}));
    EXPECT_EQ(run("Mod", {-7, 7, -6}, {4, -4, 3}), (std::vector<T>{-3, 3, 0}));
  }
}

TYPED_TEST(ExactElementsTest, Powers) {
  using T = TypeParam;
  std::vector<T> bases, exponents, expected;
  for (int base = std::is_signed_v<T> ? -3 : 0; base <= 3; ++base)
    for (int exponent = 0; exponent < 9; ++exponent) {
      int64_t power = 1;
      for (int i = 0; i < exponent; ++i)
        power *= base;
      bases.push_back(static_cast<T>(base));
      exponents.push_back(static_cast<T>(exponent));
      expected.push_back(static_cast<T>(power));
    }
  auto result = runNode(
      "Pow", {this->make(bases), this->make(exponents)},
      {plainDesc(TypeOf<T>::value, {static_cast<int64_t>(bases.size())})});
  EXPECT_EQ(result.template values<T>(), expected);
}

TYPED_TEST(ExactElementsTest, Reductions) {
  using T = TypeParam;
  using Wide = typename TestFixture::Wide;
  const int64_t rows = 5, length = 9;
  const std::vector<T> x = this->values(rows * length);
  auto check = [&](const std::string &type, auto reduce) {
    std::vector<T> expected;
    for (int64_t row = 0; row < rows; ++row)
      expected.push_back(reduce(std::span(x).subspan(row * length, length)));
    Attributes attrs;
    attrs.set("axes", std::vector<int64_t>{1});
    auto result = runNode(type, {this->make({rows, length}, x)},
                          {plainDesc(TypeOf<T>::value, {rows})}, attrs);
    this->expectEqual(result.template values<T>(), expected, type);
  };
  auto fold = [](std::span<const T> line, auto combine) {
    T result = line[0];
    for (T value : line.subspan(1))
      result = static_cast<T>(combine(Wide(result), Wide(value)));
    return result;
  };
  auto add = [](Wide a, Wide b) { return a + b; };
  check("ReduceSumD", [&](auto line) { return fold(line, add); });
  check("ReduceProdD", [&](auto line) {
    return fold(line, [](Wide a, Wide b) { return a * b; });
  });
  check("ReduceMaxD",
        [&](auto line) { return *std::max_element(line.begin(), line.end()); });
  check("ReduceMinD",
        [&](auto line) { return *std::min_element(line.begin(), line.end()); });
  check("ReduceMeanD", [&](auto line) {
    return static_cast<T>(Wide(fold(line, add)) / length);
  });

  std::vector<int32_t> places;
  for (int64_t row = 0; row < rows; ++row) {
    const auto line = std::span(x).subspan(row * length, length);
    places.push_back(
        int32_t(std::max_element(line.begin(), line.end()) - line.begin()));
  }
  Attributes attrs;
  attrs.set("dimension", int64_t(1));
  auto result = runNode("ArgMaxD", {this->make({rows, length}, x)},
                        {plainDesc(DataType::Int32, {rows})}, attrs);
  EXPECT_EQ(result.template values<int32_t>(), places);
}

TYPED_TEST(ExactElementsTest, MeansOfMoreThanTheTypeCounts) {
  using T = TypeParam;
  constexpr int64_t length = 256;
  std::vector<T> x(length, T(0));
  x.back() = T(100);
  Attributes attrs;
  attrs.set("axes", std::vector<int64_t>{0});
  auto result = runNode("ReduceMeanD", {this->make(x)},
                        {plainDesc(TypeOf<T>::value, {1})}, attrs);
  EXPECT_EQ(result.template values<T>(), std::vector<T>{T(100.0 / length)});
}

TYPED_TEST(ExactElementsTest, OrderAndSums) {
  using T = TypeParam;
  using Wide = typename TestFixture::Wide;
  const std::vector<T> x = this->values(20);
  std::vector<T> sorted = x;
  std::sort(sorted.begin(), sorted.end(), std::greater<T>());
  sorted.resize(6);
  auto top = runNode(
      "TopKV2",
      {this->make(x), tensor<int32_t>(plainDesc(DataType::Int32, {}), {6})},
      {plainDesc(TypeOf<T>::value, {6}), plainDesc(DataType::Int32, {6})});
  EXPECT_EQ(top.template values<T>(), sorted);

  std::vector<T> sums = x;
  for (size_t i = 1; i < sums.size(); ++i)
    sums[i] = static_cast<T>(Wide(sums[i - 1]) + Wide(x[i]));
  Attributes attrs;
  attrs.set("axis", int64_t(0));
  auto running = runNode("CumsumD", {this->make(x)},
                         {plainDesc(TypeOf<T>::value, {20})}, attrs);
  EXPECT_EQ(running.template values<T>(), sums);
}

TYPED_TEST(ExactElementsTest, SumsByIndex) {
  using T = TypeParam;
  using Wide = typename TestFixture::Wide;
  const std::vector<T> x = this->values(6), updates = this->values(10);
  std::vector<int32_t> places(10);
  for (int32_t &place : places)
    place = static_cast<int32_t>(this->random() % 6);
  const auto ids = tensor(plainDesc(DataType::Int32, {10}), places);
  std::vector<T> added = x, segments(6, T(0));
  for (size_t i = 0; i < places.size(); ++i) {
    added[places[i]] =
        static_cast<T>(Wide(added[places[i]]) + Wide(updates[i]));
    segments[places[i]] =
        static_cast<T>(Wide(segments[places[i]]) + Wide(updates[i]));
  }
  const TensorDesc desc = plainDesc(TypeOf<T>::value, {6});
  auto scattered =
      runNode("ScatterAdd", {this->make(x), ids, this->make(updates)}, {desc});
  EXPECT_EQ(scattered.template values<T>(), added);
  Attributes attrs;
  attrs.set("num_segments", int64_t(6));
  auto summed =
      runNode("UnsortedSegmentSumD", {this->make(updates), ids}, {desc}, attrs);
  EXPECT_EQ(summed.template values<T>(), segments);
}

TEST(BooleanTest, SumAndProduct) {
  auto run = [](const char *type) {
    const TensorDesc desc = plainDesc(DataType::Bool, {4});
    return runNode(type,
                   {tensor<uint8_t>(desc, {0, 0, 1, 1}),
                    tensor<uint8_t>(desc, {0, 1, 0, 1})},
                   {desc})
        .values<uint8_t>();
  };
  EXPECT_EQ(run("Add"), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(run("Mul"), (std::vector<uint8_t>{0, 0, 0, 1}));
}

/// Functions of the C library, as an independent formula has them.
TEST(DoubleTest, Functions) {
  using Function = double (*)(double);
  const std::map<std::string, Function> functions = {
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Square", [](double x) { return x * x; }},
      {"Neg", [](double x) { return 0 - x; }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Log1p", [](double x) { return std::log(1 + x); }},
      {"Expm1", [](double x) { return std::exp(x) - 1; }},
      {"Sigmoid", [](double x) { return std::exp(x) / (1 + std::exp(x)); }},
      {"Tanh", [](double x) { return 1 - 2 / (std::exp(2 * x) + 1); }},
      {"Softplus", [](double x) { return std::log(1 + std::exp(x)); }},
      {"Softsign", [](double x) { return x / (1 + x); }},
      {"Erf", [](double x) { return 1 - std::erfc(x); }},
      {"Sin", [](double x) { return std::cos(x - std::acos(0.0)); }},
      {"Cos", [](double x) { return std::sin(x + std::acos(0.0)); }},
      {"Floor", [](double x) { return double(int(x)); }},
      {"Ceil", [](double x) { return double(int(x)) + 1; }},
      {"Rint", [](double x) { return double(int(x + 0.5)); }},
      {"Abs", [](double x) { return x; }},
  };
  const std::vector<double> x = {0.3, 0.8, 1.2, 2.7};
  const TensorDesc desc = plainDesc(DataType::Double, {4});
  for (const auto &[type, function] : functions) {
    auto found = runNode(type, {tensor(desc, x)}, {desc}).values<double>();
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(found[i], function(x[i]), 1e-14) << type << " " << x[i];
  }
}

} // namespace
