//===- Reduction.cpp - Sums, products, maxima over axes -------------------===//

#include "AxisLines.h"
#include "Builtins.h"
#include "ConstantInput.h"
#include "ExactElements.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "LineSum.h"
#include "npu/Kernels/Registry.h"

#include <cmath>
#include <limits>
#include <mutex>

using namespace npu;
using namespace npu::kernels;

namespace {

enum class Operation : uint8_t {
  Sum,
  Mean,
  Product,
  Max,
  Min,
  All, ///< of booleans
  Any,
  ArgMax,
  ArgMin,
};

bool isIndex(Operation operation) {
  return operation == Operation::ArgMax || operation == Operation::ArgMin;
}
bool isLogical(Operation operation) {
  return operation == Operation::All || operation == Operation::Any;
}

struct Row {
  std::string_view type;
  Operation operation;
  bool axesAreAttribute;
};

constexpr Row rows[] = {
    {"BiasAddGrad", Operation::Sum, true},
    {"ReduceSumD", Operation::Sum, true},
    {"ReduceSum", Operation::Sum, false},
    {"ReduceMeanD", Operation::Mean, true},
    {"ReduceMean", Operation::Mean, false},
    {"ReduceMaxD", Operation::Max, true},
    {"ReduceMax", Operation::Max, false},
    {"ReduceMinD", Operation::Min, true},
    {"ReduceMin", Operation::Min, false},
    {"ReduceProdD", Operation::Product, true},
    {"ReduceProd", Operation::Product, false},
    {"ReduceAllD", Operation::All, true},
    {"ReduceAll", Operation::All, false},
    {"ReduceAnyD", Operation::Any, true},
    {"ReduceAny", Operation::Any, false},
    {"ArgMaxD", Operation::ArgMax, true},
    {"ArgMaxV2", Operation::ArgMax, false},
    {"ArgMinD", Operation::ArgMin, true},
    {"GlobalAveragePool", Operation::Mean, true},
};

class ReductionKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  Operation operation = Operation::Sum;
  NumericConfig config;
  DataType inputType = DataType::Undefined;
  bool halfSums = false;  ///< fp16 additions one after the other
  bool byAtomics = false; ///< an fp32 sum that a device makes in memory
  TensorDesc outputDesc;
  AxisLines lines;
  Layout output;
  /// For each kept axis of the input its axis of the output; nullopt for one
  /// that the output dropped.
  std::vector<std::optional<unsigned>> outputAxes;

  Status bind(const TensorDesc &input, const std::vector<bool> &along);
  /// Positions in the input and output, for all lines of a chunk.
  struct Indices {
    std::vector<int64_t> input, output;
  };
  /// Overwrites \p values.
  NodeStatus reduceLine(std::span<float> values, float &result) const;
  int64_t outputElement(int64_t line, Indices &space) const;
  template <typename T>
  void reduceExactly(ThreadPool &pool, const T *from, std::byte *to) const;
};

/// All axes but that of the channels, which data_format names unless the
/// layout does.
Expected<std::vector<bool>> markAllButChannels(const NodeSpec &spec,
                                               const Layout &layout) {
  auto format = spec.attribute<std::string>("data_format");
  if (!format)
    return format.takeStatus();
  std::vector<bool> along(layout.axes().size(), true);
  const size_t channel = format->starts_with("NC") ? 1 : along.size() - 1;
  if (auto axis = layout.findAxis('C');
      axis && !isPlain(spec.inputs[0]->format))
    along[*axis] = false;
  else if (channel < along.size())
    along[channel] = false;
  else
    return Status::error(spec.inputs[0]->toString() + " has no channels");
  return along;
}

/// All axes but the first and that of the channels, which is the second unless
/// the format says otherwise.
Expected<std::vector<bool>> markImage(const TensorDesc &input,
                                      const Layout &layout) {
  std::vector<bool> along(layout.axes().size(), true);
  const std::string_view letters =
      axisLetters(isPlain(input.format) ? input.format : input.originFormat);
  const size_t channel =
      letters.size() == along.size() ? letters.find('C') : std::string::npos;
  for (size_t kept : {size_t(0), channel == std::string::npos ? 1 : channel})
    if (kept < along.size())
      along[kept] = false;
  if (std::find(along.begin(), along.end(), true) == along.end())
    return Status::error(input.toString() + " has no axes of an image");
  return along;
}

/// Indices from the attribute or from the constant second input.
Expected<std::vector<int64_t>> readAxes(const NodeSpec &spec, const Row &row) {
  if (isIndex(row.operation)) {
    if (!row.axesAreAttribute)
      return readConstantInput(spec, 1, "dimension");
    auto dimension = spec.attrs.require<int64_t>("dimension");
    if (!dimension)
      return dimension.takeStatus();
    return std::vector<int64_t>{*dimension};
  }
  return readIntegers(spec, row.axesAreAttribute, 1, "axes");
}

