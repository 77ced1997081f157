//===- Elementwise.cpp - The element-wise operators -----------------------===//

#include "AttributeOr.h"
#include "Builtins.h"
#include "ElementwiseRow.h"
#include "ElementwiseShape.h"
#include "ElementwiseTable.h"
#include "FloatElements.h"
#include "ImplMode.h"
#include "LaneStatus.h"
#include "PointwiseLoop.h"
#include "Workspaces.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Elements computed at a time: operands of a chunk stay in the L1 cache.
constexpr int64_t ChunkSize = 4096;
/// Elements that a thread gets at once: a chunk can take less time than threads
/// that meet at a lock.
constexpr int64_t PieceSize = 4 * ChunkSize;

// From -1 to 1.
constexpr StatusBits BoundedBits = FloatProductBits & ~status::CastOverflow;

constexpr std::string_view InHalf = "fp16, every instruction rounds";
constexpr std::string_view InFloat = "fp32, one rounding at the end";
constexpr std::string_view InEither =
    "fp16 instruction; high_precision: fp32, one rounding";
constexpr std::string_view NoRounding = "exact";

// reference: docs/Kernels.md, element-wise operators
constexpr ElementwiseRow rows[] = {
    {"Add", ElementwiseOp::Add, 2, Rounding::EveryInstruction, ArithmeticBits,
     InHalf},
    {"AddV2", ElementwiseOp::Add, 2, Rounding::EveryInstruction, ArithmeticBits,
     InHalf},
    {"BiasAdd", ElementwiseOp::Add, 2, Rounding::EveryInstruction,
     ArithmeticBits, InHalf, 1, nullptr, true},
    {"Sub", ElementwiseOp::Sub, 2, Rounding::EveryInstruction, ArithmeticBits,
     InHalf},
    {"Mul", ElementwiseOp::Mul, 2, Rounding::EveryInstruction, ProductBits,
     InHalf},
    {"RealDiv", ElementwiseOp::Div, 2, Rounding::ByImplMode, FloatProductBits,
     InEither},
    {"AssignAdd", ElementwiseOp::Add, 2, Rounding::EveryInstruction,
     ArithmeticBits, InHalf},
    {"AssignSub", ElementwiseOp::Sub, 2, Rounding::EveryInstruction,
     ArithmeticBits, InHalf},
    {"DivNoNan", ElementwiseOp::DivNoNan, 2, Rounding::AtEnd,
     FloatArithmeticBits, InFloat},
    {"ReluGrad", ElementwiseOp::ReluGrad, 2, Rounding::EveryInstruction,
     ExactBits, NoRounding},
    {"Maximum", ElementwiseOp::Maximum, 2, Rounding::EveryInstruction,
     ExactBits, NoRounding},
    {"Minimum", ElementwiseOp::Minimum, 2, Rounding::EveryInstruction,
     ExactBits, NoRounding},
    {"Neg", ElementwiseOp::Neg, 1, Rounding::EveryInstruction,
     ExactBits | status::NegateMinimum, NoRounding},
    {"Abs", ElementwiseOp::Abs, 1, Rounding::EveryInstruction,
     ExactBits | status::NegateMinimum, NoRounding},
    {"Square", ElementwiseOp::Square, 1, Rounding::EveryInstruction,
     ProductBits, InHalf},
    {"Sqrt", ElementwiseOp::Sqrt, 1, Rounding::AtEnd, ExactBits, InFloat},
    {"Rsqrt", ElementwiseOp::Rsqrt, 1, Rounding::AtEnd, FloatArithmeticBits,
     InFloat},
    {"Reciprocal", ElementwiseOp::Reciprocal, 1, Rounding::AtEnd,
     FloatArithmeticBits, InFloat},
    {"Inv", ElementwiseOp::Reciprocal, 1, Rounding::AtEnd, FloatArithmeticBits,
     InFloat},
    {"Exp", ElementwiseOp::Exp, 1, Rounding::ByImplMode, FloatProductBits,
     InEither},
    {"Log", ElementwiseOp::Log, 1, Rounding::ByImplMode, FloatProductBits,
     InEither},
    {"Relu", ElementwiseOp::Relu, 1, Rounding::EveryInstruction, ExactBits,
     NoRounding},
    {"Relu6", ElementwiseOp::Relu6, 1, Rounding::EveryInstruction,
     ExactBits & ~status::CastOverflow, NoRounding},
    {"LeakyRelu", ElementwiseOp::LeakyRelu, 1, Rounding::EveryInstruction,
     FloatProductBits, InHalf},
    {"Sigmoid", ElementwiseOp::Sigmoid, 1, Rounding::Sigmoid, FloatProductBits,
     "310, 910A: fp16, every instruction rounds; 310P, 910B: fp32, one "
     "rounding"},
    {"Tanh", ElementwiseOp::Tanh, 1, Rounding::Tanh, BoundedBits,
     "fp32, one rounding at the end; 310: exp in fp16"},
    {"Muls", ElementwiseOp::MulScalar, 1, Rounding::EveryInstruction,
     ProductBits, InHalf},
    {"Adds", ElementwiseOp::AddScalar, 1, Rounding::EveryInstruction,
     ArithmeticBits, InHalf},
    {"AddN", ElementwiseOp::Sum, 0, Rounding::AtEnd, ArithmeticBits,
     "fp32 sum from left to right, one rounding at the end"},
    {"AccumulateNV2", ElementwiseOp::Sum, 0, Rounding::AtEnd, ArithmeticBits,
     "fp32 sum from left to right, one rounding at the end"},
    {"Eltwise", ElementwiseOp::Sum, 0, Rounding::EveryInstruction, ProductBits,
     InHalf},
};

