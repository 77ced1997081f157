// Reductions and softmax of random shapes, axes and types against their
// definitions: bit for bit, softmax within the error of exp.

#include "FloatTester.h"
#include "ScalarArithmetic.h"

#include <map>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

/// A random tensor reduced over random axes.
struct Problem {
  DataType dtype;
  Shape shape;
  std::vector<int64_t> axes; ///< some counted from the end
  std::vector<bool> along;
  Shape outShape;
  Floats values;
  std::vector<Floats> lines; ///< in the order of the result

  Problem(std::mt19937 &random, DataType dtype, bool keepsDims) : dtype(dtype) {
    const size_t rank = 1 + random() % 4;
    for (size_t i = 0; i < rank; ++i) {
      shape.push_back(1 + random() % 9);
      along.push_back(random() % 2);
    }
    along[random() % rank] = true;
    for (size_t i = 0; i < rank; ++i) {
      if (along[i])
        axes.push_back(static_cast<int64_t>(i) -
                       (random() % 2 ? static_cast<int64_t>(rank) : 0));
      if (!along[i] || keepsDims)
        outShape.push_back(along[i] ? 1 : shape[i]);
    }
    const size_t count = plainDesc(dtype, shape).numElements();
    std::uniform_real_distribution<float> uniform(-100, 100);
    for (size_t i = 0; i < count; ++i)
      values.push_back(uniform(random));
    // Some of the largest, the smallest and zeros of both signs.
    for (float edge : {0.0f, -0.0f, 60000.0f, -60000.0f, 0x1p-24f})
      if (random() % 4 == 0)
        values[random() % count] = edge;
    TestTensor rounded = tensor();
    values = floatsOf(rounded);
    std::vector<int64_t> index(rank);
    std::map<std::vector<int64_t>, Floats> byPlace;
    for (float value : values) {
      std::vector<int64_t> place;
      for (size_t i = 0; i < rank; ++i)
        if (!along[i])
          place.push_back(index[i]);
      byPlace[place].push_back(value);
      for (size_t i = rank; i-- > 0;) {
        if (++index[i] < shape[i])
          break;
        index[i] = 0;
      }
    }
    for (auto &[place, line] : byPlace)
      lines.push_back(line);
  }

  TestTensor tensor() const { return floatTensor(dtype, shape, values); }
};

/// The result for one line before it is rounded to the tensor's type.
float reduce(const std::string &type, const Floats &line) {
  if (type.starts_with("ReduceSum"))
    return documentedSum(line);
  if (type.starts_with("ReduceProd")) {
    float result = line[0];
    for (size_t i = 1; i < line.size(); ++i)
      result *= line[i];
    return result;
  }
  if (type.starts_with("ReduceMean")) {
    Floats scaled = line;
    for (float &value : scaled)
      value *= 1.0f / static_cast<float>(line.size());
    return documentedSum(scaled);
  }
  ScalarArithmetic exact({});
  double result = line[0];
  for (float value : line)
    result = type.starts_with("ReduceMax") ? exact.max(result, value)
                                           : exact.min(result, value);
  return static_cast<float>(result);
}

/// The same where fp16 tensors are summed in fp16.
float reduceInHalf(const std::string &type, const Floats &line) {
  if (type.starts_with("ReduceMa") || type.starts_with("ReduceMin"))
    return reduce(type, line);
  ScalarArithmetic half({.half = true});
  if (type.starts_with("ReduceProd")) {
    double result = line[0];
    for (size_t i = 1; i < line.size(); ++i)
      result = half.mul(result, line[i]);
    return static_cast<float>(result);
  }
  std::vector<double> values(line.begin(), line.end());
  if (type.starts_with("ReduceMean"))
    for (double &value : values)
      value = half.mul(value, half.constant(1.0f / line.size()));
  return static_cast<float>(half.sum(values));
}

} // namespace

