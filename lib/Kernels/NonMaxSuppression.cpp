//===- NonMaxSuppression.cpp - The best boxes of each class ---------------===//

#include "Builtins.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

using namespace npu;
using namespace npu::kernels;
using numerics::Half;

namespace {

/// A box by two corners.
struct Box {
  float y1, x1, y2, x2;

  float area() const {
    return std::max(y2 - y1, 0.0f) * std::max(x2 - x1, 0.0f);
  }
  /// Intersection over union, 0 for two boxes without area.
  float overlap(const Box &other) const {
    const Box common{std::max(y1, other.y1), std::max(x1, other.x1),
                     std::min(y2, other.y2), std::min(x2, other.x2)};
    const float shared = common.area();
    const float all = area() + other.area() - shared;
    return all > 0 ? shared / all : 0.0f;
  }
};

/// A box that has been chosen. Its numbers are those of the inputs.
struct Choice {
  int64_t box, category;
  float score;
};

/// By score; of equal ones the first class and the first box is better.
bool isBetter(const Choice &a, const Choice &b) {
  return std::tuple(b.score, a.category, a.box) <
         std::tuple(a.score, b.category, b.box);
}

/// BatchMultiClassNonMaxSuppression on fp16 tensors.
class NonMaxSuppressionKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  int64_t batches = 0, boxes = 0, boxClasses = 0, classes = 0;
  int64_t perClass = 0, total = 0, countWidth = 0;
  float scoreThreshold = 0, overlapThreshold = 0;
  bool transposed = false;
  bool hasCounts = false; ///< input 3 limits the boxes of each image
  bool hasWindow = false; ///< input 2 has corners for each image
  bool isFramed = false;  ///< boxes are in units of the window
  OverflowMode mode = OverflowMode::Saturate;

  /// Element of coordinate \p i of a box, and of a score.
  int64_t coordinate(int64_t batch, int64_t box, int64_t category,
                     int64_t i) const {
    const int64_t q = boxClasses == 1 ? 0 : category;
    return transposed ? ((batch * boxClasses + q) * 4 + i) * boxes + box
                      : ((batch * boxes + box) * boxClasses + q) * 4 + i;
  }
  int64_t scoreAt(int64_t batch, int64_t box, int64_t category) const {
    return transposed ? (batch * classes + category) * boxes + box
                      : (batch * boxes + box) * classes + category;
  }
  StatusBits clip(const Half *window, int64_t batch, Half *corners,
                  Half *scores) const;
  std::vector<Choice> choose(const Half *from, const Half *scores,
                             int64_t batch, int64_t category,
                             int64_t valid) const;
  void write(std::span<const Choice> chosen, int64_t batch, const Half *from,
             const Half *scores, std::span<const MutableTensor> outputs) const;
};

