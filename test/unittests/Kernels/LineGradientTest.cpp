// Softmax gradients, gradients of LayerNorm and sums of squares against their
// definitions.

#include "FloatTester.h"

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t Rows = 7;

Floats rounded(DataType dtype, Floats values) {
  TestTensor tensor =
      floatTensor(dtype, {static_cast<int64_t>(values.size())}, values);
  return floatsOf(tensor);
}

Floats rowOf(const Floats &values, int64_t row, int64_t length) {
  return {values.begin() + row * length, values.begin() + (row + 1) * length};
}

Floats products(const Floats &a, const Floats &b) {
  Floats result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(a[i] * b[i]);
  return result;
}

Floats softmax(const Floats &x, int64_t length) {
  Floats result;
  for (size_t begin = 0; begin < x.size(); begin += length) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += std::exp(double(x[begin + i]));
    for (int64_t i = 0; i < length; ++i)
      result.push_back(float(std::exp(double(x[begin + i])) / sum));
  }
  return result;
}

const std::vector<DataType> FloatTypes{DataType::Float16, DataType::Float,
                                       DataType::BFloat16};

} // namespace

TEST(SoftmaxGradientTest, Gradient) {
  for (DataType dtype : FloatTypes)
    for (int64_t length : {1, 10, 77, 512}) {
      Floats y = rounded(
          dtype, softmax(randomFloats(Rows * length, -3, 3, length), length));
      Floats dy =
          rounded(dtype, randomFloats(Rows * length, -2, 2, length + 1));
      auto result = runEverywhere("SoftmaxGrad",
                                  {floatTensor(dtype, {Rows, length}, y),
                                   floatTensor(dtype, {Rows, length}, dy)},
                                  {plainDesc(dtype, {Rows, length})});
      Floats expected;
      for (int64_t row = 0; row < Rows; ++row) {
        const Floats a = rowOf(y, row, length), b = rowOf(dy, row, length);
        const float sum = documentedSum(products(a, b));
        for (int64_t i = 0; i < length; ++i)
          expected.push_back(a[i] * (b[i] - sum));
      }
      expectSameBits(floatsOf(result.outputs[0]), rounded(dtype, expected));
      EXPECT_EQ(result.status.valid & status::Documented, 0u);
    }
}

TEST(SoftmaxGradientTest, Confusion) {
  const int64_t length = 64;
  Floats g = randomFloats(Rows * length, -2, 2, 1);
  Floats y = randomFloats(Rows * length, 0, 0.05f, 2);
  auto result =
      runEverywhere("ConfusionSoftmaxGrad",
                    {floatTensor(DataType::Float16, {Rows, length}, g),
                     floatTensor(DataType::Float16, {Rows, length}, y)},
                    {plainDesc(DataType::Float16, {Rows, length})});
  Floats expected;
  for (int64_t row = 0; row < Rows; ++row) {
    Floats terms = products(rowOf(g, row, length), rowOf(y, row, length));
    for (float &term : terms)
      term = toHalfAndBack(term);
    const float sum = toHalfAndBack(documentedSum(terms));
    for (float value : rowOf(g, row, length))
      expected.push_back(toHalfAndBack(value - sum));
  }
  expectSameBits(floatsOf(result.outputs[0]), expected);
  // A product, then a sum, then a difference beyond fp16.
  auto bits = [&](Floats gradient, Floats factor) {
    return runNode("ConfusionSoftmaxGrad",
                   {floatTensor(DataType::Float16, {1, 2}, gradient),
                    floatTensor(DataType::Float16, {1, 2}, factor)},
                   {plainDesc(DataType::Float16, {1, 2})})
               .status.valid &
           status::Documented;
  };
  EXPECT_EQ(bits({300, 0}, {300, 0}), status::FloatOverflow);
  EXPECT_EQ(bits({40000, 40000}, {1, 1}), status::CastOverflow);
  EXPECT_EQ(bits({-60000, 1}, {-0.5f, 0}), status::FloatOverflow);
}

