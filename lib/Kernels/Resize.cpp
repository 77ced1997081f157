//===- Resize.cpp - ONNX's Resize on a device -----------------------------===//
//
// The device's kernel of Resize is that of ResizeNearestNeighborV2 or of
// ResizeBilinearV2, and cubics are ONNX's: places of pixels follow from the
// sizes of the two images, whatever scales say, and neither roi nor
// nearest_mode is read.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "Choice.h"
#include "KernelChecks.h"
#include "ResizeCubic.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

using namespace npu;
using namespace npu::kernels;

namespace {

/// The extents along H and W of \p desc.
Expected<std::vector<int64_t>> sizeOf(const TensorDesc &desc) {
  const std::string_view letters = axisLetters(desc.originFormat);
  const size_t h = letters.find('H'), w = letters.find('W');
  if (letters.size() != 4 || desc.originShape.size() != 4 ||
      h == letters.npos || w == letters.npos)
    return Status::error(desc.toString() + " is no image");
  return std::vector<int64_t>{desc.originShape[h], desc.originShape[w]};
}

Expected<std::unique_ptr<Kernel>> createResize(const NodeSpec &spec,
                                               const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  auto mode = readChoice(spec, "mode", {"nearest", "linear", "cubic"});
  if (!mode)
    return inNode(spec, mode.takeStatus());
  if (*mode == 2)
    return createResizeCubic(spec, config);
  auto coordinates =
      readChoice(spec, "coordinate_transformation_mode",
                 {"pytorch_half_pixel", "align_corners", "asymmetric"},
                 ", those of the device's kernel");
  if (!coordinates)
    return inNode(spec, coordinates.takeStatus());
  auto size = sizeOf(spec.outputs[0]);
  if (!size)
    return inNode(spec, size.takeStatus());
  NodeSpec resized{*mode == 0 ? "ResizeNearestNeighborV2D"
                              : "ResizeBilinearV2D",
                   spec.name,
                   {},
                   {spec.inputs[0]},
                   spec.outputs,
                   {nullptr}};
  resized.attrs.set("size", std::move(*size));
  resized.attrs.set("half_pixel_centers", *coordinates == 0);
  resized.attrs.set("align_corners", *coordinates == 1);
  Registry kernels;
  addIndexedCopy(kernels);
  addResizeBilinear(kernels);
  return kernels.lookup(resized.type)->create(resized, config);
}

} // namespace

void kernels::addResize(Registry &registry) {
  registry.add("Resize",
               {createResize,
                "nearest: copies; linear, cubic: fp32, along rows first, one "
                "rounding",
                status::FloatOverflow | status::CastOverflow |
                    status::CastUnderflow | status::VectorNanInfInput});
}