ElementwisePath pathForHalf(Rounding rounding, const NumericConfig &config,
                            int64_t implMode) {
  // Ascend310 has vexp and vln in fp16 only.
  const bool floatExp = config.soc != Soc::Ascend310;
  switch (rounding) {
  case Rounding::EveryInstruction:
    return ElementwisePath::Half;
  case Rounding::AtEnd:
    return ElementwisePath::Float;
  case Rounding::ByImplMode:
    return (implMode & HighPrecision) && floatExp ? ElementwisePath::Float
                                                  : ElementwisePath::Half;
  case Rounding::Sigmoid:
    // high_precision is the default for this operator where it has a choice.
    if (config.soc == Soc::Ascend310P)
      return ElementwisePath::Float;
    return config.soc == Soc::Ascend910B && !(implMode & HighPerformance)
               ? ElementwisePath::Float
               : ElementwisePath::Half;
  case Rounding::Tanh:
    return floatExp ? ElementwisePath::Float : ElementwisePath::FloatHalfExp;
  case Rounding::Gelu:
    if (implMode & HighPerformance)
      return ElementwisePath::Half;
    [[fallthrough]];
  case Rounding::HalfOn310:
    return floatExp ? ElementwisePath::Float : ElementwisePath::Half;
  }
  return ElementwisePath::Half;
}

ElementwisePath pathForFloat(const NumericConfig &config) {
  return config.soc == Soc::Ascend310 ? ElementwisePath::FloatHalfExp
                                      : ElementwisePath::Float;
}

using Binding = ElementwiseBinding;

Expected<Binding> bindExpOrLog(const NodeSpec &spec, ElementwiseOp op) {
  auto base = spec.attribute<float>("base");
  auto scale = spec.attribute<float>("scale");
  auto shift = spec.attribute<float>("shift");
  for (auto *attr : {&base, &scale, &shift})
    if (!*attr)
      return attr->takeStatus();
  float factor = 1;
  if (*base != -1.0f) {
    if (!(*base > 0) || (op == ElementwiseOp::Log && *base == 1))
      return Status::error("attribute 'base' is " + std::to_string(*base) +
                           ", expected -1 or a positive number");
    const double logarithm = std::log(static_cast<double>(*base));
    factor = static_cast<float>(op == ElementwiseOp::Exp ? logarithm
                                                         : 1 / logarithm);
  }
  return Binding{op, {*scale, *shift, factor}};
}

