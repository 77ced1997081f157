// Range and RangeD: integers exactly, floats by the arithmetic of the document
// written out once more.

#include "FloatTester.h"

#include <array>
#include <optional>

using namespace npu;
using namespace npu::kernels;

namespace {

/// One number of \p dtype.
TestTensor numberOf(DataType dtype, double value) {
  const TensorDesc desc = plainDesc(dtype, {1});
  switch (dtype) {
  case DataType::Int32:
    return tensor<int32_t>(desc, {static_cast<int32_t>(value)});
  case DataType::Int64:
    return tensor<int64_t>(desc, {static_cast<int64_t>(value)});
  case DataType::Double:
    return tensor<double>(desc, {value});
  default:
    return floatTensor(dtype, {1}, {static_cast<float>(value)});
  }
}

double valueOf(TestTensor &number) {
  switch (number.desc.dtype) {
  case DataType::Int32:
    return number.as<int32_t>()[0];
  case DataType::Int64:
    return static_cast<double>(number.as<int64_t>()[0]);
  case DataType::Double:
    return number.as<double>()[0];
  default:
    return floatsOf(number)[0];
  }
}

/// The numbers of all cores, in groups of 64.
Floats floatsOfRange(size_t count, size_t cores, float start, float delta) {
  const size_t share = (count + cores - 1) / cores;
  Floats result;
  for (size_t i = 0; i < count; ++i) {
    const size_t place = i % share, first = i - place;
    const float offset = start + static_cast<float>(first) * delta;
    float value = static_cast<float>(place % 64) * delta + offset;
    for (size_t group = 0; group < place / 64; ++group)
      value += 64.0f * delta;
    result.push_back(value);
  }
  return result;
}

} // namespace

TEST(RangeTest, Floats) {
  std::mt19937 random(1);
  const std::vector<std::pair<Soc, size_t>> cores = {{Soc::Ascend310, 2},
                                                     {Soc::Ascend310P, 8},
                                                     {Soc::Ascend910A, 32},
                                                     {Soc::Ascend910B, 48}};
  const std::array types = {DataType::Float16, DataType::Float,
                            DataType::BFloat16, DataType::Double,
                            DataType::Int32};
  size_t longest = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto [soc, coreCount] = cores[random() % cores.size()];
    const DataType out = types[random() % 3];
    auto pick = [&](double value) {
      return numberOf(types[random() % types.size()], value);
    };
    const double sign = random() % 2 ? 1 : -1;
    TestTensor start = pick(static_cast<double>(random() % 1000) / 16 - 30),
               delta =
                   pick(sign * static_cast<double>(1 + random() % 400) / 96),
               limit = pick(sign * static_cast<double>(random() % 9000) / 7);
    const double distance = valueOf(limit) - valueOf(start),
                 step = valueOf(delta);
    if (step == 0 || distance / step < 0)
      continue;
    const bool isClosed = random() % 4 == 0;
    const double ratio = distance / step;
    const auto count = static_cast<size_t>(isClosed ? std::floor(ratio) + 1
                                                    : std::ceil(ratio));
    longest = std::max(longest, count);
    Attributes attrs;
    attrs.set("is_closed", isClosed);
    SCOPED_TRACE(std::string(getName(out)) + " " + std::to_string(count));
    auto result = runEverywhere("Range", {start, limit, delta},
                                {plainDesc(out, {static_cast<int64_t>(count)})},
                                attrs, {soc, OverflowMode::InfNan});
    TestTensor expected = floatTensor(
        out, {static_cast<int64_t>(count)},
        floatsOfRange(count, coreCount, static_cast<float>(valueOf(start)),
                      static_cast<float>(step)));
    expectSameBits(floatsOf(result.outputs[0]), floatsOf(expected));
  }
  EXPECT_GT(longest, 5000u); // several groups on every core
}

