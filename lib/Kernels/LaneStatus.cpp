//===- LaneStatus.cpp - Status of data lanes and of padding ---------------===//

#include "LaneStatus.h"

#include <vector>

using namespace npu;
using namespace npu::kernels;

void LaneStatus::record(StatusBits bits, int64_t begin, int64_t count,
                        std::span<const ChunkInput> inputs,
                        const Recompute &recompute) {
  if (bits == status::None)
    return;
  if (!lanes.hasPadding()) {
    valid |= bits;
    return;
  }
  // Nothing to learn when both have reported all of it already.
  if ((bits & ~(valid & padding)) == 0)
    return;
  struct Run {
    int64_t begin, length;
  };
  std::vector<Run> runs[2]; // padding, data
  lanes.forEachRun(begin, begin + count, [&](int64_t b, int64_t e, bool data) {
    runs[data].push_back({b - begin, e - b});
  });
  if (runs[false].empty() || runs[true].empty()) {
    (runs[true].empty() ? padding : valid) |= bits;
    return;
  }
  for (bool data : {false, true}) {
    std::vector<std::vector<std::byte>> packed(inputs.size());
    std::vector<const void *> pointers;
    int64_t length = 0;
    for (const Run &run : runs[data])
      length += run.length;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto [from, size] = inputs[i];
      packed[i].reserve(length * size);
      for (const Run &run : runs[data])
        packed[i].insert(packed[i].end(), from + run.begin * size,
                         from + (run.begin + run.length) * size);
      pointers.push_back(packed[i].data());
    }
    (data ? valid : padding) |=
        recompute(pointers, static_cast<size_t>(length));
  }
}