Expected<Binding> bindEltwise(const NodeSpec &spec) {
  auto mode = spec.attribute<int64_t>("mode");
  auto coeff = spec.attribute<std::vector<float>>("coeff");
  if (!mode)
    return mode.takeStatus();
  if (!coeff)
    return coeff.takeStatus();
  switch (*mode) {
  case 0:
    return Binding{ElementwiseOp::Product, {}};
  case 1:
    if (coeff->empty())
      return Binding{ElementwiseOp::Sum, {}};
    if (coeff->size() != spec.inputs.size())
      return Status::error("attribute 'coeff' has " +
                           std::to_string(coeff->size()) +
                           " elements, expected one for each of " +
                           std::to_string(spec.inputs.size()) + " inputs");
    return Binding{ElementwiseOp::WeightedSum, std::move(*coeff)};
  case 2:
    return Binding{ElementwiseOp::Largest, {}};
  default:
    return Status::error("attribute 'mode' is " + std::to_string(*mode) +
                         ", expected 0 (product), 1 (sum) or 2 (max)");
  }
}

Expected<Binding> bindAttributes(const NodeSpec &spec,
                                 const ElementwiseRow &row,
                                 const NumericConfig &config) {
  if (row.bind)
    return row.bind(spec, row.op, config);
  auto scalar = [&](Expected<float> value) -> Expected<Binding> {
    if (!value)
      return value.takeStatus();
    return Binding{row.op, {*value}};
  };
  if (row.type == "Eltwise")
    return bindEltwise(spec);
  switch (row.op) {
  case ElementwiseOp::MulScalar:
  case ElementwiseOp::AddScalar:
    return scalar(spec.attrs.require<float>("value"));
  case ElementwiseOp::LeakyRelu:
    return scalar(spec.attribute<float>("negative_slope"));
  case ElementwiseOp::Exp:
  case ElementwiseOp::Log:
    return bindExpOrLog(spec, row.op);
  default:
    return Binding{row.op, {}};
  }
}

/// The axis of the output along which a bias, or a slope, lies.
Expected<unsigned> biasAxis(const NodeSpec &spec) {
  auto format = attributeOr<std::string>(spec, "data_format", "NHWC");
  if (!format)
    return format.takeStatus();
  auto layout = Layout::create(spec.outputs.front());
  if (!layout)
    return layout.takeStatus();
  if (!isPlain(spec.outputs.front().format))
    if (auto channel = layout->findAxis('C'))
      return *channel;
  const size_t rank = layout->axes().size();
  // PRelu has no attribute but the format of its tensor.
  const bool isLast =
      spec.type == "PRelu"
          ? spec.outputs.front().format == Format::NHWC || rank == 1
          : !format->starts_with("NC");
  const size_t axis = isLast ? std::max<size_t>(rank, 1) - 1 : 1;
  if (axis >= rank)
    return Status::error("output " + spec.outputs.front().toString() +
                         " has no channels to add a bias to");
  return static_cast<unsigned>(axis);
}