TEST(RangeTest, Integers) {
  std::mt19937 random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const bool isWide = random() % 2;
    const int64_t scale = isWide ? int64_t(1) << (random() % 40) : 1;
    const int64_t start = (int64_t(random() % 4000) - 2000) * scale,
                  limit = (int64_t(random() % 4000) - 2000) * scale,
                  step = (1 + int64_t(random() % 90)) * scale;
    const int64_t delta = limit < start ? -step : step;
    std::vector<int64_t> expected;
    for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta)
      expected.push_back(i);
    const DataType dtype = isWide ? DataType::Int64 : DataType::Int32;
    auto number = [&](int64_t value) {
      return isWide ? tensor<int64_t>(plainDesc(dtype, {}), {value})
                    : tensor<int32_t>(plainDesc(dtype, {}),
                                      {static_cast<int32_t>(value)});
    };
    auto result =
        runNode("Range", {number(start), number(limit), number(delta)},
                {plainDesc(dtype, {static_cast<int64_t>(expected.size())})});
    EXPECT_EQ(result.status.valid, status::None);
    if (isWide)
      EXPECT_EQ(result.values<int64_t>(), expected);
    else
      EXPECT_EQ(result.values<int32_t>(),
                (std::vector<int32_t>(expected.begin(), expected.end())));
  }
  // From one end of the type to the other.
  auto whole = runNode("Range",
                       {numberOf(DataType::Int32, -0x1p31),
                        numberOf(DataType::Int32, 0x1p31 - 1),
                        numberOf(DataType::Int32, 0x1p30)},
                       {plainDesc(DataType::Int32, {4})});
  EXPECT_EQ(whole.values<int32_t>(),
            (std::vector<int32_t>{INT32_MIN, -(1 << 30), 0, 1 << 30}));
}

TEST(RangeTest, MultipliesAndAddsWhatRangeDIsGiven) {
  std::mt19937 random(3);
  const float start = 0.1f, delta = -1.7f;
  Attributes attrs;
  attrs.set("start", start);
  attrs.set("limit", 0.0f);
  attrs.set("delta", delta);
  const Floats x = randomFloats(5000, -100, 100, random());
  Floats expected;
  std::vector<int32_t> integers, products;
  for (float value : x) {
    expected.push_back(value * delta + start);
    integers.push_back(static_cast<int32_t>(value));
    products.push_back(-integers.back()); // start is 0, delta is -1
  }
  auto result =
      runEverywhere("RangeD", {floatTensor(DataType::Float, {5000}, x)},
                    {plainDesc(DataType::Float, {5000})}, attrs);
  expectSameBits(result.values<float>(), expected);
  const TensorDesc ints = plainDesc(DataType::Int32, {5000});
  EXPECT_EQ(runNode("RangeD", {tensor(ints, integers)}, {ints}, attrs)
                .values<int32_t>(),
            products);
}

TEST(RangeTest, Refusals) {
  const TensorDesc one = plainDesc(DataType::Float, {1}),
                   four = plainDesc(DataType::Float, {4});
  EXPECT_EQ(refusal("Range", {one, four, one}, {four}),
            "Range 'node': input 1 (limit) is DT_FLOAT 4 ND, expected one "
            "number");
  EXPECT_EQ(
      refusal("Range", {one, one, one}, {plainDesc(DataType::Double, {4})}),
      "Range 'node': no range of DT_DOUBLE 4 ND; expected DT_INT32, "
      "DT_INT64, DT_FLOAT16, DT_FLOAT or DT_BF16 in a plain format");
  auto runError = [&](double start, double limit, double delta,
                      const TensorDesc &out) -> std::string {
    std::vector<TestTensor> inputs = {numberOf(DataType::Double, start),
                                      numberOf(DataType::Double, limit),
                                      numberOf(DataType::Double, delta)};
    NodeSpec spec{"Range", "node", {}, {}, {out}, {}};
    std::vector<ConstTensor> in;
    for (const TestTensor &input : inputs) {
      spec.inputs.push_back(input.desc);
      in.push_back({&input.desc, input.bytes.data()});
    }
    auto kernel = Registry::withBuiltins().lookup("Range")->create(spec, {});
    EXPECT_TRUE(kernel.ok());
    ThreadPool pool(1);
    RunContext context{pool};
    std::vector<std::byte> bytes(out.byteSize());
    const MutableTensor y{&out, bytes.data()};
    auto status = (*kernel)->run(context, in, {&y, 1});
    return status ? "ran" : status.status().message();
  };
  EXPECT_EQ(runError(0, 5, 1, four),
            "start 0, limit 5 and delta 1 give 5 elements, expected those of "
            "the output, 4");
  EXPECT_EQ(runError(0, 5, 0, four), "start 0, limit 5 and delta 0: expected "
                                     "another delta than 0");
  EXPECT_EQ(runError(0, -4, 1, four),
            "start 0, limit -4 and delta 1: delta leads away from limit");
  EXPECT_EQ(runError(NAN, 4, 1, four), "start nan, limit 4 and delta 1: no "
                                       "number of elements follows from them");
  EXPECT_EQ(runError(3e9, 3e9 + 4, 1, plainDesc(DataType::Int32, {4})),
            "3e+09 is beyond the type of the output");
}
