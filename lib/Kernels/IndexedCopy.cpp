//===- IndexedCopy.cpp - Copies by the index of each axis -----------------===//
//
// Operators whose element (i0, i1, ...) is the input's element (a0[i0],
// a1[i1], ...), or a constant where an axis has no index: padding in all its
// modes, and resizing by the nearest pixel. Tril and Triu.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "PlainTensor.h"
#include "StridedCopy.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// For each index of an axis of the output that of the input, or None.
using AxisMap = std::vector<int64_t>;
constexpr int64_t None = -1;

class IndexedCopyKernel final : public Kernel {
public:
  /// \p maps has an entry for each axis.
  static Expected<std::unique_ptr<IndexedCopyKernel>>
  create(const NodeSpec &spec, const std::vector<AxisMap> &maps);

  std::vector<std::byte> constant;     ///< an element; empty: zeros
  std::optional<size_t> constantInput; ///< that has it

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PlainInput x;
  PlainOutput y;
  std::vector<AxisMap> places; ///< in elements of x, or None
  unsigned elementSize = 0;

  /// Where row number \p row of the output is in x, or None.
  int64_t sourceOf(int64_t row) const;
};

Expected<std::unique_ptr<IndexedCopyKernel>>
IndexedCopyKernel::create(const NodeSpec &spec,
                          const std::vector<AxisMap> &maps) {
  auto kernel = std::make_unique<IndexedCopyKernel>();
  auto x = PlainInput::create(*spec.inputs[0]);
  if (!x)
    return inNode(spec, x.takeStatus());
  auto y = PlainOutput::create(spec.outputs[0]);
  if (!y)
    return inNode(spec, y.takeStatus());
  bool fits = x->shape().size() == maps.size() &&
              y->shape().size() == maps.size() && !maps.empty() &&
              x->dtype() == y->dtype() && getBitWidth(x->dtype()) % 8 == 0;
  const std::vector<int64_t> steps = rowMajorSteps(x->shape());
  for (size_t axis = 0; fits && axis < maps.size(); ++axis) {
    fits = static_cast<int64_t>(maps[axis].size()) == y->shape()[axis];
    AxisMap scaled = maps[axis];
    for (int64_t &place : scaled)
      if (place != None)
        place *= steps[axis];
    kernel->places.push_back(std::move(scaled));
  }
  if (!fits)
    return nodeError(spec, spec.inputs[0]->toString() + " does not give " +
                               spec.outputs[0].toString());
  kernel->elementSize = getBitWidth(x->dtype()) / 8;
  kernel->x = std::move(*x);
  kernel->y = std::move(*y);
  return kernel;
}

int64_t IndexedCopyKernel::sourceOf(int64_t row) const {
  int64_t source = 0;
  for (size_t axis = places.size() - 1; axis-- > 0;) {
    const AxisMap &map = places[axis];
    const int64_t place = map[row % map.size()];
    if (place == None)
      return None;
    source += place;
    row /= static_cast<int64_t>(map.size());
  }
  return source;
}

