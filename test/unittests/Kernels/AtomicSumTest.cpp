// fp32 sums by atomics: order, codes, and ReduceSum as their user.

#include "../../../lib/Kernels/AtomicSum.h"
#include "KernelTester.h"

#include <limits>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr float Max = std::numeric_limits<float>::max();
constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

Attributes atomicAttributes(const char *name = "atomic_output_index",
                            int64_t element = 0) {
  Attributes attrs;
  attrs.set("axes", std::vector<int64_t>{0});
  attrs.set(name, std::vector<int64_t>{element});
  return attrs;
}

TestResult sum(const std::vector<float> &values, const Attributes &attrs,
               NumericConfig config = {}) {
  const TensorDesc x =
      plainDesc(DataType::Float, {static_cast<int64_t>(values.size())});
  return runNode("ReduceSumD", {tensor(x, values)},
                 {plainDesc(DataType::Float, {})}, attrs, config);
}

} // namespace

TEST(AtomicSumTest, Codes) {
  struct Case {
    float destination, source;
    AtomicOverflow code;
    float sum;
  };
  for (const Case &c : {Case{1, 2, AtomicOverflow::None, 3},
                        Case{Max, 0x1.FFFFFEp102f, AtomicOverflow::None, Max},
                        Case{Max, 0x1p103f, AtomicOverflow::Upward, Inf},
                        Case{-Max, -0x1p103f, AtomicOverflow::Downward, -Inf},
                        Case{1, Inf, AtomicOverflow::InvalidSource, Inf},
                        Case{1, NaN, AtomicOverflow::InvalidSource, NaN},
                        Case{-Inf, 1, AtomicOverflow::InvalidDestination, -Inf},
                        Case{NaN, 1, AtomicOverflow::InvalidDestination, NaN},
                        Case{Inf, NaN, AtomicOverflow::InvalidBoth, NaN},
                        Case{Inf, -Inf, AtomicOverflow::InvalidBoth, NaN}}) {
    float destination = c.destination;
    EXPECT_EQ(addAtomically(destination, c.source), c.code)
        << c.destination << " + " << c.source;
    if (std::isnan(c.sum))
      EXPECT_TRUE(std::isnan(destination));
    else
      EXPECT_EQ(destination, c.sum);
  }
}

TEST(AtomicSumTest, SeveralDestinations) {
  std::vector<float> to = {1, Max, -1};
  const std::vector<float> from = {2, Max, Inf};
  // The overflow stands for both.
  EXPECT_EQ(addAtomically(std::span<float>(to), from), AtomicOverflow::Upward);
  EXPECT_EQ(to, (std::vector<float>{3, Inf, Inf}));
}

TEST(AtomicSumTest, CombinedCodes) {
  using enum AtomicOverflow;
  EXPECT_EQ(combine(None, None), None);
  EXPECT_EQ(combine(InvalidBoth, None), InvalidBoth);
  EXPECT_EQ(combine(None, Downward), Downward);
  EXPECT_EQ(combine(InvalidDestination, Upward), Upward);
  NodeStatus status;
  status |= NodeStatus{status::CastOverflow, 0, InvalidSource};
  status |= NodeStatus{0, status::FloatOverflow, Downward};
  EXPECT_EQ(status.valid, status::CastOverflow);
  EXPECT_EQ(status.padding, status::FloatOverflow);
  EXPECT_EQ(status.atomic, Downward);
}

