//===- ElementwiseShape.cpp - Broadcasting over physical layouts ----------===//

#include "ElementwiseShape.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// The output axis of every axis of an operand, or nullopt when they do not
/// broadcast. \p axes may have unit axes that the output lacks.
std::optional<std::vector<unsigned>>
alignAtEnd(const std::vector<LogicalAxis> &axes,
           const std::vector<LogicalAxis> &output,
           const std::vector<unsigned> &candidates) {
  std::vector<unsigned> result(axes.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t extent = axes[axes.size() - 1 - i].extent;
    if (i >= candidates.size()) {
      if (extent != 1)
        return std::nullopt;
      continue;
    }
    const unsigned target = candidates[candidates.size() - 1 - i];
    if (extent != 1 && extent != output[target].extent)
      return std::nullopt;
    result[axes.size() - 1 - i] = target;
  }
  return result;
}

std::optional<std::vector<unsigned>> align(const Layout &operand,
                                           const Layout &output) {
  const auto &axes = operand.axes();
  // By letter where both have them: the orders may differ.
  std::vector<unsigned> byLetter;
  for (const LogicalAxis &axis : axes) {
    auto target = axis.letter ? output.findAxis(axis.letter) : std::nullopt;
    if (!target ||
        (axis.extent != 1 && axis.extent != output.axes()[*target].extent))
      break;
    byLetter.push_back(*target);
  }
  if (byLetter.size() == axes.size())
    return byLetter;
  std::vector<unsigned> all, proper;
  for (unsigned i = 0; i < output.axes().size(); ++i) {
    all.push_back(i);
    if (output.axes()[i].extent != 1)
      proper.push_back(i);
  }
  if (auto result = alignAtEnd(axes, output.axes(), all))
    return result;
  // An output of low rank has been expanded by unit axes.
  return alignAtEnd(axes, output.axes(), proper);
}

template <typename T>
void copyRow(const std::byte *from, int64_t step, int64_t count,
             std::byte *to) {
  const T *source = reinterpret_cast<const T *>(from);
  T *target = reinterpret_cast<T *>(to);
  if (step == 0)
    std::fill_n(target, count, *source);
  else if (step == 1)
    std::memcpy(target, source, count * sizeof(T));
  else
    for (int64_t i = 0; i < count; ++i)
      target[i] = source[i * step];
}

} // namespace

Expected<ElementwiseShape::Operand> ElementwiseShape::bind(
    const Layout &output, const TensorDesc &outDesc, const TensorDesc &desc,
    std::optional<unsigned> vectorAxis, std::vector<bool> &covered) {
  Operand operand;
  if (desc.shape == outDesc.shape &&
      (desc.format == outDesc.format ||
       (isPlain(desc.format) && isPlain(outDesc.format)))) {
    covered.assign(covered.size(), true);
    return operand;
  }
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  if (layout->numLogical() == 1) {
    operand.access = Access::Scalar;
    return operand;
  }
  operand.access = Access::Gathered;
  auto fail = [&](const char *why) {
    return Status::error("operand " + desc.toString() +
                         " does not broadcast to " + outDesc.toString() + why);
  };
  if (!output.isReversible() || !layout->isReversible())
    return fail(": grouped filters have no broadcasting");
  const bool plain = isPlain(desc.format);
  if (!plain && desc.format != outDesc.format)
    return fail(": private formats must be equal");

  std::optional<std::vector<unsigned>> targets;
  if (vectorAxis && layout->axes().size() == 1) {
    if (output.axes()[*vectorAxis].extent == layout->axes()[0].extent)
      targets = {*vectorAxis};
  } else {
    targets = align(*layout, output);
  }
  if (!targets)
    return fail("");

  operand.bounded.assign(output.axes().size(), false);
  operand.steps.assign(output.digits().size(), 0);
  for (size_t i = 0; i < targets->size(); ++i) {
    if (layout->axes()[i].extent == 1)
      continue;
    const unsigned target = (*targets)[i];
    covered[target] = true;
    operand.bounded[target] = plain;
    for (const Digit &from : layout->digits()) {
      if (from.axis != i)
        continue;
      for (size_t d = 0; d < output.digits().size(); ++d) {
        const Digit &to = output.digits()[d];
        if (to.axis != target)
          continue;
        // A plain axis is one digit, of which the output's are pieces; the
        // digits of one private format are cut alike.
        if (plain)
          operand.steps[d] = from.stride * to.weight;
        else if (to.weight == from.weight)
          operand.steps[d] = from.stride;
      }
    }
  }
  return operand;
}

