//===- Arrangement.cpp - Concatenation, splits, transposition, tiles ------===//

#include "Builtins.h"
#include "ConstantInput.h"
#include "DroppedInputs.h"
#include "KernelChecks.h"
#include "Rearrangement.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

namespace {

using Axis = StridedCopy::Axis;

Status shapeError(const NodeSpec &spec) {
  std::string inputs;
  for (const auto &input : spec.inputs)
    if (input)
      inputs += (inputs.empty() ? "" : ", ") + input->toString();
  return nodeError(spec,
                   inputs + " does not give " + spec.outputs[0].toString());
}

/// The axis that \p spec names by number. For NC1HWC0 the number may count N,
/// C, H and W, whatever the origin: \p fits says whether a reading leads to the
/// shapes of the node.
template <typename Fits>
Expected<unsigned> findAxis(const NodeSpec &spec, int64_t number,
                            const TensorDesc &desc, size_t rank,
                            const Fits &fits) {
  auto axis = normalizeAxis(number, rank);
  if (!axis)
    return inNode(spec, axis.takeStatus());
  if (fits(*axis))
    return *axis;
  const std::string_view letters = axisLetters(desc.originFormat);
  if (desc.format == Format::NC1HWC0 && letters.size() == rank &&
      *axis < letters.size()) {
    const size_t place = letters.find("NCHW"[*axis]);
    if (place != std::string_view::npos && fits(static_cast<unsigned>(place)))
      return static_cast<unsigned>(place);
  }
  return shapeError(spec);
}

/// Whether \p parts laid along \p axis are \p whole.
bool isWhole(const std::vector<Shape> &parts, unsigned axis, Shape whole) {
  int64_t total = 0;
  for (Shape part : parts) {
    if (part.size() != whole.size())
      return false;
    total += part[axis];
    part[axis] = whole[axis];
    if (part != whole)
      return false;
  }
  return total == whole[axis];
}

/// Steps for a box of \p part that lies in \p whole.
std::vector<Axis> boxAxes(const Shape &part, const std::vector<int64_t> &source,
                          const std::vector<int64_t> &target) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < part.size(); ++i)
    axes.push_back({part[i], source[i], target[i]});
  return axes;
}

/// The number of an axis in input \p index, a constant.
Expected<int64_t> readAxis(const NodeSpec &spec, size_t index,
                           const char *name) {
  auto values = readConstantInput(spec, index, name);
  if (!values)
    return inNode(spec, values.takeStatus());
  if (values->size() != 1)
    return nodeError(spec,
                     "input '" + std::string(name) + "' is not one number");
  return values->front();
}

/// ConcatD, ConcatV2D (the axis is an attribute) and ConcatV2 (the last input).
Expected<std::unique_ptr<Kernel>> createConcat(const NodeSpec &spec,
                                               const NumericConfig &) {
  const bool isAttribute = spec.type.ends_with("D");
  if (spec.inputs.size() < (isAttribute ? 1 : 2) || spec.outputs.size() != 1)
    return nodeError(spec, "expected tensors, an axis and one output");
  const size_t count = spec.inputs.size() - (isAttribute ? 0 : 1);
  Expected<int64_t> axisNumber = isAttribute
                                     ? spec.attrs.require<int64_t>("concat_dim")
                                     : readAxis(spec, count, "concat_dim");
  if (!axisNumber)
    return inNode(spec, axisNumber.takeStatus());
  const int64_t number = *axisNumber;
  auto plan = Rearrangement::create(spec, count);
  if (!plan)
    return plan.takeStatus();
  const Shape &whole = plan->outputShape();
  std::vector<Shape> parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back(plan->inputShape(i));
  auto axis =
      findAxis(spec, number, spec.outputs[0], whole.size(),
               [&](unsigned place) { return isWhole(parts, place, whole); });
  if (!axis)
    return axis.takeStatus();
  const std::vector<int64_t> steps = rowMajorSteps(whole);
  int64_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    plan->copy(i, 0, boxAxes(parts[i], rowMajorSteps(parts[i]), steps), 0,
               begin * steps[*axis]);
    begin += parts[i][*axis];
  }
  return std::move(*plan).takeKernel();
}

