//===- Comparison.cpp - Comparisons, and selection by their results -------===//

#include "Builtins.h"
#include "ElementwiseShape.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>

using namespace npu;
using namespace npu::kernels;

namespace {

constexpr int64_t ChunkSize = 4096;

/// Elements [begin, begin + count) of operand \p operand, in place or in
/// \p buffer.
const std::byte *fetch(const ElementwiseShape &shape, size_t operand,
                       const std::byte *data, int64_t begin, int64_t count,
                       unsigned size, std::vector<std::byte> &buffer) {
  if (shape.access(operand) == ElementwiseShape::Access::Flat)
    return data + begin * size;
  buffer.resize(count * size);
  if (shape.access(operand) == ElementwiseShape::Access::Gathered)
    shape.gather(operand, data, begin, count, size, buffer.data());
  else
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(buffer.data() + i * size, data, size);
  return buffer.data();
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Compares \p count elements at \p a and \p b to bytes of 0 and 1, or combines
/// them to elements of their type.
using Comparer = void (*)(const void *a, const void *b, int64_t count,
                          void *to);

template <typename T, typename Relation, typename Result = uint8_t>
void compare(const void *a, const void *b, int64_t count, void *to) {
  const T *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
  for (int64_t i = 0; i < count; ++i)
    static_cast<Result *>(to)[i] = static_cast<Result>(Relation()(x[i], y[i]));
}

/// 16-bit floats, as fp32.
template <DataType Type, typename Relation>
void compareWidened(const void *a, const void *b, int64_t count, void *to) {
  std::vector<float> x(count), y(count);
  toFloat(Type, a, x);
  toFloat(Type, b, y);
  compare<float, Relation>(x.data(), y.data(), count, to);
}

/// Of floating-point types.
template <typename Relation>
Comparer getFloatComparer(DataType dtype) {
  switch (dtype) {
  case DataType::Float:
    return compare<float, Relation>;
  case DataType::Double:
    return compare<double, Relation>;
  case DataType::Float16:
    return compareWidened<DataType::Float16, Relation>;
  case DataType::BFloat16:
    return compareWidened<DataType::BFloat16, Relation>;
  default:
    return nullptr;
  }
}

template <typename Relation>
Comparer getComparer(DataType dtype) {
  switch (dtype) {
  case DataType::Int8:
    return compare<int8_t, Relation>;
  case DataType::UInt8:
  case DataType::Bool:
    return compare<uint8_t, Relation>;
  case DataType::Int16:
    return compare<int16_t, Relation>;
  case DataType::UInt16:
    return compare<uint16_t, Relation>;
  case DataType::Int32:
    return compare<int32_t, Relation>;
  case DataType::UInt32:
    return compare<uint32_t, Relation>;
  case DataType::Int64:
    return compare<int64_t, Relation>;
  case DataType::UInt64:
    return compare<uint64_t, Relation>;
  default:
    return getFloatComparer<Relation>(dtype);
  }
}

/// Bits are the same for either sign.
template <typename Operation>
Comparer getBitwise(DataType dtype) {
  switch (dtype) {
  case DataType::Int8:
  case DataType::UInt8:
    return compare<uint8_t, Operation, uint8_t>;
  case DataType::Int16:
  case DataType::UInt16:
    return compare<uint16_t, Operation, uint16_t>;
  case DataType::Int32:
  case DataType::UInt32:
    return compare<uint32_t, Operation, uint32_t>;
  case DataType::Int64:
  case DataType::UInt64:
    return compare<uint64_t, Operation, uint64_t>;
  default:
    return nullptr;
  }
}

// The first operand decides alone.
struct IsZero {
  bool operator()(uint8_t a, uint8_t) const { return a == 0; }
};
struct IsNan {
  bool operator()(auto a, auto) const { return std::isnan(a); }
};
struct IsInfinite {
  bool operator()(auto a, auto) const { return std::isinf(a); }
};
struct IsFinite {
  bool operator()(auto a, auto) const { return std::isfinite(a); }
};

template <typename Relation>
Comparer getLogical(DataType dtype) {
  return dtype == DataType::Bool ? compare<uint8_t, Relation> : nullptr;
}

struct Row {
  std::string_view type;
  Comparer (*get)(DataType dtype);
  size_t arity = 2;       ///< with 1, the operand is both
  bool keepsType = false; ///< the result has the operands' type, else bool
};

constexpr Row rows[] = {
    {"Equal", getComparer<std::equal_to<>>},
    {"NotEqual", getComparer<std::not_equal_to<>>},
    {"Less", getComparer<std::less<>>},
    {"LessEqual", getComparer<std::less_equal<>>},
    {"Greater", getComparer<std::greater<>>},
    {"GreaterEqual", getComparer<std::greater_equal<>>},
    {"LogicalAnd", getLogical<std::logical_and<>>},
    {"LogicalOr", getLogical<std::logical_or<>>},
    {"LogicalNot", getLogical<IsZero>, 1},
    {"IsNan", getFloatComparer<IsNan>, 1},
    {"IsInf", getFloatComparer<IsInfinite>, 1},
    {"IsFinite", getFloatComparer<IsFinite>, 1},
    {"BitwiseAnd", getBitwise<std::bit_and<>>, 2, true},
    {"BitwiseOr", getBitwise<std::bit_or<>>, 2, true},
};

class ComparisonKernel final : public Kernel {
public:
  ComparisonKernel(ElementwiseShape shape, Comparer comparer, unsigned size,
                   unsigned resultSize)
      : shape(std::move(shape)), comparer(comparer), size(size),
        resultSize(resultSize) {}

  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    context.pool.parallelFor(
        shape.numElements(), ChunkSize,
        [&](int64_t begin, int64_t end, int64_t) {
          std::vector<std::byte> buffers[2];
          const std::byte *operands[2];
          for (size_t i = 0; i < 2; ++i) {
            const size_t from = std::min(i, inputs.size() - 1);
            operands[i] = fetch(shape, from, inputs[from].data, begin,
                                end - begin, size, buffers[i]);
          }
          comparer(operands[0], operands[1], end - begin,
                   outputs[0].data + begin * resultSize);
        });
    return NodeStatus{};
  }

private:
  ElementwiseShape shape;
  Comparer comparer;
  unsigned size, resultSize; ///< of an element
};

Expected<std::unique_ptr<Kernel>>
ComparisonKernel::create(const NodeSpec &spec, const NumericConfig &) {
  const Row *row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const Row &r) { return r.type == spec.type; });
  if (row == std::end(rows))
    return nodeError(spec, "is not a comparison");
  if (Status status = checkArity(spec, row->arity, 1); !status)
    return status;
  if (spec.inputs.size() != row->arity)
    return nodeError(spec, "has " + std::to_string(spec.inputs.size()) +
                               " inputs, expected " +
                               std::to_string(row->arity));
  const TensorDesc &a = *spec.inputs[0], &b = *spec.inputs[row->arity - 1];
  const Comparer comparer = row->get(a.dtype);
  const DataType result = row->keepsType ? a.dtype : DataType::Bool;
  if (!comparer || a.dtype != b.dtype || spec.outputs[0].dtype != result)
    return nodeError(spec, "no comparison of " + a.toString() + " with " +
                               b.toString() + " to " +
                               spec.outputs[0].toString());
  const TensorDesc *operands[] = {&a, &b};
  auto shape = ElementwiseShape::create(spec.outputs[0],
                                        std::span(operands).first(row->arity));
  if (!shape)
    return inNode(spec, shape.takeStatus());
  return std::unique_ptr<Kernel>(std::make_unique<ComparisonKernel>(
      std::move(*shape), comparer, getBitWidth(a.dtype) / 8,
      getBitWidth(result) / 8));
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

