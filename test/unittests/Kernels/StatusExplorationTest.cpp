// Chains of many instructions besides their rows in the status table: random
// operands of all magnitudes must raise every declared bit, and no other.

#include "KernelTester.h"
#include "StatusTable.h"

#include <map>
#include <random>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

/// Shapes are those of inputs and outputs; one that is not there is that of a
/// vector.
struct Explored {
  std::string type;
  unsigned inputs = 1, outputs = 1;
  Attributes attrs = {};
  std::vector<Shape> inputShapes = {}, outputShapes = {};
};

/// Elements of a vector, lines of two.
constexpr int64_t ExploredCount = 8192;

/// Normalisations, gradients of softmax, sums: lines of two values.
std::vector<Explored> exploredLineOperators() {
  constexpr int64_t N = ExploredCount;
  const Shape rows = {N, 2}, columns = {2, N}, one = {N, 1}, each = {N},
              pair = {2};
  Attributes norm, axis, gamma;
  norm.set("epsilon", 0.0f);
  norm.set("factor", 0.5f);
  axis.set("axis", std::vector<int64_t>{1});
  gamma.set("shape_gamma", std::vector<int64_t>{N});
  return {
      {"BNTrainingReduce", 1, 2, {}, {columns}, {each, each}},
      {"BNTrainingUpdate", 7, 5, norm, {columns}, {columns}},
      {"BNTrainingUpdateV2", 5, 3, norm, {columns}, {columns}},
      {"BNTrainingUpdateV3", 5, 5, norm, {columns}, {columns}},
      {"BNTrainingUpdateGrad", 4, 2, norm, {columns, columns}, {}},
      {"BNTrainingReduceGrad", 7, 1, norm, {columns, columns}, {columns}},
      {"BNInfer", 5, 1, norm, {columns}, {columns}},
      {"BatchNorm", 3, 6, norm, {columns}, {columns}},
      {"BatchNormGrad", 5, 5, norm, {columns, columns}, {columns}},
      {"LayerNormXBackprop", 5, 1, {}, {rows, rows, one, one, pair}, {rows}},
      {"LayerNormXBackpropV2",
       5,
       2,
       {},
       {rows, rows, one, one, pair},
       {rows, rows}},
      {"LayerNormXBackpropV3",
       5,
       2,
       {},
       {rows, rows, one, one, pair},
       {rows, rows}},
      {"LayerNormBetaGammaBackpropV2",
       2,
       2,
       gamma,
       {columns, columns},
       {each, each}},
      {"ConfusionSoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"LogSoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"LogSoftmaxV2", 1, 1, {}, {rows}, {rows}},
      {"SoftmaxGrad", 2, 1, {}, {rows, rows}, {rows}},
      {"SquareSumV1", 1, 1, axis, {rows}, {each}},
      {"SquareSumV2", 1, 2, axis, {rows}, {each, rows}}};
}

/// Activations, gradients, divisions, optimizers; several times those whose
/// attributes choose what can happen.
std::vector<Explored> exploredOperators() {
  auto with = [](const char *name, AttributeValue value) {
    Attributes attrs;
    attrs.set(name, std::move(value));
    return attrs;
  };
  Attributes elu = with("alpha", 1000.0f);
  elu.set("scale", 1000.0f);
  Attributes amsgrad = with("beta1", 0.5f), rmsProp = with("rho", 0.5f);
  amsgrad.set("beta2", 0.5f);
  amsgrad.set("epsilon", 0.0f);
  rmsProp.set("momentum", 0.5f);
  rmsProp.set("epsilon", 0.0f);
  return {{"AdamApplyOne", 10, 3},
          {"AdamApplyOneAssign", 10, 3},
          {"AdamApplyOneWithDecay", 11, 3},
          {"AdamApplyOneWithDecayAssign", 11, 3},
          {"ApplyAdagradD", 4, 2},
          {"ApplyAdamW", 11, 3},
          {"ApplyAdamWithAmsgradD", 8, 4, amsgrad},
          {"ApplyGradientDescent", 3},
          {"ApplyMomentum", 5, 2},
          {"ApplyMomentumD", 5, 2},
          {"ApplyRMSPropD", 5, 3, rmsProp},
          {"AssignAdd", 2},
          {"AssignSub", 2},
          {"ClipByValue", 3},
          {"Div", 2},
          {"DivNoNan", 2},
          {"Elu"},
          {"Elu", 1, 1, elu},
          {"Erf"},
          {"Expm1"},
          {"FastGelu"},
          {"FastGeluGrad", 2},
          {"FloorDiv", 2},
          {"FloorMod", 2},
          {"FusedMulApplyMomentum", 6, 2},
          {"FusedMulApplyMomentumExtern", 7, 3},
          {"Gelu"},
          {"GeluGrad", 3},
          {"GeluGradV2", 2},
          {"GeluGradV2", 2, 1, with("approximate", std::string("tanh"))},
          {"GeluV2"},
          {"GeluV2", 1, 1, with("approximate", std::string("tanh"))},
          {"HardSigmoid"},
          {"HardSigmoid", 1, 1, with("alpha", 1e4f)},
          {"HardSigmoid", 1, 1, with("beta", 0.0f)},
          {"HardSwish"},
          {"LambApplyOptimizerAssign", 12, 3},
          {"LambApplyWeightAssign", 5},
          {"LambNextMVWithDecay", 13, 4},
          {"LambUpdateWithLr", 9},
          {"LambUpdateWithLrV2", 7},
          {"LeakyReluGrad", 2, 1, with("negative_slope", 3.0f)},
          {"LeakyReluGrad", 2, 1, with("negative_slope", 0x1p-12f)},
          {"Log1p"},
          {"Mish"},
          {"Mod", 2},
          {"PRelu", 2},
          {"Pow", 2},
          {"ReciprocalGrad", 2},
          {"Relu6Grad", 2},
          {"ReluGrad", 2},
          {"RsqrtGrad", 2},
          {"SGD", 6, 3},
          {"Selu"},
          {"SigmoidCrossEntropyWithLogits", 2},
          {"SigmoidGrad", 2},
          {"Softplus"},
          {"Softsign"},
          {"SqrtGrad", 2},
          {"Swish", 1, 1, with("scale", 3.0f)},
          {"TanhGrad", 2},
          {"ThresholdedRelu", 1, 1, with("alpha", 0.0f)}};
}