Expected<NodeStatus>
IndexedCopyKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                       std::span<const MutableTensor> outputs) {
  std::vector<std::byte> copyOfX, copyOfY, element = constant;
  const std::byte *from = x.read(inputs[0].data, copyOfX, context.pool);
  std::byte *to = y.begin(outputs[0].data, copyOfY);
  if (constantInput)
    element.assign(inputs[*constantInput].data,
                   inputs[*constantInput].data + elementSize);
  element.resize(elementSize);
  const AxisMap &inner = places.back();
  const int64_t width = static_cast<int64_t>(inner.size());
  context.pool.parallelFor(
      width == 0 ? 0 : getNumElements(y.shape()) / width, 64,
      [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t source = sourceOf(row);
          std::byte *target = to + row * width * elementSize;
          for (int64_t place : inner) {
            const bool isThere = source != None && place != None;
            std::memcpy(target,
                        isThere ? from + (source + place) * elementSize
                                : element.data(),
                        elementSize);
            target += elementSize;
          }
        }
      });
  y.finish(outputs[0].data, copyOfY, context.pool);
  return NodeStatus{};
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The map of an axis of \p extent with \p before and \p behind elements more.
/// Nothing when \p mode has no such elements.
std::optional<AxisMap> padAxis(int64_t extent, int64_t before, int64_t behind,
                               std::string_view mode) {
  const bool isReflect = mode == "reflect";
  const int64_t most = isReflect             ? extent - 1
                       : mode == "symmetric" ? extent
                       : mode == "edge" && extent == 0
                           ? 0
                           : std::max(before, behind);
  if (before < 0 || behind < 0 || before > most || behind > most)
    return std::nullopt;
  AxisMap map;
  for (int64_t i = -before; i < extent + behind; ++i) {
    int64_t place = i;
    if (i < 0 || i >= extent) {
      if (mode == "constant")
        place = None;
      else if (mode == "edge")
        place = i < 0 ? 0 : extent - 1;
      else
        place = i < 0 ? -i - !isReflect : 2 * extent - 1 - isReflect - i;
    }
    map.push_back(place);
  }
  return map;
}

Expected<std::string> padMode(const NodeSpec &spec) {
  std::string mode = "constant";
  if (spec.type != "PadV2") {
    auto given = spec.attribute<std::string>("mode");
    if (!given)
      return given.takeStatus();
    mode = *given;
  }
  for (char &c : mode)
    c = static_cast<char>(std::tolower(c));
  const bool isMirror = spec.type == "MirrorPad";
  if (mode == "reflect" || mode == "symmetric" ||
      (!isMirror && (mode == "constant" || mode == "edge")))
    return mode;
  return Status::error("attribute 'mode' is '" + mode + "', expected " +
                       (isMirror ? "REFLECT or SYMMETRIC"
                                 : "constant, edge, reflect or symmetric"));
}

