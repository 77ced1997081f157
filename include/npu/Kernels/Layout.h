//===- Layout.h - Where the elements of a tensor lie -----------*- C++ -*-===//
//
// A private format stores a logical tensor in blocks: an axis is cut by 16 or
// by C0, and blocks and lanes become dimensions of their own. Layout states
// that as digits: each digit is a piece of one logical axis with a stride in
// memory. All format code works on digits, none on a format by name.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_KERNELS_LAYOUT_H
#define NPU_KERNELS_LAYOUT_H

#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"

#include <optional>
#include <vector>

namespace npu::kernels {

/// Whether \p format stores the dimensions of a tensor one after the other
/// (ND, NCHW, HWCN...), without blocks or padding.
bool isPlain(Format format);

/// The axis letters of a plain lettered format ("NCHW", "DHWCN"), empty for ND
/// and for private formats.
std::string_view axisLetters(Format format);

/// Lanes of the innermost dimension (C0) by element type: 32 for 8-bit types,
/// 64 for int4, 16 for all others. 4-byte types have 16 in every measured
/// graph; newer platforms use 8, so the shape of a tensor that exists wins.
int64_t defaultC0(DataType dtype);

/// The shape in \p format of a tensor of \p dtype whose origin is
/// \p originShape in \p originFormat. \p groups is the sub-format of FRACTAL_Z
/// and FRACTAL_Z_3D. Without \p c0, defaultC0 of dtype (4 for NC1HWC0_C04).
/// A scalar stays one. Fails when the origin does not have the axes that the
/// format needs.
Expected<Shape> physicalShape(Format format, int64_t groups, DataType dtype,
                              Format originFormat, const Shape &originShape,
                              std::optional<int64_t> c0 = std::nullopt);

/// An axis of the logical tensor.
struct LogicalAxis {
  char letter = 0; ///< N, C, D, H, W; S is H and W in one; 0 when unnamed
  int64_t extent = 1;
};

/// A piece of a logical axis: the value (index / weight) % extent, which moves
/// the element by stride.
struct Digit {
  unsigned axis = 0;
  int64_t weight = 1;
  int64_t extent = 1;
  int64_t stride = 0; ///< in elements
};

/// Elements of a grouped filter: rows [begin, end) of axis N lie as if their
/// index were n + shiftN and that of C c + shiftC, from element base on. A
/// tensor without groups has one part that covers everything.
struct LayoutPart {
  int64_t begin = 0, end = 0;
  int64_t shiftN = 0, shiftC = 0;
  int64_t base = 0;
};

/// The map between logical indices and elements in memory.
class Layout {
public:
  /// Reads the layout off \p desc and checks its shape against the formula of
  /// its format. C0 comes from the last dimension of the shape. A scalar has
  /// the layout of a vector of one element, or no dimensions at all. A private
  /// format without an origin (none, or the shape itself) has data in all
  /// lanes: NC1HWC0 counts as an NCHW of C1 * C0 channels, others as their
  /// shape. Fails for a
  /// format without a known formula, for a shape that contradicts the origin,
  /// and for sizes that do not fit.
  static Expected<Layout> create(const TensorDesc &desc);

  /// Logical axes in the order of the origin, expanded to four (five) when the
  /// format needs letters that the origin lacks.
  const std::vector<LogicalAxis> &axes() const { return logicalAxes; }
  /// Digits, outermost in memory first.
  const std::vector<Digit> &digits() const { return physicalDigits; }
  const std::vector<LayoutPart> &parts() const { return layoutParts; }

  /// Position of the axis \p letter, or nullopt.
  std::optional<unsigned> findAxis(char letter) const;

  /// Elements in memory.
  int64_t numElements() const { return physicalCount; }
  /// Elements of the logical tensor.
  int64_t numLogical() const;
  bool hasPadding() const { return numLogical() != numElements(); }
  /// Whether the digits of an element's position give its logical index. Not
  /// so for grouped and diagonal filters.
  bool isReversible() const { return reversible; }

  /// Element of the logical index \p index (one entry an axis).
  int64_t elementAt(const std::vector<int64_t> &index) const;

  /// The same layout with H and W as one axis S, for FRACTAL_Z_C04, which cuts
  /// their product. Nothing changes when there are none.
  Layout withMergedSpatial() const;

private:
  friend class LayoutBuilder;
  static Layout flat(const Shape &shape, std::string_view letters);

  std::vector<LogicalAxis> logicalAxes;
  std::vector<Digit> physicalDigits;
  std::vector<LayoutPart> layoutParts;
  int64_t physicalCount = 1;
  bool reversible = true;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_LAYOUT_H