/// A value of \p dtype: any bits of a 16-bit float; of fp32 any magnitude,
/// often one near 1 or in the range of fp16; small, large and any integers.
uint64_t randomBits(std::mt19937 &random, DataType dtype) {
  const uint32_t bits = random();
  switch (dtype) {
  case DataType::Float16:
  case DataType::BFloat16:
    return bits & 0xFFFF;
  case DataType::Float: {
    if (bits % 64 == 0)
      return bits % 128 ? 0x7F800000 : 0x7FC00000;
    const uint32_t spread = bits % 3 == 0 ? 250 : bits % 3 == 1 ? 60 : 4;
    const uint32_t exponent = 127 - spread / 2 + random() % spread;
    return (bits & 0x807FFFFF) | exponent << 23;
  }
  default:
    return bits % 4 == 0   ? 0x80000000
           : bits % 4 == 1 ? static_cast<uint32_t>(-1)
                           : bits >> random() % 32;
  }
}

TestTensor randomTensor(std::mt19937 &random, const TensorDesc &desc) {
  TestTensor tensor{desc, std::vector<std::byte>(desc.byteSize())};
  const unsigned size = getBitWidth(desc.dtype) / 8;
  for (int64_t i = 0; i < desc.numElements(); ++i) {
    const uint64_t bits = randomBits(random, desc.dtype);
    std::memcpy(tensor.bytes.data() + i * size, &bits, size);
  }
  return tensor;
}

std::vector<TensorDesc> listDescs(DataType dtype, unsigned count,
                                  const std::vector<Shape> &shapes) {
  std::vector<TensorDesc> descs;
  for (unsigned i = 0; i < count; ++i)
    descs.push_back(
        plainDesc(dtype, i < shapes.size() ? shapes[i] : Shape{ExploredCount}));
  return descs;
}

/// What \p op raises in all configurations, if it has arithmetic for these
/// types.
StatusBits explore(const Explored &op, const KernelEntry &entry, DataType in,
                   DataType out, std::mt19937 &random) {
  const auto inputs = listDescs(in, op.inputs, op.inputShapes);
  const auto outputs = listDescs(out, op.outputs, op.outputShapes);
  NodeSpec spec{op.type, "node", op.attrs, {}, outputs, {}};
  spec.inputs.assign(inputs.begin(), inputs.end());
  spec.constants.assign(op.inputs, nullptr);
  if (!entry.create(spec, {}))
    return status::None;
  StatusBits seen = status::None;
  for (Soc soc :
       {Soc::Ascend310, Soc::Ascend310P, Soc::Ascend910A, Soc::Ascend910B})
    for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan}) {
      std::vector<TestTensor> tensors;
      for (const TensorDesc &desc : inputs)
        tensors.push_back(randomTensor(random, desc));
      seen |=
          runNode(op.type, std::move(tensors), outputs, op.attrs, {soc, mode})
              .status.valid;
    }
  return seen;
}

} // namespace

TEST(StatusExplorationTest, DeclaredIsWhatHappens) {
  constexpr std::pair<DataType, DataType> types[] = {
      {DataType::Float16, DataType::Float16},
      {DataType::Float, DataType::Float},
      {DataType::Float, DataType::Float16},
      {DataType::BFloat16, DataType::BFloat16},
      {DataType::Int32, DataType::Int32}};
  const Registry registry = Registry::withBuiltins();
  std::map<std::string, StatusBits> seen;
  std::mt19937 random(11);
  for (const auto &operators : {exploredOperators(), exploredLineOperators()})
    for (const Explored &op : operators) {
      const KernelEntry *entry = registry.lookup(op.type);
      ASSERT_TRUE(entry) << op.type;
      for (const auto &[in, out] : types)
        seen[op.type] |= explore(op, *entry, in, out, random);
    }
  for (const auto &[type, bits] : seen)
    EXPECT_EQ(registry.lookup(type)->statusBits, bits) << type;
}
