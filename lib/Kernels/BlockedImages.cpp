//===- BlockedImages.cpp - Kernels of NC1HWC0 on other images -------------===//

#include "BlockedImages.h"
#include "AttributeOr.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "npu/Kernels/FormatTransfer.h"

using namespace npu;
using namespace npu::kernels;

namespace {

/// An image with its axes named, or nullopt for another tensor. \p dataFormat
/// names those of ND.
std::optional<TensorDesc> namedImage(const TensorDesc &desc,
                                     std::optional<Format> dataFormat) {
  if (desc.shape.size() != 4 || !isFloatType(desc.dtype))
    return std::nullopt;
  TensorDesc image = desc;
  if (desc.format == Format::ND && dataFormat)
    image.format = image.originFormat = *dataFormat;
  if (image.format != Format::NCHW && image.format != Format::NHWC)
    return std::nullopt;
  image.originFormat = image.format;
  image.originShape = image.shape;
  return image;
}

Expected<TensorDesc> blockedDesc(const TensorDesc &image) {
  auto shape = physicalShape(Format::NC1HWC0, 0, image.dtype,
                             image.originFormat, image.originShape);
  if (!shape)
    return shape.takeStatus();
  TensorDesc blocked = image;
  blocked.format = Format::NC1HWC0;
  blocked.shape = std::move(*shape);
  return blocked;
}

class BlockedImagesKernel final : public Kernel {
public:
  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

  /// What is between an image and its blocks.
  struct Image {
    TensorDesc blocked;
    FormatTransfer transfer;
    std::vector<std::byte> data = {};
  };
  std::unique_ptr<Kernel> kernel;
  std::vector<std::optional<Image>> inputImages;
  std::optional<Image> outputImage;
};

Expected<NodeStatus>
BlockedImagesKernel::run(RunContext &context,
                         std::span<const ConstTensor> inputs,
                         std::span<const MutableTensor> outputs) {
  std::vector<ConstTensor> blocks(inputs.begin(), inputs.end());
  for (size_t i = 0; i < blocks.size(); ++i)
    if (auto &image = inputImages[i]) {
      image->data.resize(image->blocked.byteSize());
      image->transfer.run(inputs[i].data, image->data.data(), &context.pool);
      blocks[i] = {&image->blocked, image->data.data()};
    }
  std::vector<MutableTensor> results(outputs.begin(), outputs.end());
  if (outputImage) {
    outputImage->data.resize(outputImage->blocked.byteSize());
    results[0] = {&outputImage->blocked, outputImage->data.data()};
  }
  // Nobody is told of parts of a result that is still in blocks.
  RunContext inner{context.pool};
  auto status = kernel->run(inner, blocks, results);
  if (!status)
    return status;
  if (outputImage)
    outputImage->transfer.run(outputImage->data.data(), outputs[0].data,
                              &context.pool);
  // The node's own tensors have no padding.
  status->padding = npu::status::None;
  return status;
}

} // namespace

Expected<std::unique_ptr<Kernel>> kernels::createOnBlockedImages(
    const NodeSpec &spec, const NumericConfig &config, KernelFactory create) {
  auto name = attributeOr<std::string>(
      spec, "data_format", spec.type == "Pooling" ? "NCHW" : "NHWC");
  if (!name)
    return inNode(spec, name.takeStatus());
  const std::optional<Format> dataFormat =
      *name == "NCHW"   ? std::optional(Format::NCHW)
      : *name == "NHWC" ? std::optional(Format::NHWC)
                        : std::nullopt;
  NodeSpec blocked = spec;
  auto kernel = std::make_unique<BlockedImagesKernel>();
  kernel->inputImages.resize(spec.inputs.size());
  bool changed = false;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    auto image =
        spec.inputs[i] ? namedImage(*spec.inputs[i], dataFormat) : std::nullopt;
    if (!image)
      continue;
    auto desc = blockedDesc(*image);
    if (!desc)
      return inNode(spec, desc.takeStatus());
    auto transfer = FormatTransfer::create(*image, *desc);
    if (!transfer)
      return inNode(spec, transfer.takeStatus());
    blocked.inputs[i] = *desc;
    kernel->inputImages[i] = {std::move(*desc), std::move(*transfer)};
    changed = true;
  }
  for (size_t i = 0; i < blocked.constants.size() && i < spec.inputs.size();
       ++i)
    if (kernel->inputImages[i])
      blocked.constants[i] = nullptr;
  if (spec.outputs.size() == 1)
    if (auto image = namedImage(spec.outputs[0], dataFormat)) {
      auto desc = blockedDesc(*image);
      if (!desc)
        return inNode(spec, desc.takeStatus());
      auto transfer = FormatTransfer::create(*desc, *image);
      if (!transfer)
        return inNode(spec, transfer.takeStatus());
      blocked.outputs[0] = *desc;
      kernel->outputImage = {std::move(*desc), std::move(*transfer)};
      changed = true;
    }
  auto inner = create(blocked, config);
  if (!inner || !changed)
    return inner;
  kernel->kernel = std::move(*inner);
  return std::unique_ptr<Kernel>(std::move(kernel));
}