/// Axis numbers as marks on the axes of \p layout; no numbers mean all.
Expected<std::vector<bool>> markAxes(const Layout &layout,
                                     const std::vector<int64_t> &axes) {
  std::vector<bool> along(layout.axes().size(), axes.empty());
  for (int64_t axis : axes) {
    auto normal = normalizeAxis(axis, along.size());
    if (!normal)
      return normal.takeStatus();
    along[*normal] = true;
  }
  return along;
}

/// The same where the numbers count the axes N, C, H, W: what a graph has for
/// an NC1HWC0 tensor after its optimizer has been there, whatever the origin.
std::optional<std::vector<bool>> markImageAxes(const Layout &layout,
                                               std::vector<int64_t> axes) {
  std::vector<bool> along(layout.axes().size(), false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis > 3)
      return std::nullopt;
    auto found = layout.findAxis("NCHW"[axis]);
    if (!found)
      return std::nullopt;
    along[*found] = true;
  }
  return along;
}

} // namespace

Status ReductionKernel::bind(const TensorDesc &input,
                             const std::vector<bool> &along) {
  auto bound = AxisLines::create(input, along);
  if (!bound)
    return bound.takeStatus();
  lines = std::move(*bound);
  auto layout = Layout::create(outputDesc);
  if (!layout)
    return layout.takeStatus();
  output = std::move(*layout);
  // What remains, apart from units, must be the output in the same order.
  outputAxes.clear();
  unsigned next = 0;
  auto skipUnits = [&] {
    while (next < output.axes().size() && output.axes()[next].extent == 1)
      ++next;
  };
  bool matches = true;
  for (unsigned axis : lines.keptAxes()) {
    const int64_t extent = lines.layout().axes()[axis].extent;
    if (extent == 1) {
      outputAxes.push_back(std::nullopt);
      continue;
    }
    skipUnits();
    matches &=
        next < output.axes().size() && output.axes()[next].extent == extent;
    outputAxes.push_back(next++);
  }
  skipUnits();
  if (!matches || next != output.axes().size())
    return Status::error("reducing " + input.toString() + " does not give " +
                         outputDesc.toString());
  return {};
}

Expected<std::unique_ptr<Kernel>>
ReductionKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const Row *row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const Row &r) { return r.type == spec.type; });
  if (row == std::end(rows))
    return nodeError(spec, "is not a reduction");
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto kernel = std::make_unique<ReductionKernel>();
  const TensorDesc &input = *spec.inputs[0];
  kernel->operation = row->operation;
  kernel->config = config;
  kernel->inputType = input.dtype;
  kernel->outputDesc = spec.outputs[0];
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  // Ascend310 widens an fp16 tensor only for a mean in high_precision.
  kernel->halfSums =
      config.soc == Soc::Ascend310 && input.dtype == DataType::Float16 &&
      (row->operation == Operation::Sum ||
       (row->operation == Operation::Mean && !(*implMode & HighPrecision)));
  const bool isBiasGrad = row->type == "BiasAddGrad";
  const DataType result = spec.outputs[0].dtype;
  bool suits = isLogical(row->operation)
                   ? input.dtype == DataType::Bool
                   : isFloatType(input.dtype) || isExactType(input.dtype);
  if (isIndex(row->operation))
    suits &= result == DataType::Int32 || result == DataType::Int64;
  else
    suits &= result == input.dtype || (isBiasGrad && isFloatType(input.dtype) &&
                                       result == DataType::Float);
  if (!suits)
    return nodeError(spec, "no reduction of " + input.toString() + " to " +
                               spec.outputs[0].toString());
  // Atomics on a device add in fp32 only; elsewhere one core sums it all.
  if (row->operation == Operation::Sum && input.dtype == DataType::Float) {
    auto byAtomics = accumulatesByAtomics(spec);
    if (!byAtomics)
      return inNode(spec, byAtomics.takeStatus());
    kernel->byAtomics = *byAtomics;
  }
  auto layout = Layout::create(input);
  if (!layout)
    return inNode(spec, layout.takeStatus());
  const bool isGlobal = row->type == "GlobalAveragePool";
  auto axes =
      isBiasGrad || isGlobal ? std::vector<int64_t>{} : readAxes(spec, *row);
  if (!axes)
    return inNode(spec, axes.takeStatus());
  auto keepsAll = keepsAllAxes(spec, *axes);
  if (!keepsAll)
    return inNode(spec, keepsAll.takeStatus());
  auto along = isBiasGrad  ? markAllButChannels(spec, *layout)
               : isGlobal  ? markImage(input, *layout)
               : *keepsAll ? std::vector<bool>(layout->axes().size(), false)
                           : markAxes(*layout, *axes);
  if (!along)
    return inNode(spec, along.takeStatus());
  Status status = kernel->bind(input, *along);
  if (!status && !isBiasGrad && input.format == Format::NC1HWC0) {
    auto image = markImageAxes(*layout, *axes);
    if (image && kernel->bind(input, *image))
      status = Status();
  }
  if (!status)
    return inNode(spec, std::move(status));
  if (kernel->lines.length() == 0)
    return nodeError(spec, "nothing to reduce in " + input.toString());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

