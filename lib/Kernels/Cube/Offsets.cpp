//===- Offsets.cpp - Element offsets by axis ------------------------------===//

#include "Offsets.h"

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

Expected<NamedAxes> NamedAxes::create(const TensorDesc &desc,
                                      const std::string &what) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus().withContext(what);
  NamedAxes result;
  auto n = layout->findAxis('N'), c = layout->findAxis('C');
  auto h = layout->findAxis('H'), w = layout->findAxis('W');
  if (auto merged = layout->findAxis('S')) {
    // The origin still tells H and W apart.
    std::string_view letters = axisLetters(desc.originFormat);
    const size_t atH = letters.find('H'), atW = letters.find('W');
    if (letters.size() == desc.originShape.size() &&
        atH != std::string_view::npos && atW != std::string_view::npos) {
      result.merged = true;
      result.height = desc.originShape[atH];
      result.width = desc.originShape[atW];
      h = w = merged;
    }
  }
  if (!n || !c || !h || !w)
    return Status::error(what + ": " + desc.toString() +
                         " has no axes N, C, H and W");
  result.n = *n;
  result.c = *c;
  result.h = *h;
  result.w = *w;
  if (!result.merged) {
    result.height = layout->axes()[*h].extent;
    result.width = layout->axes()[*w].extent;
  }
  result.layout = std::move(*layout);
  return result;
}

int64_t NamedAxes::extent(char letter) const {
  switch (letter) {
  case 'N':
    return layout.axes()[n].extent;
  case 'C':
    return layout.axes()[c].extent;
  case 'H':
    return height;
  default:
    return width;
  }
}

int64_t NamedAxes::elementAt(int64_t atN, int64_t atC, int64_t atH,
                             int64_t atW) const {
  std::vector<int64_t> index(layout.axes().size());
  index[n] = atN;
  index[c] = atC;
  if (merged) {
    index[h] = atH * width + atW;
  } else {
    index[h] = atH;
    index[w] = atW;
  }
  return layout.elementAt(index);
}

Pitch npu::kernels::cube::findPitch(std::span<const int64_t> offsets) {
  Pitch pitch;
  if (offsets.size() < 2)
    return pitch;
  pitch.step = offsets[1] - offsets[0];
  for (size_t i = 2; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != pitch.step)
      pitch.uniform = false;
  return pitch;
}

int64_t npu::kernels::cube::countAdjacent(std::span<const int64_t> offsets) {
  size_t count = offsets.empty() ? 0 : 1;
  while (count < offsets.size() && offsets[count] == offsets[count - 1] + 1)
    ++count;
  return static_cast<int64_t>(count);
}
