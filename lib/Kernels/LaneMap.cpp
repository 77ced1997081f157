//===- LaneMap.cpp - Which elements pad a private format ------------------===//

#include "npu/Kernels/LaneMap.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

namespace {

/// Joins stretches that arrive in order.
class RunMerger {
public:
  RunMerger(int64_t begin,
            const std::function<void(int64_t, int64_t, bool)> &visit)
      : begin(begin), end(begin), visit(visit) {}
  ~RunMerger() { flush(); }

  void extend(int64_t length, bool isValid) {
    if (length == 0)
      return;
    if (isValid != valid)
      flush();
    valid = isValid;
    end += length;
  }

private:
  int64_t begin, end;
  bool valid = true;
  const std::function<void(int64_t, int64_t, bool)> &visit;

  void flush() {
    if (begin != end)
      visit(begin, end, valid);
    begin = end;
  }
};

} // namespace

Expected<LaneMap> LaneMap::create(const TensorDesc &desc) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  LaneMap map;
  map.layout = std::move(*layout);
  if (map.layout.isReversible() || !map.hasPadding())
    return map;
  // Mark where every logical element lies.
  map.explicitMap.resize(map.layout.numElements());
  const auto &axes = map.layout.axes();
  std::vector<int64_t> index(axes.size());
  for (int64_t left = map.layout.numLogical(); left > 0; --left) {
    map.explicitMap[map.layout.elementAt(index)] = true;
    for (size_t i = axes.size(); i-- > 0;) {
      if (++index[i] < axes[i].extent)
        break;
      index[i] = 0;
    }
  }
  return map;
}

void LaneMap::forEachRun(
    int64_t begin, int64_t end,
    const std::function<void(int64_t, int64_t, bool)> &visit) const {
  RunMerger runs(begin, visit);
  if (!hasPadding())
    return runs.extend(end - begin, true);
  if (!explicitMap.empty()) {
    for (int64_t i = begin; i < end; ++i)
      runs.extend(1, explicitMap[i]);
    return;
  }
  // Row by row of the innermost digit: the outer digits decide whether there
  // is data at all, and then where it ends.
  const auto &axes = layout.axes();
  const auto &digits = layout.digits();
  const Digit &lane = digits.back();
  std::vector<int64_t> index(axes.size());
  for (int64_t at = begin; at < end;) {
    std::fill(index.begin(), index.end(), 0);
    for (size_t i = 0; i + 1 < digits.size(); ++i)
      index[digits[i].axis] +=
          at / digits[i].stride % digits[i].extent * digits[i].weight;
    int64_t valid = 0;
    bool inside = true;
    for (size_t i = 0; i < axes.size(); ++i)
      inside &= index[i] < axes[i].extent;
    if (inside)
      valid = std::min(lane.extent, (axes[lane.axis].extent - index[lane.axis] +
                                     lane.weight - 1) /
                                        lane.weight);
    const int64_t first = at % lane.extent;
    const int64_t last = std::min(lane.extent, first + end - at);
    runs.extend(std::clamp(valid, first, last) - first, true);
    runs.extend(last - std::clamp(valid, first, last), false);
    at += last - first;
  }
}
