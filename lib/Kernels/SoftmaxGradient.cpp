//===- SoftmaxGradient.cpp - Gradients of softmax, log-softmax ------------===//
//
// Operators whose operands and result are lines along some axes.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "FloatLines.h"
#include "ImplMode.h"
#include "KernelChecks.h"
#include "LineMath.h"
#include "ScalarMath.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <atomic>
#include <cmath>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Where the operators round.
struct Path {
  bool inHalf = false;  ///< every instruction but the sum is fp16
  bool halfMax = false; ///< the maximum goes through fp16
  bool halfExp = false; ///< exp and ln do
  OverflowMode mode = OverflowMode::Saturate;
};

using Line = std::span<float>;
/// Replaces \p a, in fp32; \p b and \p c are the other operands if there are
/// any.
using Function = StatusBits (*)(Line a, Line b, Line c, const Path &path);

/// a = softmax, b = its gradient: a (b - sum(a b)).
struct SoftmaxGradient {
  template <class Instructions>
  static StatusBits run(Instructions &unit, Line a, Line b, Line,
                        const Path &) {
    std::vector<float> products(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      products[i] = unit.mul(a[i], b[i]);
    const float sum = unit.sum(products);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = unit.mul(a[i], unit.sub(b[i], sum));
    return status::None;
  }
};

/// a = gradient, b = softmax: a - sum(a b), with fp16 tensors the product, the
/// sum and the difference rounded. Scaled: that times (b c).
template <bool IsScaled>
struct DifferenceGradient {
  template <class Instructions>
  static StatusBits run(Instructions &unit, Line a, Line b, Line c,
                        const Path &path) {
    StatusBits bits = status::None;
    // An fp16 instruction, not a cast.
    auto instruction = [&](float value) {
      return path.inHalf ? roundToHalf(value, path.mode, bits) : value;
    };
    std::vector<float> products(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      products[i] = instruction(unit.mul(a[i], b[i]));
    float sum = unit.sum(products);
    if (path.inHalf)
      sum = numerics::halfToFloat(numerics::floatToHalf(sum, path.mode, bits));
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = instruction(unit.sub(a[i], sum));
      if constexpr (IsScaled)
        a[i] = instruction(unit.mul(a[i], instruction(unit.mul(b[i], c[i]))));
    }
    return bits;
  }
};
using ConfusionGradient = DifferenceGradient<false>;
using ScaledGradient = DifferenceGradient<true>;

/// (x - max) - ln(sum(e^(x - max))).
struct LogSoftmax {
  template <class Instructions>
  static StatusBits run(Instructions &unit, Line x, Line, Line,
                        const Path &path) {
    StatusBits bits = status::None;
    const float max = largestOf(x, path.halfMax, path.mode, bits);
    for (float &value : x)
      value = unit.sub(value, max);
    std::vector<float> powers(x.begin(), x.end());
    bits |= expInPlace(powers, path.halfExp, path.mode);
    const float sum = unit.sum(powers);
    const float logarithm =
        path.halfExp ? logThroughHalf(sum, path.mode, bits) : logOf(sum);
    for (float &value : x)
      value = unit.sub(value, logarithm);
    return bits;
  }
};

/// a = gradient, b = log-softmax: a - e^b sum(a).
struct LogSoftmaxGradient {
  template <class Instructions>
  static StatusBits run(Instructions &unit, Line a, Line b, Line,
                        const Path &path) {
    const StatusBits bits = expInPlace(b, path.halfExp, path.mode);
    const float sum = unit.sum(a);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = unit.sub(a[i], unit.mul(b[i], sum));
    return bits;
  }
};

template <class Program, class Instructions>
StatusBits runLine(Line a, Line b, Line c, const Path &path) {
  Instructions unit;
  const StatusBits bits = Program::run(unit, a, b, c, path);
  return bits | unit.bits;
}

struct Row {
  std::string_view type;
  unsigned arity;
  Function plain, watched;
  std::string_view axesAttribute; ///< empty: the last axis
  StatusBits bits;
  std::string_view numericPath;
};

template <class Program>
constexpr Row rowOf(std::string_view type, unsigned arity,
                    std::string_view axesAttribute, StatusBits bits,
                    std::string_view numericPath) {
  return {type,
          arity,
          runLine<Program, PlainInstructions>,
          runLine<Program, WatchedInstructions>,
          axesAttribute,
          bits,
          numericPath};
}

constexpr StatusBits AtEnd = status::CastOverflow | status::CastUnderflow |
                             status::FloatOverflow | status::VectorNanInfInput;

constexpr Row rows[] = {
    rowOf<SoftmaxGradient>("SoftmaxGrad", 2, "axes", AtEnd,
                           "fp32, one rounding at the end"),
    rowOf<ConfusionGradient>(
        "ConfusionSoftmaxGrad", 2, "", AtEnd | status::FloatUnderflow,
        "product fp16, sum fp32 rounded to fp16, difference fp16"),
    rowOf<ScaledGradient>("SoftmaxGradExt", 3, "axes",
                          AtEnd | status::FloatUnderflow,
                          "products and difference fp16, sum fp32 rounded to "
                          "fp16"),
    rowOf<LogSoftmax>("LogSoftmaxV2", 1, "axes", AtEnd | status::FloatUnderflow,
                      "fp32, one rounding at the end; 310: exp and ln in fp16"),
    rowOf<LogSoftmaxGradient>(
        "LogSoftmaxGrad", 2, "axis", AtEnd | status::FloatUnderflow,
        "fp32, one rounding at the end; 310: exp in fp16"),
};

class LineKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  const Row *row = nullptr;
  Path path;
  std::vector<FloatLines> from;
  /// The last operand, where it is one number for all lines.
  std::optional<LineValues> number;
  FloatLines to;
};

