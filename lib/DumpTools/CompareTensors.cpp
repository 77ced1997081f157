//===- CompareTensors.cpp - One tensor against another --------------------===//

#include "CompareTensors.h"

#include "npu/DumpTools/OutputFile.h"
#include "npu/DumpTools/Relayout.h"
#include "npu/Kernels/FormatTransfer.h"

using namespace npu;
using namespace npu::dump;
using kernels::FormatTransfer;
using kernels::isPlain;

namespace {

/// A side of a comparison: a view of the dump, or what was moved.
struct Side {
  DataType dtype = DataType::Undefined;
  Shape shape;
  ByteView data;
  ScratchMemory memory;

  bool isEmpty() const { return getNumElements(shape) == 0; }
};

} // namespace

static Side view(const DumpTensor &tensor) {
  return {tensor.dtype, tensor.shape, tensor.data, {}};
}

/// The elements of \p tensor moved from the layout \p source to \p target.
static Expected<Side> move(const DumpTensor &tensor, const TensorDesc &source,
                           const TensorDesc &target,
                           const std::string &folder) {
  Expected<FormatTransfer> transfer = FormatTransfer::create(source, target);
  if (!transfer)
    return transfer.takeStatus();
  Expected<ScratchMemory> memory =
      ScratchMemory::create(target.byteSize(), folder);
  if (!memory)
    return memory.takeStatus();
  Side side{tensor.dtype, target.shape, {}, std::move(*memory)};
  transfer->run(tensor.data.data(), side.memory.data());
  side.data = side.memory.bytes();
  return side;
}

/// \p tensor as a plain tensor: in the order \p order, or in that of its
/// original.
static Expected<Side> makePlain(const DumpTensor &tensor,
                                std::optional<Format> order,
                                const std::string &folder) {
  Expected<TensorDesc> source = describeLayout(tensor, order);
  if (!source)
    return source.takeStatus();
  Expected<TensorDesc> target =
      describeTarget(*source, order.value_or(source->originFormat));
  if (!target)
    return target.takeStatus();
  return move(tensor, *source, *target, folder);
}

/// \p mine in an order of axes where it has the shape \p wanted.
static std::optional<Side> findOrder(const DumpTensor &mine,
                                     const Shape &wanted,
                                     const std::string &folder) {
  Expected<TensorDesc> source = describeLayout(mine, std::nullopt);
  if (!source)
    return std::nullopt;
  for (Format order :
       {source->originFormat, Format::NCHW, Format::NHWC, Format::HWCN,
        Format::CHWN, Format::NCDHW, Format::NDHWC, Format::DHWCN}) {
    Expected<TensorDesc> target = describeTarget(*source, order);
    if (!target || target->shape != wanted)
      continue;
    if (Expected<Side> side = move(mine, *source, *target, folder))
      return std::move(*side);
  }
  return std::nullopt;
}

/// Whether every element in memory is one of the tensor.
static bool isDense(const DumpTensor &tensor) {
  if (isPlain(tensor.format))
    return true;
  Expected<TensorDesc> desc = describeLayout(tensor, std::nullopt);
  if (!desc)
    return false;
  Expected<kernels::Layout> layout = kernels::Layout::create(*desc);
  return layout && !layout->hasPadding();
}

/// Brings both sides to the same plain layout, or finds that they are in the
/// same order already. Without one, both stay as they
/// are.
static std::pair<Side, Side> align(const DumpTensor &mine,
                                   const DumpTensor &golden,
                                   const std::string &folder) {
  const bool sameLayout = mine.format == golden.format &&
                          mine.subFormat == golden.subFormat &&
                          mine.shape == golden.shape;
  const bool bothPlain = isPlain(mine.format) && isPlain(golden.format);
  if ((bothPlain && mine.shape == golden.shape) ||
      (sameLayout && isDense(mine) && isDense(golden)))
    return {view(mine), view(golden)};
  if (!isPlain(golden.format)) {
    std::optional<Format> order;
    if (isPlain(mine.format) && mine.format != Format::ND)
      order = mine.format;
    Expected<Side> right = makePlain(golden, order, folder);
    if (right && isPlain(mine.format) && mine.shape == right->shape)
      return {view(mine), std::move(*right)};
    if (Expected<Side> left = makePlain(mine, std::nullopt, folder);
        left && right && left->shape == right->shape)
      return {std::move(*left), std::move(*right)};
    return {view(mine), view(golden)};
  }
  if (!sameLayout)
    if (std::optional<Side> left = findOrder(mine, golden.shape, folder))
      return {std::move(*left), view(golden)};
  return {view(mine), view(golden)};
}