int64_t ReductionKernel::outputElement(int64_t line, Indices &space) const {
  lines.indexOf(line, space.input);
  space.output.assign(output.axes().size(), 0);
  for (size_t i = 0; i < outputAxes.size(); ++i)
    if (outputAxes[i])
      space.output[*outputAxes[i]] = space.input[lines.keptAxes()[i]];
  return output.elementAt(space.output);
}

/// The place of the largest, or smallest, of \p values: of equal ones the
/// first, a NaN before all numbers.
template <typename T>
static size_t placeOfBest(std::span<const T> values, bool wantsLargest) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i)
    if ((wantsLargest ? values[i] > values[best] : values[i] < values[best]) ||
        (values[i] != values[i] && values[best] == values[best]))
      best = i;
  return best;
}

NodeStatus ReductionKernel::reduceLine(std::span<float> values,
                                       float &result) const {
  using numerics::Half;
  StatusBits bits = status::None;
  if (!areFinite(values))
    bits |= status::VectorNanInfInput;
  const float factor = operation == Operation::Mean
                           ? 1.0f / static_cast<float>(values.size())
                           : 1.0f;
  if (halfSums) {
    // No promotion: one fp16 addition after the other.
    const OverflowMode mode = config.overflow;
    const Half scale = numerics::floatToHalf(factor, mode, bits);
    Half sum{0};
    for (float value : values) {
      // Exact; an infinity stays one until it has been added.
      Half x = numerics::floatToHalf(value, OverflowMode::InfNan, bits);
      if (operation == Operation::Mean)
        x = numerics::mul(x, scale, mode, bits);
      sum = numerics::add(sum, x, mode, bits);
    }
    result = numerics::halfToFloat(sum);
    return {bits};
  }
  auto sumUp = [&](std::span<const float> terms) {
    NodeStatus status{bits};
    result = canonicalNaN(sumOfLine(terms, byAtomics, status));
    return status;
  };
  switch (operation) {
  case Operation::Sum:
    return sumUp(values);
  case Operation::Mean:
    for (float &value : values)
      value *= factor;
    return sumUp(values);
  case Operation::Product: {
    // No promotion here either.
    if (inputType == DataType::Float16) {
      HalfInstructions unit(config.overflow);
      result = unit.product(values);
      return {unit.bits};
    }
    WatchedInstructions unit;
    result = canonicalNaN(unit.product(values));
    return {unit.bits};
  }
  case Operation::ArgMax:
  case Operation::ArgMin: {
    result = static_cast<float>(
        placeOfBest<float>(values, operation == Operation::ArgMax));
    return {bits};
  }
  case Operation::All:
  case Operation::Any: {
    const auto isTrue = [](float value) { return value != 0; };
    result = operation == Operation::All
                 ? std::all_of(values.begin(), values.end(), isTrue)
                 : std::any_of(values.begin(), values.end(), isTrue);
    return {};
  }
  case Operation::Max:
  case Operation::Min:
    result = values[0];
    for (float value : values.subspan(1)) {
      const bool better =
          operation == Operation::Max
              ? value > result || (value == result && !std::signbit(value))
              : value < result || (value == result && std::signbit(value));
      if (better || std::isnan(value))
        result = std::isnan(result) ? result : value;
    }
    break;
  }
  result = canonicalNaN(result);
  return {bits};
}

/// Integers and doubles in their own type, one value after the other: what a
/// CPU of the device does, which reports nothing. A mean is the sum divided by
/// the number of values, of integers without the fraction.
template <typename T>
static T reduceValues(Operation operation, std::span<const T> values) {
  ExactInstructions<T> unit;
  T result = values[0];
  for (T value : values.subspan(1))
    result = operation == Operation::Product ? unit.mul(result, value)
                                             : unit.add(result, value);
  if (operation != Operation::Mean)
    return result;
  // The number of values may be more than T holds.
  using Wide = std::conditional_t<
      std::integral<T>,
      std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, T>;
  return static_cast<T>(static_cast<Wide>(result) /
                        static_cast<Wide>(values.size()));
}