/// The one axis of SoftmaxGradExt. A sum without it would lie along others.
Expected<int64_t> readAxis(const NodeSpec &spec) {
  auto keeps = spec.attribute<bool>("keep_dims");
  if (!keeps)
    return keeps.takeStatus();
  if (!*keeps && spec.inputs[0]->originShape.size() > 1)
    return Status::error("attribute 'keep_dims' is false, expected true for a "
                         "tensor of more than one axis");
  return spec.attribute<int64_t>("axes");
}

Expected<std::vector<bool>> readAxes(const NodeSpec &spec, const Row &row) {
  std::vector<int64_t> axes{-1};
  if (spec.type == "SoftmaxGradExt") {
    auto axis = readAxis(spec);
    if (!axis)
      return axis.takeStatus();
    axes = {*axis};
  } else if (!row.axesAttribute.empty()) {
    auto given =
        spec.attribute<std::vector<int64_t>>(std::string(row.axesAttribute));
    if (!given)
      return given.takeStatus();
    axes = std::move(*given);
  }
  return markAxes(*spec.inputs[0], axes);
}

Expected<std::unique_ptr<Kernel>>
LineKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const Row *row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const Row &r) { return r.type == spec.type; });
  if (row == std::end(rows))
    return nodeError(spec, "is not an operator on lines");
  if (Status status = checkArity(spec, row->arity, 1); !status)
    return status;
  const TensorDesc &first = *spec.inputs[0];
  auto along = readAxes(spec, *row);
  if (!along)
    return inNode(spec, along.takeStatus());
  auto implMode = readImplMode(spec);
  if (!implMode)
    return inNode(spec, implMode.takeStatus());
  auto kernel = std::make_unique<LineKernel>();
  kernel->row = row;
  kernel->path.mode = config.overflow;
  kernel->path.inHalf = first.dtype == DataType::Float16;
  kernel->path.halfExp = config.soc == Soc::Ascend310;
  // Neither has a whole-vector maximum in fp32.
  kernel->path.halfMax =
      first.dtype == DataType::Float && !along->empty() && along->back() &&
      !(*implMode & HighPrecision) &&
      (config.soc == Soc::Ascend910A || config.soc == Soc::Ascend310);
  auto lines = FloatLines::create(first, *along);
  if (!lines)
    return inNode(spec, lines.takeStatus());
  if (lines->length() == 0)
    return nodeError(spec, "no elements along the axes in " + first.toString());
  for (unsigned i = 0; i < row->arity; ++i) {
    if (i > 1 && spec.inputs[i]->numElements() == 1) {
      auto number = LineValues::create(*spec.inputs[i], 1);
      if (!number)
        return inNode(spec, number.takeStatus());
      kernel->number = std::move(*number);
      continue;
    }
    auto bound = FloatLines::createLike(*lines, *spec.inputs[i], *along);
    if (!bound)
      return inNode(spec, bound.takeStatus());
    kernel->from.push_back(std::move(*bound));
  }
  auto bound = FloatLines::createLike(*lines, spec.outputs[0], *along);
  if (!bound)
    return inNode(spec, bound.takeStatus());
  kernel->to = std::move(*bound);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus> LineKernel::run(RunContext &context,
                                     std::span<const ConstTensor> inputs,
                                     std::span<const MutableTensor> outputs) {
  to.clearPadding(outputs[0].data);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      to.numLines(), to.grain(), [&](int64_t begin, int64_t end, int64_t) {
        const size_t length = static_cast<size_t>(to.length());
        std::vector<float> a(length), b(length), c(length);
        if (number)
          std::ranges::fill(c, number->read(inputs[from.size()].data, 0));
        StatusBits bits = npu::status::None;
        for (int64_t line = begin; line < end; ++line) {
          auto read = [&] {
            from[0].read(inputs[0].data, line, a);
            if (from.size() > 1)
              from[1].read(inputs[1].data, line, b);
            if (from.size() > 2)
              from[2].read(inputs[2].data, line, c);
          };
          read();
          const bool finite = areFinite(a) && areFinite(b) && areFinite(c);
          bits |= row->plain(a, b, c, path);
          if (!finite || !areFinite(a)) {
            read();
            bits |= row->watched(a, b, c, path);
          }
          bits |= to.write(outputs[0].data, line, a, path.mode);
        }
        status |= bits;
      });
  return NodeStatus{status};
}

} // namespace

void kernels::addSoftmaxGradient(Registry &registry) {
  for (const Row &row : rows)
    registry.add(std::string(row.type),
                 {LineKernel::create, row.numericPath, row.bits});
}