/// SplitD, SplitVD and SplitV (the axis is input 2): the sizes are those of the
/// outputs.
Expected<std::unique_ptr<Kernel>> createSplit(const NodeSpec &spec,
                                              const NumericConfig &) {
  Expected<int64_t> number = spec.type.ends_with("D")
                                 ? spec.attrs.require<int64_t>("split_dim")
                                 : readAxis(spec, 2, "split_dim");
  if (!number)
    return inNode(spec, number.takeStatus());
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  const Shape &whole = plan->inputShape(0);
  std::vector<Shape> parts;
  for (size_t i = 0; i < spec.outputs.size(); ++i)
    parts.push_back(plan->outputShape(i));
  auto axis =
      findAxis(spec, *number, *spec.inputs[0], whole.size(),
               [&](unsigned place) { return isWhole(parts, place, whole); });
  if (!axis)
    return axis.takeStatus();
  const std::vector<int64_t> steps = rowMajorSteps(whole);
  int64_t begin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    plan->copy(0, i, boxAxes(parts[i], steps, rowMajorSteps(parts[i])),
               begin * steps[*axis]);
    begin += parts[i][*axis];
  }
  return std::move(*plan).takeKernel();
}

/// Concat and Split: the axis comes in first.
template <KernelFactory Create>
Expected<std::unique_ptr<Kernel>>
createWithAxisFirst(const NodeSpec &spec, const NumericConfig &config) {
  const char *name = spec.type == "Concat" ? "concat_dim" : "split_dim";
  auto axis = readAxis(spec, 0, name);
  if (!axis)
    return axis.takeStatus();
  NodeSpec attributed = spec;
  attributed.type += "D";
  attributed.attrs.set(name, *axis);
  return createWithoutInputs(attributed, config, Create, 0);
}

/// Pack and Unpack: parts become or are slices of a tensor with one axis more.
Expected<std::unique_ptr<Kernel>> createStack(const NodeSpec &spec,
                                              const NumericConfig &) {
  const bool packs = spec.type == "Pack";
  const size_t count = packs ? spec.inputs.size() : spec.outputs.size();
  auto number = spec.attribute<int64_t>("axis");
  if (!number)
    return inNode(spec, number.takeStatus());
  auto plan = Rearrangement::create(spec, packs ? count : 1);
  if (!plan)
    return plan.takeStatus();
  const Shape &whole = packs ? plan->outputShape() : plan->inputShape(0);
  auto axis = normalizeAxis(*number, whole.size());
  if (!axis)
    return inNode(spec, axis.takeStatus());
  Shape part = whole;
  part.erase(part.begin() + *axis);
  const std::vector<int64_t> steps = rowMajorSteps(whole);
  std::vector<int64_t> inWhole = steps;
  inWhole.erase(inWhole.begin() + *axis);
  for (size_t i = 0; i < count; ++i) {
    if ((packs ? plan->inputShape(i) : plan->outputShape(i)) != part)
      return shapeError(spec);
    const int64_t begin = static_cast<int64_t>(i) * steps[*axis];
    if (packs)
      plan->copy(i, 0, boxAxes(part, rowMajorSteps(part), inWhole), 0, begin);
    else
      plan->copy(0, i, boxAxes(part, inWhole, rowMajorSteps(part)), begin, 0);
  }
  if (static_cast<int64_t>(count) != whole[*axis])
    return shapeError(spec);
  return std::move(*plan).takeKernel();
}

