//===- AxisLines.cpp - The lines of a tensor along some axes --------------===//

#include "AxisLines.h"

using namespace npu;
using namespace npu::kernels;

std::optional<int64_t>
kernels::findDistance(const Layout &layout, const std::vector<unsigned> &axes) {
  if (layout.parts().size() != 1 ||
      layout.elementAt(std::vector<int64_t>(layout.axes().size())) != 0)
    return std::nullopt;
  std::optional<int64_t> distance;
  int64_t expected = 0;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t extent = layout.axes()[axes[i]].extent;
    if (extent == 1)
      continue;
    const Digit *digit = nullptr;
    for (const Digit &candidate : layout.digits())
      if (candidate.axis == axes[i] && candidate.extent != 1) {
        if (digit)
          return std::nullopt;
        digit = &candidate;
      }
    if (!digit || digit->weight != 1 || digit->extent < extent ||
        (distance && digit->stride != expected))
      return std::nullopt;
    if (!distance)
      distance = digit->stride;
    expected = digit->stride * extent;
  }
  return distance.value_or(0);
}

Expected<AxisLines> AxisLines::create(const TensorDesc &desc,
                                      const std::vector<bool> &along) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  AxisLines result;
  result.source = std::move(*layout);
  const auto &axes = result.source.axes();
  int64_t length = 1;
  std::vector<unsigned> lineAxes;
  for (unsigned i = 0; i < axes.size(); ++i) {
    if (along[i]) {
      lineAxes.push_back(i);
      length *= axes[i].extent;
    } else {
      result.kept.push_back(i);
      result.lines *= axes[i].extent;
    }
  }
  if (result.source.numLogical() == 0)
    result.lines = 0;
  result.lineDistance = findDistance(result.source, result.kept);
  result.offsets.reserve(static_cast<size_t>(length));
  std::vector<int64_t> index(axes.size());
  for (int64_t i = 0; i < length; ++i) {
    result.offsets.push_back(result.source.elementAt(index));
    result.contiguous &= result.offsets.back() == i;
    for (size_t a = lineAxes.size(); a-- > 0;) {
      if (++index[lineAxes[a]] < axes[lineAxes[a]].extent)
        break;
      index[lineAxes[a]] = 0;
    }
  }
  result.findRun();
  result.findBlocks();
  return result;
}

void AxisLines::findRun() {
  if (lineDistance || kept.empty() || source.parts().size() != 1)
    return;
  const unsigned axis = kept.back();
  for (const Digit &digit : source.digits())
    if (digit.axis == axis && digit.weight == 1 && digit.extent > 1 &&
        source.axes()[axis].extent % digit.extent == 0)
      run = {digit.extent, digit.stride};
}

void AxisLines::findBlocks() {
  const size_t whole = offsets.size() / BlockLength * BlockLength;
  inBlocks = whole > 0;
  for (size_t i = 0; i < whole; ++i)
    inBlocks &= i % BlockLength == 0 || offsets[i] == offsets[i - 1] + 1;
}

void AxisLines::indexOf(int64_t line, std::vector<int64_t> &index) const {
  const auto &axes = source.axes();
  index.assign(axes.size(), 0);
  for (size_t i = kept.size(); i-- > 0;) {
    const int64_t extent = axes[kept[i]].extent;
    index[kept[i]] = line % extent;
    line /= extent;
  }
}

int64_t AxisLines::countAdjacent() const {
  constexpr int64_t most = 16;
  int64_t count = std::min(most, lines);
  std::vector<int64_t> starts(static_cast<size_t>(lines));
  for (int64_t line = 0; line < lines; ++line)
    starts[line] = start(line);
  const auto holds = [&](int64_t count) {
    for (int64_t line = 0; line < lines; ++line)
      if (line % count != 0 && starts[line] != starts[line - 1] + 1)
        return false;
    return true;
  };
  while (count > 1 && !holds(count))
    --count;
  return std::max<int64_t>(count, 1);
}
