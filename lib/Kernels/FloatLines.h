//===- FloatLines.h - Lines of a floating-point tensor ----------*- C++ -*-===//
//
// What operators on lines (softmax, norms, their gradients) read and write:
// lines as fp32 whatever the type in memory, one value for each line, and
// parameters that repeat over lines.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_FLOATLINES_H
#define NPU_LIB_KERNELS_FLOATLINES_H

#include "AxisLines.h"
#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"

#include <span>

namespace npu::kernels {

/// Marks the axes of \p desc from number \p begin on, negative from the end.
Expected<std::vector<bool>> markTrailingAxes(const TensorDesc &desc,
                                             int64_t begin);
/// Marks the axes \p axes of \p desc, negative from the end.
Expected<std::vector<bool>> markAxes(const TensorDesc &desc,
                                     const std::vector<int64_t> &axes);

/// Whether all of \p values are finite.
bool areFinite(std::span<const float> values);

/// Makes every NaN the same: its sign depends on the order of operands.
void canonicalizeNaNs(std::span<float> values);

/// Element in memory of number \p position of the logical elements, the last
/// axis running fastest.
int64_t elementOfPosition(const Layout &layout, int64_t position);

/// All lines of a tensor.
class FloatLines {
public:
  /// Fails when \p desc has another type than fp16, bf16 or fp32.
  static Expected<FloatLines> create(const TensorDesc &desc,
                                     const std::vector<bool> &along);
  /// The same for a tensor that must have the logical shape of \p other.
  static Expected<FloatLines> createLike(const FloatLines &other,
                                         const TensorDesc &desc,
                                         const std::vector<bool> &along);

  int64_t numLines() const { return lines.numLines(); }
  int64_t length() const { return lines.length(); }
  const Layout &layout() const { return lines.layout(); }
  /// Of the elements of a line from its start, and the start of one.
  const std::vector<int64_t> &elementOffsets() const {
    return lines.elementOffsets();
  }
  int64_t start(int64_t line) const { return lines.start(line); }
  DataType dtype() const { return type; }

  /// The elements of line number \p line, if they and those of the lines after
  /// it are fp16 that follow each other in memory; else null.
  const uint16_t *findHalves(const std::byte *tensor, int64_t line) const {
    if (type != DataType::Float16 || !lines.isContiguous() ||
        (lines.numLines() > 1 && lines.distance() != lines.length()))
      return nullptr;
    return reinterpret_cast<const uint16_t *>(tensor) + lines.start(line);
  }
  uint16_t *findHalves(std::byte *tensor, int64_t line) const {
    return const_cast<uint16_t *>(
        findHalves(static_cast<const std::byte *>(tensor), line));
  }
  /// Whether lines are fp16 and worth copying by readHalves and writeHalves.
  bool areHalvesInBlocks() const {
    return type == DataType::Float16 && lines.isInBlocks();
  }
  /// Copies \p count lines of fp16 from number \p line on, in the tensor and,
  /// one behind the other, outside.
  void readHalves(const std::byte *tensor, int64_t line, size_t count,
                  uint16_t *to) const {
    lines.read(reinterpret_cast<const uint16_t *>(tensor), line, count, to);
  }
  void writeHalves(std::byte *tensor, int64_t line, size_t count,
                   const uint16_t *from) const {
    lines.write(reinterpret_cast<uint16_t *>(tensor), line, count, from);
  }
  /// Widens a line; \p to has length() elements.
  void read(const std::byte *tensor, int64_t line, std::span<float> to) const;
  /// Rounds a line to the type of the tensor; returns CastOverflow and
  /// CastUnderflow. NaNs of \p from become the canonical one.
  StatusBits write(std::byte *tensor, int64_t line, std::span<float> from,
                   OverflowMode mode) const;
  /// How many lines lie side by side in memory, as of the channels of a block:
  /// those from a multiple of it on.
  int64_t countAdjacent() const {
    return lines.isContiguous() ? 1 : lines.countAdjacent();
  }
  /// read and write of \p to.size() adjacent lines (\p from.size()) from number
  /// \p line on, which go through memory once.
  void readAdjacent(const std::byte *tensor, int64_t line,
                    std::span<std::vector<float>> to) const;
  StatusBits writeAdjacent(std::byte *tensor, int64_t line,
                           std::span<std::vector<float>> from,
                           OverflowMode mode) const;
  /// Writes zero to elements that no line has. To be called first.
  void clearPadding(std::byte *tensor) const;
  /// Lines that are worth handing to a thread, whole groups of \p group.
  int64_t grain(int64_t group = 1) const;

private:
  AxisLines lines;
  DataType type = DataType::Undefined;

  template <class T>
  void readPieces(const T *tensor, int64_t line,
                  std::span<std::vector<float>> to) const;
  template <class T>
  StatusBits writePieces(T *tensor, int64_t line,
                         std::span<std::vector<float>> from,
                         OverflowMode mode) const;
};

/// A tensor with one value for each line: means, variances.
class LineValues {
public:
  /// Fails unless \p desc has \p count logical elements.
  static Expected<LineValues> create(const TensorDesc &desc, int64_t count);

  DataType dtype() const { return type; }
  float read(const std::byte *tensor, int64_t line) const;
  StatusBits write(std::byte *tensor, int64_t line, float value,
                   OverflowMode mode) const;
  /// Of lines from number \p line on. NaNs of \p from become the canonical one.
  StatusBits write(std::byte *tensor, int64_t line, std::span<float> from,
                   OverflowMode mode) const;
  void clearPadding(std::byte *tensor) const;

private:
  Layout layout;
  std::optional<int64_t> distance;
  DataType type = DataType::Undefined;

  int64_t byteOf(int64_t line) const;
};

/// Values that repeat over lines along trailing axes: gamma, beta.
class LineParameter {
public:
  /// Fails unless \p desc has as many elements as some trailing axes of
  /// \p lines together.
  static Expected<LineParameter> create(const TensorDesc &desc,
                                        const FloatLines &lines);

  /// The values that load gives.
  using Values = std::vector<float>;
  Values load(const std::byte *tensor) const;
  /// Whether all lines have the same ones.
  bool isSame(const Values &values) const {
    return values.size() == static_cast<size_t>(lineLength);
  }
  /// Those of line number \p line.
  std::span<const float> ofLine(const Values &values, int64_t line) const {
    const size_t length = static_cast<size_t>(lineLength);
    return std::span(values).subspan(
        static_cast<size_t>(line) * length % values.size(), length);
  }

private:
  FloatLines whole; ///< the tensor as one line
  int64_t lineLength = 1;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_FLOATLINES_H
