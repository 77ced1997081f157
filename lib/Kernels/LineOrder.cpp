//===- LineOrder.cpp - The largest of lines, running sums -----------------===//
//
// TopK and TopKV2; Cumsum and CumsumD.
//
//===----------------------------------------------------------------------===//

#include "AxisLines.h"
#include "Builtins.h"
#include "ConstantInput.h"
#include "DroppedInputs.h"
#include "ExactElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "KernelChecks.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <atomic>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

namespace {

int64_t grainOf(const AxisLines &lines) {
  return std::max<int64_t>(1, 4096 / std::max<int64_t>(lines.length(), 1));
}

/// The lines of \p desc along axis \p number alone.
Expected<AxisLines> linesAlong(const TensorDesc &desc, int64_t number) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  auto axis = normalizeAxis(number, layout->axes().size());
  if (!axis)
    return axis.takeStatus();
  std::vector<bool> along(layout->axes().size(), false);
  along[*axis] = true;
  return AxisLines::create(desc, along);
}

void clearPadding(const AxisLines &lines, std::byte *data, unsigned size) {
  if (lines.layout().hasPadding())
    std::memset(data, 0, lines.layout().numElements() * size);
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// Elements as numbers that compare; a NaN is above all. Those of 16 bits that
/// are no integers come as halves.
template <typename T>
std::vector<T> keysOf(DataType, std::vector<T> elements) {
  return elements;
}
std::vector<float> keysOf(DataType dtype,
                          std::vector<numerics::Half> elements) {
  std::vector<float> keys(elements.size());
  toFloat(dtype, elements.data(), keys);
  return keys;
}
bool isAbove(auto a, auto b) {
  if constexpr (std::is_floating_point_v<decltype(a)>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && !std::isnan(b);
  return a > b;
}

class TopKKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  AxisLines from, values, indices;
  DataType dtype = DataType::Undefined;
  bool wantsLargest = true;

  template <typename T>
  void run(RunContext &context, const T *x, T *to, int32_t *places) const;
};

Expected<std::unique_ptr<Kernel>> TopKKernel::create(const NodeSpec &spec,
                                                     const NumericConfig &) {
  if (Status status = checkArity(spec, 2, 2); !status)
    return status;
  auto kernel = std::make_unique<TopKKernel>();
  auto dim = spec.attribute<int64_t>("dim");
  auto largest = spec.attribute<bool>("largest");
  if (!dim)
    return inNode(spec, dim.takeStatus());
  if (!largest)
    return inNode(spec, largest.takeStatus());
  kernel->wantsLargest = *largest;
  const TensorDesc &x = *spec.inputs[0];
  kernel->dtype = x.dtype;
  if ((!isFloatType(x.dtype) && !isExactType(x.dtype)) ||
      spec.outputs[0].dtype != x.dtype ||
      spec.outputs[1].dtype != DataType::Int32)
    return nodeError(spec, "cannot sort " + x.toString() + " to " +
                               spec.outputs[0].toString() + " and " +
                               spec.outputs[1].toString());
  for (const auto &[lines, desc] : {std::pair{&kernel->from, &x},
                                    {&kernel->values, &spec.outputs[0]},
                                    {&kernel->indices, &spec.outputs[1]}}) {
    auto bound = linesAlong(*desc, *dim);
    if (!bound)
      return inNode(spec, bound.takeStatus());
    *lines = std::move(*bound);
  }
  const int64_t count = kernel->values.length();
  if (kernel->values.numLines() != kernel->from.numLines() ||
      kernel->indices.numLines() != kernel->from.numLines() ||
      kernel->indices.length() != count || count > kernel->from.length())
    return nodeError(spec, spec.outputs[0].toString() +
                               " is not a part of the lines of " +
                               x.toString());
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <typename T>
void TopKKernel::run(RunContext &context, const T *x, T *to,
                     int32_t *places) const {
  const size_t length = static_cast<size_t>(from.length()),
               count = static_cast<size_t>(values.length());
  context.pool.parallelFor(
      from.numLines(), grainOf(from), [&](int64_t begin, int64_t end, int64_t) {
        std::vector<T> line(length), best(count);
        std::vector<int32_t> order(length);
        for (int64_t l = begin; l < end; ++l) {
          from.read(x, l, line.data());
          const auto keys = keysOf(dtype, line);
          std::iota(order.begin(), order.end(), 0);
          // Of equal ones the first.
          const auto isBefore = [&](int32_t a, int32_t b) {
            const auto first = keys[wantsLargest ? a : b],
                       second = keys[wantsLargest ? b : a];
            return isAbove(first, second) || (!isAbove(second, first) && a < b);
          };
          std::partial_sort(order.begin(), order.begin() + count, order.end(),
                            isBefore);
          for (size_t i = 0; i < count; ++i)
            best[i] = line[order[i]];
          values.write(to, l, best.data());
          indices.write(places, l, order.data());
        }
      });
}

Expected<NodeStatus> TopKKernel::run(RunContext &context,
                                     std::span<const ConstTensor> inputs,
                                     std::span<const MutableTensor> outputs) {
  clearPadding(values, outputs[0].data, getBitWidth(dtype) / 8);
  clearPadding(indices, outputs[1].data, sizeof(int32_t));
  auto runAs = [&]<typename T>(T) {
    run(context, inputs[0].as<T>(), outputs[0].as<T>(),
        outputs[1].as<int32_t>());
  };
  if (dtype == DataType::Float)
    runAs(float());
  else if (!visitExactType(dtype, runAs))
    runAs(numerics::Half());
  return NodeStatus{};
}

//===----------------------------------------------------------------------===//
// Cumsum
//===----------------------------------------------------------------------===//

class CumsumKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  AxisLines lines, results;
  DataType dtype = DataType::Undefined;
  bool isExclusive = false, isReverse = false;
  OverflowMode mode = OverflowMode::Saturate;

  /// Replaces \p line by its running sums.
  template <typename T, typename Instructions>
  StatusBits sumUp(std::span<T> line, Instructions unit) const {
    T sum{};
    for (size_t i = 0; i < line.size(); ++i) {
      T &value = line[isReverse ? line.size() - 1 - i : i];
      // The first sum is the value, not an instruction.
      const T next = i == 0 ? value : unit.add(sum, value);
      value = isExclusive ? sum : next;
      sum = next;
    }
    return unit.bits;
  }
  StatusBits runLine(const std::byte *x, std::byte *y, int64_t line) const;
};

Expected<std::unique_ptr<Kernel>>
CumsumKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto kernel = std::make_unique<CumsumKernel>();
  kernel->mode = config.overflow;
  auto axis = spec.attrs.require<int64_t>("axis");
  auto exclusive = spec.attribute<bool>("exclusive");
  auto reverse = spec.attribute<bool>("reverse");
  if (!axis)
    return inNode(spec, axis.takeStatus());
  for (auto *attr : {&exclusive, &reverse})
    if (!*attr)
      return inNode(spec, attr->takeStatus());
  kernel->isExclusive = *exclusive;
  kernel->isReverse = *reverse;
  const TensorDesc &x = *spec.inputs[0], &y = spec.outputs[0];
  kernel->dtype = x.dtype;
  if ((!isFloatType(x.dtype) && !isExactType(x.dtype)) || x.dtype != y.dtype)
    return nodeError(spec,
                     "no sums of " + x.toString() + " to " + y.toString());
  for (const auto &[lines, desc] :
       {std::pair{&kernel->lines, &x}, {&kernel->results, &y}}) {
    auto bound = linesAlong(*desc, *axis);
    if (!bound)
      return inNode(spec, bound.takeStatus());
    *lines = std::move(*bound);
  }
  if (kernel->lines.numLines() != kernel->results.numLines() ||
      kernel->lines.length() != kernel->results.length())
    return nodeError(spec, x.toString() + " and " + y.toString() +
                               " differ in shape");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

StatusBits CumsumKernel::runLine(const std::byte *x, std::byte *y,
                                 int64_t line) const {
  const size_t length = static_cast<size_t>(lines.length());
  auto runAs = [&]<typename T>(T, auto sum) {
    std::vector<T> elements(length);
    lines.read(reinterpret_cast<const T *>(x), line, elements.data());
    const StatusBits bits = sum(elements);
    results.write(reinterpret_cast<T *>(y), line, elements.data());
    return bits;
  };
  StatusBits exact = status::None;
  if (visitExactType(dtype, [&]<typename T>(T zero) {
        exact = runAs(zero, [&](std::span<T> line) {
          return sumUp(line, ExactInstructions<T>());
        });
      }))
    return exact;
  switch (dtype) {
  case DataType::Float:
    return runAs(float(), [&](std::span<float> line) {
      const StatusBits bits = sumUp(line, WatchedInstructions());
      canonicalizeNaNs(line);
      return bits;
    });
  default:
    return runAs(uint16_t(), [&](std::vector<uint16_t> &halves) {
      std::vector<float> line(length);
      toFloat(dtype, halves.data(), line);
      const StatusBits bits =
          dtype == DataType::Float16
              ? sumUp(std::span(line), HalfInstructions(mode))
              : sumUp(std::span(line), WatchedInstructions());
      canonicalizeNaNs(line);
      const StatusBits cast = fromFloat(dtype, line, halves.data(), mode);
      return bits | (dtype == DataType::Float16 ? status::None : cast);
    });
  }
}

Expected<NodeStatus> CumsumKernel::run(RunContext &context,
                                       std::span<const ConstTensor> inputs,
                                       std::span<const MutableTensor> outputs) {
  clearPadding(results, outputs[0].data, getBitWidth(dtype) / 8);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(lines.numLines(), grainOf(lines),
                           [&](int64_t begin, int64_t end, int64_t) {
                             StatusBits bits = npu::status::None;
                             for (int64_t line = begin; line < end; ++line)
                               bits |= runLine(inputs[0].data, outputs[0].data,
                                               line);
                             status |= bits;
                           });
  return NodeStatus{status};
}

/// The axis is an input.
Expected<std::unique_ptr<Kernel>> createCumsum(const NodeSpec &spec,
                                               const NumericConfig &config) {
  auto axis = readConstantInput(spec, 1, "axis");
  if (!axis)
    return inNode(spec, axis.takeStatus());
  if (axis->size() != 1)
    return nodeError(spec, "input 'axis' is not one number");
  NodeSpec attributed = spec;
  attributed.attrs.set("axis", axis->front());
  return createWithoutInputs(attributed, config, CumsumKernel::create, 1);
}

} // namespace

void kernels::addLineOrder(Registry &registry) {
  for (const char *type : {"TopK", "TopKV2"})
    registry.add(type, {TopKKernel::create, "copies", status::None});
  constexpr std::string_view path =
      "fp16, one addition after the other; bf16: fp32, one rounding";
  constexpr StatusBits bits = status::IntegerOverflow | status::FloatOverflow |
                              status::CastOverflow | status::VectorNanInfInput;
  registry.add("CumsumD", {CumsumKernel::create, path, bits});
  registry.add("Cumsum", {createCumsum, path, bits});
}
