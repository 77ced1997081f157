//===- ImageView.cpp - An image as the cube reads and writes it -----------===//

#include "ImageView.h"

#include "Offsets.h"

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

Expected<ImageView> ImageView::create(const TensorDesc &desc,
                                      const std::string &what) {
  auto axes = NamedAxes::create(desc, what);
  if (!axes)
    return axes.takeStatus();
  ImageView view;
  view.images = axes->extent('N');
  view.height = axes->extent('H');
  view.width = axes->extent('W');
  view.numElements = axes->numElements();
  if (view.numElements == 0)
    return Status::error(what + ": " + desc.toString() + " is empty");
  if (axes->extent('C') > MaxTableSize || view.images > MaxParts ||
      view.height > MaxTableSize || view.width > MaxTableSize ||
      view.height * view.width > MaxTableSize)
    return Status::error(what + ": " + desc.toString() + " is too large");
  const auto step = [&](char axis, int64_t n, int64_t h, int64_t w) {
    return axes->extent(axis) > 1 ? axes->elementAt(n, 0, h, w) : int64_t(0);
  };
  view.imagePitch = step('N', 1, 0, 0);
  view.linePitch = step('H', 0, 1, 0);
  view.pixelPitch = step('W', 0, 0, 1);
  for (int64_t c = 0; c < axes->extent('C'); ++c)
    view.channels.push_back(axes->elementAt(0, c, 0, 0));
  view.c0 = isPlain(desc.format) ? defaultC0(desc.dtype) : desc.shape.back();
  view.padded = view.numElements !=
                view.images * view.height * view.width * axes->extent('C');
  return view;
}

ImageView ImageView::repack(CubePlan &plan) const {
  ImageView view = *this;
  view.pixelPitch = PanelWidth;
  view.linePitch = width * PanelWidth;
  const int64_t blockPitch = height * view.linePitch;
  view.imagePitch =
      ceilDiv(static_cast<int64_t>(channels.size()), PanelWidth) * blockPitch;
  view.numElements = images * view.imagePitch;
  for (size_t c = 0; c < channels.size(); ++c)
    view.channels[c] =
        c / PanelWidth * blockPitch + static_cast<int64_t>(c % PanelWidth);

  std::vector<int64_t> pixels;
  for (int64_t h = 0; h < height; ++h)
    for (int64_t w = 0; w < width; ++w)
      pixels.push_back(h * linePitch + w * pixelPitch);
  const size_t depthTable = plan.addOffsets(std::move(pixels));
  const size_t columnTable = plan.addOffsets(channels);
  for (int64_t image = 0; image < images; ++image)
    plan.repackedLeft.push_back({image * imagePitch, depthTable, columnTable});
  return view;
}