/// PadV2, PadV3 (paddings are an input, and perhaps what to pad with), PadV3D
/// and MirrorPad.
Expected<std::unique_ptr<Kernel>> createPad(const NodeSpec &spec,
                                            const NumericConfig &) {
  const bool isAttribute = spec.type == "PadV3D";
  if (Status status = checkArity(spec, isAttribute ? 1 : 2, 1); !status)
    return status;
  auto paddings = readIntegers(spec, isAttribute, 1, "paddings");
  if (!paddings)
    return inNode(spec, paddings.takeStatus());
  auto mode = padMode(spec);
  if (!mode)
    return inNode(spec, mode.takeStatus());
  bool inPairs = true;
  if (spec.type.starts_with("PadV3")) {
    auto contiguous = spec.attribute<bool>("paddings_contiguous");
    if (!contiguous)
      return inNode(spec, contiguous.takeStatus());
    inPairs = *contiguous;
  }
  const Shape shape = getPlainDesc(*spec.inputs[0]).shape;
  if (paddings->size() != 2 * shape.size())
    return nodeError(spec, std::to_string(paddings->size()) +
                               " paddings are not two for each axis of " +
                               spec.inputs[0]->toString());
  std::vector<AxisMap> maps;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const size_t first = inPairs ? 2 * axis : axis;
    const int64_t before = (*paddings)[first],
                  behind =
                      (*paddings)[inPairs ? first + 1 : first + shape.size()];
    auto map = padAxis(shape[axis], before, behind, *mode);
    if (!map)
      return nodeError(spec, "axis " + std::to_string(axis) + " of " +
                                 spec.inputs[0]->toString() + " has no " +
                                 std::to_string(before) + " and " +
                                 std::to_string(behind) + " elements to pad (" +
                                 *mode + ")");
    maps.push_back(std::move(*map));
  }
  auto kernel = IndexedCopyKernel::create(spec, maps);
  if (!kernel)
    return kernel.takeStatus();
  if (isAttribute) {
    auto value = spec.attribute<int64_t>("constant_values");
    if (!value)
      return inNode(spec, value.takeStatus());
    const DataType dtype = spec.inputs[0]->dtype;
    (*kernel)->constant.resize(getBitWidth(dtype) / 8);
    const float number = static_cast<float>(*value);
    if (isFloatType(dtype))
      fromFloat(dtype, {&number, 1}, (*kernel)->constant.data(),
                OverflowMode::Saturate);
    else
      std::memcpy((*kernel)->constant.data(), &*value,
                  std::min((*kernel)->constant.size(), sizeof(*value)));
  } else if (spec.type != "MirrorPad" && spec.inputs.size() > 2 &&
             spec.inputs[2]) {
    if (spec.inputs[2]->dtype != spec.inputs[0]->dtype ||
        spec.inputs[2]->numElements() != 1)
      return nodeError(spec, "constant_values " + spec.inputs[2]->toString() +
                                 " is not one element of " +
                                 spec.inputs[0]->toString());
    (*kernel)->constantInput = 2;
  }
  return std::unique_ptr<Kernel>(std::move(*kernel));
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// ResizeNearestNeighborV2 and ResizeNearestNeighborV2D: the size is that of
/// the output.
Expected<std::unique_ptr<Kernel>> createResize(const NodeSpec &spec,
                                               const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto alignsCorners = spec.attribute<bool>("align_corners");
  auto halfPixels = spec.attribute<bool>("half_pixel_centers");
  for (auto *attr : {&alignsCorners, &halfPixels})
    if (!*attr)
      return inNode(spec, attr->takeStatus());
  if (*alignsCorners && *halfPixels)
    return nodeError(spec, "attributes 'align_corners' and "
                           "'half_pixel_centers' are both true");
  const TensorDesc from = getPlainDesc(*spec.inputs[0]),
                   to = getPlainDesc(spec.outputs[0]);
  const std::string_view letters = axisLetters(from.format);
  if (letters.size() != from.shape.size() ||
      from.shape.size() != to.shape.size())
    return nodeError(spec, from.toString() + " is no image");
  std::vector<AxisMap> maps;
  for (size_t axis = 0; axis < from.shape.size(); ++axis) {
    const int64_t extent = from.shape[axis], wanted = to.shape[axis];
    const bool resizes = letters[axis] == 'H' || letters[axis] == 'W';
    if (!resizes && extent != wanted)
      return nodeError(spec,
                       from.toString() + " does not give " + to.toString());
    AxisMap map;
    // Places are fp32 products.
    const float scale =
        *alignsCorners && wanted > 1
            ? static_cast<float>(extent - 1) / static_cast<float>(wanted - 1)
            : static_cast<float>(extent) / static_cast<float>(wanted);
    for (int64_t i = 0; i < wanted; ++i) {
      const float at = static_cast<float>(i);
      // Ascend910B converts halves away from zero, others to even.
      const float place = *alignsCorners ? (config.soc == Soc::Ascend910B
                                                ? std::round(at * scale)
                                                : std::nearbyint(at * scale))
                          : *halfPixels  ? std::floor((at + 0.5f) * scale)
                                         : std::floor(at * scale);
      map.push_back(resizes ? std::min(static_cast<int64_t>(place), extent - 1)
                            : i);
    }
    maps.push_back(std::move(map));
  }
  auto kernel = IndexedCopyKernel::create(spec, maps);
  if (!kernel)
    return kernel.takeStatus();
  return std::unique_ptr<Kernel>(std::move(*kernel));
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

/// Tril and Triu: zero above or below a diagonal. MatrixBandPart: zero beyond
/// so many diagonals on either side.
class TriangleKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PlainInput x;
  PlainOutput y;
  /// Diagonals that stay, by column - row.
  int64_t lowest = 0, highest = 0;
  unsigned elementSize = 0;

  Status bindDiagonals(const NodeSpec &spec);
};

