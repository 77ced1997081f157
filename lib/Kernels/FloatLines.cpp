//===- FloatLines.cpp - Lines of a floating-point tensor ------------------===//

#include "FloatLines.h"

#include "FloatElements.h"
#include "KernelChecks.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::kernels;

Expected<std::vector<bool>> kernels::markTrailingAxes(const TensorDesc &desc,
                                                      int64_t begin) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  const size_t rank = layout->axes().size();
  auto first = normalizeAxis(begin, rank);
  if (!first)
    return first.takeStatus();
  std::vector<bool> along(rank, false);
  std::fill(along.begin() + *first, along.end(), true);
  return along;
}

Expected<std::vector<bool>>
kernels::markAxes(const TensorDesc &desc, const std::vector<int64_t> &axes) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  std::vector<bool> along(layout->axes().size(), false);
  for (int64_t axis : axes) {
    auto normal = normalizeAxis(axis, along.size());
    if (!normal)
      return normal.takeStatus();
    along[*normal] = true;
  }
  return along;
}

bool kernels::areFinite(std::span<const float> values) {
  uint32_t largest = 0;
  for (float value : values)
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7FFFFFFF);
  return largest < 0x7F800000;
}

void kernels::canonicalizeNaNs(std::span<float> values) {
  for (float &value : values)
    if (std::isnan(value))
      value = std::numeric_limits<float>::quiet_NaN();
}

int64_t kernels::elementOfPosition(const Layout &layout, int64_t position) {
  const auto &axes = layout.axes();
  std::vector<int64_t> index(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    index[i] = position % axes[i].extent;
    position /= axes[i].extent;
  }
  return layout.elementAt(index);
}

//===----------------------------------------------------------------------===//
// FloatLines
//===----------------------------------------------------------------------===//

Expected<FloatLines> FloatLines::create(const TensorDesc &desc,
                                        const std::vector<bool> &along) {
  if (!isFloatType(desc.dtype))
    return Status::error(desc.toString() +
                         " is not fp16, bf16 or fp32 as expected");
  auto lines = AxisLines::create(desc, along);
  if (!lines)
    return lines.takeStatus();
  FloatLines result;
  result.lines = std::move(*lines);
  result.type = desc.dtype;
  return result;
}

Expected<FloatLines> FloatLines::createLike(const FloatLines &other,
                                            const TensorDesc &desc,
                                            const std::vector<bool> &along) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  const auto &axes = layout->axes(), &wanted = other.layout().axes();
  bool same = axes.size() == wanted.size();
  for (size_t i = 0; same && i < axes.size(); ++i)
    same = axes[i].extent == wanted[i].extent;
  if (!same) {
    std::string shape;
    for (const LogicalAxis &axis : wanted)
      shape += (shape.empty() ? "" : "x") + std::to_string(axis.extent);
    return Status::error(desc.toString() + " has not the expected shape " +
                         shape);
  }
  return create(desc, along);
}

void FloatLines::read(const std::byte *tensor, int64_t line,
                      std::span<float> to) const {
  const unsigned size = getBitWidth(type) / 8;
  if (lines.isContiguous()) {
    toFloat(type, tensor + lines.start(line) * size, to);
  } else if (size == sizeof(float)) {
    lines.read(reinterpret_cast<const float *>(tensor), line, to.data());
  } else {
    std::vector<uint16_t> raw(to.size());
    lines.read(reinterpret_cast<const uint16_t *>(tensor), line, raw.data());
    toFloat(type, raw.data(), to);
  }
}

StatusBits FloatLines::write(std::byte *tensor, int64_t line,
                             std::span<float> from, OverflowMode mode) const {
  canonicalizeNaNs(from);
  const unsigned size = getBitWidth(type) / 8;
  if (lines.isContiguous())
    return fromFloat(type, from, tensor + lines.start(line) * size, mode);
  if (size == sizeof(float)) {
    lines.write(reinterpret_cast<float *>(tensor), line, from.data());
    return status::None;
  }
  std::vector<uint16_t> raw(from.size());
  const StatusBits bits = fromFloat(type, from, raw.data(), mode);
  lines.write(reinterpret_cast<uint16_t *>(tensor), line, raw.data());
  return bits;
}

void FloatLines::clearPadding(std::byte *tensor) const {
  if (layout().hasPadding())
    std::memset(tensor, 0, layout().numElements() * (getBitWidth(type) / 8));
}

int64_t FloatLines::grain() const {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(length(), 1));
}

//===----------------------------------------------------------------------===//
// LineValues
//===----------------------------------------------------------------------===//

Expected<LineValues> LineValues::create(const TensorDesc &desc, int64_t count) {
  if (!isFloatType(desc.dtype))
    return Status::error(desc.toString() +
                         " is not fp16, bf16 or fp32 as expected");
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  if (layout->numLogical() != count)
    return Status::error(desc.toString() + " has not the expected " +
                         std::to_string(count) + " elements");
  LineValues result;
  result.layout = std::move(*layout);
  result.type = desc.dtype;
  return result;
}

float LineValues::read(const std::byte *tensor, int64_t line) const {
  float value;
  toFloat(type,
          tensor + elementOfPosition(layout, line) * (getBitWidth(type) / 8),
          {&value, 1});
  return value;
}

StatusBits LineValues::write(std::byte *tensor, int64_t line, float value,
                             OverflowMode mode) const {
  canonicalizeNaNs({&value, 1});
  return fromFloat(
      type, {&value, 1},
      tensor + elementOfPosition(layout, line) * (getBitWidth(type) / 8), mode);
}

void LineValues::clearPadding(std::byte *tensor) const {
  if (layout.hasPadding())
    std::memset(tensor, 0, layout.numElements() * (getBitWidth(type) / 8));
}

//===----------------------------------------------------------------------===//
// LineParameter
//===----------------------------------------------------------------------===//

Expected<LineParameter> LineParameter::create(const TensorDesc &desc,
                                              const FloatLines &lines) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus();
  auto whole =
      FloatLines::create(desc, std::vector<bool>(layout->axes().size(), true));
  if (!whole)
    return whole.takeStatus();
  const auto &axes = lines.layout().axes();
  int64_t trailing = 1;
  for (size_t i = axes.size(); i-- > 0 && trailing < whole->length();)
    trailing *= axes[i].extent;
  if (trailing != whole->length() || whole->length() == 0 ||
      (trailing < lines.length() && lines.length() % trailing != 0))
    return Status::error(desc.toString() +
                         " does not have the size of trailing axes of its "
                         "operand");
  LineParameter result;
  result.whole = std::move(*whole);
  result.lineLength = lines.length();
  return result;
}

LineParameter::Values LineParameter::load(const std::byte *tensor) const {
  Values values(static_cast<size_t>(whole.length()));
  whole.read(tensor, 0, values);
  // Whole lines: repeat what is shorter.
  const size_t count = values.size();
  for (size_t i = count; i < static_cast<size_t>(lineLength); ++i)
    values.push_back(values[i - count]);
  return values;
}
