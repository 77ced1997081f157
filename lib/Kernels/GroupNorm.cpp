//===- GroupNorm.cpp - Normalisation of groups of channels ----------------===//
//
// GroupNorm: of each image the channels of a group are one line. InstanceNorm:
// each channel is a group.
//
//===----------------------------------------------------------------------===//

#include "Builtins.h"
#include "FloatElements.h"
#include "KernelChecks.h"
#include "NormLine.h"
#include "PlainTensor.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <atomic>

using namespace npu;
using namespace npu::kernels;

namespace {

class GroupNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PlainInput x, gamma, beta;
  PlainOutput y, mean, variance;
  // An element of x in row-major order is (image, before, channel, behind).
  int64_t images = 1, before = 1, channels = 1, behind = 1, groups = 1;
  float epsilon = 0;
  OverflowMode mode = OverflowMode::Saturate;

  int64_t channelsOfGroup() const { return channels / groups; }
  /// Calls \p visit with the number of an element in the line of \p group of
  /// \p image, that of its channel and its place in x.
  template <typename Visit>
  void forEachOfLine(int64_t image, int64_t group, const Visit &visit) const;
};

/// The axis of channels: that of the format, else as data_format says.
Expected<unsigned> channelAxis(const NodeSpec &spec) {
  const TensorDesc &desc = *spec.inputs[0];
  const std::string_view letters =
      axisLetters(isPlain(desc.format) ? desc.format : desc.originFormat);
  const size_t rank =
      (isPlain(desc.format) ? desc.shape : desc.originShape).size();
  if (letters.size() == rank && letters.find('C') != letters.npos)
    return static_cast<unsigned>(letters.find('C'));
  auto format = spec.attribute<std::string>("data_format");
  if (!format)
    return format.takeStatus();
  return normalizeAxis(format->starts_with("NC") ? 1 : -1, rank);
}

Expected<std::unique_ptr<Kernel>>
GroupNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 3, 3); !status)
    return status;
  auto kernel = std::make_unique<GroupNormKernel>();
  kernel->mode = config.overflow;
  const bool isGroups = spec.type == "GroupNorm";
  auto epsilon = spec.attribute<float>(isGroups ? "eps" : "epsilon");
  if (!epsilon)
    return inNode(spec, epsilon.takeStatus());
  kernel->epsilon = *epsilon;
  for (const auto &[plain, index] :
       {std::pair{&kernel->x, 0}, {&kernel->gamma, 1}, {&kernel->beta, 2}}) {
    auto input = PlainInput::create(*spec.inputs[index]);
    if (!input)
      return inNode(spec, input.takeStatus());
    *plain = std::move(*input);
  }
  for (const auto &[plain, index] :
       {std::pair{&kernel->y, 0}, {&kernel->mean, 1}, {&kernel->variance, 2}}) {
    auto output = PlainOutput::create(spec.outputs[index]);
    if (!output)
      return inNode(spec, output.takeStatus());
    *plain = std::move(*output);
  }
  for (DataType dtype :
       {kernel->x.dtype(), kernel->gamma.dtype(), kernel->beta.dtype(),
        kernel->y.dtype(), kernel->mean.dtype(), kernel->variance.dtype()})
    if (!isFloatType(dtype))
      return nodeError(spec,
                       "no normalisation of " + std::string(getName(dtype)));
  const Shape &shape = kernel->x.shape();
  auto axis = channelAxis(spec);
  if (!axis)
    return inNode(spec, axis.takeStatus());
  if (*axis == 0)
    return nodeError(spec, spec.inputs[0]->toString() +
                               " has no axis before its channels");
  kernel->images = shape[0];
  kernel->channels = shape[*axis];
  for (size_t i = 1; i < shape.size(); ++i)
    if (i != *axis)
      (i < *axis ? kernel->before : kernel->behind) *= shape[i];
  Expected<int64_t> groups = isGroups
                                 ? spec.attrs.require<int64_t>("num_groups")
                                 : Expected<int64_t>(kernel->channels);
  if (!groups)
    return inNode(spec, groups.takeStatus());
  kernel->groups = *groups;
  if (*groups < 1 || kernel->channels % *groups != 0 ||
      getNumElements(shape) == 0)
    return nodeError(spec, std::to_string(*groups) + " groups do not divide " +
                               spec.inputs[0]->toString());
  const int64_t lines = kernel->images * *groups;
  if (kernel->y.shape() != shape ||
      getNumElements(kernel->gamma.shape()) != kernel->channels ||
      getNumElements(kernel->beta.shape()) != kernel->channels ||
      getNumElements(kernel->mean.shape()) != lines ||
      getNumElements(kernel->variance.shape()) != lines)
    return nodeError(spec, "its tensors do not fit " +
                               spec.inputs[0]->toString() + " of " +
                               std::to_string(lines) + " groups");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

