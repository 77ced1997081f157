//===- Range.cpp - Numbers at equal distances -----------------------------===//
//
// Range splits its output among all cores of the device. Each core multiplies
// and adds the first 256 bytes of its numbers, and makes every later group of
// 256 bytes from the one before by adding a step. RangeD multiplies and adds
// the numbers that it is given.
//
//===----------------------------------------------------------------------===//

#include "Range.h"

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

using namespace npu;
using namespace npu::kernels;

namespace {

//===----------------------------------------------------------------------===//
// Start, limit and delta
//===----------------------------------------------------------------------===//

bool isInteger(DataType dtype) {
  return dtype == DataType::Int32 || dtype == DataType::Int64;
}
bool isNumber(DataType dtype) {
  return isInteger(dtype) || isFloatType(dtype) || dtype == DataType::Double;
}

/// One number of an input, exactly: an integer, else what double holds.
struct Number {
  DataType dtype = DataType::Undefined;
  int64_t integer = 0;
  double real = 0;

  static Number read(DataType dtype, const std::byte *data);

  /// In the type of an output. Fails where an integer does not hold it.
  template <typename T>
  Expected<T> as() const;
  std::string toString() const {
    if (isInteger(dtype))
      return std::to_string(integer);
    std::array<char, 32> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), real).ptr;
    return std::string(text.data(), end);
  }
};

Number Number::read(DataType dtype, const std::byte *data) {
  Number number{dtype, 0, 0};
  if (dtype == DataType::Int32)
    number.integer = *reinterpret_cast<const int32_t *>(data);
  else if (dtype == DataType::Int64)
    number.integer = *reinterpret_cast<const int64_t *>(data);
  else if (dtype == DataType::Double)
    number.real = *reinterpret_cast<const double *>(data);
  else {
    float value = 0;
    toFloat(dtype, data, {&value, 1});
    number.real = value;
  }
  if (isInteger(dtype))
    number.real = static_cast<double>(number.integer);
  return number;
}

template <typename T>
Expected<T> Number::as() const {
  if constexpr (std::is_integral_v<T>) {
    const double edge = std::ldexp(1.0, 8 * sizeof(T) - 1);
    if (isInteger(dtype) ? !std::in_range<T>(integer)
                         : !(real > -edge - 1 && real < edge))
      return Status::error(toString() + " is beyond the type of the output");
    if (isInteger(dtype))
      return static_cast<T>(integer);
  }
  return static_cast<T>(real);
}

struct Bounds {
  Number start, limit, delta;

  /// How many numbers there are from start on, before limit or up to it.
  Expected<int64_t> count(bool isClosed) const;
};

Expected<int64_t> Bounds::count(bool isClosed) const {
  const auto refuse = [&](const char *why) {
    return Status::error("start " + start.toString() + ", limit " +
                         limit.toString() + " and delta " + delta.toString() +
                         ": " + why);
  };
  const bool isExact = isInteger(start.dtype) && isInteger(limit.dtype) &&
                       isInteger(delta.dtype);
  if (isExact ? delta.integer == 0 : delta.real == 0)
    return refuse("expected another delta than 0");
  if (isExact) {
    // As the distance of two numbers has one bit more, without a sign.
    const bool isUp = delta.integer > 0;
    const auto from = static_cast<uint64_t>(start.integer),
               to = static_cast<uint64_t>(limit.integer),
               step = static_cast<uint64_t>(delta.integer);
    if (isUp ? limit.integer < start.integer : limit.integer > start.integer)
      return refuse("delta leads away from limit");
    const uint64_t distance = isUp ? to - from : from - to,
                   width = isUp ? step : uint64_t(0) - step,
                   whole = distance / width;
    const uint64_t count =
        isClosed ? whole + 1 : whole + (distance % width > 0);
    if (count > uint64_t(INT64_MAX))
      return refuse("expected fewer elements");
    return static_cast<int64_t>(count);
  }
  if ((limit.real > start.real && delta.real < 0) ||
      (limit.real < start.real && delta.real > 0))
    return refuse("delta leads away from limit");
  const double quotient = (limit.real - start.real) / delta.real;
  const double count =
      isClosed ? std::floor(quotient + 1) : std::ceil(quotient);
  if (!(count >= 0 && count < 0x1p62))
    return refuse("no number of elements follows from them");
  return static_cast<int64_t>(count);
}

/// \p data has the bytes of the inputs.
Bounds readBounds(const NodeSpec &spec,
                  const std::array<const std::byte *, 3> &data) {
  std::array<Number, 3> numbers;
  for (size_t i = 0; i != numbers.size(); ++i)
    numbers[i] = Number::read(spec.inputs[i]->dtype, data[i]);
  return {numbers[0], numbers[1], numbers[2]};
}

