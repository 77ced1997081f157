//===- StridedCopy.cpp - A box of elements from here to there -------------===//

#include "StridedCopy.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

std::vector<int64_t> kernels::rowMajorSteps(const Shape &shape) {
  std::vector<int64_t> steps(shape.size());
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0; step *= shape[axis])
    steps[axis] = step;
  return steps;
}

StridedCopy::StridedCopy(std::vector<Axis> axes, unsigned elementSize,
                         int64_t sourceBase, int64_t targetBase)
    : elementSize(elementSize), sourceBase(sourceBase), targetBase(targetBase) {
  // Axes over which both ends advance as one are joined.
  std::vector<Axis> joined;
  for (const Axis &axis : axes) {
    if (axis.extent == 1)
      continue;
    if (!joined.empty() &&
        joined.back().sourceStep == axis.extent * axis.sourceStep &&
        joined.back().targetStep == axis.extent * axis.targetStep)
      joined.back() = {joined.back().extent * axis.extent, axis.sourceStep,
                       axis.targetStep};
    else
      joined.push_back(axis);
  }
  if (!joined.empty()) {
    inner = joined.back();
    joined.pop_back();
  }
  outer = std::move(joined);
  for (const Axis &axis : outer)
    rows *= axis.extent;
}

template <typename T>
static void copyElements(const std::byte *source, std::byte *target,
                         const StridedCopy::Axis &axis) {
  const T *from = reinterpret_cast<const T *>(source);
  T *to = reinterpret_cast<T *>(target);
  for (int64_t i = 0; i < axis.extent; ++i)
    to[i * axis.targetStep] = from[i * axis.sourceStep];
}

void StridedCopy::copyRow(const std::byte *source, std::byte *target) const {
  if (inner.sourceStep == 1 && inner.targetStep == 1) {
    std::memcpy(target, source, inner.extent * elementSize);
    return;
  }
  switch (elementSize) {
  case 1:
    return copyElements<uint8_t>(source, target, inner);
  case 2:
    return copyElements<uint16_t>(source, target, inner);
  case 4:
    return copyElements<uint32_t>(source, target, inner);
  case 8:
    return copyElements<uint64_t>(source, target, inner);
  default:
    for (int64_t i = 0; i < inner.extent; ++i)
      std::memcpy(target + i * inner.targetStep * elementSize,
                  source + i * inner.sourceStep * elementSize, elementSize);
  }
}

void StridedCopy::run(const std::byte *source, std::byte *target,
                      ThreadPool &pool) const {
  if (inner.extent == 0)
    return;
  constexpr int64_t ElementsAtATime = 1 << 14;
  const int64_t grain = std::max<int64_t>(1, ElementsAtATime / inner.extent);
  pool.parallelFor(rows, grain, [&](int64_t begin, int64_t end, int64_t) {
    int64_t from = sourceBase, to = targetBase, rest = begin;
    std::vector<int64_t> index(outer.size());
    for (size_t axis = outer.size(); axis-- > 0;) {
      index[axis] = rest % outer[axis].extent;
      rest /= outer[axis].extent;
      from += index[axis] * outer[axis].sourceStep;
      to += index[axis] * outer[axis].targetStep;
    }
    for (int64_t row = begin; row < end; ++row) {
      copyRow(source + from * elementSize, target + to * elementSize);
      for (size_t axis = outer.size(); axis-- > 0;) {
        from += outer[axis].sourceStep;
        to += outer[axis].targetStep;
        if (++index[axis] != outer[axis].extent)
          break;
        from -= outer[axis].extent * outer[axis].sourceStep;
        to -= outer[axis].extent * outer[axis].targetStep;
        index[axis] = 0;
      }
    }
  });
}