Status TriangleKernel::bindDiagonals(const NodeSpec &spec) {
  constexpr int64_t Everything = int64_t(1) << 40;
  lowest = -Everything;
  highest = Everything;
  if (spec.type != "MatrixBandPart") {
    auto diagonal = spec.attribute<int64_t>("diagonal");
    if (!diagonal)
      return diagonal.takeStatus();
    (spec.type == "Tril" ? highest : lowest) =
        std::clamp(*diagonal, -Everything, Everything);
    return {};
  }
  for (const auto &[index, name] :
       {std::pair{1, "num_lower"}, std::pair{2, "num_upper"}}) {
    auto count = readConstantInput(spec, index, name);
    if (!count)
      return count.takeStatus();
    if (count->size() != 1)
      return Status::error("input " + std::to_string(index) + " (" + name +
                           ") has " + std::to_string(count->size()) +
                           " elements, expected one");
    if (const int64_t kept = count->front(); kept >= 0 && kept < Everything)
      (index == 1 ? lowest : highest) = index == 1 ? -kept : kept;
  }
  return {};
}

Expected<std::unique_ptr<Kernel>>
TriangleKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status =
          checkArity(spec, spec.type == "MatrixBandPart" ? 3 : 1, 1);
      !status)
    return status;
  auto kernel = std::make_unique<TriangleKernel>();
  if (Status status = kernel->bindDiagonals(spec); !status)
    return inNode(spec, std::move(status));
  auto x = PlainInput::create(*spec.inputs[0]);
  if (!x)
    return inNode(spec, x.takeStatus());
  auto y = PlainOutput::create(spec.outputs[0]);
  if (!y)
    return inNode(spec, y.takeStatus());
  if (x->shape() != y->shape() || x->shape().size() < 2 ||
      x->dtype() != y->dtype() || getBitWidth(x->dtype()) % 8 != 0)
    return nodeError(spec, spec.inputs[0]->toString() + " does not give " +
                               spec.outputs[0].toString());
  kernel->elementSize = getBitWidth(x->dtype()) / 8;
  kernel->x = std::move(*x);
  kernel->y = std::move(*y);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
TriangleKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                    std::span<const MutableTensor> outputs) {
  std::vector<std::byte> copyOfX, copyOfY;
  const std::byte *from = x.read(inputs[0].data, copyOfX, context.pool);
  std::byte *to = y.begin(outputs[0].data, copyOfY);
  const Shape &shape = x.shape();
  const int64_t width = shape.back(), height = shape[shape.size() - 2];
  context.pool.parallelFor(
      width == 0 ? 0 : getNumElements(shape) / width, 64,
      [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t row = begin; row < end; ++row) {
          auto column = [&](int64_t diagonal) {
            return std::clamp<int64_t>(row % height + diagonal, 0, width);
          };
          const int64_t first = column(lowest),
                        last = std::max(first, column(highest + 1));
          std::byte *target = to + row * width * elementSize;
          std::memset(target, 0, width * elementSize);
          std::memcpy(target + first * elementSize,
                      from + (row * width + first) * elementSize,
                      (last - first) * elementSize);
        }
      });
  y.finish(outputs[0].data, copyOfY, context.pool);
  return NodeStatus{};
}

} // namespace

void kernels::addIndexedCopy(Registry &registry) {
  for (const char *type : {"PadV2", "PadV3", "PadV3D", "MirrorPad"})
    registry.add(type, {createPad, "copies", status::None});
  for (const char *type :
       {"ResizeNearestNeighborV2", "ResizeNearestNeighborV2D"})
    registry.add(type, {createResize, "copies", status::None});
  for (const char *type : {"MatrixBandPart", "Tril", "Triu"})
    registry.add(type, {TriangleKernel::create, "copies", status::None});
}