/// Fails unless all inputs are one number.
Status checkBounds(const NodeSpec &spec) {
  constexpr std::array<const char *, 3> names = {"start", "limit", "delta"};
  for (size_t i = 0; i != names.size(); ++i)
    if (!isNumber(spec.inputs[i]->dtype) || spec.inputs[i]->numElements() != 1)
      return Status::error("input " + std::to_string(i) + " (" + names[i] +
                           ") is " + spec.inputs[i]->toString() +
                           ", expected one number");
  return {};
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Integers wrap. Those of a range do not: they are between start and limit.
struct WrappingInstructions {
  StatusBits bits = status::None;
  template <typename T>
  T add(T a, T b) {
    T result;
    if (__builtin_add_overflow(a, b, &result))
      bits |= status::IntegerOverflow;
    return result;
  }
  template <typename T>
  T mul(T a, T b) {
    T result;
    if (__builtin_mul_overflow(a, b, &result))
      bits |= status::IntegerOverflow;
    return result;
  }
};

/// Those that a number of type \p T needs.
template <typename T>
using InstructionsFor =
    std::conditional_t<std::is_same_v<T, float>, WatchedInstructions,
                       WrappingInstructions>;

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

/// The cores that a device of \p soc has for vector operators (of Ascend910B
/// the largest product).
int64_t countCores(Soc soc) {
  switch (soc) {
  case Soc::Ascend310:
    return 2;
  case Soc::Ascend310P:
    return 8;
  case Soc::Ascend910A:
    return 32;
  case Soc::Ascend910B:
    return 48;
  }
  return 1;
}

class RangeKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  NodeSpec spec;
  bool isClosed = false;
  int64_t count = 0, cores = 1;
  OverflowMode mode = OverflowMode::Saturate;

  template <typename T>
  Expected<StatusBits> fill(RunContext &context, const Bounds &bounds,
                            T *out) const;
};

Expected<std::unique_ptr<Kernel>>
RangeKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 3, 1); !status)
    return status;
  if (Status status = checkBounds(spec); !status)
    return inNode(spec, std::move(status));
  auto isClosed = spec.attribute<bool>("is_closed");
  if (!isClosed)
    return inNode(spec, isClosed.takeStatus());
  const TensorDesc &y = spec.outputs[0];
  if (!isPlain(y.format) || !(isInteger(y.dtype) || isFloatType(y.dtype)))
    return nodeError(spec, "no range of " + y.toString() +
                               "; expected DT_INT32, DT_INT64, DT_FLOAT16, "
                               "DT_FLOAT or DT_BF16 in a plain format");
  auto kernel = std::make_unique<RangeKernel>();
  kernel->spec = spec;
  kernel->isClosed = *isClosed;
  kernel->count = y.numElements();
  kernel->cores = countCores(config.soc);
  kernel->mode = config.overflow;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <typename T>
Expected<StatusBits> RangeKernel::fill(RunContext &context,
                                       const Bounds &bounds, T *out) const {
  constexpr int64_t Group = 256 / sizeof(T);
  Expected<T> start = bounds.start.as<T>(), delta = bounds.delta.as<T>();
  for (auto *number : {&start, &delta})
    if (!*number)
      return number->takeStatus();
  const int64_t share = (count + cores - 1) / cores;
  std::atomic<StatusBits> status{status::None};
  context.pool.parallelFor(
      cores, 1, [&](int64_t firstCore, int64_t lastCore, int64_t) {
        InstructionsFor<T> unit, scalar; // that of scalars reports nothing
        for (int64_t core = firstCore; core < lastCore; ++core) {
          const int64_t first = core * share,
                        size = std::min(share, count - first);
          T *to = out + first;
          const T offset =
              scalar.add(*start, scalar.mul(static_cast<T>(first), *delta));
          const T step = scalar.mul(static_cast<T>(Group), *delta);
          for (int64_t i = 0; i < size; ++i)
            to[i] = i < Group
                        ? unit.add(unit.mul(static_cast<T>(i), *delta), offset)
                        : unit.add(to[i - Group], step);
        }
        status |= unit.bits;
      });
  return StatusBits(status);
}