/// PadD and Pad: zeros before and behind, by pairs of `paddings`.
Expected<std::unique_ptr<Kernel>> createPad(const NodeSpec &spec,
                                            const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto paddings = readIntegers(spec, spec.type == "PadD", 1, "paddings");
  if (!paddings)
    return inNode(spec, paddings.takeStatus());
  const Shape &from = plan->inputShape(0), &to = plan->outputShape();
  if (paddings->size() != 2 * from.size() || to.size() != from.size())
    return shapeError(spec);
  const std::vector<int64_t> steps = rowMajorSteps(to);
  int64_t begin = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t before = (*paddings)[2 * i], behind = (*paddings)[2 * i + 1];
    if (before < 0 || behind < 0 || before > to[i] ||
        to[i] - before - from[i] != behind)
      return shapeError(spec);
    begin += before * steps[i];
  }
  plan->clearOutputs();
  plan->copy(0, 0, boxAxes(from, rowMajorSteps(from), steps), 0, begin);
  return std::move(*plan).takeKernel();
}

/// ReverseV2D and ReverseV2: the axes of `axis` run backwards.
Expected<std::unique_ptr<Kernel>> createReverse(const NodeSpec &spec,
                                                const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto numbers = readIntegers(spec, spec.type == "ReverseV2D", 1, "axis");
  if (!numbers)
    return inNode(spec, numbers.takeStatus());
  const Shape &shape = plan->inputShape(0);
  if (plan->outputShape() != shape)
    return shapeError(spec);
  const std::vector<int64_t> steps = rowMajorSteps(shape);
  std::vector<int64_t> source = steps;
  int64_t begin = 0;
  for (int64_t number : *numbers) {
    auto axis = normalizeAxis(number, shape.size());
    if (!axis)
      return inNode(spec, axis.takeStatus());
    if (source[*axis] != steps[*axis])
      return nodeError(spec, "attribute or input 'axis' has axis " +
                                 std::to_string(*axis) + " twice");
    source[*axis] = -steps[*axis];
    begin += std::max<int64_t>(shape[*axis] - 1, 0) * steps[*axis];
  }
  plan->copy(0, 0, boxAxes(shape, source, steps), begin, 0);
  return std::move(*plan).takeKernel();
}

/// A transposition of a tensor of \p from: y[i0, i1, ...] = x[j] with
/// j[perm[k]] = i_k.
struct Transposition {
  Shape to;
  std::vector<Axis> axes;

  static Expected<Transposition> create(const NodeSpec &spec, const Shape &from,
                                        const std::vector<int64_t> &perm);
};

Expected<Transposition>
Transposition::create(const NodeSpec &spec, const Shape &from,
                      const std::vector<int64_t> &perm) {
  if (perm.size() != from.size())
    return nodeError(spec, "attribute or input 'perm' has " +
                               std::to_string(perm.size()) + " axes of " +
                               std::to_string(from.size()));
  Transposition result;
  std::vector<bool> taken(from.size());
  std::vector<int64_t> order;
  for (int64_t number : perm) {
    auto axis = normalizeAxis(number, from.size());
    if (!axis)
      return inNode(spec, axis.takeStatus());
    if (taken[*axis])
      return nodeError(spec, "attribute or input 'perm' has axis " +
                                 std::to_string(*axis) + " twice");
    taken[*axis] = true;
    order.push_back(*axis);
    result.to.push_back(from[*axis]);
  }
  const std::vector<int64_t> source = rowMajorSteps(from),
                             target = rowMajorSteps(result.to);
  for (size_t i = 0; i < order.size(); ++i)
    result.axes.push_back({result.to[i], source[order[i]], target[i]});
  return result;
}

/// TransposeD and Transpose.
Expected<std::unique_ptr<Kernel>> createTranspose(const NodeSpec &spec,
                                                  const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto perm = readIntegers(spec, spec.type == "TransposeD", 1, "perm");
  if (!perm)
    return inNode(spec, perm.takeStatus());
  auto transposition = Transposition::create(spec, plan->inputShape(0), *perm);
  if (!transposition)
    return transposition.takeStatus();
  if (transposition->to != plan->outputShape())
    return shapeError(spec);
  plan->copy(0, 0, std::move(transposition->axes));
  return std::move(*plan).takeKernel();
}

