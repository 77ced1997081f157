//===- Contraction.h - The one sum of products of the cube -----*- C++ -*-===//
//
// Every cube operator is a set of contractions
//
//   out[row, column] = bias[column] + sum over k of left[row, k] right[k,
//   column]
//
// whose left operand is read in runs of up to 16 neighbours (the C0 lanes of
// NC1HWC0, a piece of a matrix row), and whose right operand lies in panels of
// 16 columns. The sum is fp32 and strictly sequential in k, from the bias
// onward, whatever the blocking, the threads and the instruction set: see
// docs/Cube.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_CUBE_CONTRACTION_H
#define NPU_LIB_KERNELS_CUBE_CONTRACTION_H

#include "../Workspaces.h"
#include "AlignedBuffer.h"

#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/DataType.h"
#include "npu/Support/ThreadPool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace npu::kernels::cube {

/// Columns of a panel; also the longest run of the left operand.
constexpr int64_t PanelWidth = 16;

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Consecutive values of k that lie side by side in the left operand.
struct Run {
  /// From the row's first element; the taps dh and dw are in it.
  int64_t offset = 0;
  /// Added to the row's input position to tell whether it is inside.
  int32_t dh = 0, dw = 0;
  /// How many values of k, at most PanelWidth.
  int16_t length = 0;
  /// Whether PanelWidth elements can be read there, whatever the length. A run
  /// may then be longer in memory, and what it reads too much is dropped.
  bool readable = false;
};

/// The left operand: rows are the points of a grid images x height x width, and
/// row (i, h, w) reads the input around position (originH + h * strideH,
/// originW + w * strideW) of image i. A matrix is one image of width 1. Strides
/// of memory are in elements.
struct LeftOperand {
  const std::byte *data = nullptr;
  int64_t images = 1, height = 1, width = 1;
  int64_t originH = 0, originW = 0;
  int64_t strideH = 1, strideW = 1;
  int64_t inputHeight = 1, inputWidth = 1;
  int64_t imagePitch = 0, linePitch = 0, pixelPitch = 0;
  std::span<const Run> runs;
  /// What a run outside the input reads.
  float outside = 0;
  /// Rows are neighbours in memory (images at distance 1, height and width 1)
  /// and all runs have length 1: the values that 16 rows have for a k are read
  /// at once. Floating-point types only.
  bool areRowsAdjacent = false;
  /// Not zero for a depthwise product: runs have length 1, and column j of
  /// panel p reads what lies p * panelPitch + j behind the run, each column its
  /// own value. Floating-point types only.
  int64_t panelPitch = 0;

  int64_t numRows() const { return images * height * width; }
};

/// The right operand in panels: column 16 p + j of k is element
/// p * panelPitch + k * depthPitch + j.
struct RightOperand {
  const std::byte *panels = nullptr;
  int64_t panelPitch = 0, depthPitch = PanelWidth;
};

/// Where the results go: the row's offset by the grid of the left operand, and
/// that of column 16 p + j, which is p * panelPitch + j unless columnOffsets
/// lists them one by one.
struct Destination {
  std::byte *data = nullptr;
  int64_t imagePitch = 0, linePitch = 0, pixelPitch = 0;
  int64_t panelPitch = PanelWidth;
  std::span<const int64_t> columnOffsets;
  /// Whether columns beyond the last are written as zeros up to a panel.
  bool padColumns = false;
};

struct Contraction {
  LeftOperand left;
  RightOperand right;
  /// Starting values, padded with zeros to whole panels; null for zeros.
  /// 32-bit integers when the inputs are integers, else floats.
  const void *bias = nullptr;
  Destination out;
  int64_t columns = 0;
};

/// What all contractions of a node have in common.
struct ContractionTypes {
  /// Float16, BFloat16, Float, Int8 or UInt8.
  DataType left = DataType::Float16;
  /// Float16, BFloat16 or Float; Int32 for integers.
  DataType out = DataType::Float16;
  OverflowMode mode = OverflowMode::Saturate;

  /// Sums of integers are exact and saturate to 32 bits.
  bool isInteger() const {
    return left == DataType::Int8 || left == DataType::UInt8;
  }
};

/// Float16 or Float: what panels of a right operand of \p type hold. Integers
/// of 8 bits are exact in fp16.
constexpr DataType panelType(DataType type) {
  return type == DataType::Float || type == DataType::BFloat16
             ? DataType::Float
             : DataType::Float16;
}

/// A part of one contraction: whole rows and panels.
struct Tile {
  int64_t rowBegin = 0, rowEnd = 0;
  int64_t panelBegin = 0, panelEnd = 0;
};

/// Calls \p visit(begin, end) for the elements of \p part.out that \p tile
/// writes, in stretches as long as possible. There are no columnOffsets.
void forEachWrittenRange(
    const Contraction &part, const Tile &tile,
    const std::function<void(int64_t begin, int64_t end)> &visit);

/// What a run of contractions reports.
struct ContractionEvents {
  /// CastOverflow and CastUnderflow of the rounding to the output type;
  /// CubeOverflow of integer sums.
  StatusBits status = status::None;
  /// A value of the left operand was infinite or NaN.
  bool nonFiniteInput = false;
  /// A sum was.
  bool nonFiniteSum = false;
};

/// Runs contractions. Keeps its work space, so that a second run of the same
/// sizes allocates nothing.
class Contractor {
public:
  /// Computes \p parts, whose outputs must not overlap. Calls \p finished,
  /// unless it is empty, for each tile after its last result is written, on the
  /// thread that has computed it.
  using TileFinished =
      std::function<void(const Contraction &part, const Tile &tile)>;
  ContractionEvents run(ThreadPool &pool, std::span<const Contraction> parts,
                        const ContractionTypes &types,
                        const TileFinished &finished = {});

private:
  struct Item {
    int64_t part;
    Tile tile;
  };
  /// How the rows of a part are cut.
  struct RowCut {
    int64_t rowsInTile, shares; ///< that threads take of the rows
  };
  std::vector<RowCut> rowCuts; // by part
  std::vector<Item> items;
  Workspaces<AlignedBuffer> spaces;

  void cut(std::span<const Contraction> parts, const ThreadPool &pool);
};

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_CONTRACTION_H
