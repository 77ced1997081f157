// Chains of many instructions, for which no row of the table would be smallest:
// random operands of all magnitudes must raise every declared bit, and no
// other.

#include "StatusExploration.h"

#include "KernelTester.h"

#include <map>
#include <random>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

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