// A number for all, or a tensor of the same shape; along any axis.
TEST(SoftmaxGradientTest, Scaled) {
  for (DataType dtype : FloatTypes)
    for (bool ofEach : {false, true}) {
      const int64_t length = 37;
      auto random = [&](size_t count, unsigned seed) {
        return rounded(dtype, randomFloats(count, -2, 2, seed));
      };
      const size_t count = Rows * length;
      const Floats g = random(count, 1), y = random(count, 2),
                   c = random(ofEach ? count : 1, 3);
      const bool inHalf = dtype == DataType::Float16;
      auto instruction = [&](float value) {
        return inHalf ? toHalfAndBack(value) : value;
      };
      Floats expected(count);
      // Lines run along the first axis.
      for (int64_t line = 0; line < length; ++line) {
        Floats terms;
        for (int64_t i = 0; i < Rows; ++i)
          terms.push_back(
              instruction(g[i * length + line] * y[i * length + line]));
        const float sum = instruction(documentedSum(terms));
        for (int64_t i = 0; i < Rows; ++i) {
          const size_t at = i * length + line;
          const float difference = instruction(g[at] - sum);
          expected[at] =
              instruction(difference * instruction(y[at] * c[ofEach ? at : 0]));
        }
      }
      Attributes attrs;
      attrs.set("axes", int64_t(0));
      attrs.set("keep_dims", true);
      const Shape shape{Rows, length};
      auto result = runEverywhere(
          "SoftmaxGradExt",
          {floatTensor(dtype, shape, g), floatTensor(dtype, shape, y),
           floatTensor(dtype, ofEach ? shape : Shape{1}, c)},
          {plainDesc(dtype, shape)}, attrs);
      expectSameBits(floatsOf(result.outputs[0]), rounded(dtype, expected));
    }
  const TensorDesc desc = plainDesc(DataType::Float16, {2, 3});
  EXPECT_EQ(refusal("SoftmaxGradExt", {desc, desc, desc}, {desc}),
            "SoftmaxGradExt 'node': attribute 'keep_dims' is false, expected "
            "true for a tensor of more than one axis");
}

TEST(SoftmaxGradientTest, LogSoftmax) {
  for (DataType dtype : {DataType::Float16, DataType::Float})
    for (int64_t length : {1, 10, 1000}) {
      Floats x = randomFloats(Rows * length, -5, 5, length);
      std::vector<double> exact;
      Floats expected;
      for (int64_t row = 0; row < Rows; ++row) {
        double sum = 0;
        for (float value : rowOf(x, row, length))
          sum += std::exp(double(value));
        for (float value : rowOf(x, row, length))
          exact.push_back(value - std::log(sum));
      }
      for (double value : exact)
        expected.push_back(float(value));
      auto result =
          runEverywhere("LogSoftmaxV2", {floatTensor(dtype, {Rows, length}, x)},
                        {plainDesc(dtype, {Rows, length})});
      if (dtype == DataType::Float16)
        expectHalvesNear(result.outputs[0], expected, 1, 1e-6f);
      else
        expectNear(floatsOf(result.outputs[0]), exact, 2e-6);
      EXPECT_EQ(result.status.valid & status::Documented, 0u);
      Floats g = randomFloats(Rows * length, -2, 2, length + 1);
      Floats y = floatsOf(result.outputs[0]);
      auto gradient = runEverywhere("LogSoftmaxGrad",
                                    {floatTensor(dtype, {Rows, length}, g),
                                     floatTensor(dtype, {Rows, length}, y)},
                                    {plainDesc(dtype, {Rows, length})});
      std::vector<double> exactGradient;
      for (int64_t row = 0; row < Rows; ++row) {
        const double sum = documentedSum(rowOf(g, row, length));
        for (int64_t i = 0; i < length; ++i)
          exactGradient.push_back(g[row * length + i] -
                                  std::exp(double(y[row * length + i])) * sum);
      }
      expectNear(floatsOf(gradient.outputs[0]), exactGradient,
                 dtype == DataType::Float ? 4e-6 : 1e-3);
    }
}