TEST(AtomicSumTest, ReduceSumReportsTheCode) {
  for (const Attributes &attrs :
       {atomicAttributes("atomic_output_index", 0), // a number of an output
        atomicAttributes("tbe_op_atomic_output_index", 1)}) { // a flag
    auto up = sum({Max, 0x1p103f}, attrs);
    EXPECT_EQ(up.status.atomic, AtomicOverflow::Upward);
    EXPECT_EQ(up.status.valid, status::None);
    EXPECT_EQ(up.values<float>()[0], Inf);
    EXPECT_EQ(sum({Max, 0x1.FFFFFEp102f}, attrs).status.atomic,
              AtomicOverflow::None);
    EXPECT_EQ(sum({-Max, -Max, 1}, attrs).status.atomic,
              AtomicOverflow::Downward);
    auto invalid = sum({1, Inf, 1}, attrs);
    EXPECT_EQ(invalid.status.atomic, AtomicOverflow::InvalidSource);
    EXPECT_EQ(invalid.status.valid, status::VectorNanInfInput);
    // The same without atomics.
    Attributes plain;
    plain.set("axes", std::vector<int64_t>{0});
    auto vector = sum({Max, 0x1p103f}, plain);
    EXPECT_EQ(vector.status.atomic, AtomicOverflow::None);
    EXPECT_EQ(vector.status.valid, status::FloatOverflow);
  }
  // An empty list means nothing, nor does a flag that is not set.
  Attributes empty = atomicAttributes();
  empty.set("atomic_output_index", std::vector<int64_t>{});
  EXPECT_EQ(sum({Max, Max}, empty).status.valid, status::FloatOverflow);
  const Attributes unset = atomicAttributes("tbe_op_atomic_output_index", 0);
  EXPECT_EQ(sum({Max, Max}, unset).status.valid, status::FloatOverflow);
}

TEST(AtomicSumTest, OrderIsThatOfTheInput) {
  std::vector<float> x(1003);
  std::mt19937 random(3);
  for (float &value : x)
    value = std::ldexp(float(random() % 1000) - 500, int(random() % 30) - 15);
  float sequential = 0;
  for (float value : x)
    sequential += value;
  EXPECT_EQ(sum(x, atomicAttributes()).values<float>()[0], sequential);
}

// fp16 sums happen in one core: the attribute changes nothing.
TEST(AtomicSumTest, HalfSumsAreNoAtomics) {
  auto result = runNode("ReduceSumD", {halves({2}, {65504, 16})},
                        {plainDesc(DataType::Float16, {})}, atomicAttributes());
  EXPECT_EQ(result.status.valid, status::CastOverflow);
  EXPECT_EQ(result.status.atomic, AtomicOverflow::None);
}

TEST(AtomicSumTest, WrongKindIsRefused) {
  Attributes attrs = atomicAttributes();
  attrs.set("atomic_output_index", std::string("0"));
  EXPECT_NE(refusal("ReduceSumD", {plainDesc(DataType::Float, {2})},
                    {plainDesc(DataType::Float, {})}, attrs)
                .find("atomic_output_index"),
            std::string::npos);
}

TEST(AtomicSumTest, SumsBySegment) {
  const TensorDesc x = plainDesc(DataType::Float, {3});
  Attributes attrs = atomicAttributes();
  attrs.set("num_segments", int64_t(2));
  auto ids = tensor<int32_t>(plainDesc(DataType::Int32, {3}), {1, 0, 1});
  auto result = runNode("UnsortedSegmentSumD",
                        {tensor(x, std::vector<float>{-Max, 1, -Max}), ids},
                        {plainDesc(DataType::Float, {2})}, attrs, {}, 2);
  EXPECT_EQ(result.status.atomic, AtomicOverflow::Downward);
  EXPECT_EQ(result.status.valid, status::None);
  EXPECT_EQ(result.values<float>(), (std::vector<float>{1, -Inf}));
}

TEST(AtomicSumTest, GradientsOfFilters) {
  const TensorDesc row = plainDesc(DataType::Float, {1, 1, 1, 2}, Format::NCHW);
  const TensorDesc one = plainDesc(DataType::Float, {1, 1, 1, 1}, Format::NCHW);
  Attributes attrs = atomicAttributes();
  attrs.set("strides", std::vector<int64_t>{1, 1, 1, 1});
  attrs.set("pads", std::vector<int64_t>{0, 0, 0, 0});
  attrs.set("data_format", std::string("NCHW"));
  auto gradient = [&](float a, float b) {
    return runNode("Conv2DBackpropFilterD",
                   {tensor(row, std::vector<float>{a, b}),
                    tensor(row, std::vector<float>{1, 1})},
                   {one}, attrs)
        .status;
  };
  EXPECT_EQ(gradient(Max, 0x1p103f).atomic, AtomicOverflow::Upward);
  EXPECT_EQ(gradient(Max, 0x1p103f).valid, status::None);
  EXPECT_EQ(gradient(Max, 0x1.FFFFFEp102f).atomic, AtomicOverflow::None);
  EXPECT_EQ(gradient(-Max, -Max).atomic, AtomicOverflow::Downward);
  EXPECT_EQ(gradient(-Max, -Max).valid, status::None);
}