static std::string describeShapes(const DumpTensor &mine,
                                  const DumpTensor &golden) {
  auto text = [](const DumpTensor &tensor) {
    return toString(tensor.shape) + " " + std::string(getName(tensor.format));
  };
  return text(mine) + " against " + text(golden);
}

/// Whether \p tensor has its elements and they have numbers; else why not.
static std::optional<TensorComparison> checkTensor(const DumpTensor &tensor,
                                                   const char *whose) {
  if (!ElementDecoder::create(tensor.dtype))
    return TensorComparison{Verdict::Skip, tensor.shape,
                            getTypeName(tensor) + " has no numbers to compare"};
  std::optional<uint64_t> need = getCheckedByteSize(tensor.dtype, tensor.shape);
  if (need && *need <= tensor.data.size())
    return std::nullopt;
  return TensorComparison{
      Verdict::Error, tensor.shape,
      std::string(whose) + " has " + std::to_string(tensor.data.size()) +
          " bytes, needs " +
          (need ? std::to_string(*need) : "known dimensions")};
}

TensorComparison npu::dump::compareTensors(const DumpTensor &mine,
                                           const DumpTensor &golden,
                                           const CompareOptions &options) {
  if (auto fault = checkTensor(mine, "mine"))
    return *fault;
  if (auto fault = checkTensor(golden, "golden"))
    return *fault;
  auto [left, right] = align(mine, golden, options.folder);
  TensorComparison result;
  result.shape = left.shape;
  const int64_t count = getNumElements(left.shape);
  if (left.isEmpty() && right.isEmpty() && left.shape == right.shape) {
    result.reason = "no elements";
    return result;
  }
  ElementDecoder x = *ElementDecoder::create(left.dtype);
  ElementDecoder y = *ElementDecoder::create(right.dtype);
  result.verdict = Verdict::Fail;
  if (count != getNumElements(right.shape) || count == 0) {
    result.reason = "shapes differ: " + describeShapes(mine, golden);
    return result;
  }
  if (x.numComponents() != y.numComponents()) {
    result.reason = "types differ: " + std::string(getName(left.dtype)) +
                    " against " + std::string(getName(right.dtype));
    return result;
  }
  if (left.shape != right.shape)
    result.reason = "compared in memory order: " + describeShapes(mine, golden);
  result.metrics = computeMetrics({x, left.data.data()}, {y, right.data.data()},
                                  static_cast<uint64_t>(count),
                                  options.tolerance, options.compat);
  if (options.selection.numWorst != 0)
    result.worst = findWorstPairs({x, left.data.data()}, {y, right.data.data()},
                                  static_cast<uint64_t>(count),
                                  options.selection.numWorst);
  if (result.metrics->equal()) {
    result.verdict = Verdict::Pass;
  } else if (result.metrics->numSaturations != 0) {
    result.reason += result.reason.empty() ? "" : "; ";
    result.reason += "saturation difference: an infinity against the largest "
                     "value in " +
                     std::to_string(result.metrics->numSaturations) + " places";
  }
  return result;
}

std::string npu::dump::toIndexText(uint64_t index, const Shape &shape) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    const auto dim = static_cast<uint64_t>(shape[i]);
    text = std::to_string(index % dim) + (text.empty() ? "" : ",") + text;
    index /= dim;
  }
  return "(" + text + ")";
}