Expected<std::unique_ptr<Kernel>>
NonMaxSuppressionKernel::create(const NodeSpec &spec,
                                const NumericConfig &config) {
  if (Status status = checkArity(spec, 2, 4); !status)
    return status;
  auto kernel = std::make_unique<NonMaxSuppressionKernel>();
  auto score = spec.attrs.require<float>("score_threshold");
  auto overlap = spec.attrs.require<float>("iou_threshold");
  for (auto *attribute : {&score, &overlap})
    if (!*attribute)
      return inNode(spec, attribute->takeStatus());
  auto perClass = spec.attrs.require<int64_t>("max_size_per_class");
  auto total = spec.attrs.require<int64_t>("max_total_size");
  for (auto *attribute : {&perClass, &total})
    if (!*attribute)
      return inNode(spec, attribute->takeStatus());
  auto frame = spec.attribute<bool>("change_coordinate_frame");
  auto transposed = spec.attribute<bool>("transpose_box");
  for (auto *attribute : {&frame, &transposed})
    if (!*attribute)
      return inNode(spec, attribute->takeStatus());
  kernel->mode = config.overflow;
  kernel->isFramed = *frame;
  kernel->hasWindow = spec.inputs.size() > 2 && spec.inputs[2];
  if (*frame && !kernel->hasWindow)
    return nodeError(spec, "has change_coordinate_frame, which needs a "
                           "clip_window");

  const TensorDesc &boxes = *spec.inputs[0], &scores = *spec.inputs[1];
  const Shape &b = boxes.shape, &s = scores.shape;
  bool suits = b.size() == 4 && s.size() == 3 && *total >= 0;
  if (suits) {
    kernel->transposed = *transposed;
    kernel->batches = b[0];
    kernel->boxes = *transposed ? b[3] : b[1];
    kernel->boxClasses = *transposed ? b[1] : b[2];
    kernel->classes = *transposed ? s[1] : s[2];
    suits = b[*transposed ? 2 : 3] == 4 && s[0] == b[0] &&
            s[*transposed ? 2 : 1] == kernel->boxes &&
            (kernel->boxClasses == 1 || kernel->boxClasses == kernel->classes);
  }
  const Shape places{kernel->batches, *total};
  const Shape corners = *transposed ? Shape{kernel->batches, 4, *total}
                                    : Shape{kernel->batches, *total, 4};
  const Shape &counts = spec.outputs[3].shape;
  suits &= spec.outputs[0].shape == corners &&
           spec.outputs[1].shape == places && spec.outputs[2].shape == places &&
           !counts.empty() && counts[0] == kernel->batches &&
           spec.outputs[3].dtype == DataType::Int32;
  for (const TensorDesc *desc :
       {&boxes, &scores, &spec.outputs[0], &spec.outputs[1], &spec.outputs[2]})
    suits &= desc->dtype == DataType::Float16 && isPlain(desc->format);
  kernel->hasCounts = spec.inputs.size() > 3 && spec.inputs[3];
  if (kernel->hasCounts)
    suits &= spec.inputs[3]->dtype == DataType::Int32 &&
             spec.inputs[3]->numElements() == kernel->batches;
  if (kernel->hasWindow)
    suits &= spec.inputs[2]->dtype == DataType::Float16 &&
             spec.inputs[2]->numElements() == 4 * kernel->batches;
  if (!suits)
    return nodeError(spec, "boxes " + boxes.toString() + " with scores " +
                               scores.toString() + " do not give " +
                               spec.outputs[0].toString() + ", " +
                               spec.outputs[1].toString() + ", " +
                               spec.outputs[2].toString() + " and " +
                               spec.outputs[3].toString());
  kernel->countWidth =
      kernel->batches ? spec.outputs[3].numElements() / kernel->batches : 0;
  kernel->scoreThreshold = *score;
  kernel->overlapThreshold = *overlap;
  kernel->perClass = *perClass;
  kernel->total = *total;
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Moves the corners of the boxes of an image into its window, and into the
/// frame of the window: multiplied by 1 / height and 1 / width, nothing is
/// subtracted. The score of a box without area is multiplied by 0. All in fp16.
StatusBits NonMaxSuppressionKernel::clip(const Half *window, int64_t batch,
                                         Half *corners, Half *scores) const {
  const Half zero{0}, one{0x3C00};
  StatusBits bits = status::None;
  Half scale[2] = {one, one};
  if (isFramed)
    for (int i = 0; i < 2; ++i)
      scale[i] = numerics::div(
          one, numerics::sub(window[i + 2], window[i], mode, bits), mode, bits);
  for (int64_t box = 0; box < boxes; ++box)
    for (int64_t q = 0; q < boxClasses; ++q) {
      Half *corner[4];
      for (int64_t i = 0; i < 4; ++i) {
        corner[i] = corners + coordinate(batch, box, q, i);
        *corner[i] = numerics::max(
            numerics::min(*corner[i], window[i % 2 + 2], mode, bits),
            window[i % 2], mode, bits);
      }
      const Half height = numerics::sub(*corner[2], *corner[0], mode, bits),
                 width = numerics::sub(*corner[3], *corner[1], mode, bits),
                 area = numerics::mul(height, width, mode, bits);
      const Half factor = numerics::halfToFloat(area) > 0 ? one : zero;
      const bool isShared = boxClasses == 1;
      for (int64_t category = isShared ? 0 : q;
           category < (isShared ? classes : q + 1); ++category) {
        Half &score = scores[scoreAt(batch, box, category)];
        score = numerics::mul(score, factor, mode, bits);
      }
      if (isFramed)
        for (int64_t i = 0; i < 4; ++i)
          *corner[i] = numerics::mul(*corner[i], scale[i % 2], mode, bits);
    }
  return bits;
}

/// The boxes of a class that none of a better score overlaps too much.
std::vector<Choice> NonMaxSuppressionKernel::choose(const Half *from,
                                                    const Half *scores,
                                                    int64_t batch,
                                                    int64_t category,
                                                    int64_t valid) const {
  std::vector<Choice> candidates, chosen;
  for (int64_t box = 0; box < valid; ++box) {
    const float score =
        numerics::halfToFloat(scores[scoreAt(batch, box, category)]);
    if (score > scoreThreshold)
      candidates.push_back({box, category, score});
  }
  std::sort(candidates.begin(), candidates.end(), isBetter);
  std::vector<Box> kept;
  for (const Choice &candidate : candidates) {
    if (static_cast<int64_t>(chosen.size()) >= perClass)
      break;
    float corner[4];
    for (int64_t i = 0; i < 4; ++i)
      corner[i] = numerics::halfToFloat(
          from[coordinate(batch, candidate.box, category, i)]);
    const Box box{corner[0], corner[1], corner[2], corner[3]};
    if (std::any_of(kept.begin(), kept.end(), [&](const Box &better) {
          return box.overlap(better) > overlapThreshold;
        }))
      continue;
    kept.push_back(box);
    chosen.push_back(candidate);
  }
  return chosen;
}

void NonMaxSuppressionKernel::write(
    std::span<const Choice> chosen, int64_t batch, const Half *from,
    const Half *scores, std::span<const MutableTensor> outputs) const {
  StatusBits ignored = status::None; // class numbers up to 2048 are exact
  for (size_t place = 0; place < chosen.size(); ++place) {
    const Choice &choice = chosen[place];
    const int64_t at = batch * total + static_cast<int64_t>(place);
    for (int64_t i = 0; i < 4; ++i)
      outputs[0].as<Half>()[transposed ? (batch * 4 + i) * total +
                                             static_cast<int64_t>(place)
                                       : at * 4 + i] =
          from[coordinate(batch, choice.box, choice.category, i)];
    outputs[1].as<Half>()[at] =
        scores[scoreAt(batch, choice.box, choice.category)];
    outputs[2].as<Half>()[at] =
        numerics::intToHalf(choice.category, OverflowMode::Saturate, ignored);
  }
  if (countWidth != 0)
    outputs[3].as<int32_t>()[batch * countWidth] =
        static_cast<int32_t>(chosen.size());
}

Expected<NodeStatus>
NonMaxSuppressionKernel::run(RunContext &context,
                             std::span<const ConstTensor> inputs,
                             std::span<const MutableTensor> outputs) {
  for (const MutableTensor &output : outputs)
    std::memset(output.data, 0, output.desc->byteSize());
  const Half *from = inputs[0].as<Half>(), *scores = inputs[1].as<Half>();
  NodeStatus status;
  std::vector<Half> clipped, rated;
  if (hasWindow) {
    clipped.assign(from, from + inputs[0].desc->numElements());
    rated.assign(scores, scores + inputs[1].desc->numElements());
    for (int64_t batch = 0; batch < batches; ++batch)
      status.valid |= clip(inputs[2].as<Half>() + 4 * batch, batch,
                           clipped.data(), rated.data());
    from = clipped.data();
    scores = rated.data();
  }
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t valid =
        hasCounts
            ? std::clamp<int64_t>(inputs[3].as<int32_t>()[batch], 0, boxes)
            : boxes;
    std::vector<std::vector<Choice>> ofClass(classes);
    context.pool.parallelFor(
        classes, 1, [&](int64_t begin, int64_t end, int64_t) {
          for (int64_t category = begin; category < end; ++category)
            ofClass[category] = choose(from, scores, batch, category, valid);
        });
    std::vector<Choice> all;
    for (const std::vector<Choice> &some : ofClass)
      all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(), isBetter);
    all.resize(std::min<size_t>(all.size(), static_cast<size_t>(total)));
    write(all, batch, from, scores, outputs);
  }
  return status;
}

} // namespace

void kernels::addNonMaxSuppression(Registry &registry) {
  registry.add("BatchMultiClassNonMaxSuppression",
               {NonMaxSuppressionKernel::create,
                "overlaps in fp32; boxes are copied, with a window clipped and "
                "scaled in fp16",
                status::FloatOverflow | status::FloatUnderflow |
                    status::VectorNanInfInput});
}