class ElementwiseKernel final : public Kernel, private Pointwise {
public:
  static Expected<std::unique_ptr<Kernel>> create(const ElementwiseRow &row,
                                                  const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;
  bool tellsFinished() const override { return outputTypes.size() == 1; }
  Pointwise *pointwise() override;

private:
  explicit ElementwiseKernel(ElementwiseShape shape)
      : shape(std::move(shape)) {}

  /// What a thread keeps from chunk to chunk.
  struct Workspace {
    std::vector<std::vector<std::byte>> gathered; ///< an operand each
    std::vector<const void *> operands;
    std::vector<void *> results;
    std::vector<std::vector<float>> floats; ///< operands, then results
  };

  ElementwiseShape shape;
  Binding binding;
  std::vector<DataType> inputTypes, outputTypes;
  OverflowMode mode = OverflowMode::Saturate;
  ElementwisePath path = ElementwisePath::Half;
  bool inOwnType = false; ///< integers and doubles
  bool isHalf = false;    ///< all tensors are fp16
  ElementwiseFunction function = nullptr;
  QuietFunction quietFunction = nullptr;
  // Made once as many elements were computed as it has.
  std::shared_ptr<const HalfTable> table;
  size_t computed = 0;
  Workspaces<Workspace> workspaces;

  Status bindTypes(const ElementwiseRow &row, const NodeSpec &spec,
                   const NumericConfig &config);
  void bindFunctions();
  void considerTable();
  /// Whether elements are computed in fp32 whatever their type in memory.
  bool inFloat() const { return !inOwnType && path != ElementwisePath::Half; }
  /// Computes a chunk where that takes no work space and nothing happens.
  std::optional<StatusBits> computeQuickly(std::span<const void *const> inputs,
                                           std::span<void *const> outputs,
                                           size_t count) const {
    if (table)
      return table->apply(static_cast<const uint16_t *>(inputs[0]),
                          static_cast<uint16_t *>(outputs[0]), count);
    return quietFunction
               ? quietFunction({inputs, outputs, count, binding.params})
               : std::nullopt;
  }
  /// Computes a chunk from its elements in memory.
  StatusBits computeStored(std::span<const void *const> inputs,
                           std::span<void *const> outputs, size_t count,
                           Workspace &space) const;
  /// Computes the elements [begin, begin + count) that \p space points to.
  void computeChunk(int64_t begin, int64_t count, Workspace &space,
                    LaneStatus &status) const;
  void prepare() override { considerTable(); }
  NodeStatus computeRange(int64_t begin, int64_t count,
                          std::span<const void *const> inputs,
                          void *output) override;
  /// Elements [begin, begin + count) of an operand as they are stored: in
  /// place, or in \p buffer.
  const std::byte *fetch(size_t operand, const std::byte *data, int64_t begin,
                         int64_t count, std::vector<std::byte> &buffer) const;
  unsigned storedSize(size_t operand) const {
    return getBitWidth(inputTypes[operand]) / 8;
  }
  unsigned resultSize(size_t result) const {
    return getBitWidth(outputTypes[result]) / 8;
  }
};

} // namespace

Status ElementwiseKernel::bindTypes(const ElementwiseRow &row,
                                    const NodeSpec &spec,
                                    const NumericConfig &config) {
  mode = config.overflow;
  const DataType outputType = spec.outputs.front().dtype;
  bool uniform = true, floats = true;
  for (const auto &input : spec.inputs)
    inputTypes.push_back(input->dtype);
  for (const TensorDesc &output : spec.outputs)
    outputTypes.push_back(output.dtype);
  for (const auto &types : {inputTypes, outputTypes})
    for (DataType type : types) {
      uniform &= type == outputType;
      floats &= isFloatType(type);
    }
  if (uniform && !floats) {
    function = outputType == DataType::Double
                   ? getDoubleFunction(binding.op)
                   : getIntegerFunction(binding.op, outputType);
    inOwnType = true;
    if (function && outputType != DataType::Double)
      for (float param : binding.params)
        if (param != std::trunc(param) || std::abs(param) > 0x1p30f)
          return Status::error("a scalar of " + std::to_string(param) +
                               " is no operand for integers");
    if (function)
      return {};
  } else if (uniform && floats) {
    auto implMode = readImplMode(spec);
    if (!implMode)
      return implMode.takeStatus();
    path = outputType == DataType::Float16
               ? pathForHalf(row.rounding, config, *implMode)
               : pathForFloat(config);
    return {};
  } else if (floats) {
    // Mixed types meet in fp32.
    path = pathForFloat(config);
    return {};
  }
  std::string types;
  for (DataType type : inputTypes)
    types += std::string(getName(type)) + " ";
  return Status::error("no arithmetic for " + types + "to " +
                       std::string(getName(outputType)));
}