TEST(ReductionOracleTest, RandomShapesAndAxes) {
  std::mt19937 random(31);
  for (const char *type :
       {"ReduceSum", "ReduceSumD", "ReduceMean", "ReduceMeanD", "ReduceMax",
        "ReduceMaxD", "ReduceMin", "ReduceMinD", "ReduceProd", "ReduceProdD"})
    for (DataType dtype :
         {DataType::Float16, DataType::Float, DataType::BFloat16})
      for (Soc soc : {Soc::Ascend310, Soc::Ascend910A})
        for (int repeat = 0; repeat < 12; ++repeat) {
          const bool keepsDims = random() % 2;
          const Problem problem(random, dtype, keepsDims);
          SCOPED_TRACE(std::string(type) + " of " +
                       problem.tensor().desc.toString());
          std::vector<TestTensor> inputs = {problem.tensor()};
          Attributes attrs;
          attrs.set("keep_dims", keepsDims);
          if (std::string_view(type).ends_with('D')) {
            attrs.set("axes", problem.axes);
          } else {
            std::vector<int32_t> axes(problem.axes.begin(), problem.axes.end());
            inputs.push_back(tensor(
                plainDesc(DataType::Int32, {static_cast<int64_t>(axes.size())}),
                axes));
          }
          auto result =
              runNode(type, inputs, {plainDesc(dtype, problem.outShape)}, attrs,
                      {soc, OverflowMode::Saturate}, 2);
          const bool inHalf =
              (soc == Soc::Ascend310 ||
               std::string_view(type).starts_with("ReduceProd")) &&
              dtype == DataType::Float16;
          Floats expected;
          for (const Floats &line : problem.lines)
            expected.push_back(inHalf ? reduceInHalf(type, line)
                                      : reduce(type, line));
          if (dtype == DataType::Float16)
            for (float &value : expected)
              value = toHalfAndBack(value);
          // Of products some overflow: saturated where they are narrowed.
          for (float &value : expected)
            if (std::isnan(value))
              value = dtype == DataType::Float
                          ? std::numeric_limits<float>::quiet_NaN()
                          : 0;
            else if (dtype == DataType::BFloat16)
              value = std::clamp(value, -0x1.FEp127f, 0x1.FEp127f);
          if (dtype == DataType::BFloat16) {
            TestTensor rounded = floatTensor(dtype, problem.outShape, expected);
            expected = floatsOf(rounded);
          }
          expectSameBits(floatsOf(result.outputs[0]), expected);
        }
}

TEST(ReductionOracleTest, RandomSoftmax) {
  std::mt19937 random(37);
  for (const char *type : {"SoftmaxV2", "LogSoftmaxV2"})
    for (DataType dtype : {DataType::Float16, DataType::Float})
      for (int repeat = 0; repeat < 40; ++repeat) {
        Problem problem(random, dtype, true);
        // Lines along the last axis keep the order of elements.
        for (size_t i = 0; i + 1 < problem.shape.size(); ++i)
          problem.along[i] = false;
        const size_t length = static_cast<size_t>(problem.shape.back());
        for (float &value : problem.values)
          value = std::clamp(value / 10, -12.0f, 12.0f);
        TestTensor x = problem.tensor();
        problem.values = floatsOf(x);
        Attributes attrs;
        attrs.set("axes", std::vector<int64_t>{-1});
        attrs.set("_op_impl_mode_enum", int64_t(4));
        auto result = runNode(type, {x}, {x.desc}, attrs,
                              {Soc::Ascend910A, OverflowMode::Saturate}, 2);
        std::vector<double> expected;
        for (size_t begin = 0; begin < problem.values.size(); begin += length) {
          const float *line = problem.values.data() + begin;
          const double max = *std::max_element(line, line + length);
          double sum = 0;
          for (size_t i = 0; i < length; ++i)
            sum += std::exp(line[i] - max);
          for (size_t i = 0; i < length; ++i)
            expected.push_back(type[0] == 'S' ? std::exp(line[i] - max) / sum
                                              : line[i] - max - std::log(sum));
        }
        const bool isHalf = dtype == DataType::Float16;
        // x - max of SoftmaxV2 rounds to fp16: 24 * 2^-12 at most.
        const double tolerance = !isHalf ? 4e-6 : type[0] == 'S' ? 8e-3 : 5e-4;
        expectNear(floatsOf(result.outputs[0]), expected, tolerance);
      }
}