// The maximum of fp32 rows goes through fp16 where there is no other.
TEST(SoftmaxGradientTest, LogSoftmaxOfLargeValues) {
  const auto x = floatTensor(DataType::Float, {1, 2}, {70000, 69000});
  auto run = [&](Soc soc, int64_t implMode) {
    Attributes attrs;
    attrs.set("_op_impl_mode_enum", implMode);
    return runNode("LogSoftmaxV2", {x}, {plainDesc(DataType::Float, {1, 2})},
                   attrs, NumericConfig::forSoc(soc))
        .status.valid;
  };
  EXPECT_EQ(run(Soc::Ascend910A, 0) & status::CastOverflow,
            status::CastOverflow);
  EXPECT_EQ(run(Soc::Ascend910A, 4), status::None);
  EXPECT_EQ(run(Soc::Ascend910B, 0), status::None);
}

// Axes that are not the last, in a private format.
TEST(SoftmaxGradientTest, OtherAxes) {
  Floats y = randomFloats(2 * 3 * 5, 0, 1, 1);
  Floats dy = randomFloats(2 * 3 * 5, -2, 2, 2);
  Attributes attrs;
  attrs.set("axes", std::vector<int64_t>{1});
  auto result = runNode("SoftmaxGrad",
                        {floatTensor(DataType::Float, {2, 3, 5}, y),
                         floatTensor(DataType::Float, {2, 3, 5}, dy)},
                        {plainDesc(DataType::Float, {2, 3, 5})}, attrs);
  Floats expected(30);
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 5; ++i) {
      Floats terms;
      for (int c = 0; c < 3; ++c)
        terms.push_back(y[n * 15 + c * 5 + i] * dy[n * 15 + c * 5 + i]);
      const float sum = documentedSum(terms);
      for (int c = 0; c < 3; ++c) {
        const int at = n * 15 + c * 5 + i;
        expected[at] = y[at] * (dy[at] - sum);
      }
    }
  expectSameBits(floatsOf(result.outputs[0]), expected);
}

TEST(LayerNormGradientTest, GivenRoot) {
  const int64_t length = 100;
  Floats dy = randomFloats(Rows * length, -2, 2, 1);
  Floats x = randomFloats(Rows * length, -2, 2, 2);
  Floats gamma = randomFloats(length, -2, 2, 3);
  Floats root = randomFloats(Rows, 0.5f, 2, 4),
         mean = randomFloats(Rows, -1, 1, 5);
  auto result =
      runEverywhere("LayerNormXBackpropV3",
                    {floatTensor(DataType::Float16, {Rows, length}, dy),
                     floatTensor(DataType::Float16, {Rows, length}, x),
                     floatTensor(DataType::Float, {Rows, 1}, root),
                     floatTensor(DataType::Float, {Rows, 1}, mean),
                     floatTensor(DataType::Float16, {length}, gamma)},
                    {plainDesc(DataType::Float16, {Rows, length}),
                     plainDesc(DataType::Float, {Rows, length})});
  Floats gradient, normal;
  const float factor = 1.0f / float(length);
  for (int64_t row = 0; row < Rows; ++row) {
    const float r = root[row];
    Floats g, d;
    for (int64_t i = 0; i < length; ++i) {
      g.push_back(dy[row * length + i] * gamma[i]);
      d.push_back(x[row * length + i] - mean[row]);
    }
    const float ofVariance =
        documentedSum(products(g, d)) * (r * r * r) * -0.5f;
    const float ofMean = documentedSum(g) * r * -1.0f * factor;
    for (int64_t i = 0; i < length; ++i) {
      gradient.push_back(r * g[i] + ofVariance * d[i] * (2.0f * factor) +
                         ofMean);
      normal.push_back(d[i] * r);
    }
  }
  expectSameBits(floatsOf(result.outputs[0]),
                 rounded(DataType::Float16, gradient));
  expectSameBits(floatsOf(result.outputs[1]), normal);
}