Expected<std::unique_ptr<Kernel>>
ElementwiseKernel::create(const ElementwiseRow &row, const NodeSpec &spec,
                          const NumericConfig &config) {
  if (spec.outputs.size() != row.results || spec.inputs.empty() ||
      (row.arity != 0 && spec.inputs.size() != row.arity))
    return Status::error(spec.type + " '" + spec.name + "' has " +
                         std::to_string(spec.inputs.size()) + " inputs and " +
                         std::to_string(spec.outputs.size()) +
                         " outputs, expected " +
                         (row.arity ? std::to_string(row.arity) : "some") +
                         " and " + std::to_string(row.results));
  std::vector<const TensorDesc *> operands;
  for (const auto &input : spec.inputs) {
    if (!input)
      return Status::error(spec.type + " '" + spec.name +
                           "' lacks an input that is not optional");
    operands.push_back(&*input);
  }
  auto binding = bindAttributes(spec, row, config);
  if (!binding)
    return binding.takeStatus().withContext(spec.name);
  std::optional<unsigned> vectorAxis;
  if (row.channelOperand) {
    auto axis = biasAxis(spec);
    if (!axis)
      return axis.takeStatus().withContext(spec.name);
    vectorAxis = *axis;
  }
  for (const TensorDesc &other : std::span(spec.outputs).subspan(1))
    if (other.shape != spec.outputs.front().shape ||
        other.format != spec.outputs.front().format)
      return Status::error(spec.type + " '" + spec.name + "': outputs " +
                           spec.outputs.front().toString() + " and " +
                           other.toString() + " differ in layout");
  auto shape =
      ElementwiseShape::create(spec.outputs.front(), operands, vectorAxis);
  if (!shape)
    return shape.takeStatus().withContext(spec.name);
  std::unique_ptr<ElementwiseKernel> kernel(
      new ElementwiseKernel(std::move(*shape)));
  kernel->binding = std::move(*binding);
  if (Status status = kernel->bindTypes(row, spec, config); !status)
    return std::move(status).withContext(spec.type + " '" + spec.name + "'");
  kernel->bindFunctions();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

void ElementwiseKernel::bindFunctions() {
  if (!inOwnType)
    function = getFloatFunction(binding.op, path, mode);
  isHalf = !inOwnType;
  for (const auto &types : {inputTypes, outputTypes})
    for (DataType type : types)
      isHalf &= type == DataType::Float16;
  if (isHalf)
    quietFunction = getQuietFunction(binding.op, path);
}

void ElementwiseKernel::considerTable() {
  if (table || quietFunction || !isHalf || inputTypes.size() != 1 ||
      outputTypes.size() != 1)
    return;
  computed += static_cast<size_t>(shape.numElements());
  if (computed < HalfTable::Size)
    return;
  Workspace space;
  table = getHalfTable({binding.op, path, mode, binding.params},
                       [&](const uint16_t *from, uint16_t *to, size_t count) {
                         const void *const input = from;
                         void *const output = to;
                         return computeStored({&input, 1}, {&output, 1}, count,
                                              space);
                       });
}

StatusBits ElementwiseKernel::computeStored(std::span<const void *const> inputs,
                                            std::span<void *const> outputs,
                                            size_t count,
                                            Workspace &space) const {
  if (auto bits = computeQuickly(inputs, outputs, count))
    return *bits;
  if (!inFloat())
    return function({inputs, outputs, count, binding.params});

  // Elements of other types pass through buffers.
  space.floats.resize(inputs.size() + outputs.size());
  std::vector<const void *> widened(inputs.begin(), inputs.end());
  std::vector<void *> unrounded(outputs.begin(), outputs.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputTypes[i] != DataType::Float) {
      space.floats[i].resize(count);
      toFloat(inputTypes[i], inputs[i], space.floats[i]);
      widened[i] = space.floats[i].data();
    }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputTypes[i] != DataType::Float) {
      space.floats[inputs.size() + i].resize(count);
      unrounded[i] = space.floats[inputs.size() + i].data();
    }
  StatusBits bits = function({widened, unrounded, count, binding.params});
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputTypes[i] != DataType::Float)
      bits |= fromFloat(outputTypes[i], space.floats[inputs.size() + i],
                        outputs[i], mode);
  return bits;
}

const std::byte *
ElementwiseKernel::fetch(size_t operand, const std::byte *data, int64_t begin,
                         int64_t count, std::vector<std::byte> &buffer) const {
  const unsigned size = storedSize(operand);
  switch (shape.access(operand)) {
  case ElementwiseShape::Access::Flat:
    return data + begin * size;
  case ElementwiseShape::Access::Scalar:
    buffer.resize(count * size);
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(data, size, buffer.data() + i * size);
    break;
  case ElementwiseShape::Access::Gathered:
    buffer.resize(count * size);
    shape.gather(operand, data, begin, count, size, buffer.data());
    break;
  }
  return buffer.data();
}