template <typename Visit>
void GroupNormKernel::forEachOfLine(int64_t image, int64_t group,
                                    const Visit &visit) const {
  size_t number = 0;
  for (int64_t c = group * channelsOfGroup(), e = c + channelsOfGroup(); c < e;
       ++c)
    for (int64_t i = 0; i < before; ++i)
      for (int64_t j = 0; j < behind; ++j)
        visit(number++, static_cast<size_t>(c),
              ((image * before + i) * channels + c) * behind + j);
}

/// All of \p input as fp32.
std::vector<float> readFloats(const PlainInput &input, const std::byte *data,
                              ThreadPool &pool) {
  std::vector<std::byte> copy;
  std::vector<float> values(static_cast<size_t>(getNumElements(input.shape())));
  toFloat(input.dtype(), input.read(data, copy, pool), values);
  return values;
}

/// Rounds \p values, all of \p output.
StatusBits writeFloats(const PlainOutput &output, std::byte *data,
                       std::span<const float> values, OverflowMode mode,
                       ThreadPool &pool) {
  std::vector<std::byte> copy;
  const StatusBits bits =
      fromFloat(output.dtype(), values, output.begin(data, copy), mode);
  output.finish(data, copy, pool);
  return bits;
}

Expected<NodeStatus>
GroupNormKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  std::vector<float> values = readFloats(x, inputs[0].data, context.pool);
  const std::vector<float> scales =
      readFloats(gamma, inputs[1].data, context.pool);
  const std::vector<float> shifts =
      readFloats(beta, inputs[2].data, context.pool);
  const size_t length =
      static_cast<size_t>(channelsOfGroup() * before * behind);
  std::vector<float> means(images * groups), variances(images * groups);
  std::atomic<StatusBits> status{npu::status::None};
  context.pool.parallelFor(
      images * groups, 1, [&](int64_t begin, int64_t end, int64_t) {
        std::vector<float> line(length), scale(length), shift(length);
        StatusBits bits = npu::status::None;
        for (int64_t l = begin; l < end; ++l) {
          const int64_t image = l / groups, group = l % groups;
          forEachOfLine(image, group,
                        [&](size_t i, size_t channel, int64_t at) {
                          line[i] = values[at];
                          scale[i] = scales[channel];
                          shift[i] = shifts[channel];
                        });
          const LineMoments moments =
              normalizeLine(line, epsilon, NormPath(), mode, bits);
          scaleAndShiftLine(line, scale, shift, bits);
          forEachOfLine(image, group, [&](size_t i, size_t, int64_t at) {
            values[at] = line[i];
          });
          means[l] = canonicalNaN(moments.mean);
          variances[l] = canonicalNaN(moments.variance);
        }
        status |= bits;
      });
  status |= writeFloats(y, outputs[0].data, values, mode, context.pool);
  status |= writeFloats(mean, outputs[1].data, means, mode, context.pool);
  status |=
      writeFloats(variance, outputs[2].data, variances, mode, context.pool);
  return NodeStatus{status};
}

} // namespace

void kernels::addGroupNorm(Registry &registry) {
  for (const char *type : {"GroupNorm", "InstanceNorm"})
    registry.add(type, {GroupNormKernel::create,
                        "fp32, 1 / sqrt(var + eps), one rounding",
                        status::CastOverflow | status::CastUnderflow |
                            status::FloatOverflow | status::VectorNanInfInput});
}