/// ConfusionTransposeD: x seen as `shape` and transposed, or, with
/// `transpose_first`, transposed and seen as `shape`.
Expected<std::unique_ptr<Kernel>>
createConfusionTranspose(const NodeSpec &spec, const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto perm = spec.attrs.require<std::vector<int64_t>>("perm");
  if (!perm)
    return inNode(spec, perm.takeStatus());
  auto shape = spec.attrs.require<std::vector<int64_t>>("shape");
  if (!shape)
    return inNode(spec, shape.takeStatus());
  auto transposesFirst = spec.attrs.require<bool>("transpose_first");
  if (!transposesFirst)
    return inNode(spec, transposesFirst.takeStatus());
  const Shape given(shape->begin(), shape->end());
  const Shape &whole = plan->outputShape();
  const bool fits =
      *transposesFirst
          ? given == whole
          : given.size() == whole.size() &&
                std::is_permutation(given.begin(), given.end(), whole.begin());
  if (!fits || getNumElements(whole) != getNumElements(plan->inputShape(0)))
    return shapeError(spec);
  auto transposition = Transposition::create(
      spec, *transposesFirst ? plan->inputShape(0) : given, *perm);
  if (!transposition)
    return transposition.takeStatus();
  if (!*transposesFirst && transposition->to != whole)
    return shapeError(spec);
  plan->copy(0, 0, std::move(transposition->axes));
  return std::move(*plan).takeKernel();
}

/// TileD and Tile: axis i is repeated multiples[i] times.
Expected<std::unique_ptr<Kernel>> createTile(const NodeSpec &spec,
                                             const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto multiples = readIntegers(spec, spec.type == "TileD", 1, "multiples");
  if (!multiples)
    return inNode(spec, multiples.takeStatus());
  const Shape &from = plan->inputShape(0), &to = plan->outputShape();
  // A tensor with fewer axes than multiples has leading ones.
  if (multiples->size() < from.size() || to.size() != multiples->size())
    return shapeError(spec);
  const size_t added = to.size() - from.size();
  const std::vector<int64_t> source = rowMajorSteps(from),
                             target = rowMajorSteps(to);
  std::vector<Axis> axes;
  for (size_t i = 0; i < to.size(); ++i) {
    const int64_t extent = i < added ? 1 : from[i - added];
    if ((*multiples)[i] < 0 || to[i] != extent * (*multiples)[i])
      return shapeError(spec);
    axes.push_back({(*multiples)[i], 0, extent * target[i]});
    axes.push_back({extent, i < added ? 0 : source[i - added], target[i]});
  }
  plan->copy(0, 0, std::move(axes));
  return std::move(*plan).takeKernel();
}

} // namespace

void kernels::addArrangement(Registry &registry) {
  struct Row {
    const char *type;
    KernelFactory create;
  };
  static constexpr Row rows[] = {
      {"ConcatD", createConcat},
      {"ConcatV2D", createConcat},
      {"ConcatV2", createConcat},
      {"SplitD", createSplit},
      {"SplitVD", createSplit},
      {"TransposeD", createTranspose},
      {"Transpose", createTranspose},
      {"TileD", createTile},
      {"ConfusionTransposeD", createConfusionTranspose},
      {"Concat", createWithAxisFirst<createConcat>},
      {"Split", createWithAxisFirst<createSplit>},
      {"SplitV", createSplit},
      {"Pack", createStack},
      {"Unpack", createStack},
      {"PadD", createPad},
      {"Pad", createPad},
      {"ReverseV2D", createReverse},
      {"ReverseV2", createReverse},
      {"Tile", createTile},
  };
  for (const Row &row : rows)
    registry.add(row.type, {row.create, "copies", status::None});
}