void ElementwiseKernel::computeChunk(int64_t begin, int64_t count,
                                     Workspace &space,
                                     LaneStatus &status) const {
  const StatusBits bits = computeStored(space.operands, space.results,
                                        static_cast<size_t>(count), space);
  if (bits == npu::status::None)
    return;
  std::vector<ChunkInput> chunks;
  for (size_t i = 0; i < inputTypes.size(); ++i)
    chunks.push_back(
        {static_cast<const std::byte *>(space.operands[i]), storedSize(i)});
  status.record(bits, begin, count, chunks,
                [&](std::span<const void *const> packed, size_t n) {
                  std::vector<std::vector<std::byte>> scratch;
                  std::vector<void *> discarded;
                  for (size_t i = 0; i < outputTypes.size(); ++i)
                    discarded.push_back(
                        scratch.emplace_back(n * resultSize(i)).data());
                  return computeStored(packed, discarded, n, space);
                });
}

Pointwise *ElementwiseKernel::pointwise() {
  for (size_t i = 0; i < inputTypes.size(); ++i)
    if (shape.access(i) != ElementwiseShape::Access::Flat)
      return nullptr;
  return outputTypes.size() == 1 ? this : nullptr;
}

NodeStatus ElementwiseKernel::computeRange(int64_t begin, int64_t count,
                                           std::span<const void *const> inputs,
                                           void *output) {
  // Threads that share work spaces wait for each other.
  if (computeQuickly(inputs, {&output, 1}, static_cast<size_t>(count)) ==
      npu::status::None)
    return {};
  const Workspaces<Workspace>::Handle space(workspaces);
  space->operands.assign(inputs.begin(), inputs.end());
  space->results.assign(1, output);
  LaneStatus status(shape.lanes());
  computeChunk(begin, count, *space, status);
  return status.status();
}

Expected<NodeStatus>
ElementwiseKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                       std::span<const MutableTensor> outputs) {
  if (Pointwise *self = pointwise())
    return runPointwise(*self, context, inputs, outputs[0], ChunkSize);
  considerTable();
  const size_t numInputs = inputs.size();
  const int64_t total = shape.numElements();
  // A scalar is the same in every chunk.
  std::vector<std::vector<std::byte>> scalars(numInputs);
  for (size_t i = 0; i < numInputs; ++i)
    if (shape.access(i) == ElementwiseShape::Access::Scalar)
      fetch(i, inputs[i].data, 0, std::min(total, ChunkSize), scalars[i]);

  LaneStatus status(shape.lanes());
  const auto runChunk = [&](int64_t begin, int64_t count, Workspace &space) {
    for (size_t i = 0; i < numInputs; ++i)
      space.operands[i] = scalars[i].empty() ? fetch(i, inputs[i].data, begin,
                                                     count, space.gathered[i])
                                             : scalars[i].data();
    for (size_t i = 0; i < outputs.size(); ++i)
      space.results[i] = outputs[i].data + begin * resultSize(i);
    computeChunk(begin, count, space, status);
  };
  context.pool.parallelFor(
      total, PieceSize, [&](int64_t begin, int64_t end, int64_t) {
        const Workspaces<Workspace>::Handle space(workspaces);
        space->gathered.resize(numInputs);
        space->operands.resize(numInputs);
        space->results.resize(outputs.size());
        for (int64_t at = begin; at < end; at += ChunkSize)
          runChunk(at, std::min(ChunkSize, end - at), *space);
        if (context.finished)
          context.finished(begin, end);
      });
  return status.status();
}

Expected<std::unique_ptr<Kernel>>
kernels::createElementwise(const ElementwiseRow &row, const NodeSpec &spec,
                           const NumericConfig &config) {
  return ElementwiseKernel::create(row, spec, config);
}

void kernels::addElementwise(Registry &registry) {
  addElementwiseRows<rows>(registry);
}