Expected<ElementwiseShape>
ElementwiseShape::create(const TensorDesc &output,
                         std::span<const TensorDesc *const> operands,
                         std::optional<unsigned> vectorAxis) {
  ElementwiseShape shape;
  auto layout = Layout::create(output);
  if (!layout)
    return layout.takeStatus();
  shape.layout = std::move(*layout);
  auto lanes = LaneMap::create(output);
  if (!lanes)
    return lanes.takeStatus();
  shape.laneMap = std::move(*lanes);

  const auto &axes = shape.layout.axes();
  std::vector<bool> covered(axes.size(), false);
  for (const TensorDesc *desc : operands) {
    auto operand = bind(shape.layout, output, *desc, vectorAxis, covered);
    if (!operand)
      return operand.takeStatus();
    shape.operands.push_back(std::move(*operand));
  }
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].extent != 1 && !covered[i])
      return Status::error("no operand has the extent " +
                           std::to_string(axes[i].extent) + " of output " +
                           output.toString());
  return shape;
}

void ElementwiseShape::gather(size_t number, const std::byte *data,
                              int64_t begin, int64_t count,
                              unsigned elementSize, std::byte *to) const {
  const Operand &operand = operands[number];
  const auto &axes = layout.axes();
  const auto &digits = layout.digits();
  const Digit &lane = digits.back();
  const int64_t laneStep = operand.steps.back();
  // The digits of the first element; the lane of later rows is 0.
  const size_t outer = digits.size() - 1;
  std::vector<int64_t> value(outer), index(axes.size());
  int64_t row = 0;
  for (size_t d = 0; d < outer; ++d) {
    value[d] = begin / digits[d].stride % digits[d].extent;
    row += value[d] * operand.steps[d];
    index[digits[d].axis] += value[d] * digits[d].weight;
  }
  for (int64_t at = begin, end = begin + count; at < end;) {
    int64_t valid = lane.extent;
    for (unsigned axis = 0; axis < axes.size(); ++axis) {
      if (!operand.bounded[axis])
        continue;
      const int64_t left = axes[axis].extent - index[axis];
      if (left <= 0)
        valid = 0;
      else if (axis == lane.axis)
        valid = std::min(valid, (left + lane.weight - 1) / lane.weight);
    }
    const int64_t first = at % lane.extent;
    const int64_t last = std::min(lane.extent, first + end - at);
    const int64_t filled = std::clamp(valid, first, last) - first;
    const std::byte *from = data + (row + first * laneStep) * elementSize;
    if (filled > 0) {
      if (elementSize == 1)
        copyRow<uint8_t>(from, laneStep, filled, to);
      else if (elementSize == 2)
        copyRow<uint16_t>(from, laneStep, filled, to);
      else if (elementSize == 4)
        copyRow<uint32_t>(from, laneStep, filled, to);
      else
        copyRow<uint64_t>(from, laneStep, filled, to);
    }
    std::memset(to + filled * elementSize, 0,
                (last - first - filled) * elementSize);
    to += (last - first) * elementSize;
    at += last - first;
    // To the next row, like an odometer.
    for (size_t d = outer; d-- > 0;) {
      row += operand.steps[d];
      index[digits[d].axis] += digits[d].weight;
      if (++value[d] < digits[d].extent)
        break;
      row -= value[d] * operand.steps[d];
      index[digits[d].axis] -= value[d] * digits[d].weight;
      value[d] = 0;
    }
  }
}