// Indices of the first largest or smallest, all and any of booleans.
TEST(ReductionOracleTest, RandomIndicesAndBooleans) {
  std::mt19937 random(43);
  for (const std::string type : {"ArgMaxD", "ArgMaxV2", "ArgMinD", "ReduceAllD",
                                 "ReduceAll", "ReduceAnyD", "ReduceAny"})
    for (int repeat = 0; repeat < 30; ++repeat) {
      const bool isIndex = type.starts_with("Arg");
      Problem problem(random, DataType::Float, false);
      if (isIndex && problem.axes.size() != 1)
        continue;
      // Few different values, so that equal ones meet.
      std::map<float, float> few;
      auto fewer = [&](float value) {
        return few.try_emplace(value, float(random() % 4)).first->second;
      };
      for (float &value : problem.values)
        value = fewer(value);
      for (Floats &line : problem.lines)
        for (float &value : line)
          value = fewer(value);
      Attributes attrs;
      std::vector<TestTensor> inputs;
      if (isIndex)
        inputs.push_back(problem.tensor());
      else
        inputs.push_back(tensor(plainDesc(DataType::Bool, problem.shape),
                                std::vector<uint8_t>(problem.values.begin(),
                                                     problem.values.end())));
      if (type.ends_with('D')) {
        if (isIndex)
          attrs.set("dimension", problem.axes[0]);
        else
          attrs.set("axes", problem.axes);
      } else {
        inputs.push_back(
            tensor(plainDesc(DataType::Int64,
                             {static_cast<int64_t>(problem.axes.size())}),
                   problem.axes));
      }
      const DataType to = !isIndex     ? DataType::Bool
                          : repeat % 2 ? DataType::Int64
                                       : DataType::Int32;
      auto result = runNode(type, inputs, {plainDesc(to, problem.outShape)},
                            attrs, {}, 2);
      std::vector<int64_t> expected, actual;
      for (const Floats &line : problem.lines)
        expected.push_back(
            type.starts_with("ArgMax")
                ? std::max_element(line.begin(), line.end()) - line.begin()
            : isIndex
                ? std::min_element(line.begin(), line.end()) - line.begin()
            : type.starts_with("ReduceAll")
                ? std::find(line.begin(), line.end(), 0) == line.end()
                : std::any_of(line.begin(), line.end(),
                              [](float value) { return value != 0; }));
      TestTensor &y = result.outputs[0];
      if (to == DataType::Bool)
        actual.assign(y.as<uint8_t>().begin(), y.as<uint8_t>().end());
      else if (to == DataType::Int32)
        actual.assign(y.as<int32_t>().begin(), y.as<int32_t>().end());
      else
        actual.assign(y.as<int64_t>().begin(), y.as<int64_t>().end());
      EXPECT_EQ(actual, expected) << type;
    }
}

TEST(ReductionOracleTest, GlobalAveragePool) {
  const Floats x = randomFloats(2 * 19 * 5 * 3, -3, 3, 1);
  Floats expected;
  for (size_t line = 0; line < 38; ++line)
    expected.push_back(reduce(
        "ReduceMean", {x.begin() + line * 15, x.begin() + line * 15 + 15}));
  TestTensor image = floatTensor(DataType::Float, {2, 19, 5, 3}, x);
  image.desc.format = image.desc.originFormat = Format::NCHW;
  TensorDesc out = plainDesc(DataType::Float, {2, 19, 1, 1}, Format::NCHW);
  expectSameBits(
      floatsOf(runEverywhere("GlobalAveragePool", {image}, {out}).outputs[0]),
      expected);
  const TensorDesc blocks = privateDesc(DataType::Float, Format::NC1HWC0,
                                        Format::NCHW, {2, 19, 5, 3}),
                   means = privateDesc(DataType::Float, Format::NC1HWC0,
                                       Format::NCHW, {2, 19, 1, 1});
  auto packed = runNode("TransData", {image}, {blocks}).outputs[0];
  auto result = runNode("GlobalAveragePool", {packed}, {means}).outputs[0];
  expectSameBits(floatsOf(runNode("TransData", {result}, {out}).outputs[0]),
                 expected);
}