Expected<NodeStatus> RangeKernel::run(RunContext &context,
                                      std::span<const ConstTensor> inputs,
                                      std::span<const MutableTensor> outputs) {
  const Bounds bounds =
      readBounds(spec, {inputs[0].data, inputs[1].data, inputs[2].data});
  auto wanted = bounds.count(isClosed);
  if (!wanted)
    return wanted.takeStatus();
  if (*wanted != count)
    return Status::error(
        "start " + bounds.start.toString() + ", limit " +
        bounds.limit.toString() + " and delta " + bounds.delta.toString() +
        " give " + std::to_string(*wanted) +
        " elements, expected those of the output, " + std::to_string(count));
  const MutableTensor &y = outputs[0];
  std::vector<float> values;
  Expected<StatusBits> bits = StatusBits(status::None);
  if (y.desc->dtype == DataType::Int32) {
    bits = fill(context, bounds, y.as<int32_t>());
  } else if (y.desc->dtype == DataType::Int64) {
    bits = fill(context, bounds, y.as<int64_t>());
  } else {
    values.resize(static_cast<size_t>(count));
    bits = fill(context, bounds, values.data());
  }
  if (!bits)
    return bits.takeStatus();
  for (float &value : values)
    value = canonicalNaN(value);
  if (isFloatType(y.desc->dtype))
    *bits |= fromFloat(y.desc->dtype, values, y.data, mode);
  return NodeStatus{*bits};
}

//===----------------------------------------------------------------------===//
// RangeD
//===----------------------------------------------------------------------===//

class RangeDKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    if (outputs[0].desc->dtype == DataType::Int32)
      return fill(context, inputs[0].as<int32_t>(), outputs[0].as<int32_t>());
    return fill(context, inputs[0].as<float>(), outputs[0].as<float>());
  }

private:
  float start = 0, delta = 0;

  template <typename T>
  NodeStatus fill(RunContext &context, const T *from, T *to) const;
  int64_t count = 0;
};

Expected<std::unique_ptr<Kernel>> RangeDKernel::create(const NodeSpec &spec,
                                                       const NumericConfig &) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  if ((x.dtype != DataType::Int32 && x.dtype != DataType::Float) ||
      x.dtype != y.dtype || !isPlain(x.format) || !isPlain(y.format) ||
      x.numElements() != y.numElements())
    return nodeError(spec, "no range " + y.toString() + " from " +
                               x.toString() +
                               "; expected DT_INT32 or DT_FLOAT in plain "
                               "formats");
  auto kernel = std::make_unique<RangeDKernel>();
  for (const auto &[name, value] : {std::pair{"start", &kernel->start},
                                    std::pair{"delta", &kernel->delta}}) {
    auto number = spec.attribute<float>(name);
    if (!number)
      return inNode(spec, number.takeStatus());
    if (x.dtype == DataType::Int32 && !(std::abs(*number) < 0x1p31f))
      return nodeError(spec, std::string("attribute '") + name +
                                 "' is beyond DT_INT32");
    *value = *number;
  }
  kernel->count = x.numElements();
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <typename T>
NodeStatus RangeDKernel::fill(RunContext &context, const T *from, T *to) const {
  const T first = static_cast<T>(start), step = static_cast<T>(delta);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(count, 4096,
                           [&](int64_t begin, int64_t end, int64_t) {
                             InstructionsFor<T> unit;
                             for (int64_t i = begin; i < end; ++i) {
                               to[i] = unit.add(unit.mul(from[i], step), first);
                               if constexpr (std::is_same_v<T, float>)
                                 to[i] = canonicalNaN(to[i]);
                             }
                             status |= unit.bits;
                           });
  return NodeStatus{status};
}

} // namespace

Expected<Shape> kernels::inferRangeShape(const NodeSpec &spec) {
  if (Status status = checkBounds(spec); !status)
    return status;
  std::array<const std::byte *, 3> data;
  for (size_t i = 0; i != data.size(); ++i) {
    data[i] = i < spec.constants.size() ? spec.constants[i] : nullptr;
    if (!data[i])
      return Status::error("input " + std::to_string(i) + " is not a constant");
  }
  auto isClosed = spec.attribute<bool>("is_closed");
  if (!isClosed)
    return isClosed.takeStatus();
  auto count = readBounds(spec, data).count(*isClosed);
  if (!count)
    return count.takeStatus();
  return Shape{*count};
}

void kernels::addRange(Registry &registry) {
  registry.add("Range",
               {RangeKernel::create,
                "fp32 products and sums from core to core and in groups of 64, "
                "one rounding; integers exact",
                status::FloatOverflow | status::CastOverflow |
                    status::CastUnderflow | status::VectorNanInfInput});
  registry.add("RangeD",
               {RangeDKernel::create, "instructions of the tensor's type",
                status::IntegerOverflow | status::FloatOverflow |
                    status::VectorNanInfInput});
}
