//===- AxisLines.h - The lines of a tensor along some axes -----*- C++ -*-===//
//
// A reduction or a softmax works on lines: all elements that differ in the
// given axes only. Lines hold logical elements, never padding, whatever the
// layout.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_AXISLINES_H
#define NPU_LIB_KERNELS_AXISLINES_H

#include "npu/Kernels/Layout.h"

#include <cstring>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

namespace npu::kernels {

/// The distance in memory of neighbours in the order of \p axes, the last one
/// running fastest, where it is the same everywhere.
std::optional<int64_t> findDistance(const Layout &layout,
                                    const std::vector<unsigned> &axes);

class AxisLines {
public:
  /// \p along has an entry for every axis of the layout of \p desc.
  static Expected<AxisLines> create(const TensorDesc &desc,
                                    const std::vector<bool> &along);

  int64_t numLines() const { return lines; }
  int64_t length() const { return static_cast<int64_t>(offsets.size()); }
  /// Whether the elements of a line follow each other in memory.
  bool isContiguous() const { return contiguous; }
  /// Whether there are blocks of a private format in a line, and the elements
  /// of each follow each other in memory.
  bool isInBlocks() const { return inBlocks; }
  /// The axes that lines do not run along, in order.
  const std::vector<unsigned> &keptAxes() const { return kept; }
  const Layout &layout() const { return source; }
  /// Of the elements of a line from its start.
  const std::vector<int64_t> &elementOffsets() const { return offsets; }
  /// How many lines lie side by side: line l starts one element behind line
  /// l - 1 unless l is a multiple of it. At most 16.
  int64_t countAdjacent() const;

  /// Sets the kept entries of \p index to those of line number \p line, the
  /// last kept axis running fastest; others are 0.
  void indexOf(int64_t line, std::vector<int64_t> &index) const;

  /// From the start of a line to that of the next one, where it is the same for
  /// all.
  std::optional<int64_t> distance() const { return lineDistance; }
  /// Element at which line number \p line starts.
  int64_t start(int64_t line) const {
    if (lineDistance)
      return line * *lineDistance;
    const int64_t inRun = line % run.length;
    std::vector<int64_t> index;
    indexOf(line - inRun, index);
    return source.elementAt(index) + inRun * run.distance;
  }

  /// Copies a line out of (into) the tensor.
  template <typename T>
  void read(const T *tensor, int64_t line, T *to) const {
    readFrom(tensor + start(line), to);
  }
  template <typename T>
  void write(T *tensor, int64_t line, const T *from) const {
    writeTo(tensor + start(line), from);
  }
  /// Copies \p count lines from number \p line on, in the tensor and, one
  /// behind the other, outside.
  template <typename T>
  void read(const T *tensor, int64_t line, size_t count, T *to) const {
    forEachStart(line, count, [&](int64_t start) {
      readFrom(tensor + start, to);
      to += offsets.size();
    });
  }
  template <typename T>
  void write(T *tensor, int64_t line, size_t count, const T *from) const {
    forEachStart(line, count, [&](int64_t start) {
      writeTo(tensor + start, from);
      from += offsets.size();
    });
  }

private:
  /// Elements of a block of the private formats.
  static constexpr size_t BlockLength = 16;

  /// Line l starts \p distance behind line l - 1 unless l is a multiple of
  /// \p length.
  struct Run {
    int64_t length = 1, distance = 0;
  };

  void findRun();
  void findBlocks();

  template <typename Function>
  void forEachStart(int64_t line, size_t count,
                    const Function &function) const {
    int64_t at = 0;
    for (int64_t l = line; l < line + static_cast<int64_t>(count); ++l) {
      at = l == line || l % run.length == 0 ? start(l) : at + run.distance;
      function(at);
    }
  }
  /// Calls \p copy(i, n) for the stretches of a line that follow each other.
  template <typename Copy>
  void forEachStretch(const Copy &copy) const {
    size_t i = 0;
    if (inBlocks)
      for (; i + BlockLength <= offsets.size(); i += BlockLength)
        copy(i, std::integral_constant<size_t, BlockLength>());
    for (; i < offsets.size(); ++i)
      copy(i, std::integral_constant<size_t, 1>());
  }
  template <typename T>
  void readFrom(const T *from, T *to) const {
    if (contiguous)
      std::memcpy(to, from, offsets.size() * sizeof(T));
    else
      forEachStretch([&](size_t i, auto n) {
        std::memcpy(to + i, from + offsets[i], n * sizeof(T));
      });
  }
  template <typename T>
  void writeTo(T *to, const T *from) const {
    if (contiguous)
      std::memcpy(to, from, offsets.size() * sizeof(T));
    else
      forEachStretch([&](size_t i, auto n) {
        std::memcpy(to + offsets[i], from + i, n * sizeof(T));
      });
  }

  Layout source;
  std::vector<unsigned> kept;
  std::vector<int64_t> offsets; ///< of the elements of a line from its start
  std::optional<int64_t> lineDistance;
  Run run; ///< where lineDistance is not known
  int64_t lines = 1;
  bool contiguous = true;
  bool inBlocks = false;
};

/// The partial sums of sumInOrder.
constexpr size_t NumPartialSums = 16;

/// The sum of \p count values in fp32. The order is part of the arithmetic and
/// independent of SIMD width and threads: value i is added to partial sum
/// i mod 16, in order; then partial sums i and i + 8 are added, i and i + 4, i
/// and i + 2, and the last two. \p add adds two values.
template <typename Add>
float sumInOrder(const float *values, size_t count, const Add &add) {
  constexpr size_t Lanes = NumPartialSums;
  float partial[Lanes] = {};
  size_t i = 0;
  for (; i + Lanes <= count; i += Lanes)
    for (size_t lane = 0; lane < Lanes; ++lane)
      partial[lane] = add(partial[lane], values[i + lane]);
  for (size_t lane = 0; i < count; ++i, ++lane)
    partial[lane] = add(partial[lane], values[i]);
  for (size_t width = Lanes / 2; width > 0; width /= 2)
    for (size_t lane = 0; lane < width; ++lane)
      partial[lane] = add(partial[lane], partial[lane + width]);
  return partial[0];
}
inline float sumInOrder(const float *values, size_t count) {
  return sumInOrder(values, count, std::plus<float>());
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_AXISLINES_H
