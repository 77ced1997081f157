//===- FloatLines.cpp - Lines of a floating-point tensor ------------------===//

#include "FloatLines.h"

#include "FloatElements.h"
#include "KernelChecks.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

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
  constexpr uint32_t exponent = 0x7F800000;
  uint32_t found = 0; // a comparison of equals is a vector instruction anywhere
  for (float value : values)
    found |= (std::bit_cast<uint32_t>(value) & exponent) == exponent;
  return found == 0;
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

/// Elements of adjacent lines that are turned around at once: few enough to
/// stay in the first-level cache.
static constexpr size_t PieceLength = 256;

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

/// Calls \p piece with stretches [begin, end) of lines of \p length elements.
template <class Function>
static void forEachPiece(size_t length, const Function &piece) {
  for (size_t begin = 0; begin < length; begin += PieceLength)
    piece(begin, std::min(length, begin + PieceLength));
}

template <class T>
void FloatLines::readPieces(const T *tensor, int64_t line,
                            std::span<std::vector<float>> to) const {
  const T *from = tensor + lines.start(line);
  const int64_t *offsets = lines.elementOffsets().data();
  std::vector<T> raw(to.size() * PieceLength);
  forEachPiece(lines.elementOffsets().size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      for (size_t l = 0; l < to.size(); ++l)
        raw[l * PieceLength + i - begin] = from[offsets[i] + l];
    for (size_t l = 0; l < to.size(); ++l)
      toFloat(type, &raw[l * PieceLength],
              std::span(to[l]).subspan(begin, end - begin));
  });
}

template <class T>
StatusBits FloatLines::writePieces(T *tensor, int64_t line,
                                   std::span<std::vector<float>> from,
                                   OverflowMode mode) const {
  T *to = tensor + lines.start(line);
  const int64_t *offsets = lines.elementOffsets().data();
  std::vector<T> raw(from.size() * PieceLength);
  StatusBits bits = status::None;
  forEachPiece(lines.elementOffsets().size(), [&](size_t begin, size_t end) {
    for (size_t l = 0; l < from.size(); ++l) {
      const auto piece = std::span(from[l]).subspan(begin, end - begin);
      canonicalizeNaNs(piece);
      bits |= fromFloat(type, piece, &raw[l * PieceLength], mode);
    }
    for (size_t i = begin; i < end; ++i)
      for (size_t l = 0; l < from.size(); ++l)
        to[offsets[i] + l] = raw[l * PieceLength + i - begin];
  });
  return bits;
}

void FloatLines::readAdjacent(const std::byte *tensor, int64_t line,
                              std::span<std::vector<float>> to) const {
  if (to.size() == 1)
    read(tensor, line, to[0]);
  else if (getBitWidth(type) == 32)
    readPieces(reinterpret_cast<const float *>(tensor), line, to);
  else
    readPieces(reinterpret_cast<const uint16_t *>(tensor), line, to);
}

StatusBits FloatLines::writeAdjacent(std::byte *tensor, int64_t line,
                                     std::span<std::vector<float>> from,
                                     OverflowMode mode) const {
  if (from.size() == 1)
    return write(tensor, line, from[0], mode);
  if (getBitWidth(type) == 32)
    return writePieces(reinterpret_cast<float *>(tensor), line, from, mode);
  return writePieces(reinterpret_cast<uint16_t *>(tensor), line, from, mode);
}

void FloatLines::clearPadding(std::byte *tensor) const {
  if (layout().hasPadding())
    std::memset(tensor, 0, layout().numElements() * (getBitWidth(type) / 8));
}

int64_t FloatLines::grain(int64_t group) const {
  const int64_t lines =
      std::max<int64_t>(1, 16384 / std::max<int64_t>(length(), 1));
  return (lines + group - 1) / group * group;
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
  std::vector<unsigned> axes(layout->axes().size());
  std::iota(axes.begin(), axes.end(), 0u);
  result.distance = findDistance(*layout, axes);
  result.layout = std::move(*layout);
  result.type = desc.dtype;
  return result;
}

int64_t LineValues::byteOf(int64_t line) const {
  const int64_t element =
      distance ? line * *distance : elementOfPosition(layout, line);
  return element * (getBitWidth(type) / 8);
}

float LineValues::read(const std::byte *tensor, int64_t line) const {
  float value;
  toFloat(type, tensor + byteOf(line), {&value, 1});
  return value;
}

StatusBits LineValues::write(std::byte *tensor, int64_t line, float value,
                             OverflowMode mode) const {
  return fromFloat(type, canonicalNaN(value), tensor + byteOf(line), mode);
}

StatusBits LineValues::write(std::byte *tensor, int64_t line,
                             std::span<float> from, OverflowMode mode) const {
  if (distance && *distance == 1) {
    canonicalizeNaNs(from);
    return fromFloat(type, from, tensor + byteOf(line), mode);
  }
  StatusBits bits = status::None;
  for (float value : from)
    bits |= write(tensor, line++, value, mode);
  return bits;
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
