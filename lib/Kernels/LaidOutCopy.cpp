//===- LaidOutCopy.cpp - Copies between tensors of any layout -------------===//

#include "LaidOutCopy.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using Axis = StridedCopy::Axis;

namespace {

/// A digit of a layout by the places of the row-major tensor: it counts
/// (place / unit) from there to end, where the next one begins.
struct Level {
  unsigned axis;
  int64_t unit, end;
  int64_t stride; // in memory
};

/// The levels of a layout, and how far the places of a box go in each.
class Levels {
public:
  static std::optional<Levels> create(const Layout &layout);

  /// Cuts \p axes, whose steps at \p step are of the row-major tensor, into
  /// such with steps in memory.
  std::optional<std::vector<Axis>> cut(std::vector<Axis> axes,
                                       int64_t Axis::*step);
  /// The element at the place \p base.
  int64_t locate(int64_t base);
  /// Whether no digit of a place in the box carries into the next one, so that
  /// steps add up in memory as they do in the row-major tensor.
  bool areApart() const;

private:
  std::vector<Level> levels; // units ascending
  std::vector<int64_t> most; // by level: the sum of what counts in it
  int64_t base = 0;
};

} // namespace

std::optional<Levels> Levels::create(const Layout &layout) {
  const auto &axes = layout.axes();
  if (layout.parts().size() != 1 || !layout.isReversible() ||
      layout.numLogical() == 0)
    return std::nullopt;
  std::vector<int64_t> steps(axes.size());
  int64_t step = 1;
  for (size_t axis = axes.size(); axis-- > 0; step *= axes[axis].extent)
    steps[axis] = step;
  Levels result;
  result.base = layout.parts().front().base;
  for (const Digit &digit : layout.digits())
    if (digit.extent > 1 && digit.weight < axes[digit.axis].extent)
      result.levels.push_back({digit.axis, steps[digit.axis] * digit.weight,
                               steps[digit.axis] * axes[digit.axis].extent,
                               digit.stride});
  std::sort(result.levels.begin(), result.levels.end(),
            [](const Level &a, const Level &b) { return a.unit < b.unit; });
  for (size_t i = 1; i < result.levels.size(); ++i) {
    Level &below = result.levels[i - 1];
    if (below.axis == result.levels[i].axis)
      below.end = result.levels[i].unit;
  }
  result.most.resize(result.levels.size());
  return result;
}

std::optional<std::vector<Axis>> Levels::cut(std::vector<Axis> axes,
                                             int64_t Axis::*step) {
  std::vector<Axis> result;
  while (!axes.empty()) {
    Axis axis = axes.back();
    axes.pop_back();
    if (axis.extent == 1)
      continue;
    if (axis.*step == 0) {
      result.push_back(axis);
      continue;
    }
    size_t i = levels.size();
    while (i > 0 && levels[i - 1].unit > axis.*step)
      --i;
    if (i == 0) // a negative step
      return std::nullopt;
    const Level &level = levels[--i];
    if (axis.*step % level.unit != 0 || axis.*step >= level.end)
      return std::nullopt;
    if (axis.*step * (axis.extent - 1) >= level.end) {
      const int64_t inner = level.end / (axis.*step);
      if (level.end % (axis.*step) != 0 || axis.extent % inner != 0)
        return std::nullopt;
      axes.push_back({axis.extent / inner, axis.sourceStep * inner,
                      axis.targetStep * inner});
      axis.extent = inner;
    }
    const int64_t counts = axis.*step / level.unit;
    most[i] += counts * (axis.extent - 1);
    axis.*step = counts * level.stride;
    result.push_back(axis);
  }
  return result;
}

int64_t Levels::locate(int64_t place) {
  int64_t element = base;
  for (size_t i = levels.size(); i-- > 0;) {
    const int64_t value = place / levels[i].unit;
    place -= value * levels[i].unit;
    most[i] += value;
    element += value * levels[i].stride;
  }
  return element;
}

bool Levels::areApart() const {
  int64_t ofAxis = 0; // the furthest place in the levels of an axis so far
  for (size_t i = 0; i < levels.size(); ++i) {
    const Level &level = levels[i];
    const bool begins = i == 0 || levels[i - 1].axis != level.axis;
    ofAxis = (begins ? 0 : ofAxis) + most[i] * level.unit;
    if (ofAxis >= level.end)
      return false;
  }
  return true;
}

std::optional<CopyBox> kernels::layOut(const CopyBox &plain,
                                       const Layout &source,
                                       const Layout &target) {
  auto from = Levels::create(source), to = Levels::create(target);
  if (!from || !to)
    return std::nullopt;
  CopyBox box;
  box.sourceBase = from->locate(plain.sourceBase);
  box.targetBase = to->locate(plain.targetBase);
  // What one side cuts both have.
  auto axes = from->cut(plain.axes, &Axis::sourceStep);
  if (axes)
    axes = to->cut(std::move(*axes), &Axis::targetStep);
  if (!axes || !from->areApart() || !to->areApart())
    return std::nullopt;
  std::sort(axes->begin(), axes->end(), [](const Axis &a, const Axis &b) {
    return a.targetStep > b.targetStep;
  });
  box.axes = std::move(*axes);
  return box;
}