// Against the definition in double: the root comes from ln and exp.
TEST(LayerNormGradientTest, FromTheVariance) {
  const int64_t length = 256;
  Floats dy = randomFloats(Rows * length, -2, 2, 1);
  Floats x = randomFloats(Rows * length, -2, 2, 2);
  Floats gamma = randomFloats(length, -2, 2, 3), mean, variance;
  std::vector<double> exact, exactNormal;
  for (int64_t row = 0; row < Rows; ++row) {
    double sum = 0, squares = 0;
    for (float value : rowOf(x, row, length))
      sum += value;
    const double m = sum / length;
    for (float value : rowOf(x, row, length))
      squares += (value - m) * (value - m);
    const double r = 1 / std::sqrt(squares / length + 1e-12);
    mean.push_back(float(m)), variance.push_back(float(squares / length));
    double meanG = 0, meanProduct = 0;
    for (int64_t i = 0; i < length; ++i) {
      const double g = dy[row * length + i] * gamma[i];
      meanG += g / length;
      meanProduct += g * (x[row * length + i] - m) * r / length;
    }
    for (int64_t i = 0; i < length; ++i) {
      const double hat = (x[row * length + i] - m) * r;
      exact.push_back(
          r * (dy[row * length + i] * gamma[i] - meanG - hat * meanProduct));
      exactNormal.push_back(hat);
    }
  }
  for (const char *type : {"LayerNormXBackprop", "LayerNormXBackpropV2"}) {
    const bool givesNormal = type == std::string("LayerNormXBackpropV2");
    std::vector<TensorDesc> outputs(givesNormal ? 2 : 1,
                                    plainDesc(DataType::Float, {Rows, length}));
    auto result =
        runEverywhere(type,
                      {floatTensor(DataType::Float, {Rows, length}, dy),
                       floatTensor(DataType::Float, {Rows, length}, x),
                       floatTensor(DataType::Float, {Rows, 1}, variance),
                       floatTensor(DataType::Float, {Rows, 1}, mean),
                       floatTensor(DataType::Float, {length}, gamma)},
                      outputs);
    expectNear(floatsOf(result.outputs[0]), exact, 1e-5);
    if (givesNormal)
      expectNear(floatsOf(result.outputs[1]), exactNormal, 3e-6);
    EXPECT_EQ(result.status.valid, status::None);
  }
}

// The whole gradient is that of x, and those of the parameters from its xhat.
TEST(LayerNormGradientTest, Whole) {
  const int64_t length = 33;
  const TestTensor dy = floatTensor(DataType::Float16, {Rows, length},
                                    randomFloats(Rows * length, -2, 2, 1)),
                   x = floatTensor(DataType::Float16, {Rows, length},
                                   randomFloats(Rows * length, -2, 2, 2)),
                   moment = floatTensor(DataType::Float, {Rows, 1},
                                        randomFloats(Rows, 0.5f, 2, 3)),
                   mean = floatTensor(DataType::Float, {Rows, 1},
                                      randomFloats(Rows, -1, 1, 4)),
                   gamma = floatTensor(DataType::Float16, {length},
                                       randomFloats(length, -2, 2, 5));
  const TensorDesc parameter = plainDesc(DataType::Float, {length});
  for (const std::string suffix : {"", "V3"}) {
    auto whole =
        runEverywhere("LayerNormGrad" + suffix, {dy, x, moment, mean, gamma},
                      {dy.desc, parameter, parameter});
    auto ofX = runNode("LayerNormXBackprop" + (suffix.empty() ? "V2" : suffix),
                       {dy, x, moment, mean, gamma},
                       {dy.desc, plainDesc(DataType::Float, {Rows, length})});
    Attributes attrs;
    attrs.set("shape_gamma", std::vector<int64_t>{length});
    auto ofParameters =
        runNode("LayerNormBetaGammaBackpropV2", {dy, ofX.outputs[1]},
                {parameter, parameter}, attrs);
    EXPECT_EQ(whole.outputs[0].bytes, ofX.outputs[0].bytes);
    EXPECT_EQ(whole.outputs[1].bytes, ofParameters.outputs[0].bytes);
    EXPECT_EQ(whole.outputs[2].bytes, ofParameters.outputs[1].bytes);
  }
}