template <typename T>
void ReductionKernel::reduceExactly(ThreadPool &pool, const T *from,
                                    std::byte *to) const {
  const int64_t grain = std::max<int64_t>(1, 16384 / lines.length());
  pool.parallelFor(
      lines.numLines(), grain, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<T> values(static_cast<size_t>(lines.length()));
        Indices indices;
        const bool wantsLargest =
            operation == Operation::Max || operation == Operation::ArgMax;
        for (int64_t line = begin; line < end; ++line) {
          lines.read(from, line, values.data());
          const int64_t element = outputElement(line, indices);
          auto store = [&]<typename Result>(Result result) {
            std::memcpy(to + element * sizeof(Result), &result, sizeof(Result));
          };
          if (operation != Operation::Max && operation != Operation::Min &&
              !isIndex(operation)) {
            store(reduceValues<T>(operation, values));
            continue;
          }
          const size_t place = placeOfBest<T>(values, wantsLargest);
          if (!isIndex(operation))
            store(values[place]);
          else if (outputDesc.dtype == DataType::Int32)
            store(static_cast<int32_t>(place));
          else
            store(static_cast<int64_t>(place));
        }
      });
}

Expected<NodeStatus>
ReductionKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  const size_t length = static_cast<size_t>(lines.length());
  const unsigned size = getBitWidth(inputType) / 8;
  const unsigned outputSize = getBitWidth(outputDesc.dtype) / 8;
  if (output.hasPadding())
    std::memset(outputs[0].data, 0, outputDesc.byteSize());
  if (visitExactType(inputType, [&]<typename T>(T) {
        reduceExactly(context.pool, inputs[0].as<T>(), outputs[0].data);
      }))
    return NodeStatus{};
  NodeStatus status;
  std::mutex mutex;
  const int64_t grain = std::max<int64_t>(1, 16384 / lines.length());
  context.pool.parallelFor(
      lines.numLines(), grain, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> values(length);
        std::vector<uint16_t> raw(size == 2 ? length : 0);
        std::vector<uint8_t> bytes;
        Indices indices;
        NodeStatus ofChunk;
        for (int64_t line = begin; line < end; ++line) {
          if (size == 2) {
            lines.read(inputs[0].as<uint16_t>(), line, raw.data());
            toFloat(inputType, raw.data(), values);
          } else if (size == 1) {
            bytes.resize(length);
            lines.read(inputs[0].as<uint8_t>(), line, bytes.data());
            std::copy(bytes.begin(), bytes.end(), values.begin());
          } else {
            lines.read(inputs[0].as<float>(), line, values.data());
          }
          float result = 0;
          ofChunk |= reduceLine(values, result);
          const int64_t element = outputElement(line, indices);
          if (outputDesc.dtype == DataType::Int32)
            outputs[0].as<int32_t>()[element] = static_cast<int32_t>(result);
          else if (outputDesc.dtype == DataType::Int64)
            outputs[0].as<int64_t>()[element] = static_cast<int64_t>(result);
          else if (outputDesc.dtype == DataType::Bool)
            outputs[0].as<uint8_t>()[element] = result != 0;
          else
            ofChunk.valid |= fromFloat(outputDesc.dtype, {&result, 1},
                                       outputs[0].data + element * outputSize,
                                       config.overflow);
        }
        std::lock_guard lock(mutex);
        status |= ofChunk;
      });
  return status;
}

void kernels::addReduction(Registry &registry) {
  constexpr std::string_view exact = "exact";
  constexpr std::string_view sums =
      "fp32 sum in 16 interleaved parts, one rounding at the end; 310: fp16, "
      "one after the other (means unless high_precision); fp32 by atomics: one "
      "after the other";
  // A sum of 16-bit values is a multiple of their smallest one, and a mean is
  // not larger than they are.
  constexpr StatusBits ofSum =
      status::FloatOverflow | status::CastOverflow | status::VectorNanInfInput;
  constexpr StatusBits ofMean = status::FloatOverflow | status::FloatUnderflow |
                                status::CastUnderflow |
                                status::VectorNanInfInput;
  constexpr StatusBits ofProduct =
      ofSum | status::FloatUnderflow | status::CastUnderflow;
  for (const Row &row : rows)
    switch (row.operation) {
    case Operation::Sum:
      registry.add(std::string(row.type),
                   {ReductionKernel::create, sums, ofSum});
      break;
    case Operation::Mean:
      registry.add(std::string(row.type),
                   {ReductionKernel::create, sums, ofMean});
      break;
    case Operation::Product:
      registry.add(std::string(row.type),
                   {ReductionKernel::create,
                    "one product after the other: fp16, every instruction "
                    "rounds; bf16: fp32, one rounding",
                    ofProduct});
      break;
    case Operation::All:
    case Operation::Any:
      registry.add(std::string(row.type),
                   {ReductionKernel::create, exact, status::None});
      break;
    default:
      registry.add(std::string(row.type),
                   {ReductionKernel::create, exact, status::VectorNanInfInput});
    }
}