class SelectKernel final : public Kernel {
public:
  /// The inputs that are the condition, what it selects, and what else.
  using Order = std::array<size_t, 3>;

  SelectKernel(ElementwiseShape shape, unsigned size, Order order)
      : shape(std::move(shape)), size(size), order(order) {}

  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    context.pool.parallelFor(
        shape.numElements(), ChunkSize,
        [&](int64_t begin, int64_t end, int64_t) {
          std::vector<std::byte> buffers[3];
          const std::byte *operands[3];
          for (size_t i = 0; i < 3; ++i)
            operands[i] = fetch(shape, i, inputs[order[i]].data, begin,
                                end - begin, i == 0 ? 1 : size, buffers[i]);
          std::byte *to = outputs[0].data + begin * size;
          for (int64_t i = 0, e = end - begin; i != e; ++i)
            std::memcpy(to + i * size,
                        operands[operands[0][i] != std::byte(0) ? 1 : 2] +
                            i * size,
                        size);
        });
    return NodeStatus{};
  }

private:
  ElementwiseShape shape;
  unsigned size;
  Order order;
};

Expected<std::unique_ptr<Kernel>> SelectKernel::create(const NodeSpec &spec,
                                                       const NumericConfig &) {
  if (Status status = checkArity(spec, 3, 1); !status)
    return status;
  // MaskedFill: x, mask, value.
  const Order order =
      spec.type == "MaskedFill" ? Order{1, 2, 0} : Order{0, 1, 2};
  const TensorDesc &condition = *spec.inputs[order[0]], &y = spec.outputs[0];
  bool suits = condition.dtype == DataType::Bool && getBitWidth(y.dtype) != 0 &&
               getBitWidth(y.dtype) % 8 == 0;
  std::vector<const TensorDesc *> operands;
  for (size_t index : order)
    operands.push_back(&*spec.inputs[index]);
  for (size_t i : {1, 2})
    suits &= operands[i]->dtype == y.dtype;
  if (!suits)
    return nodeError(spec, "no selection of " + operands[1]->toString() +
                               " and " + operands[2]->toString() + " by " +
                               condition.toString() + " to " + y.toString());
  // The condition of Select may be a vector along the first axis.
  std::optional<unsigned> vectorAxis;
  if (spec.type == "Select" && condition.shape.size() == 1 &&
      operands[1]->shape == y.shape && operands[2]->shape == y.shape)
    vectorAxis = 0;
  auto shape = ElementwiseShape::create(y, operands, vectorAxis);
  if (!shape)
    return inNode(spec, shape.takeStatus());
  return std::unique_ptr<Kernel>(std::make_unique<SelectKernel>(
      std::move(*shape), getBitWidth(y.dtype) / 8, order));
}

} // namespace

void kernels::addComparison(Registry &registry) {
  for (const Row &row : rows)
    registry.add(std::string(row.type),
                 {ComparisonKernel::create, "exact", status::None});
  for (const char *type : {"MaskedFill", "Select", "SelectV2"})
    registry.add(type, {SelectKernel::create, "copies", status::None});
}