TEST(LayerNormGradientTest, Parameters) {
  const int64_t length = 33;
  Floats dy = randomFloats(2 * Rows * length, -2, 2, 1);
  Floats normal = randomFloats(2 * Rows * length, -2, 2, 2);
  for (bool byAtomics : {false, true}) {
    Attributes attrs;
    attrs.set("shape_gamma", std::vector<int64_t>{length});
    if (byAtomics)
      attrs.set("atomic_output_index", std::vector<int64_t>{0, 1});
    auto result =
        runEverywhere("LayerNormBetaGammaBackpropV2",
                      {floatTensor(DataType::Float16, {2, Rows, length}, dy),
                       floatTensor(DataType::Float, {2, Rows, length}, normal)},
                      {plainDesc(DataType::Float, {length}),
                       plainDesc(DataType::Float, {length})},
                      attrs);
    Floats gamma, beta;
    auto sum = [&](const Floats &terms) {
      if (!byAtomics)
        return documentedSum(terms);
      float total = 0;
      for (float term : terms)
        total += term;
      return total;
    };
    for (int64_t i = 0; i < length; ++i) {
      Floats g, d;
      for (int64_t row = 0; row < 2 * Rows; ++row) {
        d.push_back(dy[row * length + i]);
        g.push_back(normal[row * length + i] * dy[row * length + i]);
      }
      gamma.push_back(sum(g)), beta.push_back(sum(d));
    }
    expectSameBits(floatsOf(result.outputs[0]), gamma);
    expectSameBits(floatsOf(result.outputs[1]), beta);
  }
}

TEST(SquareSumTest, Sums) {
  const int64_t length = 75;
  Floats x = randomFloats(Rows * length, -3, 3, 1);
  Attributes attrs;
  attrs.set("axis", std::vector<int64_t>{1});
  for (DataType dtype : {DataType::Float16, DataType::Float}) {
    Floats sums, squares = products(x, x);
    for (int64_t row = 0; row < Rows; ++row)
      sums.push_back(documentedSum(rowOf(squares, row, length)));
    const auto input = floatTensor(dtype, {Rows, length}, x);
    auto v1 = runEverywhere("SquareSumV1", {input}, {plainDesc(dtype, {Rows})},
                            attrs);
    expectSameBits(floatsOf(v1.outputs[0]), rounded(dtype, sums));
    auto v2 = runEverywhere(
        "SquareSumV2", {input},
        {plainDesc(dtype, {Rows, 1}), plainDesc(dtype, {Rows, length})}, attrs);
    expectSameBits(floatsOf(v2.outputs[0]), rounded(dtype, sums));
    expectSameBits(floatsOf(v2.outputs[1]), rounded(dtype, squares));
  }
  // fp16 squares on Ascend310: 300 * 300 overflows there, the sum elsewhere.
  auto bits = [&](Floats values, Soc soc) {
    return runNode("SquareSumV1",
                   {floatTensor(DataType::Float16, {1, 2}, values)},
                   {plainDesc(DataType::Float16, {1})}, attrs,
                   NumericConfig::forSoc(soc))
        .status.valid;
  };
  EXPECT_EQ(bits({300, 0}, Soc::Ascend310), status::FloatOverflow);
  EXPECT_EQ(bits({300, 0}, Soc::Ascend910A), status::CastOverflow);
}

TEST(SquareSumTest, Losses) {
  Floats x = randomFloats(500, -3, 3, 1), y = randomFloats(300, -3, 3, 2);
  auto loss = runEverywhere("L2Loss", {floatTensor(DataType::Float, {500}, x)},
                            {plainDesc(DataType::Float, {})});
  Floats terms;
  for (float value : x)
    terms.push_back(value * 0.70710678f * (value * 0.70710678f));
  expectSameBits(floatsOf(loss.outputs[0]), {documentedSum(terms)});
  auto both = runEverywhere(
      "SquareSumAll",
      {floatTensor(DataType::Float, {500}, x),
       floatTensor(DataType::Float, {300}, y)},
      {plainDesc(DataType::Float, {}), plainDesc(DataType::Float, {})});
  expectSameBits(floatsOf(both.outputs[0]), {documentedSum(products(x, x))});
  expectSameBits(floatsOf(both.outputs[1]), {documentedSum(products(y, y))});
  Attributes attrs;
  attrs.set("atomic_output_index", std::vector<int64_t>{0});
  auto beyond =
      runNode("L2Loss", {floatTensor(DataType::Float, {2}, {2e19f, 2e19f})},
              {plainDesc(DataType::Float, {})}, attrs);
  EXPECT_EQ(beyond.status.atomic, AtomicOverflow::Upward);
  EXPECT_EQ(beyond.status.valid, status::None);
}
