// Where each operator rounds, by platform and precision mode: inputs on which
// the ways to compute it differ (NumericPath.h). The definitions prove that
// they do, and the kernels take the way that the documents say.

#include "NumericPath.h"
#include "OperandTensor.h"

#include <map>
#include <set>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

std::vector<PathRow> allPaths() {
  std::vector<PathRow> rows;
  for (const auto &more :
       {elementwisePaths(), activationPaths(), mathPaths(), linePaths(),
        normPaths(), rangePaths(), responsePaths(), batchNormPaths(),
        trainingPaths(), windowPaths()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

Values valuesOf(const Operand &operand) {
  Values values;
  for (uint64_t bits : operand.bits)
    values.push_back(
        operand.dtype == Half ? halfValue(static_cast<uint16_t>(bits))
        : operand.dtype == Float
            ? double(std::bit_cast<float>(static_cast<uint32_t>(bits)))
            : static_cast<double>(static_cast<int32_t>(bits)));
  return values;
}

/// The definition's result and status along \p way.
std::pair<Elements, StatusBits> define(const PathRow &row, const Way &way) {
  ScalarArithmetic arithmetic(way.path);
  std::vector<Values> operands;
  for (const Operand &operand : row.operands)
    operands.push_back(valuesOf(operand));
  Elements bits;
  for (double value : row.definition(arithmetic, operands))
    switch (row.outType) {
    case Half:
      bits.push_back(halfBits(arithmetic.result(value)));
      break;
    case Float:
      bits.push_back(bitsOf(static_cast<float>(value)));
      break;
    default: // integers are cut to their width
      bits.push_back(static_cast<uint64_t>(static_cast<int64_t>(value)) &
                     ((uint64_t(1) << getBitWidth(row.outType)) - 1));
    }
  return {bits, arithmetic.bits};
}

void expectKernel(const PathRow &row, const Way &way, NumericConfig config) {
  std::vector<TestTensor> inputs;
  for (const Operand &operand : row.operands)
    inputs.push_back(place(operand));
  Shape shape = row.outShape;
  if (shape.empty())
    shape = {static_cast<int64_t>(way.bits.size())};
  std::vector<TensorDesc> outputs = {descOf(row.outType, shape, row.outFormat)};
  for (const auto &[dtype, more] : row.moreOutputs)
    outputs.push_back(plainDesc(dtype, more));
  Attributes attrs;
  for (const auto &list : {row.attrs, way.attrs})
    for (const auto &[name, value] : list)
      attrs.set(name, value);
  auto result = runNode(row.type, inputs, outputs, attrs, config);
  EXPECT_EQ(result.status.valid, way.status);
  const auto places = placesOf(outputs[0]);
  for (size_t i = 0; i < way.bits.size(); ++i)
    EXPECT_EQ(elementOf(result.outputs[0], places[i]), way.bits[i])
        << "element " << i;
}

} // namespace

TEST(NumericPathTest, WaysDiffer) {
  for (const PathRow &row : allPaths()) {
    std::set<std::pair<Elements, StatusBits>> results;
    for (const Way &way : row.ways) {
      SCOPED_TRACE(row.type + ", " + row.what + ", " + way.what);
      const auto [bits, status] = define(row, way);
      EXPECT_EQ(bits, way.bits);
      EXPECT_EQ(status, way.status);
      EXPECT_TRUE(results.insert({bits, status}).second)
          << "another way gives the same";
    }
    EXPECT_GE(row.ways.size(), 2u) << row.type << ", " << row.what;
  }
}

TEST(NumericPathTest, KernelsTakeTheDocumentedWay) {
  for (const PathRow &row : allPaths())
    for (const Way &way : row.ways)
      for (Soc soc : way.socs) {
        SCOPED_TRACE(row.type + ", " + row.what + ", " + way.what + ", " +
                     std::string(getName(soc)));
        expectKernel(row, way, {soc, OverflowMode::Saturate});
      }
}

// Ascend310 has exp and ln in fp16 only, whatever the tensors are: every
// operator that has one in the middle gives something else there on fp32
// tensors.
TEST(NumericPathTest, FloatTensorsOnAscend310) {
  const std::map<std::string, size_t> operands = {
      {"Exp", 1},           {"Log", 1},
      {"Sigmoid", 1},       {"Tanh", 1},
      {"Gelu", 1},          {"GeluGrad", 3},
      {"GeluV2", 1},        {"GeluGradV2", 2},
      {"FastGelu", 1},      {"FastGeluGrad", 2},
      {"Swish", 1},         {"Elu", 1},
      {"Selu", 1},          {"Softplus", 1},
      {"Mish", 1},          {"Erf", 1},
      {"Pow", 2},           {"Log1p", 1},
      {"Expm1", 1},         {"SigmoidCrossEntropyWithLogits", 2},
      {"SoftmaxV2", 1},     {"LogSoftmaxV2", 1},
      {"LogSoftmaxGrad", 2}};
  const TensorDesc desc = plainDesc(Float, {1, 3});
  for (const auto &[type, count] : operands) {
    std::vector<TestTensor> inputs;
    for (size_t i = 0; i != count; ++i)
      inputs.push_back(
          place(floats({0.7314f, -2.2345f, 0.9713f}).shaped({1, 3})));
    auto resultOn = [&, &type = type](Soc soc) {
      return runNode(type, inputs, {desc}, {}, {soc, OverflowMode::Saturate})
          .outputs[0]
          .bytes;
    };
    EXPECT_NE(resultOn(Soc::Ascend310), resultOn(Soc::Ascend910A)) << type;
  }
}

// An operator without a row rounds nowhere, or for a reason given here.
TEST(NumericPathTest, CoversTheRegistry) {
  const std::map<std::string, std::string> reasons = {
      {"Sqrt", "one instruction that neither overflows nor underflows: a root "
               "in fp16 and one in fp32, rounded, are the same"},
      {"ClipByNormNoDivSum", "one root, as in Sqrt"},
      {"BnHost", "runs on a host"},
      {"ApplyAdam", "fp32 tensors only"},
      {"ApplyAdamD", "fp32 tensors only"},
      {"AscendRequant", "integers only"},
      {"ResizeBilinearV2Grad", "fp32 tensors only"},
      {"RangeD", "fp32 and int32 tensors only"},
      {"LarsV2Update", "fp32 tensors only"},
      {"LarsV2UpdateD", "fp32 tensors only"},
      {"BatchMultiClassNonMaxSuppression",
       "boxes and scores are copied; NonMaxSuppressionTest has a window"},
      {"SparseSoftmaxCrossEntropyWithLogits", "runs on a CPU of the device"},
      {"TransData", "converts as Cast does"},
  };
  std::set<std::string> shown;
  for (const PathRow &row : allPaths())
    shown.insert(row.type);
  const Registry registry = Registry::withBuiltins();
  for (const auto &[type, entry] : registry.all()) {
    const std::string_view path = entry.numericPath;
    // Random numbers are drawn on CPUs of the device.
    const bool rounds = path != "exact" && path != "nothing" &&
                        !path.starts_with("copies") &&
                        !path.starts_with("Philox");
    EXPECT_EQ(rounds, shown.count(type) || reasons.count(type))
        << type << ": " << path;
  }
  for (const auto &[type, why] : reasons)
    EXPECT_TRUE(registry.lookup(type) && !shown.count(type)) << type;
}
